package catalogue

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"cutegen/kernels"
)

// parse reads the text of a spec file. Every error has the form file:line:column: message.
func parse(file string, text []byte) ([]Entry, error) {
	tree, err := parser.ParseBytes(text, 0)
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
	e := Entry{at: map[string]string{}}
	if len(pairs) > 0 {
		e.Pos = position(file, pairs[0].Key)
	}
	fields := kernels.Fields{}
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		if _, ok := fields[key]; ok {
			return e, at(file, p.Key, "field %s is stated twice", key)
		}
		value, ok := p.Value.(ast.ScalarNode)
		if !ok {
			return e, at(file, p.Value, "field %s: want one value, as %s: (64,64)", key, key)
		}
		fields[key] = value.GetToken().Value
		e.at[key] = position(file, p.Value)
	}
	if err := e.fields(fields); err != nil {
		return e, e.positioned(err)
	}
	return e, nil
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
