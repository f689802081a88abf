package algebra

import (
	"fmt"
	"math/bits"
	"slices"
)

// runInverse is the right inverse of c by looking: the offsets 0, 1, ... up to the first that is missing, and for each the first
// position that has it, as a swizzle after a layout.
//
// The swizzle may be none, or take c's bits to where the layout's right inverse has them. Up to fewOffsets every one is tried.
func (c Composed) runInverse() (Composed, error) {
	if err := c.Validate(); err != nil {
		return Composed{}, err
	}
	size := c.Size()
	if size > maxWithOffset {
		return Composed{}, fmt.Errorf("offset %d and size %d, allowed is at most %d", c.Offset, size, maxWithOffset)
	}
	positions := make([]int, size) // plus 1
	brief := c.Coalesce()          // a thousand modes of extent 1 would cost as much at every position
	smallest := brief.At(0)
	for i := range size {
		at := brief.At(i)
		smallest = min(smallest, at)
		if at < size && positions[at] == 0 {
			positions[at] = i + 1
		}
	}
	n := 0
	for n < size && positions[n] != 0 {
		n++
	}
	if n == 0 {
		return Composed{}, fmt.Errorf("offset 0 is at no position, the smallest is %d", smallest)
	}
	tried, swizzles := "after a swizzle of the bits that "+c.Swizzle.String()+" reads and writes", c.swizzlesBehind(n)
	if n <= fewOffsets {
		tried, swizzles = "after a swizzle", append(swizzles, allSwizzles(2*bits.Len(uint(size)))...)
	}
	for _, s := range swizzles {
		begin := s.Apply(positions[0] - 1)
		if l, ok := layoutOf(Int(n), func(i int) int { return s.Apply(positions[i]-1) - begin }); ok {
			r := Composed{s, begin, Coalesce(l)}
			return r, r.Validate()
		}
	}
	return Composed{}, fmt.Errorf("the positions of the offsets 0 to %d are no layout, nor one %s", n-1, tried)
}

// maxWithOffset bounds the domain of a layout with an offset that is inverted.
const maxWithOffset = 1 << 16

// fewOffsets is how many positions may be tried with every swizzle in no time.
const fewOffsets = 16

// allSwizzles lists the swizzles of the first bits that move some.
func allSwizzles(width int) (all []Swizzle) {
	for n := 1; 2*n <= width; n++ {
		for base := range width - 2*n + 1 {
			for shift := n; base+n+shift <= width; shift++ {
				all = append(all, Swizzle{n, base, shift}, Swizzle{n, base, -shift})
			}
		}
	}
	return all
}

// swizzlesBehind lists the swizzles of positions that c's swizzle of offsets may become: none, its bits where the layout has them,
// and those of its bits that some of the first offsets has.
func (c Composed) swizzlesBehind(offsets int) []Swizzle {
	all := []Swizzle{{}}
	upright := make([]mode, c.Layout.n)
	for k, m := range c.Layout.leaves() {
		upright[k] = mode{shape: m.shape, stride: abs(m.stride)}
	}
	inverse, err := RightInverse(newLayout(flatProfile(len(upright)), upright))
	if err != nil {
		return all
	}
	for _, used := range []int{-1, offsets - 1} {
		y, z := 0, 0
		for j := range c.Swizzle.Bits {
			from, to := 1<<(c.Swizzle.Base+max(c.Swizzle.Shift, 0)+j), 1<<(c.Swizzle.Base+max(-c.Swizzle.Shift, 0)+j)
			if far := 1 << 40; max(from, to) < far && (from <= used || used < 0) { // no position has one beyond
				y |= inverse.At(from)
				z |= inverse.At(to)
			}
		}
		if s, err := MakeSwizzle(y, z); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// flipped is r with the bits of by turned around in what it takes: x -> r(x xor by), for x below n that has by's bits above r's size.
func (r Composed) flipped(by, n int) (Composed, error) {
	modes := Coalesce(r.Layout)
	var flipped []mode
	size, offset := 1, r.Offset
	if by%modes.Size() == 0 {
		flipped, size = slices.Clone(modes.leaves()), modes.Size()
	} else {
		last := modes.n - 1
		for k, m := range modes.leaves() {
			if k == last && m.shape&(m.shape-1) != 0 {
				m.shape = 1 << bits.Len(uint(m.shape)) // behind its extent it goes on
			}
			if m.shape&(m.shape-1) != 0 {
				return Composed{}, fmt.Errorf("the bits of %d lie in an extent of %d, allowed are powers of 2", by, m.shape)
			}
			for step := 1; step < m.shape; step *= 2 {
				stride := m.stride * step
				if by&size != 0 {
					stride, offset = -stride, offset+stride
				}
				flipped = append(flipped, mode{shape: 2, stride: stride})
				size *= 2
			}
		}
	}
	flipped = append(flipped, mode{shape: ceil(n, size)})
	l, err := checked(flatProfile(len(flipped)), flipped)
	if err != nil {
		return Composed{}, err
	}
	x := Composed{r.Swizzle, offset, Coalesce(l)}
	return x, x.Validate()
}

// Complement is the layout C of shifts below the swizzle under which c's layout fills the offsets 0 to cotarget-1 there (CuTe's
// complement of a ComposedLayout): the offsets of c.With(Concat(c.Layout, C)) are those of c's swizzle and offset after
// cotarget:1, each once, with the errors and postconditions of Complement.
//
//	Sw<1,0,2> o 0 o (2,4):(4,1).Complement(16) = 2:8
//
// Shifts of the swizzled offsets are something else: few swizzled layouts fill anything under them.
func (c Composed) Complement(cotarget int) (Layout, error) {
	if err := c.Validate(); err != nil {
		return Layout{}, err
	}
	l, err := Complement(c.Layout, cotarget)
	if err != nil {
		return Layout{}, fmt.Errorf("%v: %w", c, err)
	}
	return l, nil
}

// Coalesce is c with its layout coalesced (CuTe's coalesce of a ComposedLayout): the same function. Its text is not unique, for a
// swizzle of bits that no offset has does nothing.
//
//	Sw<1,0,2> o 4 o (2,(4,2)):(8,(1,4)).Coalesce() = Sw<1,0,2> o 4 o (2,8):(8,1)
func (c Composed) Coalesce() Composed { return Composed{c.Swizzle, c.Offset, Coalesce(c.Layout)} }
