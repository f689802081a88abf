package algebra

import (
	"fmt"
)

// Tiler says how to cut a layout: a Layout cuts the whole domain, a Tuple is a shape whose leaves n stand for n:1 and _
// for a mode that is cut already, a Tile is a tuple of Tilers for the modes. Modes beyond a tuple are left over.
type Tiler interface{ tiler() }

// Tile is a tuple of Tilers, one for each mode.
type Tile []Tiler

func (Layout) tiler() {}
func (Tuple) tiler()  {}
func (Tile) tiler()   {}

// String prints the tile as ParseTiler reads it.
func (t Tile) String() string {
	text := "("
	for i, e := range t {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(e)
	}
	return text + ")"
}

// byMode lists the tilers of the modes; ok is false if t cuts the whole domain.
func byMode(t Tiler) (tilers []Tiler, ok bool) {
	switch t := t.(type) {
	case Tile:
		return t, true
	case Tuple:
		if t.IsLeaf() {
			return nil, false
		}
		for _, e := range t.elems {
			tilers = append(tilers, e)
		}
		return tilers, true
	}
	return nil, false
}

// whole is the layout of a tiler that cuts the whole domain, ofInt being that of an integer; ok is false for _.
func whole(t Tiler, ofInt func(Tuple) (Layout, error)) (l Layout, ok bool, err error) {
	switch t := t.(type) {
	case Layout:
		return t, true, nil
	case Tuple:
		if t.IsUnderscore() {
			return Layout{}, false, nil
		}
		l, err := ofInt(t)
		return l, true, err
	}
	return Layout{}, false, fmt.Errorf("tiler %v: allowed are a Layout, a Tuple and a Tile", t)
}

// eachMode applies op to the modes of l and the tilers, and hands over the modes that no tiler names.
func eachMode(name string, l Layout, tilers []Tiler, op func(Layout, Tiler) (Layout, error)) (done, rest []Layout, err error) {
	modes := l.Modes()
	if len(tilers) > len(modes) {
		return nil, nil, rankError(name, l, Tile(tilers), len(tilers))
	}
	for i, t := range tilers {
		m, err := op(modes[i], t)
		if err != nil {
			return nil, nil, fmt.Errorf("mode %d of %v: %w", i, l, err)
		}
		done = append(done, m)
	}
	return done, modes[len(tilers):], nil
}

// CompositionTiler composes l with a tiler: the part of l that the tile picks (CuTe's composition with a Tiler). Modes
// that no tiler names are dropped, as in CuTe C++.
func CompositionTiler(l Layout, t Tiler) (Layout, error) {
	if tilers, ok := byMode(t); ok {
		modes, _, err := eachMode("composition", l, tilers, CompositionTiler)
		if err != nil {
			return Layout{}, err
		}
		return Concat(modes...)
	}
	tile, ok, err := whole(t, func(n Tuple) (Layout, error) { return MakeLayout(n, Int(1)) })
	if err != nil || !ok {
		return l, err
	}
	return Composition(l, tile)
}

// LogicalDivide cuts l into tiles: (tile, rest), for a tuple mode by mode (CuTe's logical_divide).
//
//	LogicalDivide(16:3, 4:1)           = (4,4):(3,12)
//	LogicalDivide((8,6):(1,8), (4,3))  = ((4,2),(3,2)):((1,4),(8,24))
//
// It is l o (t, Complement(t, size(l))). A tile that does not divide is rounded up where that has a layout: 10:1 by 4
// is (4,3):(1,4), larger than its input, so the last tile needs a guard. A tiler that leaves positions of l uncovered
// is an error.
func LogicalDivide(l Layout, t Tiler) (Layout, error) {
	switch t := t.(type) {
	case Tuple:
		return divideShape(l, t)
	case Tile:
		if len(t) > l.Rank() {
			return Layout{}, rankError("divide", l, t, len(t))
		}
		return divideModes(&l, t, LogicalDivide, extentOf)
	}
	tile, _, err := whole(t, ColMajor)
	if err != nil {
		return Layout{}, err
	}
	return divide(&l, &tile)
}

// divideShape is LogicalDivide by a shape.
func divideShape(l Layout, shape Tuple) (Layout, error) {
	switch {
	case shape.IsUnderscore():
		return l, nil
	case shape.IsLeaf():
		tile, err := ColMajor(shape)
		if err != nil {
			return Layout{}, err
		}
		return divide(&l, &tile)
	case len(shape.elems) > l.Rank():
		return Layout{}, rankError("divide", l, shape, len(shape.elems))
	}
	return divideModes(&l, shape.elems, divideShape, Tuple.extent)
}

// divideModes divides the modes of l, by one's rule. There are no more tilers than modes. extent is of a tiler that stands for n:1, or else 0.
func divideModes[T any](l *Layout, tilers []T, one func(Layout, T) (Layout, error), extent func(T) int) (divided Layout, err error) {
	var space [listSpace]byte
	list := append(space[:0], '(')
	p, modes := l.profile, l.leaves()
	if p.isLeaf() {
		p = flatProfile(1)
	}
	for i, at := 0, 1; at < len(p)-1; i++ {
		end := p.end(at)
		e := p[at:end].normal()
		n := e.leaves()
		if i < len(tilers) && e.isLeaf() && divided.cut(&modes[0], extent(tilers[i])) {
			list = flatIn(list, 2)
		} else {
			m := newLayout(e, modes[:n])
			if i < len(tilers) {
				if m, err = one(m, tilers[i]); err != nil {
					return Layout{}, fmt.Errorf("mode %d of %v: %w", i, *l, err)
				}
			}
			list = m.profile.within(list)
			divided.pushAll(m.leaves())
		}
		at, modes = end, modes[n:]
	}
	divided.profile = made(append(list, ')'))
	if !fits(divided.leaves()) {
		return checked(divided.profile, divided.leaves())
	}
	return divided, nil
}

// extent is n of the integer n, and 0 of other tuples.
func (t Tuple) extent() int {
	if t.isPlain() {
		return t.value
	}
	return 0
}

// extentOf is n of the tilers n and n:1, and 0 of others.
func extentOf(t Tiler) int {
	switch t := t.(type) {
	case Tuple:
		return t.extent()
	case Layout:
		if t.profile.isLeaf() && t.few[0].stride == 1 && t.few[0].path == 0 {
			return t.few[0].shape
		}
	}
	return 0
}

// cut pushes the two modes of a mode divided by an integer, n:d by t: (t,n/t):(d,t*d). It declines integers below 2 and
// what does not fit.
func (l *Layout) cut(m *mode, by int) bool {
	if by < 2 {
		return false
	}
	tile, rest := mode{by, m.stride, m.path}, mode{shape: ceil(m.shape, by)}
	if rest.shape > 1 {
		var ok bool
		if rest.stride, ok = mul(by, m.stride); !ok {
			return false
		}
		rest.path = m.path
	}
	if two := [...]mode{tile, rest}; !fits(two[:]) {
		return false
	}
	l.push(tile)
	l.push(rest)
	return true
}

func rankError(name string, l Layout, tiler any, rank int) error {
	return fmt.Errorf("%s of %v by %v: the tiler has rank %d, allowed is at most %d", name, l, tiler, rank, l.Rank())
}

func divide(l, tile *Layout) (divided Layout, err error) {
	var space [inPlace]mode
	sorted, err := nestedIn(space[:0], tile)
	if err != nil {
		return Layout{}, fmt.Errorf("divide %v by %v: %w", *l, *tile, err)
	}
	size := l.Size()
	if gap, ok := firstGap(sorted); ok && gap < size {
		return Layout{}, fmt.Errorf("divide %v by %v: no shifts of the tile cover %s", *l, *tile, l.position(gap))
	}
	both := Layout{profile: flatProfile(2)} // (tile, rest)
	both.pushAll(tile.leaves())
	both.pushShifts(sorted, size)
	if both.n == tile.n {
		both.push(mode{shape: 1})
	}
	if rest := both.n - tile.n; rest > 1 || !tile.profile.isLeaf() {
		var list [listSpace]byte
		both.profile = made(append(flatIn(tile.profile.within(append(list[:0], '(')), rest), ')'))
	}
	if !fits(both.leaves()) {
		return checked(both.profile, both.leaves())
	}
	if err := compositionPlain(&divided, l, both.profile, both.leaves()); err != nil {
		return Layout{}, fmt.Errorf("divide %v by %v: %w", *l, *tile, err)
	}
	return divided, nil
}

// ZippedDivide is LogicalDivide with the tiles and the rests gathered: ((tiles), (rests)) (CuTe's zipped_divide).
//
//	ZippedDivide((8,6):(1,8), (4,3)) = ((4,3),(2,2)):((1,8),(4,24))
func ZippedDivide(l Layout, t Tiler) (Layout, error) {
	divided, err := LogicalDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return zipBy(divided, t)
}

// zipBy gathers the (tile, rest) modes at the leaves of t (CuTe's tile_unzip).
func zipBy(l Layout, t Tiler) (Layout, error) {
	tilers, ok := byMode(t)
	if !ok {
		if l.Rank() != 2 {
			return Layout{}, fmt.Errorf("tiler _ for mode %v: allowed is a mode that is cut already, (tile,rest)", l)
		}
		return l, nil
	}
	var tiles, rests []Layout
	for i, t := range tilers {
		m, err := zipBy(l.Mode(i), t)
		if err != nil {
			return Layout{}, err
		}
		tiles, rests = append(tiles, m.Mode(0)), append(rests, m.Mode(1))
	}
	tile, err := Concat(tiles...)
	if err != nil {
		return Layout{}, err
	}
	rest, err := Concat(append(rests, l.Modes()[len(tilers):]...)...)
	if err != nil {
		return Layout{}, err
	}
	return Concat(tile, rest)
}

// TiledDivide is ZippedDivide with the rests side by side behind the tile: ((tiles), rest, rest, ...) (CuTe's
// tiled_divide). A single rest stays as it is.
//
//	TiledDivide((8,6):(1,8), (4,3)) = ((4,3),2,2):((1,8),4,24)
func TiledDivide(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return tiled(zipped)
}

// FlatDivide is ZippedDivide with the tiles and the rests side by side: (tile, tile, ..., rest, rest, ...) (CuTe's
// flat_divide). A single tile and a single rest stay as they are.
//
//	FlatDivide((8,6):(1,8), (4,3)) = (4,3,2,2):(1,8,4,24)
func FlatDivide(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return flat(zipped)
}

// tiled unpacks mode 1 of (tiles, rests).
func tiled(zipped Layout) (Layout, error) {
	return Concat(append([]Layout{zipped.Mode(0)}, unpacked(zipped.Mode(1))...)...)
}

// flat unpacks both modes of (tiles, rests).
func flat(zipped Layout) (Layout, error) {
	return Concat(append(unpacked(zipped.Mode(0)), unpacked(zipped.Mode(1))...)...)
}

// unpacked lists l's modes, and l itself if it has only one: CuTe's repeat<1>(_) is _.
func unpacked(l Layout) []Layout {
	if l.Rank() == 1 {
		return []Layout{l}
	}
	return l.Modes()
}
