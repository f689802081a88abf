package algebra

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxCommonVector is how many elements, from offset 0 on, lie in one order in a and in b (CuTe's max_common_vector): for
// each i below it one position of both domains has offset i in a and in b. That many elements can be copied as one vector.
// Where no two positions share an offset it is the largest such number. Where some do it is CuTe's, which takes whole
// modes, as RightInverse does: 3 for (3,2):(1,2) with itself, though offsets 0 to 4 are all there.
//
//	MaxCommonVector((4,8):(1,4), (4,8):(1,8)) = 4
//	MaxCommonVector((4,8):(1,4), (4,8):(8,1)) = 1
func MaxCommonVector(a, b Layout) (int, error) {
	_, n, err := commonVector(a, b)
	return n, err
}

// MaxCommonLayout lists the positions that MaxCommonVector counts (CuTe's max_common_layout): R with a(R(i)) = b(R(i)) =
// i. If no layout lists them all, it is the longest that lists the first ones.
//
//	MaxCommonLayout((8,4):(4,1), (8,4):(4,1)) = (4,8):(8,1)
func MaxCommonLayout(a, b Layout) (Layout, error) {
	inverse, n, err := commonVector(a, b)
	if err != nil {
		return Layout{}, err
	}
	return firstPositions(inverse, n), nil
}

// firstPositions is l at its first n positions, or at as many of them as are a layout: n is a multiple of all its extents but the
// last one used.
func firstPositions(l Layout, n int) Layout {
	var first []mode
	for _, m := range l.leaves() {
		if n < m.shape {
			first = append(first, mode{shape: n, stride: m.stride})
			break
		}
		first = append(first, m)
		n /= m.shape
	}
	return Coalesce(ofModes(first))
}

// commonVector is b's right inverse and the number of positions that it begins with at which a has their offsets too.
func commonVector(a, b Layout) (Layout, int, error) {
	refuse := func(err error) (Layout, int, error) {
		return Layout{}, 0, fmt.Errorf("common vector of %v and %v: %w", a, b, err)
	}
	if a.HasBasis() {
		return refuse(fmt.Errorf("the values of %v are coordinates, allowed are plain strides", a))
	}
	inverse, err := RightInverse(b)
	if err != nil {
		return refuse(err)
	}
	if inverse.Cosize() <= a.Size() {
		if common, err := Composition(a, inverse); err == nil {
			common = Coalesce(common)
			if first := common.leaves()[0]; first.stride == 1 {
				return inverse, first.shape, nil
			}
			return inverse, 1, nil
		}
	}
	for i := range min(inverse.Size(), a.Size()) {
		if i == lookLimit {
			return refuse(fmt.Errorf("it is longer than %d", lookLimit))
		}
		if at := inverse.At(i); at >= a.Size() || a.At(at) != i {
			return inverse, max(i, 1), nil
		}
	}
	return inverse, min(inverse.Size(), a.Size()), nil
}

// MaxAlignment is the largest n such that l consists of whole aligned blocks of n elements (CuTe's max_alignment): it
// divides the contiguous part at offset 0 and every stride beside it.
//
//	MaxAlignment((8,4):(1,12))  = 4     8 in a row, but 12 apart
//	MaxAlignment((4,8):(8,1))   = 32
//	MaxAlignment(4:2)           = 1
//
// Basis strides are an error.
func MaxAlignment(l Layout) (int, error) {
	if l.HasBasis() {
		return 0, fmt.Errorf("alignment of %v: its values are coordinates, allowed are plain strides", l)
	}
	coalesced := Coalesce(l)
	modes := slices.Clone(coalesced.leaves())
	slices.SortStableFunc(modes, func(a, b mode) int { return cmp.Compare(a.stride, b.stride) })
	row, rest := 1, 0
	for _, m := range modes {
		switch {
		case m.shape > 1 && m.stride == row:
			row *= m.shape
		case m.shape > 1:
			rest = gcd(rest, abs(m.stride))
		}
	}
	return gcd(row, rest), nil
}
