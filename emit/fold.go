package emit

import (
	"fmt"
	"math/bits"
	"slices"
)

// The rules by which expressions fold. Each is stated for integers with the side condition under which it holds, and proved in
// the comment; TestRules evaluates each on both sides of its condition. "/" rounds down and every dividend is >= 0.
//
//	1  (c*q + r) / c = q                  if 0 <= r < c
//	2  (c*q + r) mod c = r mod c, = r     the second if 0 <= r < c
//	3  (x / a) / b = x / (a*b)
//	4  (x mod (a*b)) mod a = x mod a
//	5  (x mod (a*b)) / a = (x / a) mod b
//	6  (g*x + r) / (g*c) = x / c          if 0 <= r < g
//	7  (g*x) mod (g*c) = g * (x mod c)
//	8  a*(x mod c) + a*c*(x / c) = a*x
//	9  a*(x mod c) + a*c*((x / c) mod b) = a*(x mod (b*c))
//	10 x ^ y = x + y                      if no bit can be set in both
//	11 (x + r) ^ y = (x ^ y) + r          if no bit of r can be set in x or in y

// Div returns x / c, rounded down. x must be >= 0 and c > 0: indices are.
func Div(x Expr, c int) Expr {
	mustDivide("/", x, c)
	if c == 1 {
		return x
	}
	// Rule 1: floor((c*q+r)/c) = q + floor(r/c), and floor(r/c) = 0. Without the condition on r the whole multiples still come
	// out, as long as what stays is >= 0.
	q, r := splitMultiples(x, c)
	if lo, hi := r.Range(); lo >= 0 {
		if hi < c {
			return q
		}
		return Add(q, divSmall(r, c))
	}
	return divSmall(x, c)
}

func divSmall(x Expr, c int) Expr {
	if n, ok := x.IsConst(); ok {
		return Const(n / c)
	}
	// Rule 6: x = g*y + r with 0 <= r < g gives floor(x/(g*c')) = floor(floor(x/g)/c') = floor(y/c').
	for g := c; g > 1; g-- {
		if c%g != 0 {
			continue
		}
		y, r := splitMultiples(x, g)
		if lo, hi := r.Range(); lo >= 0 && hi < g && len(y.terms) > 0 {
			if lo, _ := y.Range(); lo >= 0 {
				return Div(y, c/g)
			}
		}
	}
	if a, ok := single(x); ok {
		switch {
		case a.kind == quotient: // Rule 3: floor(floor(x/a)/b) = floor(x/(ab)).
			return Div(a.x, a.c*c)
		case a.kind == remainder && a.c%c == 0: // Rule 5: x = ab*q + r; both sides are floor(r/a).
			return Mod(Div(a.x, c), a.c/c)
		}
	}
	lo, hi := x.Range()
	return ofAtom(&atom{kind: quotient, key: fmt.Sprintf("(%s)/%d", x.key(), c), x: x, c: c, lo: lo / c, hi: hi / c})
}

// Mod returns x mod c. x must be >= 0 and c > 0.
func Mod(x Expr, c int) Expr {
	mustDivide("mod", x, c)
	if c == 1 {
		return Expr{}
	}
	// Rule 2: a multiple of c does not change the remainder.
	if _, r := splitMultiples(x, c); !r.Equal(x) {
		if lo, _ := r.Range(); lo >= 0 {
			x = r
		}
	}
	lo, hi := x.Range()
	if hi < c {
		return x
	}
	if n, ok := x.IsConst(); ok {
		return Const(n % c)
	}
	// Rule 7: g*x = gc*q + r implies r = g*(x mod c).
	if g := gcd(content(x), c); g > 1 {
		y, _ := splitMultiples(x, g)
		return Scale(g, Mod(y, c/g))
	}
	if a, ok := single(x); ok && a.kind == remainder && a.c%c == 0 {
		return Mod(a.x, c) // Rule 4: ab*q does not change the remainder by a.
	}
	if lo/c == hi/c {
		return Add(x, Const(-(lo / c * c)))
	}
	return ofAtom(&atom{kind: remainder, key: fmt.Sprintf("(%s)%%%d", x.key(), c), x: x, c: c, lo: 0, hi: c - 1})
}

// Xor returns the bitwise exclusive or of x and y, both >= 0.
func Xor(x, y Expr) Expr {
	xl, xh := x.Range()
	yl, yh := y.Range()
	if xl < 0 || yl < 0 {
		panic(fmt.Sprintf("bug: (%s) ^ (%s) may have a negative operand", x, y))
	}
	a, xc := x.IsConst()
	b, yc := y.IsConst()
	switch {
	case xc && yc:
		return Const(a ^ b)
	case x.Equal(y):
		return Expr{}
	case possible(x)&possible(y) == 0:
		return Add(x, y) // Rule 10: a sum without carries.
	}
	// Rule 11: without carries x + r is x | r, and y leaves r's bits alone.
	for _, swap := range []bool{false, true} {
		if swap {
			x, y = y, x
		}
		if rest, r, ok := detach(x, y); ok {
			return Add(Xor(rest, y), r)
		}
	}
	if xc := x.key() > y.key(); xc && len(y.terms) > 0 || len(x.terms) == 0 {
		x, y = y, x
	}
	return ofAtom(&atom{kind: xor, key: fmt.Sprintf("(%s)^(%s)", x.key(), y.key()), x: x, y: y,
		lo: 0, hi: 1<<bits.Len(uint(max(xh, yh))) - 1})
}

// detach finds a term of x, or bits of its constant, that share no bit with the rest of x nor with y.
func detach(x, y Expr) (rest, r Expr, ok bool) {
	free := func(rest, r Expr) bool {
		lo, _ := rest.Range()
		lor, _ := r.Range()
		return lo >= 0 && lor >= 0 && possible(r)&(possible(rest)|possible(y)) == 0
	}
	for i, t := range x.terms {
		r = Expr{terms: []term{t}}
		rest = Expr{k: x.k, terms: slices.Delete(slices.Clone(x.terms), i, i+1)}
		if (rest.k != 0 || len(rest.terms) > 0) && free(rest, r) {
			return rest, r, true
		}
	}
	if x.k > 0 && len(x.terms) > 0 {
		terms := Expr{terms: x.terms}
		apart := x.k &^ int(possible(terms)|possible(y))
		rest, r = Expr{k: x.k - apart, terms: x.terms}, Const(apart)
		if apart != 0 && free(rest, r) {
			return rest, r, true
		}
	}
	return x, Expr{}, false
}

// possible returns a mask of the bits that may be set in e >= 0: the union over its terms where no two terms share a bit, else all
// bits up to the top of its range.
func possible(e Expr) uint {
	_, hi := e.Range()
	all := uint(1)<<bits.Len(uint(max(hi, 0))) - 1
	mask := uint(e.k)
	if e.k < 0 {
		return all
	}
	for _, t := range e.terms {
		if t.coef < 0 || t.coef&(t.coef-1) != 0 || t.atom.lo < 0 {
			return lowZeros(e, all)
		}
		m := t.atom.possible() << bits.TrailingZeros(uint(t.coef))
		if m&mask != 0 {
			return lowZeros(e, all)
		}
		mask |= m
	}
	return mask & all
}

// lowZeros clears in all the low bits that are zero in every term of e.
func lowZeros(e Expr, all uint) uint {
	g := content(e)
	return all &^ (uint(g&-g) - 1)
}

func (a *atom) possible() uint {
	all := uint(1)<<bits.Len(uint(a.hi)) - 1
	switch a.kind {
	case quotient:
		if a.c&(a.c-1) == 0 {
			return possible(a.x) >> bits.TrailingZeros(uint(a.c)) & all
		}
	case remainder:
		if a.c&(a.c-1) == 0 {
			return possible(a.x) & uint(a.c-1)
		}
	case xor:
		return (possible(a.x) | possible(a.y)) & all
	}
	return all
}

// rejoin applies rules 8 and 9: with q = floor(x/c), x = c*q + (x mod c) is rule 8, and x mod (b*c) = c*(q mod b) + (x mod c), the two
// lowest digits of x in the mixed radix (c, b), is rule 9. A joined pair may join again, so it runs until nothing changes; each
// step removes a term.
func rejoin(e Expr) Expr {
	for i, low := range e.terms {
		if low.atom.kind != remainder {
			continue
		}
		x, c := low.atom.x, low.atom.c
		q := Div(x, c)
		for j, high := range e.terms {
			var joined Expr
			switch scale := Scale(low.coef*c, q); {
			case i == j:
				continue
			case scale.Equal(Expr{terms: []term{high}}):
				joined = x
			case high.atom.kind == remainder && high.coef == low.coef*c && high.atom.x.Equal(q):
				joined = Mod(x, c*high.atom.c)
			default:
				continue
			}
			rest := Expr{k: e.k}
			for l, t := range e.terms {
				if l != i && l != j {
					rest.terms = append(rest.terms, t)
				}
			}
			return Add(rest, Scale(low.coef, joined))
		}
	}
	return e
}

// splitMultiples writes x = c*q + r: r keeps the terms whose coefficient is no multiple of c, and the constant's remainder.
func splitMultiples(x Expr, c int) (q, r Expr) {
	r.k = ((x.k % c) + c) % c
	q.k = (x.k - r.k) / c
	for _, t := range x.terms {
		if t.coef%c == 0 {
			q.terms = append(q.terms, term{t.coef / c, t.atom})
		} else {
			r.terms = append(r.terms, t)
		}
	}
	return q, r
}

// content returns the greatest common divisor of the coefficients and the constant of e, 0 for the constant 0.
func content(e Expr) int {
	g := e.k
	for _, t := range e.terms {
		g = gcd(g, t.coef)
	}
	return g
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// single returns the atom of an expression that is one atom.
func single(e Expr) (*atom, bool) {
	if e.k == 0 && len(e.terms) == 1 && e.terms[0].coef == 1 {
		return e.terms[0].atom, true
	}
	return nil, false
}

func mustDivide(op string, x Expr, c int) {
	if lo, _ := x.Range(); c <= 0 || lo < 0 {
		panic(fmt.Sprintf("bug: (%s) %s %d: the dividend may be negative or the divisor is not positive", x, op, c))
	}
}
