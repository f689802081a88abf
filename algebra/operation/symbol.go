package operation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cutegen/algebra/dynamic"
)

// Symbols lists the names in the arguments that stand for sizes known at run time, in the order of the alphabet: words that are none of
// the notation's.
//
//	composition (M,K):(lda,1) 8:1  ->  K, M, lda
func (o Operation) Symbols(texts []string) []string { return symbolsOf(o.Params, texts) }

// Symbols is Operation.Symbols.
func (c Claim) Symbols(texts []string) []string { return symbolsOf(c.Params, texts) }

// SymbolsOf is Operation.Symbols of a layout and its coordinates.
func SymbolsOf(layout string, coords ...string) []string {
	return symbolsOf(layoutAndCoords(coords), append([]string{layout}, coords...))
}

func layoutAndCoords(coords []string) []Param {
	params := []Param{need("LAYOUT", anyLayout)}
	for range coords {
		params = append(params, need("COORD", Tuple))
	}
	return params
}

// HasSymbols tells whether a layout or one of its coordinates has a symbol.
func HasSymbols(layout string, coords ...string) bool {
	return hasExpression(layoutAndCoords(coords), append([]string{layout}, coords...))
}

func symbolsOf(params []Param, texts []string) []string {
	var all []string
	for i, text := range texts[:min(len(texts), len(params))] {
		all = append(all, names(params[i].Kind.nameable(text))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hasExpression tells whether an argument has a symbol, or a quotient that only package dynamic reads.
func hasExpression(params []Param, texts []string) bool {
	for i, text := range texts[:min(len(texts), len(params))] {
		if nameable := params[i].Kind.nameable(text); len(names(nameable)) > 0 || strings.Contains(nameable, "ceil(") {
			return true
		}
	}
	return false
}

// nameable is the part of an argument that may hold names of sizes.
func (k Kind) nameable(text string) string {
	if k&(Integer|Tuple|Layout|Tiler|Composed) == 0 || k&Name != 0 {
		return ""
	}
	text = plainBasis(text)
	if k&(Swizzle|Composed) != 0 {
		if _, offset, layout, ok := cutSwizzle(text); ok {
			return offset + " " + layout
		}
		if strings.ContainsAny(text, "<") {
			return ""
		}
	}
	return text
}

// basisForm is a scaled basis element as in CuTe's source: E<0,1>, 4*E<0>.
var basisForm = regexp.MustCompile(`(?:(\w+)\s*\*\s*)?\bE<\s*(\d+(?:\s*,\s*\d+)*)\s*>`)

// plainBasis writes basis elements as package dynamic reads them: 4@1@0 for 4*E<0,1>.
func plainBasis(text string) string {
	if !strings.Contains(text, "E<") {
		return text
	}
	return basisForm.ReplaceAllStringFunc(text, func(e string) string {
		m := basisForm.FindStringSubmatch(e)
		written := m[1]
		if written == "" {
			written = "1"
		}
		path := strings.Split(m[2], ",")
		for _, p := range slices.Backward(path) {
			written += "@" + strings.TrimSpace(p)
		}
		return written
	})
}

func plainBases(texts []string) []string {
	plain := make([]string, len(texts))
	for i, text := range texts {
		plain[i] = plainBasis(text)
	}
	return plain
}

// swizzledForm is a swizzled layout in any of the forms of a swizzle: Sw<2,3,3>, Swizzle(2,3,3), SW_2_3_3.
var swizzledForm = regexp.MustCompile(`^\s*(S\w*(?:<[^>]*>|\([^)]*\))?)\s*o\s+(\S.*?)\s+o\s+(\S[\s\S]*)$`)

// cutSwizzle parts a swizzled layout.
func cutSwizzle(text string) (swizzle, offset, layout string, ok bool) {
	if m := swizzledForm.FindStringSubmatch(text); m != nil {
		return m[1], m[2], m[3], true
	}
	return "", "", "", false
}

// names lists the words of a text that are none of the notation's.
func names(text string) []string {
	isLetter := func(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	isMore := func(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }
	var list []string
	for i := 0; i < len(text); i++ {
		if !isLetter(text[i]) {
			continue
		}
		start := i
		for i < len(text) && isMore(text[i]) {
			i++
		}
		word := text[start:i]
		called := i < len(text) && text[i] == '('
		if word != "X" && word != "None" && (word != "Layout" && word != "ceil" || !called) {
			list = append(list, word)
		}
	}
	return list
}

// Where writes integers for names of sizes in the arguments.
//
//	(8*m,K):(K,1) where m = 4, K = 8  ->  (32,8):(8,1)
//
// A name that is in none of the arguments is an error.
func (o Operation) Where(texts []string, values map[string]int) ([]string, error) {
	return where(o.Params, texts, values)
}

// Where is Operation.Where.
func (c Claim) Where(texts []string, values map[string]int) ([]string, error) {
	return where(c.Params, texts, values)
}

// WhereLayout is Operation.Where of a layout and its coordinates.
func WhereLayout(texts []string, values map[string]int) ([]string, error) {
	return where(layoutAndCoords(texts), texts, values)
}

func where(params []Param, texts []string, values map[string]int) ([]string, error) {
	present := symbolsOf(params, texts)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(present, name) {
			return nil, fmt.Errorf("%s = %d: %s is in none of the arguments", name, values[name], name)
		}
	}
	written := slices.Clone(texts)
	for i, text := range texts[:min(len(texts), len(params))] {
		var err error
		if nameable := params[i].Kind.nameable(text); nameable == plainBasis(text) {
			written[i], err = substituted(nameable, values)
		} else if swizzle, offset, layout, ok := cutSwizzle(text); ok && nameable != "" {
			if offset, err = substituted(offset, values); err != nil {
				return nil, err
			}
			layout, err = substituted(layout, values)
			written[i] = swizzle + " o " + offset + " o " + layout
		}
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// substituted evaluates the leaves of a text that have one of the names.
func substituted(text string, values map[string]int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		stop := leafEnd(text, i)
		if stop == i {
			b.WriteByte(text[i])
			i++
			continue
		}
		leaf, err := leafWith(text[i:stop], values)
		if err != nil {
			return "", err
		}
		b.WriteString(leaf)
		i = stop
	}
	return b.String(), nil
}

// leafEnd is where a leaf that begins at i ends: at a mark of a list that is in no expression. A parenthesis behind an operator or ceil
// opens an expression, any other a list.
func leafEnd(text string, i int) int {
	depth := 0
	for start := i; i < len(text); i++ {
		switch text[i] {
		case '(':
			before := strings.TrimRight(text[start:i], " \t\r\n")
			isFactor := before != "" && strings.IndexByte("*+-/", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "ceil")
			if depth == 0 && !isFactor {
				return i
			}
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':', ';', '<', '>', '[', ']':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// leafWith is an expression, or a multiple of a basis element, with the values.
func leafWith(leaf string, values map[string]int) (string, error) {
	if !slices.ContainsFunc(names(leaf), func(name string) bool { _, ok := values[name]; return ok }) {
		return leaf, nil
	}
	expression, basis, along := strings.Cut(leaf, "@")
	if along {
		basis = "@" + basis
	}
	if n, ok := values[strings.TrimSpace(expression)]; ok { // the value of a coordinate may be 0
		return strconv.Itoa(n) + basis, nil
	}
	e, err := dynamic.ParseInt(expression)
	if err != nil {
		return "", err
	}
	ints := map[string]dynamic.Int{}
	for name, n := range values {
		ints[name] = dynamic.Const(n)
	}
	with := e.With(ints)
	return with.String() + basis, with.Err()
}
