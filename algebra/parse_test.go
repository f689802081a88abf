package algebra

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseLayout(t *testing.T) {
	for in, want := range map[string]string{
		"8:1":                           "8:1",
		"((2,2),3):((24,2),8)":          "((2,2),3):((24,2),8)",
		" ( 4 , 2 ) : ( 1 , -4 ) ":      "(4,2):(1,-4)",
		"(4,8):(1@0,1@1)":               "(4,8):(1@0,1@1)",
		"((4,2),3):((1@0@0,1@1@0),7@1)": "((4,2),3):((1@0@0,1@1@0),7@1)",
		"():()":                         "():()",
	} {
		got, err := ParseLayout(in)
		require.NoError(t, err)
		require.Equal(t, want, got.String())
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"tuple", "", `tuple "": column 1: the text ends, allowed is an integer, '_' or '('`},
		{"tuple", "(4,", `tuple "(4,": column 4: the text ends, allowed is an integer, '_' or '('`},
		{"tuple", "(4 2)", `tuple "(4 2)": column 4: got '2', allowed is ',' or ')'`},
		{"tuple", "(4,2))", `tuple "(4,2))": column 6: got ')', allowed is the end`},
		{"tuple", "(4,a)", `tuple "(4,a)": column 4: got 'a', allowed is an integer, '_' or '('`},
		{"tuple", "(4,-)", `tuple "(4,-)": column 5: got ')', allowed is an integer`},
		{"tuple", "4@-1", `tuple "4@-1": column 3: basis mode -1, allowed is 0 or more`},
		{"tuple", "4@", `tuple "4@": column 3: the text ends, allowed is an integer`},
		{"tuple", "(1,9223372036854775808)", `tuple "(1,9223372036854775808)": column 4: 9223372036854775808 does not fit in 64 bits`},
		{"layout", "(4,2)", `layout "(4,2)": column 6: the text ends, allowed is ':' and a stride, as in (4,2):(1,4), which is column-major`},
		{"layout", "(4,2):(1)", `layout "(4,2):(1)": column 7: got a tuple of 1, allowed is one of 2: shape and stride differ in profile`},
		{"layout", "(4,0):(1,4)", `layout "(4,0):(1,4)": column 4: got 0, allowed are extents of at least 1`},
		{"layout", "(4,2):(1,4) o", `layout "(4,2):(1,4) o": column 13: got 'o', allowed is the end`},
		{"tiler", "(4:1,(2,3):)", `tiler "(4:1,(2,3):)": column 12: got ')', allowed is an integer, '_' or '('`},
		{"tiler", "(4:1,2):(1,2)", `tiler "(4:1,2):(1,2)": column 8: got ':', allowed is the end`},
		{"tiler", "(4:2:1)", `tiler "(4:2:1)": column 5: got ':', allowed is ',' or ')'`},
		{"swizzle", "Sw<2,3>", `swizzle "Sw<2,3>": column 7: got '>', allowed is ","`},
		{"swizzle", "T<2,3,3>", `swizzle "T<2,3,3>": column 1: got 'T', allowed is "Sw<"`},
		{"swizzle", "Sw<2,3,3", `swizzle "Sw<2,3,3": column 9: the text ends, allowed is ">"`},
		{"swizzled layout", "Sw<2,3,3> (8):(1)", `swizzled layout "Sw<2,3,3> (8):(1)": column 11: got '(', allowed is "o"`},
		{"swizzled layout", "Sw<2,3,3> o 0 8:1", `swizzled layout "Sw<2,3,3> o 0 8:1": column 15: got '8', allowed is "o"`},
		{"swizzled layout", "Sw<2,3,3> o x o 8:1", `swizzled layout "Sw<2,3,3> o x o 8:1": column 13: got 'x', allowed is an integer`},
	} {
		require.EqualError(t, parsers[c.what](c.text), c.want)
	}
}

func TestParseDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(", n) + "4" + strings.Repeat(")", n) }
	_, err := ParseTuple(nested(64))
	require.NoError(t, err)
	_, err = ParseTuple(nested(65))
	require.ErrorContains(t, err, "column 65: nested deeper than 64")
	_, err = ParseTiler(strings.Repeat("(", 1<<20))
	require.ErrorContains(t, err, "column 65: nested deeper than 64")
}

func TestParseTiler(t *testing.T) {
	require.Equal(t, layout(t, "4:2"), tiler(t, "4:2"))
	require.Equal(t, layout(t, "(4,2):(2,1)"), tiler(t, "(4,2):(2,1)"))
	require.Equal(t, tuple(t, "(4,(2,_))"), tiler(t, "(4,(2,_))"))
	require.Equal(t, tuple(t, "_"), tiler(t, "X"))
	mixed := Tile{layout(t, "4:1"), Underscore, Tile{Int(2), layout(t, "(3,2):(8,1)")}}
	require.Equal(t, mixed, tiler(t, "(4:1,_,(2,(3,2):(8,1)))"))
	require.Equal(t, "(4:1,_,(2,(3,2):(8,1)))", mixed.String())
}

func TestMustLayout(t *testing.T) {
	require.Equal(t, "(4,2):(1,4)", MustLayout("(4,2):(1,4)").String())
	require.PanicsWithError(t, `layout "(4,2)": column 6: the text ends, allowed is ':' and a stride, as in (4,2):(1,4), which is column-major`, func() { MustLayout("(4,2)") })
}

// parsers are the Parse functions by what they read.
var parsers = map[string]func(string) error{
	"tuple":           func(s string) error { _, err := ParseTuple(s); return err },
	"layout":          func(s string) error { _, err := ParseLayout(s); return err },
	"tiler":           func(s string) error { _, err := ParseTiler(s); return err },
	"swizzle":         func(s string) error { _, err := ParseSwizzle(s); return err },
	"swizzled layout": func(s string) error { _, err := ParseComposed(s); return err },
}

// requirePicture states what holds of every error: it says what was read, it points into the text, and it is short and plain.
func requirePicture(t *testing.T, what, text string, err error) {
	t.Helper()
	var s *SyntaxError
	require.ErrorAs(t, err, &s)
	require.Equal(t, what, s.What)
	require.Equal(t, text, s.Text)
	require.Positive(t, s.Column)
	require.LessOrEqual(t, s.Column, len(text)+1)
	line, caret, _ := strings.Cut(s.Picture(), "\n")
	columns := 0
	for _, letter := range line {
		if ' ' <= letter && letter <= '~' {
			columns++
			continue
		}
		text, n := Printable(string(letter))
		require.Equal(t, string(letter), text, line)
		columns += n
	}
	require.LessOrEqual(t, columns, 86)
	require.Regexp(t, `^ *\^$`, caret)
	require.LessOrEqual(t, len(caret), columns+1)
	require.NotContains(t, s.Error(), "\n")
	require.Less(t, len(s.Error()), 500)
}

// Each printed form of another system, and the text that we print for the same value.
func TestParseForms(t *testing.T) {
	for in, want := range map[string]string{
		"(_4,_8):(_8,_1)":              "(4,8):(8,1)",
		"_4:_1":                        "4:1",
		"(_4,8):(_-1,-4)":              "(4,8):(-1,-4)",
		"(4,8):(_1@0,E<1>)":            "(4,8):(1@0,1@1)",
		"(4,8):(3*E<0,1>,_5 * E<1>)":   "(4,8):(3@1@0,5@1)",
		"(4, 8):(1, 4)":                "(4,8):(1,4)",
		"Layout((4, 8),(1, 4))":        "(4,8):(1,4)",
		"(4,):(1,)":                    "(4):(1)",
		"((4,),8):((1,),4)":            "((4),8):((1),4)",
		"\t( 4 ,\r\n8 ) : ( 1 , 4 )\n": "(4,8):(1,4)",
		"( )   :( )":                   "():()",
	} {
		got, err := ParseLayout(in)
		require.NoError(t, err)
		require.Equal(t, want, got.String(), in)
	}
	for in, want := range map[string]string{
		"Sw<3,4,3> o 0 o (8,64):(64,1)":        "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"Sw<3,4,3> o _5 o (_8,_64):(_64,_1)":   "Sw<3,4,3> o 5 o (8,64):(64,1)",
		"S<3,4,3> o 5 o (8,64):(64,1)":         "Sw<3,4,3> o 5 o (8,64):(64,1)",
		"S < 3,4,3>":                           "",
		"SW_3_4_-3 o 5 o (8, 64):(64, 1)":      "Sw<3,4,-3> o 5 o (8,64):(64,1)",
		"Swizzle(3,4,3) o 0 o Layout((8),(1))": "Sw<3,4,3> o 0 o 8:1",
		"Sw<0,4,3> o 0 o 8:1":                  "8:1",
		"Sw<0,4,3> o 7 o 8:1":                  "Sw<0,4,3> o 7 o 8:1",
	} {
		got, err := ParseComposed(in)
		if want == "" {
			require.Error(t, err)
			continue
		}
		if strings.Contains(in, "(8),(1)") {
			want = strings.Replace(want, "8:1", "(8):(1)", 1)
		}
		require.NoError(t, err)
		require.Equal(t, want, got.String(), in)
	}
	for in, want := range map[string]string{
		"<4:1, 8:2>":                 "(4:1,8:2)",
		"<_4,_8>":                    "(4,8)",
		"(4:1,_,(2,3:8))":            "(4:1,_,(2,3:8))",
		"[4:1;_;[2:1;3:8]]":          "(4:1,_,(2:1,3:8))",
		"(Layout(4,1), None, 5)":     "(4:1,_,5)",
		"(4:1,)":                     "(4:1)",
		"<(3,4):(4,1), (5,_)>":       "((3,4):(4,1),(5,_))",
		"(_4:_1,_,_8:_2)":            "(4:1,_,8:2)",
		"Layout((4,8),(8,1))":        "(4,8):(8,1)",
		"[(2):(1);(2):(1)]":          "((2):(1),(2):(1))",
		"((4,2),3):((1,16),\n\t4@1)": "",
	} {
		got, err := ParseTiler(in)
		if want == "" {
			require.ErrorContains(t, err, "cannot be added")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tiler(t, want), got, in)
	}
	for _, hole := range []string{"_", "X", "None", " _ "} {
		require.Equal(t, Underscore, tuple(t, hole))
	}
}

// Every other spelling of an integer is refused, with the fix where there is one.
func TestParseIntegers(t *testing.T) {
	for in, want := range map[string]string{
		"04":                             `column 1: got 04, allowed is 4`,
		"_04":                            `column 2: got 04, allowed is 4`,
		"00":                             `column 1: got 00, allowed is 0`,
		"-07":                            `column 1: got -07, allowed is -7`,
		"-0":                             `column 1: got -0, allowed is 0`,
		"+4":                             `column 1: got +4, allowed is 4`,
		"+":                              `column 2: the text ends, allowed is an integer`,
		"4_":                             `column 2: got '_', allowed is the end`,
		"1_000":                          `column 2: got '_', allowed is the end`,
		"__4":                            `column 2: got '_', allowed is the end`,
		"_ 4":                            `column 3: got '4', allowed is the end`,
		"_-":                             `column 3: the text ends, allowed is an integer`,
		"_M":                             `column 2: got 'M', allowed is the end`,
		"4 2":                            `column 3: got '2', allowed is the end`,
		"4.0":                            `column 2: got '.', allowed is the end`,
		"４":                              `column 1: got '４', allowed is an integer, '_' or '('`,
		"4٤":                             `column 2: got '\u0664', allowed is the end`,
		"?":                              `column 1: got '?', a number known at run time, allowed is an integer, '_' or '('`,
		"4@_1":                           `column 3: got '_', allowed is an integer`,
		"E<>":                            `column 3: got '>', allowed is an integer`,
		"E<-1>":                          `column 3: basis mode -1, allowed is 0 or more`,
		"E<1":                            `column 4: the text ends, allowed is ","`,
		"4*4":                            `column 3: got '4', allowed is "E<"`,
		"(4,8,)":                         `column 6: got ')', allowed is an integer, '_' or '('`,
		"(,)":                            `column 2: got ',', allowed is an integer, '_' or '('`,
		"4\x00":                          `column 2: got '\x00', allowed is the end`,
		"\xff4":                          `column 1: got '\xff', allowed is an integer, '_' or '('`,
		"'4'":                            `column 1: got '\'', allowed is an integer, '_' or '('`,
		"123456789012345678901234567890": `column 1: 123456789012345678901234... does not fit in 64 bits`,
	} {
		_, err := ParseTuple(in)
		require.ErrorContains(t, err, want)
		require.True(t, strings.HasSuffix(err.Error(), want), err)
	}
}

// What MakeLayout and Validate refuse in a text points at the leaf.
func TestParseLayoutFaults(t *testing.T) {
	for in, want := range map[string]string{
		"(4,(2,0)):(1,(4,8))":               `column 7: got 0, allowed are extents of at least 1`,
		"(4,_):(1,4)":                       `column 4: got _, allowed are extents of at least 1`,
		"(4,2@0):(1,4)":                     `column 4: got 2@0, allowed are extents of at least 1`,
		"(4,2):(1,_)":                       `column 10: got _, allowed are integers and scaled basis elements`,
		"(4,2):(1)":                         `column 7: got a tuple of 1, allowed is one of 2: shape and stride differ in profile`,
		"(4,(2,3)):(1,4)":                   `column 14: got 4, allowed is a tuple of 2: shape and stride differ in profile`,
		"(4,2):(1,(4))":                     `column 10: got a tuple, allowed is an integer: shape and stride differ in profile`,
		"(4,2,3):(1@0,5,1@1)":               `column 14: strides 1@0 and 5 cannot be added, allowed are offsets or coordinates of one profile`,
		"(4,2,3):(1@0,2@1,3@64)":            `column 18: stride 3@64: got basis mode 64, allowed are 0 to 63`,
		"(4294967296,3,4294967296):(0,0,0)": `column 15: the size does not fit in 64 bits`,
		"(3,5,2):(1,4611686018427387904,1)": `column 12: cosize does not fit in 64 bits`,
	} {
		_, err := ParseLayout(in)
		require.ErrorContains(t, err, want)
		_, err = ParseTiler(in)
		require.ErrorContains(t, err, want)
	}
	for in, want := range map[string]string{
		"Sw<3,2,2> o 0 o 8:1":                        `column 1: swizzle Sw<3,2,2>: the fields overlap`,
		"Sw<3,3,3> o -1 o 8:1":                       `column 18: offsets before the swizzle from -1, allowed are 0 to 2^62-1`,
		"Sw<3,3,3> o 0 o (8,8):(1@0,1@1)":            `column 17: its layout's values are coordinates, allowed are plain strides`,
		"Sw<3,4,3> o smem_ptr[16b](unset) o (8):(1)": `column 13: got a pointer, whose swizzle permutes bytes, allowed is an integer`,
	} {
		_, err := ParseComposed(in)
		require.ErrorContains(t, err, want)
	}
	_, err := ParseTuple(strings.Repeat("4,", 2000))
	require.ErrorContains(t, err, "column 2: got ',', allowed is the end")
	_, err = ParseTuple("(" + strings.Repeat("4,", 1023) + "4)")
	require.NoError(t, err)
	_, err = ParseTuple("(" + strings.Repeat("4,", 1024) + "4)")
	require.ErrorContains(t, err, "column 2050: more than 1024 integers")
	_, err = ParseTuple("4" + strings.Repeat("@0", 65))
	require.ErrorContains(t, err, "column 131: a basis element nested deeper than 64")
}

func TestPicture(t *testing.T) {
	picture := func(text string) string {
		_, err := ParseLayout(text)
		var s *SyntaxError
		require.ErrorAs(t, err, &s)
		requirePicture(t, "layout", text, err)
		return "\n" + s.Picture() + "\n"
	}
	require.Equal(t, `
(4,0):(1,4)
   ^
`, picture("(4,0):(1,4)"))
	require.Equal(t, `
(4,2
    ^
`, picture("(4,2"))
	require.Equal(t, `
\t(4,\u00a08)
     ^
`, picture("\t(4,\u00a08)"))
	require.Equal(t, `
(4,\x1b[2J
   ^
`, picture("(4,\x1b[2J"))
	// Full-width letters take two columns.
	require.Equal(t, `
（4，2）：（1，2）
^
`, picture("（4，2）：（1，2）"))
	require.Equal(t, `
(４,行\u0301,2):(1,2)
 ^
`, picture("(４,行\u0301,2):(1,2)"))
	require.Equal(t, `
(4,2)：(1,2)
     ^
`, picture("(4,2)：(1,2)"))
	wide := "(" + strings.Repeat("4,", 10) + "4" + strings.Repeat("，4", 200)
	require.Equal(t, `
(`+strings.Repeat("4,", 10)+"4"+strings.Repeat("，4", 19)+`...
`+strings.Repeat(" ", 22)+`^
`, picture(wide))
	// 79 letters and the fault at the end are shown whole; of more, the part around the fault.
	short := "(" + strings.Repeat("4,", 38) + "4x"
	require.Equal(t, short+"\n"+strings.Repeat(" ", 78)+"^", strings.TrimSpace(picture(short)))
	long := "(" + strings.Repeat("7,", 300) + "x" + strings.Repeat(",5", 300) + ")"
	require.Equal(t, `
...`+strings.Repeat("7,", 28)+`x,5,5,5,5,5,5,5,5,5,5,5,...
`+strings.Repeat(" ", 59)+`^
`, picture(long))
	_, err := ParseLayout(long)
	require.EqualError(t, err, `layout "...`+strings.Repeat("7,", 28)+`x,5,5,5,5,5,5,5,5,5,5,5,...": column 602: `+
		`got 'x', allowed is an integer, '_' or '('`)
}

// Random values print as texts that parse to the same value, with underscores and spaces in between too.
func TestPrintParses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 141))
	var random func(depth int) Tuple
	random = func(depth int) Tuple {
		if depth > 0 && rng.IntN(2) == 0 {
			elems := make([]Tuple, rng.IntN(4))
			for i := range elems {
				elems[i] = random(depth - 1)
			}
			return Tuple{elems: elems}
		}
		switch rng.IntN(6) {
		case 0:
			return Underscore
		case 1:
			return Basis(rng.IntN(9)-4, rng.IntN(3), rng.IntN(3))
		case 2:
			return Int(rng.Int() - rng.Int())
		}
		return Int(rng.IntN(20))
	}
	kinds := map[bool]int{}
	for range 3000 {
		want := random(4)
		text := want.String()
		require.Equal(t, text, tuple(t, text).String())
		require.True(t, want.Equal(tuple(t, text)))
		require.True(t, want.Equal(tuple(t, strings.NewReplacer(",", " ,\t", "(", "( ", ")", "\n)").Replace(text))))
		again, err := ParseTiler(text)
		require.NoError(t, err)
		require.Equal(t, tuple(t, text), again)
		kinds[want.IsLeaf()]++
	}
	require.Greater(t, kinds[false], 1000)
}
