package dynamic

import (
	"cmp"
	"fmt"
	"slices"

	"cutegen/algebra"
)

// Select lists the modes at the places (CuTe's select).
//
//	(M,N,K):(1,M,M*N) at 2, 0  ->  (K,M):(M*N,1)
func (l Layout) Select(places ...int) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return t.Select(places...) })
}

// Take lists the modes from begin up to, not including, end (CuTe's take).
func (l Layout) Take(begin, end int) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return t.Take(begin, end) })
}

// Group makes one mode of those from begin up to, not including, end (CuTe's group_modes).
//
//	(M,N,K):(1,M,M*N) from 0 to 2  ->  ((M,N),K):((1,M),M*N)
func (l Layout) Group(begin, end int) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return t.Group(begin, end) })
}

// Unflatten puts the leaves into the profile's nesting (CuTe's unflatten).
func (l Layout) Unflatten(profile algebra.Tuple) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return t.Unflatten(profile) })
}

// Append is l with one more mode at the end (CuTe's append).
func (l Layout) Append(m Layout) (Layout, error) { return Concat(append(l.Modes(), m)...) }

// Prepend is l with one more mode in front (CuTe's prepend).
func (l Layout) Prepend(m Layout) (Layout, error) {
	return Concat(append([]Layout{m}, l.Modes()...)...)
}

// Replace is l with m as its mode i (CuTe's replace). A mode that l does not have is an error.
func (l Layout) Replace(i int, m Layout) (Layout, error) {
	if i < 0 || i >= l.Rank() {
		return Layout{}, fmt.Errorf("replace mode %d of %v, allowed are 0 to %d", i, l, l.Rank()-1)
	}
	modes := l.Modes()
	modes[i] = m
	return Concat(modes...)
}

// LayoutLike is the compact layout of l's shape whose modes run in the order of l's strides (CuTe's make_layout_like). Modes of
// stride 0 stay so. Where two strides have one value, either order is that of the strides, and this is one of them. Where the order depends on the values, as that of 1 and lda does not but that of lda and ldb does, it is refused.
//
//	(M,8):(lda,1)  ->  (M,8):(8,1)
func LayoutLike(l Layout) (Layout, error) {
	refuse := func(err error) (Layout, error) { return Layout{}, fmt.Errorf("layout like %v: %w", l, err) }
	for i, m := range l.modes {
		if len(m.path) > 0 {
			return refuse(fmt.Errorf("its values are coordinates, allowed are plain strides; use Dot first"))
		}
		if _, _, err := m.signed(); err != nil {
			return refuse(err)
		}
		for _, o := range l.modes[:i] {
			if !m.stride.AtLeast(o.stride) && !o.stride.AtLeast(m.stride) {
				return refuse(undecided(asMultiple(m.stride, o.stride), "whether the stride %v or %v is the smaller one", o.stride, m.stride))
			}
		}
	}
	still, err := FilterZeros(l)
	if err != nil {
		return refuse(err)
	}
	order := numbers(len(l.modes))
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := l.modes[i].stride, l.modes[j].stride
		return cmp.Compare(atLeast(a, b), atLeast(b, a))
	})
	compact, err := still.Shape().compact(order)
	if err != nil {
		return refuse(err)
	}
	modes := slices.Clone(l.modes)
	for i := range modes {
		modes[i].stride = compact.modes[i].stride
	}
	return of(l.profile, modes)
}

func atLeast(a, b Int) int {
	if a.AtLeast(b) {
		return 1
	}
	return 0
}

// CoordOf is the coordinate of a position in a shape, which counts colexicographically (CuTe's idx2crd of a shape). It is split
// where it is known how: see Slice.
//
//	CoordOf((4,K), 4*k+3) = (3,k)
func CoordOf(shape Shape, position Int) (Coord, error) {
	id, err := Identity(shape)
	if err != nil {
		return Coord{}, err
	}
	c, err := id.Offset(Coord{Value: position})
	if err != nil {
		return Coord{}, fmt.Errorf("coordinate of position %v in %v: %w", position, shape, err)
	}
	return c, nil
}

// CeilDiv is the shape in tiles, rounded up, mode by mode (CuTe's ceil_div). Modes beyond the tile stay as they are.
//
//	(M,(4,K)) by (128,2)  refuses: 2 is no tuple of the rank of (4,K)
//	(M,K) by (128)        ->  (ceil(M/128),K)
func (s Shape) CeilDiv(tile Shape) (Shape, error) {
	profile, next := s.profile, 0
	quotients := slices.Clone(s.extents)
	var walk func(s, t algebra.Tuple) error
	walk = func(a, t algebra.Tuple) error {
		switch {
		case a.IsLeaf() && t.IsLeaf():
			quotients[a.Value()] = CeilDiv(quotients[a.Value()], tile.extents[next])
			next++
			return quotients[a.Value()].err
		case a.IsLeaf() || t.IsLeaf() || t.Rank() > a.Rank():
			return fmt.Errorf("%v divided by %v: allowed is an integer for each integer", s, tile)
		}
		for i := range t.Rank() {
			if err := walk(a.Mode(i), t.Mode(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(profile, tile.profile); err != nil {
		return Shape{}, err
	}
	return Shape{profile, quotients}, nil
}

// Profile is the shape's nesting: a tuple that has a number in each leaf's place.
func (s Shape) Profile() algebra.Tuple { return s.profile }
