package algebra

import (
	"cmp"
	"fmt"
	"slices"
)

// Ordered is the compact layout of the shape whose modes run in the given order, the smallest number fastest (CuTe's
// compact_order and make_ordered_layout). A leaf of the order may stand for a whole tuple of the shape, which is then
// column-major in itself.
//
//	Ordered((2,3,4), (2,0,1))     = (2,3,4):(12,1,3)
//	Ordered(((2,3),4), (1,0))     = ((2,3),4):((4,8),1)
//
// Equal numbers run from left to right. (CuTe gives them one stride, so that they overlap.) A mode of extent 1 gets
// stride 0. An order that does not fit the shape is an error.
func Ordered(shape, order Tuple) (Layout, error) {
	spread, err := orderOf(shape, order)
	if err != nil {
		return Layout{}, fmt.Errorf("order %v of shape %v: %w", order, shape, err)
	}
	return compact(shape, func(n int) []int {
		places := indices(n)
		slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(spread[i], spread[j]) })
		return places
	})
}

// orderOf lists the order of each leaf of the shape.
func orderOf(shape, order Tuple) ([]int, error) {
	if order.IsLeaf() {
		if !order.isPlain() {
			return nil, fmt.Errorf("got %v, allowed are integers", order)
		}
		return slices.Repeat([]int{order.value}, len(shape.Leaves())), nil
	}
	if shape.IsLeaf() || len(shape.elems) != len(order.elems) {
		return nil, fmt.Errorf("%v does not fit %v", order, shape)
	}
	var all []int
	for i, s := range shape.elems {
		part, err := orderOf(s, order.elems[i])
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// LayoutLike is the compact layout of l's shape whose modes run in the order of l's strides (CuTe's make_layout_like):
// what a copy of l without gaps looks like. Modes of stride 0 stay so: what shares an element in l shares it in the copy.
//
//	(4,2,3):(1,0,40) -> (4,2,3):(1,0,4)
//	(4,3):(5,1)      -> (4,3):(3,1)
//
// Basis strides are an error.
func LayoutLike(l Layout) (Layout, error) {
	if l.HasBasis() {
		return Layout{}, fmt.Errorf("layout like %v: its values are coordinates, allowed are plain strides; use Dot first", l)
	}
	still, err := MakeLayout(FilterZeros(l).Shape(), l.Stride())
	if err != nil {
		return Layout{}, err
	}
	compact, err := Ordered(still.Shape(), l.Stride())
	if err != nil {
		return Layout{}, err
	}
	return MakeLayout(l.Shape(), compact.Stride())
}

// FragmentLike is the layout of registers that hold a thread's part of l (CuTe's make_fragment_like): compact, mode 0
// column-major in front, since atoms read and write it, the others behind it in the order of l's strides.
//
//	((2,4),8,3):((16,1),96,32) -> ((2,4),8,3):((1,2),24,8)
func FragmentLike(l Layout) (Layout, error) {
	if l.Rank() <= 1 {
		return ColMajor(l.Shape())
	}
	if l.HasBasis() {
		return Layout{}, fmt.Errorf("fragment like %v: its values are coordinates, allowed are plain strides; use Dot first", l)
	}
	first := l.Mode(0)
	atom, err := ColMajor(FilterZeros(first).Shape())
	if err != nil {
		return Layout{}, err
	}
	if atom, err = MakeLayout(first.Shape(), atom.Stride()); err != nil {
		return Layout{}, err
	}
	rest, err := l.Take(1, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	if rest, err = Ordered(rest.Shape(), rest.Stride()); err != nil {
		return Layout{}, err
	}
	return TiledProduct(atom, rest)
}
