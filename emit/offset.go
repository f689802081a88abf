package emit

import (
	"fmt"

	"cutegen/algebra"
	"cutegen/emit/cexpr"
)

// Offset returns l at a symbolic coordinate, one expression for each top-level mode of l; each expression is the mode's
// colexicographic index.
//
//	Offset(((2,128),4):((4,132),1), t, 3)  =  (t & 1) * 4 + (t >> 1) * 132 + 3
//
// It is an error if a coordinate may leave its mode.
func Offset(l algebra.Composed, coord ...Expr) (Expr, error) {
	if err := checkCoordinate(l.Layout, coord); err != nil {
		return Expr{}, err
	}
	sum := Const(l.Offset)
	for i, c := range coord {
		sum = Add(sum, inMode(l.Layout.Shape().Mode(i), l.Layout.Stride().Mode(i), c))
	}
	return swizzled(l.Swizzle, sum), nil
}

// inMode is the inner product of the colexicographic coordinate of c in shape with stride (CuTe: crd2idx of idx2crd).
func inMode(shape, stride algebra.Tuple, c Expr) Expr {
	if shape.IsLeaf() {
		return Scale(stride.Value(), c)
	}
	var sum Expr
	for i := range shape.Rank() {
		ci := c
		if i < shape.Rank()-1 {
			n := mustSize(shape.Mode(i))
			ci, c = Mod(c, n), Div(c, n)
		}
		sum = Add(sum, inMode(shape.Mode(i), stride.Mode(i), ci))
	}
	return sum
}

// swizzled is x ^ ((x >> Shift) & mask): bits [Base+Shift, Base+Shift+Bits) of x flip bits [Base, Base+Bits).
func swizzled(s algebra.Swizzle, x Expr) Expr {
	if s.Bits == 0 {
		return x
	}
	from, to := s.Base+s.Shift, s.Base
	if s.Shift < 0 {
		from, to = s.Base, s.Base-s.Shift
	}
	return Xor(x, Scale(1<<to, Mod(Div(x, 1<<from), 1<<s.Bits)))
}

func mustSize(shape algebra.Tuple) int {
	n, err := algebra.Product(shape)
	if err != nil {
		panic("bug: the shape of a layout overflows: " + err.Error())
	}
	return n
}

func checkCoordinate(l algebra.Layout, coord []Expr) error {
	if len(coord) != l.Rank() {
		return fmt.Errorf("layout %s has %d modes and got %d coordinates", l, l.Rank(), len(coord))
	}
	for i, c := range coord {
		size := l.Mode(i).Size()
		if lo, hi := c.Range(); lo < 0 || hi >= size {
			return fmt.Errorf("layout %s: coordinate %s in [%d,%d] leaves mode %d, which is %s with %d elements",
				l, c, lo, hi, i, l.Shape().Mode(i), size)
		}
	}
	return nil
}

// Prove evaluates e at every point of the variables of coord and compares it with l's own value there: the judge of every
// expression that is printed. A second judge, which knows the printed text only, reads it as C and evaluates it too. It returns the
// number of points. The error names the layout, the coordinate, both values and the expression.
func Prove(e Expr, l algebra.Composed, coord ...Expr) (points int, err error) {
	const most = 1 << 24
	if err := checkCoordinate(l.Layout, coord); err != nil {
		return 0, err
	}
	vars := map[string]*atom{}
	points = 1
	for _, c := range append([]Expr{e}, coord...) {
		c.visit(func(a *atom) {
			if a.kind != variable && a.kind != parameter || vars[a.name] != nil {
				return
			}
			vars[a.name] = a
			points = satMul(points, satAdd(a.hi-a.lo, 1))
		})
	}
	if points > most {
		return 0, fmt.Errorf("layout %s: %d points are more than the %d that a proof visits: fix a coordinate", l, points, most)
	}
	printed, err := cexpr.Parse(e.String())
	if err != nil {
		return 0, fmt.Errorf("bug: layout %s: %w", l, err)
	}
	names := sortedKeys(vars)
	env := map[string]int{}
	for _, n := range names {
		env[n] = vars[n].lo
	}
	for {
		index, scale := 0, 1
		at := make([]int, len(coord))
		for i, c := range coord {
			at[i] = c.Eval(env)
			index += at[i] * scale
			scale *= l.Layout.Mode(i).Size()
		}
		if got, want := e.Eval(env), l.At(index); got != want {
			return 0, fmt.Errorf("layout %s at coordinate %v is %d, but the expression %s gives %d", l, at, want, e, got)
		}
		if got, err := printed.Eval(env); err != nil {
			return 0, fmt.Errorf("layout %s at coordinate %v: %w", l, at, err)
		} else if want := l.At(index); got != want {
			return 0, fmt.Errorf("layout %s at coordinate %v is %d, but its text %s gives %d", l, at, want, printed.Text(), got)
		}
		i := 0
		for ; i < len(names); i++ {
			if env[names[i]]++; env[names[i]] <= vars[names[i]].hi {
				break
			}
			env[names[i]] = vars[names[i]].lo
		}
		if i == len(names) {
			return points, nil
		}
	}
}

// Hoisted is a table of addresses split by what they depend on: the address of value v is Base[Of[v]], an expression in the
// thread, plus the constant Delta[v]. Each address is a vector with one component for each layout that was hoisted together: one
// for an offset, two for the coordinates of a matrix.
type Hoisted struct {
	Base  [][]Expr
	Of    []int
	Delta [][]int
	// Points at which the split was verified: every thread and value.
	Points int
}

// Hoist splits the addresses of layouts with two modes (thread, value) and one common shape. Two values share a base exactly when
// their difference is the same constant for every thread, so the number of bases is the least that base + constant addressing
// allows. Every address is compared with the layouts at every thread and value.
//
//	Hoist(t, (256,4):(1,264))                1 base t, deltas 0 264 528 792
//	Hoist(t, Sw<2,3,6> o 0 o (256,...):...)  as many bases as the XOR has patterns that no constant joins
func Hoist(thread Expr, ls ...algebra.Composed) (Hoisted, error) {
	var h Hoisted
	values := ls[0].Layout.Mode(1).Size()
	threads := ls[0].Layout.Mode(0).Size()
	for _, l := range ls {
		if l.Layout.Rank() != 2 || l.Layout.Mode(0).Size() != threads || l.Layout.Mode(1).Size() != values {
			return h, fmt.Errorf("layout %s must have the modes (thread, value) of %s", l, ls[0])
		}
	}
	tables := make([][]int, len(ls))
	for k, l := range ls {
		tables[k] = make([]int, threads*values)
		for i := range tables[k] {
			tables[k][i] = l.At(i)
		}
	}
	type class struct{ lead, least int }
	var classes []class
	joined := func(v, w int) bool {
		for _, table := range tables {
			d := table[threads*v] - table[threads*w]
			for t := 1; t < threads; t++ {
				if table[t+threads*v]-table[t+threads*w] != d {
					return false
				}
			}
		}
		return true
	}
	h.Of = make([]int, values)
	for v := range values {
		c := 0
		for c < len(classes) && !joined(v, classes[c].lead) {
			c++
		}
		if c == len(classes) {
			classes = append(classes, class{v, v})
		}
		h.Of[v] = c
		if tables[0][threads*v] < tables[0][threads*classes[c].least] {
			classes[c].least = v
		}
	}
	h.Delta = make([][]int, values)
	for v := range values {
		for _, table := range tables {
			h.Delta[v] = append(h.Delta[v], table[threads*v]-table[threads*classes[h.Of[v]].least])
		}
	}
	for _, c := range classes {
		var base []Expr
		for _, l := range ls {
			e, err := Offset(l, thread, Const(c.least))
			if err != nil {
				return h, err
			}
			n, err := Prove(e, l, thread, Const(c.least))
			if err != nil {
				return h, err
			}
			h.Points += n
			base = append(base, e)
		}
		h.Base = append(h.Base, base)
	}
	return h, h.verify(thread, ls)
}

// verify compares base + delta with the layouts everywhere. Hoist has established it; the check is what makes the proof independent
// of how it was found.
func (h *Hoisted) verify(thread Expr, ls []algebra.Composed) error {
	name := thread.Vars()
	threads := ls[0].Layout.Mode(0).Size()
	for v := range h.Of {
		for t := range threads {
			env := map[string]int{}
			if len(name) == 1 {
				env[name[0]] = t
			}
			for k, l := range ls {
				got := h.Base[h.Of[v]][k].Eval(env) + h.Delta[v][k]
				if want := l.At(t + threads*v); got != want {
					return fmt.Errorf("layout %s at (thread %d, value %d) is %d, but %s + %d gives %d",
						l, t, v, want, h.Base[h.Of[v]][k], h.Delta[v][k], got)
				}
				h.Points++
			}
		}
	}
	return nil
}

// CeilDiv is x / c rounded up: how many tiles of c cover x elements.
func CeilDiv(x Expr, c int) Expr { return Div(Add(x, Const(c-1)), c) }
