package atom

import (
	"fmt"
	"strings"

	"cutegen/algebra"
)

// dotProducts is the multiply-adds of one thread: tiles of 1 x 1 x K.
func dotProducts() []MMA {
	dot := func(name, instruction, section string, k int, a, b Type) MMA {
		row := tv(nil, []mode{{k, 1}})
		return MMA{
			Name: name, Arch: "sm_61", Instruction: instruction, Issues: 1, Section: section,
			M: 1, N: 1, K: k, TypeD: s32, TypeA: a, TypeB: b, TypeC: s32,
			ThrID: one(), A: row, B: row, C: tv(nil, nil),
		}
	}
	return []MMA{
		{
			Name: "UniversalFMA<float>", Instruction: "fma.rn.f32", Issues: 1, Section: "PTX ISA 9.7.3.6",
			M: 1, N: 1, K: 1, TypeD: f32, TypeA: f32, TypeB: f32, TypeC: f32,
			ThrID: one(), A: tv(nil, nil), B: tv(nil, nil), C: tv(nil, nil),
		},
		dot("SM61_DP4A", "dp4a.s32.s32", "PTX ISA 9.7.1.23", 4, s8, s8),
		// B is the lower half of a register of four 8-bit values.
		dot("SM61_DP2A", "dp2a.lo.s32.s32", "PTX ISA 9.7.1.24", 2, s16, s8),
	}
}

// quadPairs is mma.m8n8k4 of sm_70 (PTX ISA 9.7.14.5.1): four products by a warp, each by a quad pair, lanes 4q to 4q+3
// and 16+4q to 16+4q+3. The orders of A and B in memory decide what a thread holds:
//
//	row-major A, or column-major B:  thread t holds row t of the tile,    four columns
//	column-major A, or row-major B:  thread t holds column t%4,           four rows from 4*(t/4) on
func quadPairs() []MMA {
	alongK := tv([]mode{{8, 1}}, []mode{{4, 8}})
	acrossK := tv([]mode{{4, 8}, {2, 4}}, []mode{{4, 1}})
	accumulators := map[Type]algebra.Layout{
		f16: tv([]mode{{8, 1}}, []mode{{8, 8}}),
		f32: tv([]mode{{2, 1}, {2, 16}, {2, 4}}, []mode{{2, 8}, {2, 2}, {2, 32}}),
	}
	var atoms []MMA
	for _, c := range []Type{f16, f32} {
		for _, order := range []struct {
			name, ptx string
			a, b      algebra.Layout
		}{
			{"TN", "row.col", alongK, alongK},
			{"NT", "col.row", acrossK, acrossK},
			{"NN", "col.col", acrossK, alongK},
			{"TT", "row.row", alongK, acrossK},
		} {
			atoms = append(atoms, MMA{
				Name:        "SM70_8x8x4_" + typeNames(c, f16, f16, c) + "_" + order.name,
				Arch:        "sm_70",
				Instruction: fmt.Sprintf("mma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s", order.ptx, c.Name, c.Name),
				Issues:      1, Section: "PTX ISA 9.7.14.5.1",
				M: 8, N: 8, K: 4, TypeD: c, TypeA: f16, TypeB: f16, TypeC: c,
				ThrID: layout(algebra.Ints(4, 2), algebra.Ints(1, 16)),
				A:     order.a, B: order.b, C: accumulators[c],
			})
		}
	}
	return atoms
}

// warps is mma.sync from sm_75 on: a warp, A row-major, B column-major.
func warps() []MMA {
	atoms := []MMA{
		warp("sm_75", 16, 8, f32, f16, f16, ""),
		warp("sm_75", 16, 8, f16, f16, f16, ""),
		warp("sm_75", 8, 16, s32, s8, s8, ""),

		warp("sm_80", 16, 8, f16, f16, f16, ""),
		warp("sm_80", 16, 16, f16, f16, f16, ""),
		warp("sm_80", 16, 8, f32, f16, f16, ""),
		warp("sm_80", 16, 16, f32, f16, f16, ""),
		warp("sm_80", 16, 8, f32, bf16, bf16, ""),
		warp("sm_80", 16, 16, f32, bf16, bf16, ""),
		warp("sm_80", 16, 4, f32, tf32, tf32, ""),
		warp("sm_80", 16, 8, f32, tf32, tf32, ""),
		warp("sm_80", 8, 4, f64, f64, f64, ""),
		warp("sm_80", 8, 4, c64, c64, c64, ""),
		warp("sm_80", 8, 4, gc64, c64, c64, ""),
	}
	for _, operands := range []struct {
		types  []Type
		shapes [][2]int // M and K
	}{
		{[]Type{s8, u8}, [][2]int{{8, 16}, {16, 16}, {16, 32}}},
		{[]Type{s4, u4}, [][2]int{{8, 32}, {16, 32}, {16, 64}}},
	} {
		for _, a := range operands.types {
			for _, b := range operands.types {
				for _, s := range operands.shapes {
					atoms = append(atoms,
						warp("sm_80", s[0], s[1], s32, a, b, ""),
						warp("sm_80", s[0], s[1], s32, a, b, "SATURATE"))
				}
			}
		}
	}
	for _, s := range [][2]int{{8, 128}, {16, 128}, {16, 256}} {
		atoms = append(atoms,
			warp("sm_80", s[0], s[1], s32, b1, b1, "XORPOPC"),
			warp("sm_80", s[0], s[1], s32, b1, b1, "ANDPOPC"))
	}
	for _, c := range []Type{f32, f16} {
		for _, a := range []Type{e4m3, e5m2} {
			for _, b := range []Type{e4m3, e5m2} {
				atoms = append(atoms, warp("sm_89", 16, 32, c, a, b, ""))
			}
		}
	}
	for _, k := range []int{4, 8, 16} {
		atoms = append(atoms, warp("sm_90", 16, k, f64, f64, f64, ""), warp("sm_90", 16, k, c64, c64, c64, ""))
	}
	narrow := []Type{e4m3, e5m2, e3m2, e2m3, e2m1}
	for _, a := range narrow {
		for _, b := range narrow {
			m := warp("sm_120a", 16, 32, f32, a, b, "")
			m.Name = fmt.Sprintf("SM120_16x8x32_TN<float_%s_t,float_%s_t,float>", a.Name, b.Name)
			m.Instruction = strings.Replace(m.Instruction, ".aligned.", ".aligned.kind::f8f6f4.", 1)
			atoms = append(atoms, m)
		}
	}
	return atoms
}

// warp is the mma.sync with N = 8. C has the type of D. The variant is the end of CuTe's name: SATURATE clamps an integer
// sum to 32 bits, XORPOPC and ANDPOPC multiply single bits.
func warp(arch string, m, k int, d, a, b Type, variant string) MMA {
	const n = 8
	name := strings.ToUpper(strings.Replace(arch, "_", "", 1)) + "_" + shapeName(m, n, k) + "_" + typeNames(d, a, b, d) + "_TN"
	saturate, multiply := "", ""
	switch variant {
	case "SATURATE":
		saturate = ".satfinite"
	case "XORPOPC":
		multiply = ".xor.popc"
	case "ANDPOPC":
		multiply = ".and.popc"
	}
	if variant != "" {
		name += "_" + variant
	}
	types, issues := fmt.Sprintf("%s.%s.%s.%s", d.Name, a.Name, b.Name, d.Name), 1
	if a == c64 {
		types, issues = "f64.f64.f64.f64", 4
	}
	if d == gc64 {
		issues = 3
	}
	return MMA{
		Name: name, Arch: arch,
		Instruction: fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col%s.%s%s", m, n, k, saturate, types, multiply),
		Issues:      issues, Section: warpSection(m, k, a),
		M: m, N: n, K: k, TypeD: d, TypeA: a, TypeB: b, TypeC: d,
		ThrID: threads(32),
		A:     fragment(m, k, packed(a)),
		B:     fragment(n, k, packed(b)),
		C:     fragment(m, n, 2),
	}
}

// warpSection is where the PTX ISA describes the fragments of a shape.
func warpSection(m, k int, a Type) string {
	number := map[[2]int]int{
		{8, 4}: 2, {8, 16}: 3, {8, 32}: 4, {8, 128}: 5,
		{16, 4}: 6, {16, 8}: 7, {16, 16}: 8, {16, 32}: 10, {16, 64}: 11, {16, 128}: 12, {16, 256}: 13,
	}[[2]int{m, k}]
	if m == 16 && k == 16 && a.Bits == 8 {
		number = 9 // "with integer type"
	}
	return fmt.Sprintf("PTX ISA 9.7.14.5.%d", number)
}

// typeNames is CuTe's run of types in a name: F32F16F16F32. Single bits are U1 there.
func typeNames(types ...Type) string {
	var name strings.Builder
	for _, t := range types {
		if t == b1 {
			name.WriteString("U1")
			continue
		}
		name.WriteString(strings.ToUpper(t.Name))
	}
	return name.String()
}
