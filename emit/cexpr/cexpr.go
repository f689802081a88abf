// Package cexpr reads integer expressions of C and evaluates them: the judge of index arithmetic as it is printed, whoever wrote it.
// It knows nothing of layouts, nor of the expressions that emit prints from.
//
//	e, err := cexpr.Parse("(t & 7) * 4 + (t >> 3)")
//	n, err := e.Eval(map[string]int{"t": 13})     // 21
//
// Names are of type int, which has 32 bits; (long long) makes 64. A value that its type cannot hold is an error, as is a division by
// zero: in C the result would be undefined.
package cexpr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expr is an expression that has been read.
type Expr struct {
	text  string
	names []string
	code  []step
}

// step is an instruction of a stack machine.
type step struct {
	op byte // an operator; or 'n' a number, 'v' a name, 'm' minus, '~', 'L' a cast to long long, 'I' to int, 'l' <<, 'r' >>
	n  int  // the number, or the name's place
}

// SyntaxError is what is wrong with a text, at its byte At.
type SyntaxError struct {
	Text string
	At   int
	Want string
}

func (e *SyntaxError) Error() string {
	got := "the text ends"
	if e.At < len(e.Text) {
		got = fmt.Sprintf("got %+q", e.Text[e.At:])
	}
	return fmt.Sprintf("expression %+q: column %d: %s, want %s", e.Text, e.At+1, got, e.Want)
}

// Parse reads an expression of names, decimal numbers, parentheses, the operators | ^ & << >> + - * / % ~ and casts to int and long
// long, with C's precedence. A name may have dots: blockIdx.x. Errors are *SyntaxError.
func Parse(text string) (*Expr, error) {
	p := parser{text: text}
	p.space()
	if err := p.binary(0); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.want("an operator or the end")
	}
	return &Expr{text: text, names: p.names, code: p.code}, nil
}

// Text is what was read.
func (e *Expr) Text() string { return e.text }

// Names are the names in the expression, each once, in the order of their first use.
func (e *Expr) Names() []string { return slices.Clone(e.names) }

// mostDepth bounds the nesting of a text.
const mostDepth = 200

type parser struct {
	text  string
	at    int
	depth int
	names []string
	code  []step
}

// levels are the binary operators from the loosest to the tightest.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) want(what string) error { return &SyntaxError{p.text, p.at, what} }

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take takes a token if it is next.
func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	p.space()
	return true
}

func (p *parser) emit(op byte, n int) { p.code = append(p.code, step{op, n}) }

func (p *parser) binary(level int) error {
	if level == len(levels) {
		return p.unary()
	}
	if err := p.binary(level + 1); err != nil {
		return err
	}
	for {
		i := slices.IndexFunc(levels[level], p.take)
		if i < 0 {
			return nil
		}
		if err := p.binary(level + 1); err != nil {
			return err
		}
		switch op := levels[level][i]; op {
		case "<<":
			p.emit('l', 0)
		case ">>":
			p.emit('r', 0)
		default:
			p.emit(op[0], 0)
		}
	}
}

func (p *parser) unary() error {
	if p.depth++; p.depth > mostDepth {
		return p.want(fmt.Sprintf("at most %d levels", mostDepth))
	}
	defer func() { p.depth-- }()
	for _, u := range []struct {
		token string
		op    byte
	}{{"-", 'm'}, {"~", '~'}, {"(long long)", 'L'}, {"(int)", 'I'}} {
		if p.take(u.token) {
			if err := p.unary(); err != nil {
				return err
			}
			p.emit(u.op, 0)
			return nil
		}
	}
	return p.primary()
}

func (p *parser) primary() error {
	if p.take("(") {
		if err := p.binary(0); err != nil {
			return err
		}
		if !p.take(")") {
			return p.want("an operator or )")
		}
		return nil
	}
	end := p.at
	for end < len(p.text) && (letter(p.text[end]) || digit(p.text[end]) || p.text[end] == '.') {
		end++
	}
	word := p.text[p.at:end]
	switch {
	case word == "":
		return p.want("a name, a number or (")
	case digit(word[0]):
		n, err := strconv.Atoi(word)
		if err != nil || len(word) > 1 && word[0] == '0' {
			return p.want("a decimal number of 64 bits")
		}
		p.emit('n', n)
	default:
		i := slices.Index(p.names, word)
		if i < 0 {
			i = len(p.names)
			p.names = append(p.names, word)
		}
		p.emit('v', i)
	}
	p.at = end
	p.space()
	return nil
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// value is a number with its type.
type value struct {
	n    int
	wide bool // long long, or int
}

// Eval evaluates the expression where names have values. A name without a value, a value that does not fit its type, and what C leaves
// undefined are errors.
func (e *Expr) Eval(values map[string]int) (int, error) {
	places := make([]int, len(e.names))
	for i, name := range e.names {
		n, ok := values[name]
		if !ok {
			return 0, fmt.Errorf("expression %s: %s has no value", e.text, name)
		}
		places[i] = n
	}
	return e.EvalPlaces(places)
}

// EvalPlaces is Eval with the values in the order of Names.
func (e *Expr) EvalPlaces(values []int) (int, error) {
	var space [16]value
	stack := space[:0]
	for _, s := range e.code {
		switch s.op {
		case 'n':
			stack = append(stack, value{s.n, s.n > math.MaxInt32})
			continue
		case 'v':
			stack = append(stack, value{values[s.n], false})
		case 'm', '~', 'L', 'I':
			x := &stack[len(stack)-1]
			switch s.op {
			case 'm':
				if x.n == math.MinInt {
					return 0, fmt.Errorf("expression %s: -(%d) is undefined", e.text, x.n)
				}
				x.n = -x.n
			case '~':
				x.n = ^x.n
			default:
				x.wide = s.op == 'L'
			}
		default:
			x, y := &stack[len(stack)-2], stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			result, ok := apply(*x, s.op, y)
			if !ok {
				return 0, fmt.Errorf("expression %s: %d %s %d is undefined", e.text, x.n, operator(s.op), y.n)
			}
			*x = result
		}
		if x := stack[len(stack)-1]; !x.wide && (x.n < math.MinInt32 || x.n > math.MaxInt32) {
			return 0, fmt.Errorf("expression %s: %d does not fit in an int", e.text, x.n)
		}
	}
	return stack[0].n, nil
}

func operator(op byte) string {
	switch op {
	case 'l':
		return "<<"
	case 'r':
		return ">>"
	}
	return string(op)
}

// apply is x op y, and whether it is defined in 64 bits. A shift has its left side's type, another operator's result is wide if either
// side is.
func apply(x value, op byte, y value) (result value, ok bool) {
	a, b := x.n, y.n
	if op == 'l' || op == 'r' {
		width := 32
		if x.wide {
			width = 64
		}
		if b < 0 || b >= width || op == 'l' && a < 0 {
			return value{}, false
		}
		if op == 'r' {
			return value{a >> b, x.wide}, true
		}
		return value{a << b, x.wide}, a<<b>>b == a && a<<b >= 0
	}
	n, ok := 0, true
	switch op {
	case '|':
		n = a | b
	case '^':
		n = a ^ b
	case '&':
		n = a & b
	case '+':
		n = a + b
		ok = (n > a) == (b > 0)
	case '-':
		n = a - b
		ok = (n < a) == (b > 0)
	case '*':
		n = a * b
		ok = a == 0 || n/a == b && (a != -1 || b != math.MinInt)
	case '/', '%':
		switch ok = b != 0 && (a != math.MinInt || b != -1); {
		case !ok:
		case op == '/':
			n = a / b
		default:
			n = a % b
		}
	}
	return value{n, x.wide || y.wide}, ok
}

// Ops counts the operators that are evaluated: casts and operators between numbers are none.
func (e *Expr) Ops() int {
	n := 0
	var constant []bool
	for _, s := range e.code {
		switch s.op {
		case 'n', 'v':
			constant = append(constant, s.op == 'n')
		case 'L', 'I':
		case 'm', '~':
			if !constant[len(constant)-1] {
				n++
			}
		default:
			last := len(constant) - 1
			both := constant[last-1] && constant[last]
			constant = append(constant[:last-1], both)
			if !both {
				n++
			}
		}
	}
	return n
}
