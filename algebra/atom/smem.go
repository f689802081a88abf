package atom

import (
	"fmt"
	"math/bits"

	"cutegen/algebra"
)

// Smem is a tile of shared memory as the descriptors of wgmma and tcgen05.mma read it: the least piece whose swizzle is
// complete (CuTe's GMMA::Layout_*_Atom and UMMA::Layout_*_Atom). A tile of an operand is made of copies of it.
//
//	GMMA_K_SW64, 16 bits: Sw<2,4,3> on bytes, (8,32):(32,1) in elements: 8 rows of 64 bytes
type Smem struct {
	Name  string // without CuTe's Layout_ and _Atom: GMMA_K_SW128
	Major Major
	Bits  int // of an element
	// Section is where the PTX ISA describes the layout.
	Section string
	// Swizzle permutes the offsets in bytes, within the 16 bytes that Base leaves alone.
	Swizzle algebra.Swizzle
	// Layout maps (M or N, K) to elements, before the swizzle.
	Layout algebra.Layout
}

// Major is the mode of an operand whose elements are neighbours in memory.
type Major string

const (
	MajorK  Major = "K"
	MajorMN Major = "MN"
)

// Elements is the atom with everything counted in elements.
//
//	GMMA_K_SW64, 16 bits: Sw<2,3,3> o 0 o (8,32):(32,1)
func (s Smem) Elements() algebra.Composed {
	if s.Swizzle.Bits == 0 {
		return algebra.Composed{Layout: s.Layout}
	}
	swizzle := s.Swizzle
	// Byte offsets have 3 bits below them for a bit's place in a byte, element offsets log2(Bits).
	swizzle.Base += 3 - log2(s.Bits)
	return algebra.Composed{Swizzle: swizzle, Layout: s.Layout}
}

// Smems lists the shared-memory atoms for elements of 1, 8, 16 and 32 bits: without a swizzle (INTER), and with rows of 32,
// 64 and 128 bytes whose 16-byte pieces are permuted; and for tcgen05.mma 128 bytes in pieces of 32.
func Smems() []Smem {
	var atoms []Smem
	for _, size := range []int{1, 8, 16, 32} {
		for _, major := range []Major{MajorK, MajorMN} {
			for b, swizzle := range []string{"INTER", "SW32", "SW64", "SW128"} {
				atoms = append(atoms, Smem{
					Name:  fmt.Sprintf("GMMA_%s_%s", major, swizzle),
					Major: major, Bits: size, Section: "PTX ISA 9.7.15.5.1.2",
					Swizzle: algebra.Swizzle{Bits: b, Base: 4, Shift: 3},
					Layout:  lines(major, 8, 128<<b/size),
				})
			}
		}
		atoms = append(atoms, Smem{
			Name: "UMMA_MN_SW128_32B", Major: MajorMN, Bits: size, Section: "PTX ISA 9.7.16.10.6",
			Swizzle: algebra.Swizzle{Bits: 2, Base: 5, Shift: 2},
			Layout:  lines(MajorMN, 4, 1024/size),
		})
	}
	return atoms
}

// lines is n lines of contiguous elements: rows along K, or columns along M or N.
func lines(major Major, n, length int) algebra.Layout {
	if major == MajorK {
		return layout(algebra.Ints(n, length), algebra.Ints(length, 1))
	}
	return layout(algebra.Ints(length, n), algebra.Ints(1, length))
}

// log2 is the exponent of a power of two.
func log2(n int) int { return bits.Len(uint(n)) - 1 }
