package atom

import "fmt"

// warpgroups is wgmma.mma_async: a warpgroup of 128 threads, M = 64, the accumulator in registers, B in shared memory, A in
// shared memory (SS) or in registers (RS).
func warpgroups() []MMA {
	type operands struct {
		d, a, b Type
		suffix  string
	}
	kinds := []operands{{f16, f16, f16, ""}, {f32, f16, f16, ""}, {f32, bf16, bf16, ""}, {f32, tf32, tf32, "_TN"}}
	for _, a := range []Type{s8, u8} {
		for _, b := range []Type{s8, u8} {
			kinds = append(kinds, operands{s32, a, b, "_TN"}, operands{s32, a, b, "_TN_SATURATE"})
		}
	}
	for _, d := range []Type{f16, f32} {
		for _, a := range []Type{e4m3, e5m2} {
			for _, b := range []Type{e4m3, e5m2} {
				kinds = append(kinds, operands{d, a, b, "_TN"})
			}
		}
	}
	var atoms []MMA
	for _, o := range kinds {
		for _, n := range []int{8, 16, 32, 64, 96, 128, 192, 256} {
			for _, source := range []string{"SS", "RS"} {
				atoms = append(atoms, warpgroup(n, o.d, o.a, o.b, source, o.suffix))
			}
		}
	}
	return atoms
}

// warpgroup is the wgmma of M = 64 and 256 bits of K, the same for every type.
func warpgroup(n int, d, a, b Type, source, suffix string) MMA {
	const m = 64
	k := 256 / a.Bits
	instruction := fmt.Sprintf("wgmma.mma_async.sync.aligned.m%dn%dk%d.%s.%s.%s", m, n, k, d.Name, a.Name, b.Name)
	if suffix == "_TN_SATURATE" {
		instruction += ".satfinite"
	}
	atom := MMA{
		Name:        fmt.Sprintf("SM90_%s_%s_%s%s", shapeName(m, n, k), typeNames(d, a, b), source, suffix),
		Arch:        "sm_90a",
		Instruction: instruction, Issues: 1,
		Section: fmt.Sprintf("PTX ISA 9.7.15.5.1.1.%d", map[int]int{16: 1, 8: 2, 32: 3}[k]),
		M:       m, N: n, K: k, TypeD: d, TypeA: a, TypeB: b, TypeC: d,
		ThrID: threads(128),
		A:     shared(128, m, k),
		B:     shared(128, n, k),
		C:     warpgroupFragment(n, 2),
	}
	if source == "RS" {
		atom.A = warpgroupFragment(k, packed(a))
	}
	return atom
}
