package dynamic

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Int is an integer that depends on run-time sizes: a polynomial with integer coefficients, whose variables are symbols
// and rounded-up quotients. Equal functions of the symbols have equal texts as far as the rules below reach.
//
//	128*lda          M*K-K+1          ceil(M/128)
//
// A symbol stands for any integer of at least 1: an extent, a leading dimension, a number of tiles. A multiple is
// written as one: 8*n is an extent that 8 divides.
//
// Arithmetic is exact, whatever the symbols' values are. Where a coefficient passes 64 bits, or an expression passes
// maxTerms terms, the degree maxDegree or maxText bytes in a quotient, the result holds an error, which every further result keeps and layouts refuse.
//
// The zero value is 0.
type Int struct {
	terms []term
	err   error
}

// term is coef times the product of the powers. The terms of an Int are sorted by compareMonomials, the greatest first.
type term struct {
	coef int
	mono monomial
}

// monomial is a product of powers, sorted by the variables' texts.
type monomial []power

type power struct {
	of *variable
	n  int
}

// variable is a symbol, or ceil(num/den).
type variable struct {
	text     string
	num, den Int // den is 0 for a symbol
}

// ErrUndecided is what the errors of questions wrap whose answer is not the same for all values of the symbols, or not known to
// be. They say which condition it is, and how to write the sizes so that it is met.
var ErrUndecided = errors.New("depends on the values of the symbols")

func undecided(fix, format string, args ...any) error {
	return fmt.Errorf("%s %w; %s", fmt.Sprintf(format, args...), ErrUndecided, fix)
}

// positive is the error of what is not known to be at least 1.
func positive(what string, a Int) error {
	n, known := a.Value()
	switch {
	case a.err != nil:
		return a.err
	case a.AtLeast(Const(1)):
		return nil
	case known:
		return fmt.Errorf("got %d, allowed is a %s of at least 1", n, what)
	}
	return undecided("write it without minus signs", "whether the %s %v is at least 1", what, a)
}

// asMultiple says how to write a as a multiple of d.
func asMultiple(a, d Int) string {
	name := a.String()
	if _, known := a.Value(); known && len(d.Symbols()) > 0 {
		return fmt.Sprintf("give %s a value", strings.Join(d.Symbols(), ", "))
	}
	if len(a.terms) != 1 || a.terms[0].coef != 1 || !slices.Equal(a.Symbols(), []string{name}) {
		return fmt.Sprintf("write %v as a multiple of %v", a, d)
	}
	quotient := strings.ToLower(name)
	if quotient == name || slices.Contains(d.Symbols(), quotient) {
		quotient += "_"
	}
	if len(d.terms) > 1 {
		return fmt.Sprintf("write %s as %s*(%v)", name, quotient, d)
	}
	return fmt.Sprintf("write %s as %v*%s", name, d, quotient)
}

// Bounds of an expression. A quotient's text bounds what is nested inside it, which could double with each level.
const (
	maxTerms  = 64
	maxDegree = 8
	maxText   = 512
)

var (
	errOverflow = errors.New("a coefficient does not fit in 64 bits")
	errSize     = fmt.Errorf("the expression has more than %d terms, a degree beyond %d or a quotient longer than %d bytes", maxTerms, maxDegree, maxText)
)

// Const is the integer n.
func Const(n int) Int {
	switch n {
	case 0:
		return Int{}
	case math.MinInt: // it has no negative
		return Int{err: errOverflow}
	}
	return Int{terms: []term{{coef: n}}}
}

// Symbol is the run-time integer of a name, at least 1. Names are letters, digits and underscores, beginning with a
// letter, at most 64; X and None are CuTe's holes, and ceil is taken.
func Symbol(name string) (Int, error) {
	p := parser{text: name}
	if p.name() != name || !isName(name) {
		return Int{}, fmt.Errorf("symbol %.80q: %s", name, allowedNames)
	}
	return ofVariable(&variable{text: name}), nil
}

const (
	maxName      = 64
	allowedNames = "allowed are a letter and then letters, digits and underscores, at most 64, but not X, None and ceil"
)

// isName tells whether a word may be a symbol.
func isName(word string) bool {
	return word != "" && len(word) <= maxName && word != "X" && word != "None" && word != "ceil"
}

func ofVariable(v *variable) Int { return Int{terms: []term{{1, monomial{{v, 1}}}}} }

// Value is the integer where a has no symbol.
func (a Int) Value() (int, bool) {
	switch {
	case a.err != nil:
		return 0, false
	case len(a.terms) == 0:
		return 0, true
	case len(a.terms) == 1 && len(a.terms[0].mono) == 0:
		return a.terms[0].coef, true
	}
	return 0, false
}

// Err is the error that a holds: a coefficient beyond 64 bits, or too large an expression.
func (a Int) Err() error { return a.err }

func (a Int) is(n int) bool {
	v, ok := a.Value()
	return ok && v == n
}

// Equal tells whether a and b are the same expression.
func (a Int) Equal(b Int) bool {
	return a.err == nil && b.err == nil && slices.EqualFunc(a.terms, b.terms, func(s, t term) bool {
		return s.coef == t.coef && compareMonomials(s.mono, t.mono) == 0
	})
}

// Add is the sum.
func Add(as ...Int) Int {
	var sum []term
	for _, a := range as {
		if a.err != nil {
			return a
		}
		sum = append(sum, a.terms...)
	}
	return collect(sum)
}

// Neg is -a.
func Neg(a Int) Int { return Mul(Const(-1), a) }

// Sub is a-b.
func Sub(a, b Int) Int { return Add(a, Neg(b)) }

// Mul is the product.
func Mul(as ...Int) Int {
	product := Const(1)
	for _, a := range as {
		if product.err != nil {
			return product
		}
		if a.err != nil {
			return a
		}
		var terms []term
		for _, s := range product.terms {
			for _, t := range a.terms {
				coef, ok := mul(s.coef, t.coef)
				if !ok {
					return Int{err: errOverflow}
				}
				terms = append(terms, term{coef, s.mono.times(t.mono)})
			}
		}
		product = collect(terms)
	}
	return product
}

// collect adds up terms of one monomial.
func collect(terms []term) Int {
	slices.SortStableFunc(terms, func(s, t term) int { return compareMonomials(t.mono, s.mono) })
	var sum []term
	for _, t := range terms {
		if last := len(sum) - 1; last >= 0 && compareMonomials(sum[last].mono, t.mono) == 0 {
			coef, ok := add(sum[last].coef, t.coef)
			if !ok {
				return Int{err: errOverflow}
			}
			sum[last].coef = coef
		} else {
			sum = append(sum, t)
		}
	}
	sum = slices.DeleteFunc(sum, func(t term) bool { return t.coef == 0 })
	if len(sum) > maxTerms || slices.ContainsFunc(sum, func(t term) bool { return t.mono.degree() > maxDegree }) {
		return Int{err: errSize}
	}
	return Int{terms: sum}
}

func (m monomial) degree() int {
	degree := 0
	for _, p := range m {
		degree += p.n
	}
	return degree
}

func (m monomial) times(o monomial) monomial {
	var product monomial
	for len(m) > 0 && len(o) > 0 {
		switch c := strings.Compare(m[0].of.text, o[0].of.text); {
		case c < 0:
			product, m = append(product, m[0]), m[1:]
		case c > 0:
			product, o = append(product, o[0]), o[1:]
		default:
			product = append(product, power{m[0].of, m[0].n + o[0].n})
			m, o = m[1:], o[1:]
		}
	}
	return append(append(product, m...), o...)
}

// over is m/o, and whether o divides m.
func (m monomial) over(o monomial) (monomial, bool) {
	var quotient monomial
	for _, p := range m {
		if len(o) > 0 && o[0].of.text == p.of.text {
			p.n -= o[0].n
			o = o[1:]
		}
		if p.n < 0 {
			return nil, false
		}
		if p.n > 0 {
			quotient = append(quotient, p)
		}
	}
	return quotient, len(o) == 0
}

// compareMonomials orders by degree, then by the powers of the variables in the order of their texts. Products keep it,
// which the exact division needs.
func compareMonomials(a, b monomial) int {
	if c := cmp.Compare(a.degree(), b.degree()); c != 0 {
		return c
	}
	for k := 0; k < len(a) && k < len(b); k++ {
		if c := strings.Compare(a[k].of.text, b[k].of.text); c != 0 {
			return -c
		}
		if c := cmp.Compare(a[k].n, b[k].n); c != 0 {
			return c
		}
	}
	return 0
}

// over is a/b, and whether that is a polynomial with integer coefficients: b divides a whatever the symbols' values are.
func (a Int) over(b Int) (Int, bool) {
	if a.err != nil || b.err != nil || len(b.terms) == 0 {
		return Int{}, false
	}
	var quotient Int
	lead := b.terms[0]
	for rest := a; len(rest.terms) > 0; {
		mono, ok := rest.terms[0].mono.over(lead.mono)
		if !ok || rest.terms[0].coef%lead.coef != 0 {
			return Int{}, false
		}
		part := Int{terms: []term{{rest.terms[0].coef / lead.coef, mono}}}
		quotient = Add(quotient, part)
		if rest = Sub(rest, Mul(part, b)); rest.err != nil || quotient.err != nil {
			return Int{}, false
		}
	}
	return quotient, true
}

// split is a = q*b + r, with those terms in q that b divides one by one.
func (a Int) split(b Int) (q, r Int) {
	for _, t := range a.terms {
		one := Int{terms: []term{t}}
		if part, ok := one.over(b); ok {
			q = Add(q, part)
		} else {
			r = Add(r, one)
		}
	}
	return q, r
}

// CeilDiv is a/b rounded up, for a and b of at least 1. It is ceil(a/b) where no rule gives more:
//
//	ceil((q*b + r)/b) = q + ceil(r/b)
//	ceil(r/b) = 0 for r = 0, and 1 for 1 <= r <= b
//	ceil(g*r/(g*b)) = ceil(r/b)
//	ceil(ceil(r/a)/b) = ceil(r/(a*b))
func CeilDiv(a, b Int) Int {
	for _, e := range []Int{a, b} {
		if e.err != nil {
			return e
		}
		if err := positive("part of a quotient", e); err != nil {
			return Int{err: err}
		}
	}
	if q, ok := a.over(b); ok {
		return q
	}
	q, r := a.split(b)
	m, ok := r.Value()
	if n, constant := b.Value(); ok && constant {
		return Add(q, Const(ceil(m, n)))
	}
	if !r.AtLeast(Const(1)) {
		q, r = Int{}, a
	}
	if b.AtLeast(r) {
		return Add(q, Const(1))
	}
	r, b = reduced(r, b)
	if inner := r.terms[0].mono; len(r.terms) == 1 && r.terms[0].coef == 1 && len(inner) == 1 && inner[0].n == 1 &&
		len(inner[0].of.den.terms) > 0 {
		return Add(q, CeilDiv(inner[0].of.num, Mul(inner[0].of.den, b)))
	}
	num := r.String()
	if len(r.terms) > 1 {
		num = "(" + num + ")"
	}
	v := &variable{text: "ceil(" + num + "/" + b.factorText() + ")", num: r, den: b}
	if len(v.text) > maxText {
		return Int{err: errSize}
	}
	return Add(q, ofVariable(v))
}

// reduced divides both by the greatest monomial that divides both.
func reduced(a, b Int) (Int, Int) {
	terms := slices.Concat(a.terms, b.terms)
	common := term{abs(terms[0].coef), terms[0].mono}
	for _, t := range terms[1:] {
		common.coef = gcd(common.coef, abs(t.coef))
		var mono monomial
		for _, p := range common.mono {
			for _, o := range t.mono {
				if o.of.text == p.of.text {
					mono = append(mono, power{p.of, min(p.n, o.n)})
				}
			}
		}
		common.mono = mono
	}
	by := Int{terms: []term{common}}
	ra, _ := a.over(by)
	rb, _ := b.over(by)
	return ra, rb
}

// AtLeast tells whether a >= b is proved for all symbols of at least 1. It is: in a-b only the constant is negative, and
// no less than the other coefficients; or a-b, written in what each variable has beyond 1, has no negative coefficient.
//
//	M*N-1      >= 0, for M*N is at least 1
//	M*N-M      >= 0, for with M = 1+m and N = 1+n it is n+m*n
func (a Int) AtLeast(b Int) bool {
	d := Sub(a, b)
	if d.err != nil {
		return false
	}
	least := Int{}
	negative := false
	for _, t := range d.terms {
		least = Add(least, Const(t.coef))
		negative = negative || t.coef < 0 && len(t.mono) > 0
	}
	if n, ok := least.Value(); !negative && ok && n >= 0 {
		return true
	}
	var beyond Int
	for _, t := range d.terms {
		product := Const(t.coef)
		for _, p := range t.mono {
			for range p.n {
				product = Mul(product, Add(ofVariable(p.of), Const(1)))
			}
		}
		beyond = Add(beyond, product)
	}
	return beyond.err == nil && !slices.ContainsFunc(beyond.terms, func(t term) bool { return t.coef < 0 })
}

// Symbols lists the names of a's symbols, sorted.
func (a Int) Symbols() []string {
	seen := map[string]bool{}
	a.addSymbols(seen)
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (a Int) addSymbols(seen map[string]bool) {
	for _, t := range a.terms {
		for _, p := range t.mono {
			if len(p.of.den.terms) == 0 {
				seen[p.of.text] = true
			}
			p.of.num.addSymbols(seen)
			p.of.den.addSymbols(seen)
		}
	}
}

// With is a with values for some of its symbols: integers of at least 1, or expressions that are at least 1.
//
//	M*lda with M = 128*m is 128*lda*m
func (a Int) With(values map[string]Int) Int {
	for _, name := range a.Symbols() {
		if v, ok := values[name]; ok && !v.AtLeast(Const(1)) {
			return Int{err: fmt.Errorf("%s = %v, allowed are values of at least 1", name, v)}
		}
	}
	return a.replaced(values)
}

// replaced is With for any values.
func (a Int) replaced(values map[string]Int) Int {
	if a.err != nil {
		return a
	}
	var sum Int
	for _, t := range a.terms {
		product := Const(t.coef)
		for _, p := range t.mono {
			v := ofVariable(p.of)
			if len(p.of.den.terms) > 0 {
				v = CeilDiv(p.of.num.replaced(values), p.of.den.replaced(values))
			} else if value, ok := values[p.of.text]; ok {
				v = value
			}
			for range p.n {
				product = Mul(product, v)
			}
		}
		sum = Add(sum, product)
	}
	return sum
}

// String prints a as Parse reads it, without spaces: the terms of the highest degree first.
func (a Int) String() string {
	if a.err != nil {
		return "(" + a.err.Error() + ")"
	}
	if len(a.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range a.terms {
		switch {
		case t.coef < 0:
			b.WriteByte('-')
		case i > 0:
			b.WriteByte('+')
		}
		factors := t.mono.factors()
		if n := strings.TrimPrefix(strconv.Itoa(t.coef), "-"); n != "1" || len(factors) == 0 {
			factors = append([]string{n}, factors...)
		}
		b.WriteString(strings.Join(factors, "*"))
	}
	return b.String()
}

func (m monomial) factors() []string {
	var factors []string
	for _, p := range m {
		for range p.n {
			factors = append(factors, p.of.text)
		}
	}
	return factors
}

// factorText is a as a divisor.
func (a Int) factorText() string {
	if len(a.terms) == 1 && len(a.terms[0].mono.factors()) <= 1 && (a.terms[0].coef == 1 || len(a.terms[0].mono) == 0) {
		return a.String()
	}
	return "(" + a.String() + ")"
}

func ceil(a, b int) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

func mul(a, b int) (int, bool) {
	hi, lo := bits.Mul64(uint64(abs(a)), uint64(abs(b)))
	if hi != 0 || lo > math.MaxInt64 || a == math.MinInt || b == math.MinInt {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int(lo), true
	}
	return int(lo), true
}

func add(a, b int) (int, bool) {
	s := a + b
	return s, (s > a) == (b > 0) && s != math.MinInt
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
