package atom

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"cutegen/algebra"
)

// MMA is one matrix product D = A*B + C of the hardware on a tile of M x N x K (CuTe's MMA_Atom with its MMA_Traits).
//
// A, B and C map (thread, value) to an index into the column-major tiles (M,K), (N,K) and (M,N): LayoutA_TV, LayoutB_TV and
// LayoutC_TV. D is distributed as C. Values are in the order in which the instruction names them.
//
//	SM80_16x8x16_F32F16F16F32_TN
//	A = ((4,8),(2,2,2)):((32,1),(16,8,128))   thread 5, value 3 -> 57 = row 9, column 3 of (16,16)
type MMA struct {
	Name        string // CuTe's, such as SM80_16x8x16_F32F16F16F32_TN
	Arch        string // the least .target, such as sm_80
	Instruction string // PTX, without operands
	Issues      int    // how many of the instruction make the atom: 1; for complex products 4, or Gauss's 3
	Section     string // where the PTX ISA describes the fragments
	M, N, K     int
	// The types of D, A, B and C.
	TypeD, TypeA, TypeB, TypeC Type
	// ThrID maps the atom's threads to lanes of the warp or warpgroup. Of tcgen05.mma the threads are the CTAs of a pair.
	ThrID   algebra.Layout
	A, B, C algebra.Layout
}

// Type is the type of a value.
type Type struct {
	Name string // as in PTX; c64 is a complex of two f64, gc64 the three partial sums of Gauss's product
	Bits int    // what a value takes in a register; e2m1 takes 8 bits under .kind::f8f6f4
}

var (
	b1   = Type{"b1", 1}
	s4   = Type{"s4", 4}
	u4   = Type{"u4", 4}
	s8   = Type{"s8", 8}
	u8   = Type{"u8", 8}
	s16  = Type{"s16", 16}
	s32  = Type{"s32", 32}
	e4m3 = Type{"e4m3", 8}
	e5m2 = Type{"e5m2", 8}
	e3m2 = Type{"e3m2", 8}
	e2m3 = Type{"e2m3", 8}
	e2m1 = Type{"e2m1", 8}
	f16  = Type{"f16", 16}
	bf16 = Type{"bf16", 16}
	tf32 = Type{"tf32", 32}
	f32  = Type{"f32", 32}
	f64  = Type{"f64", 64}
	c64  = Type{"c64", 128}
	gc64 = Type{"gc64", 192}
)

// All lists the MMA atoms: fma, dp4a and dp2a, mma.sync for sm_70 to sm_120, wgmma, and tcgen05.mma with N = 64, 128 and 256.
// wgmma has the values of N that CuTe names: 8, 16, 32, 64, 96, 128, 192 and 256.
func All() []MMA { return slices.Clone(all()) }

// all is built once: a search by name would else spend its time on the layouts of 462 atoms.
var all = sync.OnceValue(func() []MMA {
	return slices.Concat(dotProducts(), quadPairs(), warps(), warpgroups(), tensorMemory())
})

// ByName finds an MMA atom. The error names the atom whose name is nearest.
func ByName(name string) (MMA, error) {
	return find("MMA atom", all(), name, func(m MMA) string { return m.Name })
}

// find looks an atom up by its name.
func find[T any](what string, list []T, name string, nameOf func(T) string) (T, error) {
	if i := slices.IndexFunc(list, func(a T) bool { return nameOf(a) == name }); i >= 0 {
		return list[i], nil
	}
	// A name of any length costs no more than a long one.
	prefix := name[:min(len(name), 128)]
	nearest, least := "", math.MaxInt
	for _, a := range list {
		other := nameOf(a)
		if longer := len(other) - len(prefix); max(longer, -longer) >= least {
			continue // so many characters are to insert or to delete at least
		}
		if d := distance(prefix, other); d < least {
			nearest, least = other, d
		}
	}
	var none T
	return none, fmt.Errorf("no %s %q among %d; the nearest is %q", what, name, len(list), nearest)
}

// distance counts the characters to insert, delete or replace between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
