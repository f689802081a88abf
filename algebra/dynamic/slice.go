package dynamic

import (
	"fmt"

	"cutegen/algebra"
)

// Coord is a coordinate: an integer, a hole, or a coordinate for each mode.
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

// Offset is l at a coordinate, which may be symbolic. It is a coordinate itself where l has basis strides.
//
//	(M,K):(lda,1) at (i,4)   is   i*lda+4
//
// A symbol of a coordinate stands for an integer of at least 0 that lies inside its mode: nothing is decided by its least
// value.
func (l Layout) Offset(c Coord) (string, error) {
	rest, offset, err := Slice(l, c)
	if err != nil {
		return "", err
	}
	if rest.profile.Rank() != 0 || rest.profile.IsLeaf() {
		return "", fmt.Errorf("offset of %v at %v: the coordinate has holes, allowed is one element", l, c)
	}
	return offset, nil
}

// Slice keeps the modes of l under a hole of c and adds up what the others give: the layout that is left, and the offset
// to add to it (CuTe's slice_and_offset).
//
//	Slice((128,8,ceil(K/8)):(lda,1,8), (_,0,k))  =  (128):(lda) at offset 8*k
func Slice(l Layout, c Coord) (Layout, string, error) {
	s := slicer{offsets: map[string]Int{}}
	kept, err := s.slice(l, c)
	if err != nil {
		return Layout{}, "", fmt.Errorf("slice %v by %v: %w", l, c, err)
	}
	rest, err := Concat(kept...)
	if err != nil {
		return Layout{}, "", err
	}
	if c.Hole {
		rest = l
	}
	offset, err := s.text()
	if err != nil {
		return Layout{}, "", fmt.Errorf("slice %v by %v: %w", l, c, err)
	}
	return rest, offset, nil
}

// slicer adds up offsets by basis element.
type slicer struct {
	paths   [][]int
	offsets map[string]Int
}

func (s *slicer) add(path []int, n Int) {
	key := fmt.Sprint(path)
	if _, ok := s.offsets[key]; !ok {
		s.paths = append(s.paths, path)
	}
	s.offsets[key] = Add(s.offsets[key], n)
}

func (s *slicer) slice(l Layout, c Coord) ([]Layout, error) {
	switch {
	case c.Hole:
		return []Layout{l}, nil
	case c.Modes != nil:
		if l.profile.IsLeaf() || len(c.Modes) != l.Rank() {
			return nil, fmt.Errorf("coordinate %v for %v: allowed is one for each mode", c, l.Shape())
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
	rest := c.Value
	for i, m := range l.modes {
		digit := rest
		if i < len(l.modes)-1 {
			// rest = q*extent + digit, the digit being what the extent does not divide term by term.
			rest, digit = rest.split(m.shape)
			if n, ok := digit.Value(); ok {
				if extent, ok := m.shape.Value(); ok {
					q := n / extent
					if n%extent < 0 {
						q--
					}
					rest, digit = Add(rest, Const(q)), Const(n-q*extent)
				}
			}
			if !digit.AtLeast(Const(0)) || !m.shape.AtLeast(Add(digit, Const(1))) {
				return nil, undecided("where the integer %v lies in %v is not known: give a coordinate for each mode", c, l.Shape())
			}
		}
		s.add(m.path, Mul(digit, m.stride))
	}
	return nil, nil
}

// text is the offset, or the coordinate that has it at the ends of the paths.
func (s *slicer) text() (string, error) {
	type node struct {
		value Int
		elems []*node
	}
	root := &node{}
	for _, path := range s.paths {
		n := s.offsets[fmt.Sprint(path)]
		if n.err != nil {
			return "", n.err
		}
		if n.is(0) && len(path) == 0 {
			continue
		}
		at := root
		for _, p := range path {
			for len(at.elems) <= p {
				at.elems = append(at.elems, &node{})
			}
			at = at.elems[p]
		}
		at.value = n
	}
	var print func(n *node) string
	print = func(n *node) string {
		if n.elems == nil {
			return n.value.String()
		}
		text := "("
		for i, e := range n.elems {
			if i > 0 {
				text += ","
			}
			text += print(e)
		}
		return text + ")"
	}
	return print(root), nil
}

// LocalTile cuts l by the tiler and keeps the tile at a coordinate of the rest (CuTe's local_tile): the tile's layout and
// its offset. Missing coordinates count as _.
//
//	LocalTile((M,K):(lda,1), (128,8), (bx,_)) = (128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda
func LocalTile(l Layout, t Tiler, c Coord) (Layout, string, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, "", err
	}
	tile, rest := divided.Mode(0), divided.Mode(1)
	return Slice(divided, Coord{Modes: []Coord{holes(tile), holesBehind(c, rest.Rank())}})
}

// OuterPartition cuts l by the tiler and keeps one place of the tile in every copy of it (CuTe's outer_partition).
func OuterPartition(l Layout, t Tiler, c Coord) (Layout, string, error) {
	divided, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, "", err
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
// thr maps the coordinates of a tile to thread ids, and has no symbols.
//
//	LocalPartition((M,K):(lda,1), (32,8):(8,1)) = ((8,32),(ceil(M/32),ceil(K/8))):((1,lda),(32*lda,8))
func LocalPartition(l Layout, thr algebra.Layout) (Layout, error) {
	sizes := make([]Tiler, thr.Rank())
	for i := range sizes {
		n := Of(algebra.MustLayout(fmt.Sprintf("%d:1", thr.Mode(i).Size())))
		sizes[i].Layout = &n
	}
	divided, err := ZippedDivide(l, Tiler{Modes: sizes})
	if err != nil {
		return Layout{}, err
	}
	byID, err := algebra.RightInverse(thr)
	if err != nil {
		return Layout{}, err
	}
	if byID.Size() != thr.Size() || thr.Cosize() != thr.Size() {
		return Layout{}, fmt.Errorf("partition by %v: allowed are thread layouts that number their coordinates 0 to %d", thr, thr.Size()-1)
	}
	threads, err := Composition(divided.Mode(0), Of(byID))
	if err != nil {
		return Layout{}, err
	}
	return Concat(threads, divided.Mode(1))
}
