package algebra

import "fmt"

// InnerProduct is the sum of the products of the leaves of a and b, which have one profile (CuTe's inner_product). It is
// the rule of a layout: the offset is the inner product of coordinate and stride. Basis strides have coordinates as
// values: see Layout.Value.
//
//	InnerProduct((3,(1,2)), (2,(1,8))) = 3*2 + 1*1 + 2*8 = 23
func InnerProduct(a, b Tuple) (int, error) {
	if !Congruent(a, b) {
		return 0, fmt.Errorf("inner_product of %v and %v: allowed are tuples of one profile", a, b)
	}
	as, bs := a.Leaves(), b.Leaves()
	sum := 0
	for i := range as {
		for _, leaf := range []Tuple{as[i], bs[i]} {
			if !leaf.isPlain() {
				return 0, fmt.Errorf("inner_product of %v and %v: got %v, allowed are integers", a, b, leaf)
			}
		}
		product, ok := mul(as[i].value, bs[i].value)
		next, ok2 := add(sum, product)
		if !ok || !ok2 {
			return 0, fmt.Errorf("inner_product of %v and %v: %w", a, b, errOverflow)
		}
		sum = next
	}
	return sum, nil
}

// ElemScale multiplies each leaf of a by the product of what b has in its place (CuTe's elem_scale). The result has a's
// profile.
//
//	ElemScale((4,16), ((21,16),(7,2))) = (4*21*16, 16*7*2) = (1344,224)
func ElemScale(a, b Tuple) (Tuple, error) {
	scaled, err := zipWith(a, b, func(n int, b Tuple) (int, error) {
		factor, err := Product(b)
		if err != nil {
			return 0, err
		}
		product, ok := mul(n, factor)
		if !ok {
			return 0, errOverflow
		}
		return product, nil
	})
	if err != nil {
		return Tuple{}, fmt.Errorf("elem_scale of %v by %v: %w", a, b, err)
	}
	return scaled, nil
}

// RoundUp is the least multiple of b's leaf at or above each leaf of a (CuTe's round_up). Elements that b lacks count as
// 1.
//
//	RoundUp((10,4), (4)) = (12,4)
func RoundUp(a, b Tuple) (Tuple, error) {
	refuse := func(err error) (Tuple, error) {
		return Tuple{}, fmt.Errorf("round_up of %v to %v: %w", a, b, err)
	}
	for _, t := range []Tuple{a, b} {
		if err := checkShape(t); err != nil {
			return refuse(err)
		}
	}
	padded, err := onesBehind(b, a)
	if err != nil {
		return refuse(err)
	}
	rounded, err := zipWith(a, padded, func(n int, b Tuple) (int, error) {
		if !b.IsLeaf() {
			return 0, fmt.Errorf("%d to %v: allowed is an integer", n, b)
		}
		up, ok := mul(ceil(n, b.value), b.value)
		if !ok {
			return 0, errOverflow
		}
		return up, nil
	})
	if err != nil {
		return refuse(err)
	}
	return rounded, nil
}

// onesBehind fills up t's lists with ones to the ranks of the profile.
func onesBehind(t, profile Tuple) (Tuple, error) {
	if t.IsLeaf() || profile.IsLeaf() {
		return t, nil
	}
	if len(t.elems) > len(profile.elems) {
		return Tuple{}, fmt.Errorf("%v has rank %d, allowed is at most the rank %d of %v", t, len(t.elems), len(profile.elems), profile)
	}
	elems := make([]Tuple, len(profile.elems))
	for i, p := range profile.elems {
		elems[i] = p.mapLeaves(func(Tuple) Tuple { return Int(1) })
		if i < len(t.elems) {
			var err error
			if elems[i], err = onesBehind(t.elems[i], p); err != nil {
				return Tuple{}, err
			}
		}
	}
	return Tuple{elems: elems}, nil
}

// ShapeDiv takes a part of size b off the front of the shape a and gives what is left (CuTe's shape_div). One of each
// two integers must divide the other; n/d is then ceil(n/d), and what d has beyond n is carried to the next mode.
//
//	ShapeDiv((3,4), 6)       = (1,2)    3 uses up 3 of the 6, 4 the 2 that are left
//	ShapeDiv((12,8), (3,16)) = (4,1)    by a tuple: element by element
//	ShapeDiv(12, (2,3))      = 2
func ShapeDiv(a, b Tuple) (Tuple, error) {
	for _, t := range []Tuple{a, b} {
		if err := checkShape(t); err != nil {
			return Tuple{}, fmt.Errorf("shape_div of %v by %v: %w", a, b, err)
		}
	}
	quotient, err := shapeDiv(a, b)
	if err != nil {
		return Tuple{}, fmt.Errorf("shape_div of %v by %v: %w", a, b, err)
	}
	return quotient, nil
}

func shapeDiv(a, b Tuple) (Tuple, error) {
	switch {
	case a.IsLeaf():
		d, err := Product(b)
		if err != nil {
			return Tuple{}, err
		}
		if a.value%d != 0 && d%a.value != 0 {
			return Tuple{}, fmt.Errorf("neither %d nor %d divides the other", a.value, d)
		}
		return Int(ceil(a.value, d)), nil
	case !b.IsLeaf() && len(a.elems) != len(b.elems):
		return Tuple{}, fmt.Errorf("%v and %v differ in rank", a, b)
	}
	elems := make([]Tuple, len(a.elems))
	rest := b
	for i, e := range a.elems {
		by := rest
		if !b.IsLeaf() {
			by = b.elems[i]
		}
		var err error
		if elems[i], err = shapeDiv(e, by); err != nil {
			return Tuple{}, err
		}
		if b.IsLeaf() {
			if rest, err = shapeDiv(rest, e); err != nil {
				return Tuple{}, err
			}
		}
	}
	return Tuple{elems: elems}, nil
}

// zipWith applies f to each leaf of a and what b has in its place.
func zipWith(a, b Tuple, f func(int, Tuple) (int, error)) (Tuple, error) {
	if a.IsLeaf() {
		if !a.isPlain() {
			return Tuple{}, fmt.Errorf("got %v, allowed are integers", a)
		}
		n, err := f(a.value, b)
		return Int(n), err
	}
	if b.IsLeaf() || len(a.elems) != len(b.elems) {
		return Tuple{}, fmt.Errorf("%v has no element for each of %v", b, a)
	}
	elems := make([]Tuple, len(a.elems))
	for i, e := range a.elems {
		var err error
		if elems[i], err = zipWith(e, b.elems[i], f); err != nil {
			return Tuple{}, err
		}
	}
	return Tuple{elems: elems}, nil
}

// Crd2Crd is the coordinate in shape dst of the element that coord names in shape src (CuTe's crd2crd): both count the
// same elements colexicographically. Three tuples of one rank convert mode by mode.
//
//	Crd2Crd((3,1), (4,2), 8)          = 7
//	Crd2Crd((3,1), (4,2), ((2,2),2))  = ((1,1),1)
//
// Sizes that differ and coordinates outside src are errors.
func Crd2Crd(coord, src, dst Tuple) (Tuple, error) {
	refuse := func(err error) (Tuple, error) {
		return Tuple{}, fmt.Errorf("crd2crd of %v from %v to %v: %w", coord, src, dst, err)
	}
	if !coord.IsLeaf() && !src.IsLeaf() && !dst.IsLeaf() && len(coord.elems) == len(src.elems) && len(src.elems) == len(dst.elems) {
		elems := make([]Tuple, len(coord.elems))
		for i, c := range coord.elems {
			var err error
			if elems[i], err = Crd2Crd(c, src.elems[i], dst.elems[i]); err != nil {
				return Tuple{}, err
			}
		}
		return Tuple{elems: elems}, nil
	}
	from, err := ColMajor(src)
	if err != nil {
		return refuse(err)
	}
	to, err := ColMajor(dst)
	if err != nil {
		return refuse(err)
	}
	if from.Size() != to.Size() {
		return refuse(fmt.Errorf("sizes %d and %d, allowed are equal ones", from.Size(), to.Size()))
	}
	i, err := from.Index(coord)
	if err != nil {
		return refuse(err)
	}
	return to.Coord(i), nil
}

// PrefixProduct replaces each leaf by first times the product of the leaves before it (pycute's prefix_product): the strides
// of a compact layout, but that leaves of 1 are no exception here. See CompactColMajor.
//
//	PrefixProduct((3,(2,4)), 1) = (1,(3,6))
//	PrefixProduct((3,1,2), 5)   = (5,15,15)
//
// Leaves that are no plain integers, and products beyond 64 bits, are errors.
func PrefixProduct(t Tuple, first int) (Tuple, error) {
	leaves := t.Leaves()
	products := make([]Tuple, len(leaves))
	product := first
	for i, leaf := range leaves {
		if !leaf.isPlain() {
			return Tuple{}, fmt.Errorf("prefix product of %v: %v is not a plain integer", t, leaf)
		}
		products[i] = Int(product)
		if i == len(leaves)-1 {
			break // what comes behind the last leaf is nobody's
		}
		var ok bool
		if product, ok = mul(product, leaf.value); !ok {
			return Tuple{}, fmt.Errorf("prefix product of %v from %d: %w", t, first, errOverflow)
		}
	}
	return unflatten(products, t), nil
}

// CompactColMajor is the strides of the compact layout of the shape, mode 0 fastest, whose first stride is first (CuTe's
// compact_col_major). An extent of 1 gets stride 0.
//
//	CompactColMajor((2,12,1,8), 2) = (2,4,0,48)
//
// A shape with extents below 1, a first stride below 1, and strides beyond 64 bits are errors.
func CompactColMajor(shape Tuple, first int) (Tuple, error) {
	return scaledStride("compact_col_major", ColMajor, shape, first)
}

// CompactRowMajor is CompactColMajor with the last mode fastest (CuTe's compact_row_major).
//
//	CompactRowMajor((8,4), 3) = (12,3)
func CompactRowMajor(shape Tuple, first int) (Tuple, error) {
	return scaledStride("compact_row_major", RowMajor, shape, first)
}

func scaledStride(name string, compact func(Tuple) (Layout, error), shape Tuple, first int) (Tuple, error) {
	if first < 1 {
		return Tuple{}, fmt.Errorf("%s of %v from %d: allowed are strides of at least 1", name, shape, first)
	}
	l, err := compact(shape)
	if err != nil {
		return Tuple{}, fmt.Errorf("%s of %v from %d: %w", name, shape, first, err)
	}
	stride := l.Stride()
	for _, leaf := range stride.Leaves() {
		if _, ok := mul(leaf.value, first); !ok {
			return Tuple{}, fmt.Errorf("%s of %v from %d: stride %d times %d %w", name, shape, first, leaf.value, first, errOverflow)
		}
	}
	return stride.mapLeaves(func(leaf Tuple) Tuple { return Int(leaf.value * first) }), nil
}

// TupleMax is the largest leaf (CuTe's max of an IntTuple, pycute's tuple_max).
//
//	TupleMax((3,(12),2)) = 12
//
// A tuple without leaves, and leaves that are no plain integers, are errors.
func TupleMax(t Tuple) (int, error) {
	leaves := t.Leaves()
	if len(leaves) == 0 {
		return 0, fmt.Errorf("tuple_max of %v: it has no leaf", t)
	}
	largest := leaves[0].value
	for _, leaf := range leaves {
		if !leaf.isPlain() {
			return 0, fmt.Errorf("tuple_max of %v: %v is not a plain integer", t, leaf)
		}
		largest = max(largest, leaf.value)
	}
	return largest, nil
}

// CeilDivLayout is the shape of the shifts of l that n elements need (CuTe's ceil_div by a layout): the shape of
// Complement(l, n), whose errors are these.
//
//	CeilDivLayout(2360, (4,2):(1,4)) = 295
//	CeilDivLayout(3137, 8:2)         = (2,197)    two shifts fill the gaps of l, 197 copies of both follow
func CeilDivLayout(n int, l Layout) (Tuple, error) {
	shifts, err := Complement(l, n)
	if err != nil {
		return Tuple{}, fmt.Errorf("ceil_div of %d by %v: %w", n, l, err)
	}
	return shifts.Shape(), nil
}
