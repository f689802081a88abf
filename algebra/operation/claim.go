package operation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// A Claim is what may or may not hold of some layouts or tuples.
type Claim struct {
	Name    string
	Meaning string // one line, with the parameters' names
	Params  []Param
	Example []string // arguments of which it holds
	check   func(a args) (string, error)
}

// Claims lists what can be checked.
func Claims() []Claim { return slices.Clone(claims) }

// FindClaim returns the claim of the name, with underscores or dashes.
func FindClaim(name string) (Claim, error) {
	for _, c := range claims {
		if c.Name == strings.ReplaceAll(name, "-", "_") {
			return c, nil
		}
	}
	return Claim{}, fmt.Errorf("no claim %q", name)
}

// Usage lists the parameters.
func (c Claim) Usage() string { return Operation{Params: c.Params}.Usage() }

// Check gives the first counter-example, "" if the claim holds. What is too large to be looked at and has no proof is an error.
//
//	injective (4,2):(1,2)  ->  "coordinates (2,0) and (0,1) are both at 2"
//
// With symbols it must hold for all their values: a counter-example names values, and what has neither a counter-example among small
// values nor a proof is an error that wraps dynamic.ErrUndecided.
//
//	injective (M,K):(lda,1)  ->  "with K = 2, M = 2, lda = 1: coordinates (1,0) and (0,1) are both at 1"
func (c Claim) Check(texts ...string) (string, error) {
	o := Operation{Name: c.Name, Params: c.Params, eval: func(a args) (Value, error) { return c.check(a) }}
	if err := o.arity(len(texts)); err != nil {
		return "", err
	}
	if err := refuseSwizzled(c.Name, c.Params, texts); err != nil {
		return "", err
	}
	if hasExpression(c.Params, texts) {
		return c.checkSymbols(plainBases(texts))
	}
	counter, err := o.Run(texts...)
	if err != nil {
		return "", err
	}
	return counter.(string), nil
}

var claims = []Claim{
	{"equal", "A and B are the same function of the position", []Param{need("A", anyLayout), need("B", anyLayout)},
		[]string{"(2,(1,6)):(1,(6,2))", "12:1"}, checkEqual},
	{"congruent", "A and B have one profile", []Param{need("A", object), need("B", object)}, []string{"(4,(2,8))", "(1,(7,5))"},
		func(a args) (string, error) { return differ(shapeOf(a[0]), shapeOf(a[1]), false), nil }},
	{"weakly_congruent", "B refines A's profile", []Param{need("A", object), need("B", object)}, []string{"(4,5)", "(4,(2,3))"},
		func(a args) (string, error) { return differ(shapeOf(a[0]), shapeOf(a[1]), true), nil }},
	{"compatible", "each coordinate of A is one of B", []Param{need("A", object), need("B", object)}, []string{"24", "(4,6)"}, checkCompatible},
	{"evenly_divides", "tiler B cuts shape A without a remainder", []Param{need("A", object), need("B", object)}, []string{"(8,6)", "(4,3)"},
		func(a args) (string, error) {
			if algebra.EvenlyDivides(shapeOf(a[0]), shapeOf(a[1])) {
				return "", nil
			}
			return fmt.Sprintf("%v leaves a remainder of %v", shapeOf(a[1]), shapeOf(a[0])), nil
		}},
	{"injective", "no two coordinates of LAYOUT share a value", []Param{need("LAYOUT", anyLayout)}, []string{"(8,7):(1,9)"},
		func(a args) (string, error) { return sentence(injective(a[0])) }},
	{"contiguous", "LAYOUT's offsets have no gaps", []Param{need("LAYOUT", anyLayout)}, []string{"(3,4):(1,2)"},
		checkContiguous},
	{"bijective", "LAYOUT's offsets are 0 to its size-1, each once: it is compact", []Param{need("LAYOUT", anyLayout)},
		[]string{"(4,2):(2,1)"}, checkBijective},
	{"disjoint", "no offset of A is one of B, B beginning at AT", []Param{need("A", anyLayout), need("B", anyLayout), opt("AT", Integer)},
		[]string{"4:2", "4:2", "1"}, checkDisjoint},
	{"covers", "LAYOUT has every offset below N", []Param{need("LAYOUT", anyLayout), need("N", Integer)}, []string{"(3,4):(1,2)", "9"},
		func(a args) (string, error) {
			if _, err := plainFunction(a[0]); err != nil || a.integer(1) < 1 {
				return "", err // there is no offset below 0
			}
			return sentence(surjective(a[0], a.integer(1)))
		}},
	{"composition", "R(i) = A(B(i)) for every i", []Param{need("A", anyLayout), need("B", anyLayout), need("R", anyLayout)},
		[]string{"(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"},
		func(a args) (string, error) {
			return pointwise(a, 1, "A(B(%d)) = A(%d) = %d, not %d", func(i int, f []function) (through, got, want int) {
				b := f[1].at(i)
				return b, f[0].at(b), f[2].at(i)
			})
		}},
	{"right_inverse", "LAYOUT(R(i)) = i for every i", []Param{need("LAYOUT", anyLayout), need("R", anyLayout)}, []string{"(4,2):(2,1)", "(2,4):(4,1)"},
		func(a args) (string, error) {
			return pointwise(a, 1, "LAYOUT(R(%d)) = LAYOUT(%d) = %d, not %d", func(i int, f []function) (through, got, want int) {
				r := f[1].at(i)
				return r, f[0].at(r), i
			})
		}},
	{"left_inverse", "R(LAYOUT(i)) = i for every i", []Param{need("LAYOUT", anyLayout), need("R", anyLayout)}, []string{"(4,2):(1,8)", "(8,2):(1,4)"},
		func(a args) (string, error) {
			return pointwise(a, 0, "R(LAYOUT(%d)) = R(%d) = %d, not %d", func(i int, f []function) (through, got, want int) {
				v := f[0].at(i)
				return v, f[1].at(v), i
			})
		}},
}

// mostLooked bounds how many positions of a layout are looked at, as in package algebra.
const mostLooked = 1 << 18

// function is a layout as its values; at is for plain strides.
type function struct {
	of     Value
	layout algebra.Layout // for the coordinates' names
	size   int
	at     func(i int) int
	text   func(i int) string // the value as it is
}

func functionOf(v Value) function {
	c := composedOf(v)
	f := function{of: v, layout: c.Layout, size: c.Size(), at: c.At}
	f.text = func(i int) string { return strconv.Itoa(f.at(i)) }
	if c.Layout.HasBasis() {
		f.text = func(i int) string {
			value, err := c.Layout.Value(algebra.Int(i))
			if err != nil {
				panic("bug: no value in the domain: " + err.Error())
			}
			return value.String()
		}
	}
	return f
}

func plainFunction(v Value) (function, error) {
	f := functionOf(v)
	if f.layout.HasBasis() {
		return function{}, fmt.Errorf("%v: its values are coordinates, allowed are plain strides", v)
	}
	return f, nil
}

func (f function) coordinate(i int) string { return f.layout.Coord(i).String() }

// reach is the smallest and the largest offset, or bounds of them where a swizzled layout is too large to be looked at.
func (f function) reach() (low, high int, exact bool) {
	c, swizzled := f.of.(algebra.Composed)
	if swizzled && f.size <= mostLooked {
		low, high = f.at(0), f.at(0)
		for i := range f.size {
			at := f.at(i)
			low, high = min(low, at), max(high, at)
		}
		return low, high, true
	}
	strides := f.layout.Stride().Leaves()
	for k, n := range f.layout.Shape().Leaves() {
		last := (n.Value() - 1) * strides[k].Value()
		low, high = low+min(last, 0), high+max(last, 0)
	}
	return low + c.Offset, high + c.Offset, !swizzled
}

// undecided is the error of a layout that is too large.
func (f function) undecided() error {
	return fmt.Errorf("%v: undecided, for its size is %d, and %d positions are looked at", f.of, f.size, mostLooked)
}

// sentence is a counter-example's, "" for none.
func sentence(c *algebra.Counterexample, err error) (string, error) {
	if c == nil {
		return "", err
	}
	return c.String(), err
}

func injective(v Value) (*algebra.Counterexample, error) {
	if c, ok := v.(algebra.Composed); ok {
		return c.Injective()
	}
	return algebra.Injective(v.(algebra.Layout))
}

func surjective(v Value, n int) (*algebra.Counterexample, error) {
	if c, ok := v.(algebra.Composed); ok {
		return c.Surjective(n)
	}
	return algebra.Surjective(v.(algebra.Layout), algebra.Int(n))
}

// checkContiguous turns a layout's strides around, which moves the smallest offset to 0 and keeps the gaps.
func checkContiguous(a args) (string, error) {
	f, err := plainFunction(a[0])
	if err != nil {
		return "", err
	}
	l, ok := a[0].(algebra.Layout)
	if !ok {
		return f.gap()
	}
	low := 0
	strides := l.Stride().Leaves()
	for k, n := range l.Shape().Leaves() {
		d := strides[k].Value()
		low += (n.Value() - 1) * min(d, 0)
		strides[k] = algebra.Int(max(d, -d))
	}
	turned, err := algebra.MakeLayout(algebra.MakeTuple(l.Shape().Leaves()...), algebra.MakeTuple(strides...))
	if err != nil {
		return "", err
	}
	counter, err := algebra.Surjective(turned, algebra.Int(turned.Cosize()))
	if counter != nil {
		counter.Value = algebra.Int(low + counter.Value.Value())
	}
	return sentence(counter, err)
}

// gap names the first offset that no coordinate has between two that some have.
func (f function) gap() (string, error) {
	if f.size > mostLooked {
		return "", f.undecided()
	}
	low, _, _ := f.reach()
	reached := make([]bool, f.size+1) // the first gap is among them, or there is none
	most := low
	for i := range f.size {
		at := f.at(i)
		if at-low < len(reached) {
			reached[at-low] = true
		}
		most = max(most, at)
	}
	if k := slices.Index(reached, false); low+k <= most {
		return fmt.Sprintf("no coordinate is at %d", low+k), nil
	}
	return "", nil
}

func checkBijective(a args) (string, error) {
	f, err := plainFunction(a[0])
	if err != nil {
		return "", err
	}
	if counter, err := sentence(injective(a[0])); counter != "" || err != nil {
		return counter, err
	}
	return sentence(surjective(a[0], f.size))
}

func checkEqual(a args) (string, error) {
	f, g := functionOf(a[0]), functionOf(a[1])
	if f.size != g.size {
		return fmt.Sprintf("the sizes are %d and %d", f.size, g.size), nil
	}
	l, isLayout := a[0].(algebra.Layout)
	m, areLayouts := a[1].(algebra.Layout)
	decided := isLayout && areLayouts
	if decided && algebra.Coalesce(l).Equal(algebra.Coalesce(m)) {
		return "", nil // the coalesced form is unique
	}
	plain := !f.layout.HasBasis() && !g.layout.HasBasis()
	for i := range min(f.size, mostLooked) {
		if plain && f.at(i) == g.at(i) {
			continue
		}
		if x, y := f.text(i), g.text(i); x != y {
			return fmt.Sprintf("at %d the values are %s and %s", i, x, y), nil
		}
	}
	switch {
	case f.size <= mostLooked:
		return "", nil
	case decided:
		return fmt.Sprintf("they coalesce to %v and %v", algebra.Coalesce(l), algebra.Coalesce(m)), nil
	}
	return "", f.undecided()
}

func checkDisjoint(a args) (string, error) {
	f, err := plainFunction(a[0])
	if err != nil {
		return "", err
	}
	g, err := plainFunction(a[1])
	if err != nil {
		return "", err
	}
	begin := 0
	if len(a) == 3 {
		begin = a.integer(2)
	}
	if apart(f, g, begin) {
		return "", nil
	}
	for _, h := range []function{f, g} {
		if h.size > mostLooked {
			return "", h.undecided()
		}
	}
	where := map[int]int{}
	for i := f.size - 1; i >= 0; i-- {
		where[f.at(i)] = i
	}
	for j := range g.size {
		at, ok := add(begin, g.at(j))
		if !ok {
			continue // beyond 64 bits, where A has none
		}
		if i, ok := where[at]; ok {
			return fmt.Sprintf("A at %s and B at %s are both at %d", f.coordinate(i), g.coordinate(j), at), nil
		}
	}
	return "", nil
}

// apart tells whether the ranges of f, and of g from begin on, do not overlap, or whether they are of two classes of one divisor.
func apart(f, g function, begin int) bool {
	fLow, fHigh, _ := f.reach()
	gLow, gHigh, _ := g.reach()
	low, ok := add(begin, gLow)
	high, ok2 := add(begin, gHigh)
	if ok && ok2 && (high < fLow || fHigh < low) {
		return true
	}
	divisor := 0
	for _, h := range []function{f, g} {
		if _, swizzled := h.of.(algebra.Composed); swizzled {
			return false
		}
		for _, d := range h.layout.Stride().Leaves() {
			divisor = gcd(divisor, d.Value())
		}
	}
	return divisor != 0 && begin%divisor != 0
}

// add is the sum; ok is false beyond 64 bits.
func add(a, b int) (sum int, ok bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// pointwise compares got and want at each position of argument domain.
func pointwise(a args, domain int, counter string, at func(i int, f []function) (through, got, want int)) (string, error) {
	f := make([]function, len(a))
	for k, v := range a {
		var err error
		if f[k], err = plainFunction(v); err != nil {
			return "", err
		}
	}
	if len(a) == 3 && f[1].size != f[2].size {
		return fmt.Sprintf("the sizes of B and R are %d and %d", f[1].size, f[2].size), nil
	}
	if f[domain].size > mostLooked {
		return "", f[domain].undecided()
	}
	for i := range f[domain].size {
		if through, got, want := at(i, f); got != want {
			return fmt.Sprintf(counter, i, through, got, want), nil
		}
	}
	return "", nil
}

// shapeOf is the shape of a layout, or a tuple itself.
func shapeOf(v Value) algebra.Tuple {
	if t, ok := v.(algebra.Tuple); ok {
		return t
	}
	return composedOf(v).Layout.Shape()
}

// differ names the first elements whose profiles differ, where weak allows a tuple of b in the place of a leaf of a.
func differ[T interface {
	IsLeaf() bool
	Rank() int
	Mode(i int) T
}](a, b T, weak bool) string {
	switch {
	case a.IsLeaf() && (b.IsLeaf() || weak):
		return ""
	case a.IsLeaf() || b.IsLeaf() || a.Rank() != b.Rank():
		return fmt.Sprintf("%v stands beside %v", a, b)
	}
	for i := range a.Rank() {
		if why := differ(a.Mode(i), b.Mode(i), weak); why != "" {
			return why
		}
	}
	return ""
}

func checkCompatible(a args) (string, error) {
	s, t := shapeOf(a[0]), shapeOf(a[1])
	if algebra.Compatible(s, t) {
		return "", nil
	}
	if why := differ(s, t, true); why != "" {
		return why, nil
	}
	return sizesDiffer(s, t)
}

// sizesDiffer names the first leaf of s that is not of the size of what t has in its place.
func sizesDiffer(s, t algebra.Tuple) (string, error) {
	if s.IsLeaf() {
		n, err := algebra.Product(t)
		if err != nil {
			return "", err
		}
		if m, err := integerOf(s); err != nil || m != n {
			return fmt.Sprintf("%v stands beside %v, of size %d", s, t, n), err
		}
		return "", nil
	}
	for i := range s.Rank() {
		if why, err := sizesDiffer(s.Mode(i), t.Mode(i)); why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}
