package algebra

import (
	"fmt"
	"slices"
)

// Dice drops the elements of t that the projection pairs with _ (X) and keeps those that it pairs with an integer
// (CuTe's dice). The elements of nested projections come out side by side.
//
//	Dice((1,X,1), (128,64,8)) = (128,8)
func Dice(proj, t Tuple) (Tuple, error) {
	if proj.IsLeaf() {
		return Tuple{}, fmt.Errorf("projection %v of %v: allowed are tuples", proj, t)
	}
	kept, ok := dice(proj, t)
	if !ok {
		return Tuple{}, fmt.Errorf("projection %v of %v: allowed are tuples of one rank", proj, t)
	}
	return Tuple{elems: kept}, nil
}

// dice lists the kept elements; ok is false if the ranks differ.
func dice(proj, t Tuple) (kept []Tuple, ok bool) {
	switch {
	case proj.IsUnderscore():
		return nil, true
	case proj.IsLeaf():
		return []Tuple{t}, true
	case t.IsLeaf() || len(proj.elems) != len(t.elems):
		return nil, false
	}
	for i, p := range proj.elems {
		part, ok := dice(p, t.elems[i])
		if !ok {
			return nil, false
		}
		kept = append(kept, part...)
	}
	return kept, true
}

// LocalTile cuts l by the tiler and keeps the tile at coord (CuTe's local_tile): the tile's layout and its offset. A _
// in coord keeps that mode of the rest, behind the tile; missing coordinates count as _; an integer counts tiles
// colexicographically.
//
//	LocalTile((128,64):(64,1), (32,16), (2,_)) = (32,16,4):(64,1,16) at offset 4096
func LocalTile(l Layout, t Tiler, coord Tuple) (Layout, Tuple, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, Tuple{}, err
	}
	tile, rest := divided.Mode(0), divided.Mode(1)
	return Slice(divided, MakeTuple(holes(tile), holesBehind(coord, rest.Rank())))
}

// OuterPartition cuts l by the tiler and keeps one place of the tile in every copy of it (CuTe's outer_partition): the
// rests' layout and its offset. coord is the place, missing coordinates count as _. The inner_partition of CuTe, one copy
// of the tile, is LocalTile.
//
//	OuterPartition((128,64):(64,1), (32,16), (2,_)) = (16,4,4):(1,2048,16) at offset 128
func OuterPartition(l Layout, t Tiler, coord Tuple) (Layout, Tuple, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, Tuple{}, err
	}
	tile, rest := divided.Mode(0), divided.Mode(1)
	return Slice(divided, MakeTuple(holesBehind(coord, tile.Rank()), holes(rest)))
}

// holesBehind fills up a list of coordinates with _ to the rank.
func holesBehind(coord Tuple, rank int) Tuple {
	if coord.IsLeaf() {
		return coord
	}
	elems := append([]Tuple(nil), coord.elems...)
	for len(elems) < rank {
		elems = append(elems, Underscore)
	}
	return Tuple{elems: elems}
}

// LocalTileProj is LocalTile with the tiler and the coordinate diced by a projection (CuTe's local_tile with a Step).
func LocalTileProj(l Layout, tiler, coord, proj Tuple) (Layout, Tuple, error) {
	tiler, err := Dice(proj, tiler)
	if err != nil {
		return Layout{}, Tuple{}, err
	}
	if coord, err = Dice(proj, coord); err != nil {
		return Layout{}, Tuple{}, err
	}
	return LocalTile(l, tiler, coord)
}

// Part is the part of c that was cut out of the layout below its swizzle: l at an offset, which goes before the swizzle, as Slice says.
//
//	c = Sw<2,3,3> o 0 o (64,64):(64,1)
//	c.Part(LocalTile(c.Layout, (16,64), (1,0))) = Sw<2,3,3> o 0 o (16,64):(64,1) at offset 1024
//
// A part of c's size is all of it, and keeps the swizzle; a smaller one that is a leaf comes out as a list of one. An error is handed on.
func (c Composed) Part(l Layout, offset Tuple, err error) (Composed, int, error) {
	if err != nil {
		return Composed{}, 0, fmt.Errorf("%v: %w", c, err)
	}
	if l.HasBasis() || !offset.isPlain() {
		return Composed{}, 0, fmt.Errorf("%v: the part %v at %v has coordinates for values, allowed are plain strides", c, l, offset)
	}
	at, ok := add(c.Offset, offset.value)
	if !ok {
		return Composed{}, 0, fmt.Errorf("%v: offset %v %w", c, offset, errOverflow)
	}
	part := Composed{c.Swizzle, at, l}
	if err := part.Validate(); err != nil || l.Size() == c.Size() {
		return part, 0, err
	}
	// One more mode steps from c's offset to the part's; the slice is at its far end.
	step := newLayout(leafProfile, []mode{{shape: 2, stride: offset.value}})
	both, err := Concat(l, step)
	if err != nil {
		return Composed{}, 0, err
	}
	all := Underscore
	if !l.profile.isLeaf() {
		all = Tuple{elems: slices.Repeat([]Tuple{Underscore}, l.Rank())}
	}
	return Composed{c.Swizzle, c.Offset, both}.Slice(MakeTuple(all, Int(1)))
}

// holes is (_,_,...) of l's rank, and _ for rank 1: a single mode stays wrapped, as in CuTe.
func holes(l Layout) Tuple {
	if l.Rank() == 1 {
		return Underscore
	}
	elems := make([]Tuple, l.Rank())
	for i := range elems {
		elems[i] = Underscore
	}
	return Tuple{elems: elems}
}

// LocalPartition deals l's elements out to threads (CuTe's local_partition) for all threads at once: ((thread),(rest)).
// thr maps the coordinates of a tile, one element for each thread, to thread ids and must be a bijection onto 0 to n-1.
// The tile repeats over l, rounded up as in LogicalDivide.
//
//	LocalPartition((16,8):(1,16), (4,2):(2,1)) = ((2,4),(4,4)):((16,1),(4,32))
func LocalPartition(l, thr Layout) (Layout, error) { return LocalPartitionProj(l, thr, keepAll(thr)) }

// LocalPartitionProj is LocalPartition by the modes of thr that the projection keeps: threads that differ only along a
// mode with X share their elements (CuTe's Step).
func LocalPartitionProj(l, thr Layout, proj Tuple) (Layout, error) {
	tile, threads, err := project(thr, proj)
	if err != nil {
		return Layout{}, err
	}
	divided, err := ZippedDivide(l, tile)
	if err != nil {
		return Layout{}, err
	}
	byThread, err := Composition(divided.Mode(0), threads)
	if err != nil {
		return Layout{}, err
	}
	return Concat(byThread, divided.Mode(1))
}

// PartitionTV deals a tile out to threads in vectors of the value shape: ((thread),(value),(rest)), a TV layout with
// the iterations behind. thr maps coordinates of the grid of threads to thread ids and must be a bijection onto 0 to
// n-1. The tile usually has the strides of Identity, so that the result's values are coordinates in it.
//
//	tile = (128,8):(1@0,1@1)   thr = (128,2):(2,1)   val = (1,4)
//	-> ((2,128),(1,4),(1,1)):((4@1,1@0),(0,1@1),(0,0))
//
//	thread 3, value 2 is at coordinate (1,6)
//
// The values and threads must divide the tile: no guard is left over.
func PartitionTV(tile, thr Layout, val Tuple) (Layout, error) {
	return PartitionTVProj(tile, thr, val, keepAll(thr))
}

// PartitionTVProj is PartitionTV by the modes of thr that the projection keeps. Threads that differ only along a mode
// with X share the same elements: their thread mode has stride 0.
//
//	tile = (128,8):(1@0,1@1)   thr = (16,16):(16,1)   proj = (1,X)   val = (8)
//	-> ((16,16),(8),(1,8)):((0,8@0),(1@0),(0,1@1))
func PartitionTVProj(tile, thr Layout, val, proj Tuple) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("partition %v by threads %v and values %v: %w", tile, thr, val, err)
	}
	grid, threads, err := project(thr, proj)
	if err != nil {
		return refuse(err)
	}
	if err := mustDivide(tile, grid, val); err != nil {
		return refuse(err)
	}
	vectors, err := ZippedDivide(tile, val)
	if err != nil {
		return refuse(err)
	}
	divided, err := ZippedDivide(vectors.Mode(1), grid)
	if err != nil {
		return refuse(err)
	}
	byThread, err := Composition(divided.Mode(0), threads)
	if err != nil {
		return refuse(err)
	}
	return Concat(byThread, vectors.Mode(0), divided.Mode(1))
}

func keepAll(thr Layout) Tuple {
	elems := make([]Tuple, thr.Rank())
	for i := range elems {
		elems[i] = Int(1)
	}
	return Tuple{elems: elems}
}

// project is the grid of the threads' kept modes, and the layout thread id -> position in that grid.
func project(thr Layout, proj Tuple) (grid Tuple, threads Layout, err error) {
	full, err := ProductEach(thr.Shape())
	if err != nil {
		return Tuple{}, Layout{}, err
	}
	if proj.Depth() != 1 {
		return Tuple{}, Layout{}, fmt.Errorf("projection %v of threads %v: allowed are flat tuples", proj, thr)
	}
	if grid, err = Dice(proj, full); err != nil {
		return Tuple{}, Layout{}, err
	}
	byID, err := threadPositions(thr)
	if err != nil {
		return Tuple{}, Layout{}, err
	}
	strides := make([]Tuple, len(full.elems))
	next := 1
	for i, p := range proj.elems {
		strides[i] = Int(0)
		if !p.IsUnderscore() {
			strides[i] = Int(next)
			next *= full.elems[i].value
		}
	}
	kept, err := MakeLayout(full, Tuple{elems: strides})
	if err != nil {
		return Tuple{}, Layout{}, err
	}
	threads, err = Composition(kept, byID)
	return grid, threads, err
}

// threadPositions is the layout thread id -> position in thr. It refuses a thr that is no bijection onto 0 to n-1.
func threadPositions(thr Layout) (Layout, error) {
	byID, err := RightInverse(thr)
	if err != nil {
		return Layout{}, err
	}
	size := thr.Size()
	if byID.Size() == size {
		return byID, nil
	}
	if size > lookLimit {
		return Layout{}, fmt.Errorf("threads %v: only the ids below %d are reached in order, allowed is a bijection onto 0 to %d",
			thr, byID.Size(), size-1)
	}
	position := make([]int, size) // plus 1; an id beyond leaves another one missing
	for i := range size {
		id := thr.At(i)
		if id < 0 || id >= size {
			continue
		}
		if first := position[id] - 1; first >= 0 {
			return Layout{}, fmt.Errorf("threads %v: %s and %s are both thread %d", thr, thr.position(first), thr.position(i), id)
		}
		position[id] = i + 1
	}
	if id := slices.Index(position, 0); id >= 0 {
		return Layout{}, fmt.Errorf("threads %v: thread id %d of %d is missing, allowed is a bijection onto 0 to %d",
			thr, id, size, size-1)
	}
	panic("bug: the bijection " + thr.String() + " has the right inverse " + byID.String())
}

// mustDivide refuses values and threads that leave a remainder of some mode of the tile.
func mustDivide(tile Layout, grid, val Tuple) error {
	modes := tile.Modes()
	if val.IsLeaf() || val.Rank() > len(modes) || grid.Rank() > len(modes) {
		return fmt.Errorf("a grid of threads %v and values %v, allowed are tuples of at most the tile's rank %d",
			grid, val, len(modes))
	}
	if err := checkShape(val); err != nil {
		return err
	}
	vals, err := ProductEach(val)
	if err != nil {
		return err
	}
	for i, m := range modes {
		threads, values := 1, 1
		if i < len(grid.elems) {
			threads = grid.elems[i].value
		}
		if i < len(vals.elems) {
			values = vals.elems[i].value
		}
		step, ok := mul(threads, values)
		if !ok {
			return fmt.Errorf("mode %d: threads times values %w", i, errOverflow)
		}
		if rest := m.Size() % step; rest != 0 {
			first := make([]int, len(modes))
			first[i] = m.Size() - rest
			return fmt.Errorf("mode %d: %d threads of %d values do not divide %d; the first uncovered coordinate is %v",
				i, threads, values, m.Size(), Ints(first...))
		}
	}
	return nil
}
