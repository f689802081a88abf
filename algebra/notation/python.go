package notation

import (
	"fmt"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// DSL is the value as an expression of CuTe DSL, after import cutlass.cute as cute.
//
//	(4,8):(1@0,4@1)          cute.make_layout((4, 8), stride=(cute.E(0), 4 * cute.E(1)))
//	Sw<2,3,3> o 0 o 64:1     cute.make_composed_layout(cute.make_swizzle(2, 3, 3), 0, cute.make_layout(64, stride=1))
//	(4:1,_)                  (cute.make_layout(4, stride=1), None)
//	(M,8):(lda,1)            cute.make_layout((M, 8), stride=(lda, 1))
//
// Names are integer variables, and a layout that begins at an offset is a tuple of both.
// Its integers have 32 bits: where an integer, a size or a cosize is beyond them that is an error. A Composed that fails
// Validate is an error.
func DSL(v Value) (string, error) {
	if beyond32(v) {
		return "", fmt.Errorf("%v: an integer, a size or a reach of it is beyond 32 bits, and the static integers of CuTe DSL have 32", v)
	}
	return write(v, writer{
		tuple: func(t algebra.Tuple) (string, error) { return python(t), nil },
		layout: func(l algebra.Layout) (string, error) {
			return "cute.make_layout(" + python(l.Shape()) + ", stride=" + python(l.Stride()) + ")", nil
		},
		swizzle: func(s algebra.Swizzle) (string, error) {
			return fmt.Sprintf("cute.make_swizzle(%d, %d, %d)", s.Bits, s.Base, s.Shift), nil
		},
		composed: func(s, offset, l string) string {
			return "cute.make_composed_layout(" + s + ", " + offset + ", " + l + ")"
		},
		tile:    pythonTuple,
		pair:    pythonTuple,
		hole:    "None",
		symbols: &dslSymbols,
	})
}

// Pycute is the value as an expression of pycute, after from pycute import *.
//
//	(4,8):(8,1)              Layout((4, 8), (8, 1))
//	Sw<2,3,3> o 0 o 64:1     ComposedLayout(Swizzle(2, 3, 3), 0, Layout(64, 1))
//	(4:1,8)                  (Layout(4, 1), 8)
//	(M,8):(lda,1)            Layout((M, 8), (lda, 1))
//
// Names are integer variables, and a layout that begins at an offset is a tuple of both.
// pycute has no basis elements, takes _ in a tiler for one element (here and in CuTe C++ it leaves the mode as it is), and never
// returns from a swizzle with a shift of 0: these are errors. So is a Composed that fails Validate.
func Pycute(v Value) (string, error) {
	tuple := func(t algebra.Tuple) (string, error) {
		for _, leaf := range t.Leaves() {
			if !leaf.IsUnderscore() && leaf.BasisPath() != nil {
				return "", fmt.Errorf("%v: pycute has no scaled basis elements, got %v", t, leaf)
			}
		}
		return python(t), nil
	}
	if tile, ok := v.(algebra.Tile); ok && leavesAMode(tile) {
		return "", fmt.Errorf("tiler %v: pycute takes _ for a tile of one element, not for a mode that is left as it is", tile)
	}
	return write(v, writer{
		tuple: tuple,
		layout: func(l algebra.Layout) (string, error) {
			stride, err := tuple(l.Stride())
			if err != nil {
				return "", err
			}
			return "Layout(" + python(l.Shape()) + ", " + stride + ")", nil
		},
		swizzle: func(s algebra.Swizzle) (string, error) {
			if s.Shift == 0 {
				return "", fmt.Errorf("%v: pycute never returns from a swizzle with a shift of 0; Sw<0,%d,1> is the same function", s, s.Base)
			}
			return fmt.Sprintf("Swizzle(%d, %d, %d)", s.Bits, s.Base, s.Shift), nil
		},
		composed: func(s, offset, l string) string { return "ComposedLayout(" + s + ", " + offset + ", " + l + ")" },
		tile:     pythonTuple,
		pair:     pythonTuple,
		hole:     "None",
		symbols:  &pycuteSymbols,
	})
}

// leavesAMode tells whether there is a _ in the tile.
func leavesAMode(tile algebra.Tile) bool {
	for _, e := range tile {
		switch e := e.(type) {
		case algebra.Tile:
			if leavesAMode(e) {
				return true
			}
		case algebra.Tuple:
			for _, leaf := range e.Leaves() {
				if leaf.IsUnderscore() {
					return true
				}
			}
		}
	}
	return false
}

func python(t algebra.Tuple) string {
	if t.IsUnderscore() {
		return "None"
	}
	if !t.IsLeaf() {
		return pythonTuple(modes(t, python))
	}
	path := t.BasisPath()
	if len(path) == 0 {
		return strconv.Itoa(t.Value())
	}
	basis := "cute.E(" + joined(path, "") + ")"
	if len(path) > 1 {
		basis = "cute.E([" + joined(path, ", ") + "])"
	}
	if t.Value() == 1 {
		return basis
	}
	return strconv.Itoa(t.Value()) + " * " + basis
}

// pythonTuple is a tuple of Python: one element needs a comma.
func pythonTuple(elems []string) string {
	if len(elems) == 1 {
		return "(" + elems[0] + ",)"
	}
	return "(" + strings.Join(elems, ", ") + ")"
}
