package algebra

import (
	"fmt"
	"slices"
)

// Composition is the layout R of b's shape with R(i) = a(b(i)) (CuTe's composition a o b). Each leaf of b's shape may
// become a tuple of modes: R refines b.
//
//	(6,2):(8,2) o (4,3):(3,1) = ((2,2),3):((24,2),8)
//
// b may reach outside a's domain, where a's last mode goes on. If b's strides are basis elements its values are
// coordinates of a: n@p walks through mode p. a may have basis strides, then so has R.
//
// It is exact: R is given whenever some refinement of b's shape has a layout with these values, and refused, with the
// first coordinate at which none can have them, otherwise. CuTe's divisibility conditions prove it together with one
// that CuTe leaves out, that b's modes do not carry into each other. Where they fail, the values decide: all of them, or
// the first 2^18 if the domain is larger; a larger domain whose first values allow a layout is refused as undecided.
func Composition(a, b Layout) (r Layout, err error) {
	err = r.compose(&a, &b)
	return r, err
}

// compose makes r, which is empty, a o b. It stays empty if there is an error.
func (r *Layout) compose(a, b *Layout) error {
	right := b.leaves()
	if !plain(right) {
		return r.composeBases(a, b)
	}
	var space [2 * inPlace]int
	ends := spaceOf(space[:], len(right))
	if no := composition(a.leaves(), right, r, ends); no != nil {
		*r = Layout{}
		return no.of(*a, *b, nil)
	}
	if r.profile = b.profile; r.n != len(right) {
		r.profile = b.profile.refined(ends)
	}
	return r.settle(a, b)
}

// composeBases is compose where b's values are coordinates of a.
func (r *Layout) composeBases(a, b *Layout) error {
	right := b.leaves()
	gs := groups(right)
	for k := range gs {
		g := &gs[k]
		sub, err := a.sub(g.path)
		if err != nil {
			return fmt.Errorf("composition %v o %v: %w", *a, *b, err)
		}
		g.ends = make([]int, len(g.modes))
		if no := composition(sub.leaves(), g.modes, &g.refined, g.ends); no != nil {
			return no.of(*a, *b, g.leaves)
		}
	}
	ends := make([]int, len(right))
	for leaf := range right {
		for k := range gs {
			if i := slices.Index(gs[k].leaves, leaf); i >= 0 {
				r.pushAll(leafModes(&gs[k].refined, gs[k].ends, i))
			}
		}
		ends[leaf] = r.n
	}
	r.profile = b.profile.refined(ends)
	return r.settle(a, b)
}

// settle refuses r, a o b, if it does not fit in 64 bits.
func (r *Layout) settle(a, b *Layout) error {
	if fits(r.leaves()) {
		return nil
	}
	_, err := checked(r.profile, r.leaves())
	*r = Layout{}
	return fmt.Errorf("composition %v o %v: %w", *a, *b, err)
}

// composition refines each mode of b, whose strides are plain, so that its values are a's at b's. It pushes the modes to r,
// which is empty, and writes how many there are after each mode of b to ends.
func composition(a, b []mode, r *Layout, ends []int) *refusal {
	var space [inPlace]mode
	return compose(coalesceX(append(space[:0], a...)), b, r, ends)
}

// spaceOf is the space for n integers, or another where they are more than it holds.
func spaceOf(space []int, n int) []int {
	if n > len(space) {
		return make([]int, n)
	}
	return space[:n]
}

// of is the error of the composition a o b, whose right side's leaves are those of the refusal's coordinate, or all.
func (no *refusal) of(a, b Layout, leaves []int) error {
	if no == undecided {
		return fmt.Errorf("composition %v o %v: a stride or extent does not divide, and no coordinate below %d "+
			"decides whether there is a layout", a, b, lookLimit)
	}
	coord := make([]Tuple, b.n)
	for k := range coord {
		coord[k] = Int(0)
	}
	for k, c := range no.coord {
		leaf := k
		if leaves != nil {
			leaf = leaves[k]
		}
		coord[leaf] = Int(c)
	}
	return fmt.Errorf("composition %v o %v has no layout: at coordinate %v of %v %s",
		a, b, unflatten(coord, b.Shape()), b.Shape(), no.why)
}

// push appends a mode to a layout that is being made.
func (l *Layout) push(m mode) {
	if l.n < inPlace {
		l.few[l.n] = m
		l.n++
		return
	}
	l.spill(m)
}

// spill is push beyond the modes in place.
func (l *Layout) spill(m mode) {
	if l.n == inPlace {
		l.many = append(make([]mode, 0, 2*inPlace), l.few[:]...)
		clear(l.few[:])
	}
	l.many = append(l.many, m)
	l.n++
}

func (l *Layout) pushAll(modes []mode) {
	for k := range modes {
		l.push(modes[k])
	}
}

// leafModes is what leaf k became: the modes before ends[k], from ends[k-1] on.
func leafModes(l *Layout, ends []int, k int) []mode {
	begin := 0
	if k > 0 {
		begin = ends[k-1]
	}
	return l.leaves()[begin:ends[k]]
}

// group is the leaves of b that walk through one mode of a.
type group struct {
	path    path
	leaves  []int
	modes   []mode
	refined Layout // the modes that these became
	ends    []int
}

// groups splits b's leaves by the mode of a that they walk through. A stride of 0 stands still in any of them.
func groups(b []mode) []group {
	var gs []group
	for i, m := range b {
		k := slices.IndexFunc(gs, func(g group) bool { return g.path == m.path })
		if k < 0 && m.stride == 0 {
			gs = append(gs, group{leaves: []int{i}, modes: []mode{m}})
			continue
		}
		if k < 0 {
			k = len(gs)
			gs = append(gs, group{path: m.path})
		}
		gs[k].leaves, gs[k].modes = append(gs[k].leaves, i), append(gs[k].modes, m)
	}
	return gs
}

// sub is the mode of l at the end of a path.
func (l Layout) sub(p path) (Layout, error) {
	for level := 1; p>>(8*(level-1)) != 0 && level <= maxPath; level++ {
		i := (p >> (8 * (level - 1))).first()
		if l.profile.isLeaf() || i >= l.Rank() {
			to := p & (1<<(8*level) - 1)
			return Layout{}, fmt.Errorf("basis %v: the left side has no mode there", mode{stride: 1, path: to}.strideLeaf())
		}
		l = l.Mode(i)
	}
	return l, nil
}

// compose is composition where a is coalesced by coalesceX.
func compose(a, b []mode, r *Layout, ends []int) *refusal {
	certain := true
	var space [2 * inPlace]int
	reach := spaceOf(space[:], len(a)) // how far b's modes together walk along each mode of a
	for k := range b {
		certain = walk(a, &b[k], reach, r) && certain
		ends[k] = r.n
	}
	if certain && !carries(a, reach) && (len(a) == 1 || sameSign(b)) {
		return nil
	}
	looked, no := look(slices.Clone(a), b)
	if no != nil {
		return no
	}
	walked := *r
	*r = Layout{}
	begin := 0
	for k, m := range b {
		if m.shape > 1 {
			r.pushAll(looked[k])
		} else {
			r.pushAll(walked.leaves()[begin:ends[k]])
		}
		begin, ends[k] = ends[k], r.n
	}
	return nil
}

// walk is CuTe's composition_impl for one mode n:d of b: it takes the steps d through a's modes from the front, and
// tells whether CuTe's conditions, with the one that CuTe leaves out, prove the result for this mode alone:
//
//	a's extent divides the stride, or
//	the steps that are left end inside this mode of a, or
//	the stride divides a's extent, and the extent over the stride divides the number of steps.
//
// It pushes the result to r and adds what it uses of each mode to reach.
func walk(a []mode, m *mode, reach []int, r *Layout) bool {
	if m.stride == 0 {
		r.push(*m)
		return true
	}
	sign, rest, n := 1, m.stride, m.shape
	if rest < 0 {
		sign, rest = -1, -rest
	}
	certain := true
	before := r.n
	last := len(a) - 1
	for k := range a[:last] {
		s := a[k].shape
		if rest >= s {
			// The steps pass this mode by.
			next := rest / s
			certain = certain && (next*s == rest || n == 1)
			if next*s != rest {
				next++
			}
			rest = next
			continue
		}
		if n == 1 {
			rest = 1
			continue
		}
		next := s
		if rest > 1 {
			next = ceil(s, rest)
		}
		take := min(next, n)
		if take == n {
			n = 1
		} else {
			q := n / take
			certain = certain && q*take == n && (rest == 1 || s%rest == 0)
			n = q
		}
		certain = use(&a[k], take, sign*rest, &reach[k], r) && certain
		rest = 1
	}
	if r.n == before || n > 1 {
		certain = use(&a[last], n, sign*rest, &reach[last], r) && certain
	}
	return certain
}

// use pushes the mode of an extent that steps through a mode of a. It adds what it uses of it to reach, and tells whether
// all of that fits.
func use(through *mode, extent, step int, reach *int, r *Layout) bool {
	stride, ok := mul(step, through.stride)
	used, ok2 := mul(extent-1, abs(step))
	sum, ok3 := add(*reach, used)
	*reach = sum
	r.push(mode{extent, stride, through.path})
	return ok && ok2 && ok3
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
