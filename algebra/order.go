package algebra

import (
	"cmp"
	"fmt"
)

// WeaklyCongruent tells whether b has a's profile or refines it: each leaf of a has any tuple in its place (CuTe's
// weakly_congruent). Every coordinate of b's profile has a part for each leaf of a.
//
//	WeaklyCongruent((4,5), (4,(2,3)))  true
//	WeaklyCongruent((4,(2,3)), (4,5))  false
func WeaklyCongruent(a, b Tuple) bool {
	if a.IsLeaf() {
		return true
	}
	if b.IsLeaf() || len(a.elems) != len(b.elems) {
		return false
	}
	for i, e := range a.elems {
		if !WeaklyCongruent(e, b.elems[i]) {
			return false
		}
	}
	return true
}

// EvenlyDivides tells whether the tiler b cuts the shape a without a remainder (CuTe's evenly_divides): a tuple cuts
// mode by mode, an integer n takes n elements from the front.
//
//	EvenlyDivides((8,6), (4,3))  true
//	EvenlyDivides((8,6), 16)     true    8 times 2
//	EvenlyDivides((8,6), 32)     false   4 does not divide 6
func EvenlyDivides(a, b Tuple) bool {
	if !b.IsLeaf() {
		if len(b.elems) > a.Rank() || a.IsLeaf() {
			return false
		}
		for i, e := range b.elems {
			if !EvenlyDivides(a.elems[i], e) {
				return false
			}
		}
		return true
	}
	rest, err := CeilDiv(a, b)
	if err != nil {
		return false
	}
	size, err := Product(a)
	if err != nil {
		return false
	}
	tiles, err := Product(rest)
	if err != nil {
		return false
	}
	n, ok := mul(tiles, b.value)
	return ok && n == size
}

// ElemLess tells whether each element of a is below b's (CuTe's elem_less): a coordinate is inside a shape. Elements that
// a lacks are inside, those that b lacks are not.
//
//	ElemLess((3,(1,2)), (4,(2,8)))  true
//	ElemLess((4,(1,2)), (4,(2,8)))  false
//
// This is a partial order: neither of (1,5) and (5,1) is below the other. An integer beside a tuple is an error here and
// in LexLess and ColexLess.
func ElemLess(a, b Tuple) (bool, error) {
	if a.IsLeaf() || b.IsLeaf() {
		order, err := compareLeaves(a, b)
		return order < 0, err
	}
	for i, e := range a.elems {
		if i == len(b.elems) {
			return false, nil
		}
		if inside, err := ElemLess(e, b.elems[i]); err != nil || !inside {
			return false, err
		}
	}
	return true, nil
}

// LexLess compares the first elements that differ (CuTe's lex_less). A tuple comes before its extensions.
//
//	LexLess((1,9), (2,0))  true
func LexLess(a, b Tuple) (bool, error) {
	order, err := compare(a, b, false)
	return order < 0, err
}

// ColexLess compares the last elements that differ, counted from the end (CuTe's colex_less): the order in which a
// layout counts its coordinates.
//
//	ColexLess((1,9), (2,0))  false
//	ColexLess((2,0), (1,9))  true
func ColexLess(a, b Tuple) (bool, error) {
	order, err := compare(a, b, true)
	return order < 0, err
}

// compare is below, at or above 0 as a is before, at or behind b, read from the front or from the back.
func compare(a, b Tuple, back bool) (int, error) {
	if a.IsLeaf() || b.IsLeaf() {
		return compareLeaves(a, b)
	}
	for i := range min(len(a.elems), len(b.elems)) {
		p, q := i, i
		if back {
			p, q = len(a.elems)-1-i, len(b.elems)-1-i
		}
		if order, err := compare(a.elems[p], b.elems[q], back); err != nil || order != 0 {
			return order, err
		}
	}
	return cmp.Compare(len(a.elems), len(b.elems)), nil
}

func compareLeaves(a, b Tuple) (int, error) {
	if !a.isPlain() || !b.isPlain() {
		return 0, fmt.Errorf("%v against %v: allowed are two integers or two tuples", a, b)
	}
	return cmp.Compare(a.value, b.value), nil
}
