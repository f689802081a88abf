package algebra

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTupleArithmetic(t *testing.T) {
	for _, c := range []struct {
		op         func(a, b Tuple) (Tuple, error)
		a, b, want string // want: the result, or a part of the error
	}{
		{ElemScale, "(4,16)", "((21,16),(7,2))", "(1344,224)"},
		{ElemScale, "16", "(2,12)", "384"},
		{ElemScale, "(2,(3,1))", "(5,(7,9))", "(10,(21,9))"},
		{ElemScale, "(2,(3,1))", "3", "elem_scale of (2,(3,1)) by 3: 3 has no element for each of (2,(3,1))"},
		{ElemScale, "(2,3)", "(5,7,9)", "(5,7,9) has no element for each of (2,3)"},
		{ElemScale, "(2,_)", "(5,7)", "got _, allowed are integers"},
		{ElemScale, "(2,3)", "(5,1@0)", "1@0 is not a plain integer"},
		{ElemScale, "4611686018427387904", "2", "elem_scale of 4611686018427387904 by 2: does not fit in 64 bits"},
		{RoundUp, "(10,4)", "(4)", "(12,4)"},
		{RoundUp, "(12,(5,3))", "(4,(2))", "(12,(6,3))"},
		{RoundUp, "13", "4", "16"},
		{RoundUp, "13", "(4)", "round_up of 13 to (4): 13 to (4): allowed is an integer"},
		{RoundUp, "(13,5)", "4", "4 has no element for each of (13,5)"},
		{RoundUp, "(13)", "(4,2)", "(4,2) has rank 2, allowed is at most the rank 1 of (13)"},
		{RoundUp, "(13)", "(0)", "got 0, allowed are integers of at least 1"},
		{RoundUp, "9223372036854775807", "2", "does not fit in 64 bits"},
		{ShapeDiv, "(3,4)", "6", "(1,2)"},
		{ShapeDiv, "(3,4)", "12", "(1,1)"},
		{ShapeDiv, "(3,4)", "24", "(1,1)"},
		{ShapeDiv, "((2,3),5)", "6", "((1,1),5)"},
		{ShapeDiv, "(12,8)", "(3,16)", "(4,1)"},
		{ShapeDiv, "12", "(2,3)", "2"},
		{ShapeDiv, "(3,4)", "5", "shape_div of (3,4) by 5: neither 3 nor 5 divides the other"},
		{ShapeDiv, "(3,4)", "9", "neither 4 nor 3 divides the other"},
		{ShapeDiv, "(3,4)", "(3,4,1)", "(3,4) and (3,4,1) differ in rank"},
		{ShapeDiv, "(3,4)", "(3,0)", "got 0, allowed are integers of at least 1"},
	} {
		got, err := c.op(tuple(t, c.a), tuple(t, c.b))
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String(), "%s and %s", c.a, c.b)
	}
}

func TestInnerProduct(t *testing.T) {
	for _, l := range []string{"(3,(2,5)):(7,(1,-2))", "4:3", "():()"} {
		l := layout(t, l)
		for i := range l.Size() {
			coord := l.Coord(i)
			got, err := InnerProduct(coord, l.Stride())
			require.NoError(t, err)
			require.Equal(t, offset(l, i), got, "%v at %v", l, coord)
		}
	}
	_, err := InnerProduct(Ints(1, 2), Ints(1, 2, 3))
	require.EqualError(t, err, "inner_product of (1,2) and (1,2,3): allowed are tuples of one profile")
	_, err = InnerProduct(Ints(1, 2), MakeTuple(Int(1), Basis(1, 0)))
	require.ErrorContains(t, err, "got 1@0, allowed are integers")
	_, err = InnerProduct(Ints(1, 1), Ints(math.MaxInt, 1))
	require.ErrorContains(t, err, "does not fit in 64 bits")
	_, err = InnerProduct(Int(2), Int(math.MaxInt))
	require.ErrorContains(t, err, "does not fit in 64 bits")
}

// TestShapeDivDefinition: with P(i) the product of the extents before mode i, a part of size n is taken off exactly if
// each P(i) divides n or n divides it, and mode i keeps P(i+1)/max(P(i), min(n, P(i+1))).
func TestShapeDivDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	accepted := 0
	for range 5000 {
		shape := randomShape(r, 2)
		n := 1 + r.IntN(64)
		before, divides := 1, true
		var want []Tuple
		for _, leaf := range shape.Leaves() {
			after := before * leaf.Value()
			divides = divides && (after%n == 0 || n%after == 0)
			want = append(want, Int(after/max(before, min(n, after))))
			before = after
		}
		got, err := ShapeDiv(shape, Int(n))
		if !divides {
			require.ErrorContains(t, err, "divides the other", "%v by %d", shape, n)
			continue
		}
		require.NoError(t, err, "%v by %d", shape, n)
		require.Equal(t, unflatten(want, shape).String(), got.String(), "%v by %d", shape, n)
		accepted++
	}
	require.Greater(t, accepted, 1000)
}

func TestCrd2Crd(t *testing.T) {
	for _, c := range [][2]string{{"(4,6)", "((2,2),(3,2))"}, {"24", "(3,(2,4))"}, {"(2,3,4)", "(6,4)"}, {"(4,(3,2))", "24"}} {
		src, dst := tuple(t, c[0]), tuple(t, c[1])
		from, err := ColMajor(src)
		require.NoError(t, err)
		to, err := ColMajor(dst)
		require.NoError(t, err)
		for i := range 24 {
			got, err := Crd2Crd(from.Coord(i), src, dst)
			require.NoError(t, err)
			require.True(t, Congruent(got, dst), got)
			at, err := to.Index(got)
			require.NoError(t, err)
			require.Equal(t, i, at, "%v from %v to %v is %v", from.Coord(i), src, dst, got)
		}
	}
	_, err := Crd2Crd(Int(3), Int(24), Ints(4, 5))
	require.EqualError(t, err, "crd2crd of 3 from 24 to (4,5): sizes 24 and 20, allowed are equal ones")
	_, err = Crd2Crd(Int(24), Int(24), Ints(4, 6))
	require.ErrorContains(t, err, "got 24 in shape 24, allowed is 0 to 23")
	_, err = Crd2Crd(Ints(1, 6), Ints(4, 6), MakeTuple(Ints(2, 2), Int(6)))
	require.ErrorContains(t, err, "got 6 in shape 6")
	_, err = Crd2Crd(Int(0), Int(0), Int(0))
	require.ErrorContains(t, err, "allowed are integers of at least 1")
}

// TestPrefixProduct: leaf k is first times the leaves before it; the compact strides are the same but for extents of 1.
func TestPrefixProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for range 1000 {
		shape, first := randomShape(r, 3), 1+r.IntN(9)
		got, err := PrefixProduct(shape, first)
		require.NoError(t, err)
		require.True(t, Congruent(shape, got))
		compact, err := CompactColMajor(shape, first)
		require.NoError(t, err)
		row, err := CompactRowMajor(shape, first)
		require.NoError(t, err)
		leaves := shape.Leaves()
		for k, leaf := range got.Leaves() {
			before, behind := first, first
			for _, e := range leaves[:k] {
				before *= e.Value()
			}
			for _, e := range leaves[k+1:] {
				behind *= e.Value()
			}
			require.Equal(t, before, leaf.Value(), "%v from %d", shape, first)
			if leaves[k].Value() == 1 {
				before, behind = 0, 0
			}
			require.Equal(t, before, compact.Leaves()[k].Value(), "%v from %d", shape, first)
			require.Equal(t, behind, row.Leaves()[k].Value(), "%v from %d", shape, first)
		}
	}
	big := Ints(1<<40, 1<<40)
	_, err := PrefixProduct(MakeTuple(big, Int(2)), 1)
	require.ErrorContains(t, err, "does not fit in 64 bits")
	got, err := PrefixProduct(big, 1)
	require.NoError(t, err, "nothing is behind the last leaf")
	require.Equal(t, Ints(1, 1<<40), got)
	_, err = PrefixProduct(MakeTuple(Underscore), 1)
	require.EqualError(t, err, "prefix product of (_): _ is not a plain integer")
	_, err = CompactColMajor(Ints(4, 2), 0)
	require.EqualError(t, err, "compact_col_major of (4,2) from 0: allowed are strides of at least 1")
	_, err = CompactRowMajor(Ints(4, 2), 1<<62)
	require.ErrorContains(t, err, "compact_row_major of (4,2) from 4611686018427387904: stride 2 times 4611686018427387904 does not fit")
	_, err = CompactColMajor(Ints(0), 1)
	require.ErrorContains(t, err, "allowed are integers of at least 1")
}

func TestTupleMax(t *testing.T) {
	for text, want := range map[string]int{"(3,(12),2)": 12, "7": 7, "(-3,(-1,-2))": -1} {
		got, err := TupleMax(tuple(t, text))
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	_, err := TupleMax(Tuple{})
	require.EqualError(t, err, "tuple_max of (): it has no leaf")
	_, err = TupleMax(tuple(t, "(1,2@0)"))
	require.EqualError(t, err, "tuple_max of (1,2@0): 2@0 is not a plain integer")
}

func TestCeilDivLayout(t *testing.T) {
	got, err := CeilDivLayout(3137, layout(t, "8:2"))
	require.NoError(t, err)
	require.Equal(t, "(2,197)", got.String())
	_, err = CeilDivLayout(8, layout(t, "(2,2):(1,1)"))
	require.ErrorContains(t, err, "ceil_div of 8 by (2,2):(1,1): complement of (2,2):(1,1): it is not injective")
	_, err = CeilDivLayout(0, layout(t, "2:1"))
	require.ErrorContains(t, err, "allowed are cotargets of at least 1")
}
