package algebra

import (
	"cmp"
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
	largest := 0
	// search looks through the offsets from low to high that the modes reach, in halves of the first mode.
	var search func(modes []mode, low, high int)
	search = func(modes []mode, low, high int) {
		switch {
		case c.Swizzle.bound(low, high) <= largest:
		case low>>c.Swizzle.Base == high>>c.Swizzle.Base:
			// They differ only in bits that stay, and high is reached.
			largest = max(largest, c.Swizzle.Apply(high))
		case modes[0].shape == 1:
			search(modes[1:], low, high)
		default:
			m := modes[0]
			half := m.shape / 2
			split := func(extent int) []mode { return append([]mode{{shape: extent, stride: m.stride}}, modes[1:]...) }
			search(split(m.shape-half), low+half*m.stride, high)
			search(split(half), low, high-(m.shape-half)*m.stride)
		}
	}
	low, high := c.reach()
	search(progressions(c.Layout), low, high)
	return largest + 1
}

// progressions lists arithmetic progressions, largest step first, whose sums are the layout's offsets above the
// smallest.
func progressions(l Layout) []mode {
	var steps []mode
	for _, m := range l.flat {
		if m.shape > 1 && m.stride != 0 {
			steps = append(steps, mode{shape: m.shape, stride: abs(m.stride)})
		}
	}
	slices.SortFunc(steps, func(a, b mode) int { return cmp.Compare(a.stride, b.stride) })
	var merged []mode
	for _, m := range steps {
		if last := len(merged) - 1; last >= 0 {
			below := &merged[last]
			if times := m.stride / below.stride; m.stride%below.stride == 0 && times <= below.shape {
				below.shape += (m.shape - 1) * times
				continue
			}
		}
		merged = append(merged, m)
	}
	slices.Reverse(merged)
	return merged
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
