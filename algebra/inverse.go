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
	for _, m := range Coalesce(l).flat {
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
