package algebra

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrders: over the coordinates of a shape, colex_less is the order of the column-major layout, lex_less that of the
// row-major one, and elem_less holds exactly if each leaf is below.
func TestOrders(t *testing.T) {
	shape := tuple(t, "(3,(2,4),2)")
	columns, err := ColMajor(shape)
	require.NoError(t, err)
	rows, err := RowMajor(shape)
	require.NoError(t, err)
	for i := range columns.Size() {
		for j := range columns.Size() {
			a, b := columns.Coord(i), columns.Coord(j)
			got, err := ColexLess(a, b)
			require.NoError(t, err)
			require.Equal(t, i < j, got, "colex %v %v", a, b)
			got, err = LexLess(a, b)
			require.NoError(t, err)
			require.Equal(t, rows.At(i) < rows.At(j), got, "lex %v %v", a, b)
			got, err = ElemLess(a, b)
			require.NoError(t, err)
			below := true
			as, bs := a.Leaves(), b.Leaves()
			for k := range as {
				below = below && as[k].Value() < bs[k].Value()
			}
			require.Equal(t, below, got, "elem %v %v", a, b)
		}
	}
}

func TestOrdersOfUnequalRank(t *testing.T) {
	for _, c := range []struct {
		a, b             string
		elem, lex, colex bool
	}{
		{"(1)", "(2,0)", true, true, false},
		{"(1,1)", "(2)", false, true, true},
		{"(2)", "(2,0)", false, true, false},
		{"(0,2)", "(2)", false, true, false},
		{"()", "()", true, false, false},
		{"()", "(0)", true, true, true},
	} {
		a, b := tuple(t, c.a), tuple(t, c.b)
		elem, err := ElemLess(a, b)
		require.NoError(t, err)
		lex, err := LexLess(a, b)
		require.NoError(t, err)
		colex, err := ColexLess(a, b)
		require.NoError(t, err)
		require.Equal(t, []bool{c.elem, c.lex, c.colex}, []bool{elem, lex, colex}, "%s %s", c.a, c.b)
	}
	for _, less := range []func(a, b Tuple) (bool, error){ElemLess, LexLess, ColexLess} {
		_, err := less(Ints(1, 2), MakeTuple(Ints(2), Int(2)))
		if err == nil { // colex decides at the last element
			_, err = less(MakeTuple(Int(1), Int(2)), MakeTuple(Ints(2), Int(2)))
		}
		require.EqualError(t, err, "1 against (2): allowed are two integers or two tuples")
		_, err = less(Int(1), Underscore)
		require.EqualError(t, err, "1 against _: allowed are two integers or two tuples")
	}
}

func TestWeaklyCongruent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"4", "(4,(2,3))", true},
		{"(4,5)", "(4,(2,3))", true},
		{"(4,(2,3))", "(4,5)", false},
		{"(4,5)", "(4,5,6)", false},
		{"(4)", "4", false},
		{"()", "()", true},
	} {
		require.Equal(t, c.want, WeaklyCongruent(tuple(t, c.a), tuple(t, c.b)), "%s %s", c.a, c.b)
	}
}

// TestEvenlyDivides: a divide by b loses and adds nothing; of an integer, exactly the divisors do.
func TestEvenlyDivides(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	even := 0
	for range 1000 {
		shape := MakeTuple(randomShape(r, 1), randomShape(r, 1))
		l, err := ColMajor(shape)
		require.NoError(t, err)
		if l.Size() > 500 {
			continue
		}
		var b Tuple
		switch r.IntN(3) {
		case 0:
			b = Int(1 + r.IntN(24))
		case 1:
			b = Ints(1 + r.IntN(8))
		case 2:
			b = Ints(1+r.IntN(8), 1+r.IntN(8))
		}
		if !EvenlyDivides(shape, b) {
			continue
		}
		divided, err := LogicalDivide(l, b)
		require.NoError(t, err, "%v by %v", shape, b)
		require.Equal(t, slices.Sorted(slices.Values(offsets(l))), slices.Sorted(slices.Values(offsets(divided))), "%v by %v", shape, b)
		even++
	}
	require.Greater(t, even, 100)
	for n := 1; n < 30; n++ {
		require.Equal(t, 24%n == 0, EvenlyDivides(Int(24), Int(n)), n)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"(8,6)", "16", true},
		{"(8,6)", "17", false},
		{"(8,6)", "32", false},
		{"(8,6)", "(4,3,1)", false},
		{"8", "(4)", false},
		{"(8,6)", "(4,_)", false},
		{"(8,6)", "(4,0)", false},
		{"(4611686018427387904,4)", "4", false},
	} {
		require.Equal(t, c.want, EvenlyDivides(tuple(t, c.a), tuple(t, c.b)), "%s %s", c.a, c.b)
	}
}
