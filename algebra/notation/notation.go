package notation

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// A Value is an int, or a Tuple, Layout, Composed, Tile or Swizzle of package algebra, or an Int, Shape, Coord or Layout of package
// dynamic, or one of the types below.
type Value any

// A Pair is a layout and the offset at which it begins.
type Pair struct{ Layout, Offset Value }

// String prints ((8):(1),16).
func (p Pair) String() string { return fmt.Sprintf("(%v,%v)", p.Layout, p.Offset) }

// A Notation is a way to write values.
type Notation struct {
	Name    string // as the command line takes it
	Meaning string
	Write   func(Value) (string, error)
}

// All lists the notations.
func All() []Notation {
	return []Notation{
		{"cpp", "CuTe C++", CPP},
		{"dsl", "CuTe DSL", DSL},
		{"pycute", "pycute", Pycute},
		{"bases", "Triton's LinearLayout", Bases},
		{"triton", "a Gluon layout of (thread,value)", Triton},
	}
}

// Find is the notation of that name.
func Find(name string) (Notation, error) {
	var names []string
	for _, n := range All() {
		if n.Name == name {
			return n, nil
		}
		names = append(names, n.Name)
	}
	return Notation{}, fmt.Errorf("no notation %q, allowed are %s", name, strings.Join(names, ", "))
}

// CPP is the value as an expression of CuTe C++, after using namespace cute. Integers are static; names are integer variables.
//
//	(4,8):(1@0,4@1)          make_layout(make_shape(Int<4>{}, Int<8>{}), make_stride(E<0>{}, Int<4>{} * E<1>{}))
//	Sw<2,3,3> o 0 o 64:1     composition(Swizzle<2,3,3>{}, Int<0>{}, make_layout(Int<64>{}, Int<1>{}))
//	(4:1,_)                  make_tile(make_layout(Int<4>{}, Int<1>{}), _)
//	(M,8):(lda,1)            make_layout(make_shape(M, Int<8>{}), make_stride(lda, Int<1>{}))
//
// A layout that begins at an offset is a tuple of both, as CuTe's slice_and_offset gives it. CuTe multiplies static integers in their own type. Where a size, a cosize or an offset is beyond 32 bits they are written in
// 64: C<4294967296LL>{}. A Composed that fails Validate is an error.
func CPP(v Value) (string, error) {
	w := cpp{wide: beyond32(v)}
	return write(v, writer{
		tuple:    w.tuple,
		layout:   w.layout,
		swizzle:  w.swizzle,
		composed: func(s, offset, l string) string { return "composition(" + s + ", " + offset + ", " + l + ")" },
		tile:     func(elems []string) string { return "make_tile(" + strings.Join(elems, ", ") + ")" },
		pair:     cppSymbols.tuple,
		hole:     "_",
		symbols:  &cppSymbols,
	})
}

// writer is how a notation writes the parts of a value.
type writer struct {
	tuple    func(algebra.Tuple) (string, error)
	layout   func(algebra.Layout) (string, error)
	swizzle  func(algebra.Swizzle) (string, error)
	composed func(swizzle, offset, layout string) string
	tile     func(elems []string) string
	pair     func(elems []string) string
	hole     string
	symbols  *symbols
}

func write(v Value, w writer) (string, error) {
	if text, ok, err := w.symbols.write(v, w); ok {
		return text, err
	}
	switch v := v.(type) {
	case Pair:
		l, err := write(v.Layout, w)
		if err != nil {
			return "", err
		}
		offset, err := write(v.Offset, w)
		return w.pair([]string{l, offset}), err
	case int:
		return w.tuple(algebra.Int(v))
	case algebra.Tuple:
		return w.tuple(v)
	case algebra.Layout:
		if hollow(v.Shape()) {
			return "", fmt.Errorf("%v: %w", v, errHollow)
		}
		return w.layout(v)
	case algebra.Swizzle:
		if err := v.Validate(); err != nil {
			return "", err
		}
		return w.swizzle(v)
	case algebra.Composed:
		if err := v.Validate(); err != nil {
			return "", err
		}
		l, err := write(v.Layout, w)
		if err != nil || v.Swizzle.Bits == 0 && v.Offset == 0 {
			return l, err
		}
		s, err := w.swizzle(v.Swizzle)
		if err != nil {
			return "", err
		}
		offset, err := w.tuple(algebra.Int(v.Offset))
		if err != nil {
			return "", err
		}
		return w.composed(s, offset, l), nil
	case algebra.Tile:
		elems := make([]string, len(v))
		for i, e := range v {
			var err error
			if elems[i], err = write(e, w); err != nil {
				return "", err
			}
		}
		return w.tile(elems), nil
	}
	return "", fmt.Errorf("%v: got %s, allowed are integers, tuples, layouts, swizzled layouts, tilers and swizzles", v, kindOf(v))
}

var errHollow = errors.New("it has a mode () of no extents, where the others cannot evaluate a layout")

// hollow tells whether there is an empty list in the shape.
func hollow(t algebra.Tuple) bool {
	if t.IsLeaf() {
		return false
	}
	for i := range t.Rank() {
		if hollow(t.Mode(i)) {
			return true
		}
	}
	return t.Rank() == 0
}

// kindOf is what a user calls a value.
func kindOf(v Value) string {
	if _, ok := v.(bool); ok {
		return "an answer of true or false"
	}
	return "another kind of value"
}

// fits32 tells whether n is an int of C++.
func fits32(n int) bool { return math.MinInt32 <= n && n <= math.MaxInt32 }

// beyond32 tells whether some integer of v, or the size or cosize of a layout in it, is no int of C++.
func beyond32(v Value) bool {
	switch v := v.(type) {
	case Pair:
		return beyond32(v.Layout) || beyond32(v.Offset)
	case Swizzled:
		return beyond32(v.Swizzle) || beyond32In(v.String())
	case dynamic.Layout, dynamic.Int, dynamic.Shape, dynamic.Coord:
		return beyond32In(fmt.Sprint(v))
	case int:
		return !fits32(v)
	case algebra.Tuple:
		product := 1.0
		for _, leaf := range v.Leaves() {
			if leaf.IsUnderscore() {
				continue
			}
			if !fits32(leaf.Value()) {
				return true
			}
			product *= math.Max(1, math.Abs(float64(leaf.Value())))
		}
		return product > math.MaxInt32
	case algebra.Layout:
		if !fits32(v.Size()) || !fits32(v.Cosize()) {
			return true
		}
		for _, leaf := range v.Stride().Leaves() {
			if !fits32(leaf.Value()) {
				return true
			}
		}
	case algebra.Composed:
		// The swizzle sets no bit beyond its fields.
		s := v.Swizzle
		bits := s.Base + s.Bits + max(s.Shift, -s.Shift)
		return !fits32(v.Offset) || s.Bits > 0 && bits > 31 || beyond32(v.Layout) || !fits32(v.Offset+v.Layout.Cosize())
	case algebra.Swizzle:
		return v.Bits > 0 && v.Base+v.Bits+max(v.Shift, -v.Shift) > 31
	case algebra.Tile:
		for _, e := range v {
			if beyond32(e) {
				return true
			}
		}
	}
	return false
}

type cpp struct{ wide bool }

func (w cpp) tuple(t algebra.Tuple) (string, error) { return w.list(t, "make_tuple"), nil }

func (w cpp) layout(l algebra.Layout) (string, error) {
	return "make_layout(" + w.list(l.Shape(), "make_shape") + ", " + w.list(l.Stride(), "make_stride") + ")", nil
}

func (w cpp) swizzle(s algebra.Swizzle) (string, error) {
	if w.wide && s.Bits > 0 && s.Base+s.Bits+max(s.Shift, -s.Shift) > 31 {
		return "", fmt.Errorf("%v: it reaches beyond bit 30, and CuTe C++ has swizzles of 32-bit integers", s)
	}
	return fmt.Sprintf("Swizzle<%d,%d,%d>{}", s.Bits, s.Base, s.Shift), nil
}

func (w cpp) list(t algebra.Tuple, make string) string {
	if t.IsUnderscore() {
		return "_"
	}
	if t.IsLeaf() {
		return w.leaf(t)
	}
	elems := modes(t, func(e algebra.Tuple) string { return w.list(e, make) })
	return make + "(" + strings.Join(elems, ", ") + ")"
}

func (w cpp) leaf(t algebra.Tuple) string {
	path := t.BasisPath()
	if len(path) == 0 {
		return w.integer(t.Value())
	}
	basis := "E<" + joined(path, ",") + ">{}"
	if t.Value() == 1 {
		return basis
	}
	return w.integer(t.Value()) + " * " + basis
}

func (w cpp) integer(n int) string {
	switch {
	case n == math.MinInt:
		return "C<-9223372036854775807LL - 1>{}" // C++ has no literal for it
	case w.wide:
		return fmt.Sprintf("C<%dLL>{}", n)
	}
	return fmt.Sprintf("Int<%d>{}", n)
}

func modes(t algebra.Tuple, text func(algebra.Tuple) string) []string {
	elems := make([]string, t.Rank())
	for i := range elems {
		elems[i] = text(t.Mode(i))
	}
	return elems
}

func joined(ns []int, separator string) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, separator)
}
