package dynamic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cutegen/algebra"
)

// Bounds of a parsed text, so that none takes long: nesting, and integers and names in all.
const (
	maxDepth  = 64
	maxLeaves = 1024
)

// Parse reads a layout: (M,K):(lda,1), ((128,ceil(M/128)),K):((1,128),lda), (M,K):(1@0,lda@1), Layout((M,8),(8,1)).
// A leaf is a sum of products:
//
//	128, _128             an integer
//	M, lda, tile_m        a symbol, an integer of at least 1 known at run time
//	8*m, M*lda+1, K-1     products and sums; what stands in parentheses behind a * is a factor, as in 8*(m+1)
//	ceil(M/128)           a quotient rounded up, also ceil((M+7)/8) and ceil(M/(4*n)); both parts are at least 1
//	lda@0, M*K+1@1        a stride along a basis element; the @ holds for the whole leaf
//
// Everything else is as in algebra.ParseLayout, and so are the limits on nesting and on the number of integers. Every error
// is an *algebra.SyntaxError.
func Parse(text string) (Layout, error) {
	p := parser{what: "layout", text: text}
	return finish(&p, p.layout)
}

// MustParse is Parse for literals in code and tests. It panics on an error.
func MustParse(text string) Layout {
	l, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return l
}

// ParseInt reads one expression.
func ParseInt(text string) (Int, error) {
	p := parser{what: "integer", text: text}
	return finish(&p, func() (Int, error) {
		n, err := p.leaf()
		if err == nil && (n.hole || len(n.path) > 0) {
			err = p.fail(n.at, "got %s, allowed are integers and symbols", n.text())
		}
		return n.value, err
	})
}

// ParseShape reads a shape: (M,(4,K)).
func ParseShape(text string) (Shape, error) {
	p := parser{what: "shape", text: text}
	return finish(&p, func() (Shape, error) {
		n, err := p.tuple()
		if err != nil {
			return Shape{}, err
		}
		return p.shape(n)
	})
}

// ParseCoord reads a coordinate: (0,_), (bx,(4*k+3,_)). A symbol that occurs in no layout stands for an integer of at least
// 0, but what stands inside ceil is at least 1: see Layout.Offset.
func ParseCoord(text string) (Coord, error) {
	p := parser{what: "coordinate", text: text}
	return finish(&p, func() (Coord, error) {
		n, err := p.tuple()
		if err != nil {
			return Coord{}, err
		}
		return p.coord(n)
	})
}

// ParseTiler reads a Tiler: an extent (128, m), a layout (16:2), or a tuple of tilers ((128,8), (128:1,_)).
func ParseTiler(text string) (Tiler, error) {
	p := parser{what: "tiler", text: text}
	return finish(&p, func() (Tiler, error) {
		t, err := p.tile()
		return t.tiler, err
	})
}

// finish runs a rule over the whole text.
func finish[T any](p *parser, rule func() (T, error)) (T, error) {
	t, err := rule()
	if err == nil && p.peek() != end {
		err = p.unexpected("the end")
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return t, nil
}

// parser is a recursive-descent reader; pos is the byte that it reads next.
type parser struct {
	what, text         string
	pos, depth, leaves int
}

// node is a leaf or a list, and where it stands.
type node struct {
	at     int
	isList bool
	elems  []node // of a list
	hole   bool
	value  Int
	path   []int
}

// text is a leaf's.
func (n node) text() string {
	if n.hole {
		return "_"
	}
	return mode{stride: n.value, path: n.path}.strideText()
}

const end = -1

// peek is the next byte that is no space, end at the end.
func (p *parser) peek() int {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return end
	}
	return int(p.text[p.pos])
}

// accept consumes the mark if it is next.
func (p *parser) accept(mark byte) bool {
	if p.peek() != int(mark) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(mark byte) error {
	if !p.accept(mark) {
		return p.unexpected(fmt.Sprintf("'%c'", mark))
	}
	return nil
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &algebra.SyntaxError{What: p.what, Text: p.text, Column: at + 1, Problem: fmt.Sprintf(format, args...)}
}

func (p *parser) unexpected(allowed string) error {
	if p.peek() == end {
		return p.fail(p.pos, "the text ends, allowed is %s", allowed)
	}
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	letter, _ := algebra.Printable(p.text[p.pos : p.pos+n])
	return p.fail(p.pos, "got '%s', allowed is %s", letter, allowed)
}

// name is the word that is next, "" if there is none.
func (p *parser) name() string {
	p.peek()
	stop := p.pos
	for stop < len(p.text) {
		c := p.text[stop]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (stop == p.pos || c != '_' && (c < '0' || c > '9')) {
			break
		}
		stop++
	}
	return p.text[p.pos:stop]
}

// number reads digits.
func (p *parser) number() (int, error) {
	p.peek()
	start := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	if p.pos == start {
		return 0, p.unexpected("an integer")
	}
	got := p.text[start:p.pos]
	n, err := strconv.Atoi(got)
	if err != nil {
		return 0, p.fail(start, "%.24s does not fit in 64 bits", got)
	}
	if want := strconv.Itoa(n); want != got {
		return 0, p.fail(start, "got %.24s, allowed is %s", got, want)
	}
	return n, nil
}

// isStatic tells whether an underscore is next and an integer directly behind it.
func (p *parser) isStatic() bool {
	return p.peek() == '_' && p.pos+1 < len(p.text) && strings.IndexByte("-0123456789", p.text[p.pos+1]) >= 0
}

// tuple reads a leaf or a list.
func (p *parser) tuple() (node, error) {
	p.peek()
	at := p.pos
	if !p.accept('(') {
		return p.leaf()
	}
	elems, err := elements(p, ',', ')', p.tuple)
	return node{at: at, isList: true, elems: elems}, err
}

// elements reads the elements of a list up to its close, the open being consumed.
func elements[T any](p *parser, comma, close byte, element func() (T, error)) ([]T, error) {
	leave, err := p.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if p.accept(close) {
		return nil, nil
	}
	var elems []T
	for {
		e, err := element()
		if err != nil {
			return nil, err
		}
		elems = append(elems, e)
		if p.accept(close) {
			return elems, nil
		}
		if !p.accept(comma) {
			return nil, p.unexpected(fmt.Sprintf("'%c' or '%c'", comma, close))
		}
		if len(elems) == 1 && p.accept(close) {
			return elems, nil // Python's tuple of one
		}
	}
}

// enter goes one level deeper, the parenthesis being consumed.
func (p *parser) enter() (leave func(), err error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.pos-1, "nested deeper than %d", maxDepth)
	}
	return func() { p.depth-- }, nil
}

// leaf reads a hole, or a sum and the basis element that it goes along.
func (p *parser) leaf() (node, error) {
	c := p.peek()
	n := node{at: p.pos}
	word := p.name()
	if c == '_' && !p.isStatic() || word == "X" || word == "None" {
		p.pos += max(1, len(word))
		n.hole = true
		return n, p.count(n.at)
	}
	if word == "" && (c == end || strings.IndexByte("_-0123456789", byte(c)) < 0) {
		return n, p.unexpected("an integer, a name, '_' or '('")
	}
	var err error
	if n.value, err = p.sum(); err != nil {
		return n, err
	}
	for p.accept('@') {
		p.peek()
		at := p.pos
		i, err := p.number()
		switch {
		case err != nil:
			return n, err
		case i >= maxBasis:
			return n, p.fail(at, "basis mode %d, allowed are 0 to %d", i, maxBasis-1)
		case len(n.path) == maxPath:
			return n, p.fail(at, "a basis element nested deeper than %d", maxPath)
		}
		n.path = append(n.path, i)
	}
	slices.Reverse(n.path)
	return n, nil
}

// count counts an integer or name.
func (p *parser) count(at int) error {
	if p.leaves++; p.leaves > maxLeaves {
		return p.fail(at, "more than %d integers and names", maxLeaves)
	}
	return nil
}

// sum reads terms with + and - between them.
func (p *parser) sum() (Int, error) {
	var sum Int
	for first := true; ; first = false {
		p.peek()
		at := p.pos
		negative := p.accept('-')
		if !negative && !first && !p.accept('+') {
			return sum, nil
		}
		t, err := p.product()
		if err != nil {
			return Int{}, err
		}
		if negative {
			t = Neg(t)
		}
		if sum = Add(sum, t); sum.err != nil {
			return Int{}, p.fail(at, "%v", sum.err)
		}
	}
}

// product reads factors with * between them.
func (p *parser) product() (Int, error) {
	product := Const(1)
	for {
		p.peek()
		at := p.pos
		f, err := p.factor()
		if err != nil {
			return Int{}, err
		}
		if product = Mul(product, f); product.err != nil {
			return Int{}, p.fail(at, "%v", product.err)
		}
		if !p.accept('*') {
			return product, nil
		}
	}
}

// factor reads an integer, a symbol, a quotient rounded up, or a sum in parentheses.
func (p *parser) factor() (Int, error) {
	c := p.peek()
	at := p.pos
	if err := p.count(at); err != nil {
		return Int{}, err
	}
	switch word := p.name(); {
	case word == "ceil":
		p.pos += len(word)
		return p.ceil(at)
	case isName(word):
		p.pos += len(word)
		return ofVariable(&variable{text: word}), nil
	case word != "":
		return Int{}, p.fail(at, "the name %.24s, %s", word, allowedNames)
	}
	switch {
	case p.accept('('):
		leave, err := p.enter()
		if err != nil {
			return Int{}, err
		}
		defer leave()
		sum, err := p.sum()
		if err != nil {
			return Int{}, err
		}
		return sum, p.expect(')')
	case p.isStatic():
		p.pos++
		negative := p.text[p.pos] == '-'
		if negative {
			p.pos++
		}
		n, err := p.number()
		if negative {
			n = -n
		}
		return Const(n), err
	case '0' <= c && c <= '9':
		n, err := p.number()
		return Const(n), err
	}
	return Int{}, p.unexpected("an integer or a name")
}

// ceil reads (product/factor), the word ceil at a place being read.
func (p *parser) ceil(at int) (Int, error) {
	if err := p.expect('('); err != nil {
		return Int{}, err
	}
	leave, err := p.enter()
	if err != nil {
		return Int{}, err
	}
	defer leave()
	num, err := p.product()
	if err != nil {
		return Int{}, err
	}
	if c := p.peek(); c == '+' || c == '-' {
		return Int{}, p.fail(p.pos, "got '%c', allowed is '/'; a sum stands in parentheses, as in ceil((M+7)/8)", c)
	}
	if err := p.expect('/'); err != nil {
		return Int{}, err
	}
	den, err := p.factor()
	if err != nil {
		return Int{}, err
	}
	if err := p.expect(')'); err != nil {
		return Int{}, err
	}
	q := CeilDiv(num, den)
	if q.err != nil {
		return Int{}, p.fail(at, "%v", q.err)
	}
	return q, nil
}

// layout reads shape:stride or Layout(shape,stride).
func (p *parser) layout() (Layout, error) {
	if p.isCalled() {
		return p.called()
	}
	shape, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	return p.strideOf(shape)
}

// isCalled tells whether Layout( is next.
func (p *parser) isCalled() bool {
	p.peek()
	return strings.HasPrefix(p.text[p.pos:], "Layout(")
}

// called reads Layout(shape,stride).
func (p *parser) called() (Layout, error) {
	p.pos += len("Layout(")
	shape, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	if err := p.expect(','); err != nil {
		return Layout{}, err
	}
	stride, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	if err := p.expect(')'); err != nil {
		return Layout{}, err
	}
	return p.of(shape, stride)
}

// strideOf reads the rest of a layout whose shape is read.
func (p *parser) strideOf(shape node) (Layout, error) {
	if !p.accept(':') {
		return Layout{}, p.unexpected("':' and a stride")
	}
	stride, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	return p.of(shape, stride)
}

// of is the layout of a shape and a stride; an error points at the leaf that brings it about.
func (p *parser) of(shape, stride node) (Layout, error) {
	s, err := p.shape(shape)
	if err != nil {
		return Layout{}, err
	}
	if err := p.congruent(shape, stride); err != nil {
		return Layout{}, err
	}
	modes := make([]mode, len(s.extents))
	for k, leaf := range stride.leaves(nil) {
		if leaf.hole {
			return Layout{}, p.fail(leaf.at, "got _, allowed are integers, symbols and scaled basis elements")
		}
		modes[k] = mode{s.extents[k], leaf.value, leaf.path}
		if o := apart(modes[:k], modes[k]); o != nil {
			return Layout{}, p.fail(leaf.at, "strides %s and %s cannot be added, allowed are offsets or coordinates of one profile",
				o.strideText(), modes[k].strideText())
		}
	}
	l, err := of(s.profile, modes)
	if err != nil {
		return Layout{}, p.fail(shape.at, "%v", err)
	}
	return l, nil
}

// congruent points at the part of a stride that differs in profile from the shape.
func (p *parser) congruent(shape, stride node) error {
	if shape.isList != stride.isList || len(shape.elems) != len(stride.elems) {
		return p.fail(stride.at, "shape and stride differ in profile, allowed is one stride for each extent")
	}
	for i := range shape.elems {
		if err := p.congruent(shape.elems[i], stride.elems[i]); err != nil {
			return err
		}
	}
	return nil
}

// leaves appends the leaves of n.
func (n node) leaves(to []node) []node {
	if !n.isList {
		return append(to, n)
	}
	for _, e := range n.elems {
		to = e.leaves(to)
	}
	return to
}

// shape is the node as a shape.
func (p *parser) shape(n node) (Shape, error) {
	s := Shape{profile: n.profile(new(int))}
	for _, leaf := range n.leaves(nil) {
		if leaf.hole || len(leaf.path) > 0 {
			return Shape{}, p.fail(leaf.at, "got %s, allowed are extents of at least 1", leaf.text())
		}
		if err := positive("extent", leaf.value); err != nil {
			return Shape{}, p.fail(leaf.at, "%v", err)
		}
		s.extents = append(s.extents, leaf.value)
	}
	return s, nil
}

// profile numbers the leaves.
func (n node) profile(next *int) algebra.Tuple {
	if !n.isList {
		*next++
		return algebra.Int(*next - 1)
	}
	elems := make([]algebra.Tuple, len(n.elems))
	for i, e := range n.elems {
		elems[i] = e.profile(next)
	}
	return algebra.MakeTuple(elems...)
}

// coord is the node as a coordinate.
func (p *parser) coord(n node) (Coord, error) {
	if !n.isList {
		if len(n.path) > 0 {
			return Coord{}, p.fail(n.at, "got %s, allowed are integers, symbols and _", n.text())
		}
		return Coord{Value: n.value, Hole: n.hole}, nil
	}
	c := Coord{Modes: make([]Coord, len(n.elems))}
	for i, e := range n.elems {
		var err error
		if c.Modes[i], err = p.coord(e); err != nil {
			return Coord{}, err
		}
	}
	return c, nil
}

// tile is a tiler; what may be the shape of a layout is a node too.
type tile struct {
	tiler   Tiler
	isShape bool
	node    node
}

func (p *parser) tile() (tile, error) {
	p.peek()
	at := p.pos
	if p.isCalled() {
		l, err := p.called()
		return tile{tiler: Tiler{Layout: &l}}, err
	}
	var elems []tile
	var err error
	t := tile{isShape: true}
	switch {
	case p.accept('<'):
		t.isShape = false
		elems, err = elements(p, ',', '>', p.tile)
	case p.accept('['):
		t.isShape = false
		elems, err = elements(p, ';', ']', p.tile)
	case p.accept('('):
		elems, err = elements(p, ',', ')', p.tile)
	default:
		if t.node, err = p.leaf(); err != nil {
			return tile{}, err
		}
		return p.leafTile(t)
	}
	if err != nil {
		return tile{}, err
	}
	t.node = node{at: at, isList: true}
	t.tiler.Modes = make([]Tiler, len(elems))
	for i, e := range elems {
		t.tiler.Modes[i] = e.tiler
		t.node.elems = append(t.node.elems, e.node)
		t.isShape = t.isShape && e.isShape
	}
	if t.isShape && p.peek() == ':' {
		l, err := p.strideOf(t.node)
		return tile{tiler: Tiler{Layout: &l}}, err
	}
	return t, nil
}

// leafTile is a leaf that is read, or the layout that it begins.
func (p *parser) leafTile(t tile) (tile, error) {
	switch {
	case p.peek() == ':':
		l, err := p.strideOf(t.node)
		return tile{tiler: Tiler{Layout: &l}}, err
	case t.node.hole:
		t.tiler.Hole = true
		return t, nil
	}
	s, err := p.shape(t.node)
	if err != nil {
		return tile{}, err
	}
	t.tiler = extent(s.extents[0])
	return t, nil
}
