package algebra

import (
	"fmt"
)

// LogicalProduct repeats l over the tiler: (l, copies) (CuTe's logical_product). The copies are placed by t, in units
// of the shifts that l leaves free.
//
//	LogicalProduct(4:1, 3:1)       = (4,3):(1,4)
//	LogicalProduct((2,2):(1,4), 6) = ((2,2),6):... fills the holes of l first
func LogicalProduct(l Layout, t Tiler) (Layout, error) {
	if tilers, ok := byMode(t); ok {
		modes, rest, err := eachMode("product", l, tilers, LogicalProduct)
		if err != nil {
			return Layout{}, err
		}
		return Concat(append(modes, rest...)...)
	}
	tiler, ok, err := whole(t)
	if err != nil || !ok {
		return l, err
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
func BlockedProduct(block, tiler Layout) (Layout, error) {
	return zipProduct(block, tiler, func(b, t Layout) (Layout, error) { return Concat(b, t) })
}

// RakedProduct is BlockedProduct with the copies interleaved (CuTe's raked_product): mode i is (tiler's mode i, block's
// mode i).
func RakedProduct(block, tiler Layout) (Layout, error) {
	return zipProduct(block, tiler, func(b, t Layout) (Layout, error) { return Concat(t, b) })
}

func zipProduct(block, tiler Layout, pair func(b, t Layout) (Layout, error)) (Layout, error) {
	rank := max(block.Rank(), tiler.Rank())
	b, err := padded(block, rank)
	if err != nil {
		return Layout{}, err
	}
	t, err := padded(tiler, rank)
	if err != nil {
		return Layout{}, err
	}
	both, err := LogicalProduct(b, t)
	if err != nil {
		return Layout{}, err
	}
	modes := make([]Layout, rank)
	for i := range modes {
		if modes[i], err = pair(both.Mode(0).Mode(i), both.Mode(1).Mode(i)); err != nil {
			return Layout{}, err
		}
	}
	return Concat(modes...)
}

// padded appends modes 1:0 up to the rank (CuTe's append<R>).
func padded(l Layout, rank int) (Layout, error) {
	if l.Rank() >= rank {
		return l, nil
	}
	modes := l.Modes()
	for len(modes) < rank {
		modes = append(modes, ofModes([]mode{{shape: 1}}))
	}
	return Concat(modes...)
}
