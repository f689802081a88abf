package atom

import (
	"fmt"

	"cutegen/algebra"
)

// columnCount is how many columns of 32 bits a lane of Tensor Memory has.
const columnCount = 512

// TMEM asks where an accumulator of tcgen05.mma, or an operand A, lies in Tensor Memory (CuTe's UMMA::tmem_frg). Tensor
// Memory has 128 lanes of 512 columns of 32 bits.
type TMEM struct {
	ValueBits   int // of a value: 16 or 32
	StorageBits int // what a value takes: ValueBits, or 32 for 16-bit values that are not packed
	SMs         int // 1, or 2 for an instruction by a pair
	Alloc       Alloc
	// The tile of one instruction in one CTA, and how many of them there are along M and N.
	M, N, RestM, RestN int
}

// Alloc is how tiles of fewer than 128 rows use the lanes (CuTe's UMMA::TmemAllocMode).
type Alloc string

const (
	// Interleaved fills the free lanes: of 64 rows by one SM with the next instruction's tile, of fewer rows by two SMs with
	// the other part of the columns.
	Interleaved Alloc = "Interleaved"
	// NonInterleaved leaves the lanes between 64 rows by one SM free.
	NonInterleaved Alloc = "NonInterleaved"
	// Duplicated keeps 64 rows by two SMs twice: the layout has 128 rows, the second 64 being copies.
	Duplicated Alloc = "Duplicated"
)

// Layout maps ((M,N),RestM,RestN) to addresses counted in values: a lane is 2^16 columns after the one before, as in
// the address of tcgen05, and a column holds 32/ValueBits values (PTX ISA 9.7.16.10.5).
//
//	M = 64, one SM, 32-bit values, Interleaved: rows 16w to 16w+15 are in lanes 32w to 32w+15
//	((16,4),N):((65536,2097152),1), and the second tile 16 lanes = 1048576 further
//
// Sizes that the instruction does not have are an error.
func (f TMEM) Layout() (algebra.Layout, error) {
	if f.ValueBits != 16 && f.ValueBits != 32 || f.StorageBits != f.ValueBits && f.StorageBits != 32 {
		return algebra.Layout{}, fmt.Errorf("tensor memory: got %d-bit values in %d bits; allowed is 16 in 16, 16 in 32 and 32 in 32",
			f.ValueBits, f.StorageBits)
	}
	if f.N < 8 || f.N > 256 || f.N%8 != 0 || min(f.RestM, f.RestN) < 1 || max(f.RestM, f.RestN) > columnCount {
		return algebra.Layout{}, fmt.Errorf("tensor memory: got N %d and %d x %d tiles; allowed is a multiple of 8 up to 256, and 1 to 512 tiles each way",
			f.N, f.RestM, f.RestN)
	}
	column := f.StorageBits / f.ValueBits
	lane := (1 << 16) * (32 / f.ValueBits)
	rows, columns := []mode{{f.M, lane}}, []mode{{f.N, column}}
	tiles := f.RestM * f.RestN
	// The tiles in order, along M first: some beside each other in the lanes, the rest in the columns.
	beside, besideStep, next := 1, 0, f.N*column
	type use struct {
		m, sms int
		alloc  Alloc
	}
	switch (use{f.M, f.SMs, f.Alloc}) {
	case use{128, 1, Interleaved}, use{128, 2, Interleaved}:
	case use{64, 1, Interleaved}:
		rows = []mode{{16, lane}, {4, 32 * lane}}
		beside, besideStep = 2, 16*lane
	case use{64, 1, NonInterleaved}:
		rows = []mode{{16, lane}, {4, 32 * lane}}
	case use{64, 2, Interleaved}, use{32, 2, Interleaved}:
		parts := 128 / f.M
		columns = []mode{{f.N / parts, column}, {parts, f.M * lane}}
		next = f.N / parts * column
	case use{64, 2, Duplicated}:
		rows = []mode{{128, lane}}
	default:
		return algebra.Layout{}, fmt.Errorf("tensor memory: got M %d by %d SMs, %s; allowed is 128 Interleaved, "+
			"64 by 1 SM Interleaved or NonInterleaved, 64 by 2 SMs Interleaved or Duplicated, 32 by 2 SMs Interleaved", f.M, f.SMs, f.Alloc)
	}
	if beside > 1 && tiles > 1 && tiles%beside != 0 {
		return algebra.Layout{}, fmt.Errorf("tensor memory: got %d x %d tiles; allowed is an even number, for two lie side by side", f.RestM, f.RestN)
	}
	if needed := max(1, tiles/beside) * next * f.ValueBits / 32; needed > columnCount {
		return algebra.Layout{}, fmt.Errorf("tensor memory: got %d x %d tiles, which take %d columns; allowed is %d", f.RestM, f.RestN, needed, columnCount)
	}
	order, err := algebra.ColMajor(algebra.Ints(f.RestM, f.RestN))
	if err != nil {
		return algebra.Layout{}, fmt.Errorf("tensor memory: %d x %d tiles: %w", f.RestM, f.RestN, err)
	}
	places := layout(algebra.Ints(beside, max(1, tiles/beside)), algebra.Ints(besideStep, next))
	rest, err := algebra.Composition(places, order)
	if err != nil {
		return algebra.Layout{}, fmt.Errorf("tensor memory: %d x %d tiles: %w", f.RestM, f.RestN, err)
	}
	return algebra.Concat(append([]algebra.Layout{tv(rows, columns)}, rest.Modes()...)...)
}
