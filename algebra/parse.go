package algebra

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a parsed text.
const maxDepth = 64

// ParseTuple reads CuTe's notation for a tuple: 4, (4,(2,8)), (1@0,4@1), (3,_). X is read as _. Spaces are ignored.
// An error names the column, counted in bytes from 1.
func ParseTuple(text string) (Tuple, error) {
	p := parser{text: text}
	return finish(&p, "tuple", p.tuple)
}

// ParseLayout reads a layout: 8:1, ((2,2),3):((24,2),8), (4,8):(1@0,1@1).
func ParseLayout(text string) (Layout, error) {
	p := parser{text: text}
	return finish(&p, "layout", p.layout)
}

// MustLayout is ParseLayout for literals in code and tests. It panics on an error.
func MustLayout(text string) Layout {
	l, err := ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return l
}

// ParseTiler reads a Tiler: a layout (4:2), a shape ((4,8)), or a tuple of tilers ((4:1,_,(2,3:8))).
func ParseTiler(text string) (Tiler, error) {
	p := parser{text: text}
	return finish(&p, "tiler", p.tiler)
}

// ParseSwizzle reads a swizzle: Sw<2,3,3>.
func ParseSwizzle(text string) (Swizzle, error) {
	p := parser{text: text}
	return finish(&p, "swizzle", p.swizzle)
}

// ParseComposed reads a swizzled layout, Sw<2,3,3> o 0 o (8,8):(8,1), or a layout alone.
func ParseComposed(text string) (Composed, error) {
	p := parser{text: text}
	return finish(&p, "swizzled layout", p.composed)
}

// finish runs a rule over the whole text and puts the text before its error.
func finish[T any](p *parser, what string, rule func() (T, error)) (T, error) {
	t, err := rule()
	if err == nil && p.peek() != 0 {
		err = p.unexpected("the end")
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%s %q: %w", what, shortened(p.text), err)
	}
	return t, nil
}

// shortened cuts a text that is too long to be read in an error.
func shortened(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

// parser is a recursive-descent reader; pos is the byte that it reads next.
type parser struct {
	text  string
	pos   int
	depth int
}

// peek is the next byte that is no space, 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.text) && p.text[p.pos] == ' ' {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// accept consumes c if it is next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// expect consumes the word.
func (p *parser) expect(word string) error {
	p.peek()
	if !strings.HasPrefix(p.text[p.pos:], word) {
		return p.unexpected(strconv.Quote(word))
	}
	p.pos += len(word)
	return nil
}

func (p *parser) unexpected(allowed string) error {
	if p.peek() == 0 {
		return fmt.Errorf("column %d: the text ends, allowed is %s", p.pos+1, allowed)
	}
	return fmt.Errorf("column %d: got %q, allowed is %s", p.pos+1, p.text[p.pos], allowed)
}

func (p *parser) integer() (int, error) {
	p.peek()
	start := p.pos
	if p.pos < len(p.text) && p.text[p.pos] == '-' {
		p.pos++
	}
	digits := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	if p.pos == digits {
		return 0, p.unexpected("an integer")
	}
	n, err := strconv.Atoi(p.text[start:p.pos])
	if err != nil {
		return 0, fmt.Errorf("column %d: %s %w", start+1, p.text[start:p.pos], errOverflow)
	}
	return n, nil
}

// leaf reads _, X, n or n@p@q.
func (p *parser) leaf() (Tuple, error) {
	if p.accept('_') || p.accept('X') {
		return Underscore, nil
	}
	if c := p.peek(); c != '-' && (c < '0' || c > '9') {
		return Tuple{}, p.unexpected("an integer, '_' or '('")
	}
	n, err := p.integer()
	if err != nil {
		return Tuple{}, err
	}
	var path []int
	for p.accept('@') {
		column := p.pos + 1
		mode, err := p.integer()
		if err != nil {
			return Tuple{}, err
		}
		if mode < 0 {
			return Tuple{}, fmt.Errorf("column %d: basis mode %d, allowed is 0 or more", column, mode)
		}
		path = append(path, mode)
	}
	slices.Reverse(path)
	return Tuple{kind: integer, value: n, path: path}, nil
}

// commaList reads the elements of a list up to its ')', the '(' being consumed.
func commaList[T any](p *parser, element func() (T, error)) ([]T, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("column %d: nested deeper than %d", p.pos, maxDepth)
	}
	defer func() { p.depth-- }()
	if p.accept(')') {
		return nil, nil
	}
	var elems []T
	for {
		e, err := element()
		if err != nil {
			return nil, err
		}
		elems = append(elems, e)
		if p.accept(')') {
			return elems, nil
		}
		if !p.accept(',') {
			return nil, p.unexpected("',' or ')'")
		}
	}
}

func (p *parser) tuple() (Tuple, error) {
	if !p.accept('(') {
		return p.leaf()
	}
	elems, err := commaList(p, p.tuple)
	return Tuple{elems: elems}, err
}

func (p *parser) layout() (Layout, error) {
	shape, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	return p.strideOf(shape)
}

// strideOf reads the rest of a layout whose shape is read.
func (p *parser) strideOf(shape Tuple) (Layout, error) {
	if !p.accept(':') {
		return Layout{}, p.unexpected("':'")
	}
	p.peek()
	column := p.pos + 1
	stride, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	l, err := MakeLayout(shape, stride)
	if err != nil {
		return Layout{}, fmt.Errorf("column %d: %w", column, err)
	}
	return l, nil
}

func (p *parser) tiler() (Tiler, error) {
	var shape Tuple
	if p.accept('(') {
		elems, err := commaList(p, p.tiler)
		if err != nil {
			return nil, err
		}
		shapes := make([]Tuple, 0, len(elems))
		for _, e := range elems {
			if t, ok := e.(Tuple); ok {
				shapes = append(shapes, t)
			}
		}
		if len(shapes) < len(elems) {
			return Tile(elems), nil
		}
		shape = Tuple{elems: shapes}
	} else {
		var err error
		if shape, err = p.leaf(); err != nil {
			return nil, err
		}
	}
	if p.peek() == ':' {
		return p.strideOf(shape)
	}
	return shape, nil
}

func (p *parser) swizzle() (Swizzle, error) {
	p.peek()
	column := p.pos + 1
	if err := p.expect("Sw<"); err != nil {
		return Swizzle{}, err
	}
	var fields [3]int
	for i, end := range []string{",", ",", ">"} {
		var err error
		if fields[i], err = p.integer(); err != nil {
			return Swizzle{}, err
		}
		if err := p.expect(end); err != nil {
			return Swizzle{}, err
		}
	}
	s := Swizzle{fields[0], fields[1], fields[2]}
	if err := s.Validate(); err != nil {
		return Swizzle{}, fmt.Errorf("column %d: %w", column, err)
	}
	return s, nil
}

func (p *parser) composed() (Composed, error) {
	var c Composed
	var err error
	if p.peek() != 'S' {
		if c.Layout, err = p.layout(); err != nil {
			return Composed{}, err
		}
		return c, c.Validate()
	}
	if c.Swizzle, err = p.swizzle(); err != nil {
		return Composed{}, err
	}
	if err = p.expect("o"); err != nil {
		return Composed{}, err
	}
	if c.Offset, err = p.integer(); err != nil {
		return Composed{}, err
	}
	if err = p.expect("o"); err != nil {
		return Composed{}, err
	}
	if c.Layout, err = p.layout(); err != nil {
		return Composed{}, err
	}
	return c, c.Validate()
}
