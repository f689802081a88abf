package algebra

import (
	"cmp"
	"fmt"
	"slices"
)

// Counterexample is why a claim about a layout does not hold.
//
//	coordinates (2,0) and (0,1) are both at 2       two coordinates that meet
//	coordinate 7 is at 7, outside the codomain      one
//	no coordinate is at 4                           none
type Counterexample struct {
	Coords []Tuple // of the layout
	Value  Tuple   // what they have, or what no coordinate has
}

// String is the sentence.
func (c *Counterexample) String() string {
	switch len(c.Coords) {
	case 0:
		return fmt.Sprintf("no coordinate is at %v", c.Value)
	case 1:
		return fmt.Sprintf("coordinate %v is at %v, outside the codomain", c.Coords[0], c.Value)
	}
	return fmt.Sprintf("coordinates %v and %v are both at %v", c.Coords[0], c.Coords[1], c.Value)
}

// Coshape is the shape of the box that l's values span (CuTe's coshape): the cosize as an integer, or for basis strides a
// shape of coordinates. With strides of at least 0 its coordinates are 0 to the largest value in each component.
//
//	Coshape((4,2):(1,5)) = 9
//	Coshape((4,(2,3)):(2@1,(1@0,8@1))) = (2,23)
func Coshape(l Layout) Tuple {
	last := Int(0)
	for _, m := range l.leaves() {
		last = addAt(last, m.path, (m.shape-1)*abs(m.stride))
	}
	return last.mapLeaves(func(n Tuple) Tuple { return Int(n.value + 1) })
}

// Injective asks whether no two coordinates of l have one value: a write through l is no race. The answer is nil if it is
// so, and two coordinates that meet if not.
//
//	Injective((4,2):(2,1)) holds
//	Injective((4,2):(1,2)) fails: coordinates (2,0) and (0,1) are both at 2
//	Injective((8,7):(1,0)) fails: coordinates (0,0) and (0,1) are both at 0
//	Injective(((2,4),4):((4@1,1@0),1@1)) holds
//
// It is decided for each size, but for layouts of more than 2^18 coordinates and at least three modes whose strides interleave in such
// a way that the search for two coordinates becomes too long: an error.
func Injective(l Layout) (*Counterexample, error) {
	for k, m := range l.leaves() {
		if m.shape > 1 && m.stride == 0 {
			return l.meet(k, 1), nil
		}
	}
	var undecided error
	for _, s := range spacesOf(l) {
		apart, decided := s.vanishing()
		if !decided {
			apart, decided = s.meeting()
		}
		if !decided {
			undecided = fmt.Errorf("injective %v: undecided, for its strides interleave, and it has more than %d coordinates", l, lookLimit)
		}
		if apart != nil {
			var at []int
			for i, d := range apart {
				at = append(at, s.modes[i].leaf, d)
			}
			return l.meet(at...), nil
		}
	}
	return nil, undecided
}

// meet is the two coordinates of l whose digits differ by d at each leaf, in pairs of a leaf and its d, 0 elsewhere.
func (l Layout) meet(apart ...int) *Counterexample {
	digits := [2][]int{make([]int, l.n), make([]int, l.n)}
	for i := 0; i < len(apart); i += 2 {
		leaf, d := apart[i], apart[i+1]
		digits[0][leaf], digits[1][leaf] = max(d, 0), max(-d, 0)
	}
	// The position of the first is the smaller one: their last digits that differ decide.
	for k := l.n - 1; k >= 0; k-- {
		if order := cmp.Compare(digits[0][k], digits[1][k]); order != 0 {
			if order > 0 {
				digits[0], digits[1] = digits[1], digits[0]
			}
			break
		}
	}
	return &Counterexample{Coords: []Tuple{l.coordAt(digits[0]), l.coordAt(digits[1])}, Value: l.valueAt(digits[0])}
}

// coordAt is the coordinate with the digits at the leaves.
func (l Layout) coordAt(digits []int) Tuple {
	leaves := make([]Tuple, len(digits))
	for k, d := range digits {
		leaves[k] = Int(d)
	}
	return l.profile.tuple(leaves)
}

// space is the moving modes of a layout along one basis element.
type space struct {
	path  path
	modes []placedMode // by the absolute value of their strides, the largest first
}

// placedMode is a mode and its leaf.
type placedMode struct {
	mode
	leaf int
}

func (m placedMode) step() int { return abs(m.stride) }

func spacesOf(l Layout) []space {
	var spaces []space
	for leaf, m := range l.leaves() {
		if m.shape == 1 || m.stride == 0 {
			continue
		}
		k := slices.IndexFunc(spaces, func(s space) bool { return s.path == m.path })
		if k < 0 {
			k = len(spaces)
			spaces = append(spaces, space{path: m.path})
		}
		spaces[k].modes = append(spaces[k].modes, placedMode{m, leaf})
	}
	for _, s := range spaces {
		slices.SortStableFunc(s.modes, func(a, b placedMode) int { return cmp.Compare(b.step(), a.step()) })
	}
	return spaces
}

// meetLimit bounds the differences that vanishing tries.
const meetLimit = 1 << 16

// vanishing finds differences of digits, not all 0, that do not move the value: two coordinates meet exactly if they differ so.
// nil means that there are none, if it is decided.
//
// The modes are taken from the largest stride on. What they add up to must be in reach of the modes that are left, and a
// multiple of these modes' common divisor, so that nested modes leave one way to go on.
func (s space) vanishing() (apart []int, decided bool) {
	n := len(s.modes)
	reach, divisor := make([]int, n+1), make([]int, n+1)
	for k := n - 1; k >= 0; k-- {
		m := s.modes[k]
		reach[k] = reach[k+1] + (m.shape-1)*m.step()
		divisor[k] = gcd(m.step(), divisor[k+1])
	}
	apart = make([]int, n)
	tries := 0
	var try func(k, sum int, moved bool) (found, decided bool)
	try = func(k, sum int, moved bool) (bool, bool) {
		if k == n {
			return moved, true // the last step made the sum 0: nothing else was in reach
		}
		step, most := s.modes[k].step(), s.modes[k].shape-1
		first, last := max(-most, -((reach[k+1]+sum)/step)), min(most, (reach[k+1]-sum)/step)
		every := 1
		if !moved { // of two differences that are opposite one is enough
			first = 0
			if d := divisor[k+1]; d != 0 {
				every = d / gcd(d, step)
			}
		}
		for d := first; d <= last; d += every {
			if tries++; tries > meetLimit {
				return false, false
			}
			rest := sum + d*step
			if divisor[k+1] != 0 && rest%divisor[k+1] != 0 {
				continue
			}
			apart[k] = d
			if s.modes[k].stride < 0 {
				apart[k] = -d
			}
			if found, decided := try(k+1, rest, moved || d != 0); found || !decided {
				return found, decided
			}
		}
		return false, true
	}
	found, decided := try(0, 0, false)
	if !found {
		return nil, decided
	}
	return apart, true
}

// meeting is vanishing by looking at the first lookLimit coordinates, of the smallest strides.
func (s space) meeting() (apart []int, decided bool) {
	modes, left := make([]mode, len(s.modes)), lookLimit
	decided = true
	for k, m := range slices.Backward(s.modes) {
		n := min(m.shape, left)
		modes[k], left, decided = mode{shape: n, stride: m.stride}, left/n, decided && n == m.shape
	}
	l := newLayout(flatProfile(len(modes)), modes)
	i, j, ok := meeting(l)
	if !ok {
		return nil, decided
	}
	apart = appendDigits(nil, i, modes)
	for k, digit := range appendDigits(nil, j, modes) {
		apart[k] -= digit
	}
	return apart, true
}

// Surjective asks whether each element of the codomain is l's value somewhere: the integers 0 to n-1 of the codomain n, or for
// basis strides the coordinates of a shape. The answer is nil if it is so, and the first value that is missing if not. Values outside
// the codomain do not matter; Coshape is the codomain that has none of them where the strides are at least 0.
//
//	Surjective((3,4):(1,2), 9) holds
//	Surjective((4,2):(1,5), 9) fails: no coordinate is at 4
//	Surjective(((2,4),4):((4@1,1@0),1@1), (4,8)) holds
//	Surjective(((2,4),4):((4@1,1@0),1@1), (5,8)) fails: no coordinate is at (4,0)
//
// It is decided for each size, but for layouts of more than 2^18 coordinates with negative strides and gaps: an error. Another
// error is a codomain whose elements are no values of l, such as (4,8) for plain strides.
func Surjective(l Layout, codomain Tuple) (*Counterexample, error) {
	refuse := func(err error) (*Counterexample, error) {
		return nil, fmt.Errorf("surjective %v onto %v: %w", l, codomain, err)
	}
	if err := checkShape(codomain); err != nil {
		return refuse(err)
	}
	missing := make([]int, len(codomain.Leaves()))
	spaces := spacesOf(l)
	paths := pathsOf(codomain)
	for _, s := range spaces {
		if !slices.Contains(paths, s.path) {
			return refuse(fmt.Errorf("its values step along %v, allowed are elements of the codomain", mode{stride: 1, path: s.path}.strideLeaf()))
		}
	}
	for leaf, n := range codomain.Leaves() {
		gap, found := 1, n.value > 1 // without a mode that moves there is 0 alone
		if k := slices.IndexFunc(spaces, func(s space) bool { return s.path == paths[leaf] }); k >= 0 {
			var ok bool
			if gap, found, ok = spaces[k].gap(n.value); !ok {
				return refuse(fmt.Errorf("undecided, for its strides have both signs and gaps, and it has more than %d coordinates", lookLimit))
			}
		}
		if found {
			missing[leaf] = gap
			return &Counterexample{Value: unflatten(Ints(missing...).elems, codomain)}, nil
		}
	}
	return nil, nil
}

// pathsOf lists the paths to the leaves of a shape.
func pathsOf(shape Tuple) []path {
	var paths []path
	for _, e := range basisLike(shape, nil).Leaves() {
		if len(e.path) > maxPath || slices.ContainsFunc(e.path, func(p int) bool { return p >= maxBasis }) {
			paths = append(paths, ^path(0)) // no layout has a stride there
			continue
		}
		paths = append(paths, pathOf(e.path))
	}
	return paths
}

// full is the end of the first values that have no gap, counted from the smallest, and whole that of all values.
func (s space) full() (full, whole int) {
	// A mode that steps no further than the values reach leaves no gap. The first that does leaves one.
	for _, m := range slices.Backward(s.modes) {
		if full == whole && m.step() <= full+1 {
			full += (m.shape - 1) * m.step()
		}
		whole += (m.shape - 1) * m.step()
	}
	return full, whole
}

// gap is the first value below n that the space lacks, and whether it lacks one. ok is false if that is undecided.
func (s space) gap(n int) (gap int, found, ok bool) {
	// Turned around, all strides are positive, and the values begin low below 0.
	low := 0
	for _, m := range s.modes {
		low += (m.shape - 1) * min(m.stride, 0)
	}
	full, whole := s.full()
	switch {
	case full == whole || low == 0:
		return low + full + 1, n-1 > low+full, true
	case -low >= whole-full: // read from their end the values are the same, so that the last ones have no gap
		return low + whole + 1, n-1 > low+whole, true
	case n-1 <= low+full:
		return 0, false, true
	}
	modes := make([]mode, len(s.modes))
	for k, m := range s.modes {
		modes[k] = mode{shape: m.shape, stride: m.stride}
	}
	l := newLayout(flatProfile(len(modes)), modes)
	size := l.Size()
	if size > lookLimit {
		return 0, false, false
	}
	has := make([]bool, min(n, size)) // some value is negative: of the first size integers one is missing
	for i := range size {
		if at := l.At(i); at >= 0 && at < len(has) {
			has[at] = true
		}
	}
	gap = slices.Index(has, false)
	return gap, gap >= 0, true
}

// Bijective asks whether each element of the codomain is l's value exactly once, and nothing else is: l numbers the codomain. A
// counter-example is of Injective, or else of Surjective, or else a coordinate whose value is outside the codomain.
//
//	Bijective((4,2):(2,1), 8) holds
//	Bijective((4,2):(1,5), 9) fails: no coordinate is at 4
//	Bijective(8:1, 4) fails: coordinate 7 is at 7, outside the codomain
//	Bijective(((2,4),4):((4@1,1@0),1@1), (4,8)) holds
//
// Errors are those of the two.
func Bijective(l Layout, codomain Tuple) (*Counterexample, error) {
	if counter, err := Injective(l); counter != nil || err != nil {
		return counter, err
	}
	if counter, err := Surjective(l, codomain); counter != nil || err != nil {
		return counter, err
	}
	// Now the size is at least the codomain's. If it is more, a component of some value is outside.
	paths := pathsOf(codomain)
	for _, s := range spacesOf(l) {
		n := codomain.Leaves()[slices.Index(paths, s.path)].value
		for _, sign := range []int{1, -1} {
			digits, at := make([]int, l.n), 0
			for _, m := range s.modes {
				if m.stride*sign > 0 {
					digits[m.leaf] = m.shape - 1
					at += (m.shape - 1) * m.stride
				}
			}
			if at < 0 || at >= n {
				return &Counterexample{Coords: []Tuple{l.coordAt(digits)}, Value: l.valueAt(digits)}, nil
			}
		}
	}
	return nil, nil
}

// Injective is Injective of a swizzled layout: a swizzle is a bijection, so the layout below decides.
//
//	Sw<1,0,2> o 0 o (4,4):(4,1).Injective() holds
//	Sw<1,0,2> o 0 o (4,4):(1,2).Injective() fails: coordinates (2,0) and (0,1) are both at 2
func (c Composed) Injective() (*Counterexample, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	counter, err := Injective(c.Layout)
	if counter != nil {
		counter.Value = Int(c.Swizzle.Apply(c.Offset + counter.Value.value))
	}
	return counter, err
}

// Surjective is Surjective of a swizzled layout, onto 0 to n-1.
//
//	Sw<1,0,2> o 0 o (4,4):(4,1).Surjective(16) holds
//	Sw<1,0,2> o 0 o (3,4):(4,1).Surjective(12) holds
//	Sw<1,0,2> o 0 o 5:1.Surjective(5) fails: no coordinate is at 4
//
// Up to 2^18 coordinates are looked at. More are decided if the offsets below the swizzle have no gap: an error otherwise.
func (c Composed) Surjective(n int) (*Counterexample, error) {
	refuse := func(err error) (*Counterexample, error) {
		return nil, fmt.Errorf("surjective %v onto %d: %w", c, n, err)
	}
	if err := c.Validate(); err != nil {
		return refuse(err)
	}
	if n < 1 {
		return refuse(fmt.Errorf("allowed are codomains of at least 1"))
	}
	if size := c.Size(); size <= lookLimit {
		brief := c.Coalesce() // a thousand modes of extent 1 would cost as much at every position
		has := make([]bool, min(n, size+1))
		for i := range size {
			if at := brief.At(i); at < len(has) {
				has[at] = true
			}
		}
		if gap := slices.Index(has, false); gap >= 0 {
			return &Counterexample{Value: Int(gap)}, nil
		}
		return nil, nil
	}
	low, high := c.reach()
	for _, below := range spacesOf(c.Layout) { // one at most
		if full, whole := below.full(); full != whole {
			return refuse(fmt.Errorf("undecided, for the offsets below the swizzle have gaps, and it has more than %d coordinates", lookLimit))
		}
	}
	// The swizzle is its own inverse, and keeps whole blocks of its size as they are.
	begin := 0
	if block := 1 << (c.Swizzle.Bits + c.Swizzle.Base + abs(c.Swizzle.Shift)); low == 0 {
		begin = (high + 1) / block * block
	}
	for at := begin; at < n; at++ {
		if from := c.Swizzle.Apply(at); from < low || from > high {
			return &Counterexample{Value: Int(at)}, nil
		}
	}
	return nil, nil
}

// Bijective is Bijective of a swizzled layout, onto 0 to n-1.
//
//	Sw<1,0,2> o 0 o (4,4):(4,1).Bijective(16) holds
//	Sw<1,0,2> o 0 o (3,4):(4,1).Bijective(8) fails: coordinate (2,0) is at 8, outside the codomain
func (c Composed) Bijective(n int) (*Counterexample, error) {
	if counter, err := c.Injective(); counter != nil || err != nil {
		return counter, err
	}
	if counter, err := c.Surjective(n); counter != nil || err != nil {
		return counter, err
	}
	if c.Size() == n {
		return nil, nil
	}
	if c.Size() > lookLimit { // then the offsets below the swizzle have no gap, and of the last of them some go outside
		_, from := c.reach()
		for c.Swizzle.Apply(from) < n {
			from--
		}
		coord, err := CoordOf(c.Layout, from-c.Offset)
		return &Counterexample{Coords: []Tuple{coord}, Value: Int(c.Swizzle.Apply(from))}, err
	}
	i, brief := 0, c.Coalesce()
	for brief.At(i) < n {
		i++
	}
	return &Counterexample{Coords: []Tuple{c.Layout.Coord(i)}, Value: Int(c.At(i))}, nil
}
