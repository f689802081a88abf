package tiled

import (
	"fmt"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/atom"
)

// MMA is a product of matrices tiled over threads (CuTe's TiledMMA). Make one with MakeMMA.
type MMA struct {
	Atom atom.MMA
	// Threads maps (V,M,N,K) to a thread: V counts the threads of an atom, M, N and K the atoms (CuTe's ThrLayoutVMNK).
	Threads algebra.Layout
	// Permutation cuts M, N and K of a tensor into tiles: an integer, or a layout that also reorders (CuTe's PermutationMNK).
	Permutation algebra.Tile

	byThread algebra.Layout // thread -> position in (V,M,N,K)
}

// MakeMMA tiles an atom (CuTe's make_tiled_mma). atoms maps (M,N,K) to the number of the atom, missing modes being 1:0.
// permutation has an element for each of M, N and K: an integer, a layout, or _ for the size of the atoms together; nil or
// _ stands for three of them.
//
//	MakeMMA(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,0), nil)
//
//	Threads   (32,2,2,1):(1,32,64,0)
//	TileShape (32,16,16)
//
// Two atoms of one number are an error.
func MakeMMA(a atom.MMA, atoms algebra.Layout, permutation algebra.Tiler) (MMA, error) {
	refuse := func(err error) (MMA, error) {
		return MMA{}, fmt.Errorf("tiled %s by atoms %v and permutation %v: %w", a.Name, atoms, permutation, err)
	}
	if atoms.Rank() > 3 {
		return refuse(fmt.Errorf("the atoms have rank %d, allowed is at most 3", atoms.Rank()))
	}
	atoms, err := atoms.AppendTo(3)
	if err != nil {
		return refuse(err)
	}
	m := MMA{Atom: a}
	if m.Threads, err = algebra.TiledProduct(a.ThrID, atoms); err != nil {
		return refuse(err)
	}
	if m.Permutation, err = permutationOf(permutation); err != nil {
		return refuse(err)
	}
	for i, size := range []int{a.M, a.N, a.K} {
		if t, ok := m.Permutation[i].(algebra.Tuple); ok && t.IsUnderscore() {
			n, err := algebra.Product(algebra.Ints(size, m.Threads.Mode(i+1).Size()))
			if err != nil {
				return refuse(err)
			}
			m.Permutation[i] = algebra.Int(n)
		}
	}
	if m.byThread, err = positions(m.Threads); err != nil {
		return refuse(err)
	}
	return m, nil
}

// permutationOf lists the tilers of M, N and K.
func permutationOf(t algebra.Tiler) (algebra.Tile, error) {
	var tile algebra.Tile
	switch t := t.(type) {
	case nil:
	case algebra.Tile:
		tile = append(tile, t...)
	case algebra.Tuple:
		if t.IsLeaf() && !t.IsUnderscore() {
			return nil, fmt.Errorf("permutation %v: allowed are tuples and _", t)
		}
		if !t.IsLeaf() {
			for i := range t.Rank() {
				tile = append(tile, t.Mode(i))
			}
		}
	default:
		return nil, fmt.Errorf("permutation %v: allowed are tuples and _", t)
	}
	if len(tile) > 3 {
		return nil, fmt.Errorf("permutation %v has rank %d, allowed is at most 3", tile, len(tile))
	}
	for len(tile) < 3 {
		tile = append(tile, algebra.Underscore)
	}
	for i, t := range tile {
		switch t := t.(type) {
		case algebra.Layout:
			continue
		case algebra.Tuple:
			if t.IsUnderscore() || t.IsLeaf() && len(t.BasisPath()) == 0 && t.Value() > 0 {
				continue
			}
		}
		return nil, fmt.Errorf("permutation of mode %d: got %v, allowed are integers of at least 1, layouts and _", i, t)
	}
	return tile, nil
}

// positions is the layout thread -> position in (V,M,N,K). An id that the layout skips has the position of the one before the
// gap: lanes 4 to 15 of the quad pairs of SM70 do what lanes 0 to 3 do.
func positions(threads algebra.Layout) (algebra.Layout, error) {
	gaps, err := algebra.Complement(threads, algebra.Filter(threads).Cosize())
	if err != nil {
		return algebra.Layout{}, err
	}
	all, err := algebra.Concat(threads, gaps)
	if err != nil {
		return algebra.Layout{}, err
	}
	byID, err := algebra.RightInverse(all)
	if err != nil {
		return algebra.Layout{}, err
	}
	if byID.Size() != all.Size() {
		return algebra.Layout{}, fmt.Errorf("threads %v: only the ids below %d are reached in order", threads, byID.Size())
	}
	// A second mode of stride 0: the copies in the gaps.
	first, err := algebra.MakeLayout(algebra.Ints(threads.Size(), 1), algebra.Ints(1, 0))
	if err != nil {
		return algebra.Layout{}, err
	}
	return algebra.Composition(first, byID)
}

// Size is the number of threads of a block that take part (CuTe's size(tiled_mma)); ids that Threads skips count too.
func (m MMA) Size() int { return m.byThread.Size() }

// TileShape is (M,N,K) of the tile that all threads work on at once (CuTe's tile_shape).
func (m MMA) TileShape() algebra.Tuple {
	return algebra.Ints(m.tileSize(0), m.tileSize(1), m.tileSize(2))
}

func (m MMA) tileSize(i int) int {
	switch t := m.Permutation[i].(type) {
	case algebra.Layout:
		return t.Size()
	case algebra.Tuple:
		return t.Value()
	}
	panic(fmt.Sprintf("bug: permutation %v was not made by MakeMMA", m.Permutation))
}

// An operand is one of the three matrices: its two modes among M, N, K, and the atom's (thread, value) layout.
type operand struct {
	name   string
	rows   int
	cols   int
	layout algebra.Layout
}

func (m MMA) a() operand { return operand{"A", 0, 2, m.Atom.A} }
func (m MMA) b() operand { return operand{"B", 1, 2, m.Atom.B} }
func (m MMA) c() operand { return operand{"C", 0, 1, m.Atom.C} }

// ThrfrgA deals a tensor (M,K,...) out to all threads: ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,...))) (CuTe's thrfrg_A). FrgV
// is the values of one atom. A tile that does not divide is rounded up as in algebra.LogicalDivide.
func (m MMA) ThrfrgA(l algebra.Layout) (algebra.Layout, error) { return m.thrfrg(l, m.a()) }

// ThrfrgB is ThrfrgA for a tensor (N,K,...) (CuTe's thrfrg_B).
func (m MMA) ThrfrgB(l algebra.Layout) (algebra.Layout, error) { return m.thrfrg(l, m.b()) }

// ThrfrgC is ThrfrgA for a tensor (M,N,...) (CuTe's thrfrg_C).
func (m MMA) ThrfrgC(l algebra.Layout) (algebra.Layout, error) { return m.thrfrg(l, m.c()) }

func (m MMA) thrfrg(l algebra.Layout, o operand) (algebra.Layout, error) {
	refuse := func(err error) (algebra.Layout, error) {
		return algebra.Layout{}, fmt.Errorf("%s of tiled %s: tensor %v: %w", o.name, m.Atom.Name, l, err)
	}
	if l.Rank() < 2 {
		return refuse(fmt.Errorf("rank %d, allowed is at least 2", l.Rank()))
	}
	permuted, err := algebra.LogicalDivide(l, algebra.Tile{m.Permutation[o.rows], m.Permutation[o.cols]})
	if err != nil {
		return refuse(err)
	}
	sizes := []int{m.Atom.M, m.Atom.N, m.Atom.K}
	byAtom, err := algebra.ZippedDivide(permuted, algebra.Tile{line(sizes[o.rows]), line(sizes[o.cols])})
	if err != nil {
		return refuse(err)
	}
	tv, err := algebra.CompositionTiler(byAtom, algebra.Tile{o.layout, algebra.Underscore})
	if err != nil {
		return refuse(err)
	}
	thr, err := algebra.ZippedDivide(tv, algebra.Tile{
		algebra.Underscore,
		algebra.Tile{line(m.Threads.Mode(1 + o.rows).Size()), line(m.Threads.Mode(1 + o.cols).Size())},
	})
	if err != nil {
		return refuse(err)
	}
	return thr, nil
}

// line is n:1, which a Tiler takes as a layout.
func line(n int) algebra.Layout {
	l, err := algebra.MakeLayout(algebra.Int(n), algebra.Int(1))
	if err != nil {
		panic("bug: tiled: " + err.Error())
	}
	return l
}

// LayoutATV maps (thread, value) to an index into the column-major tile (M,K) (CuTe's get_layoutA_TV).
//
//	SM80_16x8x16_F32F16F16F32_TN, atoms (2,1,1):(1,0,0)
//	((4,8,2),((2,2,2),(1,1))):((64,1,16),((32,8,256),(0,0)))
func (m MMA) LayoutATV() (algebra.Layout, error) { return m.layoutTV(m.a()) }

// LayoutBTV is LayoutATV for the tile (N,K) (CuTe's get_layoutB_TV).
func (m MMA) LayoutBTV() (algebra.Layout, error) { return m.layoutTV(m.b()) }

// LayoutCTV is LayoutATV for the tile (M,N) (CuTe's get_layoutC_TV). Threads that differ only along K have partial sums of the
// same elements: they share them. (CuTe's goes on behind the tile there.)
func (m MMA) LayoutCTV() (algebra.Layout, error) { return m.layoutTV(m.c()) }

func (m MMA) layoutTV(o operand) (algebra.Layout, error) {
	tile, err := algebra.ColMajor(algebra.Ints(m.tileSize(o.rows), m.tileSize(o.cols)))
	if err != nil {
		return algebra.Layout{}, err
	}
	tv, err := m.thrfrg(tile, o)
	if err != nil {
		return algebra.Layout{}, err
	}
	if share, ok := m.sharing(o); ok {
		if tv, err = algebra.CompositionTiler(tv, algebra.Tile{algebra.Tile{algebra.Underscore, share}, algebra.Underscore}); err != nil {
			return algebra.Layout{}, err
		}
	}
	return algebra.CompositionTiler(tv, algebra.Tile{m.byThread, algebra.Underscore})
}

// sharing turns the grid of an operand's threads into (M,N,K): a mode of stride 0 for the one that the operand lacks.
func (m MMA) sharing(o operand) (algebra.Tile, bool) {
	size := func(i int) int { return m.Threads.Mode(1 + i).Size() }
	shared := func(n, k, dn, dk int) algebra.Layout {
		l, err := algebra.MakeLayout(algebra.Ints(n, k), algebra.Ints(dn, dk))
		if err != nil {
			panic("bug: tiled: " + err.Error())
		}
		return l
	}
	switch o.name {
	case "A":
		return algebra.Tile{shared(size(0), size(1), 1, 0), algebra.Underscore}, true
	case "B":
		return algebra.Tile{shared(size(0), size(1), 0, 1), algebra.Underscore}, true
	}
	return algebra.Tile{algebra.Underscore, shared(size(1), size(2), 1, 0)}, size(2) > 1
}

// ThrMMA is one thread of an MMA: thread V of the atom at (M,N,K) of Threads (CuTe's ThrMMA).
type ThrMMA struct {
	MMA        MMA
	V, M, N, K int
}

// Slice is the thread of that id (CuTe's get_slice and get_thread_slice). CuTe wraps ids beyond Size; here they are errors.
func (m MMA) Slice(thread int) (ThrMMA, error) {
	if thread < 0 || thread >= m.Size() {
		return ThrMMA{}, fmt.Errorf("thread %d of tiled %s by threads %v: allowed is 0 to %d", thread, m.Atom.Name, m.Threads, m.Size()-1)
	}
	var digits [4]int
	at := m.byThread.At(thread)
	for i := range digits {
		n := m.Threads.Mode(i).Size()
		digits[i], at = at%n, at/n
	}
	return ThrMMA{m, digits[0], digits[1], digits[2], digits[3]}, nil
}

// PartitionA is the thread's part of a tensor (M,K,...): (FrgV,RestM,RestK,...) and its offset, a coordinate for basis strides
// (CuTe's partition_A).
//
//	SM80_16x8x16_F32F16F16F32_TN, atoms (2,1,1):(1,0,0), thread 37
//	of (128,64):(1@0,1@1)    ((2,2,2),4,4):((1@1,8@0,8@1),32@0,16@1) at (17,2)
func (t ThrMMA) PartitionA(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) {
	return t.partition(l, t.MMA.a())
}

// PartitionB is PartitionA for a tensor (N,K,...) (CuTe's partition_B).
func (t ThrMMA) PartitionB(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) {
	return t.partition(l, t.MMA.b())
}

// PartitionC is PartitionA for a tensor (M,N,...) (CuTe's partition_C).
func (t ThrMMA) PartitionC(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) {
	return t.partition(l, t.MMA.c())
}

func (t ThrMMA) partition(l algebra.Layout, o operand) (algebra.Layout, algebra.Tuple, error) {
	thr, err := t.MMA.thrfrg(l, o)
	if err != nil {
		return algebra.Layout{}, algebra.Tuple{}, err
	}
	at := []int{t.M, t.N, t.K}
	return algebra.Slice(thr, algebra.MakeTuple(
		algebra.MakeTuple(algebra.Int(t.V), algebra.Ints(at[o.rows], at[o.cols])),
		algebra.MakeTuple(algebra.Underscore, holes(thr.Mode(1).Mode(1).Rank())),
	))
}

// holes is (_,_,...).
func holes(rank int) algebra.Tuple {
	elems := make([]algebra.Tuple, rank)
	for i := range elems {
		elems[i] = algebra.Underscore
	}
	return algebra.MakeTuple(elems...)
}

// PartitionShapeA is the shape of every thread's part of a tensor of the shape (CuTe's partition_shape_A).
//
//	SM80_16x8x16_F32F16F16F32_TN, atoms (2,2,1):(1,2,0):  (128,64) -> ((2,2,2),4,4)
func (m MMA) PartitionShapeA(shape algebra.Tuple) (algebra.Tuple, error) {
	return m.partitionShape(shape, m.a())
}

// PartitionShapeB is PartitionShapeA for a tensor (N,K,...) (CuTe's partition_shape_B).
func (m MMA) PartitionShapeB(shape algebra.Tuple) (algebra.Tuple, error) {
	return m.partitionShape(shape, m.b())
}

// PartitionShapeC is PartitionShapeA for a tensor (M,N,...) (CuTe's partition_shape_C).
func (m MMA) PartitionShapeC(shape algebra.Tuple) (algebra.Tuple, error) {
	return m.partitionShape(shape, m.c())
}

func (m MMA) partitionShape(shape algebra.Tuple, o operand) (algebra.Tuple, error) {
	l, err := algebra.ColMajor(shape)
	if err != nil {
		return algebra.Tuple{}, err
	}
	part, _, err := ThrMMA{MMA: m}.partition(l, o)
	return part.Shape(), err
}

// PartitionFragmentA is the layout of the registers for the thread's part of a tensor (M,K,...) (CuTe's
// partition_fragment_A): compact, the atom's values in front, the others in the order of the tensor. Of an operand that the
// instruction reads from shared or Tensor Memory a thread has no registers: it is an error.
func (t ThrMMA) PartitionFragmentA(l algebra.Layout) (algebra.Layout, error) {
	return t.fragment(l, t.MMA.a())
}

// PartitionFragmentB is PartitionFragmentA for a tensor (N,K,...) (CuTe's partition_fragment_B).
func (t ThrMMA) PartitionFragmentB(l algebra.Layout) (algebra.Layout, error) {
	return t.fragment(l, t.MMA.b())
}

// PartitionFragmentC is the layout of the accumulators for the thread's part of a tensor (M,N,...) (CuTe's
// partition_fragment_C): column-major whatever the order of the tensor.
func (t ThrMMA) PartitionFragmentC(l algebra.Layout) (algebra.Layout, error) {
	return t.fragment(l, t.MMA.c())
}

func (t ThrMMA) fragment(l algebra.Layout, o operand) (algebra.Layout, error) {
	threads := o.layout.Mode(0)
	whole := threads.Size() > 1 && algebra.Filter(threads).Size() == 1
	if whole || strings.HasPrefix(t.MMA.Atom.Instruction, "tcgen05") {
		return algebra.Layout{}, fmt.Errorf("fragment %s of tiled %s: %s does not hold it in registers",
			o.name, t.MMA.Atom.Name, t.MMA.Atom.Instruction)
	}
	part, _, err := t.partition(l, o)
	if err != nil {
		return algebra.Layout{}, err
	}
	if o.name == "C" {
		return algebra.ColMajor(part.Shape())
	}
	return algebra.FragmentLike(part)
}
