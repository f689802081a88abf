package catalogue

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"cutegen/kernels"
)

// parse reads the text of a spec file. Every error has the form file:line:column: message.
func parse(file string, text []byte) ([]Entry, error) {
	tokens := lexer.Tokenize(string(text))
	if err := checkSize(file, tokens); err != nil {
		return nil, err
	}
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	var list *ast.SequenceNode
	for _, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil:
		case *ast.SequenceNode:
			if list != nil {
				return nil, at(file, body, "a second document: want one list of kernels")
			}
			list = body
		case *ast.CommentGroupNode:
		default:
			return nil, at(file, body, "want a list of mappings, each with a field family")
		}
	}
	if list == nil || len(list.Values) == 0 {
		return nil, fmt.Errorf("%s:1:1: no kernels: want a list of mappings, each with a field family", file)
	}
	names := map[string]string{}
	var entries []Entry
	for _, node := range list.Values {
		e, err := entry(file, node)
		if err != nil {
			return nil, err
		}
		if first, ok := names[e.Name]; ok {
			return nil, fmt.Errorf("%s: kernel %s is stated already at %s", e.Pos, e.Name, first)
		}
		names[e.Name] = e.Pos
		entries = append(entries, e)
	}
	return entries, nil
}

// checkSize refuses what the parser would take forever on: its time and its memory grow with the square of the tokens of one entry, of
// nested brackets and of documents.
func checkSize(file string, tokens token.Tokens) error {
	const most = 1000
	entry, depth, size, documents := 0, 0, 0, 0 // the column of the list's entries, the open brackets, the tokens of this entry
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.CommentType:
			continue
		case token.DocumentHeaderType:
			if documents++; documents > 1 {
				return fmt.Errorf("%s:%d:%d: a second document: want one list of kernels", file, t.Position.Line, t.Position.Column)
			}
		case token.SequenceEntryType:
			if entry == 0 {
				entry = t.Position.Column
			}
			if t.Position.Column == entry && depth <= 0 {
				size = 0
			}
		}
		if size++; size > most {
			return fmt.Errorf("%s:%d:%d: one kernel goes on for more than %d words and signs: want a mapping of a few fields",
				file, t.Position.Line, t.Position.Column, most)
		}
	}
	return nil
}

func entry(file string, node ast.Node) (Entry, error) {
	var pairs []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return Entry{}, at(file, node, "want a kernel: a mapping with a field family")
	}
	e := Entry{Pos: position(file, node), at: map[string]string{}, keys: map[string]string{}}
	if len(pairs) > 0 {
		e.Pos = position(file, pairs[0].Key)
	}
	fields := kernels.Fields{}
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		if _, ok := fields[key]; ok {
			return e, at(file, p.Key, "field %s is stated twice", key)
		}
		value, ok := scalar(p.Value)
		if !ok {
			return e, at(file, p.Value, "field %s: want one value%s", key, example(key))
		}
		fields[key] = value
		e.at[key], e.keys[key] = position(file, p.Value), position(file, p.Key)
	}
	if err := e.fields(fields); err != nil {
		return e, e.positioned(err)
	}
	return e, nil
}

// example shows a field with a value, "" for a field that there is not.
func example(name string) string {
	for _, family := range Families() {
		for _, f := range FieldDocs(family) {
			if f.Name == name {
				return fmt.Sprintf(", as %s: %s", name, f.Example)
			}
		}
	}
	return ""
}

// scalar is the text of a plain, quoted or block value. Anchors, aliases and tags have no use here, and an empty value is none.
func scalar(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func position(file string, n ast.Node) string {
	p := n.GetToken().Position
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}

func at(file string, n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", position(file, n), fmt.Sprintf(format, args...))
}

// syntaxError gives the parser's error the form of all others. Its text begins with "[line:column] message" and goes on with an excerpt
// of the file.
func syntaxError(file string, err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	var line, column int
	if _, e := fmt.Sscanf(first, "[%d:%d]", &line, &column); e != nil {
		return fmt.Errorf("%s: %s", file, first)
	}
	_, message, _ := strings.Cut(first, "] ")
	return fmt.Errorf("%s:%d:%d: %s", file, line, column, message)
}
