package algebra

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTuple(t *testing.T) {
	for _, c := range []struct {
		tuple       Tuple
		text        string
		rank, depth int
		leaf        bool
	}{
		{Tuple{}, "()", 0, 1, false},
		{Int(4), "4", 1, 0, true},
		{Int(-3), "-3", 1, 0, true},
		{Ints(4), "(4)", 1, 1, false},
		{MakeTuple(Int(4), Ints(2, 8)), "(4,(2,8))", 2, 2, false},
		{Basis(4, 1), "4@1", 1, 0, true},
		{Basis(2, 0, 1), "2@1@0", 1, 0, true},
		{Basis(7), "7", 1, 0, true},
		{MakeTuple(Int(3), Underscore), "(3,_)", 2, 1, false},
		{MakeTuple(MakeTuple(), MakeTuple(MakeTuple())), "((),(()))", 2, 3, false},
	} {
		assert.Equal(t, c.text, c.tuple.String())
		assert.Equal(t, c.rank, c.tuple.Rank(), c.text)
		assert.Equal(t, c.depth, c.tuple.Depth(), c.text)
		assert.Equal(t, c.leaf, c.tuple.IsLeaf(), c.text)
		assert.True(t, c.tuple.Equal(tuple(t, c.text)), c.text)
	}
}

func TestTupleParts(t *testing.T) {
	u := tuple(t, "(4,(2@1@0,_))")
	require.Equal(t, "(2@1@0,_)", u.Mode(1).String())
	require.Equal(t, []int{0, 1}, u.Mode(1).Mode(0).BasisPath())
	require.Equal(t, 2, u.Mode(1).Mode(0).Value())
	require.Nil(t, u.Mode(0).BasisPath())
	require.True(t, u.Mode(1).Mode(1).IsUnderscore())
	require.Equal(t, "4", Int(4).Mode(0).String(), "a leaf is its own mode 0")
	var leaves []string
	for _, leaf := range u.Leaves() {
		leaves = append(leaves, leaf.String())
	}
	require.Equal(t, []string{"4", "2@1@0", "_"}, leaves)
	require.Equal(t, "(4,2@1@0,_)", Flatten(u).String())
	require.Equal(t, "4", Flatten(Int(4)).String())
	require.PanicsWithValue(t, "bug: Value of (2@1@0,_)", func() { u.Mode(1).Value() })
}

// TestTupleImmutable: what goes in and comes out is copied.
func TestTupleImmutable(t *testing.T) {
	elems, path := []Tuple{Int(1), Int(2)}, []int{0, 1}
	list, basis := MakeTuple(elems...), Basis(3, path...)
	elems[0], path[0] = Int(9), 9
	list.Leaves()[1] = Int(9)
	basis.BasisPath()[0] = 9
	require.Equal(t, "(1,2)", list.String())
	require.Equal(t, "3@1@0", basis.String())
}

func TestTupleEqual(t *testing.T) {
	distinct := []string{"()", "4", "(4)", "5", "4@0", "4@1", "4@0@1", "(4,4)", "((4),4)", "_", "(_)", "0"}
	for i, a := range distinct {
		for j, b := range distinct {
			require.Equal(t, i == j, tuple(t, a).Equal(tuple(t, b)), "%s and %s", a, b)
		}
	}
}

func TestProduct(t *testing.T) {
	for text, want := range map[string]int{"()": 1, "5": 5, "(2,(3,4))": 24, "(3037000499,3037000499)": 3037000499 * 3037000499} {
		got, err := Product(tuple(t, text))
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for text, why := range map[string]string{
		"(3037000500,3037000500)": "product of (3037000500,3037000500): does not fit in 64 bits",
		"(2,_)":                   "product of (2,_): _ is not a plain integer",
		"(2,3@1)":                 "product of (2,3@1): 3@1 is not a plain integer",
	} {
		_, err := Product(tuple(t, text))
		require.EqualError(t, err, why)
	}
}

func TestCongruentCompatible(t *testing.T) {
	for _, c := range []struct {
		a, b                  string
		congruent, compatible bool
	}{
		{"24", "24", true, true},
		{"24", "23", true, false},
		{"24", "(4,6)", false, true},
		{"24", "(24)", false, true},
		{"(24)", "24", false, false},
		{"(24)", "(4,6)", false, false},
		{"(4,6)", "(4,(2,3))", false, true},
		{"(4,6)", "((2,2),6)", false, true},
		{"(4,6)", "(6,4)", true, false},
		{"(4,(2,3))", "(4,6)", false, false},
		{"()", "()", true, true},
		{"1", "()", false, true},
	} {
		a, b := tuple(t, c.a), tuple(t, c.b)
		require.Equal(t, c.congruent, Congruent(a, b), "congruent %s %s", c.a, c.b)
		require.Equal(t, c.compatible, Compatible(a, b), "compatible %s %s", c.a, c.b)
	}
}

func TestCeilDiv(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"13", "4", "4"},
		{"12", "4", "3"},
		{"13", "(2,2)", "4"},
		{"(16,5)", "(4,1)", "(4,5)"},
		{"(16,5)", "(3)", "(6,5)"},
		{"(4,16)", "46", "(1,2)"},
		{"(12,((2),8))", "31", "(1,((1),4))"},
	} {
		got, err := CeilDiv(tuple(t, c.a), tuple(t, c.b))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s by %s", c.a, c.b)
	}
	for _, c := range []struct{ a, b, why string }{
		{"4", "0", "ceil_div of 4 by 0: shape 0: got 0, allowed are integers of at least 1"},
		{"(4,-1)", "2", "got -1"},
		{"(4)", "(2,2)", "the divisor has rank 2, allowed is at most 1"},
	} {
		_, err := CeilDiv(tuple(t, c.a), tuple(t, c.b))
		require.ErrorContains(t, err, c.why)
	}
}

func TestArithmeticOverflow(t *testing.T) {
	const most, least = 1<<63 - 1, -1 << 63
	for _, c := range []struct {
		a, b    int
		product bool
		sum     bool
	}{
		{most, 1, true, false},
		{most, -1, true, true},
		{most, 0, true, true},
		{least + 1, -1, true, true},
		{least, 1, false, true}, // refused though it fits: no caller needs it
		{1 << 32, 1 << 31, false, true},
		{1 << 32, 1 << 30, true, true},
		{-1 << 32, 1 << 30, true, true},
		{most - 1, 1, true, true},
		{least, -1, false, false},
	} {
		got, ok := mul(c.a, c.b)
		require.Equal(t, c.product, ok, "%d * %d", c.a, c.b)
		if ok {
			require.Equal(t, c.a*c.b, got)
		}
		got, ok = add(c.a, c.b)
		require.Equal(t, c.sum, ok, "%d + %d", c.a, c.b)
		if ok {
			require.Equal(t, c.a+c.b, got)
		}
	}
}

// TestProductLike: the sizes of what stands at the guide's leaves.
func TestProductLike(t *testing.T) {
	for _, c := range []struct{ t, guide, want string }{
		{"(4,(2,(3,5)))", "(0,(0,0))", "(4,(2,15))"},
		{"(4,(2,(3,5)))", "(0,0)", "(4,30)"},
		{"(4,(2,(3,5)))", "7", "120"},
		{"(4,(2,3))", "(0,(0,0))", "(4,(2,3))"},
		{"((),4)", "(0,0)", "(1,4)"},
		{"(4,6)", "(0,(0,0))", "product of 6 like (0,0): allowed are guides that it refines"},
		{"(4,6)", "(0,0,0)", "product of (4,6) like (0,0,0): allowed are guides that it refines"},
		{"(4,(1@0,3))", "(0,0)", "1@0 is not a plain integer"},
	} {
		got, err := ProductLike(tuple(t, c.t), tuple(t, c.guide))
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
	got, err := ProductEach(tuple(t, "(4,(2,(3,5)))"))
	require.NoError(t, err)
	require.Equal(t, "(4,30)", got.String())
	got, err = ProductEach(Int(6))
	require.NoError(t, err)
	require.Equal(t, "(6)", got.String())
}
