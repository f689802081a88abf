package notation

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

// A Swizzled is a swizzled layout whose offset and layout may have symbols.
type Swizzled struct {
	Swizzle algebra.Swizzle
	Offset  dynamic.Int
	Layout  dynamic.Layout
}

// String prints Sw<2,3,3> o 0 o (8*m,64):(64,1).
func (s Swizzled) String() string { return fmt.Sprintf("%v o %v o %v", s.Swizzle, s.Offset, s.Layout) }

// symbols is how a notation writes integers that are known at run time: as the variables of their names. A notation without it has
// none.
type symbols struct {
	integer  func(n int) string
	ceil     func(num, den string) string
	basis    func(path []int) (string, error)
	tuple    func(elems []string) string
	layout   func(shape, stride string) string
	shape    func(elems []string) string
	stride   func(elems []string) string
	reserved string // words that are no variables
}

// write writes a value that may have symbols; ok is false for another.
func (s *symbols) write(v Value, w writer) (text string, ok bool, err error) {
	var names []string
	switch v := v.(type) {
	case dynamic.Int:
		names = v.Symbols()
		text, err = s.expression(v.String())
	case dynamic.Shape:
		c, err := dynamic.ParseCoord(v.String())
		if err != nil {
			return "", true, err
		}
		return s.write(c, w)
	case dynamic.Coord:
		names = symbolsOf(v)
		text, err = s.coord(v, w.hole)
	case dynamic.Layout:
		names = v.Symbols()
		text, err = s.layoutText(v)
	case Swizzled:
		names = append(v.Layout.Symbols(), v.Offset.Symbols()...)
		text, err = s.swizzledText(v, w)
	default:
		return "", false, nil
	}
	if err == nil {
		err = s.checkNames(names, text)
	}
	if err != nil {
		return "", true, fmt.Errorf("%v: %w", v, err)
	}
	return text, true, nil
}

func symbolsOf(c dynamic.Coord) []string {
	names := c.Value.Symbols()
	for _, m := range c.Modes {
		names = append(names, symbolsOf(m)...)
	}
	return names
}

// checkNames refuses names that are no variables, or stand for something else in the text.
func (s *symbols) checkNames(names []string, text string) error {
	for _, name := range names {
		used := regexp.MustCompile(`\b` + name + `[<({.]`).MatchString(text)
		if used || slices.Contains(strings.Fields(s.reserved), name) {
			return fmt.Errorf("the name %s is taken in this notation, allowed are names of variables", name)
		}
	}
	return nil
}

func (s *symbols) swizzledText(v Swizzled, w writer) (string, error) {
	l, err := s.layoutText(v.Layout)
	if err != nil {
		return "", err
	}
	offset, err := s.expression(v.Offset.String())
	if err != nil {
		return "", err
	}
	swizzle, err := write(v.Swizzle, w)
	return w.composed(swizzle, offset, l), err
}

// layoutText is a layout.
func (s *symbols) layoutText(l dynamic.Layout) (string, error) {
	shape, stride, err := s.modes(l)
	if err != nil {
		return "", err
	}
	return s.layout(shape, stride), nil
}

// modes are the shape and the stride of a layout.
func (s *symbols) modes(l dynamic.Layout) (shape, stride string, err error) {
	if l.Shape().Profile().IsLeaf() {
		extent, step, _ := strings.Cut(l.String(), ":")
		if shape, err = s.expression(extent); err != nil {
			return "", "", err
		}
		stride, err = s.strideText(step)
		return shape, stride, err
	}
	if l.Rank() == 0 {
		return "", "", errHollow
	}
	shapes, strides := make([]string, l.Rank()), make([]string, l.Rank())
	for i := range shapes {
		if shapes[i], strides[i], err = s.modes(l.Mode(i)); err != nil {
			return "", "", err
		}
	}
	return s.shape(shapes), s.stride(strides), nil
}

// strideText is an expression, or a multiple of a basis element: 8*m@1@0.
func (s *symbols) strideText(text string) (string, error) {
	expression, along, ok := strings.Cut(text, "@")
	if !ok {
		return s.expression(text)
	}
	steps := strings.Split(along, "@")
	path := make([]int, len(steps))
	for i, step := range steps { // the outermost is the last
		n, err := strconv.Atoi(step)
		if err != nil {
			return "", err
		}
		path[len(steps)-1-i] = n
	}
	basis, err := s.basis(path)
	if err != nil || expression == "1" {
		return basis, err
	}
	times, err := s.expression(expression)
	if strings.ContainsAny(expression[1:], "+-") {
		times = "(" + times + ")"
	}
	return times + " * " + basis, err
}

// expression is an integer of package dynamic: 8*m+1 as 8 * m + 1, ceil(M/128) as the notation divides.
func (s *symbols) expression(text string) (string, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return s.integer(n), nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "ceil("):
			stop, slash := quotient(text, i+len("ceil("))
			num, err := s.part(text[i+len("ceil(") : slash])
			if err != nil {
				return "", err
			}
			den, err := s.part(text[slash+1 : stop])
			if err != nil {
				return "", err
			}
			b.WriteString(s.ceil(num, den))
			i = stop
		case strings.IndexByte("+-*", c) >= 0 && i > 0 && text[i-1] != '(':
			b.WriteString(" " + string(c) + " ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// part is an expression in which a lone integer is no leaf.
func (s *symbols) part(text string) (string, error) {
	if _, err := strconv.Atoi(text); err == nil {
		return text, nil
	}
	return s.expression(text)
}

// quotient finds the slash and the end of the quotient whose numerator begins at i.
func quotient(text string, i int) (stop, slash int) {
	for depth := 0; ; i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i, slash
			}
			depth--
		case '/':
			if depth == 0 {
				slash = i
			}
		}
	}
}

// coord is a coordinate or an offset.
func (s *symbols) coord(c dynamic.Coord, hole string) (string, error) {
	switch {
	case c.Hole:
		return hole, nil
	case c.Modes == nil:
		return s.expression(c.Value.String())
	}
	elems := make([]string, len(c.Modes))
	for i, m := range c.Modes {
		var err error
		if elems[i], err = s.coord(m, hole); err != nil {
			return "", err
		}
	}
	return s.tuple(elems), nil
}

// cppSymbols writes 4 as Int<4>{}, M as the variable M.
var cppSymbols = symbols{
	integer: func(n int) string { return cpp{wide: !fits32(n)}.integer(n) },
	ceil:    func(num, den string) string { return "ceil_div(" + num + ", " + den + ")" },
	basis:   func(path []int) (string, error) { return "E<" + joined(path, ",") + ">{}", nil },
	tuple:   func(elems []string) string { return "make_tuple(" + strings.Join(elems, ", ") + ")" },
	layout:  func(shape, stride string) string { return "make_layout(" + shape + ", " + stride + ")" },
	shape:   func(elems []string) string { return "make_shape(" + strings.Join(elems, ", ") + ")" },
	stride:  func(elems []string) string { return "make_stride(" + strings.Join(elems, ", ") + ")" },
	reserved: "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept const " +
		"consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum " +
		"explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq " +
		"private protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch " +
		"template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq",
}

const pythonWords = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
	"lambda nonlocal not or pass raise return try while with yield"

var dslSymbols = symbols{
	integer:  strconv.Itoa,
	ceil:     func(num, den string) string { return "cute.ceil_div(" + num + ", " + den + ")" },
	basis:    func(path []int) (string, error) { return python(algebra.Basis(1, path...)), nil },
	tuple:    pythonTuple,
	layout:   func(shape, stride string) string { return "cute.make_layout(" + shape + ", stride=" + stride + ")" },
	shape:    pythonTuple,
	stride:   pythonTuple,
	reserved: pythonWords,
}

var pycuteSymbols = symbols{
	integer: strconv.Itoa,
	ceil:    func(num, den string) string { return "-(-" + num + " // " + factor(den) + ")" },
	basis: func(path []int) (string, error) {
		return "", fmt.Errorf("pycute has no scaled basis elements, got %v", algebra.Basis(1, path...))
	},
	tuple:    pythonTuple,
	layout:   func(shape, stride string) string { return "Layout(" + shape + ", " + stride + ")" },
	shape:    pythonTuple,
	stride:   pythonTuple,
	reserved: pythonWords,
}

// factor is an expression as a divisor of Python, whose // is not stronger than *.
func factor(text string) string {
	if strings.ContainsAny(text, " ") && text[0] != '(' {
		return "(" + text + ")"
	}
	return text
}

// beyond32In tells whether an expression has an integer that is no int of C++.
func beyond32In(text string) bool {
	for _, digits := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(digits); err != nil || n > math.MaxInt32 {
			return true
		}
	}
	return false
}
