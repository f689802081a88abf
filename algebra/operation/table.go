package operation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"cutegen/algebra"
)

// Headings of the table.
const (
	tuples      = "Tuples"
	coordinates = "Coordinates and offsets"
	newLayouts  = "New layouts"
	modes       = "Modes"
	functions   = "Layouts as functions"
	divides     = "Divide"
	products    = "Product"
	partitions  = "Tiles and partitions"
	recasts     = "Vectors and elements"
	swizzles    = "Swizzles"
)

// anyLayout takes a swizzled layout too, object a tuple as well.
const (
	anyLayout = Layout | Composed
	object    = Tuple | Layout | Composed
)

func need(name string, kind Kind) Param { return Param{Name: name, Kind: kind} }
func opt(name string, kind Kind) Param  { return Param{Name: name, Kind: kind, Optional: true} }

// one and two are the evaluations of functions that take just what the parameters are.
func one[A, R any](f func(A) (R, error)) func(args) (Value, error) {
	return func(a args) (Value, error) { return f(a[0].(A)) }
}

func two[A, B, R any](f func(A, B) (R, error)) func(args) (Value, error) {
	return func(a args) (Value, error) { return f(a[0].(A), a[1].(B)) }
}

// sure is for functions that do not refuse.
func sure[A, R any](f func(A) R) func(args) (Value, error) {
	return func(a args) (Value, error) { return f(a[0].(A)), nil }
}

func holds(f func(a, b algebra.Tuple) bool) func(args) (Value, error) {
	return func(a args) (Value, error) { return f(a.tuple(0), a.tuple(1)), nil }
}

// below does what only rearranges coordinates to argument i: to a layout, or to the layout below a swizzle.
func below(i int, f func(l algebra.Layout, a args) (algebra.Layout, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		if c, ok := a[i].(algebra.Composed); ok {
			return c.With(f(c.Layout, a))
		}
		return f(a.layout(i), a)
	}
}

// each does it to a tuple as well.
func each(i int, ofTuple func(t algebra.Tuple, a args) (algebra.Tuple, error),
	f func(l algebra.Layout, a args) (algebra.Layout, error)) func(args) (Value, error) {
	ofLayout := below(i, f)
	return func(a args) (Value, error) {
		if t, ok := a[i].(algebra.Tuple); ok {
			return ofTuple(t, a)
		}
		return ofLayout(a)
	}
}

func byTiler(f func(algebra.Layout, algebra.Tiler) (algebra.Layout, error)) func(args) (Value, error) {
	return below(0, func(l algebra.Layout, a args) (algebra.Layout, error) { return f(l, a.tiler(1)) })
}

// part is what f cuts out of v: out of a layout, or out of the one below a swizzle, which then sees the offset.
func part(v Value, f func(l algebra.Layout) (algebra.Layout, algebra.Tuple, error)) (Value, error) {
	if c, ok := v.(algebra.Composed); ok {
		kept, at, err := c.Part(f(c.Layout))
		return Sliced{kept, algebra.Int(at)}, err
	}
	l, at, err := f(v.(algebra.Layout))
	return Sliced{l, at}, err
}

// parts is the part that f cuts out of the first argument.
func parts(f func(l algebra.Layout, a args) (algebra.Layout, algebra.Tuple, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		return part(a[0], func(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) { return f(l, a) })
	}
}

// unswizzled does it to argument i, or to the layout below its swizzle: registers are not swizzled.
func unswizzled(i int, f func(l algebra.Layout) (algebra.Layout, error)) func(args) (Value, error) {
	return func(a args) (Value, error) { return f(composedOf(a[i]).Layout) }
}

var table = slices.Concat(layoutOperations, atomOperations, mmaOperations, copyOperations)

var layoutOperations = []Operation{
	{"product", tuples, "the product of TUPLE's leaves", []Param{need("TUPLE", Tuple)}, []string{"(4,(2,8))"}, one(algebra.Product)},
	{"product_each", tuples, "the product of the leaves of each of SHAPE's elements",
		[]Param{need("SHAPE", Tuple)}, []string{"(4,(2,8))"}, one(algebra.ProductEach)},
	{"product_like", tuples, "SHAPE, where GUIDE has a leaf the product of the leaves",
		[]Param{need("SHAPE", Tuple), need("GUIDE", Tuple)}, []string{"(4,(2,(3,5)))", "(0,(0,0))"}, two(algebra.ProductLike)},
	{"prefix_product", tuples, "FIRST, or 1, times the product of the leaves before each",
		[]Param{need("TUPLE", Tuple), opt("FIRST", Integer)}, []string{"(3,(2,4))", "5"}, from(algebra.PrefixProduct)},
	{"tuple_max", tuples, "the largest of TUPLE's leaves", []Param{need("TUPLE", Tuple)}, []string{"(3,(12),2)"}, one(algebra.TupleMax)},
	{"flatten", tuples, "TUPLE or LAYOUT without nesting", []Param{need("TUPLE|LAYOUT", object)}, []string{"((2,2),3):((1,6),2)"},
		each(0, func(t algebra.Tuple, _ args) (algebra.Tuple, error) { return algebra.Flatten(t), nil },
			func(l algebra.Layout, _ args) (algebra.Layout, error) { return l.Flatten(), nil })},
	{"unflatten", tuples, "the leaves in PROFILE's nesting",
		[]Param{need("TUPLE|LAYOUT", object), need("PROFILE", Tuple)}, []string{"(2,2,3):(1,6,2)", "((0,0),0)"},
		each(0, func(t algebra.Tuple, a args) (algebra.Tuple, error) { return t.Unflatten(a.tuple(1)) },
			func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Unflatten(a.tuple(1)) })},
	{"inner_product", tuples, "the sum of the products of the leaves",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(3,(1,2))", "(2,(1,8))"}, two(algebra.InnerProduct)},
	{"elem_scale", tuples, "each leaf of A times what B has in its place",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(4,16)", "((21,16),(7,2))"}, two(algebra.ElemScale)},
	{"ceil_div", tuples, "A divided by B, rounded up; by a layout, its shifts in A",
		[]Param{need("A", Tuple), need("B", Tuple|Layout)}, []string{"(16,5)", "(4,2)"}, ceilDiv},
	{"round_up", tuples, "the least multiples of B at or above A",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(10,4)", "(4)"}, two(algebra.RoundUp)},
	{"shape_div", tuples, "what is left of shape A after a part of size B",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(3,4)", "6"}, two(algebra.ShapeDiv)},
	{"congruent", tuples, "have A and B one profile?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(4,(2,8))", "(1,(7,5))"}, holds(algebra.Congruent)},
	{"weakly_congruent", tuples, "does B refine A's profile?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(4,5)", "(4,(2,3))"}, holds(algebra.WeaklyCongruent)},
	{"compatible", tuples, "is each coordinate of A one of B?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"24", "(4,6)"}, holds(algebra.Compatible)},
	{"evenly_divides", tuples, "does tiler B cut shape A without a remainder?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(8,6)", "(4,3)"}, holds(algebra.EvenlyDivides)},
	{"elem_less", tuples, "is each element of A below B's?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(3,(1,2))", "(4,(2,8))"}, two(algebra.ElemLess)},
	{"lex_less", tuples, "is A before B, the first element deciding?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(1,9)", "(2,0)"}, two(algebra.LexLess)},
	{"colex_less", tuples, "is A before B, the last element deciding?",
		[]Param{need("A", Tuple), need("B", Tuple)}, []string{"(1,9)", "(2,0)"}, two(algebra.ColexLess)},
	{"dice", tuples, "what PROJ pairs with an integer, not X",
		[]Param{need("PROJ", Tuple), need("TUPLE|LAYOUT", Tuple|Layout)}, []string{"(1,X,1)", "(128,64,8)"}, dice},
	{"slice", tuples, "what COORD pairs with _ of SHAPE",
		[]Param{need("COORD", Tuple), need("SHAPE", Tuple)}, []string{"(2,_)", "(4,(2,8))"},
		func(a args) (Value, error) {
			l, err := algebra.ColMajor(a.tuple(1))
			if err != nil {
				return nil, err
			}
			kept, _, err := algebra.Slice(l, a.tuple(0))
			if err != nil {
				return nil, fmt.Errorf("slice %v of %v: %w", a[0], a[1], inside(err))
			}
			return kept.Shape(), nil
		}},

	{"size", coordinates, "how many coordinates", []Param{need("LAYOUT", anyLayout)}, []string{"(8,7):(1,9)"},
		func(a args) (Value, error) { return composedOf(a[0]).Size(), nil }},
	{"cosize", coordinates, "how many elements a buffer needs", []Param{need("LAYOUT", anyLayout)}, []string{"(8,7):(1,9)"}, cosize},
	{"coshape", coordinates, "the size of the box of the values", []Param{need("LAYOUT", anyLayout)}, []string{"(4,(2,3)):(2@1,(1@0,8@1))"},
		func(a args) (Value, error) {
			if c, ok := a[0].(algebra.Composed); ok {
				return c.Cosize(), nil
			}
			return algebra.Coshape(a.layout(0)), nil
		}},
	{"rank", coordinates, "how many modes", []Param{need("LAYOUT", anyLayout)}, []string{"(4,(2,4)):(2,(1,8))"},
		func(a args) (Value, error) { return composedOf(a[0]).Layout.Rank(), nil }},
	{"depth", coordinates, "how deeply nested", []Param{need("LAYOUT", anyLayout)}, []string{"(4,(2,4)):(2,(1,8))"},
		func(a args) (Value, error) { return composedOf(a[0]).Layout.Depth(), nil }},
	{"offsets", coordinates, "the offsets of positions 0, 1, ...", []Param{need("LAYOUT", anyLayout)}, []string{"(2,3):(3,1)"},
		func(a args) (Value, error) {
			c := composedOf(a[0])
			if c.Layout.HasBasis() {
				return nil, fmt.Errorf("offsets of %v: its values are coordinates, allowed are plain strides", a[0])
			}
			return offsets(c.Size(), c.At)
		}},
	{"layout_at", coordinates, "LAYOUT's offset at COORD",
		[]Param{need("LAYOUT", anyLayout), need("COORD", Tuple)}, []string{"(4,(2,4)):(2,(1,8))", "(3,5)"}, layoutAt},
	{"crd2idx", coordinates, "the offset of COORD in SHAPE:STRIDE",
		[]Param{need("COORD", Tuple), need("SHAPE", Tuple), opt("STRIDE", Tuple)}, []string{"(3,5)", "(4,(2,4))", "(2,(1,8))"},
		func(a args) (Value, error) {
			l, err := layoutOf(a[1:])
			if err != nil {
				return nil, err
			}
			at, err := l.Value(a.tuple(0))
			if err != nil && len(a) == 2 {
				return nil, fmt.Errorf("coordinate %v of %v: %w", a[0], a[1], inside(err))
			}
			return at, err
		}},
	{"idx2crd", coordinates, "the coordinate of OFFSET in SHAPE:STRIDE",
		[]Param{need("OFFSET", Integer), need("SHAPE", Tuple), opt("STRIDE", Tuple)}, []string{"23", "(4,(2,4))", "(2,(1,8))"},
		func(a args) (Value, error) {
			l, err := layoutOf(a[1:])
			if err != nil {
				return nil, err
			}
			if len(a) == 2 {
				return l.Coord(a.integer(0)), nil
			}
			return algebra.CoordOf(l, a.integer(0))
		}},
	{"crd2crd", coordinates, "COORD of SHAPE FROM as a coordinate of SHAPE TO",
		[]Param{need("COORD", Tuple), need("TO", Tuple), opt("FROM", Tuple)}, []string{"(3,1)", "((2,2),2)", "(4,2)"},
		func(a args) (Value, error) {
			if len(a) == 3 {
				return algebra.Crd2Crd(a.tuple(0), a.tuple(2), a.tuple(1))
			}
			src, err := sizesAt(a.tuple(0), a.tuple(1))
			if err != nil {
				return nil, err
			}
			return algebra.Crd2Crd(a.tuple(0), src, a.tuple(1))
		}},
	{"get_hier_coord", coordinates, "the coordinate at OFFSET",
		[]Param{need("LAYOUT", Layout), need("OFFSET", Integer)}, []string{"(4,(2,4)):(2,(1,8))", "23"}, two(algebra.CoordOf)},
	{"get_flat_coord", coordinates, "the coordinate at OFFSET, one number a mode",
		[]Param{need("LAYOUT", Layout), need("OFFSET", Integer)}, []string{"(4,(2,4)):(2,(1,8))", "23"}, flatCoord},
	{"get_1d_coord", coordinates, "the position at OFFSET",
		[]Param{need("LAYOUT", Layout), need("OFFSET", Integer)}, []string{"(4,(2,4)):(2,(1,8))", "23"},
		func(a args) (Value, error) {
			coord, err := algebra.CoordOf(a.layout(0), a.integer(1))
			if err != nil {
				return nil, err
			}
			columns, err := algebra.ColMajor(a.layout(0).Shape())
			if err != nil {
				return nil, err
			}
			return columns.Index(coord)
		}},
	{"slice_layout", coordinates, "LAYOUT at COORD's integers, the modes at _ left",
		[]Param{need("COORD", Tuple), need("LAYOUT", anyLayout)}, []string{"(2,(_,3))", "(3,(2,4)):(4,(1,16))"},
		func(a args) (Value, error) {
			s, err := slice(a[1], a.tuple(0))
			return s.Layout, err
		}},
	{"slice_and_offset", coordinates, "(LAYOUT at COORD's integers, the offset there)",
		[]Param{need("COORD", Tuple), need("LAYOUT", anyLayout)}, []string{"(2,(_,3))", "(3,(2,4)):(4,(1,16))"},
		func(a args) (Value, error) {
			s, err := slice(a[1], a.tuple(0))
			return Pair(s), err
		}},
	{"tensor_slice", coordinates, "LAYOUT at COORD's integers, and the offset there",
		[]Param{need("LAYOUT", anyLayout), need("COORD", Tuple)}, []string{"(3,(2,4)):(4,(1,16))", "(2,(_,3))"},
		func(a args) (Value, error) { return slice(a[0], a.tuple(1)) }},
	{"domain_offset", coordinates, "LAYOUT from COORD on",
		[]Param{need("LAYOUT", anyLayout), need("COORD", Tuple)}, []string{"(9,4):(4,1)", "(4,2)"},
		func(a args) (Value, error) {
			if c, ok := a[0].(algebra.Composed); ok {
				return c.DomainOffset(a.tuple(1))
			}
			l, at, err := algebra.DomainOffset(a.layout(0), a.tuple(1))
			return Sliced{l, at}, err
		}},

	{"make_layout", newLayouts, "SHAPE:STRIDE, or compact with mode 0 fastest",
		[]Param{need("SHAPE", Tuple), opt("STRIDE", Tuple)}, []string{"(4,(2,3))"},
		func(a args) (Value, error) { return layoutOf(a) }},
	{"make_layout_right", newLayouts, "compact, the last mode fastest",
		[]Param{need("SHAPE", Tuple)}, []string{"(4,(2,3))"}, one(algebra.RowMajor)},
	{"make_ordered_layout", newLayouts, "compact, the modes in ORDER",
		[]Param{need("SHAPE", Tuple), need("ORDER", Tuple)}, []string{"(2,3,4)", "(2,0,1)"}, two(algebra.Ordered)},
	{"make_layout_like", newLayouts, "compact, in the order of LAYOUT's strides",
		[]Param{need("LAYOUT", anyLayout)}, []string{"(4,2,3):(1,0,40)"}, unswizzled(0, algebra.LayoutLike)},
	{"make_fragment_like", newLayouts, "registers for a thread's part of LAYOUT",
		[]Param{need("LAYOUT", anyLayout)}, []string{"((2,4),8,3):((16,1),96,32)"}, unswizzled(0, algebra.FragmentLike)},
	{"make_identity_layout", newLayouts, "gives back the coordinate",
		[]Param{need("SHAPE", Tuple)}, []string{"(4,(2,3))"}, one(algebra.Identity)},
	{"compact_col_major", newLayouts, "the strides from FIRST, or 1, on, mode 0 fastest",
		[]Param{need("SHAPE", Tuple), opt("FIRST", Integer)}, []string{"(4,(2,3))"}, from(algebra.CompactColMajor)},
	{"compact_row_major", newLayouts, "the strides from FIRST, or 1, on, the last mode fastest",
		[]Param{need("SHAPE", Tuple), opt("FIRST", Integer)}, []string{"(4,(2,3))"}, from(algebra.CompactRowMajor)},
	{"compact_order", newLayouts, "the strides of make_ordered_layout",
		[]Param{need("SHAPE", Tuple), need("ORDER", Tuple)}, []string{"(2,3,4)", "(2,0,1)"},
		func(a args) (Value, error) {
			l, err := algebra.Ordered(a.tuple(0), a.tuple(1))
			return l.Stride(), err
		}},
	{"dot", newLayouts, "offsets of coordinates: stride n@k is n*STRIDES[k]",
		[]Param{need("LAYOUT", Layout), need("STRIDES", Tuple)}, []string{"(128,8):(1@0,1@1)", "(1,132)"},
		func(a args) (Value, error) {
			ns, err := integers(a.tuple(1))
			if err != nil {
				return nil, err
			}
			return algebra.Dot(a.layout(0), ns...)
		}},

	{"get", modes, "mode I", []Param{need("I", Integer), need("TUPLE|LAYOUT", object)}, []string{"1", "(4,(2,4)):(2,(1,8))"}, get},
	{"take", modes, "the modes from BEGIN up to, not including, END",
		[]Param{need("BEGIN", Integer), need("END", Integer), need("TUPLE|LAYOUT", object)}, []string{"1", "3", "(4,5,6):(1,4,20)"},
		each(2, func(t algebra.Tuple, a args) (algebra.Tuple, error) { return t.Take(a.integer(0), a.integer(1)) },
			func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Take(a.integer(0), a.integer(1)) })},
	{"select", modes, "the modes at PLACES",
		[]Param{need("PLACES", Tuple), need("TUPLE|LAYOUT", object)}, []string{"(2,0)", "(4,5,6):(1,4,20)"},
		each(1, func(t algebra.Tuple, a args) (algebra.Tuple, error) {
			places, err := integers(a.tuple(0))
			if err != nil {
				return algebra.Tuple{}, err
			}
			return t.Select(places...)
		}, func(l algebra.Layout, a args) (algebra.Layout, error) {
			places, err := integers(a.tuple(0))
			if err != nil {
				return algebra.Layout{}, err
			}
			return l.Select(places...)
		})},
	{"group", modes, "one mode of those from BEGIN up to, not including, END",
		[]Param{need("BEGIN", Integer), need("END", Integer), need("TUPLE|LAYOUT", object)}, []string{"1", "3", "(4,5,6):(1,4,20)"},
		each(2, func(t algebra.Tuple, a args) (algebra.Tuple, error) { return t.Group(a.integer(0), a.integer(1)) },
			func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Group(a.integer(0), a.integer(1)) })},
	{"replace", modes, "LAYOUT with BY as its mode I",
		[]Param{need("I", Integer), need("LAYOUT", anyLayout), need("BY", Layout)}, []string{"1", "(4,5,6):(1,4,20)", "(2,2):(1,2)"},
		below(1, func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Replace(a.integer(0), a.layout(2)) })},
	{"append", modes, "LAYOUT with one more mode at the end",
		[]Param{need("LAYOUT", anyLayout), need("MODE", Layout)}, []string{"(4,5):(1,4)", "6:20"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Append(a.layout(1)) })},
	{"prepend", modes, "LAYOUT with one more mode in front",
		[]Param{need("LAYOUT", anyLayout), need("MODE", Layout)}, []string{"(4,5):(1,4)", "6:20"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) { return l.Prepend(a.layout(1)) })},
	{"append_to", modes, "modes 1:0 behind LAYOUT, up to RANK",
		[]Param{need("RANK", Integer), need("LAYOUT", anyLayout)}, []string{"3", "5:1"},
		below(1, func(l algebra.Layout, a args) (algebra.Layout, error) { return l.AppendTo(a.integer(0)) })},
	{"prepend_to", modes, "modes 1:0 in front of LAYOUT, up to RANK",
		[]Param{need("RANK", Integer), need("LAYOUT", anyLayout)}, []string{"3", "5:1"},
		below(1, func(l algebra.Layout, a args) (algebra.Layout, error) { return l.PrependTo(a.integer(0)) })},
	{"zip", modes, "(A's mode, B's mode) for each mode",
		[]Param{need("A", Layout), need("B", Layout)}, []string{"(4,5):(1,4)", "(2,3):(20,40)"}, zip},

	{"coalesce", functions, "the same function in as few modes as possible",
		[]Param{need("LAYOUT", anyLayout), opt("PROFILE", Tuple)}, []string{"(2,(1,6)):(1,(6,2))"},
		below(0, profiled(algebra.Coalesce, algebra.CoalesceModes))},
	{"filter", functions, "LAYOUT without modes that do not move, coalesced",
		[]Param{need("LAYOUT", anyLayout), opt("PROFILE", Tuple)}, []string{"(2,4,3):(0,1,4)"},
		below(0, profiled(algebra.Filter, algebra.FilterModes))},
	{"filter_zeros", functions, "LAYOUT with extent 1 in modes of stride 0",
		[]Param{need("LAYOUT", Layout)}, []string{"(2,4,3):(0,1,4)"}, sure(algebra.FilterZeros)},
	{"composition", functions, "R(i) = A(B(i)): walk A in the order that B says",
		[]Param{need("A", anyLayout|Swizzle), need("B", Tiler|Swizzle|Composed)}, []string{"(6,2):(8,2)", "(4,3):(3,1)"}, composition},
	{"complement", functions, "the shifts under which LAYOUT's offsets fill COTARGET",
		[]Param{need("LAYOUT", anyLayout), opt("COTARGET", Tuple)}, []string{"(2,4):(1,6)", "24"},
		func(a args) (Value, error) {
			if c, ok := a[0].(algebra.Composed); ok {
				return complementSwizzled(c, a[1:])
			}
			if len(a) == 2 {
				return algebra.ComplementShape(a.layout(0), a.tuple(1))
			}
			return algebra.Complement(a.layout(0), algebra.Filter(a.layout(0)).Cosize())
		}},
	{"right_inverse", functions, "R with LAYOUT(R(i)) = i",
		[]Param{need("LAYOUT", anyLayout)}, []string{"(4,2):(2,1)"}, inverse(algebra.RightInverse, algebra.Composed.RightInverse)},
	{"left_inverse", functions, "R with R(LAYOUT(i)) = i",
		[]Param{need("LAYOUT", anyLayout)}, []string{"(4,2):(1,8)"}, inverse(algebra.LeftInverse, algebra.Composed.LeftInverse)},
	{"nullspace", functions, "the positions at offset 0",
		[]Param{need("LAYOUT", Layout)}, []string{"(2,2,3):(1,0,2)"}, one(algebra.Nullspace)},

	{"logical_divide", divides, "LAYOUT cut into tiles: (tile,rest), mode by mode",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(8,6):(1,8)", "(4,3)"}, byTiler(algebra.LogicalDivide)},
	{"zipped_divide", divides, "LAYOUT cut into tiles: ((tiles),(rests))",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(8,6):(1,8)", "(4,3)"}, byTiler(algebra.ZippedDivide)},
	{"tiled_divide", divides, "LAYOUT cut into tiles: ((tiles),rest,rest,...)",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(8,6):(1,8)", "(4,3)"}, byTiler(algebra.TiledDivide)},
	{"flat_divide", divides, "LAYOUT cut into tiles: (tile,tile,...,rest,rest,...)",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(8,6):(1,8)", "(4,3)"}, byTiler(algebra.FlatDivide)},

	{"logical_product", products, "LAYOUT repeated over TILER: (LAYOUT,copies)",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler|Composed)}, []string{"(2,2):(1,4)", "6"}, logicalProduct},
	{"zipped_product", products, "LAYOUT repeated: ((LAYOUT's modes),(copies))",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(2,3):(1,2)", "(4:1,2:1)"}, byTiler(algebra.ZippedProduct)},
	{"tiled_product", products, "LAYOUT repeated: ((LAYOUT's modes),copies,...)",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(2,2):(1,2)", "(3,4):(1,3)"}, byTiler(algebra.TiledProduct)},
	{"flat_product", products, "LAYOUT repeated: all modes side by side",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler)}, []string{"(2,2):(1,2)", "(3,4):(1,3)"}, byTiler(algebra.FlatProduct)},
	{"blocked_product", products, "BLOCK repeated over TILER, each copy in one piece",
		[]Param{need("BLOCK", anyLayout), need("TILER", Layout)}, []string{"(2,2):(1,2)", "(3,4):(1,3)"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) { return algebra.BlockedProduct(l, a.layout(1)) })},
	{"raked_product", products, "BLOCK repeated over TILER, the copies interleaved",
		[]Param{need("BLOCK", anyLayout), need("TILER", Layout)}, []string{"(2,2):(1,2)", "(3,4):(1,3)"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) { return algebra.RakedProduct(l, a.layout(1)) })},
	{"tile_to_shape", products, "BLOCK repeated until it fills SHAPE",
		[]Param{need("BLOCK", anyLayout), need("SHAPE", Tuple), opt("ORDER", Tuple)}, []string{"(2,2):(2,1)", "(4,6)"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) {
			if len(a) == 3 {
				return algebra.TileToShapeOrder(l, a.tuple(1), a.tuple(2))
			}
			return algebra.TileToShape(l, a.tuple(1))
		})},

	{"local_tile", partitions, "the tile of LAYOUT at COORD",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler), need("COORD", Tuple)}, []string{"(128,64):(64,1)", "(32,16)", "(2,_)"},
		parts(localTileOf)},
	{"local_tile_proj", partitions, "the tile at COORD, both cut to the modes PROJ keeps",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tuple), need("COORD", Tuple), need("PROJ", Tuple)},
		[]string{"(32,16):(16,1)", "(8,16,8)", "(1,2,_)", "(1,X,1)"},
		parts(func(l algebra.Layout, a args) (algebra.Layout, algebra.Tuple, error) {
			return algebra.LocalTileProj(l, a.tuple(1), a.tuple(2), a.tuple(3))
		})},
	{"inner_partition", partitions, "the tile of LAYOUT at COORD, as local_tile",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler), need("COORD", Tuple)}, []string{"(128,64):(64,1)", "(32,16)", "(2,_)"},
		parts(localTileOf)},
	{"outer_partition", partitions, "the place COORD of every tile",
		[]Param{need("LAYOUT", anyLayout), need("TILER", Tiler), need("COORD", Tuple)}, []string{"(128,64):(64,1)", "(32,16)", "(2,_)"},
		parts(func(l algebra.Layout, a args) (algebra.Layout, algebra.Tuple, error) {
			return algebra.OuterPartition(l, a.tiler(1), a.tuple(2))
		})},
	{"local_partition", partitions, "thread ID's part of LAYOUT, dealt out to THREADS",
		[]Param{need("LAYOUT", anyLayout), need("THREADS", Layout), need("ID", Integer)},
		[]string{"(16,8):(1,16)", "(4,2):(2,1)", "3"}, parts(localPartition)},
	{"local_partition_proj", partitions, "local_partition by the modes of THREADS PROJ keeps",
		[]Param{need("LAYOUT", anyLayout), need("THREADS", Layout), need("ID", Integer), need("PROJ", Tuple)},
		[]string{"(16,8):(2,32)", "(4,2,8):(2,1,8)", "51", "(1,X,1)"}, parts(localPartition)},
	{"partition_tv", partitions, "TILE dealt out: ((thread),(value),(rest))",
		[]Param{need("TILE", anyLayout), need("THREADS", Layout), need("VALUES", Tuple), opt("PROJ", Tuple)},
		[]string{"(4,8):(1@0,1@1)", "(4,2):(2,1)", "(1,4)"},
		below(0, func(l algebra.Layout, a args) (algebra.Layout, error) {
			if len(a) == 4 {
				return algebra.PartitionTVProj(l, a.layout(1), a.tuple(2), a.tuple(3))
			}
			return algebra.PartitionTV(l, a.layout(1), a.tuple(2))
		})},
	{"domain_distribute", partitions, "N positions of SHAPE, cut from every mode evenly",
		[]Param{need("SHAPE", Tuple), need("N", Integer)}, []string{"(15,14)", "6"}, two(algebra.DomainDistribute)},

	{"max_common_vector", recasts, "how many elements lie in one order in A and in B",
		[]Param{need("A", anyLayout), need("B", anyLayout)}, []string{"(4,8):(1,4)", "(4,8):(1,8)"},
		ofTwo(algebra.MaxCommonVector, algebra.Composed.MaxCommonVector)},
	{"max_common_layout", recasts, "the positions that max_common_vector counts",
		[]Param{need("A", anyLayout), need("B", anyLayout)}, []string{"(8,4):(4,1)", "(8,4):(4,1)"},
		ofTwo(algebra.MaxCommonLayout, algebra.Composed.MaxCommonLayout)},
	{"max_alignment", recasts, "the largest aligned blocks of which LAYOUT consists",
		[]Param{need("LAYOUT", anyLayout)}, []string{"(8,4):(1,12)"},
		func(a args) (Value, error) {
			if c, ok := a[0].(algebra.Composed); ok {
				return c.MaxAlignment()
			}
			return algebra.MaxAlignment(a.layout(0))
		}},
	{"upcast", recasts, "LAYOUT in words of N elements",
		[]Param{need("N", Integer), need("LAYOUT", anyLayout)},
		[]string{"4", "(8,3):(1,16)"}, recast(algebra.Upcast, algebra.Composed.Upcast)},
	{"downcast", recasts, "LAYOUT with each element cut into N",
		[]Param{need("N", Integer), need("LAYOUT", anyLayout)},
		[]string{"4", "(2,3):(1,4)"}, recast(algebra.Downcast, algebra.Composed.Downcast)},
	{"recast_layout", recasts, "LAYOUT of elements of OLD bits in elements of NEW bits",
		[]Param{need("OLD", Integer), need("NEW", Integer), need("LAYOUT", anyLayout)}, []string{"16", "32", "(8,3):(1,8)"},
		func(a args) (Value, error) {
			if c, ok := a[2].(algebra.Composed); ok {
				return c.Recast(a.integer(0), a.integer(1))
			}
			return algebra.Recast(a.layout(2), a.integer(0), a.integer(1))
		}},

	{"make_swizzle", swizzles, "xors the bits Y into the bits Z",
		[]Param{need("Y", Integer), need("Z", Integer)}, []string{"192", "6"}, two(algebra.MakeSwizzle)},
	{"swizzle", swizzles, "OFFSET, swizzled", []Param{need("SWIZZLE", Swizzle), need("OFFSET", Integer)}, []string{"Sw<2,0,2>", "13"},
		func(a args) (Value, error) { return a.swizzle(0).Apply(a.integer(1)), nil }},
	{"swizzle_size", swizzles, "how many offsets SWIZZLE permutes before it repeats",
		[]Param{need("SWIZZLE", Swizzle)}, []string{"Sw<3,4,3>"}, one(algebra.Swizzle.Size)},
	{"composition_swizzles", swizzles, "the swizzle that does B, then A",
		[]Param{need("A", Swizzle), need("B", Swizzle)}, []string{"Sw<2,4,3>", "Sw<1,6,3>"}, two(algebra.Swizzle.Compose)},
	{"layout_o_swizzle", swizzles, "LAYOUT after SWIZZLE, as a swizzle after a layout",
		[]Param{need("LAYOUT", Layout), need("SWIZZLE", Swizzle)}, []string{"(4,4):(4,1)", "Sw<1,0,2>"}, two(algebra.CompositionSwizzle)},
	{"swizzle_upcast", swizzles, "SWIZZLE of words of N elements",
		[]Param{need("N", Integer), need("SWIZZLE", Swizzle)}, []string{"4", "Sw<3,4,3>"},
		func(a args) (Value, error) { return a.swizzle(1).Upcast(a.integer(0)) }},
	{"swizzle_downcast", swizzles, "SWIZZLE of elements cut into N",
		[]Param{need("N", Integer), need("SWIZZLE", Swizzle)}, []string{"4", "Sw<3,2,3>"},
		func(a args) (Value, error) { return a.swizzle(1).Downcast(a.integer(0)) }},
	{"swizzle_offsets", swizzles, "the offsets of SWIZZLE after LAYOUT",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout)}, []string{"Sw<1,0,2>", "(4,4):(4,1)"}, offsetsOf(0, nil)},
	{"composed_offsets", swizzles, "the offsets of SWIZZLE after OFFSET plus LAYOUT",
		[]Param{need("SWIZZLE", Swizzle), need("OFFSET", Integer), need("LAYOUT", Layout)}, []string{"Sw<1,0,2>", "4", "8:1"},
		func(a args) (Value, error) {
			c := algebra.Composed{Swizzle: a.swizzle(0), Offset: a.integer(1), Layout: a.layout(2)}
			if err := c.Validate(); err != nil {
				return nil, err
			}
			return offsets(c.Size(), c.At)
		}},
	{"swizzled_zipped_divide", swizzles, "zipped_divide of SWIZZLE o LAYOUT",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("TILER", Tiler)}, []string{"Sw<2,3,3>", "(16,64):(64,1)", "(8,16)"},
		swizzled(0, func(c algebra.Composed, a args) (Value, error) {
			return c.With(algebra.ZippedDivide(c.Layout, a.tiler(2)))
		})},
	{"swizzled_tile_to_shape", swizzles, "tile_to_shape of SWIZZLE o LAYOUT",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("SHAPE", Tuple)}, []string{"Sw<2,3,3>", "(8,64):(64,1)", "(16,64)"},
		swizzled(0, func(c algebra.Composed, a args) (Value, error) {
			return c.With(algebra.TileToShape(c.Layout, a.tuple(2)))
		})},
	{"swizzled_composition_offsets", swizzles, "the offsets of SWIZZLE o LAYOUT o B",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("B", Layout)}, []string{"Sw<1,0,2>", "(4,4):(4,1)", "(4,2):(4,1)"},
		offsetsOf(0, func(c algebra.Composed, a args) (algebra.Composed, error) { return c.Compose(a.layout(2)) })},
	{"product_by_swizzled_offsets", swizzles, "the offsets of LAYOUT repeated over SWIZZLE o TILE",
		[]Param{need("LAYOUT", Layout), need("SWIZZLE", Swizzle), need("TILE", Layout)}, []string{"4:1", "Sw<1,0,2>", "8:1"},
		offsetsOf(1, func(c algebra.Composed, a args) (algebra.Composed, error) {
			return algebra.LogicalProductSwizzled(a.layout(0), c)
		})},
	{"swizzled_right_inverse_offsets", swizzles, "the offsets of SWIZZLE o LAYOUT's right inverse",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout)}, []string{"Sw<1,0,2>", "(4,4):(4,1)"},
		offsetsOf(0, func(c algebra.Composed, _ args) (algebra.Composed, error) { return c.RightInverse() })},
	{"swizzled_left_inverse_offsets", swizzles, "the offsets of SWIZZLE o LAYOUT's left inverse",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout)}, []string{"Sw<1,0,2>", "(4,4):(4,1)"},
		offsetsOf(0, func(c algebra.Composed, _ args) (algebra.Composed, error) { return c.LeftInverse() })},
	{"swizzled_slice", swizzles, "SWIZZLE o LAYOUT at COORD's integers",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("COORD", Tuple)},
		[]string{"Sw<2,3,2>", "(16,2,2):(1,16,32)", "(9,0,_)"},
		swizzled(0, func(c algebra.Composed, a args) (Value, error) { return slice(c, a.tuple(2)) })},
	{"swizzled_slice_offsets", swizzles, "the offsets of SWIZZLE o LAYOUT at COORD",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("COORD", Tuple)},
		[]string{"Sw<2,3,2>", "(16,2,2):(1,16,32)", "(9,0,_)"},
		swizzled(0, func(c algebra.Composed, a args) (Value, error) {
			part, at, err := c.Slice(a.tuple(2))
			if err != nil {
				return nil, err
			}
			return offsets(part.Size(), func(i int) int { return at + part.At(i) })
		})},
	{"swizzled_max_common_vector", swizzles, "max_common_vector of SWIZZLE o LAYOUT and B",
		[]Param{need("SWIZZLE", Swizzle), need("LAYOUT", Layout), need("B", Layout)}, []string{"Sw<2,3,3>", "(8,64):(64,1)", "(8,64):(64,1)"},
		swizzled(0, func(c algebra.Composed, a args) (Value, error) { return c.MaxCommonVector(composedOf(a[2])) })},
	{"swizzled_upcast", swizzles, "upcast of SWIZZLE o LAYOUT",
		[]Param{need("N", Integer), need("SWIZZLE", Swizzle), need("LAYOUT", Layout)}, []string{"4", "Sw<3,3,3>", "(8,64):(64,1)"},
		swizzled(1, func(c algebra.Composed, a args) (Value, error) { return c.Upcast(a.integer(0)) })},
	{"swizzled_downcast", swizzles, "downcast of SWIZZLE o LAYOUT",
		[]Param{need("N", Integer), need("SWIZZLE", Swizzle), need("LAYOUT", Layout)}, []string{"2", "Sw<3,3,3>", "(8,64):(64,1)"},
		swizzled(1, func(c algebra.Composed, a args) (Value, error) { return c.Downcast(a.integer(0)) })},
	{"swizzled_recast_layout", swizzles, "recast_layout of SWIZZLE o LAYOUT",
		[]Param{need("OLD", Integer), need("NEW", Integer), need("SWIZZLE", Swizzle), need("LAYOUT", Layout)},
		[]string{"16", "32", "Sw<3,3,3>", "(8,64):(64,1)"},
		swizzled(2, func(c algebra.Composed, a args) (Value, error) { return c.Recast(a.integer(0), a.integer(1)) })},
}

// MostOffsets bounds a list of offsets.
const MostOffsets = 1 << 20

func offsets(size int, at func(int) int) (Value, error) {
	if size > MostOffsets {
		return nil, fmt.Errorf("a list of %d offsets, allowed are at most %d", size, MostOffsets)
	}
	list := make(Offsets, size)
	for i := range list {
		list[i] = at(i)
	}
	return list, nil
}

// swizzled evaluates f on the swizzle i and the layout i+1.
func swizzled(i int, f func(c algebra.Composed, a args) (Value, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		c, err := a.swizzled(i)
		if err != nil {
			return nil, err
		}
		return f(c, a)
	}
}

// offsetsOf lists the offsets of what f makes of the swizzled layout at argument i, or of that itself.
func offsetsOf(i int, f func(c algebra.Composed, a args) (algebra.Composed, error)) func(args) (Value, error) {
	return swizzled(i, func(c algebra.Composed, a args) (Value, error) {
		if f != nil {
			var err error
			if c, err = f(c, a); err != nil {
				return nil, err
			}
		}
		return offsets(c.Size(), c.At)
	})
}

// composedOf is a layout as a swizzled one that swizzles nothing.
func composedOf(v Value) algebra.Composed {
	if c, ok := v.(algebra.Composed); ok {
		return c
	}
	return algebra.Composed{Layout: v.(algebra.Layout)}
}

func cosize(a args) (Value, error) {
	if c, ok := a[0].(algebra.Composed); ok {
		return c.Cosize(), nil
	}
	return a.layout(0).Cosize(), nil
}

// inside is what an error says of the layout that it names first: one that was made of a shape, and that no argument has.
func inside(err error) error { return cmp.Or(errors.Unwrap(err), err) }

// layoutOf is SHAPE:STRIDE, or compact without a stride.
func layoutOf(a args) (algebra.Layout, error) {
	if len(a) == 1 {
		return algebra.ColMajor(a.tuple(0))
	}
	return algebra.MakeLayout(a.tuple(0), a.tuple(1))
}

// from takes the integer to begin with, 1 if there is none.
func from(f func(t algebra.Tuple, first int) (algebra.Tuple, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		first := 1
		if len(a) == 2 {
			first = a.integer(1)
		}
		return f(a.tuple(0), first)
	}
}

func ceilDiv(a args) (Value, error) {
	l, ok := a[1].(algebra.Layout)
	if !ok {
		return algebra.CeilDiv(a.tuple(0), a.tuple(1))
	}
	n, err := integerOf(a.tuple(0))
	if err != nil {
		return nil, fmt.Errorf("ceil_div of %v by %v: %w", a[0], l, err)
	}
	return algebra.CeilDivLayout(n, l)
}

// profiled takes the form with a profile if there is one.
func profiled(f func(algebra.Layout) algebra.Layout,
	byProfile func(algebra.Layout, algebra.Tuple) (algebra.Layout, error)) func(algebra.Layout, args) (algebra.Layout, error) {
	return func(l algebra.Layout, a args) (algebra.Layout, error) {
		if len(a) == 2 {
			return byProfile(l, a.tuple(1))
		}
		return f(l), nil
	}
}

// complementSwizzled is for a cotarget that is an integer, or the cosize.
func complementSwizzled(c algebra.Composed, rest args) (Value, error) {
	if len(rest) == 0 {
		return c.Complement(c.Cosize())
	}
	cotarget, err := integerOf(rest.tuple(0))
	if err != nil {
		return nil, fmt.Errorf("complement of %v: %w", c, err)
	}
	return c.Complement(cotarget)
}

func inverse(f func(algebra.Layout) (algebra.Layout, error),
	ofComposed func(algebra.Composed) (algebra.Composed, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		if c, ok := a[0].(algebra.Composed); ok {
			return ofComposed(c)
		}
		return f(a.layout(0))
	}
}

// ofTwo takes the form of swizzled layouts if one of the two is.
func ofTwo[R any](f func(a, b algebra.Layout) (R, error), ofComposed func(a, b algebra.Composed) (R, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		l, plain := a[0].(algebra.Layout)
		m, plain2 := a[1].(algebra.Layout)
		if plain && plain2 {
			return f(l, m)
		}
		return ofComposed(composedOf(a[0]), composedOf(a[1]))
	}
}

func recast(f func(algebra.Layout, int) (algebra.Layout, error),
	ofComposed func(algebra.Composed, int) (algebra.Composed, error)) func(args) (Value, error) {
	return func(a args) (Value, error) {
		if c, ok := a[1].(algebra.Composed); ok {
			return ofComposed(c, a.integer(0))
		}
		return f(a.layout(1), a.integer(0))
	}
}

// composition is A o B for each pair of forms that has one.
func composition(a args) (Value, error) {
	switch left := a[0].(type) {
	case algebra.Swizzle:
		switch right := a[1].(type) {
		case algebra.Swizzle:
			return left.Compose(right)
		case algebra.Layout:
			c := algebra.Composed{Swizzle: left, Layout: right}
			return c, c.Validate()
		case algebra.Composed:
			both, err := left.Compose(right.Swizzle)
			return algebra.Composed{Swizzle: both, Offset: right.Offset, Layout: right.Layout}, err
		}
	case algebra.Composed:
		if right, ok := a[1].(algebra.Tiler); ok {
			return left.With(algebra.CompositionTiler(left.Layout, right))
		}
	case algebra.Layout:
		switch right := a[1].(type) {
		case algebra.Swizzle:
			return algebra.CompositionSwizzle(left, right)
		case algebra.Composed:
			return algebra.CompositionSwizzled(left, right)
		case algebra.Tiler:
			return algebra.CompositionTiler(left, right)
		}
	}
	return nil, fmt.Errorf("composition %v o %v: allowed are a layout after anything, a swizzled layout after a tiler, "+
		"a swizzle after a swizzle or a layout, swizzled or not", a[0], a[1])
}

// logicalProduct is by any tiler; a swizzled one repeats plain layouts only.
func logicalProduct(a args) (Value, error) {
	by, ok := a[1].(algebra.Composed)
	if !ok {
		return byTiler(algebra.LogicalProduct)(a)
	}
	l, ok := a[0].(algebra.Layout)
	if !ok {
		return nil, fmt.Errorf("product of %v by %v: both are swizzled, allowed is one", a[0], by)
	}
	return algebra.LogicalProductSwizzled(l, by)
}

func slice(v Value, coord algebra.Tuple) (Sliced, error) {
	if c, ok := v.(algebra.Composed); ok {
		part, at, err := c.Slice(coord)
		return Sliced{part, algebra.Int(at)}, err
	}
	l, at, err := algebra.Slice(v.(algebra.Layout), coord)
	return Sliced{l, at}, err
}

func dice(a args) (Value, error) {
	l, ok := a[1].(algebra.Layout)
	if !ok {
		return algebra.Dice(a.tuple(0), a.tuple(1))
	}
	shape, err := algebra.Dice(a.tuple(0), l.Shape())
	if err != nil {
		return nil, err
	}
	stride, err := algebra.Dice(a.tuple(0), l.Stride())
	if err != nil {
		return nil, err
	}
	return algebra.MakeLayout(shape, stride)
}

// layoutAt is the offset at a coordinate. As in CuTe an integer may go beyond the domain, along the last mode.
func layoutAt(a args) (Value, error) {
	if i, err := integerOf(a.tuple(1)); err == nil && i >= 0 {
		if c := composedOf(a[0]); !c.Layout.HasBasis() && i <= mostPosition {
			return c.At(i), nil
		}
	}
	if c, ok := a[0].(algebra.Composed); ok {
		return c.Index(a.tuple(1))
	}
	return a.layout(0).Value(a.tuple(1))
}

// mostPosition bounds positions outside a domain, where products could leave 64 bits.
const mostPosition = 1 << 31

func flatCoord(a args) (Value, error) {
	l := a.layout(0)
	coord, err := algebra.CoordOf(l, a.integer(1))
	if err != nil || l.Depth() == 0 {
		return coord, err
	}
	sizes := make([]int, l.Rank())
	for i, m := range l.Modes() {
		sizes[i] = m.Size()
	}
	return algebra.Crd2Crd(coord, l.Shape(), algebra.Ints(sizes...))
}

func get(a args) (Value, error) {
	i := a.integer(0)
	rank := func(n int) error {
		if i < 0 || i >= n {
			return fmt.Errorf("mode %d of %v, allowed are 0 to %d", i, a[1], n-1)
		}
		return nil
	}
	switch v := a[1].(type) {
	case algebra.Tuple:
		if err := rank(v.Rank()); err != nil {
			return nil, err
		}
		return v.Mode(i), nil
	case algebra.Composed:
		if err := rank(v.Layout.Rank()); err != nil {
			return nil, err
		}
		return v.With(v.Layout.Mode(i), nil)
	}
	l := a.layout(1)
	if err := rank(l.Rank()); err != nil {
		return nil, err
	}
	return l.Mode(i), nil
}

func zip(a args) (Value, error) {
	l, m := a.layout(0), a.layout(1)
	if l.Rank() != m.Rank() {
		return nil, fmt.Errorf("zip of %v and %v: ranks %d and %d, allowed is one rank", l, m, l.Rank(), m.Rank())
	}
	pairs := make([]algebra.Layout, l.Rank())
	for i := range pairs {
		var err error
		if pairs[i], err = algebra.Concat(l.Mode(i), m.Mode(i)); err != nil {
			return nil, err
		}
	}
	return algebra.Concat(pairs...)
}

func localTileOf(l algebra.Layout, a args) (algebra.Layout, algebra.Tuple, error) {
	return algebra.LocalTile(l, a.tiler(1), a.tuple(2))
}

// localPartition is one thread's part, as CuTe gives it.
func localPartition(l algebra.Layout, a args) (algebra.Layout, algebra.Tuple, error) {
	var tv algebra.Layout
	var err error
	if len(a) == 4 {
		tv, err = algebra.LocalPartitionProj(l, a.layout(1), a.tuple(3))
	} else {
		tv, err = algebra.LocalPartition(l, a.layout(1))
	}
	if err != nil {
		return algebra.Layout{}, algebra.Tuple{}, err
	}
	// A single mode stays wrapped, as in CuTe.
	rest := algebra.Underscore
	if n := tv.Mode(1).Rank(); n != 1 {
		holes := make([]algebra.Tuple, n)
		for i := range holes {
			holes[i] = algebra.Underscore
		}
		rest = algebra.MakeTuple(holes...)
	}
	return algebra.Slice(tv, algebra.MakeTuple(algebra.Int(a.integer(2)), rest))
}

// integers lists the leaves of a tuple of plain integers.
func integers(t algebra.Tuple) ([]int, error) {
	var ns []int
	for _, leaf := range t.Leaves() {
		n, err := integerOf(leaf)
		if err != nil {
			return nil, err
		}
		ns = append(ns, n)
	}
	return ns, nil
}

// sizesAt is the shape of coord's profile whose leaves are the sizes of what shape has there.
func sizesAt(coord, shape algebra.Tuple) (algebra.Tuple, error) {
	if coord.IsLeaf() || shape.IsLeaf() {
		n, err := algebra.Product(shape)
		return algebra.Int(n), err
	}
	if coord.Rank() != shape.Rank() {
		return algebra.Tuple{}, fmt.Errorf("coordinate %v does not fit the shape %v", coord, shape)
	}
	elems := make([]algebra.Tuple, coord.Rank())
	for i := range elems {
		var err error
		if elems[i], err = sizesAt(coord.Mode(i), shape.Mode(i)); err != nil {
			return algebra.Tuple{}, err
		}
	}
	return algebra.MakeTuple(elems...), nil
}
