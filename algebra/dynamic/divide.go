package dynamic

import (
	"fmt"
	"slices"

	"cutegen/algebra"
)

// Tiler says how to cut a layout: by a layout, by an extent, not at all (CuTe's _), or mode by mode.
type Tiler struct {
	// Layout cuts the whole domain; a leaf n of a Tiler's text is n:1.
	Layout *Layout
	// Modes are the tilers of the modes; modes beyond them are left over.
	Modes []Tiler
	// Hole leaves a mode as it is.
	Hole bool
}

// String prints t as ParseTiler reads it.
func (t Tiler) String() string {
	switch {
	case t.Hole:
		return "_"
	case t.Layout != nil:
		if l := *t.Layout; l.profile.IsLeaf() && l.modes[0].stride.is(1) {
			return l.modes[0].shape.String()
		}
		return t.Layout.String()
	}
	text := "("
	for i, m := range t.Modes {
		if i > 0 {
			text += ","
		}
		text += m.String()
	}
	return text + ")"
}

// extent is the tiler n:1.
func extent(n Int) Tiler {
	return Tiler{Layout: &Layout{profile: algebra.Int(0), modes: []mode{{shape: n, stride: Const(1)}}}}
}

// eachMode applies op to the modes of l and the tilers, and hands over the modes that no tiler names.
func eachMode(name string, l Layout, t Tiler, op func(Layout, Tiler) (Layout, error)) (done, rest []Layout, err error) {
	modes := l.Modes()
	if len(t.Modes) > len(modes) {
		return nil, nil, fmt.Errorf("%s of %v by %v: the tiler has rank %d, allowed is at most %d", name, l, t, len(t.Modes), len(modes))
	}
	for i, part := range t.Modes {
		m, err := op(modes[i], part)
		if err != nil {
			return nil, nil, fmt.Errorf("mode %d of %v: %w", i, l, err)
		}
		done = append(done, m)
	}
	return done, modes[len(t.Modes):], nil
}

// CompositionTiler composes l with a tiler: the part of l that the tile picks. Modes that no tiler names are dropped.
func CompositionTiler(l Layout, t Tiler) (Layout, error) {
	switch {
	case t.Hole:
		return l, nil
	case t.Layout != nil:
		return Composition(l, *t.Layout)
	}
	modes, _, err := eachMode("composition", l, t, CompositionTiler)
	if err != nil {
		return Layout{}, err
	}
	return Concat(modes...)
}

// Complement lists the shifts under which l's image fills 0 to cotarget-1 (CuTe's complement). l's modes, sorted by stride,
// must nest for all values: each stride is a multiple of the end of the mode before. Other layouts are refused, unless all is
// known: then it is algebra.Complement. A mode whose extent is a symbol counts as one even where its value is 1, so that the shifts
// may reach further there.
//
//	Complement(128:1, M)              = ceil(M/128):128
//	Complement((4,M):(1,4*ld), N*ld)  = (ld,ceil(N/(4*M))):(4,4*M*ld)
func Complement(l Layout, cotarget Int) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("complement of %v to %v: %w", l, cotarget, err)
	}
	if n, known := cotarget.Value(); known && l.isStatic() {
		s, err := l.Static()
		if err != nil {
			return Layout{}, err
		}
		c, err := algebra.Complement(s, n)
		return Of(c), err
	}
	if err := positive("cotarget", cotarget); err != nil {
		return refuse(err)
	}
	sorted, err := nested(l)
	if err != nil {
		return refuse(err)
	}
	end := Const(1)
	var holes []mode
	for _, m := range sorted {
		n, _ := m.stride.over(end)
		holes = append(holes, mode{shape: n, stride: end})
		end = Mul(m.shape, m.stride)
	}
	c, err := flat(append(holes, mode{shape: CeilDiv(cotarget, end), stride: end}))
	if err != nil {
		return refuse(err)
	}
	return Coalesce(c)
}

// nested lists l's moving modes in the order in which each stride is a multiple of the end of the mode before.
func nested(l Layout) ([]mode, error) {
	var moving []mode
	for _, m := range merge(l.modes) {
		if len(m.path) > 0 && !m.stride.is(0) {
			return nil, fmt.Errorf("its values are coordinates, allowed are plain strides")
		}
		if m.stride.is(0) || m.shape.is(1) {
			continue
		}
		sign, _, err := m.signed()
		if err != nil {
			return nil, err
		}
		if sign < 0 {
			return nil, fmt.Errorf("stride %v is negative, allowed are strides of at least 0", m.stride)
		}
		moving = append(moving, m)
	}
	sorted := make([]mode, 0, len(moving))
	for len(moving) > 0 {
		first := slices.IndexFunc(moving, func(m mode) bool { return isFirst(m, moving) })
		if first < 0 {
			return nil, unordered(moving)
		}
		sorted = append(sorted, moving[first])
		moving = slices.Delete(moving, first, first+1)
	}
	return sorted, nil
}

// isFirst tells whether all other modes begin at multiples of m's end. m itself does not.
func isFirst(m mode, moving []mode) bool {
	end := Mul(m.shape, m.stride)
	misses := 0
	for _, o := range moving {
		if _, ok := o.stride.over(end); !ok {
			if misses++; misses > 1 {
				return false
			}
		}
	}
	return misses == 1
}

// unordered is the error of modes of which none is the first, told of two of them: the first that is known to be below
// another one goes in front.
func unordered(modes []mode) error {
	a, b := firstUnordered(modes)
	if !b.stride.AtLeast(a.stride) {
		a, b = b, a
	}
	end := Mul(a.shape, a.stride)
	if _, known := Mul(end, b.stride).Value(); known {
		return fmt.Errorf("mode %v does not begin at a multiple of %v, the end of mode %v", b, end, a)
	}
	return undecided(asMultiple(b.stride, end), "whether mode %v begins at a multiple of %v, the end of mode %v,", b, end, a)
}

func firstUnordered(modes []mode) (a, b mode) {
	for _, m := range modes {
		end := Mul(m.shape, m.stride)
		for _, o := range modes {
			if m.stride.Equal(o.stride) {
				continue
			}
			_, ok := o.stride.over(end)
			_, back := m.stride.over(Mul(o.shape, o.stride))
			if !ok && !back {
				return m, o
			}
		}
	}
	return modes[0], modes[1]
}

// LogicalDivide cuts l into tiles: (tile, rest), for a tuple mode by mode. A tile that does not divide is rounded up: the
// last one needs a guard.
//
//	LogicalDivide(M:1, 128)                   = (128,ceil(M/128)):(1,128)
//	LogicalDivide((M,K):(lda,1), (128,8))     = ((128,ceil(M/128)),(8,ceil(K/8))):((lda,128*lda),(1,8))
//	LogicalDivide(128*m:1, 128)               = (128,m):(1,128)
func LogicalDivide(l Layout, t Tiler) (Layout, error) {
	switch {
	case t.Hole:
		return l, nil
	case t.Layout != nil:
		return divide(l, *t.Layout)
	}
	modes, rest, err := eachMode("divide", l, t, LogicalDivide)
	if err != nil {
		return Layout{}, err
	}
	return Concat(append(modes, rest...)...)
}

func divide(l, tile Layout) (Layout, error) {
	if l.isStatic() && tile.isStatic() {
		return divideStatic(l, tile)
	}
	rest, err := Complement(tile, l.Size())
	if err != nil {
		return Layout{}, fmt.Errorf("divide %v by %v: %w", l, tile, err)
	}
	both, err := Concat(tile, rest)
	if err != nil {
		return Layout{}, err
	}
	divided, err := Composition(l, both)
	if err != nil {
		return Layout{}, fmt.Errorf("divide %v by %v: %w", l, tile, err)
	}
	return divided, nil
}

func divideStatic(l, tile Layout) (Layout, error) {
	left, err := l.Static()
	if err != nil {
		return Layout{}, err
	}
	right, err := tile.Static()
	if err != nil {
		return Layout{}, err
	}
	divided, err := algebra.LogicalDivide(left, right)
	return Of(divided), err
}

// ZippedDivide is LogicalDivide with the tiles and the rests gathered: ((tiles), (rests)).
//
//	ZippedDivide((M,K):(lda,1), (128,8)) = ((128,8),(ceil(M/128),ceil(K/8))):((lda,1),(128*lda,8))
func ZippedDivide(l Layout, t Tiler) (Layout, error) {
	divided, err := LogicalDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return zipBy(divided, t)
}

// zipBy gathers the (tile, rest) modes at the leaves of t.
func zipBy(l Layout, t Tiler) (Layout, error) {
	if t.Hole || t.Layout != nil {
		if l.Rank() != 2 || l.profile.IsLeaf() {
			return Layout{}, fmt.Errorf("tiler _ for mode %v: allowed is a mode that is cut already, (tile,rest)", l)
		}
		return l, nil
	}
	var tiles, rests []Layout
	for i, part := range t.Modes {
		m, err := zipBy(l.Mode(i), part)
		if err != nil {
			return Layout{}, err
		}
		tiles, rests = append(tiles, m.Mode(0)), append(rests, m.Mode(1))
	}
	tile, err := Concat(tiles...)
	if err != nil {
		return Layout{}, err
	}
	rest, err := Concat(append(rests, l.Modes()[len(t.Modes):]...)...)
	if err != nil {
		return Layout{}, err
	}
	return Concat(tile, rest)
}

// TiledDivide is ZippedDivide with the rests side by side behind the tile: ((tiles), rest, rest, ...).
func TiledDivide(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return tiled(zipped)
}

// FlatDivide is ZippedDivide with the tiles and the rests side by side: (tile, tile, ..., rest, rest, ...).
func FlatDivide(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedDivide(l, t)
	if err != nil {
		return Layout{}, err
	}
	return flattened(zipped)
}

func tiled(zipped Layout) (Layout, error) {
	return Concat(append([]Layout{zipped.Mode(0)}, unpacked(zipped.Mode(1))...)...)
}

func flattened(zipped Layout) (Layout, error) {
	return Concat(append(unpacked(zipped.Mode(0)), unpacked(zipped.Mode(1))...)...)
}

// unpacked lists l's modes, and l itself if it has only one.
func unpacked(l Layout) []Layout {
	if l.Rank() == 1 {
		return []Layout{l}
	}
	return l.Modes()
}

// LogicalProduct repeats l over the tiler: (l, copies) (CuTe's logical_product).
//
//	LogicalProduct((M,8):(8,1), 3) = ((M,8),3):((8,1),8*M)
func LogicalProduct(l Layout, t Tiler) (Layout, error) {
	switch {
	case t.Hole:
		return l, nil
	case t.Layout != nil:
		return product(l, *t.Layout)
	}
	modes, rest, err := eachMode("product", l, t, LogicalProduct)
	if err != nil {
		return Layout{}, err
	}
	return Concat(append(modes, rest...)...)
}

func product(l, tiler Layout) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("product of %v by %v: %w", l, tiler, err)
	}
	if block, err := l.Static(); err == nil {
		if copies, err := tiler.Static(); err == nil { // the block may have gaps that no copy fills
			p, err := algebra.LogicalProduct(block, copies)
			return Of(p), err
		}
	}
	cosize, err := tiler.Cosize()
	if err != nil {
		return refuse(err)
	}
	free, err := Complement(l, Mul(l.Size(), cosize))
	if err != nil {
		return refuse(err)
	}
	copies, err := Composition(free, tiler)
	if err != nil {
		return refuse(err)
	}
	return Concat(l, copies)
}

// ZippedProduct is LogicalProduct with the copied and the copies gathered: ((l's modes), (copies)).
func ZippedProduct(l Layout, t Tiler) (Layout, error) {
	p, err := LogicalProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return zipBy(p, t)
}

// TiledProduct is ZippedProduct with the copies side by side behind the copied.
func TiledProduct(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return tiled(zipped)
}

// FlatProduct is ZippedProduct with all modes side by side.
func FlatProduct(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return flattened(zipped)
}

// BlockedProduct repeats block over tiler mode by mode, each copy in one piece: mode i is (block's mode i, tiler's mode i).
//
//	BlockedProduct((8,8):(8,1), (m,n):(1,m)) = ((8,m),(8,n)):((8,64),(1,64*m))
func BlockedProduct(block, tiler Layout) (Layout, error) {
	b, t, err := zipProduct(block, tiler)
	if err != nil {
		return Layout{}, err
	}
	return zip(b, t)
}

// RakedProduct is BlockedProduct with the copies interleaved: mode i is (tiler's mode i, block's mode i).
func RakedProduct(block, tiler Layout) (Layout, error) {
	b, t, err := zipProduct(block, tiler)
	if err != nil {
		return Layout{}, err
	}
	return zip(t, b)
}

// zipProduct is the two modes of the logical product of block and tiler, of one rank.
func zipProduct(block, tiler Layout) (b, t Layout, err error) {
	rank := max(block.Rank(), tiler.Rank())
	if block, err = padded(block, rank); err != nil {
		return Layout{}, Layout{}, err
	}
	if tiler, err = padded(tiler, rank); err != nil {
		return Layout{}, Layout{}, err
	}
	p, err := product(block, tiler)
	if err != nil {
		return Layout{}, Layout{}, err
	}
	return p.Mode(0), p.Mode(1), nil
}

// zip pairs the modes of a and b, which have one rank.
func zip(a, b Layout) (Layout, error) {
	pairs := make([]Layout, a.Rank())
	for i := range pairs {
		var err error
		if pairs[i], err = Concat(a.Mode(i), b.Mode(i)); err != nil {
			return Layout{}, err
		}
	}
	return Concat(pairs...)
}

// padded is l as a tuple of at least the rank, with modes 1:0 appended.
func padded(l Layout, rank int) (Layout, error) {
	modes := l.Modes()
	for len(modes) < rank {
		modes = append(modes, Layout{profile: algebra.Int(0), modes: []mode{{shape: Const(1)}}})
	}
	return Concat(modes...)
}

// TileToShape repeats block, column-major, until it fills the shape (CuTe's tile_to_shape). Each extent of the shape must be a
// multiple of the block's for all values: write it as 8*m.
//
//	TileToShape((8,8):(8,1), (8*m,64)) = ((8,m),(8,8)):((8,64),(1,64*m))
func TileToShape(block Layout, shape Shape) (Layout, error) {
	return TileToShapeOrder(block, shape, algebra.Ints(numbers(shape.profile.Rank())...))
}

// TileToShapeOrder is TileToShape with the copies in the given order, the smallest number fastest (CuTe's Step).
//
//	TileToShapeOrder((8,8):(8,1), (8*m,64), (1,0)) = ((8,m),(8,8)):((8,512),(1,64))
func TileToShapeOrder(block Layout, shape Shape, order algebra.Tuple) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("tile %v to shape %v: %w", block, shape, err)
	}
	sizes := shape.each()
	if block.Rank() > len(sizes) {
		return refuse(fmt.Errorf("the block has rank %d, allowed is at most %d", block.Rank(), len(sizes)))
	}
	block, err := padded(block, len(sizes))
	if err != nil {
		return refuse(err)
	}
	copies := Shape{profile: algebra.Ints(numbers(len(sizes))...), extents: make([]Int, len(sizes))}
	for i, n := range sizes {
		tile := block.Mode(i).Size()
		c, ok := n.over(tile)
		if !ok {
			if _, known := Mul(n, tile).Value(); known {
				return refuse(fmt.Errorf("mode %d: %v elements do not divide %v", i, tile, n))
			}
			return refuse(undecided(asMultiple(n, tile), "mode %d: whether %v divides %v", i, tile, n))
		}
		copies.extents[i] = c
	}
	grid, err := Ordered(copies, order)
	if err != nil {
		return refuse(err)
	}
	return BlockedProduct(block, grid)
}
