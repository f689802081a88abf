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
	values := newValues(a)
	factors := make([]factor, len(b))
	for k, m := range b {
		factors[k] = factor{extent: m.shape, block: 1}
	}
	coord := make([]int, len(b))
	for looked, more := 0, true; more; looked, more = looked+1, advance(coord, b) {
		if looked == lookLimit {
			return nil, undecided
		}
		if why := see(values, factors, coord, b); why != "" {
			return nil, &refusal{coord, why}
		}
	}
	refined := make([][]mode, len(b))
	for k := range factors {
		refined[k] = factors[k].finish(values)
	}
	return refined, nil
}

// see adds the value at a coordinate to what the factors know, or says why no layout has it.
func see(values *values, factors []factor, coord []int, b []mode) string {
	at, fits := position(coord, b)
	if !fits {
		return fmt.Sprintf("the position %v", errOverflow)
	}
	value, fits := values.at(at)
	if !fits {
		return fmt.Sprintf("the value %v", errOverflow)
	}
	if why := settle(values, factors, coord, value); why != "" {
		return fmt.Sprintf("(position %d of the left side) the value is %v, %s", at, values.text(value), why)
	}
	return ""
}

// settle adds the value at a coordinate to what the factors know, or says why no layout has it.
func settle(values *values, factors []factor, coord, value []int) string {
	var moving []int
	for k, c := range coord {
		if c > 0 {
			moving = append(moving, k)
		}
	}
	switch len(moving) {
	case 0:
		for k := range factors {
			factors[k].values = [][]int{value}
		}
	case 1:
		return factors[moving[0]].take(value, values)
	default:
		alone := make([]int, len(value))
		for _, k := range moving {
			alone = sum(alone, factors[k].values[coord[k]])
		}
		if !slices.Equal(alone, value) {
			return fmt.Sprintf("but its modes alone add up to %v: they carry into each other", values.text(alone))
		}
	}
	return ""
}

// layoutOf is the layout that refines the shape and has the offsets at(0), at(1), ..., the first of which is 0; ok is
// false if there is none, or if the domain is too large to look at.
func layoutOf(shape Tuple, at func(i int) int) (l Layout, ok bool) {
	leaves := shape.Leaves()
	extents, factors := make([]mode, len(leaves)), make([]factor, len(leaves))
	for k, n := range leaves {
		extents[k], factors[k] = mode{shape: n.value}, factor{extent: n.value, block: 1}
	}
	offsets := &values{paths: [][]int{nil}}
	coord := make([]int, len(leaves))
	for i, more := 0, true; more; i, more = i+1, advance(coord, extents) {
		if i == lookLimit || settle(offsets, factors, coord, []int{at(i)}) != "" {
			return Layout{}, false
		}
	}
	shapes, strides := make([]Tuple, len(leaves)), make([]Tuple, len(leaves))
	for k := range factors {
		r := ofModes(factors[k].finish(offsets))
		shapes[k], strides[k] = r.shape, r.stride
	}
	l, err := MakeLayout(unflatten(shapes, shape), unflatten(strides, shape))
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

// position is b's value at a coordinate, and whether it fits.
func position(coord []int, b []mode) (int, bool) {
	at := 0
	for k, m := range b {
		step, ok := mul(coord[k], m.stride)
		sum, ok2 := add(at, step)
		if !ok || !ok2 {
			return 0, false
		}
		at = sum
	}
	return at, true
}

// factor finds the layout of one mode's values as they come: closed modes cover block values, the open one has made
// count steps of stride.
type factor struct {
	extent int
	values [][]int
	closed []mode
	block  int
	count  int
	stride []int
}

// take adds the next value, or says why no layout has it.
func (f *factor) take(value []int, vs *values) string {
	i := len(f.values)
	f.values = append(f.values, value)
	if i%f.block != 0 {
		want := sum(f.values[i%f.block], f.values[i/f.block*f.block])
		if !slices.Equal(want, value) {
			return fmt.Sprintf("not %v, which the coordinates before demand", vs.text(want))
		}
		return ""
	}
	if f.count == 0 {
		return f.open(value, vs)
	}
	next := sum(f.values[i-f.block], f.stride)
	if slices.Equal(next, value) {
		f.count++
		return ""
	}
	if f.extent%i != 0 {
		return fmt.Sprintf("not %v, and %d coordinates cannot be split after %d", vs.text(next), f.extent, i)
	}
	f.closed = append(f.closed, vs.mode(f.count, f.stride))
	f.block = i
	return f.open(value, vs)
}

func sum(a, b []int) []int {
	s := make([]int, len(a))
	for k := range s {
		s[k] = a[k] + b[k]
	}
	return s
}

// open begins a mode whose first step is value.
func (f *factor) open(value []int, vs *values) string {
	f.stride, f.count = value, 2
	if vs.isScaledBasis(value) {
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
	paths [][]int
	of    []int // component of each mode
}

func newValues(modes []mode) *values {
	v := &values{modes: modes, of: make([]int, len(modes))}
	for k, m := range modes {
		at := slices.IndexFunc(v.paths, func(p []int) bool { return slices.Equal(p, m.path) })
		if at < 0 {
			at = len(v.paths)
			v.paths = append(v.paths, m.path)
		}
		v.of[k] = at
	}
	return v
}

// at is the value at position x, and whether it fits.
func (v *values) at(x int) ([]int, bool) {
	value := make([]int, len(v.paths))
	for k, m := range v.modes {
		digit := x
		if k < len(v.modes)-1 {
			digit, x = x%m.shape, x/m.shape
		}
		step, ok := mul(digit, m.stride)
		sum, ok2 := add(value[v.of[k]], step)
		if !ok || !ok2 {
			return nil, false
		}
		value[v.of[k]] = sum
	}
	return value, true
}

func (v *values) isScaledBasis(value []int) bool {
	moving := 0
	for _, n := range value {
		if n != 0 {
			moving++
		}
	}
	return moving <= 1
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
