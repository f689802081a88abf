package operation

import (
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// A Fact is a property of a layout, as a text.
type Fact struct{ Name, Is string }

// Facts lists what there is to know of a layout: size, cosize, rank, depth, the coalesced form, whether its values are apart and without
// gaps, and the first coordinates that meet. What is too large to be decided is "undecided", and so is what depends on the values of
// symbols.
func Facts(layout string) ([]Fact, error) {
	if HasSymbols(layout) {
		return factsWithSymbols(layout)
	}
	v, err := anyLayout.Parse(layout)
	if err != nil {
		return nil, err
	}
	f := functionOf(v)
	facts := []Fact{{"layout", fmt.Sprint(v)}, {"size", fmt.Sprint(f.size)}}
	run := func(name string) {
		if got, err := byName[name].Run(layout); err == nil {
			facts = append(facts, Fact{name, Text(got)})
		}
	}
	for _, name := range []string{"cosize", "rank", "depth", "coalesce"} {
		run(name)
	}
	check := func(name string) {
		i := slices.IndexFunc(claims, func(c Claim) bool { return c.Name == name })
		is := "yes"
		if counter, err := claims[i].check(args{v}); err != nil {
			is = "undecided"
		} else if counter != "" {
			is = "no: " + counter
		}
		facts = append(facts, Fact{name, is})
	}
	check("injective")
	if !f.layout.HasBasis() {
		if low, high, exact := f.reach(); exact {
			facts = append(facts, Fact{"offsets", fmt.Sprintf("%d to %d", low, high)})
		}
		check("contiguous")
		check("bijective")
		run("max_alignment")
	}
	return facts, nil
}

// A Point is a coordinate of a layout with its position and its value.
type Point struct {
	Coord    algebra.Tuple
	Position int
	Value    algebra.Tuple // the offset, or a coordinate for basis strides
}

// PointAt is the point of a coordinate, in any of the forms that Layout.Index takes; a coordinate outside is an error.
func PointAt(v Value, coord algebra.Tuple) (Point, error) {
	c := composedOf(v)
	if _, err := c.Layout.Value(coord); err != nil { // told of the layout, not of the one that counts its positions
		if _, ok := v.(algebra.Composed); ok {
			err = fmt.Errorf("%v: %w", v, err)
		}
		return Point{}, err
	}
	columns, err := algebra.ColMajor(c.Layout.Shape())
	if err != nil {
		return Point{}, err
	}
	i, err := columns.Index(coord)
	if err != nil {
		return Point{}, err
	}
	return pointOf(c, i)
}

func pointOf(c algebra.Composed, i int) (Point, error) {
	var value algebra.Tuple
	if c.Layout.HasBasis() {
		var err error
		if value, err = c.Layout.Value(algebra.Int(i)); err != nil {
			return Point{}, err
		}
	} else {
		value = algebra.Int(c.At(i))
	}
	return Point{c.Layout.Coord(i), i, value}, nil
}

// PointsWith lists the points that have a value, in the order of their positions. A value that none has is an error.
func PointsWith(v Value, value algebra.Tuple) ([]Point, error) {
	c := composedOf(v)
	f := functionOf(v)
	if f.size > mostLooked {
		return nil, f.undecided()
	}
	mayHave, want := hasComponents(c.Layout, value), value.String()
	var points []Point
	for i := range f.size {
		if mayHave(i) && f.text(i) == want {
			p, err := pointOf(c, i)
			if err != nil {
				return nil, err
			}
			points = append(points, p)
		}
	}
	if points == nil {
		return nil, fmt.Errorf("%v: no coordinate is at %v", v, value)
	}
	return points, nil
}

// hasComponents tells, of a layout whose values are coordinates, whether the components at a position are the value's: to make each value
// would take long.
func hasComponents(l algebra.Layout, value algebra.Tuple) func(i int) bool {
	components, err := l.Components()
	if err != nil || value.IsLeaf() {
		return func(int) bool { return true }
	}
	components = components[:min(len(components), value.Rank())]
	want := make([]int, len(components))
	for k := range want {
		if want[k], err = integerOf(value.Mode(k)); err != nil {
			return func(int) bool { return false } // no coordinate that these strides make
		}
	}
	return func(i int) bool {
		for k, component := range components {
			if component.At(i) != want[k] {
				return false
			}
		}
		return true
	}
}

// ParseLayout reads a layout, swizzled or not. One with symbols is an error that wraps dynamic.ErrUndecided: see Facts, PointWithSymbols
// and WhereLayout.
func ParseLayout(text string) (Value, error) {
	if !HasSymbols(text) {
		return anyLayout.Parse(text)
	}
	l, err := parseSymbols(text)
	if err != nil {
		return nil, err
	}
	size, err := byName["size"].Run(text)
	if err != nil {
		return nil, err
	}
	return nil, needsValues{what: fmt.Sprintf("%v of size %v", l, size), names: SymbolsOf(text)}
}

// parseSymbols reads a layout with symbols, swizzled or not.
func parseSymbols(text string) (fmt.Stringer, error) {
	if s, ok, err := parseSwizzled(text); ok {
		return s, err
	}
	return dynamic.Parse(plainBasis(text))
}

func factsWithSymbols(layout string) ([]Fact, error) {
	l, err := parseSymbols(layout)
	if err != nil {
		return nil, err
	}
	facts := []Fact{{"layout", l.String()}}
	for _, name := range []string{"size", "cosize", "rank", "depth", "coalesce"} {
		is := "undecided"
		if got, err := byName[name].Run(layout); err == nil {
			is = Text(got)
		}
		facts = append(facts, Fact{name, is})
	}
	claimed := []string{"injective", "contiguous", "bijective"}
	if strings.Contains(l.String(), "@") {
		claimed = claimed[:1]
	}
	for _, name := range claimed {
		c, err := FindClaim(name)
		if err != nil {
			return nil, err
		}
		is := "yes"
		if counter, err := c.Check(layout); err != nil {
			is = "undecided"
		} else if counter != "" {
			is = "no: " + counter
		}
		facts = append(facts, Fact{name, is})
	}
	return append(facts, Fact{"symbols", strings.Join(SymbolsOf(layout), ", ")}), nil
}

// A PointWithSymbols is a coordinate of a layout with its position and its value, each an expression.
type PointWithSymbols struct{ Coord, Position, Value string }

// PointAtSymbols is PointAt of a layout and a coordinate of which one has symbols.
//
//	(M,K):(lda,1) at (i,4)  ->  (i,4) at position 4*M+i, offset i*lda+4
func PointAtSymbols(layout, coord string) (PointWithSymbols, error) {
	value, err := byName["layout_at"].Run(layout, coord)
	if err != nil {
		return PointWithSymbols{}, err
	}
	a := symbolArgs{texts: []string{plainBasis(layout)}}
	if s, ok, _ := parseSwizzled(layout); ok {
		a.texts[0] = s.Layout.String()
	}
	l := a.layout(0)
	columns := kept(&a, dynamic.ColMajor)(l.Shape())
	c, err := dynamic.ParseCoord(coord)
	a.keep(err)
	at := kept(&a, columns.Offset)(c)
	if a.err != nil {
		return PointWithSymbols{}, a.err
	}
	if split, err := dynamic.CoordOf(l.Shape(), at.Value); err == nil {
		c = split
	}
	return PointWithSymbols{c.String(), at.String(), Text(value)}, nil
}
