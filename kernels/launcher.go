package kernels

import "cutegen/emit"

// Aligned is the demand that a parameter be a multiple, none if every value is.
func Aligned(param string, multiple int, unit string) []Alignment {
	if multiple == 1 {
		return nil
	}
	return []Alignment{{Param: param, Multiple: multiple, Unit: unit}}
}

// Misaligned is the C condition under which an argument breaks the demand.
func Misaligned(a Alignment) string {
	value := Stride(a.Param)
	if a.Unit == "bytes" {
		value = Stride("(long long)" + a.Param)
	}
	return "(" + emit.Mod(value, a.Multiple).String() + ") != 0"
}
