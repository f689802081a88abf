package atom

import (
	"fmt"

	"cutegen/algebra"
)

// tensorMemory is tcgen05.mma with both operands in shared memory and the accumulator in Tensor Memory. One thread of a
// CTA, or of one CTA of a pair, issues it. What the layouts call a thread is a CTA: of a pair, each holds half of the rows of
// A and of C, and half of B's N. Where the accumulator lies in Tensor Memory says TMEM.
func tensorMemory() []MMA {
	var atoms []MMA
	for _, kind := range []struct {
		name, ptx, cxx string
		t              Type
	}{
		{"F16BF16", "f16", "half_t", f16},
		{"TF32", "tf32", "tfloat32_t", tf32},
	} {
		for _, ctas := range []int{1, 2} {
			pair := map[int]string{1: "", 2: "_2x1SM"}[ctas]
			for _, m := range []int{64 * ctas, 128 * ctas} {
				for _, n := range []int{64, 128, 256} {
					k := 256 / kind.t.Bits
					atoms = append(atoms, MMA{
						Name: fmt.Sprintf("SM100_MMA_%s%s_SS<%s,%s,float,%d,%d,UMMA::Major::K,UMMA::Major::K>",
							kind.name, pair, kind.cxx, kind.cxx, m, n),
						Arch:        "sm_100a",
						Instruction: fmt.Sprintf("tcgen05.mma.cta_group::%d.kind::%s", ctas, kind.ptx),
						Issues:      1, Section: "PTX ISA 9.7.16.10.5",
						M: m, N: n, K: k, TypeD: f32, TypeA: kind.t, TypeB: kind.t, TypeC: f32,
						ThrID: map[int]algebra.Layout{1: one(), 2: threads(2)}[ctas],
						A:     halved(ctas, m, k), B: halved(ctas, n, k), C: halved(ctas, m, n),
					})
				}
			}
		}
	}
	return atoms
}

// halved gives each of n CTAs a block of the rows.
func halved(n, rows, columns int) algebra.Layout {
	block := rows / n
	step := block
	if n == 1 {
		step = 0
	}
	return layout(
		algebra.MakeTuple(algebra.Int(n), algebra.Ints(block, columns)),
		algebra.MakeTuple(algebra.Int(step), algebra.Ints(1, rows)))
}
