package algebra

import (
	"fmt"
)

// LogicalProduct repeats l over the tiler: (l, copies) (CuTe's logical_product). The copies are placed by t, in units
// of the shifts that l leaves free.
//
//	LogicalProduct(4:1, 3:1)       = (4,3):(1,4)
//	LogicalProduct((2,2):(1,4), 6) = ((2,2),(2,3)):((1,4),(2,8))   fills the holes of l first
//	LogicalProduct((2,2):(1,5), 4:1) = ((2,2),(2,2)):((1,5),(2,10))   no copy fills 4 and 9
//
// The copies do not meet if l and t are injective: where l has gaps that no copy fills, the complement goes on until it has as many
// shifts as t counts.
func LogicalProduct(l Layout, t Tiler) (Layout, error) {
	if tilers, ok := byMode(t); ok {
		modes, rest, err := eachMode("product", l, tilers, LogicalProduct)
		if err != nil {
			return Layout{}, err
		}
		return Concat(append(modes, rest...)...)
	}
	tiler, ok, err := whole(t, ColMajor)
	if err != nil || !ok {
		return l, err
	}
	if tiler.HasBasis() {
		return Layout{}, fmt.Errorf("product of %v by %v: the tiler's values are coordinates, allowed are plain strides", l, tiler)
	}
	free, err := freeShifts(l, tiler.Cosize())
	if err != nil {
		return Layout{}, fmt.Errorf("product of %v by %v: %w", l, tiler, err)
	}
	copies, err := Composition(free, tiler)
	if err != nil {
		return Layout{}, fmt.Errorf("product of %v by %v: %w", l, tiler, err)
	}
	return Concat(l, copies)
}

// freeShifts lists n shifts of l or more, under which its copies do not meet: the complement to n times l's size. Where l has gaps
// that no copy fills, these may be fewer, and the complement goes to n times the end of l's modes.
func freeShifts(l Layout, n int) (Layout, error) {
	reach, ok := mul(l.Size(), n)
	if !ok {
		return Layout{}, fmt.Errorf("cosize %w", errOverflow)
	}
	free, err := Complement(l, reach)
	if err != nil || free.Size() >= n {
		return free, err
	}
	sorted, err := nested(l)
	if err != nil {
		return Layout{}, err
	}
	last := sorted[len(sorted)-1] // a layout without moving modes has no gaps
	if reach, ok = mul(last.stride*last.shape, n); !ok {
		return Layout{}, fmt.Errorf("cosize %w", errOverflow)
	}
	return Complement(l, reach)
}

// BlockedProduct repeats block over tiler mode by mode, each copy in one piece (CuTe's blocked_product): mode i is
// (block's mode i, tiler's mode i).
//
//	BlockedProduct((2,2):(1,2), (3,4):(1,3)) = ((2,3),(2,4)):((1,4),(2,12))
func BlockedProduct(block, tiler Layout) (Layout, error) {
	b, t, err := zipProduct(block, tiler)
	if err != nil {
		return Layout{}, err
	}
	return zip(b, t)
}

// RakedProduct is BlockedProduct with the copies interleaved (CuTe's raked_product): mode i is (tiler's mode i, block's
// mode i).
//
//	RakedProduct((2,2):(1,2), (3,4):(1,3)) = ((3,2),(4,2)):((4,1),(12,2))
func RakedProduct(block, tiler Layout) (Layout, error) {
	b, t, err := zipProduct(block, tiler)
	if err != nil {
		return Layout{}, err
	}
	return zip(t, b)
}

// ZippedProduct is LogicalProduct with the copied and the copies gathered: ((l's modes), (copies)) (CuTe's
// zipped_product).
//
//	ZippedProduct((2,3):(1,2), (4:1,2:1)) = ((2,3),(4,2)):((1,2),(2,1))
func ZippedProduct(l Layout, t Tiler) (Layout, error) {
	product, err := LogicalProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return zipBy(product, t)
}

// TiledProduct is ZippedProduct with the copies side by side behind the copied: ((l's modes), copies, copies, ...)
// (CuTe's tiled_product).
//
//	TiledProduct((2,2):(1,2), (3,4):(1,3)) = ((2,2),3,4):((1,2),4,12)
func TiledProduct(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return tiled(zipped)
}

// FlatProduct is ZippedProduct with all modes side by side (CuTe's flat_product).
//
//	FlatProduct((2,2):(1,2), (3,4):(1,3)) = (2,2,3,4):(1,2,4,12)
func FlatProduct(l Layout, t Tiler) (Layout, error) {
	zipped, err := ZippedProduct(l, t)
	if err != nil {
		return Layout{}, err
	}
	return flat(zipped)
}

// TileToShape repeats block, column-major, until it fills the shape (CuTe's tile_to_shape): mode i is (block's mode i,
// copies), of the size of the shape's mode i. Block sizes that do not divide the shape's are an error.
//
//	TileToShape((2,2):(2,1), (4,6)) = ((2,2),(2,3)):((2,4),(1,8))
func TileToShape(block Layout, shape Tuple) (Layout, error) {
	order := make([]int, shape.Rank())
	for i := range order {
		order[i] = i
	}
	return TileToShapeOrder(block, shape, Ints(order...))
}

// TileToShapeOrder is TileToShape with the copies in the given order, the smallest number fastest (CuTe's Step).
//
//	TileToShapeOrder((2,2):(2,1), (4,6), (1,0)) = ((2,2),(2,3)):((2,12),(1,4))
func TileToShapeOrder(block Layout, shape, order Tuple) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("tile %v to shape %v: %w", block, shape, err)
	}
	if err := checkShape(shape); err != nil {
		return refuse(err)
	}
	if block.Rank() > shape.Rank() {
		return refuse(fmt.Errorf("the block has rank %d, allowed is at most %d", block.Rank(), shape.Rank()))
	}
	block, err := padded(block, shape.Rank())
	if err != nil {
		return refuse(err)
	}
	sizes, err := ProductEach(shape)
	if err != nil {
		return refuse(err)
	}
	copies := make([]Tuple, shape.Rank())
	for i := range copies {
		n, tile := sizes.elems[i].value, block.Mode(i).Size()
		if n%tile != 0 {
			return refuse(fmt.Errorf("mode %d: %d elements do not divide %d", i, tile, n))
		}
		copies[i] = Int(n / tile)
	}
	if order.IsLeaf() {
		order = MakeTuple(order)
	}
	grid, err := Ordered(Tuple{elems: copies}, order)
	if err != nil {
		return refuse(err)
	}
	return BlockedProduct(block, grid)
}

// DomainDistribute picks n positions of the shape, or as many of them as its extents have factors of n in common, by
// cutting every mode evenly (CuTe's domain_distribute): a tiler for what needs n elements and does not care which.
//
//	DomainDistribute((15,14), 6) = (3,2):(1,15)
//
// Ensures: (1) the size of the result divides n; (2) it divides the shape evenly; (3) it is increasing.
func DomainDistribute(shape Tuple, n int) (Layout, error) {
	if n < 1 {
		return Layout{}, fmt.Errorf("distribute %d over shape %v: allowed are counts of at least 1", n, shape)
	}
	l, err := ColMajor(Flatten(shape))
	if err != nil {
		return Layout{}, fmt.Errorf("distribute %d over shape %v: %w", n, shape, err)
	}
	picked := make([]mode, len(l.leaves()))
	for k, m := range l.leaves() {
		g := gcd(m.shape, n)
		picked[k] = mode{shape: g, stride: m.stride}
		n /= g
	}
	return Coalesce(ofModes(picked)), nil
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
	product, err := LogicalProduct(block, tiler)
	if err != nil {
		return Layout{}, Layout{}, err
	}
	return product.Mode(0), product.Mode(1), nil
}

// zip pairs the modes of a and b, which have one rank (CuTe's zip).
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

// padded is l as a tuple of at least the rank, with modes 1:0 appended (CuTe's append<R>).
func padded(l Layout, rank int) (Layout, error) {
	modes := l.Modes()
	for len(modes) < rank {
		modes = append(modes, ofModes([]mode{{shape: 1}}))
	}
	return Concat(modes...)
}
