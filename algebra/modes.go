package algebra

import (
	"fmt"
	"slices"
)

// The operations on the modes of a tuple, and of a layout, which are those of its shape and its stride.

// Unflatten gives the leaves of the flat tuple t the given profile (CuTe's unflatten): the converse of Flatten.
//
//	(1,2,3,4).Unflatten((0,(0,0),0)) = (1,(2,3),4)
func (t Tuple) Unflatten(profile Tuple) (Tuple, error) {
	leaves := t.Leaves()
	if t.Depth() > 1 || len(leaves) != len(profile.Leaves()) {
		return Tuple{}, fmt.Errorf("unflatten %v to %v: allowed are flat tuples with a leaf for each of the profile's %d",
			t, profile, len(profile.Leaves()))
	}
	return unflatten(leaves, profile), nil
}

// Select is the list of the elements at the given places, in that order (CuTe's select).
//
//	(4,5,6).Select(2, 0) = (6,4)
func (t Tuple) Select(places ...int) (Tuple, error) {
	elems := make([]Tuple, len(places))
	for i, p := range places {
		if p < 0 || p >= t.Rank() {
			return Tuple{}, fmt.Errorf("select %d of %v: allowed are 0 to %d", p, t, t.Rank()-1)
		}
		elems[i] = t.Mode(p)
	}
	return Tuple{elems: elems}, nil
}

// Take is the list of the elements from begin up to, not including, end (CuTe's take).
//
//	(4,5,6).Take(1, 3) = (5,6)
func (t Tuple) Take(begin, end int) (Tuple, error) {
	if begin < 0 || begin >= end || end > t.Rank() {
		return Tuple{}, fmt.Errorf("take %d to %d of %v: allowed are ranges in 0 to %d that are not empty", begin, end, t, t.Rank())
	}
	return MakeTuple(t.modes()[begin:end]...), nil
}

// Group makes one element of those from begin up to, not including, end (CuTe's group).
//
//	(4,5,6,7).Group(1, 3) = (4,(5,6),7)
func (t Tuple) Group(begin, end int) (Tuple, error) {
	part, err := t.Take(begin, end)
	if err != nil {
		return Tuple{}, fmt.Errorf("group: %w", err)
	}
	elems := t.modes()
	return Tuple{elems: slices.Concat(elems[:begin], []Tuple{part}, elems[end:])}, nil
}

// Append is t with one more element at the end (CuTe's append). A leaf counts as a list of one.
//
//	(4,5).Append((6,7)) = (4,5,(6,7))
func (t Tuple) Append(u Tuple) Tuple { return Tuple{elems: append(slices.Clone(t.modes()), u)} }

// Prepend is t with one more element in front (CuTe's prepend).
//
//	(4,5).Prepend((6,7)) = ((6,7),4,5)
func (t Tuple) Prepend(u Tuple) Tuple { return Tuple{elems: append([]Tuple{u}, t.modes()...)} }

// Replace is t with u in the place of element i (CuTe's replace).
//
//	(4,5,6).Replace(1, (2,2)) = (4,(2,2),6)
func (t Tuple) Replace(i int, u Tuple) (Tuple, error) {
	if i < 0 || i >= t.Rank() {
		return Tuple{}, fmt.Errorf("replace element %d of %v: allowed are 0 to %d", i, t, t.Rank()-1)
	}
	elems := slices.Clone(t.modes())
	elems[i] = u
	return Tuple{elems: elems}, nil
}

// both is the layout of what op makes of the shape and the stride.
func (l Layout) both(op func(Tuple) (Tuple, error)) (Layout, error) {
	shape, err := op(l.Shape())
	if err != nil {
		return Layout{}, fmt.Errorf("layout %v: %w", l, err)
	}
	stride, err := op(l.Stride())
	if err != nil {
		return Layout{}, fmt.Errorf("layout %v: %w", l, err)
	}
	return MakeLayout(shape, stride)
}

// Flatten is l as a layout of depth at most 1, the same function (CuTe's flatten).
//
//	((2,2),3):((1,6),2) -> (2,2,3):(1,6,2)
func (l Layout) Flatten() Layout {
	if l.profile.isLeaf() {
		return l
	}
	return newLayout(flatProfile(l.n), l.leaves())
}

// Unflatten gives the modes of the flat layout l the given profile, the same function (CuTe's unflatten).
//
//	(2,2,3):(1,6,2).Unflatten(((0,0),0)) = ((2,2),3):((1,6),2)
func (l Layout) Unflatten(profile Tuple) (Layout, error) {
	return l.both(func(t Tuple) (Tuple, error) { return t.Unflatten(profile) })
}

// Select is the layout of the modes at the given places, in that order (CuTe's select).
//
//	(4,5,6):(1,4,20).Select(2, 0) = (6,4):(20,1)
func (l Layout) Select(places ...int) (Layout, error) {
	return l.both(func(t Tuple) (Tuple, error) { return t.Select(places...) })
}

// Take is the layout of the modes from begin up to, not including, end (CuTe's take).
//
//	(4,5,6):(1,4,20).Take(1, 3) = (5,6):(4,20)
func (l Layout) Take(begin, end int) (Layout, error) {
	return l.both(func(t Tuple) (Tuple, error) { return t.Take(begin, end) })
}

// Group makes one mode of those from begin up to, not including, end, the same function (CuTe's group).
//
//	(4,5,6):(1,4,20).Group(1, 3) = (4,(5,6)):(1,(4,20))
func (l Layout) Group(begin, end int) (Layout, error) {
	return l.both(func(t Tuple) (Tuple, error) { return t.Group(begin, end) })
}

// Append is l with one more mode at the end (CuTe's append).
//
//	(4,5):(1,4).Append(6:20) = (4,5,6):(1,4,20)
func (l Layout) Append(m Layout) (Layout, error) { return Concat(append(l.Modes(), m)...) }

// Prepend is l with one more mode in front (CuTe's prepend).
//
//	(4,5):(1,4).Prepend(6:20) = (6,4,5):(20,1,4)
func (l Layout) Prepend(m Layout) (Layout, error) {
	return Concat(append([]Layout{m}, l.Modes()...)...)
}

// AppendTo appends modes 1:0 up to the rank, which does not change the function (CuTe's append<N>). A rank that l has
// already leaves l as it is.
//
//	5:1.AppendTo(3) = (5,1,1):(1,0,0)
func (l Layout) AppendTo(rank int) (Layout, error) {
	ones, err := onesTo(l, rank)
	if err != nil || ones == nil {
		return l, err
	}
	return Concat(append(l.Modes(), ones...)...)
}

// PrependTo puts modes 1:0 in front, up to the rank (CuTe's prepend<N>).
//
//	5:1.PrependTo(3) = (1,1,5):(0,0,1)
func (l Layout) PrependTo(rank int) (Layout, error) {
	ones, err := onesTo(l, rank)
	if err != nil || ones == nil {
		return l, err
	}
	return Concat(append(ones, l.Modes()...)...)
}

// onesTo lists the modes 1:0 that l lacks to the rank.
func onesTo(l Layout, rank int) ([]Layout, error) {
	if rank < l.Rank() || rank > maxBasis {
		return nil, fmt.Errorf("layout %v to rank %d: allowed are ranks from %d to %d", l, rank, l.Rank(), max(maxBasis, l.Rank()))
	}
	var ones []Layout
	for range rank - l.Rank() {
		ones = append(ones, ofModes([]mode{{shape: 1}}))
	}
	return ones, nil
}

// Replace is l with m in the place of mode i (CuTe's replace).
//
//	(4,5,6):(1,4,20).Replace(1, (2,2):(1,2)) = (4,(2,2),6):(1,(1,2),20)
func (l Layout) Replace(i int, m Layout) (Layout, error) {
	if i < 0 || i >= l.Rank() {
		return Layout{}, fmt.Errorf("replace mode %d of %v: allowed are 0 to %d", i, l, l.Rank()-1)
	}
	modes := l.Modes()
	modes[i] = m
	return Concat(modes...)
}
