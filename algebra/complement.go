package algebra

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Complement lists the shifts under which l's image fills 0 to cotarget-1 (CuTe's complement).
//
//	l = (2,4):(1,6)      covers 0 1 . . . . 6 7 . . . . 12 13 . . . . 18 19 . . . .
//	Complement(l, 24) = 3:2, i.e. shift that pattern by 0, 2 and 4, and every hole is filled.
//
// Requires: l is injective up to stride-0 modes, with strides of at least 0, and its modes nest: sorted by stride, each
// begins at or after the end of the one before. Two coordinates that meet, modes that interleave, and shifts beyond 64
// bits are errors.
//
// Ensures: (1) the images of l under the shifts are disjoint; (2) the result is increasing; (3) it depends on l's image
// only; (4) every offset below cotarget is covered, unless some stride is no multiple of the end of the mode before it:
// (2,2):(1,5) leaves 4 and 9 uncovered, for no shifts fill them. The divides refuse such tilers.
func Complement(l Layout, cotarget int) (c Layout, err error) {
	err = c.complement(&l, cotarget)
	return c, err
}

// complement makes c, which is empty, the complement of l to cotarget. It stays empty if there is an error.
func (c *Layout) complement(l *Layout, cotarget int) error {
	if cotarget < 1 {
		return fmt.Errorf("complement of %v to %d: allowed are cotargets of at least 1", *l, cotarget)
	}
	var space [inPlace]plainMode
	sorted, err := nestedIn(space[:0], l)
	if err != nil {
		return fmt.Errorf("complement of %v: %w", *l, err)
	}
	end := c.pushShifts(sorted, cotarget)
	// The last shift of the whole is below cotarget, those into holes are together below end.
	if end > math.MaxInt-cotarget && !fits(c.leaves()) {
		*c = Layout{}
		return fmt.Errorf("complement of %v to %d: the last shift %w", *l, cotarget, errOverflow)
	}
	c.flat()
	return nil
}

// ComplementShape is the Complement to a shape (CuTe's complement with a tuple as cotarget). Copies of l's whole extent
// are counted mode by mode: as many as CeilDiv(cotarget, extent) has, which are more than Complement's where the extent
// does not divide the shape.
//
//	ComplementShape(64:1, (32,4,4)) = 8:64    512/64
//	ComplementShape(2:1, (5,3))     = 9:2     ceil(5/2) times 3;  Complement(2:1, 15) = 8:2
func ComplementShape(l Layout, cotarget Tuple) (Layout, error) {
	sorted, err := nested(l)
	if err != nil {
		return Layout{}, fmt.Errorf("complement of %v: %w", l, err)
	}
	var holes Layout
	end := holes.pushHoles(sorted)
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
	holes.push(mode{shape: n, stride: end})
	return Coalesce(ofModes(holes.leaves())), nil
}

// pushShifts pushes the modes of the complement of nested modes to cotarget: none if it is 1:0. It gives the modes' end.
func (l *Layout) pushShifts(sorted []plainMode, cotarget int) (end int) {
	if end = l.pushHoles(sorted); end < cotarget {
		l.push(mode{shape: ceil(cotarget, end), stride: end})
	}
	return end
}

// pushHoles pushes the shifts that fill the holes between the offsets of nested modes, and gives the end of the last one.
// No hole goes on where another ends: a mode lies between them.
func (l *Layout) pushHoles(sorted []plainMode) (end int) {
	end = 1
	for k := range sorted {
		m := &sorted[k]
		if m.stride > end {
			if n := int(uint(m.stride) / uint(end)); n > 1 {
				l.push(mode{shape: n, stride: end})
			}
		}
		end = m.stride * m.shape
	}
	return end
}

// plainMode is a mode whose stride is plain.
type plainMode struct{ shape, stride int }

// nested lists l's moving modes by stride and checks that each starts at or after the end of the one before.
func nested(l Layout) ([]plainMode, error) { return nestedIn(nil, &l) }

// nestedIn is nested in the space of sorted, which is empty.
func nestedIn(sorted []plainMode, l *Layout) ([]plainMode, error) {
	modes := l.leaves()
	run := mode{shape: 1}
	for k := range modes {
		m := &modes[k]
		switch {
		case m.path != 0:
			return nil, fmt.Errorf("its values are coordinates, allowed are plain strides; use Dot first")
		case m.shape == 1 || m.stride == 0:
		case continues(&run, m):
			run.shape *= m.shape
		default:
			if run.shape > 1 {
				sorted = insert(sorted, plainMode{run.shape, run.stride})
			}
			run = *m
		}
	}
	if run.shape > 1 {
		sorted = insert(sorted, plainMode{run.shape, run.stride})
	}
	end := 1
	for k := range sorted {
		m := &sorted[k]
		if m.stride < end {
			if m.stride < 0 {
				return nil, fmt.Errorf("stride %d is negative, allowed are strides of at least 0", m.stride)
			}
			if i, j, ok := meeting(*l); ok {
				return nil, fmt.Errorf("it is not injective: %s and %s meet at offset %d", l.position(i), l.position(j), l.At(i))
			}
			return nil, fmt.Errorf("modes %d:%d and %d:%d interleave: stride %d is below the end %d of the mode before",
				sorted[k-1].shape, sorted[k-1].stride, m.shape, m.stride, m.stride, end)
		}
		// The last step of a layout's mode fits: the one beyond it has wrapped if it is negative.
		if end = m.shape * m.stride; end < 0 {
			return nil, fmt.Errorf("mode %d:%d ends where it %w", m.shape, m.stride, errOverflow)
		}
	}
	return sorted, nil
}

// insert puts m behind the modes of strides up to its own.
func insert(sorted []plainMode, m plainMode) []plainMode {
	k := len(sorted)
	sorted = append(sorted, m)
	for ; k > 0 && m.stride < sorted[k-1].stride; k-- {
		sorted[k] = sorted[k-1]
	}
	sorted[k] = m
	return sorted
}

// firstGap is the first offset that l and its complement leave uncovered, and whether there is one.
func firstGap(sorted []plainMode) (int, bool) {
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
	modes := l.leaves()
	step := 1
	for k, m := range modes {
		below := 1
		for _, o := range modes[:k] {
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
	moving := slices.Clone(modes)
	size, ok := 1, true
	for k := range moving {
		if moving[k].stride == 0 {
			moving[k].shape = 1
		}
		if size, ok = mul(size, moving[k].shape); !ok || size > lookLimit {
			return 0, 0, false
		}
	}
	// A table at most half full, of the numbers of the coordinates so far by their offsets: a map takes ten times as long.
	width := bits.Len(uint(size)) + 1
	table := make([]int32, 1<<width)
	offsets := make([]int, size)
	coord := make([]int, len(moving))
	for i := range size {
		offset := 0
		for k := range moving {
			offset += coord[k] * moving[k].stride
		}
		offsets[i] = offset
		at := uint(offset) * 0x9e3779b97f4a7c15 >> (64 - width)
		for table[at] != 0 && offsets[table[at]-1] != offset {
			at = (at + 1) % uint(len(table))
		}
		if table[at] != 0 {
			first := appendDigits(nil, int(table[at]-1), moving)
			return positionOf(first, modes), positionOf(coord, modes), true
		}
		table[at] = int32(i + 1)
		advance(coord, moving)
	}
	return 0, 0, false
}

// positionOf is the position of a flat coordinate.
func positionOf(coord []int, modes []mode) int {
	position, step := 0, 1
	for k, m := range modes {
		position += coord[k] * step
		step *= m.shape
	}
	return position
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
