package tiled

import (
	"fmt"

	"cutegen/algebra"
	"cutegen/algebra/atom"
)

// lookLimit bounds the (thread, value) pairs that a check looks at.
const lookLimit = 1 << 18

// CopyAtom is a copy instruction on elements of a width (CuTe's Copy_Atom). Src, Dst and Ref map (thread, value) to an
// element. Make one with MakeCopyAtom.
type CopyAtom struct {
	Name          string
	Bits          int // of an element
	Src, Dst, Ref algebra.Layout

	srcToRef, dstToRef algebra.Layout // (thread, value) of a side -> position in Ref
}

// MakeCopyAtom is the atom on elements of the bits.
//
//	SM75_U32x4_LDSM_N, 16 bits
//	Src (32,8):(8,1)    Dst (32,(2,4)):(2,(1,64))
//
// Elements that the instruction does not move whole are an error.
func MakeCopyAtom(a atom.Copy, bits int) (CopyAtom, error) {
	c := CopyAtom{Name: a.Name, Bits: bits}
	refuse := func(err error) (CopyAtom, error) {
		return CopyAtom{}, fmt.Errorf("copy atom %s of %d-bit elements: %w", a.Name, bits, err)
	}
	for _, side := range []struct {
		name string
		bits algebra.Layout
		to   *algebra.Layout
	}{{"source", a.Src, &c.Src}, {"destination", a.Dst, &c.Dst}, {"reference", a.Ref, &c.Ref}} {
		l, err := algebra.Recast(side.bits, 1, bits)
		if err != nil {
			return refuse(err)
		}
		if l.Mode(0).Size() != a.ThrID.Size() {
			return refuse(fmt.Errorf("%s %v in bits: %d threads share the elements of %d", side.name, side.bits, a.ThrID.Size(), l.Mode(0).Size()))
		}
		*side.to = l
	}
	var err error
	if c.srcToRef, err = toRef(c.Ref, c.Src); err != nil {
		return refuse(fmt.Errorf("source: %w", err))
	}
	if c.dstToRef, err = toRef(c.Ref, c.Dst); err != nil {
		return refuse(fmt.Errorf("destination: %w", err))
	}
	return c, nil
}

// toRef is the layout (thread, value) of a side -> position of the same element in ref. It is checked at every position.
func toRef(ref, side algebra.Layout) (algebra.Layout, error) {
	holder, err := algebra.RightInverse(ref)
	if err != nil {
		return algebra.Layout{}, err
	}
	to, err := algebra.Composition(holder, side)
	if err != nil {
		return algebra.Layout{}, err
	}
	if to.Size() > lookLimit {
		return algebra.Layout{}, fmt.Errorf("%d pairs of thread and value, allowed are at most %d", to.Size(), lookLimit)
	}
	for i := range to.Size() {
		if at := to.At(i); at >= ref.Size() || ref.At(at) != side.At(i) {
			return algebra.Layout{}, fmt.Errorf("element %d at (thread,value) %v of %v is nowhere in the reference %v", side.At(i), side.Coord(i), side, ref)
		}
	}
	return to, nil
}

// Copy is a copy tiled over threads (CuTe's TiledCopy). Make one with MakeCopy, MakeCopyTV, MakeCotiledCopy, or for an MMA with
// MakeCopyA, MakeCopyB, MakeCopyC.
type Copy struct {
	Atom CopyAtom
	// TV maps (thread, value) to an index into the column-major tile. Its threads and values are those of Atom.Ref, repeated.
	TV algebra.Layout
	// Tiler cuts the tile out of a tensor.
	Tiler algebra.Tiler
}

// MakeCopyTV is the copy whose thread and value are at tv's index into the tile (CuTe's make_tiled_copy_impl). The threads and
// values of tv must be multiples of the atom's, and its indices inside the tile.
func MakeCopyTV(a CopyAtom, tv algebra.Layout, tiler algebra.Tiler) (Copy, error) {
	refuse := func(err error) (Copy, error) {
		return Copy{}, fmt.Errorf("tiled copy %s by %v over %v: %w", a.Name, tv, tiler, err)
	}
	if tv.Rank() != 2 || tv.HasBasis() {
		return refuse(fmt.Errorf("allowed is (thread,value) to an index"))
	}
	shape, err := shapeOf(tiler)
	if err != nil {
		return refuse(err)
	}
	size, err := algebra.Product(shape)
	if err != nil {
		return refuse(err)
	}
	for i, what := range []string{"threads", "values"} {
		if n, of := tv.Mode(i).Size(), a.Ref.Mode(i).Size(); n%of != 0 {
			return refuse(fmt.Errorf("%d %s, allowed are multiples of the atom's %d", n, what, of))
		}
	}
	// The smallest and the largest index are at corners of the domain.
	if low, high := reach(tv); low < 0 || high >= size {
		return refuse(fmt.Errorf("indices from %d to %d, allowed is 0 to %d", low, high, size-1))
	}
	return Copy{a, tv, tiler}, nil
}

func reach(l algebra.Layout) (low, high int) {
	shapes, strides := l.Shape().Leaves(), l.Stride().Leaves()
	for i, n := range shapes {
		if far := (n.Value() - 1) * strides[i].Value(); far < 0 {
			low += far
		} else {
			high += far
		}
	}
	return low, high
}

// shapeOf is the shape of the tile that a tiler cuts out, with an element for each of its modes.
func shapeOf(tiler algebra.Tiler) (algebra.Tuple, error) {
	switch t := tiler.(type) {
	case algebra.Layout:
		return algebra.MakeTuple(t.Shape()), nil
	case algebra.Tuple:
		if t.IsLeaf() {
			return algebra.MakeTuple(t), nil
		}
		return t, nil
	case algebra.Tile:
		elems := make([]algebra.Tuple, len(t))
		for i, e := range t {
			switch e := e.(type) {
			case algebra.Layout:
				elems[i] = e.Shape()
			case algebra.Tuple:
				elems[i] = e
			default:
				return algebra.Tuple{}, fmt.Errorf("mode %d of the tiler: got %v, allowed are integers and layouts", i, e)
			}
		}
		return algebra.MakeTuple(elems...), nil
	}
	return algebra.Tuple{}, fmt.Errorf("tiler %v: allowed are a Layout, a Tuple and a Tile", tiler)
}

// MakeCopy is the copy by threads that each have the values of val (CuTe's make_tiled_copy): thr maps coordinates to thread
// ids, val maps coordinates inside a thread's part to value ids, and the tile is the one raked over the other.
//
//	MakeCopy(UniversalCopy<uint128_t> of 16 bits, (16,8):(8,1), (1,8):(1,1))
//
//	Tiler (16,64)    TV ((8,16),8):((128,1),16)    thread 9 has row 1, columns 8 to 15
//
// Both must be bijections onto 0 to n-1; the first id that is missing or twice there is named.
func MakeCopy(a CopyAtom, thr, val algebra.Layout) (Copy, error) {
	refuse := func(err error) (Copy, error) {
		return Copy{}, fmt.Errorf("tiled copy %s by threads %v and values %v: %w", a.Name, thr, val, err)
	}
	for _, side := range []struct {
		what string
		l    algebra.Layout
	}{{"thread", thr}, {"value", val}} {
		if err := eachID(side.what, side.l); err != nil {
			return refuse(err)
		}
	}
	ids, err := algebra.RakedProduct(thr, val)
	if err != nil {
		return refuse(err)
	}
	inverse, err := algebra.RightInverse(ids)
	if err != nil {
		return refuse(err)
	}
	both, err := algebra.ColMajor(algebra.Ints(thr.Size(), val.Size()))
	if err != nil {
		return refuse(err)
	}
	tv, err := algebra.Composition(inverse, both)
	if err != nil {
		return refuse(err)
	}
	return MakeCopyTV(a, tv, sizesOf(ids))
}

// eachID refuses a layout that is no bijection onto 0 to n-1.
func eachID(what string, l algebra.Layout) error {
	if l.HasBasis() || l.Size() > lookLimit {
		return fmt.Errorf("%ss %v: allowed are at most %d ids, by plain strides", what, l, lookLimit)
	}
	position := make(map[int]int, l.Size())
	for i := range l.Size() {
		id := l.At(i)
		if id < 0 || id >= l.Size() {
			return fmt.Errorf("%ss %v: %s %d at coordinate %v, allowed is a bijection onto 0 to %d", what, l, what, id, l.Coord(i), l.Size()-1)
		}
		if first, ok := position[id]; ok {
			return fmt.Errorf("%ss %v: coordinates %v and %v are both %s %d", what, l, l.Coord(first), l.Coord(i), what, id)
		}
		position[id] = i
	}
	return nil
}

// sizesOf is the sizes of the modes.
func sizesOf(l algebra.Layout) algebra.Tuple {
	sizes := make([]int, l.Rank())
	for i := range sizes {
		sizes[i] = l.Mode(i).Size()
	}
	return algebra.Ints(sizes...)
}

// MakeCopyA is the copy of an MMA's A (CuTe's make_tiled_copy_A): its threads and values are those of the product.
func MakeCopyA(a CopyAtom, m MMA) (Copy, error) { return copyOf(a, m, m.a()) }

// MakeCopyB is the copy of an MMA's B (CuTe's make_tiled_copy_B).
func MakeCopyB(a CopyAtom, m MMA) (Copy, error) { return copyOf(a, m, m.b()) }

// MakeCopyC is the copy of an MMA's C (CuTe's make_tiled_copy_C).
func MakeCopyC(a CopyAtom, m MMA) (Copy, error) { return copyOf(a, m, m.c()) }

func copyOf(a CopyAtom, m MMA, o operand) (Copy, error) {
	tv, err := m.layoutTV(o)
	if err != nil {
		return Copy{}, err
	}
	return MakeCopyTV(a, tv, algebra.Ints(m.tileSize(o.rows), m.tileSize(o.cols)))
}

// MakeCopyS is the copy by another atom whose threads and values are those of c's sources (CuTe's make_tiled_copy_S).
func MakeCopyS(a CopyAtom, c Copy) (Copy, error) {
	tv, err := c.LayoutSTV()
	if err != nil {
		return Copy{}, err
	}
	return MakeCopyTV(a, tv, c.Tiler)
}

// MakeCopyD is the copy by another atom whose threads and values are those of c's destinations (CuTe's make_tiled_copy_D).
func MakeCopyD(a CopyAtom, c Copy) (Copy, error) {
	tv, err := c.LayoutDTV()
	if err != nil {
		return Copy{}, err
	}
	return MakeCopyTV(a, tv, c.Tiler)
}

// MakeCopyCAtom is the smallest copy of an MMA's C: each thread's first values, as many as the atom moves at once (CuTe's
// make_tiled_copy_C_atom). The tiler picks those rows and columns of the tile, together.
func MakeCopyCAtom(a CopyAtom, m MMA) (Copy, error) {
	tv, err := m.LayoutCTV()
	if err != nil {
		return Copy{}, err
	}
	threads, values := tv.Mode(0).Size(), a.Src.Mode(1).Size()
	if values > tv.Mode(1).Size() {
		return Copy{}, fmt.Errorf("tiled copy %s of C of tiled %s: %d values at once, allowed are at most a thread's %d",
			a.Name, m.Atom.Name, values, tv.Mode(1).Size())
	}
	first, err := algebra.ColMajor(algebra.Ints(threads, values))
	if err != nil {
		return Copy{}, err
	}
	if tv, err = algebra.Composition(tv, first); err != nil {
		return Copy{}, err
	}
	return copyOfPart(a, algebra.Ints(m.tileSize(0), m.tileSize(1)), tv)
}

// MakeCotiledCopy is the copy whose thread and value are at tv's offsets in memory, and data the tensor there (CuTe's
// make_cotiled_copy): for those who care how far apart vectors lie, not which coordinates they are.
//
//	MakeCotiledCopy(UniversalCopy<uint128_t> of 16 bits, (32,8):(8,1), (64,32):(1,64)): Tiler (64:1,4:1)
//
// An offset that no coordinate of data has is an error.
func MakeCotiledCopy(a CopyAtom, tv, data algebra.Layout) (Copy, error) {
	refuse := func(err error) (Copy, error) {
		return Copy{}, fmt.Errorf("tiled copy %s by offsets %v of data %v: %w", a.Name, tv, data, err)
	}
	if tv.Size() > lookLimit {
		return refuse(fmt.Errorf("%d pairs of thread and value, allowed are at most %d", tv.Size(), lookLimit))
	}
	if tv.HasBasis() || data.HasBasis() {
		return refuse(fmt.Errorf("values are coordinates, allowed are plain strides"))
	}
	inverse, err := algebra.LeftInverse(data)
	if err != nil {
		return refuse(err)
	}
	at, err := algebra.Composition(inverse, tv)
	if err != nil {
		return refuse(err)
	}
	for i := range tv.Size() {
		if x := at.At(i); x < 0 || x >= data.Size() || data.At(x) != tv.At(i) {
			return refuse(fmt.Errorf("offset %d at (thread,value) %v is at no coordinate of the data", tv.At(i), tv.Coord(i)))
		}
	}
	return copyOfPart(a, sizesOf(data), at)
}

// copyOfPart is the copy of those rows, columns, ... of a tile of the sizes that tv reaches.
func copyOfPart(a CopyAtom, sizes algebra.Tuple, tv algebra.Layout) (Copy, error) {
	tiler := make(algebra.Tile, sizes.Rank())
	for i := range tiler {
		strides := make([]int, sizes.Rank())
		strides[i] = 1
		component, err := algebra.MakeLayout(sizes, algebra.Ints(strides...))
		if err != nil {
			return Copy{}, err
		}
		reached, err := algebra.Composition(component, tv)
		if err != nil {
			return Copy{}, err
		}
		tiler[i] = algebra.Filter(reached)
	}
	whole, err := algebra.ColMajor(sizes)
	if err != nil {
		return Copy{}, err
	}
	part, err := algebra.CompositionTiler(whole, tiler)
	if err != nil {
		return Copy{}, err
	}
	inverse, err := algebra.LeftInverse(part)
	if err != nil {
		return Copy{}, err
	}
	inPart, err := algebra.Composition(inverse, tv)
	if err != nil {
		return Copy{}, err
	}
	return MakeCopyTV(a, inPart, tiler)
}

// Size is the number of threads (CuTe's size(tiled_copy)).
func (c Copy) Size() int { return c.TV.Mode(0).Size() }

// TileShape is the sizes of the tile (CuTe's tile_size).
func (c Copy) TileShape() (algebra.Tuple, error) {
	shape, err := shapeOf(c.Tiler)
	if err != nil {
		return algebra.Tuple{}, err
	}
	l, err := algebra.ColMajor(shape)
	return sizesOf(l), err
}

// TidfrgS deals a tensor (M,N,...) out to all threads as sources: (Thr,(FrgV,FrgX),(RestM,RestN,...)) (CuTe's tidfrg_S). FrgV
// is the values of one instruction, FrgX its repetitions in the tile.
func (c Copy) TidfrgS(l algebra.Layout) (algebra.Layout, error) { return c.tidfrg(l, c.Atom.srcToRef) }

// TidfrgD is TidfrgS for destinations (CuTe's tidfrg_D).
func (c Copy) TidfrgD(l algebra.Layout) (algebra.Layout, error) { return c.tidfrg(l, c.Atom.dstToRef) }

func (c Copy) tidfrg(l, toRef algebra.Layout) (algebra.Layout, error) {
	shape, err := shapeOf(c.Tiler)
	if err != nil {
		return algebra.Layout{}, err
	}
	if l.Rank() < shape.Rank() {
		return algebra.Layout{}, fmt.Errorf("tiled copy %s over %v: tensor %v has rank %d, allowed is at least %d",
			c.Atom.Name, c.Tiler, l, l.Rank(), shape.Rank())
	}
	tiles, err := algebra.ZippedDivide(l, c.Tiler)
	if err != nil {
		return algebra.Layout{}, err
	}
	return c.tile2thrfrg(tiles, toRef)
}

// tile2thrfrg replaces the tile of (tile, rest) by the threads and values of a side.
func (c Copy) tile2thrfrg(tiles, toRef algebra.Layout) (algebra.Layout, error) {
	refuse := func(err error) (algebra.Layout, error) {
		return algebra.Layout{}, fmt.Errorf("tiled copy %s by %v over %v: %w", c.Atom.Name, c.TV, c.Tiler, err)
	}
	byAtom, err := algebra.ZippedDivide(c.TV, algebra.Ints(c.Atom.Ref.Mode(0).Size(), c.Atom.Ref.Mode(1).Size()))
	if err != nil {
		return refuse(err)
	}
	side, err := algebra.CompositionTiler(byAtom, algebra.Tile{toRef, algebra.Underscore})
	if err != nil {
		return refuse(err)
	}
	// ((thread,value),(rest of threads, rest of values)) -> (threads, (value, rest of values))
	threads, err := algebra.Concat(side.Mode(0).Mode(0), side.Mode(1).Mode(0))
	if err != nil {
		return refuse(err)
	}
	values, err := algebra.Concat(side.Mode(0).Mode(1), side.Mode(1).Mode(1))
	if err != nil {
		return refuse(err)
	}
	both, err := algebra.Concat(threads, values)
	if err != nil {
		return refuse(err)
	}
	if both, err = algebra.CoalesceModes(both, algebra.MakeTuple(algebra.Int(1), algebra.Ints(1, 1))); err != nil {
		return refuse(err)
	}
	dealt, err := algebra.CompositionTiler(tiles, algebra.Tile{both, algebra.Underscore})
	if err != nil {
		return refuse(err)
	}
	return algebra.Concat(dealt.Mode(0).Mode(0), dealt.Mode(0).Mode(1), dealt.Mode(1))
}

// LayoutSTV maps (thread, value) of the sources to an index into the column-major tile (CuTe's get_layoutS_TV).
func (c Copy) LayoutSTV() (algebra.Layout, error) { return c.layoutTV(c.Atom.srcToRef) }

// LayoutDTV maps (thread, value) of the destinations to an index into the column-major tile (CuTe's get_layoutD_TV).
func (c Copy) LayoutDTV() (algebra.Layout, error) { return c.layoutTV(c.Atom.dstToRef) }

func (c Copy) layoutTV(toRef algebra.Layout) (algebra.Layout, error) {
	shape, err := shapeOf(c.Tiler)
	if err != nil {
		return algebra.Layout{}, err
	}
	tile, err := algebra.ColMajor(algebra.MakeTuple(shape, algebra.Int(1)))
	if err != nil {
		return algebra.Layout{}, err
	}
	dealt, err := c.tile2thrfrg(tile, toRef)
	if err != nil {
		return algebra.Layout{}, err
	}
	return dealt.Take(0, 2)
}

// ThrCopy is one thread of a Copy (CuTe's ThrCopy).
type ThrCopy struct {
	Copy   Copy
	Thread int
}

// Slice is the thread of that id (CuTe's get_slice and get_thread_slice).
func (c Copy) Slice(thread int) (ThrCopy, error) {
	if thread < 0 || thread >= c.Size() {
		return ThrCopy{}, fmt.Errorf("thread %d of tiled copy %s by %v: allowed is 0 to %d", thread, c.Atom.Name, c.TV, c.Size()-1)
	}
	return ThrCopy{c, thread}, nil
}

// PartitionS is the thread's part of a source tensor (M,N,...): ((FrgV,FrgX),RestM,RestN,...) and its offset, a coordinate for
// basis strides (CuTe's partition_S).
//
//	UniversalCopy<uint128_t> of 16 bits, threads (16,8):(8,1), values (1,8):(1,1), thread 5
//	of (128,64):(1,128)    ((8,1),8,1):((128,0),16,0) at 5120
func (t ThrCopy) PartitionS(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) {
	return t.partition(t.Copy.TidfrgS(l))
}

// PartitionD is PartitionS for a destination tensor (CuTe's partition_D).
func (t ThrCopy) PartitionD(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) {
	return t.partition(t.Copy.TidfrgD(l))
}

func (t ThrCopy) partition(dealt algebra.Layout, err error) (algebra.Layout, algebra.Tuple, error) {
	if err != nil {
		return algebra.Layout{}, algebra.Tuple{}, err
	}
	return algebra.Slice(dealt, algebra.MakeTuple(algebra.Int(t.Thread), algebra.Underscore, holes(dealt.Mode(2).Rank())))
}

// Retile is a thread's fragment (V,M,N,...), which an MMA or another copy of the same threads made, in the order of c:
// ((FrgV,FrgX),RestM,RestN,...) (CuTe's retile_S and retile_D, which are one). The same elements in another order:
// what PartitionS or PartitionD of the tensor has at a coordinate, Retile of the fragment has there.
//
//	ldmatrix x4 as MakeCopyB of mma.m16n8k16, atoms (2,2,1), tile (32,32,16)
//	((2,2),4,4):((1,2),4,16) -> ((8,1),2,4):((1,0),8,16)
//
// The first V values of TV must be the fragment's V. That side of the instruction must be Ref, the registers. TV must reach
// the whole tile.
func (c Copy) Retile(l algebra.Layout) (algebra.Layout, error) {
	refuse := func(err error) (algebra.Layout, error) {
		return algebra.Layout{}, fmt.Errorf("retile %v by tiled copy %s by %v over %v: %w", l, c.Atom.Name, c.TV, c.Tiler, err)
	}
	sizes, err := c.TileShape()
	if err != nil {
		return refuse(err)
	}
	if l.Rank() < sizes.Rank()+1 {
		return refuse(fmt.Errorf("rank %d, allowed is at least %d", l.Rank(), sizes.Rank()+1))
	}
	tile, err := algebra.ColMajor(sizes)
	if err != nil {
		return refuse(err)
	}
	holder, err := algebra.RightInverse(c.TV)
	if err != nil {
		return refuse(err)
	}
	if holder.Size() != tile.Size() {
		return refuse(fmt.Errorf("it finds the holders of %d elements, allowed are all %d", holder.Size(), tile.Size()))
	}
	v := l.Mode(0).Size()
	if c.TV.Mode(1).Size()%v != 0 {
		return refuse(fmt.Errorf("%d values in mode 0, allowed are divisors of %d", v, c.TV.Mode(1).Size()))
	}
	// (m,n) -> which V of the thread
	byTile, err := algebra.Composition(holder, tile)
	if err != nil {
		return refuse(err)
	}
	places, err := algebra.Upcast(byTile, c.Size()*v)
	if err != nil {
		return refuse(err)
	}
	// (atom's values, rest) -> (v,m,n)
	back, err := algebra.RightInverse(places)
	if err != nil {
		return refuse(err)
	}
	order, err := algebra.LogicalProduct(line(v), back)
	if err != nil {
		return refuse(err)
	}
	if order, err = algebra.ZippedDivide(order, line(c.Atom.Ref.Mode(1).Size())); err != nil {
		return refuse(err)
	}
	tiles, err := algebra.ZippedDivide(l, sizesOf(places).Prepend(algebra.Int(v)))
	if err != nil {
		return refuse(err)
	}
	retiled, err := algebra.CompositionTiler(tiles, algebra.Tile{order, algebra.Underscore})
	if err != nil {
		return refuse(err)
	}
	rest := holes(l.Rank()).Leaves()
	rest[0] = algebra.Int(0)
	kept, _, err := algebra.Slice(retiled, algebra.MakeTuple(algebra.Underscore, algebra.MakeTuple(rest...)))
	return kept, err
}
