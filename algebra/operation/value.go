package operation

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// A Value is an argument or an answer: an int, a bool, a Tuple, Layout, Composed, Tiler or Swizzle of package algebra, or one of the
// types below.
type Value any

// Offsets are the values of a layout at its positions 0, 1, ...
type Offsets []int

// String prints [0,4,8].
func (o Offsets) String() string {
	b := []byte{'['}
	for i, n := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, ']'))
}

// A Sliced is a part of a layout, and the offset at which it begins.
type Sliced struct {
	Layout Value // a Layout or a Composed
	Offset algebra.Tuple
}

// String prints (8):(1) at offset 16.
func (s Sliced) String() string { return fmt.Sprintf("%v at offset %v", s.Layout, s.Offset) }

// A Pair is a Sliced that prints as a tuple, as that of slice_and_offset: ((8):(1),16).
type Pair Sliced

// String prints ((8):(1),16).
func (p Pair) String() string { return fmt.Sprintf("(%v,%v)", p.Layout, p.Offset) }

// A Record is facts by their names: what there is to know of an atom.
type Record []Fact

// String prints A (4,8):(8,1), B (2,8):(8,1).
func (r Record) String() string {
	texts := make([]string, len(r))
	for i, f := range r {
		texts[i] = f.Name + " " + f.Is
	}
	return strings.Join(texts, ", ")
}

// with appends a layout, or the reason why there is none.
func (r Record) with(name string, layout func() (algebra.Layout, error)) Record {
	l, err := layout()
	if err != nil {
		return append(r, Fact{name, "none: " + err.Error()})
	}
	return append(r, Fact{name, l.String()})
}

// Text is a value as the recorded vectors write it: bools are 1 and 0, a Sliced is its layout.
func Text(v Value) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "1"
		}
		return "0"
	case int:
		return strconv.Itoa(v)
	case Sliced:
		return fmt.Sprint(v.Layout)
	case SlicedSymbols:
		return v.Layout.String()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

// A Row is a line of a batch: an operation with its arguments, and the answer or the reason why there is none.
type Row struct {
	Op    string
	Args  []string
	Got   Value
	Error string // "" if there is an answer
}

// Answer runs an operation.
func Answer(op string, texts []string) Row {
	row := Row{Op: op, Args: texts}
	o, err := Find(op)
	if err == nil {
		row.Got, err = o.Run(texts...)
	}
	if err != nil {
		row.Error = err.Error()
	}
	return row
}

// AppendJSON appends the row as one JSON object:
//
//	{"op":"local_tile","args":["(8,6):(6,1)","(4,3)","(1,0)"],"got":"(4,3):(6,1)","offset":24}
//	{"op":"offsets","args":["4:2"],"got":[0,2,4,6]}
//	{"op":"size","args":["4"],"error":"..."}
//
// got is a text, a list of offsets, or an object of texts for a Record.
func (r Row) AppendJSON(b []byte) []byte {
	b = append(b, `{"op":`...)
	b = appendText(b, r.Op)
	b = append(b, `,"args":[`...)
	for i, a := range r.Args {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, a)
	}
	b = append(b, ']')
	if r.Error != "" {
		b = append(b, `,"error":`...)
		return append(appendText(b, r.Error), '}')
	}
	b = append(b, `,"got":`...)
	switch v := r.Got.(type) {
	case Offsets:
		b = append(b, v.String()...)
	case Record:
		for i, f := range v {
			b = append(appendText(append(b, "{,"[min(i, 1)]), f.Name), ':')
			b = appendText(b, f.Is)
		}
		b = append(b, '}')
	case Sliced:
		b = append(appendText(b, Text(v)), `,"offset":`...)
		if n, err := integerOf(v.Offset); err == nil {
			b = strconv.AppendInt(b, int64(n), 10)
		} else {
			b = appendText(b, v.Offset.String())
		}
	case SlicedSymbols:
		b = v.appendJSON(b)
	default:
		b = appendText(b, Text(v))
	}
	return append(b, '}')
}

// appendText appends a JSON string; < and > stay as they are, for Sw<2,3,3>.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			var quoted strings.Builder
			enc := json.NewEncoder(&quoted)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(s); err != nil {
				panic("bug: a string has no JSON: " + err.Error())
			}
			return append(b, strings.TrimSuffix(quoted.String(), "\n")...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
