// Package cases reads recorded questions to the layout algebra, for the tests that ask them again.
package cases

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A Case is a question, and what a reference answers.
type Case struct {
	Op     string          `json:"op"`
	Args   []string        `json:"args"`
	Want   json.RawMessage `json:"want"`   // a text or a list of offsets
	Offset json.RawMessage `json:"offset"` // a number or a text, if the answer begins elsewhere
	Error  string          `json:"error"`  // the reference refuses
	Why    string          `json:"why"`    // the reference's answer is wrong
	Raw    []string        `json:"raw"`    // Args and Want, _4 where 4 was known when the question was compiled
}

// String is the question: composition (4,2):(2,1) 4:2.
func (c Case) String() string { return c.Op + " " + strings.Join(c.Args, " ") }

// Answer is the reference's answer, (answer,offset) where it has an offset.
func (c Case) Answer() string {
	if c.Offset != nil {
		return "(" + unquoted(c.Want) + "," + unquoted(c.Offset) + ")"
	}
	return unquoted(c.Want)
}

func unquoted(raw json.RawMessage) string {
	if text, err := strconv.Unquote(string(raw)); err == nil {
		return text
	}
	return string(raw)
}

// Read reads files of one JSON object a line. A line that is none, and a file without a line, fail t.
func Read(t testing.TB, paths ...string) []Case {
	t.Helper()
	return ReadAs[Case](t, paths...)
}

// ReadAs reads lines of another form.
func ReadAs[T any](t testing.TB, paths ...string) []T {
	t.Helper()
	var list []T
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n := len(list)
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var v T
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatalf("%s:%d: %v", path, len(list)-n+1, err)
			}
			list = append(list, v)
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if len(list) == n {
			t.Fatalf("%s: it has no line", path)
		}
	}
	return list
}
