package dynamic

import (
	"fmt"
	"slices"

	"cutegen/algebra"
)

// Coord is a coordinate: an integer, a hole, or a coordinate for each mode. It is also what a layout gives: an offset, or a
// coordinate where the strides go along basis elements.
type Coord struct {
	// Value is the coordinate of a mode where Hole is false and Modes is nil. Where the mode is a tuple it counts
	// colexicographically.
	Value Int
	// Hole keeps the mode.
	Hole  bool
	Modes []Coord
}

// String prints c as ParseCoord reads it.
func (c Coord) String() string {
	switch {
	case c.Hole:
		return "_"
	case c.Modes == nil:
		return c.Value.String()
	}
	text := "("
	for i, m := range c.Modes {
		if i > 0 {
			text += ","
		}
		text += m.String()
	}
	return text + ")"
}

// Offset is what l gives at a coordinate, which may have symbols (CuTe's crd2idx).
//
//	(M,K):(lda,1)   at (i,4)   is i*lda+4
//	(M,K):(1@0,1@1) at (i,4)   is (i,4)
//
// A symbol that does not occur in l is an index: an integer of at least 0. The coordinate is taken to lie inside l, as it is of
// the caller's making; one that is outside for all values is an error.
func (l Layout) Offset(c Coord) (Coord, error) {
	rest, offset, err := slice(l, c)
	if err != nil {
		return Coord{}, fmt.Errorf("coordinate %v of %v: %w", c, l, err)
	}
	if rest.profile.IsLeaf() || rest.Rank() > 0 {
		return Coord{}, fmt.Errorf("offset of %v at %v: the coordinate has holes, allowed is one element", l, c)
	}
	return offset, nil
}

// Slice keeps the modes of l under a hole of c and adds up what the others give: the layout that is left, and the offset
// to add to it (CuTe's slice_and_offset). An integer for a mode of several leaves is split where it is known how:
// 4*k+3 in (4,K) is (3,k).
//
//	Slice((128,8,ceil(K/8)):(lda,1,8), (_,0,k))  =  (128):(lda) at offset 8*k
func Slice(l Layout, c Coord) (Layout, Coord, error) {
	rest, offset, err := slice(l, c)
	if err != nil {
		return Layout{}, Coord{}, fmt.Errorf("slice %v by %v: %w", l, c, err)
	}
	return rest, offset, nil
}

func slice(l Layout, c Coord) (Layout, Coord, error) {
	s := slicer{index: indices(l, c)}
	kept, err := s.slice(l, c)
	if err != nil {
		return Layout{}, Coord{}, err
	}
	if c.Hole {
		return l, s.value, nil
	}
	rest, err := Concat(kept...)
	return rest, s.value, err
}

// indices maps the symbols of c that do not occur in l, nor inside a quotient, to one less: what a Symbol says of an integer
// of at least 1 holds for the index then.
func indices(l Layout, c Coord) map[string]Int {
	sizes := map[string]bool{}
	for _, m := range l.modes {
		m.shape.addSymbols(sizes)
		m.stride.addSymbols(sizes)
	}
	index := map[string]Int{}
	var walk func(c Coord)
	walk = func(c Coord) {
		for _, m := range c.Modes {
			walk(m)
		}
		for _, t := range c.Value.terms {
			for _, p := range t.mono {
				p.of.num.addSymbols(sizes)
				p.of.den.addSymbols(sizes)
				if len(p.of.den.terms) == 0 {
					index[p.of.text] = Sub(ofVariable(p.of), Const(1))
				}
			}
		}
	}
	walk(c)
	for name := range sizes {
		delete(index, name)
	}
	return index
}

// slicer adds up what the integers of a coordinate give.
type slicer struct {
	index map[string]Int
	value Coord
}

// atLeast tells whether a >= b for all sizes and indices.
func (s *slicer) atLeast(a, b Int) bool { return a.replaced(s.index).AtLeast(b.replaced(s.index)) }

// add adds what m gives at n.
func (s *slicer) add(m mode, n Int) error {
	if m.stride.is(0) {
		return nil
	}
	at := &s.value
	for _, p := range m.path {
		for len(at.Modes) <= p {
			at.Modes = append(at.Modes, Coord{})
		}
		at = &at.Modes[p]
	}
	at.Value = Add(at.Value, Mul(n, m.stride))
	return at.Value.err
}

// slice lists the modes of l that c keeps.
func (s *slicer) slice(l Layout, c Coord) ([]Layout, error) {
	switch {
	case c.Hole:
		for _, m := range l.modes { // what it gives is a coordinate of all components
			if err := s.add(m, Int{}); err != nil {
				return nil, err
			}
		}
		return []Layout{l}, nil
	case c.Modes == nil:
		return nil, s.split(l, c.Value)
	case l.profile.IsLeaf() || len(c.Modes) != l.Rank():
		return nil, fmt.Errorf("coordinate %v for shape %v, allowed is one for each mode", c, l.Shape())
	}
	var kept []Layout
	for i, m := range c.Modes {
		part, err := s.slice(l.Mode(i), m)
		if err != nil {
			return nil, err
		}
		kept = append(kept, part...)
	}
	return kept, nil
}

// split adds what l gives at position n, which counts colexicographically.
func (s *slicer) split(l Layout, n Int) error {
	if s.atLeast(n, l.Size()) || s.atLeast(Const(-1), n) {
		return fmt.Errorf("got %v in shape %v, allowed is 0 to %v", n, l.Shape(), Sub(l.Size(), Const(1)))
	}
	for i, m := range l.modes {
		digit := n
		if i < len(l.modes)-1 {
			// n = q*extent + digit, the digit being what the extent does not divide term by term.
			n, digit = n.split(m.shape)
			if d, ok := digit.Value(); ok {
				if extent, ok := m.shape.Value(); ok {
					q := d / extent
					if d%extent < 0 {
						q--
					}
					n, digit = Add(n, Const(q)), Const(d-q*extent)
				}
			}
			if !s.atLeast(digit, Const(0)) || !s.atLeast(m.shape, Add(digit, Const(1))) {
				return undecided("give a coordinate for each mode", "whether the remainder %v of the extent %v in shape %v is below it",
					digit, m.shape, l.Shape())
			}
		}
		if err := s.add(m, digit); err != nil {
			return err
		}
	}
	return nil
}

// LocalTile cuts l by the tiler and keeps the tile at a coordinate of the rest (CuTe's local_tile): the tile's layout and
// its offset. Missing coordinates count as _.
//
//	LocalTile((M,K):(lda,1), (128,8), (bx,_)) = (128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda
func LocalTile(l Layout, t Tiler, c Coord) (Layout, Coord, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, Coord{}, err
	}
	tile, rest := divided.Mode(0), divided.Mode(1)
	return Slice(divided, Coord{Modes: []Coord{holes(tile), holesBehind(c, rest.Rank())}})
}

// OuterPartition cuts l by the tiler and keeps one place of the tile in every copy of it (CuTe's outer_partition).
func OuterPartition(l Layout, t Tiler, c Coord) (Layout, Coord, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, Coord{}, err
	}
	tile, rest := divided.Mode(0), divided.Mode(1)
	return Slice(divided, Coord{Modes: []Coord{holesBehind(c, tile.Rank()), holes(rest)}})
}

// holes is (_,_,...) of l's rank, and _ for rank 1.
func holes(l Layout) Coord {
	if l.Rank() == 1 {
		return Coord{Hole: true}
	}
	modes := make([]Coord, l.Rank())
	for i := range modes {
		modes[i].Hole = true
	}
	return Coord{Modes: modes}
}

// holesBehind fills up a list of coordinates with _ to the rank.
func holesBehind(c Coord, rank int) Coord {
	if c.Modes == nil {
		return c
	}
	modes := append([]Coord(nil), c.Modes...)
	for len(modes) < rank {
		modes = append(modes, Coord{Hole: true})
	}
	return Coord{Modes: modes}
}

// LocalPartition deals l's elements out to threads (CuTe's local_partition) for all threads at once: ((thread),(rest)).
// thr maps the coordinates of a tile to thread ids, 0 to n-1, one for each; it has no symbols.
//
//	LocalPartition((M,K):(lda,1), (32,8):(8,1)) = ((8,32),(ceil(M/32),ceil(K/8))):((1,lda),(32*lda,8))
func LocalPartition(l Layout, thr algebra.Layout) (Layout, error) {
	return LocalPartitionProj(l, thr, algebra.Ints(slices.Repeat([]int{1}, thr.Rank())...))
}

// LocalPartitionProj is LocalPartition by the modes of thr that the projection keeps: threads that differ only along a mode with
// X share their elements (CuTe's Step).
func LocalPartitionProj(l Layout, thr algebra.Layout, proj algebra.Tuple) (Layout, error) {
	sizes := make([]int, thr.Rank())
	for i := range sizes {
		sizes[i] = thr.Mode(i).Size()
	}
	grid, err := algebra.Dice(proj, algebra.Ints(sizes...))
	if err != nil {
		return Layout{}, err
	}
	places, err := algebra.ColMajor(grid)
	if err != nil {
		return Layout{}, err
	}
	// The partition of the grid itself is the thread's place in it.
	byID, err := algebra.LocalPartitionProj(places, thr, proj)
	if err != nil {
		return Layout{}, err
	}
	tile := Tiler{Modes: make([]Tiler, grid.Rank())}
	for i := range tile.Modes {
		tile.Modes[i] = extent(Const(grid.Mode(i).Value()))
	}
	divided, err := ZippedDivide(l, tile)
	if err != nil {
		return Layout{}, err
	}
	threads, err := Composition(divided.Mode(0), Of(byID.Mode(0)))
	if err != nil {
		return Layout{}, err
	}
	return Concat(threads, divided.Mode(1))
}

// LocalTileProj is LocalTile with the tiler and the coordinate diced by a flat projection (CuTe's local_tile with a Step).
//
//	LocalTileProj((M,K):(lda,1), (128,64,8), (bx,by,_), (1,X,1)) = (128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda
func LocalTileProj(l Layout, t Tiler, c Coord, proj algebra.Tuple) (Layout, Coord, error) {
	if proj.Depth() != 1 || len(t.Modes) != proj.Rank() || len(c.Modes) != proj.Rank() {
		return Layout{}, Coord{}, fmt.Errorf("projection %v of tiler %v and coordinate %v: allowed are tuples of one rank", proj, t, c)
	}
	var kept Tiler
	at := Coord{Modes: []Coord{}}
	for i := range proj.Rank() {
		if !proj.Mode(i).IsUnderscore() {
			kept.Modes, at.Modes = append(kept.Modes, t.Modes[i]), append(at.Modes, c.Modes[i])
		}
	}
	return LocalTile(l, kept, at)
}
