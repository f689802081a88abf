package emit

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Precedence levels of the C operators that are printed, from loosest to tightest.
const (
	precXor = iota + 1
	precAnd
	precShift
	precAdd
	precMul
	precUnary
)

// String prints e as a C expression of type int. Quotients and remainders by a power of two print as shifts and masks. It is meant
// for expressions that [Expr.Fits32]; sums are grouped by the run-time parameter that they are multiplied by.
func (e Expr) String() string { return printer{}.sum(e, 0) }

// Plus prints pointer + e.
func Plus(pointer string, e Expr) string {
	if n, ok := e.IsConst(); ok && n == 0 {
		return pointer
	}
	return pointer + " + " + printer{}.sum(e, precAdd)
}

// Wide prints e as a C expression of type long long: each product with a run-time parameter is made in 64 bits, and everything
// else in 32, which [Expr.Fits32] proves to be enough.
func (e Expr) Wide() string {
	s := printer{wide: true}.sum(e, 0)
	if !strings.Contains(s, "(long long)") {
		return "(long long)" + printer{}.sum(e, precUnary)
	}
	return s
}

// Fits32 returns nil if no part of e that is computed in 32 bits can leave [-2^31, 2^31), else an error that names that part. Products with
// a run-time parameter count only if wide is false.
func (e Expr) Fits32(wide bool) error {
	check := func(part Expr) error {
		if lo, hi := part.Range(); lo < math.MinInt32 || hi > math.MaxInt32 {
			return fmt.Errorf("%s may reach [%d, %d], which 32 bits do not hold", part, lo, hi)
		}
		return nil
	}
	narrow := e
	if wide {
		narrow = Expr{k: e.k}
		for _, t := range e.terms {
			if t.atom.kind != product && t.atom.kind != parameter {
				narrow.terms = append(narrow.terms, t)
			}
		}
	}
	if err := check(narrow); err != nil {
		return err
	}
	var err error
	e.visit(func(a *atom) {
		if err == nil {
			err = check(a.x)
		}
		if err == nil {
			err = check(a.y)
		}
	})
	return err
}

type printer struct{ wide bool }

// sum prints e so that it can stand where an operand of precedence prec is needed.
func (p printer) sum(e Expr, prec int) string {
	type part struct {
		text string
		neg  bool
		prec int
	}
	var parts []part
	groups, order := bySymbol(e)
	for _, sym := range order {
		g := groups[sym]
		neg := leadingNegative(g)
		if neg {
			g = Scale(-1, g)
		}
		if sym == "" {
			// Block and loop variables read best in front of what the thread adds to them.
			slices.SortStableFunc(g.terms, func(a, b term) int { return cmp.Compare(rank(a), rank(b)) })
			for _, t := range g.terms {
				text, tp := p.term(max(t.coef, -t.coef), t.atom)
				parts = append(parts, part{text, (t.coef < 0) != neg, tp})
			}
			continue
		}
		text, tp := p.scaled(g, sym)
		parts = append(parts, part{text, neg, tp})
	}
	if e.k != 0 || len(parts) == 0 {
		parts = append(parts, part{strconv.Itoa(max(e.k, -e.k)), e.k < 0, precUnary})
	}
	if len(parts) == 1 && !parts[0].neg {
		return paren(parts[0].text, parts[0].prec, prec)
	}
	var b strings.Builder
	for i, q := range parts {
		switch {
		case i == 0 && q.neg:
			b.WriteString("-")
		case q.neg:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		need := precAdd
		if q.neg {
			need = precMul
		}
		b.WriteString(paren(q.text, q.prec, need))
	}
	return paren(b.String(), precAdd, prec)
}

func rank(t term) int {
	if t.atom.kind == variable && t.coef == 1 {
		return 0
	}
	return 1
}

// scaled prints the product of the sum g and the run-time parameter sym.
func (p printer) scaled(g Expr, sym string) (string, int) {
	factor := sym
	if p.wide {
		factor = "(long long)" + sym
	}
	n, isConst := g.IsConst()
	if isConst && n == 1 {
		return factor, precUnary
	}
	return printer{}.sum(g, precMul) + " * " + factor, precMul
}

// term prints n * a for n > 0.
func (p printer) term(n int, a *atom) (string, int) {
	text, prec := p.atom(a)
	if n == 1 {
		return text, prec
	}
	return paren(text, prec, precMul) + " * " + strconv.Itoa(n), precMul
}

func (p printer) atom(a *atom) (string, int) {
	switch a.kind {
	case variable, parameter:
		return a.name, precUnary
	case quotient:
		if a.c&(a.c-1) == 0 {
			return fmt.Sprintf("%s >> %d", p.sum(a.x, precUnary), bits.TrailingZeros(uint(a.c))), precShift
		}
		return fmt.Sprintf("%s / %d", p.sum(a.x, precMul), a.c), precMul
	case remainder:
		if a.c&(a.c-1) == 0 {
			// A shift inside a mask is parenthesised: compilers warn about the bare form.
			return fmt.Sprintf("%s & %d", p.sum(a.x, precUnary), a.c-1), precAnd
		}
		return fmt.Sprintf("%s %% %d", p.sum(a.x, precUnary), a.c), precMul
	case xor:
		return p.sum(a.x, precUnary) + " ^ " + p.sum(a.y, precUnary), precXor
	default:
		return p.scaled(a.x, a.y.terms[0].atom.name)
	}
}

// bySymbol groups the terms of e by the run-time parameter that multiplies them, "" for none; first the products, in the order of
// their variables' names.
func bySymbol(e Expr) (groups map[string]Expr, order []string) {
	groups = map[string]Expr{}
	for _, t := range e.terms {
		sym, x := "", Scale(t.coef, ofAtom(t.atom))
		switch {
		case t.atom.kind == product:
			sym, x = t.atom.y.terms[0].atom.name, Scale(t.coef, t.atom.x)
		case t.atom.kind == parameter:
			sym, x = t.atom.name, Const(t.coef)
		}
		groups[sym] = Add(groups[sym], x)
	}
	for _, sym := range sortedKeys(groups) {
		if sym != "" {
			order = append(order, sym)
		}
	}
	if _, ok := groups[""]; ok {
		order = append(order, "")
	}
	return groups, order
}

func leadingNegative(e Expr) bool {
	if len(e.terms) == 0 {
		return e.k < 0
	}
	return e.terms[0].coef < 0
}

func paren(text string, have, need int) string {
	if have >= need {
		return text
	}
	return "(" + text + ")"
}
