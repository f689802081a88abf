package operation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// A SlicedSymbols is a Sliced of a layout with symbols.
type SlicedSymbols struct {
	Layout fmt.Stringer // a dynamic.Layout or a SwizzledSymbols
	Offset dynamic.Coord
}

// String prints (M):(lda) at offset 8*k.
func (s SlicedSymbols) String() string { return fmt.Sprintf("%v at offset %v", s.Layout, s.Offset) }

// appendJSON appends the layout, and the offset as a field of its own.
func (s SlicedSymbols) appendJSON(b []byte) []byte {
	return appendText(append(appendText(b, s.Layout.String()), `,"offset":`...), s.Offset.String())
}

// A PairSymbols is a SlicedSymbols that prints as a tuple: ((M):(lda),8*k).
type PairSymbols SlicedSymbols

// String prints ((M):(lda),8*k).
func (p PairSymbols) String() string { return fmt.Sprintf("(%v,%v)", p.Layout, p.Offset) }

// runSymbols is Run for arguments of which some have symbols. An error of a condition that is open names the symbols.
func (o Operation) runSymbols(texts []string) (Value, error) {
	v, err := o.evalSymbols(texts)
	if errors.Is(err, dynamic.ErrUndecided) && !errors.As(err, new(needsValues)) {
		return nil, fmt.Errorf("%w (%s)", err, runTime(o.Symbols(texts)))
	}
	return v, err
}

// runTime says what names are: M, lda are sizes known at run time.
func runTime(names []string) string {
	if len(names) == 1 {
		return names[0] + " is a size known at run time"
	}
	return strings.Join(names, ", ") + " are sizes known at run time"
}

// needsValues is the error of what has no answer for all values of the names. It wraps dynamic.ErrUndecided.
type needsValues struct {
	what, where string
	names       []string
}

func (e needsValues) Error() string {
	return e.what + ": no answer without the value of " + strings.Join(e.names, ", ") + e.where
}

func (e needsValues) Unwrap() error { return dynamic.ErrUndecided }

func (o Operation) evalSymbols(texts []string) (Value, error) {
	if w, ok := apartFromSwizzle[o.Name]; ok {
		whole := texts[w.place] + " o 0 o " + texts[w.place+1]
		if _, isSwizzled, err := parseSwizzled(whole); !isSwizzled || err != nil {
			return nil, cmp.Or(err, fmt.Errorf("%s: got %q, allowed is a swizzle", o.Name, texts[w.place]))
		}
		return byName[w.op].evalSymbols(slices.Concat(texts[:w.place], []string{whole}, texts[w.place+2:]))
	}
	eval, ok := withSymbols[o.Name]
	if !ok {
		return nil, needsValues{what: o.Name, names: o.Symbols(texts)}
	}
	a := symbolArgs{texts: texts}
	place, swizzled := belowSwizzle[o.Name]
	if swizzled {
		if below, ok, err := parseSwizzled(texts[place]); ok {
			if err != nil {
				return nil, err
			}
			a.texts = slices.Clone(texts)
			a.texts[place] = below.Layout.String()
			v := eval(&a)
			if a.err != nil {
				return nil, a.err
			}
			v, err = below.with(o.Name, &a, v)
			return withoutOffset(o.Name, v), err
		}
	}
	for i, text := range texts {
		if isSwizzled(text) && o.Params[i].Kind&Composed != 0 && o.Params[i].Kind.nameable(text) != "" {
			return nil, needsValues{o.Name, " where " + o.Params[i].Name + " is swizzled", o.Symbols(texts)}
		}
	}
	v := eval(&a)
	if a.err != nil {
		return nil, a.err
	}
	return withoutOffset(o.Name, v), nil
}

// withoutOffset is the layout alone for slice_layout, which leaves the offset out.
func withoutOffset(op string, v Value) Value {
	if s, ok := v.(SlicedSymbols); ok && op == "slice_layout" {
		return s.Layout
	}
	return v
}

// symbolArgs reads arguments on demand and keeps the first error, an operation's too.
type symbolArgs struct {
	texts []string
	err   error
}

func read[T any](a *symbolArgs, i int, parse func(string) (T, error)) T {
	v, err := parse(a.texts[i])
	a.keep(err)
	return v
}

func (a *symbolArgs) keep(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *symbolArgs) layout(i int) dynamic.Layout  { return read(a, i, dynamic.Parse) }
func (a *symbolArgs) shape(i int) dynamic.Shape    { return read(a, i, dynamic.ParseShape) }
func (a *symbolArgs) tiler(i int) dynamic.Tiler    { return read(a, i, dynamic.ParseTiler) }
func (a *symbolArgs) coord(i int) dynamic.Coord    { return read(a, i, dynamic.ParseCoord) }
func (a *symbolArgs) expression(i int) dynamic.Int { return read(a, i, dynamic.ParseInt) }
func (a *symbolArgs) tuple(i int) algebra.Tuple    { return read(a, i, algebra.ParseTuple) }
func (a *symbolArgs) integer(i int) int            { return read(a, i, parseInteger) }
func (a *symbolArgs) threads(i int) algebra.Layout { return read(a, i, algebra.ParseLayout) }
func (a *symbolArgs) integers(i int) []int         { ns, err := integers(a.tuple(i)); a.keep(err); return ns }
func (a *symbolArgs) has(i int) bool               { return i < len(a.texts) }
func (a *symbolArgs) isLayout(i int) bool {
	return strings.Contains(a.texts[i], ":") || strings.Contains(a.texts[i], "Layout(")
}
func (a *symbolArgs) shapeAndStride(i int) dynamic.Layout {
	if !a.has(i + 1) {
		return kept(a, dynamic.ColMajor)(a.shape(i))
	}
	shape := a.shape(i)
	if a.err != nil {
		return dynamic.Layout{}
	}
	l, err := dynamic.Parse(shape.String() + ":" + strings.TrimSpace(a.texts[i+1]))
	a.keep(err)
	return l
}

// kept is f without its error, which a keeps. f does not run behind an error.
func kept[A, R any](a *symbolArgs, f func(A) (R, error)) func(A) R {
	return func(x A) R {
		var none R
		if a.err != nil {
			return none
		}
		r, err := f(x)
		a.keep(err)
		return r
	}
}

type symbolEval = func(a *symbolArgs) Value

func ofLayout[R any](i int, f func(l dynamic.Layout, a *symbolArgs) (R, error)) symbolEval {
	return func(a *symbolArgs) Value {
		return kept(a, func(l dynamic.Layout) (R, error) { return f(l, a) })(a.layout(i))
	}
}

func alone[R any](f func(dynamic.Layout) (R, error)) symbolEval {
	return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (R, error) { return f(l) })
}

func withTiler(f func(dynamic.Layout, dynamic.Tiler) (dynamic.Layout, error)) symbolEval {
	return func(a *symbolArgs) Value {
		t := a.tiler(1)
		return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return f(l, t) })(a)
	}
}

func withLayout(f func(a, b dynamic.Layout) (dynamic.Layout, error)) symbolEval {
	return func(a *symbolArgs) Value {
		b := a.layout(1)
		return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return f(l, b) })(a)
	}
}

// orProfile takes the form with a profile if there is one.
func orProfile(f func(dynamic.Layout) (dynamic.Layout, error),
	byProfile func(dynamic.Layout, algebra.Tuple) (dynamic.Layout, error)) symbolEval {
	return func(a *symbolArgs) Value {
		if a.has(1) {
			profile := a.tuple(1)
			return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return byProfile(l, profile) })(a)
		}
		return alone(f)(a)
	}
}

// shapeOr does it to a tuple of extents, or to a layout.
func shapeOr(i int, f func(l dynamic.Layout, a *symbolArgs) (dynamic.Layout, error)) symbolEval {
	return func(a *symbolArgs) Value {
		if a.isLayout(i) {
			return ofLayout(i, f)(a)
		}
		l := kept(a, dynamic.ColMajor)(a.shape(i))
		return kept(a, func(l dynamic.Layout) (dynamic.Shape, error) {
			r, err := f(l, a)
			return r.Shape(), err
		})(l)
	}
}

// stridesOf is the text of a layout's strides.
func stridesOf(a *symbolArgs, l dynamic.Layout) Value {
	if a.err != nil {
		return nil
	}
	_, stride, _ := strings.Cut(l.String(), ":")
	return stride
}

// stridesFrom is the strides of a compact layout from the second argument on, which is the extent of a faster mode beside the shape.
func stridesFrom(a *symbolArgs, compact func(dynamic.Shape) (dynamic.Layout, error), place int) Value {
	shape := a.shape(0)
	if !a.has(1) {
		return stridesOf(a, kept(a, compact)(shape))
	}
	first := a.expression(1)
	if n, known := first.Value(); known && n < 1 {
		a.keep(fmt.Errorf("strides from %d, allowed are strides of at least 1", n))
	}
	if a.err != nil {
		return nil
	}
	pair := []string{first.String(), shape.String()}
	both, err := dynamic.ParseShape("(" + pair[1-place] + "," + pair[place] + ")")
	a.keep(err)
	l := kept(a, compact)(both)
	if a.err != nil {
		return nil
	}
	return stridesOf(a, l.Mode(place))
}

func pieces(f func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error)) symbolEval {
	return func(a *symbolArgs) Value {
		l, at, err := f(a)
		a.keep(err)
		return SlicedSymbols{l, at}
	}
}

func ofShape(f func(dynamic.Shape) (dynamic.Layout, error)) symbolEval {
	return func(a *symbolArgs) Value { return kept(a, f)(a.shape(0)) }
}

// withSymbols are the operations that answer for all values of symbols.
var withSymbols = map[string]symbolEval{
	"product": func(a *symbolArgs) Value { return kept(a, sizeOfShape)(a.shape(0)) },
	"product_each": func(a *symbolArgs) Value {
		return kept(a, func(l dynamic.Layout) (dynamic.Coord, error) {
			var each []dynamic.Coord
			for _, m := range l.Modes() {
				each = append(each, dynamic.Coord{Value: m.Size()})
			}
			return dynamic.Coord{Modes: each}, l.Size().Err()
		})(kept(a, dynamic.ColMajor)(a.shape(0)))
	},
	"flatten": shapeOr(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return dynamic.Flatten(l) }),
	"unflatten": func(a *symbolArgs) Value {
		profile := a.tuple(1)
		return shapeOr(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return l.Unflatten(profile) })(a)
	},
	"ceil_div": func(a *symbolArgs) Value {
		if a.isLayout(1) {
			n := a.expression(0)
			return ofLayout(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Shape, error) {
				shifts, err := dynamic.Complement(l, n)
				return shifts.Shape(), err
			})(a)
		}
		tile := a.shape(1)
		return kept(a, func(s dynamic.Shape) (dynamic.Shape, error) { return s.CeilDiv(tile) })(a.shape(0))
	},
	"congruent": func(a *symbolArgs) Value { return algebra.Congruent(a.shape(0).Profile(), a.shape(1).Profile()) },
	"weakly_congruent": func(a *symbolArgs) Value {
		return algebra.WeaklyCongruent(a.shape(0).Profile(), a.shape(1).Profile())
	},

	"size":   alone(func(l dynamic.Layout) (dynamic.Int, error) { return sizeOfShape(l.Shape()) }),
	"cosize": alone(dynamic.Layout.Cosize),
	"rank":   alone(func(l dynamic.Layout) (int, error) { return l.Rank(), nil }),
	"depth":  alone(func(l dynamic.Layout) (int, error) { return l.Depth(), nil }),
	"layout_at": func(a *symbolArgs) Value {
		c := a.coord(1)
		return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Coord, error) { return l.Offset(c) })(a)
	},
	"crd2idx": func(a *symbolArgs) Value {
		c := a.coord(0)
		return kept(a, func(l dynamic.Layout) (dynamic.Coord, error) { return l.Offset(c) })(a.shapeAndStride(1))
	},
	"idx2crd": func(a *symbolArgs) Value {
		if a.has(2) {
			a.keep(fmt.Errorf("idx2crd with strides: no answer without the values of the symbols; leave the strides out for a position"))
		}
		n := a.expression(0)
		return kept(a, func(s dynamic.Shape) (dynamic.Coord, error) { return dynamic.CoordOf(s, n) })(a.shape(1))
	},
	"slice_layout": pieces(func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) { return sliceAt(a, 1, 0) }),
	"slice_and_offset": func(a *symbolArgs) Value {
		l, at, err := sliceAt(a, 1, 0)
		a.keep(err)
		return PairSymbols{l, at}
	},
	"tensor_slice": pieces(func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) { return sliceAt(a, 0, 1) }),
	"domain_offset": pieces(func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) {
		l, c := a.layout(0), a.coord(1)
		if a.err != nil {
			return l, c, a.err
		}
		return dynamic.DomainOffset(l, c)
	}),

	"make_layout":          func(a *symbolArgs) Value { return a.shapeAndStride(0) },
	"make_layout_right":    ofShape(dynamic.RowMajor),
	"make_ordered_layout":  func(a *symbolArgs) Value { return ordered(a) },
	"make_layout_like":     alone(dynamic.LayoutLike),
	"make_identity_layout": ofShape(dynamic.Identity),
	"compact_col_major":    func(a *symbolArgs) Value { return stridesFrom(a, dynamic.ColMajor, 1) },
	"compact_row_major":    func(a *symbolArgs) Value { return stridesFrom(a, dynamic.RowMajor, 0) },
	"compact_order":        func(a *symbolArgs) Value { return stridesOf(a, ordered(a)) },
	"dot": func(a *symbolArgs) Value {
		strides := a.coord(1)
		ns := []dynamic.Int{strides.Value}
		if strides.Modes != nil {
			ns = nil
			for _, m := range strides.Modes {
				if m.Hole || m.Modes != nil {
					a.keep(fmt.Errorf("strides %v, allowed are integers and symbols", strides))
				}
				ns = append(ns, m.Value)
			}
		}
		return ofLayout(0, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return dynamic.Dot(l, ns...) })(a)
	},

	"get": func(a *symbolArgs) Value {
		i := a.integer(0)
		return shapeOr(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) {
			if i < 0 || i >= l.Rank() {
				return l, fmt.Errorf("mode %d of %v, allowed are 0 to %d", i, l, l.Rank()-1)
			}
			return l.Mode(i), nil
		})(a)
	},
	"take": func(a *symbolArgs) Value {
		begin, end := a.integer(0), a.integer(1)
		return shapeOr(2, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return l.Take(begin, end) })(a)
	},
	"select": func(a *symbolArgs) Value {
		places := a.integers(0)
		return shapeOr(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return l.Select(places...) })(a)
	},
	"group": func(a *symbolArgs) Value {
		begin, end := a.integer(0), a.integer(1)
		return shapeOr(2, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return l.Group(begin, end) })(a)
	},
	"replace": func(a *symbolArgs) Value {
		i, by := a.integer(0), a.layout(2)
		return ofLayout(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return l.Replace(i, by) })(a)
	},
	"append":  withLayout(dynamic.Layout.Append),
	"prepend": withLayout(dynamic.Layout.Prepend),

	"coalesce":     orProfile(dynamic.Coalesce, dynamic.CoalesceModes),
	"filter":       orProfile(dynamic.Filter, dynamic.FilterModes),
	"filter_zeros": alone(dynamic.FilterZeros),
	"composition": func(a *symbolArgs) Value {
		if s, err := algebra.ParseSwizzle(a.texts[0]); err == nil {
			swizzled, _, err := parseSwizzled(s.String() + " o 0 o " + a.texts[1])
			a.keep(err)
			return swizzled
		}
		return withTiler(dynamic.CompositionTiler)(a)
	},
	"complement": func(a *symbolArgs) Value {
		return ofLayout(0, func(l dynamic.Layout, a *symbolArgs) (dynamic.Layout, error) {
			if a.has(1) {
				shape, err := dynamic.ParseShape(a.texts[1])
				if err != nil {
					return l, err
				}
				return dynamic.Complement(l, shape.Size())
			}
			f, err := dynamic.Filter(l)
			if err != nil {
				return l, err
			}
			n, err := f.Cosize()
			if err != nil {
				return l, err
			}
			return dynamic.Complement(l, n)
		})(a)
	},
	"right_inverse": alone(dynamic.RightInverse),
	"left_inverse":  alone(dynamic.LeftInverse),
	"nullspace":     alone(dynamic.Nullspace),

	"logical_divide": withTiler(dynamic.LogicalDivide),
	"zipped_divide":  withTiler(dynamic.ZippedDivide),
	"tiled_divide":   withTiler(dynamic.TiledDivide),
	"flat_divide":    withTiler(dynamic.FlatDivide),

	"logical_product": withTiler(dynamic.LogicalProduct),
	"zipped_product":  withTiler(dynamic.ZippedProduct),
	"tiled_product":   withTiler(dynamic.TiledProduct),
	"flat_product":    withTiler(dynamic.FlatProduct),
	"blocked_product": withLayout(dynamic.BlockedProduct),
	"raked_product":   withLayout(dynamic.RakedProduct),
	"tile_to_shape": func(a *symbolArgs) Value {
		shape := a.shape(1)
		return ofLayout(0, func(l dynamic.Layout, a *symbolArgs) (dynamic.Layout, error) {
			if !a.has(2) {
				return dynamic.TileToShape(l, shape)
			}
			order, err := algebra.ParseTuple(a.texts[2])
			if err != nil {
				return l, err
			}
			return dynamic.TileToShapeOrder(l, shape, order)
		})(a)
	},

	"local_tile":      pieces(localTile),
	"inner_partition": pieces(localTile),
	"local_tile_proj": pieces(func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) {
		l, t, c, proj := a.layout(0), a.tiler(1), a.coord(2), a.tuple(3)
		if a.err != nil {
			return l, c, a.err
		}
		return dynamic.LocalTileProj(l, t, c, proj)
	}),
	"outer_partition": pieces(func(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) {
		l, t, c := a.layout(0), a.tiler(1), a.coord(2)
		if a.err != nil {
			return l, c, a.err
		}
		return dynamic.OuterPartition(l, t, c)
	}),
	"local_partition":      pieces(partitionOf),
	"local_partition_proj": pieces(partitionOf),

	"upcast": func(a *symbolArgs) Value {
		n := a.integer(0)
		return ofLayout(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return dynamic.Upcast(l, n) })(a)
	},
	"downcast": func(a *symbolArgs) Value {
		n := a.integer(0)
		return ofLayout(1, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return dynamic.Downcast(l, n) })(a)
	},
	"recast_layout": func(a *symbolArgs) Value {
		old, to := a.integer(0), a.integer(1)
		return ofLayout(2, func(l dynamic.Layout, _ *symbolArgs) (dynamic.Layout, error) { return dynamic.Recast(l, old, to) })(a)
	},
}

func sizeOfShape(s dynamic.Shape) (dynamic.Int, error) { return s.Size(), s.Size().Err() }

func ordered(a *symbolArgs) dynamic.Layout {
	order := a.tuple(1)
	return kept(a, func(s dynamic.Shape) (dynamic.Layout, error) { return dynamic.Ordered(s, order) })(a.shape(0))
}

func sliceAt(a *symbolArgs, layout, coord int) (dynamic.Layout, dynamic.Coord, error) {
	l, c := a.layout(layout), a.coord(coord)
	if a.err != nil {
		return l, c, a.err
	}
	return dynamic.Slice(l, c)
}

func localTile(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) {
	l, t, c := a.layout(0), a.tiler(1), a.coord(2)
	if a.err != nil {
		return l, c, a.err
	}
	return dynamic.LocalTile(l, t, c)
}

// partitionOf is the part of a thread, which may be a symbol. A single mode of the rest stays wrapped, as in CuTe.
func partitionOf(a *symbolArgs) (dynamic.Layout, dynamic.Coord, error) {
	l, thr, id := a.layout(0), a.threads(1), a.coord(2)
	proj := algebra.Ints(slices.Repeat([]int{1}, thr.Rank())...)
	if a.has(3) {
		proj = a.tuple(3)
	}
	if a.err != nil {
		return l, id, a.err
	}
	tv, err := dynamic.LocalPartitionProj(l, thr, proj)
	if err != nil {
		return l, id, err
	}
	rest := dynamic.Coord{Hole: true}
	if n := tv.Mode(1).Rank(); n != 1 {
		rest = dynamic.Coord{Modes: slices.Repeat([]dynamic.Coord{{Hole: true}}, n)}
	}
	return dynamic.Slice(tv, dynamic.Coord{Modes: []dynamic.Coord{id, rest}})
}
