package algebra

import (
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
	parse := map[string]func(string) error{
		"tuple":    func(s string) error { _, err := ParseTuple(s); return err },
		"layout":   func(s string) error { _, err := ParseLayout(s); return err },
		"tiler":    func(s string) error { _, err := ParseTiler(s); return err },
		"swizzle":  func(s string) error { _, err := ParseSwizzle(s); return err },
		"composed": func(s string) error { _, err := ParseComposed(s); return err },
	}
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
		{"layout", "(4,2)", `layout "(4,2)": column 6: the text ends, allowed is ':'`},
		{"layout", "(4,2):(1)", `layout "(4,2):(1)": column 7: layout (4,2):(1): shape and stride differ in profile, allowed is one stride for each extent`},
		{"layout", "(4,0):(1,4)", `layout "(4,0):(1,4)": column 7: layout (4,0):(1,4): shape (4,0): got 0, allowed are integers of at least 1`},
		{"layout", "(4,2):(1,4) o", `layout "(4,2):(1,4) o": column 13: got 'o', allowed is the end`},
		{"tiler", "(4:1,(2,3):)", `tiler "(4:1,(2,3):)": column 12: got ')', allowed is an integer, '_' or '('`},
		{"tiler", "(4:1,2):(1,2)", `tiler "(4:1,2):(1,2)": column 8: got ':', allowed is the end`},
		{"tiler", "(4:2:1)", `tiler "(4:2:1)": column 5: got ':', allowed is ',' or ')'`},
		{"swizzle", "Sw<2,3>", `swizzle "Sw<2,3>": column 7: got '>', allowed is ","`},
		{"swizzle", "S<2,3,3>", `swizzle "S<2,3,3>": column 1: got 'S', allowed is "Sw<"`},
		{"swizzle", "Sw<2,3,3", `swizzle "Sw<2,3,3": column 9: the text ends, allowed is ">"`},
		{"composed", "Sw<2,3,3> (8):(1)", `swizzled layout "Sw<2,3,3> (8):(1)": column 11: got '(', allowed is "o"`},
		{"composed", "Sw<2,3,3> o 0 8:1", `swizzled layout "Sw<2,3,3> o 0 8:1": column 15: got '8', allowed is "o"`},
		{"composed", "Sw<2,3,3> o x o 8:1", `swizzled layout "Sw<2,3,3> o x o 8:1": column 13: got 'x', allowed is an integer`},
	} {
		require.EqualError(t, parse[c.what](c.text), c.want)
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
	require.PanicsWithError(t, `layout "(4,2)": column 6: the text ends, allowed is ':'`, func() { MustLayout("(4,2)") })
}
