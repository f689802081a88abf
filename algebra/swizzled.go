package algebra

import (
	"fmt"
	"math/bits"
	"slices"
)

// With is c over another layout, which is what CuTe's overloads for a ComposedLayout do: an operation that only
// rearranges coordinates goes to the layout, and the swizzle stays.
//
//	c.With(ZippedDivide(c.Layout, tiler))      zipped_divide(c, tiler)
//	c.With(TileToShape(c.Layout, shape))       tile_to_shape(c, shape)
//	c.With(c.Layout.Group(0, 2))               group<0,2>(c)
//
// The swizzle is a bijection of offsets: what is disjoint before it is so behind it. An error is passed on.
func (c Composed) With(l Layout, err error) (Composed, error) {
	if err != nil {
		return Composed{}, fmt.Errorf("%v: %w", c, err)
	}
	with := Composed{c.Swizzle, c.Offset, l}
	return with, with.Validate()
}

// MakeSwizzle is the swizzle that xors the bits y into the bits z, lowest to lowest (CuTe's make_swizzle).
//
//	MakeSwizzle(0b11000000, 0b00000110) = Sw<2,1,5>
//
// Both must be one run of bits, of one length, that do not overlap.
func MakeSwizzle(y, z int) (Swizzle, error) {
	refuse := func(why string) (Swizzle, error) {
		return Swizzle{}, fmt.Errorf("swizzle of the bits %#b into %#b: %s", y, z, why)
	}
	if y < 0 || z < 0 {
		return refuse("allowed are masks of at least 0")
	}
	if y == 0 && z == 0 {
		return Swizzle{}, nil
	}
	n := bits.OnesCount64(uint64(y))
	if n != bits.OnesCount64(uint64(z)) {
		return refuse(fmt.Sprintf("%d and %d bits, allowed are equally many", n, bits.OnesCount64(uint64(z))))
	}
	from, to := bits.TrailingZeros64(uint64(y)), bits.TrailingZeros64(uint64(z))
	if run := 1<<n - 1; y != run<<from || z != run<<to {
		return refuse("allowed is one run of bits in each")
	}
	s := Swizzle{Bits: n, Base: min(from, to), Shift: from - to}
	return s, s.Validate()
}

// Compose is the swizzle x -> s(t(x)) (CuTe's composition of two swizzles). Most pairs have none: an error names the
// first bit at which it fails.
//
//	Sw<2,4,3>.Compose(Sw<1,6,3>) = Sw<3,4,3>
func (s Swizzle) Compose(t Swizzle) (Swizzle, error) {
	// Swizzles are linear over bits, so the 62 single bits decide.
	y, z := 0, 0
	for i := range 62 {
		if moved := s.Apply(t.Apply(1<<i)) ^ 1<<i; moved != 0 {
			y |= 1 << i
			z |= moved
		}
	}
	both, err := MakeSwizzle(y, z)
	if err != nil {
		return Swizzle{}, fmt.Errorf("composition %v o %v: %w", s, t, err)
	}
	for i := range 62 {
		if got, want := both.Apply(1<<i), s.Apply(t.Apply(1<<i)); got != want {
			return Swizzle{}, fmt.Errorf("composition %v o %v is no swizzle: bit %d goes to %#b, with %v to %#b", s, t, i, want, both, got)
		}
	}
	return both, nil
}

// CompositionSwizzle is i -> l(s(i)) as a swizzled layout over l (CuTe's composition of a Layout and a Swizzle).
//
//	CompositionSwizzle((4,4):(4,1), Sw<1,0,2>) = Sw<1,0,-2> o 0 o (4,4):(4,1)
//
// Every position is looked at. If no swizzle of l's offsets does it, the error names the first position that contradicts;
// more than 2^18 positions are an error.
func CompositionSwizzle(l Layout, s Swizzle) (Composed, error) {
	return swizzledBehind(l, s, func(i int) int { return i }, l, []int{0})
}

// CompositionSwizzled is i -> l(c(i)) (CuTe's composition of a Layout and a ComposedLayout), by the rule of
// CompositionSwizzle. The offset of c must be 0.
//
//	CompositionSwizzled((8,8):(8,1), Sw<2,0,-3> o 0 o (8,8):(8,1)) = Sw<2,0,3> o 0 o (8,8):(1,8)
func CompositionSwizzled(l Layout, c Composed) (Composed, error) {
	if c.Offset != 0 {
		return Composed{}, fmt.Errorf("composition %v o %v: offset %d, allowed is 0", l, c, c.Offset)
	}
	result, err := Composition(l, c.Layout)
	if err != nil {
		return Composed{}, err
	}
	return swizzledBehind(l, c.Swizzle, brief(c.Layout).At, result, []int{0})
}

// brief is l as a function, outside its domain too, in few modes: a thousand modes of extent 1 would cost as much at every position.
func brief(l Layout) Layout { return ofModes(coalesceX(slices.Clone(l.leaves()))) }

// swizzledBehind is (i,j) -> plus[i] + l(s(at[j])) as a swizzle after result, which is (i,j) -> plus[i] + l(at[j]); plus[0] is 0.
func swizzledBehind(l Layout, s Swizzle, at func(j int) int, result Layout, plus []int) (Composed, error) {
	refuse := func(err error) (Composed, error) {
		return Composed{}, fmt.Errorf("composition %v o %v over %v: %w", l, s, result, err)
	}
	if l.HasBasis() || result.HasBasis() {
		return refuse(fmt.Errorf("values are coordinates, allowed are plain strides"))
	}
	if err := s.Validate(); err != nil {
		return refuse(err)
	}
	if result.Size() > lookLimit {
		return refuse(fmt.Errorf("size %d, allowed is at most %d", result.Size(), lookLimit))
	}
	// Where does l take the pairs of bits: all of them, as CuTe does, or those that some position uses.
	used, reached := 0, 0
	from := make([]int, result.Size()/len(plus)) // s(at[j])
	for j := range from {
		used |= at(j)
		from[j] = s.Apply(at(j))
		reached |= from[j]
	}
	if far := slices.Clone(l.leaves()); len(far) > 0 {
		far[len(far)-1].shape = reached + 1
		if _, ok := cosize(far); !ok {
			return refuse(fmt.Errorf("the value at position %d %w", reached, errOverflow))
		}
	}
	values, short := brief(l), brief(result)
	before, after := make([]int, len(from)), make([]int, len(from)) // without plus[i]
	for j := range from {
		before[j], after[j] = short.At(j*len(plus)), values.At(from[j])
	}
	var why error
	for _, active := range []int{-1, used} {
		y, z := 0, 0
		for j := range s.Bits {
			bit, into := 1<<(s.Base+max(s.Shift, 0)+j), 1<<(s.Base+max(-s.Shift, 0)+j)
			if active&bit != 0 {
				y |= values.At(bit)
				z |= values.At(into)
			}
		}
		behind, err := MakeSwizzle(y, z)
		if err != nil {
			why = err
			continue
		}
		c := Composed{Swizzle: behind, Layout: result}
		if why = c.Validate(); why != nil {
			continue
		}
		i, j, ok := c.Swizzle.differs(before, after, plus)
		if !ok {
			return c, nil
		}
		why = fmt.Errorf("no swizzle of its offsets does it: at %s the value is %d, not %d", result.position(i+j*len(plus)), plus[i]+after[j],
			behind.Apply(plus[i]+before[j]))
	}
	return refuse(why)
}

// differs is the first place at which s(plus[i]+before[j]) is not plus[i]+after[j].
func (s Swizzle) differs(before, after, plus []int) (i, j int, ok bool) {
	for j := range before {
		for i, p := range plus {
			if s.Apply(p+before[j]) != p+after[j] {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// LogicalProductSwizzled repeats l over a swizzled tiler (CuTe's logical_product of a Layout by a ComposedLayout): LogicalProduct, but
// that the copies stand where the swizzled tiler says, in units of the shifts that l leaves free.
//
//	LogicalProductSwizzled(4:1, Sw<1,0,2> o 0 o 8:1) = Sw<1,2,2> o 0 o (4,8):(1,4)    copy 4 is at 4*5
//
// Every position is looked at: up to 2^18, of which the error names the first at which a swizzle of the product's offsets is not the
// tiler's. The offset of the tiler must be 0. (CuTe looks for the swizzle's bits at the coordinate that has the number of an offset,
// which takes other bits where the tiler is not compact with mode 0 fastest.)
func LogicalProductSwizzled(l Layout, t Composed) (Composed, error) {
	refuse := func(err error) (Composed, error) {
		return Composed{}, fmt.Errorf("product of %v by %v: %w", l, t, err)
	}
	if t.Offset != 0 {
		return refuse(fmt.Errorf("offset %d, allowed is 0", t.Offset))
	}
	if err := t.Validate(); err != nil {
		return refuse(err)
	}
	if size, ok := mul(l.Size(), t.Size()); !ok || size > lookLimit {
		return refuse(fmt.Errorf("it has more than %d positions", lookLimit))
	}
	free, err := freeShifts(l, t.Coalesce().Cosize())
	if err != nil {
		return refuse(err)
	}
	copies, err := Composition(free, t.Layout)
	if err != nil {
		return refuse(err)
	}
	result, err := Concat(l, copies)
	if err != nil {
		return refuse(err)
	}
	block, plus := brief(l), make([]int, l.Size())
	for i := range plus {
		plus[i] = block.At(i)
	}
	product, err := swizzledBehind(free, t.Swizzle, brief(t.Layout).At, result, plus)
	if err != nil {
		return refuse(err)
	}
	return product, nil
}

// RightInverse is R with c(R(i)) = i for every i below R's size (CuTe's right_inverse of a swizzled layout): the right
// inverse of the layout after the swizzle, which is its own inverse.
//
//	Sw<1,0,2> o 0 o (4,4):(4,1)  ->  Sw<1,0,-2> o 0 o (4,4):(4,1)
//
// Every i is checked, so that a swizzle that reaches outside the layout's offsets is refused where it matters. With an offset
// the inverse goes as far as the offsets have no gap from 0 on, and is found by looking at up to 2^16
// positions:
//
//	Sw<1,0,2> o 7 o 8:-1  ->  Sw<1,0,2> o 6 o (2,4):(1,-2)
//	Sw<1,0,2> o 4 o 8:1 has none: no position has offset 0
func (c Composed) RightInverse() (Composed, error) {
	refuse := func(err error) (Composed, error) {
		return Composed{}, fmt.Errorf("right inverse of %v: %w", c, err)
	}
	if c.Offset != 0 {
		r, err := c.runInverse()
		if err != nil {
			return refuse(err)
		}
		return r, nil
	}
	inverse, err := RightInverse(c.Layout)
	if err != nil {
		return refuse(err)
	}
	r, err := CompositionSwizzle(inverse, c.Swizzle)
	if err != nil {
		return refuse(err)
	}
	for i := range r.Size() {
		if at := r.At(i); at >= c.Size() || c.At(at) != i {
			return refuse(fmt.Errorf("offset %d is not at position %d, where the layout alone has it swizzled", i, at))
		}
	}
	return r, nil
}

// LeftInverse is R with R(c(i)) = i for every i below c's size, or the first position with c(i) where modes of stride 0
// share it (CuTe's left_inverse of a swizzled layout). It is checked at every i.
//
//	Sw<1,0,1> o 0 o (4,4):(8,1)  ->  Sw<1,2,1> o 0 o (8,4):(4,1)
//
// An offset must act as an exclusive or: where its bits are the layout's, these turn around.
//
//	Sw<1,0,2> o 4 o 4:1  ->  Sw<1,0,2> o 1 o (2,2,2):(-1,2,0)
//	Sw<1,0,2> o 3 o 4:1 has none of this form: 3 and 1 carry
//
// Or else c must reach all offsets from 0 on, each once; then its right inverse is one.
func (c Composed) LeftInverse() (Composed, error) {
	r, err := c.leftInverse()
	if err == nil || c.Offset == 0 {
		return r, err
	}
	if r, err := c.runInverse(); err == nil && r.Size() == c.Size() {
		return r, nil
	}
	return Composed{}, err
}

func (c Composed) leftInverse() (Composed, error) {
	refuse := func(err error) (Composed, error) {
		return Composed{}, fmt.Errorf("left inverse of %v: %w", c, err)
	}
	if err := c.Validate(); err != nil {
		return refuse(err)
	}
	if size := c.Size(); size > lookLimit || c.Offset != 0 && size > maxWithOffset {
		return refuse(fmt.Errorf("offset %d and size %d, allowed is at most %d, or %d without an offset", c.Offset, size, maxWithOffset, lookLimit))
	}
	inverse, err := LeftInverse(c.Layout)
	if err != nil {
		return refuse(err)
	}
	r, err := CompositionSwizzle(inverse, c.Swizzle)
	if err != nil {
		return refuse(err)
	}
	if c.Offset != 0 {
		// If c's offsets are those of the swizzled layout, xor by, so are theirs.
		by := c.Swizzle.Apply(c.Offset)
		if r, err = r.flipped(by, c.Cosize()); err != nil {
			return refuse(fmt.Errorf("offset %d: %w", c.Offset, err))
		}
	}
	for i := range c.Size() {
		if at := r.At(c.At(i)); at != inverse.At(c.Layout.At(i)) {
			return refuse(fmt.Errorf("%s is taken for position %d", c.Layout.position(i), at))
		}
	}
	return r, nil
}

// DomainOffset is c from the coordinate on (CuTe's domain_offset): its offset moves, not the pointer, since the swizzle
// must see it.
func (c Composed) DomainOffset(coord Tuple) (Composed, error) {
	at, err := c.Layout.Index(coord)
	if err != nil {
		return Composed{}, err
	}
	moved := Composed{c.Swizzle, c.Offset + at, c.Layout}
	return moved, moved.Validate()
}

// Slice fixes the modes of c at which coord has an integer, and gives what is left and an offset for the pointer (CuTe's
// slice_and_offset): c at a coordinate is the slice there plus the offset. Where the swizzle is linear on what is left,
// the slice decays to a plain layout:
//
//	Sw<2,3,2> o 0 o (16,2,2):(1,16,32) at (9,0,_) = (2):(24) at offset 9
//	Sw<2,3,3> o 0 o (4,4,8):(1,4,16) at (0,_,6)   = ((2,2)):((4,-8)) at offset 104
//
// Where it is not, the bits of the offset that the swizzle neither reads nor writes move to the pointer:
//
//	Sw<3,3,3> o 0 o (2,128):(128,1) at (1,_)      = Sw<3,3,3> o 128 o (128):(1) at offset 0
//	Sw<3,3,3> o 0 o (64,2,4):(8,4,1) at (_,0,1)   = Sw<3,3,3> o 0 o (64):(8) at offset 1
//
// A coord of _ alone keeps c. Both are decided by looking at every coordinate that is left; up to 2^18 for the decay.
func (c Composed) Slice(coord Tuple) (Composed, int, error) {
	kept, fixed, err := Slice(c.Layout, coord)
	if err != nil {
		return Composed{}, 0, fmt.Errorf("%v: %w", c, err)
	}
	whole := true
	for _, leaf := range coord.Leaves() {
		whole = whole && leaf.IsUnderscore()
	}
	if whole {
		return Composed{c.Swizzle, c.Offset, kept}, 0, nil
	}
	sliced := Composed{c.Swizzle, c.Offset + fixed.value, kept}
	begin := c.Swizzle.Apply(sliced.Offset)
	if plain, ok := layoutOf(kept.Shape(), func(i int) int { return sliced.At(i) - begin }); ok {
		return Composed{Layout: plain}, begin, nil
	}
	field := 1<<c.Swizzle.Bits - 1
	touched := field<<c.Swizzle.Base | field<<(c.Swizzle.Base+abs(c.Swizzle.Shift))
	pointer := sliced.Offset &^ touched
	moved := Composed{c.Swizzle, sliced.Offset - pointer, kept}
	if low, _ := moved.reach(); low < 0 {
		return sliced, 0, nil
	}
	for i := range sliced.Size() {
		if sliced.At(i) != pointer+moved.At(i) {
			return sliced, 0, nil
		}
	}
	return moved, pointer, nil
}

// Upcast is the swizzle of words of n elements (CuTe's upcast): the word of s(x) is Upcast(n) of the word of x. The
// elements within a word may change places if n is above 2^Base.
//
//	Sw<3,4,3>.Upcast(4) = Sw<3,2,3>
//	Sw<3,1,3>.Upcast(4) = Sw<2,0,3>    bit 1 moves inside a word only
//
// n must be a power of two. A swizzle that reads bits inside a word and writes bits outside (Shift < 0) takes words apart: it
// is an error.
func (s Swizzle) Upcast(n int) (Swizzle, error) {
	if n < 1 || n&(n-1) != 0 {
		return Swizzle{}, fmt.Errorf("upcast of %v by %d: allowed are powers of two", s, n)
	}
	words := Swizzle{s.Bits, s.Base - bits.TrailingZeros(uint(n)), s.Shift}
	if words.Base >= 0 {
		return words, nil
	}
	if word := s.Base - words.Base; s.Shift < 0 && s.Bits > 0 && s.Base+s.Bits-s.Shift > word {
		return Swizzle{}, fmt.Errorf("upcast of %v by %d: it reads bit %d, inside a word, allowed are words of at most %d", s, n, s.Base, 1<<s.Base)
	}
	if s.Shift < 0 {
		return Swizzle{Shift: s.Shift}, nil // all of it inside a word
	}
	return Swizzle{max(s.Bits+words.Base, 0), 0, s.Shift}, nil
}

// Downcast is the swizzle of elements cut into n parts (CuTe's downcast): part j of s(x) is Downcast(n) of part j of x.
//
//	Sw<3,2,3>.Downcast(4) = Sw<3,4,3>
func (s Swizzle) Downcast(n int) (Swizzle, error) {
	if n < 1 || n&(n-1) != 0 {
		return Swizzle{}, fmt.Errorf("downcast of %v by %d: allowed are powers of two", s, n)
	}
	parts := Swizzle{s.Bits, s.Base + bits.TrailingZeros(uint(n)), s.Shift}
	return parts, parts.Validate()
}

// Upcast is c in words of n elements, by the rules of Upcast and Swizzle.Upcast (CuTe's upcast).
//
//	Sw<3,3,3> o 0 o (8,64):(64,1) by 4 = Sw<3,1,3> o 0 o (8,16):(16,1)
func (c Composed) Upcast(n int) (Composed, error) {
	s, err := c.Swizzle.Upcast(n)
	if err != nil {
		return Composed{}, err
	}
	l, err := upcast(c.Layout, n, c.Offset%n)
	if err != nil {
		return Composed{}, err
	}
	words := Composed{s, c.Offset / n, l}
	return words, words.Validate()
}

// Downcast is c with each element cut into n parts, by the rules of Downcast and Swizzle.Downcast (CuTe's downcast).
func (c Composed) Downcast(n int) (Composed, error) {
	s, err := c.Swizzle.Downcast(n)
	if err != nil {
		return Composed{}, err
	}
	l, err := Downcast(c.Layout, n)
	if err != nil {
		return Composed{}, err
	}
	offset, ok := mul(c.Offset, n)
	if !ok {
		return Composed{}, fmt.Errorf("downcast of %v by %d: offset %w", c, n, errOverflow)
	}
	parts := Composed{s, offset, l}
	return parts, parts.Validate()
}

// Recast is c, of elements of oldBits, as the same memory in elements of newBits (CuTe's recast_layout).
//
//	Sw<3,3,3> o 0 o (8,64):(64,1) from 16 to 32 bits = Sw<3,2,3> o 0 o (8,32):(32,1)
func (c Composed) Recast(oldBits, newBits int) (Composed, error) {
	if oldBits < 1 || newBits < 1 {
		return Composed{}, fmt.Errorf("recast of %v from %d to %d bits: allowed are at least 1", c, oldBits, newBits)
	}
	g := gcd(oldBits, newBits)
	if newBits > g {
		var err error
		if c, err = c.Upcast(newBits / g); err != nil {
			return Composed{}, err
		}
	}
	if oldBits > g {
		return c.Downcast(oldBits / g)
	}
	return c, nil
}

// MaxAlignment is the largest n such that c consists of whole aligned blocks of n elements that the swizzle moves as they
// are (CuTe's max_alignment).
func (c Composed) MaxAlignment() (int, error) {
	n, err := MaxAlignment(c.Layout)
	if err != nil {
		return 0, err
	}
	n = gcd(n, c.Offset)
	if c.Swizzle.Bits > 0 {
		n = gcd(n, 1<<c.Swizzle.Base)
	}
	return n, nil
}

// MaxCommonVector is how many elements a vector may have that is moved between c and d (CuTe's max_common_vector of
// swizzled layouts): MaxCommonVector of the layouts, and no more than 2^Base, up to which a swizzle keeps neighbours
// together. Two equal swizzles move the elements alike and do not count. Offsets must be multiples of 2^Base.
//
//	Sw<2,3,3> o 0 o (8,64):(64,1) and (8,64):(64,1): 8
func (c Composed) MaxCommonVector(d Composed) (int, error) {
	n, err := MaxCommonVector(c.Layout, d.Layout)
	if err != nil || c.Swizzle == d.Swizzle && c.Offset == d.Offset {
		return n, err
	}
	for _, side := range []Composed{c, d} {
		if side.Swizzle.Bits == 0 {
			continue
		}
		whole := 1 << side.Swizzle.Base
		if side.Offset%whole != 0 {
			return 0, fmt.Errorf("common vector of %v and %v: offset %d, allowed are multiples of %d", c, d, side.Offset, whole)
		}
		n = min(n, whole)
	}
	return n, nil
}
