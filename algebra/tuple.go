package algebra

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Tuple is CuTe's IntTuple: an integer, or a list of Tuples. A leaf (4) and a list of one leaf ((4)) are different
// tuples. It serves as a shape, a stride, a coordinate and a projection.
//
//	4                leaf
//	(4,(2,8))        list of rank 2, depth 2
//	(1@0,4@1)        leaves may be scaled basis elements: strides that walk through coordinates
//	(3,_)            a coordinate with a hole, for Slice
//
// Tuples are immutable. The zero value is the empty list ().
type Tuple struct {
	kind  kind
	value int
	path  []int
	elems []Tuple
}

type kind uint8

const (
	list kind = iota
	integer
	underscore
)

// Underscore is CuTe's _ (and X, which is the same object there): in a coordinate it keeps a whole mode, in a
// projection it drops one, in a Tiler it leaves a mode as it is.
var Underscore = Tuple{kind: underscore}

// Int is the leaf n.
func Int(n int) Tuple { return Tuple{kind: integer, value: n} }

// Basis is the scaled basis element n·E<path...>: the coordinate that is n at the end of the path and 0 elsewhere.
//
//	Basis(4, 1)     prints 4@1     the coordinate (0,4)
//	Basis(2, 0, 1)  prints 2@1@0   the coordinate ((0,2)): CuTe prints a path from its end
//
// Basis(n) without a path is Int(n).
func Basis(n int, path ...int) Tuple {
	return Tuple{kind: integer, value: n, path: slices.Clone(path)}
}

// MakeTuple is the list of the given elements.
func MakeTuple(elems ...Tuple) Tuple { return Tuple{elems: slices.Clone(elems)} }

// Ints is the list of the given leaves.
func Ints(ns ...int) Tuple {
	elems := make([]Tuple, len(ns))
	for i, n := range ns {
		elems[i] = Int(n)
	}
	return Tuple{elems: elems}
}

// IsLeaf tells whether t is an integer, a scaled basis element or _, as opposed to a list.
func (t Tuple) IsLeaf() bool { return t.kind != list }

// IsUnderscore tells whether t is the leaf _.
func (t Tuple) IsUnderscore() bool { return t.kind == underscore }

// Rank is the number of elements of a list, and 1 for a leaf.
func (t Tuple) Rank() int {
	if t.IsLeaf() {
		return 1
	}
	return len(t.elems)
}

// Depth is 0 for a leaf, and one more than the deepest element for a list.
func (t Tuple) Depth() int {
	if t.IsLeaf() {
		return 0
	}
	depth := 0
	for _, e := range t.elems {
		depth = max(depth, e.Depth())
	}
	return depth + 1
}

// Mode is element i of a list; a leaf is its own mode 0. It panics when i is out of range, as an index does.
func (t Tuple) Mode(i int) Tuple {
	if t.IsLeaf() && i == 0 {
		return t
	}
	return t.elems[i]
}

// modes lists the elements of t, a leaf being its own only one. The caller must not write to the result.
func (t Tuple) modes() []Tuple {
	if t.IsLeaf() {
		return []Tuple{t}
	}
	return t.elems
}

// Value is the integer of a leaf, the coefficient of a scaled basis element. It panics on a list and on _.
func (t Tuple) Value() int {
	if t.kind != integer {
		panic("bug: Value of " + t.String())
	}
	return t.value
}

// BasisPath is the path of a scaled basis element, from the outermost mode inwards; nil for a plain integer.
func (t Tuple) BasisPath() []int { return slices.Clone(t.path) }

// Leaves lists the leaves of t from left to right.
func (t Tuple) Leaves() []Tuple {
	if t.IsLeaf() {
		return []Tuple{t}
	}
	var leaves []Tuple
	for _, e := range t.elems {
		leaves = append(leaves, e.Leaves()...)
	}
	return leaves
}

// Equal tells whether t and u are the same tuple: same profile, same leaves.
func (t Tuple) Equal(u Tuple) bool {
	return t.kind == u.kind && t.value == u.value && slices.Equal(t.path, u.path) &&
		slices.EqualFunc(t.elems, u.elems, Tuple.Equal)
}

// String prints t in CuTe's notation; ParseTuple reads it back.
func (t Tuple) String() string {
	var b strings.Builder
	t.print(&b)
	return b.String()
}

func (t Tuple) print(b *strings.Builder) {
	switch t.kind {
	case underscore:
		b.WriteByte('_')
	case integer:
		b.WriteString(strconv.Itoa(t.value))
		for _, p := range slices.Backward(t.path) {
			b.WriteByte('@')
			b.WriteString(strconv.Itoa(p))
		}
	case list:
		b.WriteByte('(')
		for i, e := range t.elems {
			if i > 0 {
				b.WriteByte(',')
			}
			e.print(b)
		}
		b.WriteByte(')')
	}
}

// isPlain tells whether t is an integer without a basis.
func (t Tuple) isPlain() bool { return t.kind == integer && len(t.path) == 0 }

// mapLeaves is t with f applied to each leaf.
func (t Tuple) mapLeaves(f func(Tuple) Tuple) Tuple {
	if t.IsLeaf() {
		return f(t)
	}
	elems := make([]Tuple, len(t.elems))
	for i, e := range t.elems {
		elems[i] = e.mapLeaves(f)
	}
	return Tuple{elems: elems}
}

// Product is the product of the leaves: the size of a shape. The product of () is 1. A leaf that is no plain integer,
// and a product beyond 64 bits, are errors.
func Product(t Tuple) (int, error) {
	product, ok := 1, true
	for _, leaf := range t.Leaves() {
		if !leaf.isPlain() {
			return 0, fmt.Errorf("product of %v: %v is not a plain integer", t, leaf)
		}
		if product, ok = mul(product, leaf.value); !ok {
			return 0, fmt.Errorf("product of %v: %w", t, errOverflow)
		}
	}
	return product, nil
}

// ProductEach replaces each top-level element of a shape by its product (CuTe's product_each). A leaf counts as a list of one.
//
//	ProductEach((4,(2,8))) = (4,16)
//
// Errors are those of Product.
func ProductEach(shape Tuple) (Tuple, error) {
	elems := make([]Tuple, shape.Rank())
	for i, e := range shape.modes() {
		n, err := Product(e)
		if err != nil {
			return Tuple{}, err
		}
		elems[i] = Int(n)
	}
	return Tuple{elems: elems}, nil
}

// ProductLike replaces what t has at each leaf of the guide by its product (CuTe's product_like): the shape t, as seen by
// coordinates of the guide's profile.
//
//	ProductLike((4,(2,(3,5))), (0,(0,0))) = (4,(2,15))
//
// A guide that is finer than t, and the errors of Product, are errors.
func ProductLike(t, guide Tuple) (Tuple, error) {
	if guide.IsLeaf() {
		n, err := Product(t)
		return Int(n), err
	}
	if t.IsLeaf() || len(t.elems) != len(guide.elems) {
		return Tuple{}, fmt.Errorf("product of %v like %v: allowed are guides that it refines", t, guide)
	}
	elems := make([]Tuple, len(t.elems))
	for i, e := range t.elems {
		var err error
		if elems[i], err = ProductLike(e, guide.elems[i]); err != nil {
			return Tuple{}, err
		}
	}
	return Tuple{elems: elems}, nil
}

// Flatten is the list of t's leaves; a leaf stays a leaf.
func Flatten(t Tuple) Tuple {
	if t.IsLeaf() {
		return t
	}
	return Tuple{elems: t.Leaves()}
}

// Congruent tells whether a and b have the same profile: lists of the same ranks at every level (CuTe's congruent).
func Congruent(a, b Tuple) bool {
	if a.IsLeaf() || b.IsLeaf() {
		return a.IsLeaf() && b.IsLeaf()
	}
	return slices.EqualFunc(a.elems, b.elems, Congruent)
}

// Compatible tells whether every coordinate of shape a is also one of shape b, and the sizes are equal: b refines a at
// a's leaves (CuTe's compatible).
//
//	Compatible(24, (4,6))         true
//	Compatible((4,6), (4,(2,3)))  true
//	Compatible((4,6), 24)         false
func Compatible(a, b Tuple) bool {
	if a.IsLeaf() {
		n, err := Product(b)
		return err == nil && a.isPlain() && a.value == n
	}
	return !b.IsLeaf() && slices.EqualFunc(a.elems, b.elems, Compatible)
}

// CeilDiv divides shapes, rounding up (CuTe's ceil_div). Tuples divide element by element, missing elements of b being
// 1. A tuple by an integer hands the remaining divisor from mode to mode:
//
//	CeilDiv((16,5), (4,1)) = (4,5)
//	CeilDiv((4,16), 46)    = (1,2)   4 takes the divisor down to ceil(46/4) = 12
func CeilDiv(a, b Tuple) (Tuple, error) {
	for _, t := range []Tuple{a, b} {
		if err := checkShape(t); err != nil {
			return Tuple{}, fmt.Errorf("ceil_div of %v by %v: %w", a, b, err)
		}
	}
	return ceilDiv(a, b)
}

func ceilDiv(a, b Tuple) (Tuple, error) {
	if a.IsLeaf() {
		n, err := Product(b)
		return Int(ceil(a.value, n)), err
	}
	elems := make([]Tuple, len(a.elems))
	var err error
	if b.IsLeaf() {
		rest := b.value
		for i, e := range a.elems {
			if elems[i], err = ceilDiv(e, Int(rest)); err != nil {
				return Tuple{}, err
			}
			n, err := Product(e)
			if err != nil {
				return Tuple{}, err
			}
			rest = ceil(rest, n)
		}
		return Tuple{elems: elems}, nil
	}
	if len(b.elems) > len(a.elems) {
		return Tuple{}, fmt.Errorf("ceil_div of %v by %v: the divisor has rank %d, allowed is at most %d",
			a, b, len(b.elems), len(a.elems))
	}
	for i, e := range a.elems {
		elems[i] = e
		if i < len(b.elems) {
			if elems[i], err = ceilDiv(e, b.elems[i]); err != nil {
				return Tuple{}, err
			}
		}
	}
	return Tuple{elems: elems}, nil
}

// checkShape refuses leaves that are no positive plain integers.
func checkShape(t Tuple) error {
	for _, leaf := range t.Leaves() {
		if !leaf.isPlain() || leaf.value < 1 {
			return fmt.Errorf("shape %v: got %v, allowed are integers of at least 1", t, leaf)
		}
	}
	return nil
}

var errOverflow = errors.New("does not fit in 64 bits")

// ceil is ceil(a/b) for a >= 0, b > 0.
func ceil(a, b int) int {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}

// mul is a*b, and whether it fits.
func mul(a, b int) (int, bool) {
	if (a|b)>>31 == 0 {
		return a * b, true
	}
	return mulWide(a, b)
}

func mulWide(a, b int) (int, bool) {
	hi, lo := bits.Mul64(uint64(abs(a)), uint64(abs(b)))
	if hi != 0 || lo > math.MaxInt64 || a == math.MinInt || b == math.MinInt {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int(lo), true
	}
	return int(lo), true
}

// add is a+b, and whether it fits.
func add(a, b int) (int, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}
