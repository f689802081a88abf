package dynamic

import (
	"fmt"
	"slices"

	"cutegen/algebra"
)

// Coalesce merges modes that step on evenly for all values, without changing the function on the domain (CuTe's coalesce).
// Two modes of which only some values make one stay two: (4,M):(1,lda) is one mode only where lda = 4.
//
//	(M,K):(1,M)  ->  K*M:1
func Coalesce(l Layout) (Layout, error) {
	merged := merge(l.modes)
	if len(merged) == 1 && merged[0].shape.is(1) {
		merged = []mode{{shape: Const(1)}}
	}
	return flat(merged)
}

// CoalesceModes coalesces at the leaves of the profile, so that the rank stays (CuTe's coalesce with a target profile). Modes
// beyond the profile stay as they are; a profile of larger rank is an error.
//
//	CoalesceModes((2,(M,K)):(lda,(1,M)), (1,1)) = (2,K*M):(lda,1)
func CoalesceModes(l Layout, profile algebra.Tuple) (Layout, error) {
	return atLeaves("coalesce", Coalesce, l, profile)
}

// atLeaves applies op to the modes at the leaves of the profile.
func atLeaves(name string, op func(Layout) (Layout, error), l Layout, profile algebra.Tuple) (Layout, error) {
	if profile.IsLeaf() {
		return op(l)
	}
	modes := l.Modes()
	if profile.Rank() > len(modes) {
		return Layout{}, fmt.Errorf("%s %v by the profile %v: rank %d, allowed is at most %d", name, l, profile, profile.Rank(), len(modes))
	}
	for i := range profile.Rank() {
		var err error
		if modes[i], err = atLeaves(name, op, modes[i], profile.Mode(i)); err != nil {
			return Layout{}, err
		}
	}
	return Concat(modes...)
}

// merge joins neighbours from the back and drops modes of extent 1; one mode stays.
func merge(modes []mode) []mode {
	var merged []mode // back to front
	for _, m := range slices.Backward(modes) {
		last := len(merged) - 1
		switch {
		case last >= 0 && m.shape.is(1):
		case last == 0 && merged[0].shape.is(1):
			merged[0] = m
		case last >= 0 && continues(m, merged[last]):
			merged[last] = mode{Mul(m.shape, merged[last].shape), m.stride, m.path}
		default:
			merged = append(merged, m)
		}
	}
	if len(merged) == 0 {
		return []mode{{shape: Const(1)}}
	}
	slices.Reverse(merged)
	return merged
}

// continues tells whether b's first step is where a ends.
func continues(a, b mode) bool {
	if a.stride.is(0) || b.stride.is(0) {
		return a.stride.is(0) && b.stride.is(0)
	}
	return Mul(a.shape, a.stride).Equal(b.stride) && slices.Equal(a.path, b.path)
}

// coalesceX merges so that the function stays outside the domain too, where the last mode is unbounded: see
// algebra.Composition.
func coalesceX(l Layout) []mode {
	modes := slices.Clone(l.modes)
	if last := len(modes) - 1; last >= 0 && modes[last].shape.is(1) {
		modes[last].shape = Const(2)
	}
	return merge(modes)
}

// Composition is the layout R of b's shape with R(i) = a(b(i)). Each leaf of b's shape may become a tuple of modes.
//
//	(M,K):(1,lda) o (128,K):(1,M) refuses: M may be less than 128
//	(128*m,K):(1,lda) o (128,K):(1,128*m) = (128,K):(1,lda)
//
// It is given where conditions hold for all values: in a walk of b's mode through a's modes, each step divides the
// extent that it meets, or is a multiple of it, or the mode's steps end inside it, and b's modes together do not carry.
// Parts without symbols are decided exactly, by algebra.Composition. What depends on values is refused with the
// condition: the error wraps ErrUndecided. A basis element that leads to no mode of a is an error.
//
// b may reach outside a's domain, where a's last mode goes on. A last extent counts as a mode even where its value is 1.
func Composition(a, b Layout) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("composition %v o %v: %w", a, b, err)
	}
	refined := make([]Layout, len(b.modes))
	for _, g := range groups(b) {
		sub, err := a.sub(g.path)
		if err != nil {
			return refuse(err)
		}
		right := make([]mode, len(g.leaves))
		for k, leaf := range g.leaves {
			right[k] = mode{shape: b.modes[leaf].shape, stride: b.modes[leaf].stride}
		}
		results, err := compose(sub, right)
		if err != nil {
			return refuse(err)
		}
		for k, leaf := range g.leaves {
			refined[leaf] = results[k]
		}
	}
	next := 0
	var modes []mode
	profile := mapLeaves(b.profile, func(leaf int) algebra.Tuple {
		r := refined[leaf]
		modes = append(modes, r.modes...)
		return renumbered(r.profile, &next)
	})
	r, err := of(profile, modes)
	if err != nil {
		return refuse(err)
	}
	return r, nil
}

func mapLeaves(t algebra.Tuple, f func(leaf int) algebra.Tuple) algebra.Tuple {
	if t.IsLeaf() {
		return f(t.Value())
	}
	elems := make([]algebra.Tuple, t.Rank())
	for i := range elems {
		elems[i] = mapLeaves(t.Mode(i), f)
	}
	return algebra.MakeTuple(elems...)
}

// group is the leaves of b that walk through one mode of a.
type group struct {
	path   []int
	leaves []int
}

// groups splits b's leaves by the mode of a that they walk through. A stride of 0 stands still in any of them.
func groups(b Layout) []group {
	var gs []group
	for i, m := range b.modes {
		k := slices.IndexFunc(gs, func(g group) bool { return slices.Equal(g.path, m.path) })
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
		if l.profile.IsLeaf() || i >= l.Rank() {
			return Layout{}, fmt.Errorf("basis %v: the left side has no mode there", algebra.Basis(1, path[:k+1]...))
		}
		l = l.Mode(i)
	}
	return l, nil
}

// compose refines each mode of b so that its values are a's at b's.
func compose(a Layout, b []mode) ([]Layout, error) {
	right, err := flat(b)
	if err != nil {
		return nil, err
	}
	if a.isStatic() && right.isStatic() {
		return composeStatic(a, right)
	}
	modes := coalesceX(a)
	reach := make([]Int, len(modes)) // how far b's modes together walk along each mode of a
	refined := make([]Layout, len(b))
	var positive, negative bool
	for k, m := range b {
		sign, step := 0, Int{}
		if !m.shape.is(1) {
			if sign, step, err = m.signed(); err != nil {
				return nil, err
			}
		}
		positive, negative = positive || sign > 0, negative || sign < 0
		walked, err := walk(modes, m.shape, sign, step, reach)
		if err != nil {
			return nil, err
		}
		if refined[k], err = flat(walked); err != nil {
			return nil, err
		}
	}
	if positive && negative && len(modes) > 1 {
		return nil, undecided("give it strides of one sign",
			"the right side has strides of both signs, and whether they carry into each other along the left side's modes")
	}
	for k, m := range modes[:len(modes)-1] {
		if most := Add(reach[k], Const(1)); !m.shape.AtLeast(most) {
			return nil, undecided(asMultiple(m.shape, most),
				"whether the right side's modes, which together reach %v along the left side's mode %v, stay inside it", reach[k], m)
		}
	}
	return refined, nil
}

func composeStatic(a, b Layout) ([]Layout, error) {
	left, err := a.Static()
	if err != nil {
		return nil, err
	}
	right, err := b.Static()
	if err != nil {
		return nil, err
	}
	r, err := algebra.Composition(left, right)
	if err != nil {
		return nil, err
	}
	if b.profile.IsLeaf() {
		return []Layout{Of(r)}, nil
	}
	return Of(r).Modes(), nil
}

func (m mode) String() string { return m.shape.String() + ":" + m.strideText() }

// walk takes n steps of an amount through the modes from the front, as CuTe does, and adds what it uses of each mode to
// reach. Only what holds for all values is let through.
func walk(modes []mode, n Int, sign int, step Int, reach []Int) ([]mode, error) {
	if sign == 0 {
		return []mode{{shape: n}}, nil
	}
	var result []mode
	use := func(extent Int, at int) {
		through := modes[at]
		result = append(result, mode{extent, Mul(Const(sign), step, through.stride), through.path})
		reach[at] = Add(reach[at], Mul(Sub(extent, Const(1)), step))
	}
	last := len(modes) - 1
	for k, m := range modes[:last] {
		if n.is(1) {
			break
		}
		if q, ok := step.over(m.shape); ok {
			step = q
			continue
		}
		if m.shape.AtLeast(Add(Mul(Sub(n, Const(1)), step), Const(1))) {
			use(n, k)
			n = Const(1)
			break
		}
		inside := fmt.Sprintf("whether %v steps of %v along the left side's mode %v end inside it, or", n, step, m)
		take, ok := m.shape.over(step)
		if !ok {
			fix := asMultiple(m.shape, step)
			if _, known := step.Value(); !known {
				fix = asMultiple(step, m.shape)
			}
			return nil, undecided(fix, "%s whether %v and %v divide each other,", inside, step, m.shape)
		}
		rest, ok := n.over(take)
		if !ok {
			fix := asMultiple(m.shape, Mul(n, step))
			if _, known := m.shape.Value(); known {
				fix = asMultiple(n, take)
			}
			return nil, undecided(fix, "%s whether %v is a multiple of %v,", inside, n, take)
		}
		use(take, k)
		n, step = rest, Const(1)
	}
	if len(result) == 0 || !n.is(1) {
		use(n, last)
	}
	return result, nil
}
