package emit

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Expr is an integer expression: a constant plus a sum of coefficient * atom, where an atom is a variable, a parameter, a quotient, a
// remainder, an exclusive or, or a product with a run-time parameter. The sum is kept in one canonical order, so two expressions
// that fold to the same form are the same value and print the same text. The zero value is the constant 0. An Expr is immutable.
type Expr struct {
	k     int
	terms []term
}

type term struct {
	coef int
	atom *atom
}

type atomKind int

const (
	variable  atomKind = iota
	parameter          // a run-time parameter of the kernel: an extent or a leading dimension
	quotient           // x / c, c > 0, x >= 0
	remainder          // x mod c, c > 0, x >= 0
	xor                // x ^ y, both >= 0
	product            // x * s, where s is a parameter
)

type atom struct {
	kind   atomKind
	key    string // canonical text: identity and order
	name   string // variable, parameter
	x, y   Expr
	c      int
	lo, hi int
}

// Const is the expression n.
func Const(n int) Expr { return Expr{k: n} }

// Var is the index variable name (a thread, a block, a loop counter), whose value is known to lie in [lo, hi]. Two variables of
// one name must have one range.
func Var(name string, lo, hi int) Expr { return named(variable, name, lo, hi) }

// Named is a variable that stands for e: a declaration "const int name = e". It has e's range.
func Named(name string, e Expr) Expr {
	lo, hi := e.Range()
	return Var(name, lo, hi)
}

// Param is a run-time parameter of the kernel (an extent, a leading dimension) with values in [lo, hi]. Coordinates may be
// multiplied by it, see [Mul].
func Param(name string, lo, hi int) Expr { return named(parameter, name, lo, hi) }

func named(kind atomKind, name string, lo, hi int) Expr {
	if lo > hi {
		panic(fmt.Sprintf("bug: %s has the empty range [%d,%d]", name, lo, hi))
	}
	if lo == hi {
		return Const(lo)
	}
	return ofAtom(&atom{kind: kind, key: name, name: name, lo: lo, hi: hi})
}

func ofAtom(a *atom) Expr { return Expr{terms: []term{{1, a}}} }

// IsConst reports whether e is a constant, and which.
func (e Expr) IsConst() (int, bool) { return e.k, len(e.terms) == 0 }

// Range returns the least interval that interval arithmetic proves for e. Bounds saturate at the 64-bit limits.
func (e Expr) Range() (lo, hi int) {
	lo, hi = e.k, e.k
	for _, t := range e.terms {
		a, b := satMul(t.coef, t.atom.lo), satMul(t.coef, t.atom.hi)
		lo, hi = satAdd(lo, min(a, b)), satAdd(hi, max(a, b))
	}
	return lo, hi
}

// Vars returns the names of the variables and parameters in e, sorted, each once.
func (e Expr) Vars() []string {
	seen := map[string]bool{}
	e.visit(func(a *atom) {
		if a.kind == variable || a.kind == parameter {
			seen[a.name] = true
		}
	})
	return sortedKeys(seen)
}

func (e Expr) visit(f func(*atom)) {
	for _, t := range e.terms {
		f(t.atom)
		t.atom.x.visit(f)
		t.atom.y.visit(f)
	}
}

// Equal reports whether e and f have the same canonical form. Equal expressions have equal values; the converse need not hold.
func (e Expr) Equal(f Expr) bool {
	return e.k == f.k && slices.EqualFunc(e.terms, f.terms, func(a, b term) bool {
		return a.coef == b.coef && a.atom.key == b.atom.key
	})
}

// Eval returns the value of e where each variable has the value that env gives it.
func (e Expr) Eval(env map[string]int) int {
	v := e.k
	for _, t := range e.terms {
		v += t.coef * t.atom.eval(env)
	}
	return v
}

func (a *atom) eval(env map[string]int) int {
	switch a.kind {
	case variable, parameter:
		v, ok := env[a.name]
		if !ok {
			panic("bug: no value for " + a.name)
		}
		return v
	case quotient:
		return a.x.Eval(env) / a.c
	case remainder:
		return a.x.Eval(env) % a.c
	case xor:
		return a.x.Eval(env) ^ a.y.Eval(env)
	default:
		return a.x.Eval(env) * a.y.Eval(env)
	}
}

// key is the canonical text of e.
func (e Expr) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", e.k)
	for _, t := range e.terms {
		fmt.Fprintf(&b, "+%d*%s", t.coef, t.atom.key)
	}
	return b.String()
}

// Add returns the sum of es.
func Add(es ...Expr) Expr {
	k := 0
	coef := map[string]int{}
	atoms := map[string]*atom{}
	for _, e := range es {
		k += e.k
		for _, t := range e.terms {
			coef[t.atom.key] += t.coef
			atoms[t.atom.key] = t.atom
		}
	}
	return rejoin(collect(k, coef, atoms))
}

func collect(k int, coef map[string]int, atoms map[string]*atom) Expr {
	e := Expr{k: k}
	for _, key := range sortedKeys(atoms) {
		if coef[key] != 0 {
			e.terms = append(e.terms, term{coef[key], atoms[key]})
		}
	}
	return e
}

// Scale returns n * e.
func Scale(n int, e Expr) Expr {
	if n == 0 {
		return Expr{}
	}
	r := Expr{k: n * e.k, terms: make([]term, len(e.terms))}
	for i, t := range e.terms {
		r.terms[i] = term{n * t.coef, t.atom}
	}
	return r
}

// Mul returns x * s for a constant or a parameter s: the product of a coordinate and a run-time leading dimension. It is
// distributed over the sum x, so that constant parts stay apart: (t + 64) * ld is t*ld + 64*ld.
func Mul(x, s Expr) Expr {
	if n, ok := s.IsConst(); ok {
		return Scale(n, x)
	}
	if s.k != 0 || len(s.terms) != 1 || s.terms[0].coef != 1 || s.terms[0].atom.kind != parameter {
		panic("bug: product with " + s.String() + ", which is neither a constant nor a parameter")
	}
	sum := []Expr{Scale(x.k, s)}
	for _, t := range x.terms {
		f := ofAtom(t.atom)
		lo, hi := span(t.atom.lo, t.atom.hi, s.terms[0].atom.lo, s.terms[0].atom.hi)
		p := &atom{kind: product, key: "(" + f.key() + ")*" + s.key(), x: f, y: s, lo: lo, hi: hi}
		sum = append(sum, Scale(t.coef, ofAtom(p)))
	}
	return Add(sum...)
}

// span bounds the product of [a,b] and [c,d].
func span(a, b, c, d int) (lo, hi int) {
	p := []int{satMul(a, c), satMul(a, d), satMul(b, c), satMul(b, d)}
	return slices.Min(p), slices.Max(p)
}

func satAdd(a, b int) int {
	switch s := a + b; {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt
	default:
		return s
	}
}

func satMul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	if p := a * b; p/b == a && (a != math.MinInt || b != -1) && (b != math.MinInt || a != -1) {
		return p
	}
	if (a < 0) == (b < 0) {
		return math.MaxInt
	}
	return math.MinInt
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
