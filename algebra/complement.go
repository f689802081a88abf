package algebra

import (
	"cmp"
	"fmt"
	"slices"
)

// Complement lists the shifts under which l's image fills 0 to cotarget-1 (CuTe's complement).
//
//	l = (2,4):(1,6)      covers 0 1 . . . . 6 7 . . . . 12 13 . . . . 18 19 . . . .
//	Complement(l, 24) = 3:2, i.e. shift that pattern by 0, 2 and 4, and every hole is filled.
//
// Requires: l is injective up to stride-0 modes, with strides of at least 0, and its modes nest: sorted by stride, each
// begins at or after the end of the one before. Two coordinates that meet, and modes that interleave, are errors.
//
// Ensures: (1) the images of l under the shifts are disjoint; (2) the result is increasing; (3) it depends on l's image
// only; (4) every offset below cotarget is covered, unless some stride is no multiple of the end of the mode before it:
// (2,2):(1,5) leaves 4 and 9 uncovered, for no shifts fill them. The divides refuse such tilers.
func Complement(l Layout, cotarget int) (Layout, error) {
	if cotarget < 1 {
		return Layout{}, fmt.Errorf("complement of %v to %d: allowed are cotargets of at least 1", l, cotarget)
	}
	holes, end, err := holesOf(l)
	if err != nil {
		return Layout{}, err
	}
	return Coalesce(ofModes(append(holes, mode{shape: ceil(cotarget, end), stride: end}))), nil
}

// ComplementShape is the Complement to a shape (CuTe's complement with a tuple as cotarget). Copies of l's whole extent
// are counted mode by mode: as many as CeilDiv(cotarget, extent) has, which are more than Complement's where the extent
// does not divide the shape.
//
//	ComplementShape(64:1, (32,4,4)) = 8:64    512/64
//	ComplementShape(2:1, (5,3))     = 9:2     ceil(5/2) times 3;  Complement(2:1, 15) = 8:2
func ComplementShape(l Layout, cotarget Tuple) (Layout, error) {
	holes, end, err := holesOf(l)
	if err != nil {
		return Layout{}, err
	}
	copies, err := CeilDiv(cotarget, Int(end))
	if err != nil {
		return Layout{}, fmt.Errorf("complement of %v to %v: %w", l, cotarget, err)
	}
	n, err := Product(copies)
	if err != nil {
		return Layout{}, fmt.Errorf("complement of %v to %v: %w", l, cotarget, err)
	}
	if _, ok := mul(n, end); !ok {
		return Layout{}, fmt.Errorf("complement of %v to %v: cosize %w", l, cotarget, errOverflow)
	}
	return Coalesce(ofModes(append(holes, mode{shape: n, stride: end}))), nil
}

// holesOf is the shifts that fill the holes between l's offsets, and the end of l's last mode.
func holesOf(l Layout) (holes []mode, end int, err error) {
	sorted, err := nested(l)
	if err != nil {
		return nil, 0, fmt.Errorf("complement of %v: %w", l, err)
	}
	end = 1
	for _, m := range sorted {
		holes = append(holes, mode{shape: m.stride / end, stride: end})
		end = m.stride * m.shape
	}
	return holes, end, nil
}

// nested lists l's moving modes by stride and checks that each starts at or after the end of the one before.
func nested(l Layout) ([]mode, error) {
	if l.HasBasis() {
		return nil, fmt.Errorf("its values are coordinates, allowed are plain strides; use Dot first")
	}
	var sorted []mode
	for _, m := range Filter(l).flat {
		if m.stride < 0 {
			return nil, fmt.Errorf("stride %d is negative, allowed are strides of at least 0", m.stride)
		}
		if m.stride > 0 {
			sorted = append(sorted, m)
		}
	}
	slices.SortStableFunc(sorted, func(a, b mode) int { return cmp.Compare(a.stride, b.stride) })
	end := 1
	for k, m := range sorted {
		if m.stride < end {
			if i, j, ok := meeting(l); ok {
				return nil, fmt.Errorf("it is not injective: %s and %s meet at offset %d", l.position(i), l.position(j), l.At(i))
			}
			return nil, fmt.Errorf("modes %d:%d and %d:%d interleave: stride %d is below the end %d of the mode before",
				sorted[k-1].shape, sorted[k-1].stride, m.shape, m.stride, m.stride, end)
		}
		var ok bool
		if end, ok = mul(m.shape, m.stride); !ok {
			return nil, fmt.Errorf("mode %d:%d ends where it %w", m.shape, m.stride, errOverflow)
		}
	}
	return sorted, nil
}

// firstGap is the first offset that l and its complement leave uncovered, and whether there is one.
func firstGap(sorted []mode) (int, bool) {
	end := 1
	for _, m := range sorted {
		if m.stride%end != 0 {
			return m.stride / end * end, true
		}
		end = m.stride * m.shape
	}
	return 0, false
}

// meeting finds two positions of l with equal offsets that differ in a moving mode: two modes that meet, or any two if
// the domain is small enough to look.
func meeting(l Layout) (int, int, bool) {
	step := 1
	for k, m := range l.flat {
		below := 1
		for _, o := range l.flat[:k] {
			if m.stride > 0 && o.stride > 0 {
				g := gcd(m.stride, o.stride)
				if i, j := m.stride/g, o.stride/g; i < o.shape && j < m.shape {
					return i * below, j * step, true
				}
			}
			below *= o.shape
		}
		step *= m.shape
	}
	extents := make([]Tuple, len(l.flat))
	for k, m := range l.flat {
		extents[k] = Int(m.shape)
		if m.stride == 0 {
			extents[k] = Int(1)
		}
	}
	moving := Tuple{elems: extents}
	size, err := Product(moving)
	if err != nil || size > lookLimit {
		return 0, 0, false
	}
	seen := make(map[int]int, size)
	for i := range size {
		position, step := 0, 1
		for k, c := range coordOf(i, moving).elems {
			position += c.value * step
			step *= l.flat[k].shape
		}
		offset := l.At(position)
		if first, ok := seen[offset]; ok {
			return first, position, true
		}
		seen[offset] = position
	}
	return 0, 0, false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
