package operation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
)

func TestSymbols(t *testing.T) {
	for _, c := range []struct{ op, args, want string }{
		{"composition", "(M,K):(lda,1)|8:1", "[K M lda]"},
		{"composition", "(X,_):(None,1)|Layout(8,1)", "[]"},
		{"slice", "(X,_)|(4,ceil(M/4))", "[M]"},
		{"size", "Sw<2,3,3> o 0 o (8,64):(64,1)", "[]"},
		{"size", "Sw<2,3,3> o off o (8*m,64):(64,1)", "[m off]"},
		{"size", "Swizzle(2,3,3) o 0 o (S,64):(64,1)", "[S]"},
		{"size", "(4,8):(E<0>,4*E<1>)", "[]"},
		{"size", "(E,8):(n * E<0>,E<0,1>)", "[E n]"},
		{"mma_atom", "SM80_16x8x16_F32F16F16F32_TN", "[]"},
		{"make_swizzle", "Y|6", "[Y]"},
	} {
		o, err := Find(c.op)
		require.NoError(t, err)
		require.Equal(t, c.want, fmt.Sprint(o.Symbols(strings.Split(c.args, "|"))), c)
	}
}

func TestWhere(t *testing.T) {
	values := map[string]int{"M": 300, "m": 4, "K": 8, "k": 0}
	for _, c := range []struct{ op, args, want string }{
		{"size", "(8*m,K):(K,1)", "(32,8):(8,1)"},
		{"size", "((128,ceil(M/128)),K):((1,128),lda)", "((128,3),8):((1,128),lda)"},
		{"size", "(2*(m+1),K*lda):(1@0,K@1)", "(10,8*lda):(1@0,8@1)"},
		{"size", "Layout( (M , K) , (K,1))", "Layout( (300, 8) , (8,1))"},
		{"size", "(M,8):(m * E<0>,E<1,2>)", "(300,8):(4@0,1@2@1)"},
		{"layout_at", "(M,K):(K,1)|(k,3)", "(300,8):(8,1)|(0,3)"},
		{"local_tile", "(M,K):(K,1)|<m:1;K:2>|(k,_)", "(300,8):(8,1)|<4:1;8:2>|(0,_)"},
		{"zipped_divide", "Sw<2,3,3> o 64*m o (8*m,64):(64,1)|(K,64)", "Sw<2,3,3> o 256 o (32,64):(64,1)|(8,64)"},
		{"upcast", "m|(M,K):(1,m*M)", "4|(300,8):(1,1200)"},
	} {
		o, err := Find(c.op)
		require.NoError(t, err)
		texts := strings.Split(c.args, "|")
		present := map[string]int{}
		for _, name := range o.Symbols(texts) {
			if n, ok := values[name]; ok {
				present[name] = n
			}
		}
		got, err := o.Where(texts, present)
		require.NoError(t, err, c)
		want := strings.ReplaceAll(c.want, " ", "")
		require.Equal(t, want, strings.ReplaceAll(strings.Join(got, "|"), " ", ""), c)
	}
	o, err := Find("size")
	require.NoError(t, err)
	for _, c := range []struct {
		text   string
		values map[string]int
		want   string
	}{
		{"(M,4):(1,M)", map[string]int{"M": 4, "n": 2}, "n = 2: n is in none of the arguments"},
		{"(8*m,4):(1,m)", map[string]int{"m": 0}, "m = 0, allowed are values of at least 1"},
		{"(M*M*M,4):(1,M)", map[string]int{"M": 1 << 40}, "a coefficient does not fit in 64 bits"},
		{"(M+,4):(1,M)", map[string]int{"M": 4}, "column 3"},
	} {
		_, err = o.Where([]string{c.text}, c.values)
		require.ErrorContains(t, err, c.want, c.text)
	}
	v, err := o.Run("(M,8):(m * E<0>,4*E<1>)")
	require.NoError(t, err)
	require.Equal(t, "8*M", fmt.Sprint(v))
	random := rand.New(rand.NewPCG(5, 6))
	leaves := []string{"1", "4", "M", "m", "2*M", "8*m+1", "ceil(M/4)", "M*m", "3*(m+1)", "ceil((M+7)/8)", "ceil(M/(4*m))"}
	for range 500 {
		leaf := func() string { return leaves[random.IntN(len(leaves))] }
		text := fmt.Sprintf("((%s,%s),%s):((%s,%s),%s)", leaf(), leaf(), leaf(), leaf(), leaf(), leaf())
		values, ints := map[string]int{}, map[string]dynamic.Int{}
		for _, name := range o.Symbols([]string{text}) {
			values[name] = 1 + random.IntN(40)
			ints[name] = dynamic.Const(values[name])
		}
		with, err := dynamic.MustParse(text).With(ints)
		require.NoError(t, err, text)
		static, err := with.Static()
		require.NoError(t, err, text)
		written, err := o.Where([]string{text}, values)
		require.NoError(t, err, text)
		require.Equal(t, static.String(), must(t, Layout, written[0]).(algebra.Layout).String(), text)
	}
	layout, err := WhereLayout([]string{"(M,4):(1,M)", "(M-1,0)"}, map[string]int{"M": 4})
	require.NoError(t, err)
	require.Equal(t, []string{"(4,4):(1,4)", "(3,0)"}, layout)
}

// Swizzled layouts with symbols: the answer with values is that of the question with values.
func TestSwizzledSymbols(t *testing.T) {
	for _, c := range []struct{ op, args, want string }{
		{"size", "Sw<2,3,3> o 0 o (8*m,64):(64,1)", "512*m"},
		{"rank", "Sw<2,3,3> o 0 o (8*m,64):(64,1)", "2"},
		{"zipped_divide", "Sw<2,3,3> o 0 o (8*m,64):(64,1)|(8,64)", "Sw<2,3,3> o 0 o ((8,64),(m,1)):((64,1),(512,0))"},
		{"tile_to_shape", "Sw<3,4,3> o 0 o (8,64):(64,1)|(8*m,64*k)", "Sw<3,4,3> o 0 o ((8,m),(64,k)):((64,512),(1,512*m))"},
		{"composition", "Sw<2,3,3> o 0 o (64,m):(1,64)|(8,8):(8,1)", "Sw<2,3,3> o 0 o (8,8):(8,1)"},
		{"composition", "Sw<2,3,3>|(8*m,64):(64,1)", "Sw<2,3,3> o 0 o (8*m,64):(64,1)"},
		{"get", "0|Sw<2,3,3> o 8 o (8*m,64):(64,1)", "Sw<2,3,3> o 8 o 8*m:64"},
		{"logical_product", "Sw<2,3,3> o 0 o (8,64):(64,1)|m", "Sw<2,3,3> o 0 o ((8,64),m):((64,1),512)"},
		{"domain_offset", "Sw<2,3,3> o 0 o (8*m,64):(64,1)|(i,8)", "Sw<2,3,3> o 64*i+8 o (8*m,64):(64,1) at offset 0"},
		{"tensor_slice", "Sw<2,3,3> o 64 o (8*m,64):(64,1)|(i,_)", "Sw<2,3,3> o 64*i+64 o (64):(1) at offset 0"},
		{"slice_and_offset", "(i,_)|Sw<2,3,3> o 0 o (8*m,64):(64,1)", "(Sw<2,3,3> o 64*i o (64):(1),0)"},
		{"layout_at", "Sw<2,3,3> o 0 o (8*m,64):(64,1)|(1,2)", "74"},
		{"upcast", "4|Sw<2,3,3> o 8 o (8*m,64):(64,1)", "Sw<2,1,3> o 2 o (8*m,16):(16,1)"},
		{"downcast", "2|Sw<2,3,3> o 0 o (8*m,64):(64,1)", "Sw<2,4,3> o 0 o (8*m,128):(128,1)"},
		{"swizzled_zipped_divide", "Sw<2,3,3>|(8*m,64):(64,1)|(8,64)", "Sw<2,3,3> o 0 o ((8,64),(m,1)):((64,1),(512,0))"},
		{"swizzled_slice", "Sw<2,3,3>|(8*m,64):(64,1)|(i,_)", "Sw<2,3,3> o 64*i o (64):(1) at offset 0"},
		{"swizzled_recast_layout", "16|64|Sw<2,3,3>|(8*m,64):(64,1)", "Sw<2,1,3> o 0 o (8*m,16):(16,1)"},
		{"recast_layout", "16|64|Sw<2,3,3> o 8 o (8*m,64):(64,1)", "Sw<2,1,3> o 2 o (8*m,16):(16,1)"},
	} {
		o, err := Find(c.op)
		require.NoError(t, err)
		texts := strings.Split(c.args, "|")
		v, err := o.Run(texts...)
		require.NoError(t, err, c)
		require.Equal(t, c.want, fmt.Sprint(v))
		for _, n := range []int{1, 3} {
			values := map[string]int{}
			for i, name := range o.Symbols(texts) {
				values[name] = n + i
			}
			if _, ok := values["i"]; ok {
				values["i"] = n
			}
			with, err := o.Where(texts, values)
			require.NoError(t, err)
			its, err := o.Run(with...)
			require.NoError(t, err, with)
			ours, ourPointer := partsOf(v)
			want, pointer := partsOf(its)
			if !strings.Contains(ours, ":") {
				continue
			}
			present := map[string]int{}
			for _, name := range SymbolsOf(ours) {
				present[name] = values[name]
			}
			written, err := WhereLayout([]string{ours}, present)
			require.NoError(t, err)
			x, y := functionOf(must(t, anyLayout, written[0])), functionOf(must(t, anyLayout, want))
			require.Equal(t, y.size, x.size, "%v %v", c, values)
			for i := range x.size {
				require.Equal(t, pointer+y.at(i), ourPointer+x.at(i), "%v with %v: %v, %v", c, values, v, its)
			}
		}
	}
	for _, c := range []struct{ op, args, want string }{
		{"swizzled_slice", "4|(8*m,64):(64,1)|(i,_)", `swizzled_slice: got "4", allowed is a swizzle`},
		{"swizzled_slice", "Sw<2,3,3>|(8*m,64):(64,1@0)|(i,_)", "cannot be added"},
		{"swizzle_offsets", "Sw<2,3,3>|(8*m,64):(64,1)", "swizzle_offsets: no answer without the value of m"},
		{"cosize", "Sw<2,3,3> o 0 o (8*m,64):(64,1)", "cosize: no answer without the value of m where LAYOUT is swizzled"},
		{"composition", "8:1|Sw<2,3,3> o 0 o (8*m,64):(64,1)", "composition: no answer without the value of m where B is swizzled"},
		{"layout_at", "Sw<2,3,3> o 0 o (8*m,64):(64,1)|(i,2)", "what the swizzle makes of 64*i+2 depends on the values of the symbols; give them values (i, m are"},
		{"upcast", "4|Sw<2,3,3> o off o (8*m,64):(64,1)", "whether the offset off begins an element depends"},
		{"upcast", "4|Sw<2,3,3> o 2 o (8*m,64):(64,1)", "upcast"},
		{"size", "Sw<2,3,3> o 0 o (m,8):(1@0,1@1)", "its layout's values are coordinates"},
		{"composition", "Sw<2,3,3> o 0 o (l,8):(8,1)|4:2", "(l is a size known at run time)"},
		{"elem_less", "(M,4)|(3,N)", "elem_less: no answer without the value of M, N"},
	} {
		o, err := Find(c.op)
		require.NoError(t, err)
		v, err := o.Run(strings.Split(c.args, "|")...)
		require.ErrorContains(t, err, c.want, "%v: %v", c, v)
	}
}

// partsOf is a layout and the number that moves the pointer.
func partsOf(v Value) (layout string, pointer int) {
	switch v := v.(type) {
	case Sliced:
		return fmt.Sprint(v.Layout), v.Offset.Value()
	case Pair:
		return partsOf(Sliced(v))
	case SlicedSymbols:
		n, _ := v.Offset.Value.Value()
		return v.Layout.String(), n
	case PairSymbols:
		return partsOf(SlicedSymbols(v))
	}
	return fmt.Sprint(v), 0
}
