package algebra

import (
	"fmt"
	"slices"
)

// lookLimit is the largest domain that an operation decides by looking at every coordinate.
const lookLimit = 1 << 18

// refusal is the first coordinate at which no layout can have the values.
type refusal struct {
	coord []int
	why   string
}

// undecided is the refusal of a domain that is too large to look at.
var undecided = &refusal{}

// look finds the layout of a(b(i)) from its values, in one colexicographic pass. The values must be the sum of what
// each mode of b gives alone, and each mode's values must have a layout, of which the coalesced form is unique.
func look(a, b []mode) ([][]mode, *refusal) {
	if !shows(a, b) {
		return nil, undecided
	}
	values := newValues(a)
	seen := newSeen(b, len(values.paths))
	coord := make([]int, len(b))
	value := make([]int, len(values.paths))
	for looked, more := 0, true; more; looked, more = looked+1, advance(coord, b) {
		if looked == lookLimit {
			return nil, undecided
		}
		at := position(coord, b)
		if !values.at(at, value) {
			return nil, &refusal{coord, fmt.Sprintf("the value %v", errOverflow)}
		}
		if why := seen.settle(values, coord, value); why != "" {
			return nil, &refusal{coord, fmt.Sprintf("(position %d of the left side) the value is %v, %s", at, values.text(value), why)}
		}
	}
	refined := make([][]mode, len(b))
	for k := range seen.factors {
		refined[k] = seen.factors[k].finish(values)
	}
	return refined, nil
}

// seen is what the values so far say about each mode.
type seen struct {
	factors []factor
	alone   []int // for a sum
}

func newSeen(b []mode, components int) *seen {
	s := &seen{factors: make([]factor, len(b)), alone: make([]int, components)}
	for k, m := range b {
		s.factors[k] = factor{extent: m.shape, block: 1, stride: make([]int, components)}
	}
	return s
}

// settle adds the value at a coordinate to what the factors know, or says why no layout has it.
func (s *seen) settle(values *values, coord, value []int) string {
	moving, last := 0, 0
	for k, c := range coord {
		if c > 0 {
			moving, last = moving+1, k
		}
	}
	switch moving {
	case 0:
		for k := range s.factors {
			s.factors[k].values = append(s.factors[k].values[:0], value...)
		}
	case 1:
		return s.factors[last].take(value, values)
	default:
		clear(s.alone)
		for k, c := range coord {
			if c > 0 {
				addTo(s.alone, s.factors[k].value(c))
			}
		}
		if !slices.Equal(s.alone, value) {
			return fmt.Sprintf("but its modes alone add up to %v: they carry into each other", values.text(s.alone))
		}
	}
	return ""
}

// layoutOf is the layout that refines the shape and has the offsets at(0), at(1), ..., the first of which is 0; ok is
// false if there is none, or if the domain is too large to look at.
func layoutOf(shape Tuple, at func(i int) int) (l Layout, ok bool) {
	leaves := shape.Leaves()
	extents := make([]mode, len(leaves))
	for k, n := range leaves {
		extents[k] = mode{shape: n.value}
	}
	offsets := &values{paths: []path{0}}
	seen := newSeen(extents, 1)
	coord, value := make([]int, len(leaves)), make([]int, 1)
	for i, more := 0, true; more; i, more = i+1, advance(coord, extents) {
		value[0] = at(i)
		if i == lookLimit || seen.settle(offsets, coord, value) != "" {
			return Layout{}, false
		}
	}
	ends := make([]int, len(leaves))
	for k := range seen.factors {
		l.pushAll(seen.factors[k].finish(offsets))
		ends[k] = l.n
	}
	l, err := checked(profileOf(shape).refined(ends), l.leaves())
	return l, err == nil
}

// advance steps to the next coordinate and tells whether there is one.
func advance(coord []int, b []mode) bool {
	for k := range coord {
		if coord[k]++; coord[k] < b[k].shape {
			return true
		}
		coord[k] = 0
	}
	return false
}

// shows tells whether the coordinates that look would see leave a's first mode, or are all. Inside it the values are as
// many steps as the positions, and decide nothing.
func shows(a, b []mode) bool {
	rest, reach, ok := lookLimit, 0, true
	for _, m := range b {
		steps, fits := mul(min(m.shape, rest)-1, abs(m.stride))
		sum, fits2 := add(reach, steps)
		if reach, ok = sum, ok && fits && fits2; !ok || m.shape >= rest {
			return !ok || m.shape == rest || reach >= a[0].shape
		}
		rest = ceil(rest, m.shape)
	}
	return true
}

// position is b's value at a coordinate.
func position(coord []int, b []mode) int {
	at := 0
	for k := range b {
		at += coord[k] * b[k].stride
	}
	return at
}

// factor finds the layout of one mode's values as they come: closed modes cover block values, the open one has made
// count steps of stride.
type factor struct {
	extent int
	values []int // all components of a value, one value after the other
	closed []mode
	block  int
	count  int
	stride []int
}

// value is the mode's value i.
func (f *factor) value(i int) []int {
	n := len(f.stride)
	return f.values[i*n : (i+1)*n]
}

// take adds the next value, or says why no layout has it.
func (f *factor) take(value []int, vs *values) string {
	i := len(f.values) / len(f.stride)
	f.values = append(f.values, value...)
	if i%f.block != 0 {
		// Is it the value in the block plus that of the block's begin?
		if !isSum(value, f.value(i%f.block), f.value(i/f.block*f.block)) {
			want := sum(f.value(i%f.block), f.value(i/f.block*f.block))
			return fmt.Sprintf("not %v, which the coordinates before demand", vs.text(want))
		}
		return ""
	}
	if f.count == 0 {
		return f.open(value)
	}
	if isSum(value, f.value(i-f.block), f.stride) {
		f.count++
		return ""
	}
	if f.extent%i != 0 {
		return fmt.Sprintf("not %v, and %d coordinates cannot be split after %d", vs.text(sum(f.value(i-f.block), f.stride)), f.extent, i)
	}
	f.closed = append(f.closed, vs.mode(f.count, f.stride))
	f.block = i
	return f.open(value)
}

// isSum tells whether value is a+b.
func isSum(value, a, b []int) bool {
	for k := range value {
		if value[k] != a[k]+b[k] {
			return false
		}
	}
	return true
}

func addTo(sum, a []int) {
	for k := range sum {
		sum[k] += a[k]
	}
}

func sum(a, b []int) []int {
	s := slices.Clone(a)
	addTo(s, b)
	return s
}

// open begins a mode whose first step is value.
func (f *factor) open(value []int) string {
	copy(f.stride, value)
	f.count = 2
	moving := 0
	for _, n := range value {
		if n != 0 {
			moving++
		}
	}
	if moving <= 1 {
		return ""
	}
	return "which is no multiple of one basis element"
}

// finish lists the modes.
func (f *factor) finish(vs *values) []mode {
	if f.extent == 1 {
		return []mode{{shape: 1}}
	}
	return append(f.closed, vs.mode(f.count, f.stride))
}

// values evaluates a coalesced layout outside its domain too; a value has one component for each basis element.
type values struct {
	modes []mode
	paths []path
	of    []int // component of each mode
}

func newValues(modes []mode) *values {
	v := &values{modes: modes, of: make([]int, len(modes))}
	for k, m := range modes {
		at := slices.Index(v.paths, m.path)
		if at < 0 {
			at = len(v.paths)
			v.paths = append(v.paths, m.path)
		}
		v.of[k] = at
	}
	return v
}

// at writes the value at position x, and tells whether it fits. All but the last mode stay in their extents, where the
// layout's values fit.
func (v *values) at(x int, value []int) bool {
	clear(value)
	last := len(v.modes) - 1
	for k := range v.modes[:last] {
		m := &v.modes[k]
		rest := x / m.shape
		value[v.of[k]] += (x - rest*m.shape) * m.stride
		x = rest
	}
	step, ok := mul(x, v.modes[last].stride)
	sum, ok2 := add(value[v.of[last]], step)
	value[v.of[last]] = sum
	return ok && ok2
}

// mode is the mode of an extent that steps by value, a scaled basis element.
func (v *values) mode(extent int, value []int) mode {
	for p, n := range value {
		if n != 0 {
			return mode{extent, n, v.paths[p]}
		}
	}
	return mode{shape: extent}
}

func (v *values) text(value []int) Tuple {
	t := Int(0)
	for p, n := range value {
		t = addAt(t, v.paths[p], n)
	}
	return t
}
