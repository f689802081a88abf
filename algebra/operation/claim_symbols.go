package operation

import (
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// checkSymbols is Check for all values of the symbols: a counter-example among small values refutes, a rule proves.
func (c Claim) checkSymbols(texts []string) (string, error) {
	a := symbolArgs{texts: texts}
	for i := range texts {
		c.parse(&a, i)
	}
	if a.err != nil {
		return "", a.err
	}
	if counter, decided := c.structure(&a); decided {
		return counter, nil
	}
	symbols := c.Symbols(texts)
	budget := mostTried
	for _, values := range smallValues(symbols) {
		if counter := c.counterWith(texts, values, &budget); counter != "" {
			return counter, nil
		}
	}
	if c.proven(texts) {
		return "", nil
	}
	return "", fmt.Errorf("%s: no small values refute it, and whether it holds for all %w (%s)", strings.ReplaceAll(c.Name, "_", " "),
		dynamic.ErrUndecided, runTime(symbols))
}

func isSwizzled(text string) bool {
	_, _, _, ok := cutSwizzle(text)
	return ok
}

// proven tells whether a rule proves the claim. A swizzle is a bijection: what is injective below it is so behind it, and what is equal
// below two that are one.
func (c Claim) proven(texts []string) bool {
	proof, ok := proofs[c.Name]
	if !ok {
		return false
	}
	below := slices.Clone(texts)
	swizzles := map[string]bool{}
	for i, text := range texts {
		swizzle := ""
		if s, ok, _ := parseSwizzled(text); ok {
			below[i], swizzle = s.Layout.String(), fmt.Sprint(s.Swizzle, s.Offset)
		}
		swizzles[swizzle] = true
	}
	if !swizzles[""] && (c.Name != "injective" && c.Name != "equal") || len(swizzles) > 1 {
		return false
	}
	a := symbolArgs{texts: below}
	return proof(&a) && a.err == nil
}

// parse reads argument i for its errors.
func (c Claim) parse(a *symbolArgs, i int) {
	kind := c.Params[i].Kind
	switch {
	case kind == Integer:
		a.expression(i)
	case isSwizzled(a.texts[i]):
		_, _, err := parseSwizzled(a.texts[i])
		a.keep(err)
	case kind&Tuple != 0 && !a.isLayout(i):
		a.shape(i)
	default:
		a.layout(i)
	}
}

// smallValues are some of the values of the symbols, those with few positions first: twos and ones, then other mixtures.
func smallValues(symbols []string) []map[string]int {
	var list []map[string]int
	add := func(value func(i int) int) {
		values := map[string]int{}
		for i, name := range symbols {
			values[name] = value(i)
		}
		list = append(list, values)
	}
	if len(symbols) > 8 { // each costs the texts once more
		add(func(int) int { return 1 })
		return list
	}
	for ones := range 1 << min(len(symbols), 4) {
		add(func(i int) int { return 2 - ones>>min(i, 4)&1 })
	}
	few := []int{3, 2, 4, 1, 5}
	for shift := range few {
		for step := range few {
			add(func(i int) int { return few[(shift+i*step)%len(few)] })
		}
	}
	return list
}

// mostTried bounds the leaves at the positions that are looked at for a counter-example, of all values together.
const mostTried = 1 << 18

// counterWith is the counter-example with the values, "" if there is none, or the arguments are none with them or too large for what is
// left of the budget.
func (c Claim) counterWith(texts []string, values map[string]int, budget *int) string {
	with, err := c.Where(texts, values)
	if err != nil {
		return ""
	}
	parsed := make(args, len(with))
	cost := 0
	for i, text := range with {
		if parsed[i], err = c.Params[i].Kind.Parse(text); err != nil {
			return ""
		}
		switch v := parsed[i].(type) {
		case algebra.Layout, algebra.Composed:
			l := composedOf(v).Layout
			if cost += min(l.Size(), mostTried) * len(l.Shape().Leaves()); cost > *budget {
				return ""
			}
		}
	}
	*budget -= cost
	counter, err := c.check(parsed)
	if err != nil || counter == "" {
		return ""
	}
	var given []string
	for _, name := range c.Symbols(texts) {
		given = append(given, fmt.Sprintf("%s = %d", name, values[name]))
	}
	return "with " + strings.Join(given, ", ") + ": " + counter
}

// structure decides what depends on profiles alone.
func (c Claim) structure(a *symbolArgs) (counter string, decided bool) {
	if c.Name != "congruent" && c.Name != "weakly_congruent" {
		return "", false
	}
	return differ(a.tree(0), a.tree(1), c.Name == "weakly_congruent"), true
}

// tree is the shape of argument i.
func (a *symbolArgs) tree(i int) tree {
	if !a.isLayout(i) {
		return tree{kept(a, dynamic.ColMajor)(a.shape(i))}
	}
	if s, ok, err := parseSwizzled(a.texts[i]); ok {
		a.keep(err)
		return tree{s.Layout}
	}
	return tree{a.layout(i)}
}

// tree is a shape with symbols as differ takes it.
type tree struct{ dynamic.Layout }

// IsLeaf tells an extent from a list.
func (t tree) IsLeaf() bool { return t.Shape().Profile().IsLeaf() }

// Mode is element i.
func (t tree) Mode(i int) tree { return tree{t.Layout.Mode(i)} }

// String prints the shape.
func (t tree) String() string { return t.Shape().String() }

// proofs are rules that prove a claim for all values. What they cannot show is not false.
var proofs = map[string]func(a *symbolArgs) bool{
	"equal":      func(a *symbolArgs) bool { return sameFunction(a.layout(0), a.layout(1)) },
	"injective":  func(a *symbolArgs) bool { return provenInjective(a.layout(0)) },
	"bijective":  func(a *symbolArgs) bool { return provenBijective(a.layout(0)) },
	"contiguous": func(a *symbolArgs) bool { return provenBijective(a.layout(0)) },
	"compatible": func(a *symbolArgs) bool { return provenCompatible(a.tree(0), a.tree(1)) },
	"covers": func(a *symbolArgs) bool {
		l := a.layout(0)
		return provenBijective(l) && l.Size().AtLeast(a.expression(1))
	},
	"composition": func(a *symbolArgs) bool {
		l, err := dynamic.Composition(a.layout(0), a.layout(1))
		return err == nil && sameFunction(l, a.layout(2))
	},
	"right_inverse": func(a *symbolArgs) bool { return isLine(dynamic.Composition(a.layout(0), a.layout(1))) },
	"left_inverse":  func(a *symbolArgs) bool { return isLine(dynamic.Composition(a.layout(1), a.layout(0))) },
}

// sameFunction tells whether two layouts coalesce to one.
func sameFunction(l, m dynamic.Layout) bool {
	x, err := dynamic.Coalesce(l)
	if err != nil {
		return false
	}
	y, err := dynamic.Coalesce(m)
	return err == nil && x.Equal(y)
}

// isLine tells whether a layout coalesces to n:1.
func isLine(l dynamic.Layout, err error) bool {
	if err != nil {
		return false
	}
	line, err := dynamic.Coalesce(l)
	if err != nil {
		return false
	}
	_, stride, _ := strings.Cut(line.String(), ":")
	return stride == "1" || line.Size().Equal(dynamic.Const(1))
}

// provenInjective tells whether the modes along each basis element nest, which they must for a complement, and none has stride 0.
func provenInjective(l dynamic.Layout) bool {
	flat, err := dynamic.Flatten(l)
	if err != nil {
		return false
	}
	type along struct{ extents, strides []string }
	elements := map[string]along{} // plain strides are along ""
	for _, m := range flat.Modes() {
		extent, stride, _ := strings.Cut(m.String(), ":")
		stride, element, _ := strings.Cut(stride, "@")
		e := elements[element]
		elements[element] = along{append(e.extents, extent), append(e.strides, stride)}
	}
	for _, e := range elements {
		l, err := dynamic.Parse("(" + strings.Join(e.extents, ",") + "):(" + strings.Join(e.strides, ",") + ")")
		if err != nil || !nests(l) {
			return false
		}
	}
	return true
}

// nests tells it of modes along one element.
func nests(l dynamic.Layout) bool {
	one := dynamic.Const(1)
	for _, m := range l.Modes() {
		if n, err := m.Cosize(); err != nil || n.Equal(one) && !m.Size().Equal(one) {
			return false
		}
	}
	_, err := dynamic.Complement(l, one)
	return err == nil
}

// provenBijective tells whether the right inverse is as large as the layout.
func provenBijective(l dynamic.Layout) bool {
	r, err := dynamic.RightInverse(l)
	return err == nil && r.Size().Equal(l.Size()) && provenInjective(l)
}

// provenCompatible tells whether each extent of a is, as an expression, the size of what b has in its place.
func provenCompatible(a, b tree) bool {
	if a.IsLeaf() {
		return a.Size().Equal(b.Size())
	}
	if b.IsLeaf() || a.Rank() != b.Rank() {
		return false
	}
	for i := range a.Rank() {
		if !provenCompatible(a.Mode(i), b.Mode(i)) {
			return false
		}
	}
	return true
}
