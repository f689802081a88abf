package dynamic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
)

// Layout is a layout whose extents and strides may depend on run-time sizes. A stride may go along a basis element, as in
// package algebra.
//
//	(M,K):(lda,1)                         a row-major matrix with leading dimension lda
//	((128,ceil(M/128)),K):((1,128),lda)   its columns, cut into tiles of 128
//
// Layouts are immutable. The zero value is ():().
type Layout struct {
	// profile holds in each leaf the number of its mode: 0, 1, ... from left to right.
	profile algebra.Tuple
	modes   []mode
}

// mode is one leaf: extent, and stride along a basis element (nil for plain offsets).
type mode struct {
	shape, stride Int
	path          []int
}

// of is the layout of a profile whose leaves number the modes, in any order.
func of(profile algebra.Tuple, modes []mode) (Layout, error) {
	leaves := profile.Leaves()
	l := Layout{modes: make([]mode, len(leaves))}
	for i, leaf := range leaves {
		l.modes[i] = modes[leaf.Value()]
	}
	l.profile = renumbered(profile, new(int))
	return l, l.check()
}

func renumbered(t algebra.Tuple, next *int) algebra.Tuple {
	if t.IsLeaf() {
		*next++
		return algebra.Int(*next - 1)
	}
	var elems []algebra.Tuple
	for i := range t.Rank() {
		elems = append(elems, renumbered(t.Mode(i), next))
	}
	return algebra.MakeTuple(elems...)
}

// flat is the layout of depth 1 of the modes; one mode gives a leaf.
func flat(modes []mode) (Layout, error) {
	if len(modes) == 1 {
		return of(algebra.Int(0), modes)
	}
	elems := make([]algebra.Tuple, len(modes))
	for i := range elems {
		elems[i] = algebra.Int(i)
	}
	return of(algebra.MakeTuple(elems...), modes)
}

// check refuses what is no layout, and makes strides of 0 plain.
func (l Layout) check() error {
	for i := range l.modes {
		m := &l.modes[i]
		if m.stride.is(0) {
			m.path = nil
		}
		if m.stride.err != nil {
			return fmt.Errorf("stride of mode %d: %w", i, m.stride.err)
		}
		if err := positive("extent", m.shape); err != nil {
			return fmt.Errorf("layout %v: %w", l, err)
		}
		if len(m.path) > maxPath || slices.ContainsFunc(m.path, func(p int) bool { return p >= maxBasis }) {
			return fmt.Errorf("layout %v: stride %s, allowed are basis modes below %d, at most %d levels deep", l, m.strideText(), maxBasis, maxPath)
		}
		if o := apart(l.modes[:i], *m); o != nil {
			return fmt.Errorf("layout %v: strides %s and %s cannot be added, allowed are offsets or coordinates of one profile",
				l, o.strideText(), m.strideText())
		}
	}
	return nil
}

// Bounds of a basis element, as in package algebra.
const (
	maxBasis = 64
	maxPath  = 8
)

// apart is the first of the modes whose values cannot be added to m's: the basis element of one lies inside the other's.
func apart(modes []mode, m mode) *mode {
	if m.stride.is(0) {
		return nil
	}
	for i, o := range modes {
		short, long := m.path, o.path
		if len(short) > len(long) {
			short, long = long, short
		}
		if !o.stride.is(0) && len(short) < len(long) && slices.Equal(short, long[:len(short)]) {
			return &modes[i]
		}
	}
	return nil
}

// Of is the layout l of package algebra, whose integers are all known.
func Of(l algebra.Layout) Layout {
	d := Layout{profile: renumbered(l.Shape(), new(int))}
	strides := l.Stride().Leaves()
	for i, n := range l.Shape().Leaves() {
		d.modes = append(d.modes, mode{Const(n.Value()), Const(strides[i].Value()), strides[i].BasisPath()})
	}
	return d
}

// Static is the layout as one of package algebra. Symbols that are left are an error, as are sizes beyond 64 bits.
func (l Layout) Static() (algebra.Layout, error) {
	shapes, strides := make([]algebra.Tuple, len(l.modes)), make([]algebra.Tuple, len(l.modes))
	for i, m := range l.modes {
		n, ok := m.shape.Value()
		d, ok2 := m.stride.Value()
		if !ok || !ok2 {
			return algebra.Layout{}, fmt.Errorf("layout %v: no value is given for %s", l, strings.Join(l.Symbols(), ", "))
		}
		shapes[i], strides[i] = algebra.Int(n), algebra.Basis(d, m.path...)
	}
	return algebra.MakeLayout(filled(l.profile, shapes), filled(l.profile, strides))
}

// isStatic tells whether all integers are known.
func (l Layout) isStatic() bool { return len(l.Symbols()) == 0 }

// filled is the profile with each number replaced by what has it.
func filled(profile algebra.Tuple, leaves []algebra.Tuple) algebra.Tuple {
	if profile.IsLeaf() {
		return leaves[profile.Value()]
	}
	elems := make([]algebra.Tuple, profile.Rank())
	for i := range elems {
		elems[i] = filled(profile.Mode(i), leaves)
	}
	return algebra.MakeTuple(elems...)
}

// With is l with values for some of its symbols: see Int.With.
//
//	(M,K):(lda,1) with lda = K is (M,K):(K,1)
func (l Layout) With(values map[string]Int) (Layout, error) {
	modes := slices.Clone(l.modes)
	for i := range modes {
		modes[i].shape, modes[i].stride = modes[i].shape.With(values), modes[i].stride.With(values)
	}
	w, err := of(l.profile, modes)
	if err != nil {
		return Layout{}, fmt.Errorf("layout %v with values: %w", l, err)
	}
	return w, nil
}

// Symbols lists the names of l's symbols, sorted.
func (l Layout) Symbols() []string {
	seen := map[string]bool{}
	for _, m := range l.modes {
		m.shape.addSymbols(seen)
		m.stride.addSymbols(seen)
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Equal tells whether l and o are the same layout: same profile, same expressions.
func (l Layout) Equal(o Layout) bool {
	return l.profile.Equal(o.profile) && slices.EqualFunc(l.modes, o.modes, func(a, b mode) bool {
		return a.shape.Equal(b.shape) && a.stride.Equal(b.stride) && slices.Equal(a.path, b.path)
	})
}

// Rank is the number of modes at the top.
func (l Layout) Rank() int { return l.profile.Rank() }

// Depth is how deeply the modes are nested: 0 for one leaf.
func (l Layout) Depth() int { return l.profile.Depth() }

// Size is the number of coordinates.
func (l Layout) Size() Int { return l.Shape().Size() }

// Cosize is the span of the offsets: the elements that a buffer needs. A stride of unknown sign, and values that are
// coordinates, are errors.
//
//	(M,K):(lda,1)    M*lda+K-lda
func (l Layout) Cosize() (Int, error) {
	span := Const(1)
	for _, m := range l.modes {
		if len(m.path) > 0 && !m.stride.is(0) {
			return Int{}, fmt.Errorf("cosize of %v: its values are coordinates, allowed are plain strides", l)
		}
		sign, step, err := m.signed()
		if err != nil {
			return Int{}, fmt.Errorf("cosize of %v: %w", l, err)
		}
		if sign != 0 {
			span = Add(span, Mul(Sub(m.shape, Const(1)), step))
		}
	}
	return span, span.err
}

// signed is the stride's sign and amount.
func (m mode) signed() (sign int, amount Int, err error) {
	switch {
	case m.stride.is(0):
		return 0, m.stride, nil
	case m.stride.AtLeast(Const(1)):
		return 1, m.stride, nil
	case Neg(m.stride).AtLeast(Const(1)):
		return -1, Neg(m.stride), nil
	}
	return 0, Int{}, undecided("write it with one sign", "whether the stride %v is positive, 0 or negative", m.stride)
}

// Mode is mode i of the top. It panics when i is out of range, as an index does.
func (l Layout) Mode(i int) Layout {
	if l.profile.IsLeaf() && i == 0 {
		return l
	}
	part := l.profile.Mode(i)
	sub := Layout{profile: renumbered(part, new(int))}
	for _, leaf := range part.Leaves() {
		sub.modes = append(sub.modes, l.modes[leaf.Value()])
	}
	return sub
}

// Modes lists the modes of the top; a layout of one leaf is its own only mode.
func (l Layout) Modes() []Layout {
	modes := make([]Layout, l.Rank())
	for i := range modes {
		modes[i] = l.Mode(i)
	}
	return modes
}

// Concat is the layout of the given modes (CuTe's make_layout of layouts).
func Concat(ls ...Layout) (Layout, error) {
	var c Layout
	profiles := make([]algebra.Tuple, len(ls))
	for i, l := range ls {
		next := len(c.modes)
		profiles[i] = renumbered(l.profile, &next)
		c.modes = append(c.modes, l.modes...)
	}
	c.profile = algebra.MakeTuple(profiles...)
	return c, c.check()
}

// Rearranged is l with its shape and its stride rearranged in the same way: by algebra.Flatten, Tuple.Select, Tuple.Take,
// Tuple.Group, Tuple.Unflatten and their like.
//
//	l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return t.Group(0, 2) })
func (l Layout) Rearranged(f func(algebra.Tuple) (algebra.Tuple, error)) (Layout, error) {
	profile, err := f(l.profile)
	if err != nil {
		return Layout{}, err
	}
	for _, leaf := range profile.Leaves() {
		if leaf.IsUnderscore() || leaf.Value() < 0 || leaf.Value() >= len(l.modes) {
			return Layout{}, fmt.Errorf("rearrange %v: got the leaf %v, allowed are those of its profile", l, leaf)
		}
	}
	return of(profile, l.modes)
}

// ColMajor is the compact layout of the shape with mode 0 fastest (CuTe's compact_col_major). Known extents of 1 get stride
// 0, as in CuTe.
//
//	(M,N)  ->  (M,N):(1,M)
func ColMajor(shape Shape) (Layout, error) { return shape.compact(numbers(len(shape.extents))) }

// RowMajor is the compact layout of the shape with the last mode fastest (CuTe's compact_row_major).
//
//	(M,N)  ->  (M,N):(N,1)
func RowMajor(shape Shape) (Layout, error) {
	order := numbers(len(shape.extents))
	slices.Reverse(order)
	return shape.compact(order)
}

// Ordered is the compact layout of the shape whose modes run in the given order, the smallest number fastest (CuTe's
// compact_order and make_ordered_layout): see algebra.Ordered.
//
//	(M,8,N) by (2,0,1)  ->  (M,8,N):(8*N,1,8)
func Ordered(shape Shape, order algebra.Tuple) (Layout, error) {
	var ranks []int
	var walk func(s, o algebra.Tuple) error
	walk = func(s, o algebra.Tuple) error {
		switch {
		case o.IsLeaf() && (o.IsUnderscore() || len(o.BasisPath()) > 0):
			return fmt.Errorf("order %v of shape %v: got %v, allowed are integers", order, shape, o)
		case o.IsLeaf():
			for range s.Leaves() {
				ranks = append(ranks, o.Value())
			}
			return nil
		case s.IsLeaf() || s.Rank() != o.Rank():
			return fmt.Errorf("order %v of shape %v: allowed is an integer for each mode", order, shape)
		}
		for i := range s.Rank() {
			if err := walk(s.Mode(i), o.Mode(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(shape.profile, order); err != nil {
		return Layout{}, err
	}
	places := numbers(len(ranks))
	slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	return shape.compact(places)
}

// numbers lists 0 to n-1.
func numbers(n int) []int {
	ns := make([]int, n)
	for i := range ns {
		ns[i] = i
	}
	return ns
}

// Identity is the layout that gives back each coordinate (CuTe's make_identity_layout).
//
//	(M,N)  ->  (M,N):(1@0,1@1)
func Identity(shape Shape) (Layout, error) {
	modes := make([]mode, len(shape.extents))
	var walk func(t algebra.Tuple, path []int)
	walk = func(t algebra.Tuple, path []int) {
		if t.IsLeaf() {
			modes[t.Value()] = mode{shape.extents[t.Value()], Const(1), slices.Clone(path)}
			return
		}
		for i := range t.Rank() {
			walk(t.Mode(i), append(path, i))
		}
	}
	walk(shape.profile, nil)
	return of(shape.profile, modes)
}

// Dot turns coordinates into offsets: each stride n@k becomes n*strides[k].
//
//	Dot((128,8):(1@0,1@1), 1, lda) = (128,8):(1,lda)
func Dot(l Layout, strides ...Int) (Layout, error) {
	modes := slices.Clone(l.modes)
	for k, m := range modes {
		if m.stride.is(0) {
			continue
		}
		if len(m.path) != 1 || m.path[0] >= len(strides) {
			return Layout{}, fmt.Errorf("dot product of %v with %d strides: stride %s has no partner, allowed is n@k with k below %d",
				l, len(strides), m.strideText(), len(strides))
		}
		modes[k] = mode{shape: m.shape, stride: Mul(m.stride, strides[m.path[0]])}
	}
	return of(l.profile, modes)
}

// Shape is a tuple of extents.
type Shape struct {
	profile algebra.Tuple
	extents []Int
}

// Size is the product of the extents.
func (s Shape) Size() Int { return Mul(s.extents...) }

// each is the sizes of the modes.
func (s Shape) each() []Int {
	sizes := make([]Int, s.profile.Rank())
	for i := range sizes {
		sizes[i] = Const(1)
		for _, leaf := range s.profile.Mode(i).Leaves() {
			sizes[i] = Mul(sizes[i], s.extents[leaf.Value()])
		}
	}
	return sizes
}

// Shape is the layout's shape.
func (l Layout) Shape() Shape {
	s := Shape{profile: l.profile}
	for _, m := range l.modes {
		s.extents = append(s.extents, m.shape)
	}
	return s
}

// String prints the shape as ParseShape reads it.
func (s Shape) String() string {
	return text(s.profile, func(i int) string { return s.extents[i].String() })
}

// compact hands out strides to the leaves in the order.
func (s Shape) compact(order []int) (Layout, error) {
	modes := make([]mode, len(order))
	next := Const(1)
	for _, i := range order {
		modes[i] = mode{shape: s.extents[i], stride: next}
		if s.extents[i].is(1) {
			modes[i].stride = Int{}
		}
		next = Mul(next, s.extents[i])
	}
	return of(s.profile, modes)
}

// String prints l as Parse reads it.
func (l Layout) String() string {
	return text(l.profile, func(i int) string { return l.modes[i].shape.String() }) + ":" +
		text(l.profile, func(i int) string { return l.modes[i].strideText() })
}

func (m mode) strideText() string {
	t := m.stride.String()
	for _, p := range slices.Backward(m.path) {
		t += fmt.Sprintf("@%d", p)
	}
	return t
}

func text(profile algebra.Tuple, leaf func(i int) string) string {
	if profile.IsLeaf() {
		return leaf(profile.Value())
	}
	parts := make([]string, profile.Rank())
	for i := range parts {
		parts[i] = text(profile.Mode(i), leaf)
	}
	return "(" + strings.Join(parts, ",") + ")"
}
