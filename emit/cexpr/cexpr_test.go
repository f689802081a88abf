package cexpr

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEval(t *testing.T) {
	values := map[string]int{"t": 13, "i": -7, "blockIdx.x": 3, "ld": 1 << 20}
	for text, want := range map[string]int{
		"7":                            7,
		"t":                            13,
		"-t":                           -13,
		"- -t":                         13,
		"~t":                           -14,
		"1 + 2 * 3":                    7,
		"(1 + 2) * 3":                  9,
		"10 - 3 - 2":                   5, // from the left
		"100 / 10 / 5":                 2,
		"7 * 100 / 10 % 4":             2,
		"i / 2":                        -3, // toward zero
		"i % 4":                        -3,
		"i >> 1":                       -4,
		"1 << 3 + 1":                   16, // + binds tighter than <<
		"t & 7 + 8":                    13, // and than &
		"t ^ 3 & 1":                    12, // & tighter than ^
		"1 | 6 ^ 2":                    5,  // ^ tighter than |
		"t & 7 << 1":                   12, // << tighter than &
		"(t >> 2) * 132 + (t & 3) * 4": 3*132 + 4,
		"blockIdx.x * 64 + t":          205,
		"ld * (long long)ld":           1 << 40,
		"(long long)ld * ld":           1 << 40,
		"(long long) ld * ld + t":      1<<40 + 13,
		"(int)(2147483648 / 2)":        1 << 30,
		"2147483648 - 1":               math.MaxInt32,
		"\t t\n":                       13,
	} {
		e, err := Parse(text)
		require.NoError(t, err, text)
		got, err := e.Eval(values)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// What C leaves undefined is refused, and the value before it is not.
func TestEvalRefuses(t *testing.T) {
	for _, c := range []struct {
		text      string
		good, bad int // values of x
		want      string
	}{
		{"x + 1", math.MaxInt32 - 1, math.MaxInt32, "2147483648 does not fit in an int"},
		{"x - 1", math.MinInt32 + 1, math.MinInt32, "-2147483649 does not fit in an int"},
		{"x * 65536", 32767, 32768, "2147483648 does not fit in an int"},
		{"(long long)x * 4611686018427387904", 1, 2, "2 * 4611686018427387904 is undefined"},
		{"(long long)x * 9223372036854775807 + 1", 0, 1, "9223372036854775807 + 1 is undefined"},
		{"-(long long)x * 9223372036854775807 - 2", 0, 1, "9223372036854775807 - 2 is undefined"},
		{"-(-9223372036854775807 - x)", 0, 1, "-(-9223372036854775808) is undefined"},
		{"1 << x", 30, 31, "2147483648 does not fit in an int"},
		{"1 << x", 0, 32, "1 << 32 is undefined"},
		{"1 >> x", 31, -1, "1 >> -1 is undefined"},
		{"x << 1", 0, -1, "-1 << 1 is undefined"},
		{"(long long)1 << x", 62, 63, "1 << 63 is undefined"},
		{"5 / x", 1, 0, "5 / 0 is undefined"},
		{"5 % x", 1, 0, "5 % 0 is undefined"},
		{"(-9223372036854775807 - 1) / x", 1, -1, "-9223372036854775808 / -1 is undefined"},
		{"(int)((long long)x * 2)", 1 << 29, 1 << 30, "2147483648 does not fit in an int"},
		{"x", 0, 1 << 31, "2147483648 does not fit in an int"},
	} {
		e, err := Parse(c.text)
		require.NoError(t, err, c.text)
		_, err = e.Eval(map[string]int{"x": c.good})
		assert.NoError(t, err, "%s at %d", c.text, c.good)
		_, err = e.Eval(map[string]int{"x": c.bad})
		assert.ErrorContains(t, err, c.want, "%s at %d", c.text, c.bad)
	}
	e, err := Parse("x + y * x")
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, e.Names())
	_, err = e.Eval(map[string]int{"x": 1})
	assert.EqualError(t, err, "expression x + y * x: y has no value")
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `expression "": column 1: the text ends, want a name, a number or (`,
		"1 +":                  "column 4: the text ends, want a name, a number or (",
		"(1 + 2":               "column 7: the text ends, want an operator or )",
		"1 2":                  `column 3: got "2", want an operator or the end`,
		"a ** b":               `column 4: got "* b", want a name, a number or (`,
		"017":                  "want a decimal number of 64 bits",
		"1.5":                  "want a decimal number of 64 bits",
		"1u":                   "want a decimal number of 64 bits",
		"99999999999999999999": "want a decimal number of 64 bits",
		"a < b":                `column 3: got "< b", want an operator or the end`,
		"a[1]":                 `got "[1]", want an operator or the end`,
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, want)
	}
	_, err := Parse(nest(mostDepth - 1))
	assert.NoError(t, err)
	_, err = Parse(nest(mostDepth))
	assert.ErrorContains(t, err, "want at most 200 levels")
}

func nest(n int) string {
	text := "x"
	for range n {
		text = "(" + text + ")"
	}
	return text
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"(t & 7) * 4 + (t >> 3)", "-(long long)x / 0", "((", "1 << 63", "a.b ^ ~c | d"} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		values := map[string]int{}
		for _, name := range e.Names() {
			values[name] = n
		}
		got, err := e.Eval(values)
		again, errAgain := e.Eval(values)
		assert.Equal(t, got, again)
		assert.Equal(t, err, errAgain)
	})
}

func TestOps(t *testing.T) {
	for text, want := range map[string]int{
		"t": 0, "5": 0, "-5": 0, "-t": 1, "~t * 2": 2, "16 * 8 * 128": 0, "t * (16 * 8)": 1, "t % 32 * 33 + t / 32": 4, "(long long)t * 2": 1,
	} {
		e, err := Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, e.Ops(), text)
	}
}
