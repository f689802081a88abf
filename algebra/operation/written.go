package operation

import (
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
	"cutegen/algebra/notation"
)

// Write is a value in another notation.
//
//	(4,3):(6,1) at offset 24  ->  (Layout((4, 3), (6, 1)), 24)
//
// Of a Record it is each fact, a line each: that in the notation or the reason why there is none; what is no layout as it is.
func Write(n notation.Notation, v Value) (string, error) {
	record, ok := v.(Record)
	if !ok {
		return n.Write(plain(v))
	}
	var lines []string
	for _, f := range record {
		is, err := f.Is, error(nil)
		if l, no := algebra.ParseLayout(f.Is); no == nil {
			is, err = n.Write(l)
		} else if c, no := algebra.ParseComposed(f.Is); no == nil {
			is, err = n.Write(c)
		}
		if err != nil {
			is = "none: " + err.Error()
		}
		lines = append(lines, f.Name+": "+is)
	}
	return strings.Join(lines, "\n"), nil
}

// plain is the value as package notation takes it.
func plain(v Value) notation.Value {
	switch v := v.(type) {
	case Sliced:
		return notation.Pair{Layout: v.Layout, Offset: v.Offset}
	case Pair:
		return notation.Pair{Layout: v.Layout, Offset: v.Offset}
	case SlicedSymbols:
		return notation.Pair{Layout: plain(v.Layout), Offset: v.Offset}
	case PairSymbols:
		return notation.Pair{Layout: plain(v.Layout), Offset: v.Offset}
	case SwizzledSymbols:
		if n, known := v.Offset.Value(); known && n == 0 && v.Swizzle.Bits == 0 {
			return v.Layout
		}
		return notation.Swizzled(v)
	case string: // strides with symbols
		if c, err := dynamic.ParseCoord(v); err == nil {
			return c
		}
	}
	return v
}
