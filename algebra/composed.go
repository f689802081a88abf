package algebra

import (
	"fmt"
)

// Composed is a swizzled layout: coordinate -> Swizzle(Offset + Layout(coordinate)) (CuTe's ComposedLayout). The
// layout's strides must be plain; see Validate.
type Composed struct {
	Swizzle Swizzle
	Offset  int
	Layout  Layout
}

// Validate refuses a bad swizzle, basis strides, a negative offset before the swizzle, and offsets beyond 62 bits.
func (c Composed) Validate() error {
	if err := c.Swizzle.Validate(); err != nil {
		return err
	}
	if c.Layout.HasBasis() {
		return fmt.Errorf("%v: its layout's values are coordinates, allowed are plain strides", c)
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
	for _, m := range c.Layout.flat {
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

// Cosize is the largest offset over the domain, plus one: how many elements a buffer needs. It is exact: CuTe's is the
// cosize of the layout without the swizzle, and too small for Sw<2,0,3> o 0 o (3,5):(8,1), which reaches 22.
func (c Composed) Cosize() int {
	_, high := c.reach()
	// A swizzle keeps the bits above top, so the largest offset comes from the highest block that the layout reaches.
	floor := high >> c.Swizzle.top() << c.Swizzle.top()
	modes := make([]mode, 0, len(c.Layout.flat))
	start := c.Offset
	for _, m := range Filter(c.Layout).flat {
		if m.stride < 0 {
			start += (m.shape - 1) * m.stride
			m.stride = -m.stride
		}
		modes = append(modes, m)
	}
	seen := map[[2]int]bool{}
	best := 0
	var visit func(k, offset, left int)
	visit = func(k, offset, left int) {
		key := [2]int{k, offset}
		if offset+left < floor || seen[key] {
			return
		}
		seen[key] = true
		if k == len(modes) {
			best = max(best, c.Swizzle.Apply(offset))
			return
		}
		m := modes[k]
		left -= (m.shape - 1) * m.stride
		for i := m.shape - 1; i >= 0 && offset+i*m.stride+left >= floor; i-- {
			visit(k+1, offset+i*m.stride, left)
		}
	}
	visit(0, start, high-start)
	return best + 1
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

// String prints Sw<2,3,3> o 0 o (8,8):(8,1); ParseComposed reads it back.
func (c Composed) String() string { return fmt.Sprintf("%v o %d o %v", c.Swizzle, c.Offset, c.Layout) }
