package algebra

import (
	"cmp"
	"fmt"
	"slices"
)

// RightInverse is the layout that finds domain positions by offset: l(RightInverse(l)(i)) = i for every i below the
// result's size (CuTe's right_inverse). It reaches as far as l's modes continue each other from offset 0 on.
//
//	(4,2):(2,1)  -> (2,4):(4,1)    offset 1 is at position 4, offset 2 at position 1
//	(4,2):(1,8)  -> 4:1            offset 4 is at no position
//
// A bijection onto 0 to n-1 gives an inverse of size n. Basis strides are an error.
func RightInverse(l Layout) (Layout, error) {
	if l.HasBasis() {
		return Layout{}, fmt.Errorf("right inverse of %v: its values are coordinates, allowed are plain strides; use Dot first", l)
	}
	type placed struct {
		mode
		step int // positions between neighbours of the mode
	}
	var modes []placed
	step := 1
	coalesced := Coalesce(l)
	for _, m := range coalesced.leaves() {
		modes = append(modes, placed{m, step})
		step *= m.shape
	}
	slices.SortStableFunc(modes, func(a, b placed) int { return cmp.Compare(a.stride, b.stride) })
	inverse := []mode{{shape: 1}}
	next := 1
	for _, m := range modes {
		if m.stride == next && m.shape > 1 {
			inverse = append(inverse, mode{shape: m.shape, stride: m.step})
			next *= m.shape
		}
	}
	return Coalesce(ofModes(inverse)), nil
}

// LeftInverse is the layout that finds the domain position of an offset: LeftInverse(l)(l(i)) = i for every i below l's
// size (CuTe's left_inverse). Where l has modes of stride 0 several positions share an offset, and it finds the first of
// them: l(LeftInverse(l)(l(i))) = l(i).
//
//	(4,2):(1,8)  -> (8,2):(1,4)    offset 8 is at position 4
//	4:2          -> (2,4):(0,1)    offset 2 is at position 1; so is offset 3, which l does not reach
//
// It covers offsets in gaps too, with some position or other. Two coordinates that meet are an error, and so are negative
// strides, basis strides, and a stride that does not divide the next larger one: (2,2):(2,3) has no inverse of this form.
func LeftInverse(l Layout) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("left inverse of %v: %w", l, err)
	}
	sorted, err := nested(l)
	if err != nil {
		return refuse(err)
	}
	if len(sorted) == 0 {
		return Coalesce(l), nil
	}
	// The modes again with their positions, which nested does not know.
	type placed struct {
		mode
		step int
	}
	var modes []placed
	step := 1
	coalesced := Coalesce(l)
	for _, m := range coalesced.leaves() {
		if m.stride != 0 {
			modes = append(modes, placed{m, step})
		}
		step *= m.shape
	}
	slices.SortStableFunc(modes, func(a, b placed) int { return cmp.Compare(a.stride, b.stride) })
	var inverse []mode
	below, at := 1, 0 // offsets below the mode, and their step
	for _, m := range modes {
		if m.stride%below != 0 {
			return refuse(fmt.Errorf("stride %d is no multiple of stride %d", m.stride, below))
		}
		inverse = append(inverse, mode{shape: m.stride / below, stride: at})
		below, at = m.stride, m.step
	}
	return Coalesce(ofModes(append(inverse, mode{shape: modes[len(modes)-1].shape, stride: at}))), nil
}

// Nullspace lists the positions of l at value 0 (CuTe's nullspace): l(Nullspace(l)(i)) = 0, and no others are. These are
// the modes of stride 0, so an offset of l is reached from as many positions as the result has.
//
//	(2,2,3):(1,0,2) -> 2:2            positions 0 and 2
//	(7,5,16):(0,0,0) -> (7,5,16):(1,7,35)
//
// With strides of both signs other positions may come back to 0, such as (1,1) of (2,2):(1,-1). They are an error.
func Nullspace(l Layout) (Layout, error) {
	var still []mode
	step := 1
	for _, m := range l.leaves() {
		if m.stride == 0 {
			stride := step
			if m.shape == 1 {
				stride = 0
			}
			still = append(still, mode{shape: m.shape, stride: stride})
		}
		step *= m.shape
	}
	if len(still) == 0 {
		still = []mode{{shape: 1}}
	}
	null := ofModes(still)
	if sameSign(l.leaves()) {
		return null, nil
	}
	if l.Size() > lookLimit {
		return Layout{}, fmt.Errorf("nullspace of %v: strides of both signs, allowed are at most %d coordinates", l, lookLimit)
	}
	known := make([]bool, l.Size())
	for i := range null.Size() {
		known[null.At(i)] = true
	}
	values := newValues(l.leaves())
	value := make([]int, len(values.paths))
	for i, known := range known {
		if !known && values.at(i, value) && !slices.ContainsFunc(value, func(n int) bool { return n != 0 }) {
			return Layout{}, fmt.Errorf("nullspace of %v: its modes cancel at %s", l, l.position(i))
		}
	}
	return null, nil
}

// CoordOf is the coordinate of l at an offset (CuTe's idx2crd with strides, and get_hier_coord). A mode of stride 0 has
// no part in the offset: its coordinate is 0. An offset that no coordinate has is an error.
//
//	CoordOf((4,(2,3)):(6,(1,2)), 17) = (2,(1,2))
//
// It divides by each stride, which finds the coordinate where the strides nest; where they do not, it looks for the
// first one.
func CoordOf(l Layout, offset int) (Tuple, error) {
	if l.HasBasis() {
		return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: its values are coordinates, allowed are plain strides", offset, l)
	}
	coord := make([]Tuple, len(l.leaves()))
	sum := 0
	for k, m := range l.leaves() {
		digit := 0
		if m.stride != 0 && m.shape > 1 {
			digit = offset / m.stride % m.shape
		}
		if digit < 0 {
			digit = 0
		}
		coord[k] = Int(digit)
		sum += digit * m.stride
	}
	if sum == offset {
		return unflatten(coord, l.Shape()), nil
	}
	if l.Size() > lookLimit {
		return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: its strides do not nest, and it has more than %d coordinates",
			offset, l, lookLimit)
	}
	for i := range l.Size() {
		if l.At(i) == offset {
			return l.Coord(i), nil
		}
	}
	return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: no coordinate has it", offset, l)
}
