package operation

import (
	"fmt"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// A SwizzledSymbols is a swizzled layout whose offset and layout may have symbols.
//
//	Sw<2,3,3> o 0 o (8*m,64):(64,1)
type SwizzledSymbols struct {
	Swizzle algebra.Swizzle
	Offset  dynamic.Int
	Layout  dynamic.Layout
}

// String prints the swizzled layout, or the layout alone below a swizzle that does nothing.
func (s SwizzledSymbols) String() string {
	if n, known := s.Offset.Value(); known && n == 0 && s.Swizzle.Bits == 0 {
		return s.Layout.String()
	}
	return fmt.Sprintf("%v o %v o %v", s.Swizzle, s.Offset, s.Layout)
}

// belowSwizzle are the operations that answer for swizzled layouts with symbols, and the argument that may be one. But for the last
// lines, which move the offset or change the elements, they only rearrange coordinates.
var belowSwizzle = map[string]int{
	"size": 0, "rank": 0, "depth": 0,
	"flatten": 0, "unflatten": 0, "get": 1, "take": 2, "select": 1, "group": 2, "replace": 1, "append": 0, "prepend": 0,
	"coalesce": 0, "filter": 0, "composition": 0,
	"logical_divide": 0, "zipped_divide": 0, "tiled_divide": 0, "flat_divide": 0,
	"logical_product": 0, "zipped_product": 0, "tiled_product": 0, "flat_product": 0, "blocked_product": 0, "raked_product": 0, "tile_to_shape": 0,
	"layout_at": 0, "tensor_slice": 0, "slice_layout": 1, "slice_and_offset": 1, "domain_offset": 0,
	"local_tile": 0, "local_tile_proj": 0, "inner_partition": 0, "outer_partition": 0, "local_partition": 0, "local_partition_proj": 0,
	"upcast": 1, "downcast": 1, "recast_layout": 2,
}

// apartFromSwizzle are the operations that take the swizzle and the layout as two arguments, with those that take one and its place.
var apartFromSwizzle = map[string]struct {
	op    string
	place int
}{
	"swizzled_zipped_divide": {"zipped_divide", 0}, "swizzled_tile_to_shape": {"tile_to_shape", 0}, "swizzled_slice": {"tensor_slice", 0},
	"swizzled_upcast": {"upcast", 1}, "swizzled_downcast": {"downcast", 1}, "swizzled_recast_layout": {"recast_layout", 2},
}

// parseSwizzled reads a swizzled layout with symbols; ok is false for a text that is another's.
func parseSwizzled(text string) (s SwizzledSymbols, ok bool, err error) {
	swizzle, offset, layout, ok := cutSwizzle(text)
	if !ok {
		return s, false, nil
	}
	if s.Swizzle, err = algebra.ParseSwizzle(swizzle); err != nil {
		return s, true, err
	}
	if s.Offset, err = dynamic.ParseInt(offset); err != nil {
		return s, true, err
	}
	if s.Layout, err = dynamic.Parse(layout); err != nil {
		return s, true, err
	}
	_, strides, _ := strings.Cut(s.Layout.String(), ":")
	switch {
	case strings.Contains(strides, "@"):
		return s, true, fmt.Errorf("%v: its layout's values are coordinates, allowed are plain strides", s)
	case strings.Contains(strides+s.Offset.String(), "-"):
		return s, true, fmt.Errorf("%v: whether the offsets before the swizzle are at least 0 %w; write them without minus signs", s, dynamic.ErrUndecided)
	}
	return s, true, nil
}

// with is what an operation makes of s, given what it makes of the layout below.
func (s SwizzledSymbols) with(op string, a *symbolArgs, v Value) (Value, error) {
	switch v := v.(type) {
	case dynamic.Layout:
		if op == "upcast" || op == "downcast" || op == "recast_layout" {
			return s.recast(op, a, v)
		}
		return SwizzledSymbols{s.Swizzle, s.Offset, v}, nil
	case SlicedSymbols:
		// The swizzle must see the offset.
		return SlicedSymbols{SwizzledSymbols{s.Swizzle, dynamic.Add(s.Offset, v.Offset.Value), v.Layout.(dynamic.Layout)}, dynamic.Coord{}}, nil
	case PairSymbols:
		return PairSymbols{SwizzledSymbols{s.Swizzle, dynamic.Add(s.Offset, v.Offset.Value), v.Layout.(dynamic.Layout)}, dynamic.Coord{}}, nil
	case dynamic.Coord: // of layout_at
		at := dynamic.Add(s.Offset, v.Value)
		n, known := at.Value()
		if !known {
			return nil, fmt.Errorf("%v at %v: what the swizzle makes of %v %w; give them values", s, a.coord(1), at, dynamic.ErrUndecided)
		}
		if err := s.Swizzle.Validate(); err != nil {
			return nil, err
		}
		return s.Swizzle.Apply(n), nil
	}
	return v, nil
}

// recast is the swizzle in other elements, too: the offset must be known, and in whole elements of both sizes.
func (s SwizzledSymbols) recast(op string, a *symbolArgs, l dynamic.Layout) (Value, error) {
	offset, known := s.Offset.Value()
	if !known {
		return nil, fmt.Errorf("%s of %v: whether the offset %v begins an element %w; write an integer", op, s, s.Offset, dynamic.ErrUndecided)
	}
	// The same of a layout of one element, whose words and parts are the offset's and the swizzle's.
	whole := fmt.Sprintf("%v o %d o %d:1", s.Swizzle, offset, 1<<20)
	args := append(append([]string{}, a.texts[:len(a.texts)-1]...), whole)
	got, err := byName[op].Run(args...)
	if err != nil {
		return nil, err
	}
	c := composedOf(got)
	return SwizzledSymbols{c.Swizzle, dynamic.Const(c.Offset), l}, nil
}
