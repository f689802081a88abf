package dynamic

import (
	"fmt"
	"slices"

	"cutegen/algebra"
)

// RightInverse is a layout R with l(R(i)) = i (CuTe's right_inverse), as long as it is so for all values: a mode goes on
// where the modes before it end. Modes whose stride is another expression are left out, though it may have that value.
//
//	(M,K):(K,1)    ->  (K,M):(M,1)
//	(M,8):(lda,1)  ->  8:M
func RightInverse(l Layout) (Layout, error) {
	merged := merge(l.modes)
	var inverse []mode
	next := Const(1)
	for {
		k := slices.IndexFunc(merged, func(m mode) bool { return m.stride.Equal(next) && len(m.path) == 0 && !m.shape.is(1) })
		if k < 0 {
			break
		}
		below := Const(1)
		for _, m := range merged[:k] {
			below = Mul(below, m.shape)
		}
		inverse = append(inverse, mode{shape: merged[k].shape, stride: below})
		next = Mul(next, merged[k].shape)
	}
	r, err := flat(merge(inverse))
	if err != nil {
		return Layout{}, fmt.Errorf("right inverse of %v: %w", l, err)
	}
	return r, nil
}

// LeftInverse is a layout R with R(l(i)) = i (CuTe's left_inverse). l's modes must nest for all values: see Complement.
//
//	(M,8):(lda,1) with lda = 8*ld  ->  (8,ld,M):(M,0,1)
func LeftInverse(l Layout) (Layout, error) {
	sorted, err := nested(l)
	if err != nil {
		return Layout{}, fmt.Errorf("left inverse of %v: %w", l, err)
	}
	merged := merge(l.modes)
	var inverse []mode
	end := Const(1)
	for _, m := range sorted {
		gap, _ := m.stride.over(end)
		if !gap.is(1) {
			inverse = append(inverse, mode{shape: gap})
		}
		below := Const(1)
		for _, o := range merged {
			if o.stride.Equal(m.stride) && o.shape.Equal(m.shape) {
				break
			}
			below = Mul(below, o.shape)
		}
		inverse = append(inverse, mode{shape: m.shape, stride: below})
		end = Mul(m.shape, m.stride)
	}
	r, err := flat(merge(inverse))
	if err != nil {
		return Layout{}, fmt.Errorf("left inverse of %v: %w", l, err)
	}
	return r, nil
}

// Filter drops the modes of stride 0 and known extent 1 and coalesces the rest (CuTe's filter).
func Filter(l Layout) (Layout, error) {
	var moving []mode
	for _, m := range l.modes {
		if !m.stride.is(0) {
			moving = append(moving, m)
		}
	}
	f, err := flat(merge(moving))
	if err != nil {
		return Layout{}, err
	}
	return Coalesce(f)
}

// Upcast views n neighbours as one element (CuTe's upcast). Strides must be multiples of n or divide it, and extents that
// are merged must be multiples, for all values.
//
//	(M,4*k):(4*ld,1) by 4  ->  (M,k):(ld,1)
func Upcast(l Layout, n int) (Layout, error) {
	if n < 1 {
		return Layout{}, fmt.Errorf("upcast %v by %d: allowed are factors of at least 1", l, n)
	}
	modes := slices.Clone(l.modes)
	for k, m := range modes {
		if m.stride.is(0) {
			continue
		}
		if q, ok := m.stride.over(Const(n)); ok {
			modes[k].stride = q
			continue
		}
		merged, ok := Const(n).over(m.stride)
		if !ok || !m.stride.AtLeast(Const(1)) {
			return Layout{}, fmt.Errorf("upcast %v by %d: %w", l, n, undecided("whether %d and the stride %v divide is not known", n, m.stride))
		}
		extent, ok := m.shape.over(merged)
		if !ok {
			return Layout{}, fmt.Errorf("upcast %v by %d: %w", l, n, undecided("whether %v divides the extent %v is not known", merged, m.shape))
		}
		modes[k].shape, modes[k].stride = extent, Const(1)
	}
	return of(l.profile, modes)
}

// Downcast views each element as n neighbours (CuTe's downcast): the mode of stride 1 gets n times as many, all other
// strides grow.
//
//	(M,K):(lda,1) by 2  ->  (M,2*K):(2*lda,1)
func Downcast(l Layout, n int) (Layout, error) {
	if n < 1 {
		return Layout{}, fmt.Errorf("downcast %v by %d: allowed are factors of at least 1", l, n)
	}
	modes := slices.Clone(l.modes)
	unit := false
	for k, m := range modes {
		if !unit && m.stride.is(1) && !m.shape.is(1) {
			unit = true
			modes[k].shape = Mul(m.shape, Const(n))
			continue
		}
		modes[k].stride = Mul(m.stride, Const(n))
	}
	if !unit && n > 1 {
		return Layout{}, fmt.Errorf("downcast %v by %d: no mode has the stride 1", l, n)
	}
	return of(l.profile, modes)
}

// DomainOffset is l from a coordinate on: the same layout and the offset of its new origin (CuTe's domain_offset).
func DomainOffset(l Layout, c Coord) (Layout, string, error) {
	offset, err := l.Offset(c)
	return l, offset, err
}

// Flatten is l without nesting.
func Flatten(l Layout) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return algebra.Flatten(t), nil })
}
