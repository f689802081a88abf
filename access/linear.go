package access

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Linear is what linear algebra over bits says about a tile. Where the tile and the accesses have powers of two of everything, a
// layout that moves bits by exclusive or is a matrix over F2, and so are row major, column major and every swizzle. Two lanes meet in
// a bank when their positions differ by a combination of the matrix's segment bits, those above the banks; so an access has no
// conflict exactly when its lanes' bits and the segment bits are independent. Choosing the segment bits is choosing the layout.
//
// Source: Zhou et al., Linear Layouts (arXiv 2505.23819), section on optimal swizzling.
type Linear struct {
	// Bases are the offsets of the tile's positions 1, 2, 4, ... in a layout without conflicts. The offset of another position is the
	// exclusive or of the bases of its bits. Nil if Why says why there are none.
	Bases []int
	// Why: the accesses are not linear, or no linear layout serves them all.
	Why string
	// Impossible tells that no linear layout serves them all: this was proved.
	Impossible bool
}

// span is a subspace of bit vectors: element k is a vector whose highest bit is k, or 0.
type span [64]int

// reduce gives what is left of v: 0 if it lies in the subspace.
func (s *span) reduce(v int) int {
	for v != 0 {
		k := bits.Len(uint(v)) - 1
		if s[k] == 0 {
			return v
		}
		v ^= s[k]
	}
	return 0
}

// add extends the subspace by v, and tells whether v was outside.
func (s *span) add(v int) bool {
	if v = s.reduce(v); v == 0 {
		return false
	}
	s[bits.Len(uint(v))-1] = v
	return true
}

// linearUse is a use as bit vectors of the tile's positions.
type linearUse struct {
	name   string
	vector []int // the bits of the place within the vector, lowest first
	lanes  []int // the bits of the lane within a phase
}

// linear finds a layout of the tile, of a number of elements, in which no use has a conflict.
func linear(size, elemBytes int, uses []Use) Linear {
	if bits.OnesCount(uint(size)) != 1 {
		return Linear{Why: fmt.Sprintf("the tile has %d elements, which is no power of two", size)}
	}
	width := bits.Len(uint(size)) - 1
	var all []linearUse
	for _, u := range uses {
		l, why := newLinearUse(u, elemBytes)
		if why != "" {
			return Linear{Why: why}
		}
		all = append(all, l)
	}
	// The places within a vector are the lowest bits of the offset: each use's are those of the widest, or the first of them.
	widest := slices.MaxFunc(all, func(a, b linearUse) int { return len(a.vector) - len(b.vector) })
	low := slices.Clone(widest.vector)
	for _, u := range all {
		if !slices.Equal(u.vector, low[:len(u.vector)]) {
			return Linear{Impossible: true, Why: fmt.Sprintf(
				"the vectors of %s and %s hold different neighbours: no layout has both side by side", widest.name, u.name)}
		}
	}
	// Elements that share a word: any that some lanes use together will do.
	var inLow span
	for _, v := range low {
		inLow.add(v)
	}
	perRow := bits.Len(uint(banks*bankBytes/elemBytes)) - 1 // bits of the elements of one row of the banks
	perWord := bits.Len(uint(max(1, bankBytes/elemBytes))) - 1
	for _, u := range all {
		for _, v := range u.lanes {
			if len(low) < perWord && inLow.add(v) {
				low = append(low, v)
			}
		}
	}
	rows := make([]span, len(all)) // what of each use must lie in one row of the banks
	for k, u := range all {
		for _, v := range slices.Concat(low[:max(len(u.vector), min(perWord, len(low)))], u.lanes) {
			rows[k].add(v)
		}
	}
	segments, known := outside(rows, width, max(0, width-perRow))
	switch {
	case segments == nil && known:
		return Linear{Impossible: true, Why: "every choice of the bits above the banks puts two lanes of some access in one bank"}
	case segments == nil:
		return Linear{Why: "too many choices of the bits above the banks to try them all"}
	}
	return Linear{Bases: bases(low, all[0].lanes, segments, width)}
}

func newLinearUse(u Use, elemBytes int) (l linearUse, why string) {
	threads, values := u.Coord.Mode(0).Size(), u.Coord.Mode(1).Size()
	for _, n := range []int{threads, values, u.Vector} {
		if bits.OnesCount(uint(n)) != 1 {
			return l, fmt.Sprintf("access %s has %d threads, %d values and vectors of %d, which are not all powers of two",
				u.Name, threads, values, u.Vector)
		}
	}
	for i := range u.Coord.Size() {
		// All but its lowest bit, and that bit: by induction all bits.
		if rest := i & (i - 1); u.Coord.At(i) != u.Coord.At(rest)^u.Coord.At(i^rest) {
			return l, fmt.Sprintf("access %s: %v is not linear over bits", u.Name, u.Coord)
		}
	}
	l.name = u.Name
	for k := 1; k < u.Vector; k *= 2 {
		l.vector = append(l.vector, u.Coord.At(threads*k))
	}
	for k := 1; k < min(threads, phaseLanes(u.Vector*elemBytes)); k *= 2 {
		l.lanes = append(l.lanes, u.Coord.At(k))
	}
	return l, ""
}

// maxTried bounds the vectors that outside tries.
const maxTried = 1 << 18

// outside looks for n independent vectors of a width no combination of which lies in one of the subspaces: of single bits first. For
// one or two subspaces there are some whenever there is room, as two proper subspaces do not cover the whole. known tells whether all
// choices were tried.
func outside(subspaces []span, width, n int) (found []int, known bool) {
	vectors := make([]int, 1<<width-1)
	for k := range vectors {
		vectors[k] = k + 1
	}
	slices.SortStableFunc(vectors, func(a, b int) int {
		return cmp.Or(cmp.Compare(bits.OnesCount(uint(a)), bits.OnesCount(uint(b))), cmp.Compare(b, a))
	})
	tried := 0
	var extend func(subspaces []span, from, n int) ([]int, bool)
	extend = func(subspaces []span, from, n int) ([]int, bool) {
		if n == 0 {
			return []int{}, true
		}
		known := true
		for k := from; k < len(vectors); k++ {
			if tried++; tried > maxTried {
				return nil, false
			}
			v := vectors[k]
			if slices.ContainsFunc(subspaces, func(s span) bool { return s.reduce(v) == 0 }) {
				continue
			}
			with := slices.Clone(subspaces)
			for k := range with {
				with[k].add(v)
			}
			rest, all := extend(with, k+1, n-1)
			if rest != nil {
				return append([]int{v}, rest...), true
			}
			known = known && all
		}
		return nil, known
	}
	return extend(subspaces, 0, n)
}

// bases are the offsets of the positions 1, 2, 4, ... where the offset's bits are, from the lowest: low, the banks, the segments. The
// banks' bits are the lanes', as far as they are free.
func bases(low, lanes, segments []int, width int) []int {
	var taken span
	for _, v := range slices.Concat(low, segments) {
		taken.add(v)
	}
	order := slices.Clone(low)
	candidates := slices.Clone(lanes)
	for k := range width {
		candidates = append(candidates, 1<<k)
	}
	for _, v := range candidates {
		if taken.add(v) {
			order = append(order, v)
		}
	}
	order = append(order, segments...)
	// Row k of the matrix says which position offset bit k is: solve for the offset of each position bit.
	offsets := make([]int, width)
	var echelon, made [64]int // vectors by their highest bit, and which of order they are made of
	for k, v := range order {
		of := 1 << k
		for v != 0 {
			h := bits.Len(uint(v)) - 1
			if echelon[h] == 0 {
				echelon[h], made[h] = v, of
				break
			}
			v, of = v^echelon[h], of^made[h]
		}
	}
	for k := range width {
		for v := 1 << k; v != 0; {
			h := bits.Len(uint(v)) - 1
			v, offsets[k] = v^echelon[h], offsets[k]^made[h]
		}
	}
	return offsets
}
