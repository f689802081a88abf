package algebra

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a parsed text, so that none takes long: nesting (of a basis element too), and integers in all.
const (
	maxDepth  = 64
	maxLeaves = 1024
)

// SyntaxError says where a text is not what was to be read.
type SyntaxError struct {
	What    string // what was to be read: tuple, layout, tiler, swizzle or swizzled layout
	Text    string // the whole text
	Column  int    // where the fault is, in bytes from 1; one beyond the text where it ends too early
	Problem string // what was got and what is allowed
}

// Error is one line: layout "(4,0):(1,4)": column 4: got 0, allowed are extents of at least 1. Of a long text it shows the
// part around the fault.
func (e *SyntaxError) Error() string {
	text, _ := e.window()
	return fmt.Sprintf("%s \"%s\": column %d: %s", e.What, text, e.Column, e.Problem)
}

// Picture is two lines, the text and a caret under the fault, to stand below Error:
//
//	(4,0):(1,4)
//	   ^
//
// Of a long text it shows the part around the fault. The caret is moved by the columns that the letters take: see Printable.
func (e *SyntaxError) Picture() string {
	text, caret := e.window()
	return text + "\n" + strings.Repeat(" ", caret) + "^"
}

// window is the printable text around the fault, at most most columns and two ellipses, and the column of the fault in it.
func (e *SyntaxError) window() (text string, caret int) {
	const most, behind = 80, 24
	at := min(max(e.Column-1, 0), len(e.Text))
	before, after := e.Text[:at], e.Text[at:]
	right, taken, rest := "", 0, after
	grow := func(limit int) {
		for rest != "" {
			_, n := utf8.DecodeRuneInString(rest)
			letter, columns := Printable(rest[:n])
			if taken+columns > limit {
				return
			}
			right, taken, rest = right+letter, taken+columns, rest[n:]
		}
	}
	grow(behind)
	left := ""
	for before != "" {
		_, n := utf8.DecodeLastRuneInString(before)
		letter, columns := Printable(before[len(before)-n:])
		if caret+columns > most-taken {
			left, caret = "..."+left, caret+3
			break
		}
		left, caret, before = letter+left, caret+columns, before[:len(before)-n]
	}
	grow(most - caret)
	if rest != "" {
		right += "..."
	}
	return left + right, caret
}

// Printable is one letter of a text as an error shows it, and how many columns of a terminal it takes. ASCII and the letters of Chinese,
// Japanese and Korean, which take two columns, stay as they are; the rest is as Go writes it in a string, so that every letter has a
// known width and none moves the cursor.
//
//	（  ->  （, 2 columns        a tab  ->  \t, 2 columns
func Printable(letter string) (text string, columns int) {
	if r, n := utf8.DecodeRuneInString(letter); n == len(letter) && n > 1 && unicode.Is(wide, r) && unicode.IsPrint(r) {
		return letter, 2
	}
	quoted := strconv.QuoteToASCII(letter)
	return quoted[1 : len(quoted)-1], len(quoted) - 2
}

// wide are letters that take two columns: ideographs, kana, hangul, their marks, and the full-width forms of ASCII.
var wide = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x3001, Hi: 0x3029, Stride: 1}, {Lo: 0x3030, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0x3096, Stride: 1}, {Lo: 0x309b, Hi: 0x30ff, Stride: 1},
	{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1},
}}

// ParseTuple reads CuTe's notation for a tuple: 4, (4,(2,8)), (1@0,4@1), (3,_). It and the other Parse functions read what
// CuTe C++, CuTe DSL and pycute print:
//
//	4, _4, -4, _-4     an integer; CuTe prints an underscore before one that is known to its compiler
//	_, X, None         the hole
//	4@1@0, _4@1@0      a scaled basis element; also E<0,1> and 4*E<0,1>, as in CuTe's source
//	(4,(2,8)), (4,)    a tuple; Python prints a comma in a tuple of one
//
// Spaces, tabs and line ends may stand between any two words. An integer has one spelling: +4, 04 and -0 are errors. A
// text has at most 1024 integers, nested at most 64 deep. Every error is a *SyntaxError.
func ParseTuple(text string) (Tuple, error) {
	p := parser{what: "tuple", text: text}
	n, err := finish(&p, p.tuple)
	return n.tuple, err
}

// ParseLayout reads a layout: 8:1, ((2,2),3):((24,2),8), (4,8):(1@0,1@1), (_4,_8):(_8,_1), Layout((4,8),(8,1)). The stride
// is not left out: (4,8) alone is a tuple.
func ParseLayout(text string) (Layout, error) {
	p := parser{what: "layout", text: text}
	return finish(&p, p.layout)
}

// MustLayout is ParseLayout for literals in code and tests. It panics on an error.
func MustLayout(text string) Layout {
	l, err := ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return l
}

// ParseTiler reads a Tiler: a layout (4:2), a shape ((4,8)), or a tuple of tilers ((4:1,_,(2,3:8))), which may also be
// written <4:1,_> as in CuTe's documents and [4:1;_] as CuTe's compiler prints it.
func ParseTiler(text string) (Tiler, error) {
	p := parser{what: "tiler", text: text}
	return finish(&p, p.tiler)
}

// ParseSwizzle reads a swizzle: Sw<2,3,3>; also S<2,3,3> (CuTe DSL), SW_2_3_3 and Swizzle(2,3,3) (pycute).
func ParseSwizzle(text string) (Swizzle, error) {
	p := parser{what: "swizzle", text: text}
	return finish(&p, p.swizzle)
}

// ParseComposed reads a swizzled layout, Sw<2,3,3> o 0 o (8,8):(8,1), or a layout alone. A swizzle that does nothing,
// Sw<0,4,3>, without an offset is read as the layout alone, as it is printed.
func ParseComposed(text string) (Composed, error) {
	p := parser{what: "swizzled layout", text: text}
	return finish(&p, p.composed)
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

// node is a tuple and where it stands.
type node struct {
	at    int
	tuple Tuple
	elems []node
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

// accept consumes the word if it is next.
func (p *parser) accept(word string) bool {
	p.peek()
	if !strings.HasPrefix(p.text[p.pos:], word) {
		return false
	}
	p.pos += len(word)
	return true
}

// expect consumes the word.
func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return p.unexpected(strconv.Quote(word))
	}
	return nil
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{p.what, p.text, at + 1, fmt.Sprintf(format, args...)}
}

func (p *parser) unexpected(allowed string) error {
	switch p.peek() {
	case end:
		return p.fail(p.pos, "the text ends, allowed is %s", allowed)
	case '?':
		return p.fail(p.pos, "got '?', a number known at run time, allowed is %s", allowed)
	case '\'':
		return p.fail(p.pos, `got '\'', allowed is %s`, allowed)
	}
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	letter, _ := Printable(p.text[p.pos : p.pos+n])
	return p.fail(p.pos, "got '%s', allowed is %s", letter, allowed)
}

// integer reads digits with an optional minus.
func (p *parser) integer() (int, error) {
	c := p.peek()
	start := p.pos
	if c == '-' || c == '+' {
		p.pos++
	}
	digits := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	if p.pos == digits {
		return 0, p.unexpected("an integer")
	}
	got := p.text[start:p.pos]
	n, err := strconv.Atoi(got)
	const most = 24
	if len(got) > most {
		got = got[:most] + "..."
	}
	if err != nil {
		return 0, p.fail(start, "%s %v", got, errOverflow)
	}
	if want := strconv.Itoa(n); want != got {
		return 0, p.fail(start, "got %s, allowed is %s", got, want)
	}
	return n, nil
}

// static reads n or _n.
func (p *parser) static() (int, error) {
	if p.isStatic() {
		p.pos++
	}
	return p.integer()
}

// isStatic tells whether an underscore is next and an integer directly behind it.
func (p *parser) isStatic() bool {
	return p.peek() == '_' && p.pos+1 < len(p.text) && strings.IndexByte("-0123456789", p.text[p.pos+1]) >= 0
}

// leaf reads a hole, an integer or a scaled basis element.
func (p *parser) leaf() (node, error) {
	c := p.peek()
	at := p.pos
	if p.leaves++; p.leaves > maxLeaves {
		return node{}, p.fail(at, "more than %d integers", maxLeaves)
	}
	if !p.isStatic() && (p.accept("_") || p.accept("X") || p.accept("None")) {
		return node{at: at, tuple: Underscore}, nil
	}
	if c == 'E' {
		path, err := p.basis()
		return node{at: at, tuple: Basis(1, path...)}, err
	}
	if c == end || strings.IndexByte("_-+0123456789", byte(c)) < 0 {
		return node{}, p.unexpected("an integer, '_' or '('")
	}
	n, err := p.static()
	if err != nil {
		return node{}, err
	}
	var path []int
	if p.accept("*") {
		path, err = p.basis()
		return node{at: at, tuple: Basis(n, path...)}, err
	}
	for p.accept("@") {
		if path, err = p.basisMode(path); err != nil {
			return node{}, err
		}
	}
	slices.Reverse(path)
	return node{at: at, tuple: Basis(n, path...)}, nil
}

// basis reads E<p,q>.
func (p *parser) basis() ([]int, error) {
	err := p.expect("E<")
	var path []int
	for err == nil {
		if path, err = p.basisMode(path); err != nil || p.accept(">") {
			break
		}
		err = p.expect(",")
	}
	return path, err
}

// basisMode appends the next mode of a basis element.
func (p *parser) basisMode(path []int) ([]int, error) {
	p.peek()
	at := p.pos
	mode, err := p.integer()
	switch {
	case err != nil:
		return nil, err
	case mode < 0:
		return nil, p.fail(at, "basis mode %d, allowed is 0 or more", mode)
	case len(path) == maxDepth:
		return nil, p.fail(at, "a basis element nested deeper than %d", maxDepth)
	}
	return append(path, mode), nil
}

// elements reads the elements of a list up to its close, the open being consumed.
func elements[T any](p *parser, comma, close string, element func() (T, error)) ([]T, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.pos-1, "nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
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
			return nil, p.unexpected(fmt.Sprintf("'%s' or '%s'", comma, close))
		}
		if len(elems) == 1 && p.accept(close) {
			return elems, nil // Python's tuple of one
		}
	}
}

func (p *parser) tuple() (node, error) {
	p.peek()
	at := p.pos
	if !p.accept("(") {
		return p.leaf()
	}
	elems, err := elements(p, ",", ")", p.tuple)
	return listOf(at, elems), err
}

func listOf(at int, elems []node) node {
	tuples := make([]Tuple, len(elems))
	for i, e := range elems {
		tuples[i] = e.tuple
	}
	return node{at, Tuple{elems: tuples}, elems}
}

// layout reads shape:stride or Layout(shape,stride).
func (p *parser) layout() (Layout, error) {
	if p.accept("Layout") {
		return p.called()
	}
	shape, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	return p.strideOf(shape)
}

// called reads (shape,stride), the word Layout being read.
func (p *parser) called() (Layout, error) {
	if err := p.expect("("); err != nil {
		return Layout{}, err
	}
	shape, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	if err := p.expect(","); err != nil {
		return Layout{}, err
	}
	stride, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	if err := p.expect(")"); err != nil {
		return Layout{}, err
	}
	return p.of(shape, stride)
}

// strideOf reads the rest of a layout whose shape is read.
func (p *parser) strideOf(shape node) (Layout, error) {
	if !p.accept(":") {
		allowed := "':'"
		l, err := ColMajor(shape.tuple)
		if p.peek() == end && err == nil && len(p.text) <= 40 {
			allowed = fmt.Sprintf("':' and a stride, as in %v, which is column-major", l)
		}
		return Layout{}, p.unexpected(allowed)
	}
	stride, err := p.tuple()
	if err != nil {
		return Layout{}, err
	}
	return p.of(shape, stride)
}

// of is MakeLayout; an error points at the leaf that brings it about.
func (p *parser) of(shape, stride node) (Layout, error) {
	l, failed := MakeLayout(shape.tuple, stride.tuple)
	if failed == nil {
		return l, nil
	}
	if err := p.congruent(shape, stride); err != nil {
		return Layout{}, err
	}
	shapes, strides := shape.leaves(nil), stride.leaves(nil)
	for i, s := range shapes {
		if !s.tuple.isPlain() || s.tuple.value < 1 {
			return Layout{}, p.fail(s.at, "got %v, allowed are extents of at least 1", s.tuple)
		}
		if strides[i].tuple.kind != integer {
			return Layout{}, p.fail(strides[i].at, "got %v, allowed are integers and scaled basis elements", strides[i].tuple)
		}
	}
	if k := firstRefused(len(shapes), func(k int) error {
		_, err := Product(listOf(0, shapes[:k]).tuple)
		return err
	}); k > 0 {
		return Layout{}, p.fail(shapes[k-1].at, "the size %v", errOverflow)
	}
	k := firstRefused(len(shapes), func(k int) error {
		_, err := MakeLayout(listOf(0, shapes[:k]).tuple, listOf(0, strides[:k]).tuple)
		return err
	})
	if k == 0 {
		return Layout{}, p.fail(stride.at, "%v", failed)
	}
	part := fmt.Sprintf("layout %v:%v: ", listOf(0, shapes[:k]).tuple, listOf(0, strides[:k]).tuple)
	_, err := MakeLayout(listOf(0, shapes[:k]).tuple, listOf(0, strides[:k]).tuple)
	return Layout{}, p.fail(strides[k-1].at, "%s", strings.TrimPrefix(err.Error(), part))
}

// firstRefused is the smallest number of leaves that is refused, 0 if none is: more leaves than refused ones are refused too.
func firstRefused(n int, refuse func(k int) error) int {
	if refuse(n) == nil {
		return 0
	}
	return sort.Search(n, func(k int) bool { return refuse(k) != nil })
}

// congruent points at the part of a stride that differs in profile from the shape.
func (p *parser) congruent(shape, stride node) error {
	switch {
	case shape.tuple.IsLeaf() && !stride.tuple.IsLeaf():
		return p.fail(stride.at, "got a tuple, allowed is an integer: shape and stride differ in profile")
	case !shape.tuple.IsLeaf() && stride.tuple.IsLeaf():
		return p.fail(stride.at, "got %v, allowed is a tuple of %d: shape and stride differ in profile", stride.tuple, len(shape.elems))
	case len(shape.elems) != len(stride.elems):
		return p.fail(stride.at, "got a tuple of %d, allowed is one of %d: shape and stride differ in profile",
			len(stride.elems), len(shape.elems))
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
	if n.tuple.IsLeaf() {
		return append(to, n)
	}
	for _, e := range n.elems {
		to = e.leaves(to)
	}
	return to
}

// tile is a tiler; what is a tuple, and so may be a shape, is a node.
type tile struct {
	tiler Tiler
	node  node
}

func (p *parser) tiler() (Tiler, error) {
	t, err := p.tile()
	return t.tiler, err
}

func (p *parser) tile() (tile, error) {
	p.peek()
	at := p.pos
	if p.accept("Layout") {
		l, err := p.called()
		return tile{tiler: l}, err
	}
	var elems []tile
	var err error
	isShape := false
	switch {
	case p.accept("<"):
		elems, err = elements(p, ",", ">", p.tile)
	case p.accept("["):
		elems, err = elements(p, ";", "]", p.tile)
	case p.accept("("):
		isShape = true
		elems, err = elements(p, ",", ")", p.tile)
	default:
		n, err := p.leaf()
		if err == nil && p.peek() == ':' {
			l, err := p.strideOf(n)
			return tile{tiler: l}, err
		}
		return tile{n.tuple, n}, err
	}
	if err != nil {
		return tile{}, err
	}
	nodes, tilers := make([]node, len(elems)), make(Tile, len(elems))
	allShapes := true
	for i, e := range elems {
		_, ok := e.tiler.(Tuple)
		allShapes = allShapes && ok
		nodes[i], tilers[i] = e.node, e.tiler
	}
	if !allShapes {
		return tile{tiler: tilers}, nil
	}
	n := listOf(at, nodes)
	if isShape && p.peek() == ':' {
		l, err := p.strideOf(n)
		return tile{tiler: l}, err
	}
	return tile{n.tuple, n}, nil
}

// swizzle reads each system's spelling.
func (p *parser) swizzle() (Swizzle, error) {
	p.peek()
	at := p.pos
	comma, close := ",", ">"
	switch {
	case p.accept("Swizzle("):
		close = ")"
	case p.accept("SW_"):
		comma, close = "_", ""
	case p.accept("Sw<"), p.accept("S<"):
	default:
		return Swizzle{}, p.unexpected(`"Sw<"`)
	}
	var fields [3]int
	for i, after := range []string{comma, comma, close} {
		var err error
		if fields[i], err = p.integer(); err != nil {
			return Swizzle{}, err
		}
		if err := p.expect(after); err != nil {
			return Swizzle{}, err
		}
	}
	s := Swizzle{fields[0], fields[1], fields[2]}
	if err := s.Validate(); err != nil {
		return Swizzle{}, p.fail(at, "%v", err)
	}
	return s, nil
}

func (p *parser) composed() (Composed, error) {
	c := Composed{}
	var err error
	if p.peek() == 'S' {
		if c.Swizzle, err = p.swizzle(); err != nil {
			return Composed{}, err
		}
		if err = p.expect("o"); err != nil {
			return Composed{}, err
		}
		if p.peek() == 's' {
			return Composed{}, p.fail(p.pos, "got a pointer, whose swizzle permutes bytes, allowed is an integer, and a swizzle of elements")
		}
		if c.Offset, err = p.static(); err != nil {
			return Composed{}, err
		}
		if err = p.expect("o"); err != nil {
			return Composed{}, err
		}
	}
	p.peek()
	at := p.pos
	if c.Layout, err = p.layout(); err != nil {
		return Composed{}, err
	}
	if err := c.Validate(); err != nil {
		return Composed{}, p.fail(at, "%s", strings.TrimPrefix(err.Error(), c.String()+": "))
	}
	if c.Swizzle.Bits == 0 && c.Offset == 0 {
		c.Swizzle = Swizzle{}
	}
	return c, nil
}
