package algebra

import (
	"fmt"
	"math"
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
	profile profile
	n       int           // leaves
	few     [inPlace]mode // the leaves, if they are that few: then a layout needs no heap
	many    []mode        // the leaves otherwise
}

// inPlace is how many leaves a layout holds without the heap. A larger number makes every copy dearer.
const inPlace = 6

// mode is one leaf of a layout: extent, and stride along a basis element.
type mode struct {
	shape, stride int
	path          path // of the basis element; 0 for plain offsets
}

// newLayout is the layout of the modes, which are copied. They must come from checked layouts, or from checked.
func newLayout(p profile, modes []mode) Layout {
	l := Layout{profile: p, n: len(modes)}
	if len(modes) <= inPlace {
		copy(l.few[:], modes)
	} else {
		l.many = slices.Clone(modes)
	}
	return l
}

// leaves lists the modes at the leaves. The caller must not write to it.
func (l *Layout) leaves() []mode {
	if l.n > inPlace {
		return l.many
	}
	return l.few[:l.n]
}

// checked is newLayout of modes whose size and values may be beyond 64 bits: the error is MakeLayout's.
func checked(p profile, modes []mode) (Layout, error) {
	if fits(modes) {
		return newLayout(p, modes), nil
	}
	return MakeLayout(shapeOf(p, modes), strideOf(p, modes))
}

// fits tells whether the size and the values fit in 64 bits. What is far below that by floating point, fits.
func fits(modes []mode) bool {
	size, span, basis := 1.0, 1.0, path(0)
	for k := range modes {
		m := &modes[k]
		size *= float64(m.shape)
		span += float64(m.shape-1) * math.Abs(float64(m.stride))
		basis |= m.path
	}
	if basis == 0 && max(size, span) < 1<<62 {
		return true
	}
	return checkSize(modes) && checkValues(modes) == nil
}

func checkSize(modes []mode) bool {
	size, ok := 1, true
	for _, m := range modes {
		if size, ok = mul(size, m.shape); !ok {
			return false
		}
	}
	return true
}

func shapeOf(p profile, modes []mode) Tuple {
	leaves := make([]Tuple, len(modes))
	for k := range modes {
		leaves[k] = Int(modes[k].shape)
	}
	return p.tuple(leaves)
}

func strideOf(p profile, modes []mode) Tuple {
	leaves := make([]Tuple, len(modes))
	for k := range modes {
		leaves[k] = modes[k].strideLeaf()
	}
	return p.tuple(leaves)
}

// MakeLayout is the layout shape:stride. It refuses tuples that are not congruent, extents below 1, a size or a span of
// offsets beyond 64 bits, basis modes beyond 63 or more than 8 levels deep, and strides whose values cannot be added: 3 and 1@0, or 1@0 and 1@1@0.
// A stride of 0 is plain: 0@1 becomes 0.
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
	modes := make([]mode, len(shapes))
	for i := range shapes {
		if strides[i].kind != integer {
			return refuse(fmt.Errorf("stride: got %v, allowed are integers and scaled basis elements", strides[i]))
		}
		modes[i] = mode{shape: shapes[i].value, stride: strides[i].value}
		if modes[i].stride == 0 {
			continue
		}
		for _, p := range strides[i].path {
			if p < 0 || p >= maxBasis {
				return refuse(fmt.Errorf("stride %v: got basis mode %d, allowed are 0 to %d", strides[i], p, maxBasis-1))
			}
		}
		if len(strides[i].path) > maxPath {
			return refuse(fmt.Errorf("stride %v: got a basis element %d levels deep, allowed are %d", strides[i], len(strides[i].path), maxPath))
		}
		modes[i].path = pathOf(strides[i].path)
	}
	if err := checkValues(modes); err != nil {
		return refuse(err)
	}
	return newLayout(profileOf(shape), modes), nil
}

// maxBasis bounds the rank of a layout's values.
const maxBasis = 64

// path leads to a scaled basis element: byte k is one more than the mode to take at level k, from the outermost inwards.
type path uint64

// maxPath is how many levels a path may have.
const maxPath = 8

// pathOf packs at most maxPath modes below maxBasis.
func pathOf(modes []int) path {
	var p path
	for k, m := range modes {
		p |= path(m+1) << (8 * k)
	}
	return p
}

func (p path) modes() []int {
	var modes []int
	for ; p != 0; p >>= 8 {
		modes = append(modes, p.first())
	}
	return modes
}

// first is the outermost mode, below which p>>8 goes on.
func (p path) first() int { return int(p&0xff) - 1 }

// leadsTo tells whether q goes on where p, another path, ends.
func (p path) leadsTo(q path) bool {
	if p == q {
		return false
	}
	for p != 0 {
		if p&0xff != q&0xff {
			return false
		}
		p, q = p>>8, q>>8
	}
	return true
}

func (m mode) strideLeaf() Tuple { return Tuple{kind: integer, value: m.stride, path: m.path.modes()} }

// checkValues refuses strides that live in different spaces and a cosize beyond 64 bits.
func checkValues(modes []mode) error {
	for i, m := range modes {
		for _, other := range modes[:i] {
			if m.stride != 0 && other.stride != 0 && (m.path.leadsTo(other.path) || other.path.leadsTo(m.path)) {
				return fmt.Errorf("strides %v and %v cannot be added, allowed are offsets or coordinates of one profile",
					other.strideLeaf(), m.strideLeaf())
			}
		}
	}
	if _, ok := cosize(modes); !ok {
		return fmt.Errorf("cosize %w", errOverflow)
	}
	return nil
}

// cosize is the product of the spans of the values' components, and whether it fits.
func cosize(modes []mode) (int, bool) {
	size := 1
	for i, m := range modes {
		if slices.ContainsFunc(modes[:i], func(o mode) bool { return o.path == m.path }) {
			continue
		}
		span := 1
		for _, o := range modes[i:] {
			if o.path != m.path {
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
	var list [listSpace]byte
	var space [2 * inPlace]mode
	b := builder{append(list[:0], '('), space[:0]}
	for i := range ls {
		b = b.add(&ls[i])
	}
	return b.layout()
}

// builder collects the modes of a layout. It is a value, so that its slices may begin in arrays of the stack.
type builder struct {
	list  []byte // the profile, up to the ')'
	modes []mode
}

// listSpace is for profiles that are put together without the heap.
const listSpace = 32

// add appends l as a mode.
func (b builder) add(l *Layout) builder {
	return builder{l.profile.within(b.list), append(b.modes, l.leaves()...)}
}

func (b builder) layout() (Layout, error) {
	p := flatProfile(len(b.modes))
	if len(b.modes) != len(b.list)-1 {
		p = made(append(b.list, ')'))
	}
	return checked(p, b.modes)
}

// Shape is the extents.
func (l Layout) Shape() Tuple { return shapeOf(l.profile, l.leaves()) }

// Stride is the strides, congruent to the shape.
func (l Layout) Stride() Tuple { return strideOf(l.profile, l.leaves()) }

// Rank is the number of modes.
func (l Layout) Rank() int { return l.profile.rank() }

// Depth is the depth of the shape: 0 for 8:1, 1 for (8):(1).
func (l Layout) Depth() int { return l.profile.depth() }

// Size is the number of coordinates.
func (l Layout) Size() int { return sizeOf(l.leaves()) }

func sizeOf(modes []mode) int {
	size := 1
	for k := range modes {
		size *= modes[k].shape
	}
	return size
}

// Cosize is the span of the offsets, largest minus smallest plus one: how many elements a buffer needs. With strides of
// at least 0 it is the largest offset plus one. For basis strides it is the size of the box of coordinates (CuTe's
// size(coshape)).
func (l Layout) Cosize() int {
	size, ok := cosize(l.leaves())
	if !ok {
		panic("bug: unchecked layout " + l.String())
	}
	return size
}

// Mode is mode i as a layout. It panics when i is out of range, as an index does.
func (l Layout) Mode(i int) Layout {
	if l.profile.isLeaf() && i == 0 {
		return l
	}
	p, before := l.profile.element(i)
	return newLayout(p, l.leaves()[before:before+p.leaves()])
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
func (l Layout) Equal(m Layout) bool {
	return l.profile == m.profile && slices.Equal(l.leaves(), m.leaves())
}

// String prints shape:stride; ParseLayout reads it back.
func (l Layout) String() string {
	var b strings.Builder
	l.Shape().print(&b)
	b.WriteByte(':')
	l.Stride().print(&b)
	return b.String()
}

// HasBasis tells whether some stride is a scaled basis element, so that the values are coordinates.
func (l Layout) HasBasis() bool { return !plain(l.leaves()) }

// plain tells whether all strides are offsets.
func plain(modes []mode) bool {
	for k := range modes {
		if modes[k].path != 0 {
			return false
		}
	}
	return true
}

// Coord is the coordinate of domain position i, counted colexicographically (CuTe's idx2crd). As in CuTe the last mode
// is unbounded: for the shape (4,2), position 11 is (3,2).
func (l Layout) Coord(i int) Tuple {
	var space [maxDigits]int
	leaves := make([]Tuple, l.n)
	for k, digit := range appendDigits(space[:0], i, l.leaves()) {
		leaves[k] = Int(digit)
	}
	return l.profile.tuple(leaves)
}

// appendDigits appends the leaf coordinates of position i, the last one unbounded.
func appendDigits(digits []int, i int, modes []mode) []int {
	last := len(modes) - 1
	for k := range modes {
		if k == last {
			return append(digits, i)
		}
		digits = append(digits, i%modes[k].shape)
		i /= modes[k].shape
	}
	return digits
}

// At is the offset of position i. It is for loops that stay in the domain, 0 to Size()-1, and checks nothing: behind the
// domain the last mode goes on, as in CuTe, where Index errs, and its product may wrap around.
//
//	(4,2):(2,1)   At(0) to At(7) = 0 2 4 6 1 3 5 7   At(8) = 2   At(200) = 50   Index(8) is an error
//
// The strides must be plain: it panics where HasBasis is true.
func (l Layout) At(i int) int {
	modes := l.leaves()
	offset := 0
	last := len(modes) - 1
	for k := range modes {
		m := &modes[k]
		if m.path != 0 {
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

// maxDigits is how many leaf coordinates are kept without the heap.
const maxDigits = 16

// Index is the offset at a coordinate (CuTe's crd2idx), which may be one integer for the whole domain or for any nested
// mode, a tuple of the shape's rank, or, if that is another rank, the flat list of all leaves. A coordinate outside the
// shape is an error.
//
//	((2,2),3):((1,6),2)   Index(7) = Index((3,1)) = Index(((1,1),1)) = Index((1,1,1)) = 9
func (l Layout) Index(coord Tuple) (int, error) {
	if l.HasBasis() {
		return 0, fmt.Errorf("index into %v: its values are coordinates, not offsets; use Value or Dot", l)
	}
	var space [maxDigits]int
	digits, err := l.flatCoord(coord, space[:0])
	if err != nil {
		return 0, err
	}
	offset := 0
	for k, m := range l.leaves() {
		offset += digits[k] * m.stride
	}
	return offset, nil
}

// Value is the layout's value at a coordinate, in any of the forms that Index takes: a tuple of coordinates for basis
// strides, a leaf for plain ones.
//
//	(128,8):(1@0,1@1)   Value(133) = Value((5,1)) = (5,1)
func (l Layout) Value(coord Tuple) (Tuple, error) {
	var space [maxDigits]int
	digits, err := l.flatCoord(coord, space[:0])
	if err != nil {
		return Tuple{}, err
	}
	return l.valueAt(digits), nil
}

// valueAt adds up the strides at a flat coordinate.
func (l Layout) valueAt(digits []int) Tuple {
	value := Int(0)
	for k, m := range l.leaves() {
		value = addAt(value, m.path, digits[k]*m.stride)
	}
	return value
}

// addAt adds n at the end of the path, growing lists with zeros where the path needs them.
func addAt(t Tuple, p path, n int) Tuple {
	if p == 0 {
		if t.IsLeaf() {
			return Int(t.value + n)
		}
		return t
	}
	var elems []Tuple
	if !t.IsLeaf() {
		elems = slices.Clone(t.elems)
	}
	first := p.first()
	for len(elems) <= first {
		elems = append(elems, Int(0))
	}
	elems[first] = addAt(elems[first], p>>8, n)
	return Tuple{elems: elems}
}

// flatCoord checks a coordinate and appends its digits at the leaves.
func (l Layout) flatCoord(coord Tuple, digits []int) ([]int, error) {
	if !coord.IsLeaf() && coord.Depth() == 1 && coord.Rank() == l.n && coord.Rank() != l.Rank() {
		coord = unflatten(coord.elems, l.Shape())
	}
	digits, err := spread(coord, l.profile, l.leaves(), digits)
	if err != nil {
		return nil, fmt.Errorf("coordinate %v of %v: %w", coord, l, err)
	}
	return digits, nil
}

// unflatten gives the leaves the profile of shape.
func unflatten(leaves []Tuple, shape Tuple) Tuple {
	next := 0
	return shape.mapLeaves(func(Tuple) Tuple {
		next++
		return leaves[next-1]
	})
}

// spread appends the digits of coord within the shape of the modes.
func spread(coord Tuple, p profile, modes []mode, digits []int) ([]int, error) {
	if coord.IsLeaf() {
		size := sizeOf(modes)
		if !coord.isPlain() || coord.value < 0 || coord.value >= size {
			return nil, fmt.Errorf("got %v in shape %v, allowed is 0 to %d", coord, shapeOf(p, modes), size-1)
		}
		return appendDigits(digits, coord.value, modes), nil
	}
	if p.isLeaf() || len(coord.elems) != p.rank() {
		return nil, fmt.Errorf("%v does not fit the shape %v", coord, shapeOf(p, modes))
	}
	at := 1
	for _, c := range coord.elems {
		end := p.end(at)
		e := p[at:end].normal()
		n := e.leaves()
		var err error
		if digits, err = spread(c, e, modes[:n], digits); err != nil {
			return nil, err
		}
		at, modes = end, modes[n:]
	}
	return digits, nil
}

// Component is the layout of coordinate component k: the same shape, and as plain strides the coefficients of the basis
// element k, 0 elsewhere.
//
//	((2,128),4):((4@1,1@0),1@1)   Component(0) = ((2,128),4):((0,1),0)
//	                              Component(1) = ((2,128),4):((4,0),1)
//
// A plain stride other than 0, and a basis element of a nested mode (1@0@1), are errors.
func (l Layout) Component(k int) (Layout, error) {
	for _, m := range l.leaves() {
		if m.stride != 0 && (m.path == 0 || m.path>>8 != 0) {
			return Layout{}, fmt.Errorf("component %d of %v: stride %v is not on a top-level mode, allowed is n@k",
				k, l, m.strideLeaf())
		}
	}
	return MakeLayout(l.Shape(), l.Stride().mapLeaves(func(d Tuple) Tuple {
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
	for _, m := range l.leaves() {
		if m.path != 0 {
			n = max(n, m.path.first()+1)
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
	stride := l.Stride().mapLeaves(func(d Tuple) Tuple {
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
	return MakeLayout(l.Shape(), stride)
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
	kept := builder{list: []byte("(")}
	fixed, err := slice(coord, l.profile, l.leaves(), &kept, nil)
	if err != nil {
		return Layout{}, Tuple{}, fmt.Errorf("slice %v of %v: %w", coord, l, err)
	}
	if coord.IsUnderscore() { // a bare _ keeps the whole layout, not a list of one
		return l, l.valueAt(fixed), nil
	}
	sliced, err := kept.layout()
	if err != nil {
		return Layout{}, Tuple{}, fmt.Errorf("slice %v of %v: %w", coord, l, err)
	}
	return sliced, l.valueAt(fixed), nil
}

// slice collects the kept modes side by side, and appends the fixed digits (0 where kept).
func slice(coord Tuple, p profile, modes []mode, kept *builder, fixed []int) ([]int, error) {
	switch {
	case coord.IsUnderscore():
		kept.list, kept.modes = p.within(kept.list), append(kept.modes, modes...)
		return append(fixed, make([]int, len(modes))...), nil
	case coord.IsLeaf() || !hasUnderscore(coord):
		return spread(coord, p, modes, fixed)
	case p.isLeaf() || len(coord.elems) != p.rank():
		return nil, fmt.Errorf("%v does not fit the shape %v", coord, shapeOf(p, modes))
	}
	at := 1
	for _, c := range coord.elems {
		end := p.end(at)
		e := p[at:end].normal()
		n := e.leaves()
		var err error
		if fixed, err = slice(c, e, modes[:n], kept, fixed); err != nil {
			return nil, err
		}
		at, modes = end, modes[n:]
	}
	return fixed, nil
}

func hasUnderscore(t Tuple) bool {
	return t.IsUnderscore() || slices.ContainsFunc(t.elems, hasUnderscore)
}

// position names domain position i of l for an error: "coordinate (3,1) (position 7)".
func (l Layout) position(i int) string {
	return "coordinate " + l.Coord(i).String() + " (position " + strconv.Itoa(i) + ")"
}
