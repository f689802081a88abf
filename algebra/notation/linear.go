package notation

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// Bases is a layout as a LinearLayout of Triton, after from triton.tools import LinearLayout: a function that is linear over F2,
// f(i xor j) = f(i) xor f(j), given by its values at the powers of two of each mode's positions.
//
//	(4,8):(8,1)              LinearLayout.from_bases([("mode0", [[8], [16]]), ("mode1", [[1], [2], [4]])], ["offset"], [32], False)
//	Sw<1,0,1> o 0 o 4:1      LinearLayout.from_bases([("mode0", [[1], [3]])], ["offset"], [4], False)
//	(2,2):(1@1,1@0)          LinearLayout.from_bases([("mode0", [[0, 1]]), ("mode1", [[1, 0]])], ["dim0", "dim1"], [2, 2], False)
//
// The sizes of the values are the smallest powers of two that hold them. Extents that are no powers of two, values that are not
// linear, and values that are negative or beyond 30 bits are errors, and so is what is no layout.
func Bases(v Value) (string, error) {
	m, err := linearOf(v)
	if err != nil {
		return "", fmt.Errorf("%v as bases: %w", v, err)
	}
	modes := make([]string, len(m.bases))
	for i, b := range m.bases {
		modes[i] = fmt.Sprintf("(%q, %s)", "mode"+strconv.Itoa(i), basesText(b))
	}
	names := make([]string, len(m.sizes))
	for k := range names {
		names[k] = strconv.Quote("dim" + strconv.Itoa(k))
	}
	if m.offsets {
		names = []string{`"offset"`}
	}
	return "LinearLayout.from_bases([" + strings.Join(modes, ", ") + "], [" + strings.Join(names, ", ") + "], " + list(m.sizes) + ", False)", nil
}

// linear is a function that is linear over F2.
type linear struct {
	bases   [][][]int // mode, bit of its position, component of the value
	sizes   []int     // of the components: powers of two above all values
	offsets bool      // the values are offsets, not coordinates
}

// maxBits bounds the values, which are 32-bit integers with a sign in Triton, and so are their sizes.
const maxBits = 30

func linearOf(v Value) (linear, error) {
	var l algebra.Layout
	var s algebra.Swizzle
	switch v := v.(type) {
	case algebra.Layout:
		l = v
	case algebra.Composed:
		if err := v.Validate(); err != nil {
			return linear{}, err
		}
		if v.Offset != 0 {
			return linear{}, fmt.Errorf("position 0 is at %d of the layout, and a linear function is 0 there", v.Swizzle.Apply(v.Offset))
		}
		l, s = v.Layout, v.Swizzle
	case dynamic.Layout, Swizzled:
		return linear{}, fmt.Errorf("its sizes are known at run time, allowed are integers")
	case Pair:
		return linear{}, fmt.Errorf("it begins at an offset, and a linear function is 0 at 0; ask for the layout alone")
	default:
		return linear{}, fmt.Errorf("allowed are layouts and swizzled layouts")
	}
	components := []algebra.Layout{l}
	if l.HasBasis() {
		var err error
		if components, err = l.Components(); err != nil {
			return linear{}, err
		}
	}
	for _, n := range l.Shape().Leaves() {
		if n.Value()&(n.Value()-1) != 0 {
			return linear{}, fmt.Errorf("extent %v is no power of two", n)
		}
	}
	m := linear{sizes: make([]int, len(components)), offsets: !l.HasBasis()}
	modes := make([][]algebra.Layout, len(components))
	for k, c := range components {
		modes[k] = c.Modes()
	}
	for i := range l.Modes() {
		var bases [][]int
		for bit := range bits.Len(uint(modes[0][i].Size())) - 1 {
			basis := make([]int, len(components))
			for k := range components {
				basis[k] = modes[k][i].At(1 << bit)
			}
			bases = append(bases, basis)
		}
		m.bases = append(m.bases, bases)
	}
	for k := range components {
		if err := m.checkComponent(k); err != nil {
			return linear{}, err
		}
	}
	// A swizzle is linear, and the layout below it is.
	for _, mode := range m.bases {
		for _, basis := range mode {
			for k := range basis {
				basis[k] = s.Apply(basis[k])
				if basis[k] >= 1<<maxBits {
					return linear{}, fmt.Errorf("it reaches offset %d, allowed is less than 2^%d", basis[k], maxBits)
				}
				m.sizes[k] |= basis[k]
			}
		}
	}
	for k, all := range m.sizes {
		m.sizes[k] = 1 << bits.Len(uint(all))
	}
	return m, nil
}

// checkComponent refuses a component that is not linear. It is a sum of the bases, and a sum is an xor, whichever bases are in
// it, if and only if no two have a bit in common.
func (m linear) checkComponent(k int) error {
	type place struct{ mode, bit, value int }
	var seen []place
	for i, mode := range m.bases {
		for bit, basis := range mode {
			n := basis[k]
			if n < 0 {
				return fmt.Errorf("position %d of mode %d has the value %d, allowed are at least 0", 1<<bit, i, n)
			}
			if n >= 1<<maxBits {
				return fmt.Errorf("position %d of mode %d has the value %d, allowed is less than 2^%d", 1<<bit, i, n, maxBits)
			}
			for _, p := range seen {
				if p.value&n != 0 {
					return fmt.Errorf("it is not linear: position %d of mode %d has the value %d, position %d of mode %d has %d, and both together %d, not %d xor %d = %d",
						1<<p.bit, p.mode, p.value, 1<<bit, i, n, p.value+n, p.value, n, p.value^n)
				}
			}
			seen = append(seen, place{i, bit, n})
		}
	}
	return nil
}

func list(ns []int) string { return "[" + joined(ns, ", ") + "]" }

func basesText(bases [][]int) string {
	texts := make([]string, len(bases))
	for i, b := range bases {
		texts[i] = list(b)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// Bounds of a Triton program: threads of a warp and of a block, elements of a tensor, and the rank up to which a blocked layout is looked for.
const (
	warpThreads  = 32
	blockThreads = 1024
	tensorSize   = 1 << 20
	blockedRank  = 5
)

// Triton is a layout from (thread,value,...) to the coordinates of a tile as a distributed layout of Gluon, after from
// triton.experimental.gluon import language as gl. Registers are counted along the modes behind the first.
//
//	((8,4),(4,1)):((4@1,1@0),(1@1,0))
//	    gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[1, 1], order=[1, 0])
//
//	lane    0: row 0, columns 0 1 2 3        lane 8: row 1, columns 0 1 2 3
//	lane    1: row 0, columns 4 5 6 7        ...
//
// Where no blocked layout has each element in the same register of the same lane it is a DistributedLinearLayout, as for the
// fragments of the tensor cores. Plain strides are offsets into a tensor of rank 1. The tensor is the box of the coordinates: a
// last coordinate along which nothing moves does not belong to it. Besides what Bases refuses, it is an error if the threads are
// not whole warps of 32, or more than 1024, if an element of the tensor is at no thread, or the tensor has more than 2^20.
func Triton(v Value) (string, error) {
	text, err := triton(v)
	if err != nil {
		return "", fmt.Errorf("%v as a Triton layout: %w", v, err)
	}
	return text, nil
}

func triton(v Value) (string, error) {
	if _, ok := v.(dynamic.Layout); ok {
		return "", fmt.Errorf("its sizes are known at run time, allowed are integers")
	}
	l, ok := v.(algebra.Layout)
	if !ok {
		return "", fmt.Errorf("allowed are layouts of (thread,value)")
	}
	if l.Rank() < 2 {
		return "", fmt.Errorf("it has one mode, allowed are (thread,value) and more modes of values")
	}
	threads := l.Mode(0).Size()
	if threads%warpThreads != 0 || threads > blockThreads {
		return "", fmt.Errorf("mode 0 has %d threads, allowed are multiples of %d up to %d", threads, warpThreads, blockThreads)
	}
	m, err := linearOf(l)
	if err != nil {
		return "", err
	}
	if err := m.checkOnto(); err != nil {
		return "", err
	}
	lanes := bits.Len(warpThreads) - 1
	t := distributed{lane: m.bases[0][:lanes], warp: m.bases[0][lanes:], shape: m.sizes}
	for _, mode := range m.bases[1:] {
		t.reg = append(t.reg, mode...)
	}
	if text, ok := t.blocked(); ok {
		return text, nil
	}
	return fmt.Sprintf("gl.DistributedLinearLayout(reg_bases=%s, lane_bases=%s, warp_bases=%s, block_bases=[], shape=%s)",
		basesText(t.reg), basesText(t.lane), basesText(t.warp), list(t.shape)), nil
}

// checkOnto refuses functions that leave an element of the tensor out. No two bases have a bit of a component in common, so each
// bit must be a basis of its own.
func (m linear) checkOnto() error {
	elements := 1
	for k, size := range m.sizes {
		if elements *= size; elements > tensorSize {
			return fmt.Errorf("a tensor of %s has more than %d elements", list(m.sizes), tensorSize)
		}
		for bit := 1; bit < size; bit *= 2 {
			alone := func(basis []int) bool { return basis[k] == bit }
			if !slices.ContainsFunc(m.bases, func(mode [][]int) bool { return slices.ContainsFunc(mode, alone) }) {
				return fmt.Errorf("no thread has the element at %d of coordinate %d", bit, k)
			}
		}
	}
	return nil
}

// distributed is the bases of registers, lanes and warps.
type distributed struct {
	reg, lane, warp [][]int
	shape           []int
}

// blocked is the blocked layout that has the same bases, if there is one.
func (t distributed) blocked() (text string, ok bool) {
	rank := len(t.shape)
	threads, ok1 := counts(t.lane, rank)
	warps, ok2 := counts(t.warp, rank)
	if !ok1 || !ok2 || rank > blockedRank {
		return "", false
	}
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	for ordered := true; ordered; ordered = previous(order) {
		// The block of a thread is as large as it can be; registers behind it repeat the block over the tensor.
		for n := len(t.reg); n >= 0; n-- {
			size, ok := counts(t.reg[:n], rank)
			if !ok || !t.equals(size, threads, warps, order) {
				continue
			}
			return fmt.Sprintf("gl.BlockedLayout(size_per_thread=%s, threads_per_warp=%s, warps_per_cta=%s, order=%s)",
				list(size), list(threads), list(warps), list(order)), true
		}
	}
	return "", false
}

// equals tells whether the blocked layout has t's bases: it hands out the bits of each coordinate to registers, lanes, warps, and the
// rest to registers, at each of these along the coordinates in the order.
func (t distributed) equals(size, threads, warps, order []int) bool {
	next := make([]int, len(order)) // bit of each coordinate
	for d := range next {
		next[d] = 1
	}
	deal := func(extents []int) (bases [][]int) {
		for _, d := range order {
			for n := 1; n < extents[d]; n *= 2 {
				basis := make([]int, len(order))
				basis[d] = next[d]
				next[d] *= 2
				bases = append(bases, basis)
			}
		}
		return bases
	}
	reg, lane, warp := deal(size), deal(threads), deal(warps)
	rest := make([]int, len(order))
	for d := range rest {
		rest[d] = t.shape[d] / next[d]
	}
	reg = append(reg, deal(rest)...)
	same := func(a, b [][]int) bool { return slices.EqualFunc(a, b, slices.Equal[[]int]) }
	return same(reg, t.reg) && same(lane, t.lane) && same(warp, t.warp)
}

// counts is 2 to the number of bases along each coordinate; ok is false if one moves nothing.
func counts(bases [][]int, rank int) (extents []int, ok bool) {
	extents = make([]int, rank)
	for d := range extents {
		extents[d] = 1
	}
	for _, basis := range bases {
		d := slices.IndexFunc(basis, func(n int) bool { return n != 0 })
		if d < 0 {
			return nil, false
		}
		extents[d] *= 2
	}
	return extents, true
}

// previous makes order the permutation before it; ok is false if it is the first.
func previous(order []int) (ok bool) {
	i := len(order) - 2
	for i >= 0 && order[i] <= order[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(order) - 1
	for order[j] >= order[i] {
		j--
	}
	order[i], order[j] = order[j], order[i]
	slices.Reverse(order[i+1:])
	return true
}
