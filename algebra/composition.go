package algebra

import (
	"fmt"
	"slices"
)

// lookLimit is the largest domain that an operation decides by looking at every coordinate.
const lookLimit = 1 << 18

// Composition is the layout R of b's shape with R(i) = a(b(i)) (CuTe's composition a o b). Each leaf of b's shape may
// become a tuple of modes: R refines b.
//
//	(6,2):(8,2) o (4,3):(3,1) = ((2,2),3):((24,2),8)
//
// b may reach outside a's domain, where a's last mode goes on. If b's strides are basis elements its values are
// coordinates of a: n@p walks through mode p. a may have basis strides, then so has R.
//
// It is exact: R is given whenever some refinement of b's shape has a layout with these values, and refused, with the
// first coordinate at which none can have them, otherwise. CuTe's divisibility conditions are sufficient; where they
// fail, domains of up to 2^18 coordinates are decided by looking, and larger ones refused.
func Composition(a, b Layout) (Layout, error) {
	refined := make([][]mode, len(b.flat))
	for _, g := range groups(b) {
		sub, err := a.sub(g.path)
		if err != nil {
			return Layout{}, fmt.Errorf("composition %v o %v: %w", a, b, err)
		}
		right := make([]mode, len(g.leaves))
		for k, leaf := range g.leaves {
			right[k] = b.flat[leaf]
		}
		modes, refusal := compose(coalesceX(sub), right)
		if refusal == undecided {
			return Layout{}, fmt.Errorf("composition %v o %v: a stride or extent does not divide, and no coordinate below %d "+
				"decides whether there is a layout", a, b, lookLimit)
		}
		if refusal != nil {
			coord := make([]Tuple, len(b.flat))
			for k := range coord {
				coord[k] = Int(0)
			}
			for k, leaf := range g.leaves {
				coord[leaf] = Int(refusal.coord[k])
			}
			return Layout{}, fmt.Errorf("composition %v o %v has no layout: at coordinate %v of %v %s",
				a, b, unflatten(coord, b.shape), b.shape, refusal.why)
		}
		for k, leaf := range g.leaves {
			refined[leaf] = modes[k]
		}
	}
	next := 0
	var strides []Tuple
	shape := b.shape.mapLeaves(func(Tuple) Tuple {
		r := ofModes(refined[next])
		next++
		strides = append(strides, r.stride)
		return r.shape
	})
	r, err := MakeLayout(shape, unflatten(strides, b.shape))
	if err != nil {
		return Layout{}, fmt.Errorf("composition %v o %v: %w", a, b, err)
	}
	return r, nil
}

// group is the leaves of b that walk through one mode of a.
type group struct {
	path   []int
	leaves []int
}

// groups splits b's leaves by the mode of a that they walk through. A stride of 0 stands still in any of them.
func groups(b Layout) []group {
	var gs []group
	for i, m := range b.flat {
		k := slices.IndexFunc(gs, func(g group) bool { return slices.Equal(g.path, m.path) })
		if k < 0 && m.stride == 0 {
			gs = append(gs, group{leaves: []int{i}})
			continue
		}
		if k < 0 {
			k = len(gs)
			gs = append(gs, group{path: m.path})
		}
		gs[k].leaves = append(gs[k].leaves, i)
	}
	return gs
}

// sub is the mode of l at the end of a path.
func (l Layout) sub(path []int) (Layout, error) {
	for k, i := range path {
		if l.shape.IsLeaf() || i >= l.Rank() {
			return Layout{}, fmt.Errorf("basis %v: the left side has no mode there", Basis(1, path[:k+1]...))
		}
		l = l.Mode(i)
	}
	return l, nil
}

// refusal is the first coordinate at which no layout can have the values.
type refusal struct {
	coord []int
	why   string
}

// undecided is the refusal of a domain that is too large to look at.
var undecided = &refusal{}

// compose refines each mode of b so that its values are a's at b's, a being coalesced by coalesceX.
func compose(a, b []mode) ([][]mode, *refusal) {
	refined := make([][]mode, len(b))
	certain := true
	reach := make([]int, len(a)) // how far b's modes together walk along each mode of a
	for k, m := range b {
		var ok bool
		refined[k], ok = walk(a, m, reach)
		certain = certain && ok
	}
	if certain && !carries(a, reach) && sameSign(b) {
		return refined, nil
	}
	looked, no := look(a, b)
	if no != nil {
		return nil, no
	}
	for k, m := range b {
		if m.shape > 1 {
			refined[k] = looked[k]
		}
	}
	return refined, nil
}

// walk is CuTe's composition_impl for one mode n:d of b: it takes the steps d through a's modes from the front, and
// tells whether CuTe's conditions, with the one that CuTe leaves out, prove the result for this mode alone:
//
//	a's extent divides the stride, or
//	the steps that are left end inside this mode of a, or
//	the stride divides a's extent, and the extent over the stride divides the number of steps.
//
// It adds what it uses of each mode to reach.
func walk(a []mode, m mode, reach []int) ([]mode, bool) {
	if m.stride == 0 {
		return []mode{m}, true
	}
	sign, rest, n := 1, m.stride, m.shape
	if rest < 0 {
		sign, rest = -1, -rest
	}
	certain := true
	var result []mode
	emit := func(extent int, through mode, at int) {
		stride, ok := mul(sign*rest, through.stride)
		used, ok2 := mul(extent-1, rest)
		sum, ok3 := add(reach[at], used)
		reach[at] = sum
		certain = certain && ok && ok2 && ok3
		result = append(result, mode{extent, stride, through.path})
	}
	last := len(a) - 1
	for k, through := range a[:last] {
		s := through.shape
		next := ceil(s, rest)
		if next == 1 || n == 1 {
			certain = certain && (rest%s == 0 || n == 1)
			rest = ceil(rest, s)
			continue
		}
		take := min(next, n)
		certain = certain && n%take == 0 && (take == n || s%rest == 0)
		emit(take, through, k)
		n /= take
		rest = ceil(rest, s)
	}
	if len(result) == 0 || n > 1 {
		emit(n, a[last], last)
	}
	return result, certain
}

// carries tells whether b's modes together may step over the end of some mode of a but the last.
func carries(a []mode, reach []int) bool {
	for k, m := range a[:len(a)-1] {
		if reach[k] >= m.shape {
			return true
		}
	}
	return false
}

func sameSign(b []mode) bool {
	var negative, positive bool
	for _, m := range b {
		negative = negative || m.stride < 0 && m.shape > 1
		positive = positive || m.stride > 0 && m.shape > 1
	}
	return !negative || !positive
}

// look finds the layout of a(b(i)) from its values, in one colexicographic pass. The values must be the sum of what
// each mode of b gives alone, and each mode's values must have a layout, of which the coalesced form is unique.
func look(a, b []mode) ([][]mode, *refusal) {
	values := newValues(a)
	factors := make([]factor, len(b))
	for k, m := range b {
		factors[k] = factor{extent: m.shape, block: 1}
	}
	coord := make([]int, len(b))
	refuse := func(format string, args ...any) ([][]mode, *refusal) {
		return nil, &refusal{coord, fmt.Sprintf(format, args...)}
	}
	for looked := 0; ; looked++ {
		if looked == lookLimit {
			return nil, undecided
		}
		at, fits := position(coord, b)
		if !fits {
			return refuse("the position %v", errOverflow)
		}
		value, fits := values.at(at)
		if !fits {
			return refuse("the value %v", errOverflow)
		}
		moving := -1
		for k, c := range coord {
			if c == 0 {
				continue
			}
			if moving >= 0 {
				moving = len(b)
				break
			}
			moving = k
		}
		switch {
		case moving == len(b):
			alone := make([]int, len(value))
			for k, c := range coord {
				alone = sum(alone, factors[k].values[c])
			}
			if !slices.Equal(alone, value) {
				return refuse("(position %d of the left side) the value is %v, but its modes alone add up to %v: they carry into each other",
					at, values.text(value), values.text(alone))
			}
		case moving >= 0:
			if why := factors[moving].take(value, values); why != "" {
				return refuse("(position %d of the left side) the value is %v, %s", at, values.text(value), why)
			}
		default:
			for k := range factors {
				factors[k].values = [][]int{value}
			}
		}
		k := 0
		for ; k < len(coord); k++ {
			if coord[k]++; coord[k] < b[k].shape {
				break
			}
			coord[k] = 0
		}
		if k == len(coord) {
			break
		}
	}
	refined := make([][]mode, len(b))
	for k := range factors {
		refined[k] = factors[k].finish(values)
	}
	return refined, nil
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
