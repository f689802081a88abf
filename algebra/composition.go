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
	use := func(extent int, through mode, at int) {
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
		use(take, through, k)
		n /= take
		rest = ceil(rest, s)
	}
	if len(result) == 0 || n > 1 {
		use(n, a[last], last)
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
