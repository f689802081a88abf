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
	if slices.ContainsFunc(merged, func(m mode) bool { return len(m.path) > 0 }) {
		return Layout{}, fmt.Errorf("right inverse of %v: its values are coordinates, allowed are plain strides; use Dot first", l)
	}
	var inverse []mode
	next := Const(1)
	for {
		k := slices.IndexFunc(merged, func(m mode) bool { return m.stride.Equal(next) && !m.shape.is(1) })
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
//
//	(M,4,K):(1,0,M)  ->  K*M:1
//
// A stride that is 0 for some values only, as M-1 is, is refused.
func Filter(l Layout) (Layout, error) {
	if err := l.zerosKnown("filter"); err != nil {
		return Layout{}, err
	}
	return flat(merge(slices.DeleteFunc(slices.Clone(l.modes), func(m mode) bool { return m.stride.is(0) })))
}

// FilterModes filters at the leaves of the profile, so that the rank stays (CuTe's filter with a target profile).
func FilterModes(l Layout, profile algebra.Tuple) (Layout, error) {
	return atLeaves("filter", Filter, l, profile)
}

// FilterZeros gives modes of stride 0 the extent 1 (CuTe's filter_zeros).
//
//	(M,4):(1,0)  ->  (M,1):(1,0)
//
// A stride that is 0 for some values only, as M-1 is, is refused.
func FilterZeros(l Layout) (Layout, error) {
	if err := l.zerosKnown("filter zeros"); err != nil {
		return Layout{}, err
	}
	f := Layout{profile: l.profile, modes: slices.Clone(l.modes)}
	for k := range f.modes {
		if f.modes[k].stride.is(0) {
			f.modes[k].shape = Const(1)
		}
	}
	return f, nil
}

// zerosKnown refuses a layout of which it depends on values which strides are 0.
func (l Layout) zerosKnown(op string) error {
	for _, m := range l.modes {
		if _, _, err := m.signed(); err != nil {
			return fmt.Errorf("%s %v: %w", op, l, err)
		}
	}
	return nil
}

// Nullspace lists the positions at which l gives 0, as far as modes of stride 0 do (CuTe's nullspace). Strides that are 0 for
// some values only are refused.
//
//	(M,4,K):(1,0,M)  ->  4:M
func Nullspace(l Layout) (Layout, error) {
	if err := l.zerosKnown("nullspace"); err != nil {
		return Layout{}, err
	}
	var still []mode
	below := Const(1)
	for _, m := range l.modes {
		if m.stride.is(0) && !m.shape.is(1) {
			still = append(still, mode{shape: m.shape, stride: below})
		}
		below = Mul(below, m.shape)
	}
	return flat(merge(still))
}

// Upcast views n neighbours as one element (CuTe's upcast): see algebra.Upcast. Strides must be multiples of n or divide it,
// for all values.
//
//	(M,4*k):(4*ld,1) by 4  ->  (M,k):(ld,1)
//	(M,K):(4*ld,1)   by 4  ->  (M,ceil(K/4)):(ld,1)
func Upcast(l Layout, n int) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("upcast of %v by %d: %w", l, n, err)
	}
	if n < 1 {
		return refuse(fmt.Errorf("allowed are words of at least 1 element"))
	}
	modes := slices.Clone(l.modes)
	inside := 0 // how far all modes together step into a word
	for k, m := range modes {
		if len(m.path) > 0 {
			return refuse(fmt.Errorf("its values are coordinates, allowed are plain strides"))
		}
		if q, ok := m.stride.over(Const(n)); ok {
			modes[k].stride = q
			continue
		}
		stride, known := m.stride.Value()
		switch {
		case !known:
			return refuse(undecided(asMultiple(m.stride, Const(n)), "whether %d divides the stride %v", n, m.stride))
		case stride < 0 || n%stride != 0:
			return refuse(fmt.Errorf("stride %d, allowed are multiples of %d and its divisors", stride, n))
		}
		steps := n / stride
		modes[k] = mode{shape: CeilDiv(m.shape, Const(steps)), stride: Const(1)}
		if extent, known := m.shape.Value(); known {
			steps = min(steps, extent)
		}
		var ok bool
		if inside, ok = add(inside, (steps-1)*stride); !ok || inside >= n {
			return refuse(fmt.Errorf("its modes together may leave a word of %d elements that they begin in", n))
		}
	}
	return of(l.profile, modes)
}

// Downcast views each element as n neighbours (CuTe's downcast): see algebra.Downcast. The first mode of stride 1 gets n times
// as many, all other strides grow.
//
//	(M,K):(lda,1) by 2  ->  (M,2*K):(2*lda,1)
func Downcast(l Layout, n int) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("downcast of %v by %d: %w", l, n, err)
	}
	if n < 1 {
		return refuse(fmt.Errorf("allowed are at least 1 part"))
	}
	modes := slices.Clone(l.modes)
	row := -1
	for k, m := range modes {
		if len(m.path) > 0 {
			return refuse(fmt.Errorf("its values are coordinates, allowed are plain strides"))
		}
		if m.stride.is(1) && (row < 0 || modes[row].shape.is(1) && !m.shape.is(1)) {
			row = k
		}
	}
	if row < 0 {
		return refuse(fmt.Errorf("no stride is known to be 1, allowed are layouts with adjacent elements"))
	}
	for k, m := range modes {
		if k == row {
			modes[k].shape = Mul(m.shape, Const(n))
		} else {
			modes[k].stride = Mul(m.stride, Const(n))
		}
	}
	return of(l.profile, modes)
}

// Recast is l, of elements of oldBits, as the same memory in elements of newBits (CuTe's recast_layout).
//
//	Recast((M,8*k):(8*ld,1), 16, 128) = (M,k):(ld,1)
func Recast(l Layout, oldBits, newBits int) (Layout, error) {
	if oldBits < 1 || newBits < 1 {
		return Layout{}, fmt.Errorf("recast of %v from %d to %d bits: allowed are at least 1", l, oldBits, newBits)
	}
	g := gcd(oldBits, newBits)
	if newBits > g {
		var err error
		if l, err = Upcast(l, newBits/g); err != nil {
			return Layout{}, err
		}
	}
	if oldBits > g {
		return Downcast(l, oldBits/g)
	}
	return l, nil
}

// DomainOffset is l from a coordinate on: the same layout and the offset of its new origin (CuTe's domain_offset).
//
//	DomainOffset((M,K):(lda,1), (i,4)) = (M,K):(lda,1) at offset i*lda+4
func DomainOffset(l Layout, c Coord) (Layout, Coord, error) {
	offset, err := l.Offset(c)
	return l, offset, err
}

// Flatten is l without nesting.
func Flatten(l Layout) (Layout, error) {
	return l.Rearranged(func(t algebra.Tuple) (algebra.Tuple, error) { return algebra.Flatten(t), nil })
}
