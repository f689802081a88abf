package dynamic

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/internal/cases"
)

// ask answers a recorded question with other arguments.
func ask(t *testing.T, op string, args []string) (Layout, error) {
	t.Helper()
	l, err := Parse(args[0])
	require.NoError(t, err)
	switch op {
	case "coalesce":
		return Coalesce(l)
	case "right_inverse":
		return RightInverse(l)
	case "complement":
		cotarget, err := ParseShape(args[1])
		require.NoError(t, err)
		return Complement(l, cotarget.Size())
	}
	right, err := Parse(args[1])
	require.NoError(t, err)
	if op == "composition" {
		return Composition(l, right)
	}
	require.Equal(t, "logical_divide", op)
	return LogicalDivide(l, Tiler{Layout: &right})
}

var integer = regexp.MustCompile(`_?\d+`)

// symbols writes a symbol for each integer of a question that is known at run time only, each another one, and says their values. A 0 stays,
// for a symbol is at least 1.
func symbols(v cases.Case) (args []string, values map[string]Int) {
	values = map[string]Int{}
	for _, a := range v.Raw[:len(v.Args)] {
		args = append(args, integer.ReplaceAllStringFunc(a, func(n string) string {
			if n[0] == '_' || n == "0" {
				return n
			}
			name := fmt.Sprintf("s%d", len(values))
			value, _ := strconv.Atoi(n)
			values[name] = Const(value)
			return name
		}))
	}
	return args, values
}

// tally counts how our answers compare with CuTe C++'s.
type tally struct {
	Same    int // the same text
	Equal   int // the same function, another text
	Refused int
}

// TestVectors: the questions with a symbol for each integer that CuTe is not told when it compiles, and the answers with
// the values that the unit test gives them. CuTe asks for a condition's value at run time; here it must hold for all values, so
// that more is refused.
func TestVectors(t *testing.T) {
	got := map[string]tally{}
	for _, v := range cases.Read(t, filepath.Join("testdata", "vectors", "cute-cpp-unit-dynamic.jsonl")) {
		c := got[v.Op]
		require.Len(t, v.Raw, len(v.Args)+1, v)
		args, values := symbols(v)
		require.NotEmpty(t, values, v.Raw)
		l, err := ask(t, v.Op, args)
		if err == nil {
			l, err = l.With(values)
			require.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, ErrUndecided, "%s %v", v.Op, args)
		}
		c.compare(t, v, l, err)
		got[v.Op] = c
	}
	assert.Equal(t, map[string]tally{
		"coalesce":       {Same: 9, Equal: 2}, // more is merged: (2,s,6):(1,2,t) is (2*s,6):(1,t)
		"complement":     {Same: 18, Equal: 4, Refused: 4},
		"composition":    {Same: 6, Refused: 4},
		"logical_divide": {Same: 4, Equal: 1, Refused: 3},
		"right_inverse":  {Same: 6},
	}, got)
}

// compare counts an answer that has no symbols any more.
func (c *tally) compare(t *testing.T, v cases.Case, l Layout, err error) {
	t.Helper()
	if err != nil {
		c.Refused++
		return
	}
	static, err := l.Static()
	require.NoError(t, err)
	if static.String() == v.Answer() {
		c.Same++
		return
	}
	defer func() {
		if t.Failed() {
			t.Logf("%s %v: %v, want %s", v.Op, v.Args, l, v.Answer())
		}
	}()
	requireSame(t, algebra.MustLayout(v.Answer()), static)
	c.Equal++
}
