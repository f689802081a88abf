package algebra

import (
	"fmt"
	"slices"
)

// Composed is a swizzled layout: coordinate -> Swizzle(Offset + Layout(coordinate)) (CuTe's ComposedLayout). The
// layout's strides must be plain; see Validate.
type Composed struct {
	Swizzle Swizzle
	Offset  int
	Layout  Layout
}

// maxSwizzled bounds the domain of a swizzled layout, so that every coordinate can be looked at.
const maxSwizzled = 1 << 24

// Validate refuses a bad swizzle, basis strides, more than 2^24 coordinates, and offsets before the swizzle that are
// negative or beyond 62 bits.
func (c Composed) Validate() error {
	if err := c.Swizzle.Validate(); err != nil {
		return err
	}
	if c.Layout.HasBasis() {
		return fmt.Errorf("%v: its layout's values are coordinates, allowed are plain strides", c)
	}
	if c.Size() > maxSwizzled {
		return fmt.Errorf("%v: size %d, allowed is at most %d", c, c.Size(), maxSwizzled)
	}
	low, high := c.reach()
	if low < 0 || high < 0 || high >= 1<<62 {
		return fmt.Errorf("%v: offsets before the swizzle from %d, allowed are 0 to 2^62-1", c, low)
	}
	return nil
}

// reach is the smallest and largest offset before the swizzle.
func (c Composed) reach() (low, high int) {
	low, high = c.Offset, c.Offset
	for _, m := range c.Layout.leaves() {
		if m.stride < 0 {
			low += (m.shape - 1) * m.stride
		} else {
			high += (m.shape - 1) * m.stride
		}
	}
	return low, high
}

// Size is the number of coordinates.
func (c Composed) Size() int { return c.Layout.Size() }

// At is the offset of domain position i.
func (c Composed) At(i int) int { return c.Swizzle.Apply(c.Offset + c.Layout.At(i)) }

// Index is the offset at a coordinate, in any of the forms that Layout.Index takes.
func (c Composed) Index(coord Tuple) (int, error) {
	offset, err := c.Layout.Index(coord)
	return c.Swizzle.Apply(c.Offset + offset), err
}

// Cosize is the largest offset over the domain, plus one: how many elements a buffer needs. It is exact: it looks at all
// coordinates that may have the largest. CuTe's is the cosize of the layout without the swizzle, which is too small for
// Sw<2,0,3> o 0 o (3,5):(8,1): that reaches 22.
func (c Composed) Cosize() int {
	low, _ := c.reach()
	var modes []plainMode // longest strides first; a negative one is walked from its other end
	for _, m := range c.Layout.leaves() {
		if m.shape > 1 && m.stride != 0 {
			modes = insert(modes, plainMode{m.shape, abs(m.stride)})
		}
	}
	// Modes of one stride reach what one longer mode does.
	n := 0
	for _, m := range modes {
		if n > 0 && modes[n-1].stride == m.stride {
			modes[n-1].shape += m.shape - 1
			continue
		}
		modes[n] = m
		n++
	}
	modes = modes[:n]
	slices.Reverse(modes)
	rest := make([]int, len(modes)+1) // how far the modes from k on reach
	for k := len(modes) - 1; k >= 0; k-- {
		rest[k] = rest[k+1] + (modes[k].shape-1)*modes[k].stride
	}
	// The swizzle changes no bit from end on, and no offset below its first bit that counts.
	end := c.Swizzle.Base + c.Swizzle.Bits + max(0, -c.Swizzle.Shift)
	first := 1 << (c.Swizzle.Base + max(0, c.Swizzle.Shift))
	bound := func(offset int) int {
		if offset < first || c.Swizzle.Bits == 0 {
			return offset
		}
		return offset | (1<<end - 1)
	}
	largest := 0
	var visit func(k, offset int)
	visit = func(k, offset int) {
		if k == len(modes) {
			largest = max(largest, c.Swizzle.Apply(offset))
			return
		}
		for i := modes[k].shape - 1; i >= 0; i-- {
			next := offset + i*modes[k].stride
			if bound(next+rest[k+1]) <= largest {
				return
			}
			visit(k+1, next)
		}
	}
	visit(0, low)
	return largest + 1
}

// Compose is c o b: the same swizzle and offset after Composition(c.Layout, b).
func (c Composed) Compose(b Layout) (Composed, error) {
	l, err := Composition(c.Layout, b)
	if err != nil {
		return Composed{}, err
	}
	result := Composed{c.Swizzle, c.Offset, l}
	return result, result.Validate()
}

// MaxCommonLayout lists the positions that MaxCommonVector counts (CuTe's max_common_layout of swizzled layouts): R such that c and d
// have R(0), R(1), ... one behind the other, or in the same order where both swizzles are one. If no layout lists them all, it is the
// longest that lists the first ones.
//
//	Sw<2,3,3> o 0 o (8,64):(64,1).MaxCommonLayout((8,64):(64,1)) = 8:8
func (c Composed) MaxCommonLayout(d Composed) (Layout, error) {
	n, err := c.MaxCommonVector(d)
	if err != nil {
		return Layout{}, err
	}
	common, err := MaxCommonLayout(c.Layout, d.Layout)
	if err != nil {
		return Layout{}, err
	}
	return firstPositions(common, n), nil
}

// String prints Sw<2,3,3> o 0 o (8,8):(8,1), or the layout alone where nothing is swizzled or offset. ParseComposed reads it back.
func (c Composed) String() string {
	if c.Swizzle.Bits == 0 && c.Offset == 0 {
		return c.Layout.String()
	}
	return fmt.Sprintf("%v o %d o %v", c.Swizzle, c.Offset, c.Layout)
}
