package operation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
	"cutegen/algebra/notation"
)

// Each line of the table is whole: its example runs, its names are unique, optional parameters are last.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range All() {
		require.False(t, seen[o.Name], o.Name)
		seen[o.Name] = true
		assert.NotEmpty(t, o.Group, o.Name)
		assert.Less(t, len(o.Meaning), 60, o.Name)
		optional := false
		for _, p := range o.Params {
			assert.False(t, optional && !p.Optional, "%s: %s is behind an optional parameter", o.Name, p.Name)
			optional = p.Optional
		}
		_, err := o.Run(o.Example...)
		require.NoError(t, err, o.Name)
		_, err = o.Run()
		require.EqualError(t, err, fmt.Sprintf("%s: got 0 arguments, allowed are %s", o.Name, o.Usage()))
		_, err = o.Run(make([]string, len(o.Params)+1)...)
		require.ErrorContains(t, err, "arguments, allowed are")
		dashed, err := Find(strings.ReplaceAll(o.Name, "_", "-"))
		require.NoError(t, err)
		require.Equal(t, o.Name, dashed.Name)
	}
	_, err := Find("logical_product_")
	require.EqualError(t, err, `no operation "logical_product_"`)
}

// Every operation takes every kind of argument, or refuses it, at once: none panics.
func TestArgumentsOfOtherKinds(t *testing.T) {
	texts := []string{
		"4", "-3", "0", "_", "()", "(4)", "(4,(2,8))", "(2,_)", "(1,X,1)", "(1@0,4@1)", "9223372036854775807", "1:0", "()" + ":()",
		"(4,2):(2,1)", "(4,8):(1@0,1@1)", "(3,4):(-4,1)", "(2147483648,2147483648):(1,2147483648)", "(4:1,_,8)", "Sw<2,3,3>",
		"Sw<2,3,3> o 0 o (8,64):(64,1)", "Sw<1,0,-2> o 4 o 8:1", "", "(",
		"M", "(M,K):(K,1)",
	}
	names := []string{
		"", "x", "(4,2):(2,1)", "SM80_16x8x16_F32F16F16F32_TN", "SM75_U32x4_LDSM_N", "Copy_Atom<UniversalCopy<uint128_t>,half_t>", "GMMA_K_SW64",
		"float",
	}
	// Ten times the 50 ms that an answer may take on a machine with nothing else to do: the race detector and other programs have their share.
	const patience = 500 * time.Millisecond
	var slowest time.Duration
	var try func(o Operation, args []string, left int)
	try = func(o Operation, args []string, left int) {
		if left == 0 {
			start := time.Now()
			_, _ = o.Run(args...)
			if took := time.Since(start); took > patience { // once more: another program may have had the processor
				start = time.Now()
				_, _ = o.Run(args...)
				if took = min(took, time.Since(start)); took > slowest {
					slowest = took
					assert.Less(t, took, patience, "%s %q", o.Name, args)
				}
			}
			return
		}
		forms := texts
		if o.Params[len(args)].Kind == Name {
			forms = names
		}
		for _, text := range forms {
			try(o, append(args, text), left-1)
		}
	}
	for _, o := range All() {
		for n := range min(len(o.Params), 3) + 1 {
			try(o, nil, n)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ op, args, want string }{
		{"composition", "(6,2):(8,2)|(4,3):(3,1)", "((2,2),3):((24,2),8)"},
		{"composition", "(4,4):(4,1)|Sw<1,0,2>", "Sw<1,0,-2> o 0 o (4,4):(4,1)"},
		{"composition", "Sw<2,4,3>|Sw<1,6,3>", "Sw<3,4,3>"},
		{"composition", "Sw<1,0,2>|(4,4):(4,1)", "Sw<1,0,2> o 0 o (4,4):(4,1)"},
		{"composition", "Sw<1,0,2> o 0 o (4,4):(4,1)|8:2", "Sw<1,0,2> o 0 o (2,4):(8,1)"},
		{"composition", "(8,8):(8,1)|Sw<2,0,-3> o 0 o (8,8):(8,1)", "Sw<2,0,3> o 0 o (8,8):(1,8)"},
		{"composition", "Sw<2,0,3>|Sw<2,0,3> o 0 o (8,8):(1,8)", "(8,8):(1,8)"},
		{"composition", "Sw<1,0,2>|Sw<1,1,2> o 0 o (8,8):(1,8)", "Sw<2,0,2> o 0 o (8,8):(1,8)"},
		{"composition", "Sw<1,0,2>|Sw<1,0,3> o 4 o 8:1", "2 and 1 bits, allowed are equally many"},
		{"composition", "Sw<1,0,2>|(4,4)", "allowed are a layout after anything"},
		{"zipped_divide", "Sw<2,3,3> o 0 o (16,64):(64,1)|(8,16)", "Sw<2,3,3> o 0 o ((8,16),(2,4)):((64,1),(512,16))"},
		{"take", "1|3|(4,5,6)", "(5,6)"},
		{"get", "2|(4,5):(1,4)", "mode 2 of (4,5):(1,4), allowed are 0 to 1"},
		{"zip", "(4,5):(1,4)|(2,3,4):(1,2,6)", "ranks 2 and 3, allowed is one rank"},
		{"crd2crd", "(1,2)|(3,4,5)", "coordinate (1,2) does not fit the shape (3,4,5)"},
		{"offsets", "1048577:1", "a list of 1048577 offsets, allowed are at most 1048576"},
		{"offsets", "4:1@0", "its values are coordinates, allowed are plain strides"},
		{"upcast", "x|8:1", `column 1: got 'x'`},
		{"upcast", "(2)|8:1", "got (2), allowed is an integer"},
		{"domain_offset", "Sw<2,3,3> o 0 o (16,64):(64,1)|(3,5)", "Sw<2,3,3> o 197 o (16,64):(64,1)"},
		{"slice_and_offset", "(2,_)|(3,8):(8,1)", "((8):(1),16)"},
		{"compact_col_major", "(4,(M,1),3)|5", "(5,(20,0),20*M)"},
		{"compact_row_major", "(4,(M,1),3)|n", "(3*M*n,(3*n,0),n)"},
		{"compact_col_major", "(M,2)|0", "strides from 0, allowed are strides of at least 1"},
		{"ceil_div", "n|4:1", "ceil(n/4)"},
		{"ceil_div", "(2,3)|4:1", "ceil_div of (2,3) by 4:1: got (2,3), allowed is an integer"},
		{"logical_product", "4:1|Sw<1,0,2> o 0 o 8:1", "Sw<1,2,2> o 0 o (4,8):(1,4)"},
		{"logical_product", "Sw<1,0,2> o 0 o 8:1|Sw<1,0,2> o 0 o 8:1", "both are swizzled, allowed is one"},
		{"product_each", "4", "(4)"},
		{"product_like", "(4,2)|(0,(0,0))", "product of 2 like (0,0): allowed are guides that it refines"},
		{"complement", "Sw<1,0,2> o 0 o (2,4):(4,1)|16", "2:8"},
		{"complement", "Sw<1,0,2> o 0 o (2,4):(4,1)|(2,8)", "got (2,8), allowed is an integer"},
		{"max_common_layout", "Sw<2,3,3> o 0 o (8,64):(64,1)|(8,64):(64,1)", "8:8"},
		{"elem_less", "(3,4)|(4,4)", "0"},
		{"elem_less", "(3,3)|(4,4)", "1"},
	} {
		row := Answer(c.op, strings.Split(c.args, "|"))
		if row.Error != "" {
			require.Contains(t, row.Error, c.want, "%s %s", c.op, c.args)
			continue
		}
		require.Equal(t, c.want, Text(row.Got), "%s %s", c.op, c.args)
	}
}

func TestBatchOfBadLines(t *testing.T) {
	long := `{"op":"` + strings.Repeat("x", longestLine) + `"}`
	in := strings.Join([]string{
		`{"op":"size","args":["(4,2):(2,1)"]}`,
		``,
		`  `,
		`nonsense`,
		`{"op":"size","args":"4:1"}`,
		`{"op":"size"}`,
		`{"op":"sighs","args":["4:1"]}`,
		`{"op":"size","args":["4:1","\u0001\"é"]}`,
		long,
		`{"op":"cosize","args":["(4,2):(2,1)"],"want":"8","note":"passed over"}`,
		`{"op":"offsets","args":["3:2"]}`,
		`{"op":"tensor_slice","args":["(3,8):(8,1)","(2,_)"]}`,
		`{"op":"tensor_slice","args":["(3,8):(1@0,1@1)","(2,_)"]}`, // no newline behind it
	}, "\n")
	var out bytes.Buffer
	require.NoError(t, Batch(strings.NewReader(in), &out))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{
		`{"op":"size","args":["(4,2):(2,1)"],"got":"8"}`,
		`{"op":"","args":[],"error":"the line is no {\"op\":TEXT,\"args\":[TEXT,...]}: invalid character 'o' in literal null (expecting 'u')"}`,
		`{"op":"size","args":[],"error":"the line is no {\"op\":TEXT,\"args\":[TEXT,...]}: `,
		`{"op":"size","args":[],"error":"size: got 0 arguments, allowed are LAYOUT"}`,
		`{"op":"sighs","args":["4:1"],"error":"no operation \"sighs\""}`,
		`{"op":"size","args":["4:1","\u0001\"é"],"error":"size: got 2 arguments, allowed are LAYOUT"}`,
		`{"op":"","args":[],"error":"the line is longer than 1048576 bytes"}`,
		`{"op":"cosize","args":["(4,2):(2,1)"],"got":"8"}`,
		`{"op":"offsets","args":["3:2"],"got":[0,2,4]}`,
		`{"op":"tensor_slice","args":["(3,8):(8,1)","(2,_)"],"got":"(8):(1)","offset":16}`,
		`{"op":"tensor_slice","args":["(3,8):(1@0,1@1)","(2,_)"],"got":"(8):(1@1)","offset":"(2,0)"}`,
	}
	require.Len(t, lines, len(want))
	for i := range want {
		require.True(t, json.Valid([]byte(lines[i])), lines[i])
		require.Contains(t, lines[i], want[i])
	}
}

// An answer is there before the next question is asked.
func TestBatchAnswersAtOnce(t *testing.T) {
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	done := make(chan error)
	go func() { done <- Batch(questions, answer) }()
	lines := bufio.NewReader(answers)
	for n := 1; n < 4; n++ {
		_, err := fmt.Fprintf(ask, "{\"op\":\"size\",\"args\":[\"%d:1\"]}\n", n)
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("{\"op\":\"size\",\"args\":[\"%d:1\"],\"got\":\"%d\"}\n", n, n), line)
	}
	require.NoError(t, ask.Close())
	require.NoError(t, <-done)
}

func TestClaims(t *testing.T) {
	for _, c := range Claims() {
		counter, err := c.Check(c.Example...)
		require.NoError(t, err, c.Name)
		require.Empty(t, counter, c.Name)
	}
	for _, c := range []struct{ claim, args, want string }{
		{"equal", "(4,2):(1,4)|8:2", "at 1 the values are 1 and 2"},
		{"equal", "8:1|9:1", "the sizes are 8 and 9"},
		{"equal", "(2147483648,2):(1,2147483648)|(2147483648,2):(1,2147483649)", "they coalesce to 4294967296:1 and (2147483648,2):(1,2147483649)"},
		{"equal", "(2,3):(1@0,1@1)|(2,3):(1@0,2@1)", "at 2 the values are (0,1) and (0,2)"},
		{"equal", "Sw<1,0,2> o 0 o 8:1|8:1", "at 4 the values are 5 and 4"},
		{"congruent", "(4,(2,8))|(4,(2,(8)))", "8 stands beside (8)"},
		{"weakly-congruent", "(4,(2,3))|(4,5)", "(2,3) stands beside 5"},
		{"compatible", "(4,6)|(4,(2,4))", "6 stands beside (2,4), of size 8"},
		{"evenly_divides", "(8,6)|(4,4)", "(4,4) leaves a remainder of (8,6)"},
		{"injective", "(4,2):(1,3)", "coordinates (3,0) and (0,1) are both at 3"},
		{"injective", "(4,2):(1@0,0)", "coordinates (0,0) and (0,1) are both at (0)"},
		{"injective", "(1048577,2):(2,4)", "coordinates (2,0) and (0,1) are both at 4"},
		{"injective", "Sw<1,0,2> o 4 o (4,2):(1,3)", "coordinates (3,0) and (0,1) are both at 6"},
		{"contiguous", "(4,2):(1,5)", "no coordinate is at 4"},
		{"contiguous", "1048577:2", "no coordinate is at 1"},
		{"contiguous", "(1048577,2):(-1,-2)", ""},
		{"contiguous", "(3,2):(-2,5)", "no coordinate is at -3"},
		{"contiguous", "Sw<1,0,2> o 0 o 8:1", ""},
		{"contiguous", "Sw<1,0,2> o 4 o 3:1", "no coordinate is at 6"},
		{"covers", "4:1|0", ""},
		{"disjoint", "1048577:2|1048577:4|1", ""},
		{"disjoint", "1048577:2|1048577:3|2097154", ""},
		{"disjoint", "4:1|4:1|9223372036854775807", ""},
		{"disjoint", "4:-1|4:1|-9223372036854775807", ""},
		{"contiguous", "(2,2):(-1,3)", "no coordinate is at 1"},
		{"bijective", "(4,2):(-1,4)", "no coordinate is at 5"},
		{"disjoint", "4:2|2:5", "A at 0 and B at 0 are both at 0"},
		{"disjoint", "4:2|(2,2):(1,3)|3", "A at 2 and B at (1,0) are both at 4"},
		{"covers", "(3,4):(1,2)|10", "no coordinate is at 9"},
		{"composition", "(6,2):(8,2)|(4,3):(3,1)|(4,3):(24,8)", "A(B(2)) = A(6) = 2, not 48"},
		{"composition", "(6,2):(8,2)|(4,3):(3,1)|4:1", "the sizes of B and R are 12 and 4"},
		{"right_inverse", "(4,2):(2,1)|(2,4):(1,2)", "LAYOUT(R(1)) = LAYOUT(1) = 2, not 1"},
		{"left_inverse", "(4,2):(1,8)|(8,2):(1,5)", "R(LAYOUT(4)) = R(8) = 5, not 4"},
	} {
		claim, err := FindClaim(c.claim)
		require.NoError(t, err)
		counter, err := claim.Check(strings.Split(c.args, "|")...)
		require.NoError(t, err, "%s %s", c.claim, c.args)
		require.Equal(t, c.want, counter, "%s %s", c.claim, c.args)
	}
	for _, c := range []struct{ claim, args, want string }{
		{"injective", "(2,1048577):(2,2)", "coordinates (1,0) and (0,1) are both at 2"},
		{"disjoint", "1048577:2|1048577:3", "1048577:2: undecided, for its size is 1048577, and 262144 positions are looked at"},
		{"contiguous", "(2,2):(1@0,1@1)", "its values are coordinates, allowed are plain strides"},
		{"contiguous", "Sw<1,0,2> o 0 o (1048577,2):(2,4)", "undecided"},
		{"covers", "4:1@0|3", "its values are coordinates"},
		{"disjoint", "4:1", "got 1 arguments, allowed are A B [AT]"},
	} {
		claim, err := FindClaim(c.claim)
		require.NoError(t, err)
		counter, err := claim.Check(strings.Split(c.args, "|")...)
		if err == nil {
			require.Contains(t, counter, c.want)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	_, err := FindClaim("equals")
	require.EqualError(t, err, `no claim "equals"`)
}

func TestPoints(t *testing.T) {
	l, err := ParseLayout("(3,4):(1,2)")
	require.NoError(t, err)
	for at, want := range map[string]string{"7": "{(1,2) 7 5}", "(1,2)": "{(1,2) 7 5}"} {
		coord, err := Tuple.Parse(at)
		require.NoError(t, err)
		p, err := PointAt(l, args{coord}.tuple(0))
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(p))
	}
	coord := args{must(t, Tuple, "(1,4)")}.tuple(0)
	_, err = PointAt(l, coord)
	require.ErrorContains(t, err, "got 4 in shape 4, allowed is 0 to 3")
	points, err := PointsWith(l, args{must(t, Tuple, "4")}.tuple(0))
	require.NoError(t, err)
	require.Equal(t, "[{(2,1) 5 4} {(0,2) 6 4}]", fmt.Sprint(points))
	points, err = PointsWith(must(t, Layout, "(3,(4,2)):(1@0,(1@1,1@0))"), args{must(t, Tuple, "(2,3)")}.tuple(0))
	require.NoError(t, err)
	require.Equal(t, "[{(2,(3,0)) 11 (2,3)} {(1,(3,1)) 22 (2,3)}]", fmt.Sprint(points))
	for _, none := range []string{"((1,2),3)", "(_,3)", "(1,2,3)", "(1)", "7", "(9,9)"} {
		_, err = PointsWith(must(t, Layout, "(3,4):(1@0,1@1)"), args{must(t, Tuple, none)}.tuple(0))
		require.EqualError(t, err, "(3,4):(1@0,1@1): no coordinate is at "+none)
	}
	points, err = PointsWith(must(t, Layout, "(3,4):(1@0@0,1@1@0)"), args{must(t, Tuple, "((2,3))")}.tuple(0))
	require.NoError(t, err)
	require.Equal(t, "[{(2,3) 11 ((2,3))}]", fmt.Sprint(points))
	_, err = PointsWith(l, args{must(t, Tuple, "9")}.tuple(0))
	require.EqualError(t, err, "(3,4):(1,2): no coordinate is at 9")
}

func TestFactsWithSymbols(t *testing.T) {
	facts, err := Facts("Sw<1,0,2> o 0 o (M,(4,K)):(4*K,(1,4))")
	require.NoError(t, err)
	require.Equal(t, []Fact{
		{"layout", "Sw<1,0,2> o 0 o (M,(4,K)):(4*K,(1,4))"}, {"size", "4*K*M"}, {"cosize", "undecided"}, {"rank", "2"}, {"depth", "2"},
		{"coalesce", "Sw<1,0,2> o 0 o (M,4*K):(4*K,1)"}, {"injective", "yes"}, {"contiguous", "undecided"}, {"bijective", "undecided"}, {"symbols", "K, M"},
	}, facts)
	facts, err = Facts("(M,K):(1@0,1@1)")
	require.NoError(t, err)
	require.Equal(t, "symbols", facts[len(facts)-1].Name)
	for _, c := range []struct{ layout, coord, want string }{
		{"(M,K):(lda,1)", "(i,4)", "{(i,4) 4*M+i i*lda+4}"},
		{"(4,K):(1@0,1@1)", "4*k+3", "{(3,k) 4*k+3 (3,k)}"},
		{"(4,8):(8,1)", "(i,3)", "{(i,3) i+12 8*i+3}"},
		{"Sw<1,0,2> o 0 o (M,4):(4,1)", "(1,2)", "{(1,2) 2*M+1 7}"},
	} {
		p, err := PointAtSymbols(c.layout, c.coord)
		require.NoError(t, err, c)
		require.Equal(t, c.want, fmt.Sprint(p))
	}
	_, err = PointAtSymbols("(M,4):(4,1)", "(0,4)")
	require.ErrorContains(t, err, "got 4 in shape 4, allowed is 0 to 3")
	_, err = Facts("(M,4):(4,1")
	require.ErrorContains(t, err, "the text ends")
	_, err = ParseLayout("(M,4):(4,1)")
	require.EqualError(t, err, "(M,4):(4,1) of size 4*M: no answer without the value of M")
	require.ErrorIs(t, err, dynamic.ErrUndecided)
}

// Answers that package notation has no type for are written as what they consist of.
func TestWrite(t *testing.T) {
	for _, c := range []struct{ op, args, as, want string }{
		{"local_tile", "(8,6):(6,1)|(4,3)|(1,0)", "pycute", "(Layout((4, 3), (6, 1)), 24)"},
		{"local_tile", "(M,K):(lda,1)|(128,8)|(bx,_)", "dsl", "(cute.make_layout((128, 8, cute.ceil_div(K, 8)), stride=(lda, 1, 8)), 128 * bx * lda)"},
		{"slice_and_offset", "(2,_)|(3,8):(8,1)", "cpp", "make_tuple(make_layout(make_shape(Int<8>{}), make_stride(Int<1>{})), Int<16>{})"},
		{"slice_and_offset", "(_,k)|(M,K):(1,lda)", "pycute", "(Layout((M,), (1,)), k * lda)"},
		{"tensor_slice", "(3,8):(8,1)|(2,_)", "bases", "it begins at an offset"},
		{"compact_col_major", "(M,4)", "dsl", "(1, M)"},
		{"zipped_divide", "Sw<2,3,3> o 0 o (8*m,64):(64,1)|(8,64)", "dsl",
			"cute.make_composed_layout(cute.make_swizzle(2, 3, 3), 0, cute.make_layout(((8, 64), (m, 1)), stride=((64, 1), (512, 0))))"},
		{"size", "(M,4):(4,1)", "cpp", "4 * M"},
		{"copy_atom", "SM75_U32x1_LDSM_N", "pycute", "src_bits: Layout((("},
		{"copy_atom", "SM75_U32x1_LDSM_N", "triton", "thr_id: none: 32:1 as a Triton layout: it has one mode"},
		{"congruent", "(M,4)|(1,2)", "cpp", "got an answer of true or false"},
		{"offsets", "4:1", "cpp", "got another kind of value"},
	} {
		o, err := Find(c.op)
		require.NoError(t, err)
		v, err := o.Run(strings.Split(c.args, "|")...)
		require.NoError(t, err, c)
		n, err := notation.Find(c.as)
		require.NoError(t, err)
		text, err := Write(n, v)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Contains(t, text, c.want)
	}
}

func must(t *testing.T, k Kind, text string) Value {
	t.Helper()
	v, err := k.Parse(text)
	require.NoError(t, err)
	return v
}

// A message names the layout or the shape that was asked about, not one made on the way.
func TestCoordinateOutside(t *testing.T) {
	for _, c := range []struct{ layout, coord, want string }{
		{"(4,4):(4,1)", "(4,0)", "coordinate (4,0) of (4,4):(4,1): got 4 in shape 4, allowed is 0 to 3"},
		{"(4,4):(4,1)", "16", "coordinate 16 of (4,4):(4,1): got 16 in shape (4,4), allowed is 0 to 15"},
		{"(4,(2,2)):(4,(1,7))", "(0,(0,5))", "coordinate (0,(0,5)) of (4,(2,2)):(4,(1,7)): got 5 in shape 2, allowed is 0 to 1"},
		{"(4,4):(1@1,1@0)", "(1,2,3)", "coordinate (1,2,3) of (4,4):(1@1,1@0): (1,2,3) does not fit the shape (4,4)"},
		{"Sw<1,0,2> o 0 o (4,4):(4,1)", "(4,0)",
			"Sw<1,0,2> o 0 o (4,4):(4,1): coordinate (4,0) of (4,4):(4,1): got 4 in shape 4, allowed is 0 to 3"},
	} {
		l, err := ParseLayout(c.layout)
		require.NoError(t, err)
		coord, err := algebra.ParseTuple(c.coord)
		require.NoError(t, err)
		_, err = PointAt(l, coord)
		require.EqualError(t, err, c.want)
	}
	_, err := PointAtSymbols("(4,M):(M,1)", "(4,0)")
	require.EqualError(t, err, "coordinate (4,0) of (4,M):(M,1): got 4 in shape 4, allowed is 0 to 3")
	for _, c := range []struct{ op, args, want string }{
		{"slice", "(4,_)|(4,8)", "slice (4,_) of (4,8): got 4 in shape 4, allowed is 0 to 3"},
		{"crd2idx", "(4,0)|(4,8)", "coordinate (4,0) of (4,8): got 4 in shape 4, allowed is 0 to 3"},
		{"crd2idx", "(4,0)|(4,8)|(8,1)", "coordinate (4,0) of (4,8):(8,1): got 4 in shape 4, allowed is 0 to 3"},
	} {
		require.Equal(t, c.want, Answer(c.op, strings.Split(c.args, "|")).Error)
	}
}
