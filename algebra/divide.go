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
func LogicalDivide(l Layout, t Tiler) (divided Layout, err error) {
	err = divided.divide(&l, t)
	return divided, err
}

// divide makes d, which is empty, l divided by t. It stays empty if there is an error.
func (d *Layout) divide(l *Layout, t Tiler) error {
	p, err := d.pushDivided(l.profile, l.leaves(), t)
	if err != nil {
		*d = Layout{}
		return err
	}
	if d.profile = p; fits(d.leaves()) {
		return nil
	}
	_, err = checked(p, d.leaves())
	*d = Layout{}
	return fmt.Errorf("divide %v by %v: %w", *l, t, err)
}

// pushDivided pushes the modes of a layout divided by a tiler to l, and gives their profile.
func (l *Layout) pushDivided(p profile, modes []mode, t Tiler) (profile, error) {
	switch t := t.(type) {
	case Tuple:
		return l.pushByShape(p, modes, &t)
	case Tile:
		return l.pushByModes(p, modes, nil, t)
	case Layout:
		return l.pushByTile(p, modes, &t)
	}
	_, _, err := whole(t, ColMajor)
	return "", err
}

// pushByShape is pushDivided by a shape.
func (l *Layout) pushByShape(p profile, modes []mode, shape *Tuple) (profile, error) {
	switch {
	case shape.IsUnderscore():
		l.pushAll(modes)
		return p, nil
	case !shape.IsLeaf():
		return l.pushByModes(p, modes, shape.elems, nil)
	}
	if shape.isPlain() && l.cut(modes, shape.value) {
		return flatProfile(2), nil
	}
	tile, err := ColMajor(*shape)
	if err != nil {
		return "", err
	}
	return l.pushByTile(p, modes, &tile)
}

// pushByModes is pushDivided mode by mode, by the shapes or by the tilers.
func (l *Layout) pushByModes(p profile, modes []mode, shapes []Tuple, tilers Tile) (profile, error) {
	if rank := len(shapes) + len(tilers); rank > p.rank() {
		tiler := Tiler(tilers)
		if tilers == nil {
			tiler = Tuple{elems: shapes}
		}
		return "", rankError("divide", newLayout(p, modes), tiler, rank)
	}
	elements := p
	if p.isLeaf() {
		elements = flatProfile(1)
	}
	var space [listSpace]byte
	list := append(space[:0], '(')
	for i, at, begin := 0, 1, 0; at < len(elements)-1; i++ {
		next := elements.end(at)
		e := elements[at:next].normal()
		end := begin + e.leaves()
		var err error
		switch {
		case i < len(shapes):
			e, err = l.pushByShape(e, modes[begin:end], &shapes[i])
		case i < len(tilers):
			e, err = l.pushDivided(e, modes[begin:end], tilers[i])
		default:
			l.pushAll(modes[begin:end])
		}
		if err != nil {
			return "", fmt.Errorf("mode %d of %v: %w", i, newLayout(p, modes), err)
		}
		list = e.within(list)
		at, begin = next, end
	}
	return made(append(list, ')')), nil
}

// pushByTile is pushDivided by a layout.
func (l *Layout) pushByTile(p profile, modes []mode, tile *Layout) (profile, error) {
	refuse := func(err error) (profile, error) {
		return "", fmt.Errorf("divide %v by %v: %w", newLayout(p, modes), *tile, err)
	}
	if m := &tile.few[0]; tile.profile.isLeaf() && m.stride == 1 && m.path == 0 && l.cut(modes, m.shape) {
		return flatProfile(2), nil
	}
	var space [inPlace]plainMode
	sorted, err := nestedIn(space[:0], tile)
	if err != nil {
		return refuse(err)
	}
	size := 1
	for k := range modes {
		size *= modes[k].shape
	}
	if gap, ok := firstGap(sorted); ok && gap < size {
		whole := newLayout(p, modes)
		return refuse(fmt.Errorf("no shifts of the tile cover %s", whole.position(gap)))
	}
	var both Layout // (tile, rest)
	both.pushAll(tile.leaves())
	both.pushShifts(sorted, size)
	if both.n == tile.n {
		both.push(mode{shape: 1})
	}
	var pair [listSpace]byte
	shape := append(flatIn(tile.profile.within(append(pair[:0], '(')), both.n-tile.n), ')')
	if !fits(both.leaves()) {
		if _, err := checked(profile(shape), both.leaves()); err != nil {
			return refuse(err)
		}
	}
	var endSpace [2 * inPlace]int
	ends := spaceOf(endSpace[:], both.n)
	var quotient Layout
	if no := composition(modes, both.leaves(), &quotient, ends); no != nil {
		both.profile = profile(shape)
		return refuse(no.of(newLayout(p, modes), both, nil))
	}
	l.pushAll(quotient.leaves())
	var space2 [listSpace]byte
	return made(refineIn(space2[:0], shape, ends)), nil
}

// cut pushes the two modes of a run of modes divided by an integer, n:d by t: (t,n/t):(d,t*d). It declines modes that are
// no single run, integers below 2 and a stride that does not fit.
func (l *Layout) cut(modes []mode, by int) bool {
	if len(modes) == 0 {
		return false
	}
	run := modes[0]
	for k := 1; k < len(modes); k++ {
		if !continues(&run, &modes[k]) {
			return false
		}
		run.shape *= modes[k].shape
	}
	step, ok := mul(by, run.stride)
	if by < 2 || !ok {
		return false
	}
	rest := mode{shape: ceil(run.shape, by)}
	if rest.shape > 1 {
		rest.stride, rest.path = step, run.path
	}
	l.push(mode{by, run.stride, run.path})
	l.push(rest)
	return true
}

func rankError(name string, l Layout, tiler any, rank int) error {
	return fmt.Errorf("%s of %v by %v: the tiler has rank %d, allowed is at most %d", name, l, tiler, rank, l.Rank())
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
