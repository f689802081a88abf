package operation

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

// symbolAnswers must be answered, with these texts.
var symbolAnswers = []struct {
	op   string
	args []string
	want string
}{
	{"product", []string{"(M,(4,N))"}, "4*M*N"},
	{"product_each", []string{"(M,(4,N))"}, "(M,4*N)"},
	{"product_each", []string{"M"}, "(M)"},
	{"flatten", []string{"((M,4),K)"}, "(M,4,K)"},
	{"flatten", []string{"((M,4),K):((1,M),lda)"}, "(M,4,K):(1,M,lda)"},
	{"unflatten", []string{"(M,4,K):(1,M,lda)", "((0,0),0)"}, "((M,4),K):((1,M),lda)"},
	{"ceil_div", []string{"(M,8*n)", "(128,8)"}, "(ceil(M/128),n)"},
	{"congruent", []string{"(M,(2,8))", "(1,(7,K))"}, "true"},
	{"congruent", []string{"(M,8)", "(1,(7,K))"}, "false"},
	{"weakly_congruent", []string{"(M,8)", "(1,(7,K))"}, "true"},
	{"size", []string{"(M,(4,N)):(1,(M,4*M))"}, "4*M*N"},
	{"cosize", []string{"(M,K):(lda,1)"}, "M*lda+K-lda"},
	{"cosize", []string{"(M,4):(-1,0)"}, "M"},
	{"rank", []string{"(M,(4,N)):(1,(M,4*M))"}, "2"},
	{"depth", []string{"(M,(4,N)):(1,(M,4*M))"}, "2"},
	{"layout_at", []string{"(M,K):(lda,1)", "(i,4)"}, "i*lda+4"},
	{"layout_at", []string{"(M,K):(1@0,1@1)", "(i,4)"}, "(i,4)"},
	{"crd2idx", []string{"(i,j)", "(M,K)"}, "M*j+i"},
	{"crd2idx", []string{"(3,j)", "(M,K)", "(lda,1)"}, "j+3*lda"},
	{"idx2crd", []string{"4*k+3", "(4,K)"}, "(3,k)"},
	{"idx2crd", []string{"0", "(M,(4,K))"}, "(0,(0,0))"},
	{"slice_layout", []string{"(_,k)", "(M,K):(1,lda)"}, "(M):(1)"},
	{"slice_and_offset", []string{"(_,k)", "(M,K):(1,lda)"}, "((M):(1),k*lda)"},
	{"tensor_slice", []string{"(M,K):(1,lda)", "(2,_)"}, "(K):(lda) at offset 2"},
	{"domain_offset", []string{"(M,K):(1,lda)", "(2,k)"}, "(M,K):(1,lda) at offset k*lda+2"},
	{"make_layout", []string{"(M,(4,N))"}, "(M,(4,N)):(1,(M,4*M))"},
	{"make_layout", []string{"(M,4)", "(lda,1)"}, "(M,4):(lda,1)"},
	{"make_layout_right", []string{"(M,4,N)"}, "(M,4,N):(4*N,N,1)"},
	{"make_ordered_layout", []string{"(M,8,N)", "(2,0,1)"}, "(M,8,N):(8*N,1,8)"},
	{"make_layout_like", []string{"(M,4,8):(2*lda,0,1)"}, "(M,4,8):(8,0,1)"},
	{"make_layout_like", []string{"(M,N):(2*lda,lda)"}, "(M,N):(N,1)"},
	{"make_identity_layout", []string{"(M,(4,N))"}, "(M,(4,N)):(1@0,(1@0@1,1@1@1))"},
	{"compact_col_major", []string{"(M,(4,N))"}, "(1,(M,4*M))"},
	{"compact_row_major", []string{"(M,(4,N))"}, "(4*N,(N,1))"},
	{"compact_order", []string{"(M,8,N)", "(2,0,1)"}, "(8*N,1,8)"},
	{"dot", []string{"(M,8):(1@0,4@1)", "(1,lda)"}, "(M,8):(1,4*lda)"},
	{"get", []string{"1", "(M,(4,N)):(1,(M,4*M))"}, "(4,N):(M,4*M)"},
	{"take", []string{"1", "3", "(M,N,K):(1,M,M*N)"}, "(N,K):(M,M*N)"},
	{"take", []string{"0", "2", "(M,N,K)"}, "(M,N)"},
	{"select", []string{"(2,0)", "(M,N,K):(1,M,M*N)"}, "(K,M):(M*N,1)"},
	{"group", []string{"0", "2", "(M,N,K):(1,M,M*N)"}, "((M,N),K):((1,M),M*N)"},
	{"replace", []string{"1", "(M,N):(1,M)", "(4,K):(0,7)"}, "(M,(4,K)):(1,(0,7))"},
	{"append", []string{"(M,4):(1,M)", "K:4*M"}, "(M,4,K):(1,M,4*M)"},
	{"prepend", []string{"(M,4):(1,M)", "K:4*M"}, "(K,M,4):(4*M,1,M)"},
	{"coalesce", []string{"(M,K):(1,M)"}, "K*M:1"},
	{"coalesce", []string{"(M,1,K):(1,7,lda)"}, "(M,K):(1,lda)"},
	{"coalesce", []string{"(2,(M,K)):(lda,(1,M))", "(1,1)"}, "(2,K*M):(lda,1)"},
	{"filter", []string{"(M,4,K):(1,0,M)"}, "K*M:1"},
	{"filter_zeros", []string{"(M,N):(1,0)"}, "(M,1):(1,0)"},
	{"composition", []string{"(128*m,K):(1,lda)", "(128,K):(1,128*m)"}, "(128,K):(1,lda)"},
	{"composition", []string{"M:lda", "4:2"}, "4:2*lda"},
	{"composition", []string{"(M,K):(lda,1)", "(4:1,_)"}, "(4,K):(lda,1)"},
	{"complement", []string{"128:1", "M"}, "ceil(M/128):128"},
	{"complement", []string{"(4,2*M):(1,8)"}, "2:4"},
	{"right_inverse", []string{"(M,K):(K,1)"}, "(K,M):(M,1)"},
	{"left_inverse", []string{"(M,8):(8*ld,1)"}, "(8,ld,M):(M,0,1)"},
	{"nullspace", []string{"(M,4,K):(1,0,M)"}, "4:M"},
	{"logical_divide", []string{"M:1", "128"}, "(128,ceil(M/128)):(1,128)"},
	{"logical_divide", []string{"(M,64):(1,lda)", "(128,8)"}, "((128,ceil(M/128)),(8,8)):((1,128),(lda,8*lda))"},
	{"zipped_divide", []string{"(M,K):(lda,1)", "(128,8)"}, "((128,8),(ceil(M/128),ceil(K/8))):((lda,1),(128*lda,8))"},
	{"tiled_divide", []string{"(M,K):(lda,1)", "(128,8)"}, "((128,8),ceil(M/128),ceil(K/8)):((lda,1),128*lda,8)"},
	{"flat_divide", []string{"(M,K):(lda,1)", "(128,8)"}, "(128,8,ceil(M/128),ceil(K/8)):(lda,1,128*lda,8)"},
	{"logical_product", []string{"(M,8):(8,1)", "3"}, "((M,8),3):((8,1),8*M)"},
	{"zipped_product", []string{"(4,M):(1,4)", "(2:1,4*n:1)"}, ""},
	{"tiled_product", []string{"(M,8):(8,1)", "(3,N):(1,3)"}, ""},
	{"flat_product", []string{"(M,8):(8,1)", "(3,N):(1,3)"}, ""},
	{"blocked_product", []string{"(8,8):(8,1)", "(m,n):(1,m)"}, "((8,m),(8,n)):((8,64),(1,64*m))"},
	{"raked_product", []string{"(8,8):(8,1)", "(m,n):(1,m)"}, "((m,8),(n,8)):((64,8),(64*m,1))"},
	{"tile_to_shape", []string{"(8,8):(8,1)", "(8*m,64)"}, "((8,m),(8,8)):((8,64),(1,64*m))"},
	{"tile_to_shape", []string{"(8,8):(8,1)", "(8*m,64)", "(1,0)"}, "((8,m),(8,8)):((8,512),(1,64))"},
	{"local_tile", []string{"(M,K):(lda,1)", "(128,8)", "(bx,_)"}, "(128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda"},
	{"inner_partition", []string{"(M,K):(lda,1)", "(128,8)", "(bx,_)"}, "(128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda"},
	{"local_tile_proj", []string{"(M,K):(lda,1)", "(128,64,8)", "(bx,by,_)", "(1,X,1)"}, "(128,8,ceil(K/8)):(lda,1,8) at offset 128*bx*lda"},
	{"outer_partition", []string{"(M,K):(lda,1)", "(4,8)", "(i,0)"}, "(ceil(M/4),ceil(K/8)):(4*lda,8) at offset i*lda"},
	{"local_partition", []string{"(M,K):(lda,1)", "(4,2):(2,1)", "3"}, "(ceil(M/4),ceil(K/2)):(4*lda,2) at offset lda+1"},
	{"local_partition_proj", []string{"(M,K):(lda,1)", "(4,2,8):(2,1,8)", "11", "(1,X,1)"}, ""},
	{"upcast", []string{"4", "(M,4*k):(4*ld,1)"}, "(M,k):(ld,1)"},
	{"downcast", []string{"2", "(M,K):(2*lda,1)"}, "(M,2*K):(4*lda,1)"},
	{"recast_layout", []string{"16", "128", "(M,8*k):(8*ld,1)"}, "(M,k):(ld,1)"},
}

// valuesOfSymbols are tried in turn; indices (small letters of coordinates) take the second.
var valuesOfSymbols = []struct{ size, index int }{{1, 0}, {2, 0}, {3, 2}, {4, 1}, {5, 3}, {8, 1}, {12, 0}, {17, 2}, {128, 1}, {131, 0}, {1000, 3}}

var word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*`)

// indexNames stand for coordinates in the tables, which may be 0.
var indexNames = map[string]bool{"i": true, "j": true, "k": true, "bx": true, "by": true}

// TestSymbolAnswers: the text, and for many values of the symbols the answer of package algebra to the same question.
func TestSymbolAnswers(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range symbolAnswers {
		seen[c.op] = true
		o, err := Find(c.op)
		require.NoError(t, err)
		got, err := o.Run(c.args...)
		if !assert.NoError(t, err, "%s %v", c.op, c.args) {
			continue
		}
		if c.want != "" {
			assert.Equal(t, c.want, fmt.Sprint(got), "%s %v", c.op, c.args)
		}
		compared := 0
		for turn := range valuesOfSymbols {
			if compareWithValues(t, o, c.args, got, turn) {
				compared++
			}
		}
		assert.Positive(t, compared, "%s %v", c.op, c.args)
	}
	for name := range withSymbols {
		assert.True(t, seen[name], "no answer of %s is tested", name)
	}
}

// compareWithValues gives the symbols values, and compares our answer with package algebra's. It is false where that refuses the
// values: a coordinate lies outside with them.
func compareWithValues(t *testing.T, o Operation, args []string, got Value, turn int) bool {
	values := map[string]int{}
	valued := func(text string, isIndex bool) string {
		return word.ReplaceAllStringFunc(text, func(name string) string {
			switch name {
			case "X", "ceil", "at", "offset", "true", "false":
				return name
			}
			if _, ok := values[name]; !ok {
				// The names' values differ, so that a mix-up shows.
				v := valuesOfSymbols[(turn+3*len(values))%len(valuesOfSymbols)]
				if values[name] = v.size; isIndex && indexNames[name] {
					values[name] = v.index
				}
			}
			return strconv.Itoa(values[name])
		})
	}
	numbers := make([]string, len(args))
	for i, a := range args {
		numbers[i] = simplified(t, valued(a, o.Params[i].Name == "COORD" || o.Params[i].Name == "OFFSET" || o.Params[i].Name == "ID"))
	}
	want, err := o.Run(numbers...)
	if err != nil {
		assert.Regexp(t, "allowed is 0 to", err.Error(), "%s %v", o.Name, numbers)
		return false
	}
	ours := simplified(t, valued(fmt.Sprint(got), true))
	if ours == fmt.Sprint(want) {
		return true
	}
	// Another form of the same function: the modes have the same sizes and values.
	ourLayout, ourOffset, _ := strings.Cut(ours, " at offset ")
	itsLayout, itsOffset, _ := strings.Cut(fmt.Sprint(want), " at offset ")
	assert.Equal(t, itsOffset, ourOffset, "%s %v with %v", o.Name, args, values)
	if strings.HasPrefix(o.Name, "compact_") { // the stride of an extent of 1 is free
		ourLayout, itsLayout = numbers[0]+":"+ourLayout, numbers[0]+":"+itsLayout
	}
	if o.Name == "left_inverse" { // free outside the image
		requireLeftInverse(t, numbers[0], ourLayout)
		return true
	}
	a, err := algebra.ParseLayout(ourLayout)
	if !assert.NoError(t, err, "%s %v with %v: %s, want %v", o.Name, args, values, ours, want) {
		return true
	}
	b, err := algebra.ParseLayout(itsLayout)
	require.NoError(t, err)
	assert.Equal(t, b.Size(), a.Size(), "%s %v with %v: %v, want %v", o.Name, args, values, a, b)
	for i := range min(a.Size(), b.Size(), 4096) {
		x, err := a.Value(algebra.Int(i))
		require.NoError(t, err)
		y, err := b.Value(algebra.Int(i))
		require.NoError(t, err)
		if !assert.Equal(t, y.String(), x.String(), "%s %v with %v at %d: %v, want %v", o.Name, args, values, i, a, b) {
			break
		}
	}
	return true
}

func requireLeftInverse(t *testing.T, layout, inverse string) {
	t.Helper()
	l, err := algebra.ParseLayout(layout)
	require.NoError(t, err)
	r, err := algebra.ParseLayout(inverse)
	require.NoError(t, err)
	for i := range min(l.Size(), 4096) {
		require.Equal(t, i, r.At(l.At(i)), "%v of %v at %d", r, l, i)
	}
}

// simplified evaluates the arithmetic of a text: 8*3+1 is 25, ceil(7/2) is 4. It is written apart from package dynamic.
func simplified(t *testing.T, text string) string {
	t.Helper()
	quotient := regexp.MustCompile(`ceil\(([0-9*+-]+)/([0-9]+)\)`)
	for {
		at := quotient.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		num, den := sumOf(t, text[at[2]:at[3]]), sumOf(t, text[at[4]:at[5]])
		text = text[:at[0]] + strconv.Itoa((num+den-1)/den) + text[at[1]:]
	}
	return regexp.MustCompile(`[0-9]+([*+-][0-9]+)+`).ReplaceAllStringFunc(text, func(sum string) string {
		return strconv.Itoa(sumOf(t, sum))
	})
}

func sumOf(t *testing.T, text string) int {
	t.Helper()
	sum := 0
	for _, product := range strings.Split(strings.ReplaceAll(text, "-", "+-"), "+") {
		if product == "" {
			continue
		}
		n := 1
		for _, factor := range strings.Split(product, "*") {
			f, err := strconv.Atoi(factor)
			require.NoError(t, err, text)
			n *= f
		}
		sum += n
	}
	return sum
}

// symbolRefusals must be refused: each beside an answer of the table above that lacks one fact.
var symbolRefusals = []struct {
	op   string
	args []string
	want string
}{
	{"composition", []string{"(M,K):(1,lda)", "(128,K):(1,M)"}, "whether 128 steps of 1 along the left side's mode M:1 end inside it"},
	{"composition", []string{"(M,K):(1,lda)", "(128,K):(1,M)"}, "write M as 128*m"},
	{"complement", []string{"(4,M):(1,lda)", "64"}, "whether mode M:lda begins at a multiple of 4, the end of mode 4:1, depends on the values of the symbols; write lda as 4*lda_"},
	{"complement", []string{"(2,M):(3,4)", "64"}, "does not begin at a multiple of 6"},
	{"left_inverse", []string{"(M,8):(lda,1)"}, "write lda as 8*lda_"},
	{"make_layout_like", []string{"(M,N):(lda,ldb)"}, "whether the stride lda or ldb is the smaller one"},
	{"filter", []string{"(M,N):(M-1,1)"}, "whether the stride M-1 is positive, 0 or negative"},
	{"filter_zeros", []string{"(M,N):(M-1,1)"}, "whether the stride M-1 is positive, 0 or negative"},
	{"nullspace", []string{"(M,N):(M-1,1)"}, "whether the stride M-1 is positive, 0 or negative"},
	{"cosize", []string{"(M,N):(M-N,1)"}, "whether the stride M-N is positive, 0 or negative"},
	{"cosize", []string{"(M,N):(1@0,1@1)"}, "its values are coordinates"},
	{"size", []string{"(9223372036854775807*M,2):(0,1)"}, "does not fit in 64 bits"},
	{"tile_to_shape", []string{"(8,8):(8,1)", "(M,64)"}, "mode 0: whether 8 divides M depends on the values of the symbols; write M as 8*m"},
	{"upcast", []string{"4", "(M,K):(lda,1)"}, "whether 4 divides the stride lda"},
	{"downcast", []string{"4", "(M,K):(lda,2)"}, "no stride is known to be 1"},
	{"idx2crd", []string{"i", "(M,K)"}, "whether the remainder i of the extent M in shape (M,K) is below it"},
	{"idx2crd", []string{"3", "(M,K)", "(lda,1)"}, "leave the strides out"},
	{"layout_at", []string{"(M,4):(1,M)", "(0,4)"}, "got 4 in shape 4, allowed is 0 to 3"},
	{"layout_at", []string{"(M,4):(1,M)", "(M,0)"}, "allowed is 0 to M-1"},
	{"local_tile", []string{"(M,K):(lda,1)", "(128,8,2)", "(bx,_)"}, "the tiler has rank 3, allowed is at most 2"},
	{"local_partition", []string{"(M,K):(lda,1)", "(4,2):(2,2)", "3"}, "(4,2):(2,2)"},
	{"local_tile_proj", []string{"(M,K):(lda,1)", "(128,8)", "(bx,_)", "(1,X,1)"}, "allowed are tuples of one rank"},
	{"get", []string{"2", "(M,K):(lda,1)"}, "allowed are 0 to 1"},
	{"replace", []string{"2", "(M,K):(lda,1)", "4:1"}, "allowed are 0 to 1"},
	{"take", []string{"1", "3", "(M,K):(lda,1)"}, "3"},
	{"make_layout", []string{"(M,4)", "(lda)"}, "shape and stride differ in profile"},
	{"make_layout", []string{"(M-1,4)"}, "whether the extent M-1 is at least 1"},
	{"ceil_div", []string{"(M,K)", "(4,(2,2))"}, "allowed is an integer for each integer"},
	{"elem_less", []string{"M", "N"}, "no answer without the value of M"},
	{"offsets", []string{"M:1"}, "no answer without the value of M"},
	{"coalesce", []string{"(M,K):(1,M"}, "column 11: the text ends"},
	{"coalesce", []string{"(M,K):(1,$)"}, "got '$'"},
}

func TestSymbolRefusals(t *testing.T) {
	for _, c := range symbolRefusals {
		o, err := Find(c.op)
		require.NoError(t, err)
		got, err := o.Run(c.args...)
		assert.ErrorContains(t, err, c.want, "%s %v = %v", c.op, c.args, got)
	}
}

// Every operation with symbols in its example's place answers or refuses; none panics on texts that are none of its own.
func TestHostileSymbols(t *testing.T) {
	texts := []string{"M", "(M,K)", "(M,K):(1,M)", "()", "():()", "_", "(_,M)", "(M,(K,", "M:M", "X", "(M:1,_)", "ceil(M/0)", "M@0", "(((((M", "-M", "0*M", "\xffM", "M M", "9223372036854775808*M"}
	for _, o := range All() {
		for i := range texts {
			args := make([]string, len(o.Params))
			for _, step := range []int{0, 1, 5} {
				for p := range args {
					args[p] = texts[(i+step*p)%len(texts)]
				}
				assert.NotPanics(t, func() { _, _ = o.Run(args...) }, "%s %q", o.Name, args)
			}
		}
	}
}

func TestBatchOfSymbols(t *testing.T) {
	var out bytes.Buffer
	in := `{"op":"local_tile","args":["(M,K):(lda,1)","(128,8)","(bx,_)"]}` + "\n" + `{"op":"size","args":["(M,N):(1,M)"]}`
	require.NoError(t, Batch(strings.NewReader(in), &out))
	require.Equal(t, `{"op":"local_tile","args":["(M,K):(lda,1)","(128,8)","(bx,_)"],"got":"(128,8,ceil(K/8)):(lda,1,8)","offset":"128*bx*lda"}
{"op":"size","args":["(M,N):(1,M)"],"got":"M*N"}
`, out.String())
}
