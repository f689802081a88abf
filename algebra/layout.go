package algebra

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Layout is a function from coordinates of its Shape to offsets: the inner product of a coordinate with the Stride.
//
//	(4,2):(2,1)      coordinate (c0,c1) -> 2*c0 + c1
//
//	                 c1 = 0   1
//	         c0 = 0       0   1
//	              1       2   3
//	              2       4   5
//	              3       6   7
//
// The integers 0, 1, ... number the coordinates colexicographically (mode 0 fastest), so it is also a function of one
// integer: 0 2 4 6 1 3 5 7. With scaled basis elements as strides its values are coordinates instead of offsets.
//
// Layouts are immutable. The zero value is ():(), of size 1.
type Layout struct {
	shape, stride Tuple
	flat          []mode
}

// mode is one leaf of a layout: extent, and stride along a basis element (nil for plain offsets).
type mode struct {
	shape, stride int
	path          []int
}

// MakeLayout is the layout shape:stride. It refuses tuples that are not congruent, extents below 1, a size or a span of
// offsets beyond 64 bits, basis modes beyond 63, and strides whose values cannot be added: 3 and 1@0, or 1@0 and 1@1@0.
func MakeLayout(shape, stride Tuple) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("layout %v:%v: %w", shape, stride, err)
	}
	if !Congruent(shape, stride) {
		return refuse(fmt.Errorf("shape and stride differ in profile, allowed is one stride for each extent"))
	}
	if err := checkShape(shape); err != nil {
		return refuse(err)
	}
	if _, err := Product(shape); err != nil {
		return refuse(fmt.Errorf("size: %w", err))
	}
	shapes, strides := shape.Leaves(), stride.Leaves()
	flat := make([]mode, len(shapes))
	for i := range shapes {
		if strides[i].kind != integer {
			return refuse(fmt.Errorf("stride: got %v, allowed are integers and scaled basis elements", strides[i]))
		}
		flat[i] = mode{shape: shapes[i].value, stride: strides[i].value}
		if flat[i].stride != 0 {
			flat[i].path = strides[i].path
		}
	}
	if err := checkValues(flat); err != nil {
		return refuse(err)
	}
	return Layout{shape: shape, stride: stride, flat: flat}, nil
}

// maxBasis bounds the rank of a layout's values.
const maxBasis = 64

// checkValues refuses strides that live in different spaces and a cosize beyond 64 bits.
func checkValues(flat []mode) error {
	for i, m := range flat {
		for _, p := range m.path {
			if p < 0 || p >= maxBasis {
				return fmt.Errorf("stride %v: got basis mode %d, allowed are 0 to %d", m.strideLeaf(), p, maxBasis-1)
			}
		}
		for _, other := range flat[:i] {
			short, long := m.path, other.path
			if len(short) > len(long) {
				short, long = long, short
			}
			if m.stride != 0 && other.stride != 0 && len(short) < len(long) && slices.Equal(short, long[:len(short)]) {
				return fmt.Errorf("strides %v and %v cannot be added, allowed are offsets or coordinates of one profile",
					other.strideLeaf(), m.strideLeaf())
			}
		}
	}
	if _, ok := cosize(flat); !ok {
		return fmt.Errorf("cosize %w", errOverflow)
	}
	return nil
}

// cosize is the product of the spans of the values' components, and whether it fits.
func cosize(flat []mode) (int, bool) {
	size := 1
	for i, m := range flat {
		if slices.ContainsFunc(flat[:i], func(o mode) bool { return slices.Equal(o.path, m.path) }) {
			continue
		}
		span := 1
		for _, o := range flat[i:] {
			if !slices.Equal(o.path, m.path) {
				continue
			}
			reach, ok := mul(o.shape-1, o.stride)
			if !ok {
				return 0, false
			}
			if span, ok = add(span, abs(reach)); !ok {
				return 0, false
			}
		}
		var ok bool
		if size, ok = mul(size, span); !ok {
			return 0, false
		}
	}
	return size, true
}

func (m mode) strideLeaf() Tuple { return Tuple{kind: integer, value: m.stride, path: m.path} }

// ColMajor is the compact layout of the shape with mode 0 fastest (CuTe's make_layout(shape), LayoutLeft). A mode of
// extent 1 gets stride 0, as in CuTe: (2,1,3):(1,0,2).
func ColMajor(shape Tuple) (Layout, error) {
	return compact(shape, func(n int) []int { return indices(n) })
}

// RowMajor is the compact layout of the shape with the last mode fastest (LayoutRight): (2,3):(3,1).
func RowMajor(shape Tuple) (Layout, error) {
	return compact(shape, func(n int) []int {
		order := indices(n)
		slices.Reverse(order)
		return order
	})
}

func indices(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// compact hands out strides to the leaves of shape in the given order.
func compact(shape Tuple, order func(n int) []int) (Layout, error) {
	if err := checkShape(shape); err != nil {
		return Layout{}, err
	}
	leaves := shape.Leaves()
	strides := make([]int, len(leaves))
	stride, ok := 1, true
	for _, i := range order(len(leaves)) {
		if leaves[i].value == 1 {
			continue
		}
		strides[i] = stride
		if stride, ok = mul(stride, leaves[i].value); !ok {
			return Layout{}, fmt.Errorf("shape %v: size %w", shape, errOverflow)
		}
	}
	next := 0
	return MakeLayout(shape, shape.mapLeaves(func(Tuple) Tuple {
		next++
		return Int(strides[next-1])
	}))
}

// Identity is the layout that gives back the coordinate (CuTe's make_identity_layout).
//
//	Identity((4,(2,3))) = (4,(2,3)):(1@0,(1@0@1,1@1@1))
func Identity(shape Tuple) (Layout, error) { return MakeLayout(shape, basisLike(shape, nil)) }

func basisLike(shape Tuple, path []int) Tuple {
	if shape.IsLeaf() {
		return Basis(1, path...)
	}
	elems := make([]Tuple, len(shape.elems))
	for i, e := range shape.elems {
		elems[i] = basisLike(e, append(slices.Clone(path), i))
	}
	return Tuple{elems: elems}
}

// Concat is the layout with the given ones as its modes (CuTe's make_layout(l0, l1, ...)). A size beyond 64 bits is an
// error.
func Concat(ls ...Layout) (Layout, error) {
	shapes, strides := make([]Tuple, len(ls)), make([]Tuple, len(ls))
	for i, l := range ls {
		shapes[i], strides[i] = l.shape, l.stride
	}
	return MakeLayout(Tuple{elems: shapes}, Tuple{elems: strides})
}

// Shape is the extents.
func (l Layout) Shape() Tuple { return l.shape }

// Stride is the strides, congruent to the shape.
func (l Layout) Stride() Tuple { return l.stride }

// Rank is the number of modes.
func (l Layout) Rank() int { return l.shape.Rank() }

// Depth is the depth of the shape: 0 for 8:1, 1 for (8):(1).
func (l Layout) Depth() int { return l.shape.Depth() }

// Size is the number of coordinates.
func (l Layout) Size() int {
	size := 1
	for _, m := range l.flat {
		size *= m.shape
	}
	return size
}

// Cosize is the span of the offsets, largest minus smallest plus one: how many elements a buffer needs. With strides of
// at least 0 it is the largest offset plus one. For basis strides it is the size of the box of coordinates (CuTe's
// size(coshape)).
func (l Layout) Cosize() int {
	size, ok := cosize(l.flat)
	if !ok {
		panic("bug: unchecked layout " + l.String())
	}
	return size
}

// Mode is mode i as a layout. It panics when i is out of range, as an index does.
func (l Layout) Mode(i int) Layout {
	if l.shape.IsLeaf() && i == 0 {
		return l
	}
	start := 0
	for _, s := range l.shape.elems[:i] {
		start += len(s.Leaves())
	}
	shape := l.shape.elems[i]
	return Layout{shape, l.stride.elems[i], l.flat[start : start+len(shape.Leaves())]}
}

// Modes lists the modes.
func (l Layout) Modes() []Layout {
	modes := make([]Layout, l.Rank())
	for i := range modes {
		modes[i] = l.Mode(i)
	}
	return modes
}

// Equal tells whether the layouts are the same text. Layouts that differ may still be equal as functions: compare them
// after Coalesce.
func (l Layout) Equal(m Layout) bool { return l.shape.Equal(m.shape) && l.stride.Equal(m.stride) }

// String prints shape:stride; ParseLayout reads it back.
func (l Layout) String() string {
	var b strings.Builder
	l.shape.print(&b)
	b.WriteByte(':')
	l.stride.print(&b)
	return b.String()
}

// HasBasis tells whether some stride is a scaled basis element, so that the values are coordinates.
func (l Layout) HasBasis() bool {
	return slices.ContainsFunc(l.flat, func(m mode) bool { return len(m.path) > 0 })
}

// Coord is the coordinate of domain position i, counted colexicographically (CuTe's idx2crd). As in CuTe the last mode
// is unbounded: for the shape (4,2), position 11 is (3,2).
func (l Layout) Coord(i int) Tuple { return coordOf(i, l.shape) }

func coordOf(i int, shape Tuple) Tuple {
	if shape.IsLeaf() {
		return Int(i)
	}
	elems := make([]Tuple, len(shape.elems))
	for k, s := range shape.elems {
		if k == len(elems)-1 {
			elems[k] = coordOf(i, s)
			break
		}
		n := 1
		for _, leaf := range s.Leaves() {
			n *= leaf.value
		}
		elems[k] = coordOf(i%n, s)
		i /= n
	}
	return Tuple{elems: elems}
}

// At is the offset of domain position i; the last mode is unbounded. The strides must be plain: see HasBasis.
func (l Layout) At(i int) int {
	offset := 0
	last := len(l.flat) - 1
	for k, m := range l.flat {
		if len(m.path) > 0 {
			panic("bug: At of " + l.String() + ", whose values are coordinates; use Value or Dot")
		}
		if k == last {
			return offset + i*m.stride
		}
		offset += i % m.shape * m.stride
		i /= m.shape
	}
	return offset
}

// Index is the offset at a coordinate (CuTe's crd2idx), which may be one integer for the whole domain or for any nested
// mode, a tuple of the shape's rank, or, if that is another rank, the flat list of all leaves. A coordinate outside the
// shape is an error.
//
//	((2,2),3):((1,6),2)   Index(7) = Index((3,1)) = Index(((1,1),1)) = Index((1,1,1)) = 9
func (l Layout) Index(coord Tuple) (int, error) {
	if l.HasBasis() {
		return 0, fmt.Errorf("index into %v: its values are coordinates, not offsets; use Value or Dot", l)
	}
	leaves, err := l.flatCoord(coord)
	if err != nil {
		return 0, err
	}
	offset := 0
	for k, m := range l.flat {
		offset += leaves[k] * m.stride
	}
	return offset, nil
}

// Value is the layout's value at a coordinate, in any of the forms that Index takes: a tuple of coordinates for basis
// strides, a leaf for plain ones.
//
//	(128,8):(1@0,1@1)   Value(133) = Value((5,1)) = (5,1)
func (l Layout) Value(coord Tuple) (Tuple, error) {
	leaves, err := l.flatCoord(coord)
	if err != nil {
		return Tuple{}, err
	}
	return l.valueAt(leaves), nil
}

// valueAt adds up the strides at a flat coordinate.
func (l Layout) valueAt(leaves []int) Tuple {
	value := Int(0)
	for k, m := range l.flat {
		value = addAt(value, m.path, leaves[k]*m.stride)
	}
	return value
}

// addAt adds n at the end of the path, growing lists with zeros where the path needs them.
func addAt(t Tuple, path []int, n int) Tuple {
	if len(path) == 0 {
		if t.IsLeaf() {
			return Int(t.value + n)
		}
		return t
	}
	var elems []Tuple
	if !t.IsLeaf() {
		elems = slices.Clone(t.elems)
	}
	for len(elems) <= path[0] {
		elems = append(elems, Int(0))
	}
	elems[path[0]] = addAt(elems[path[0]], path[1:], n)
	return Tuple{elems: elems}
}

// flatCoord checks a coordinate and spreads it over the leaves.
func (l Layout) flatCoord(coord Tuple) ([]int, error) {
	if !coord.IsLeaf() && coord.Depth() == 1 && coord.Rank() != l.Rank() && coord.Rank() == len(l.flat) {
		coord = unflatten(coord.elems, l.shape)
	}
	leaves, err := spread(coord, l.shape, make([]int, 0, len(l.flat)))
	if err != nil {
		return nil, fmt.Errorf("coordinate %v of %v: %w", coord, l, err)
	}
	return leaves, nil
}

// unflatten gives the leaves the profile of shape.
func unflatten(leaves []Tuple, shape Tuple) Tuple {
	next := 0
	return shape.mapLeaves(func(Tuple) Tuple {
		next++
		return leaves[next-1]
	})
}

// spread appends the leaf coordinates of coord within shape.
func spread(coord, shape Tuple, leaves []int) ([]int, error) {
	if coord.IsLeaf() {
		size, err := Product(shape)
		if err != nil {
			return nil, err
		}
		if !coord.isPlain() || coord.value < 0 || coord.value >= size {
			return nil, fmt.Errorf("got %v in shape %v, allowed is 0 to %d", coord, shape, size-1)
		}
		for _, leaf := range coordOf(coord.value, shape).Leaves() {
			leaves = append(leaves, leaf.value)
		}
		return leaves, nil
	}
	if shape.IsLeaf() || len(coord.elems) != len(shape.elems) {
		return nil, fmt.Errorf("%v does not fit the shape %v", coord, shape)
	}
	var err error
	for i, c := range coord.elems {
		if leaves, err = spread(c, shape.elems[i], leaves); err != nil {
			return nil, err
		}
	}
	return leaves, nil
}

// Component is the layout of coordinate component k: the same shape, and as plain strides the coefficients of the basis
// element k, 0 elsewhere.
//
//	((2,128),4):((4@1,1@0),1@1)   Component(0) = ((2,128),4):((0,1),0)
//	                              Component(1) = ((2,128),4):((4,0),1)
//
// A plain stride other than 0, and a basis element of a nested mode (1@0@1), are errors.
func (l Layout) Component(k int) (Layout, error) {
	for _, m := range l.flat {
		if m.stride != 0 && len(m.path) != 1 {
			return Layout{}, fmt.Errorf("component %d of %v: stride %v is not on a top-level mode, allowed is n@k",
				k, l, m.strideLeaf())
		}
	}
	return MakeLayout(l.shape, l.stride.mapLeaves(func(d Tuple) Tuple {
		if slices.Equal(d.path, []int{k}) {
			return Int(d.value)
		}
		return Int(0)
	}))
}

// Components lists Component(0) up to the largest basis element among the strides. A last coordinate along which nothing
// moves is not among them; Component gives it as zeros.
func (l Layout) Components() ([]Layout, error) {
	n := 0
	for _, m := range l.flat {
		if len(m.path) > 0 {
			n = max(n, m.path[0]+1)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("components of %v: its strides are plain, allowed are scaled basis elements n@k", l)
	}
	components := make([]Layout, n)
	for k := range components {
		var err error
		if components[k], err = l.Component(k); err != nil {
			return nil, err
		}
	}
	return components, nil
}

// Dot turns coordinates into offsets: each stride n@k becomes n*strides[k].
//
//	Dot((128,8):(1@0,1@1), 1, 132) = (128,8):(1,132)
func Dot(l Layout, strides ...int) (Layout, error) {
	var failed error
	stride := l.stride.mapLeaves(func(d Tuple) Tuple {
		switch {
		case d.value == 0:
			return Int(0)
		case len(d.path) != 1 || d.path[0] >= len(strides):
			failed = fmt.Errorf("dot product of %v with %d strides: stride %v has no partner, allowed is n@k with k below %d",
				l, len(strides), d, len(strides))
			return d
		}
		n, ok := mul(d.value, strides[d.path[0]])
		if !ok {
			failed = fmt.Errorf("dot product of %v: %v times %d %w", l, d, strides[d.path[0]], errOverflow)
		}
		return Int(n)
	})
	if failed != nil {
		return Layout{}, failed
	}
	return MakeLayout(l.shape, stride)
}

// DomainOffset is l and its value at the coordinate, by which the pointer moves so that coord becomes the new origin
// (CuTe's domain_offset). The shape stays: coordinates that leave the old domain are up to the caller.
//
//	DomainOffset((9,4):(4,1), (4,2)) = (9,4):(4,1) at offset 18
func DomainOffset(l Layout, coord Tuple) (Layout, Tuple, error) {
	offset, err := l.Value(coord)
	return l, offset, err
}

// Slice fixes the modes of l at which coord has an integer and keeps those at which it has _ (CuTe's slice_and_offset).
// The offset is l's value at the fixed part: a leaf, or a coordinate for basis strides.
//
//	Slice((3,(2,4)):(4,(1,16)), (2,(_,3))) = (2):(1) at offset 2*4 + 3*16 = 56
func Slice(l Layout, coord Tuple) (Layout, Tuple, error) {
	fixed := make([]int, 0, len(l.flat))
	shapes, strides, fixed, err := slice(coord, l.shape, l.stride, fixed)
	if err != nil {
		return Layout{}, Tuple{}, fmt.Errorf("slice %v of %v: %w", coord, l, err)
	}
	kept, err := MakeLayout(sliced(coord, shapes), sliced(coord, strides))
	if err != nil {
		return Layout{}, Tuple{}, fmt.Errorf("slice %v of %v: %w", coord, l, err)
	}
	return kept, l.valueAt(fixed), nil
}

// sliced wraps the kept modes: a bare _ keeps the whole layout, not a list of one.
func sliced(coord Tuple, kept []Tuple) Tuple {
	if coord.IsUnderscore() {
		return kept[0]
	}
	return Tuple{elems: kept}
}

// slice lists the kept shapes and strides, and appends the fixed leaf coordinates (0 where kept).
func slice(coord, shape, stride Tuple, fixed []int) (shapes, strides []Tuple, _ []int, err error) {
	switch {
	case coord.IsUnderscore():
		return []Tuple{shape}, []Tuple{stride}, append(fixed, make([]int, len(shape.Leaves()))...), nil
	case coord.IsLeaf() || !hasUnderscore(coord):
		fixed, err = spread(coord, shape, fixed)
		return nil, nil, fixed, err
	case shape.IsLeaf() || len(coord.elems) != len(shape.elems):
		return nil, nil, nil, fmt.Errorf("%v does not fit the shape %v", coord, shape)
	}
	for i, c := range coord.elems {
		var s, d []Tuple
		if s, d, fixed, err = slice(c, shape.elems[i], stride.elems[i], fixed); err != nil {
			return nil, nil, nil, err
		}
		shapes, strides = append(shapes, s...), append(strides, d...)
	}
	return shapes, strides, fixed, nil
}

func hasUnderscore(t Tuple) bool {
	return t.IsUnderscore() || slices.ContainsFunc(t.elems, hasUnderscore)
}

// position names domain position i of l for an error: "coordinate (3,1) (position 7)".
func (l Layout) position(i int) string {
	return "coordinate " + l.Coord(i).String() + " (position " + strconv.Itoa(i) + ")"
}

// leaves lists the modes at the leaves. The caller must not write to it.
func (l Layout) leaves() []mode { return l.flat }
