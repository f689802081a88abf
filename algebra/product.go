package algebra

import (
	"fmt"
)

// LogicalProduct repeats l over the tiler: (l, copies) (CuTe's logical_product). The copies are placed by t, in units
// of the shifts that l leaves free.
//
//	LogicalProduct(4:1, 3:1)       = (4,3):(1,4)
//	LogicalProduct((2,2):(1,4), 6) = ((2,2),(2,3)):((1,4),(2,8))   fills the holes of l first
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
	reach, ok := mul(l.Size(), tiler.Cosize())
	if !ok {
		return Layout{}, fmt.Errorf("product of %v by %v: cosize %w", l, tiler, errOverflow)
	}
	free, err := Complement(l, reach)
	if err != nil {
		return Layout{}, fmt.Errorf("product of %v by %v: %w", l, tiler, err)
	}
	copies, err := Composition(free, tiler)
	if err != nil {
		return Layout{}, fmt.Errorf("product of %v by %v: %w", l, tiler, err)
	}
	return Concat(l, copies)
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
