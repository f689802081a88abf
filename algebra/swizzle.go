package algebra

import "fmt"

// Swizzle is CuTe's Sw<Bits,Base,Shift>: it permutes offsets by exclusive or of one bit field into another.
//
//	0bxxxxxxxxxxxxxxxYYYxxxxxxxZZZxxxx
//	                              ^--^ Base: the lowest bits, which stay
//	                 ^-^       ^-^     Bits: the width of the two fields
//	                   ^---------^     Shift: how far apart they are
//
// The result has ZZZ xor YYY in the place of ZZZ. A negative Shift swaps the two fields' places. The zero value is the
// identity. Bits, Base and Shift are also called B, M and S.
//
// A tile of shared memory whose lanes read down a column, or write, in vectors: Base is log2 of a vector's elements, Bits log2
// of the vectors in 128 bytes (all 32 banks), and Base+Shift log2 of the elements from one lane to the next, which is at least
// 128 bytes. 8 rows of 32 floats, read by 16 bytes:
//
//	Sw<3,2,3> o 0 o (8,32):(32,1)     log2(4) = 2     log2(128/16) = 3     log2(32) = 5 = 2+3
//
// The package comment derives and draws it. cutegen swizzle, and Advise of package access, search by any accesses.
type Swizzle struct{ Bits, Base, Shift int }

// Validate refuses negative fields, fields that overlap (|Shift| < Bits), and fields beyond 62 bits.
func (s Swizzle) Validate() error {
	switch {
	case s.Bits < 0 || s.Base < 0:
		return fmt.Errorf("swizzle %v: bits and base must be at least 0", s)
	case s.Bits > 62 || s.Base > 62 || s.Shift < -62 || s.Shift > 62 || s.Base+s.Bits+abs(s.Shift) > 62:
		return fmt.Errorf("swizzle %v: it reaches beyond bit 62", s)
	case abs(s.Shift) < s.Bits:
		return fmt.Errorf("swizzle %v: the fields overlap, allowed are shifts of at least %d or at most %d", s, s.Bits, -s.Bits)
	}
	return nil
}

// Apply is the swizzled offset.
//
//	Sw<3,2,3>.Apply(67) = 75     67 = 0b010_000_11     75 = 0b010_010_11
func (s Swizzle) Apply(offset int) int {
	field := 1<<s.Bits - 1
	if s.Shift >= 0 {
		return offset ^ offset>>s.Shift&(field<<s.Base)
	}
	return offset ^ offset&(field<<s.Base)<<-s.Shift
}

// String prints Sw<Bits,Base,Shift>; ParseSwizzle reads it back.
func (s Swizzle) String() string { return fmt.Sprintf("Sw<%d,%d,%d>", s.Bits, s.Base, s.Shift) }

// Size is how many offsets the swizzle permutes before it repeats, 2^(Bits+Base+|Shift|) (pycute's Swizzle.size). The bits
// above stay as they are.
//
//	Sw<3,4,3>.Size() = 1024
//
// A swizzle that Validate refuses is an error.
func (s Swizzle) Size() (int, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	return 1 << (s.Bits + s.Base + abs(s.Shift)), nil
}
