package algebra

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestOrdered: compact, and of two modes the one with the smaller number steps less.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := shapes(4, 120).Draw(t, "shape")
		n := len(shape.Leaves())
		order := make([]Tuple, n)
		for i := range order {
			order[i] = Int(rapid.IntRange(-1, n).Draw(t, "order")) // with ties
		}
		got, err := Ordered(shape, unflatten(order, shape))
		require.NoError(t, err)
		require.Equal(t, got.Size(), got.Cosize(), got)
		require.True(t, distinct(offsets(got)), got)
		extents, strides := shape.Leaves(), got.Stride().Leaves()
		for i := range n {
			for j := range i {
				if extents[i].Value() > 1 && extents[j].Value() > 1 {
					want := order[i].Value() < order[j].Value()
					require.Equal(t, want, strides[i].Value() < strides[j].Value(), "%v in order %v", got, order)
				}
			}
		}
	})
	for _, c := range []struct{ shape, order, want string }{
		{"(2,3,4)", "(2,0,1)", "(2,3,4):(12,1,3)"},
		{"((2,3),4)", "(1,0)", "((2,3),4):((4,8),1)"},
		{"(2,2)", "(0,0)", "(2,2):(1,2)"},
		{"(3,1,2)", "(-5,0,-7)", "(3,1,2):(2,0,1)"},
		{"5", "9", "5:1"},
		{"(2,3)", "0", "(2,3):(1,2)"},
		{"(2,3)", "(0,1,2)", "order (0,1,2) of shape (2,3): (0,1,2) does not fit (2,3)"},
		{"(2,3)", "(0,(1,2))", "(1,2) does not fit 3"},
		{"(2,3)", "(0,_)", "got _, allowed are integers"},
		{"(2,0)", "(0,1)", "got 0, allowed are integers of at least 1"},
	} {
		got, err := Ordered(tuple(t, c.shape), tuple(t, c.order))
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}

// TestLayoutLike: the copy shares elements exactly where the layout shares them by stride 0, has no gaps, and keeps the
// order of the strides.
func TestLayoutLike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := layouts(120).Draw(t, "l")
		like, err := LayoutLike(l)
		require.NoError(t, err)
		require.True(t, l.Shape().Equal(like.Shape()))
		require.Equal(t, Filter(l).Size(), like.Cosize(), "%v like %v", like, l)
		require.True(t, distinct(offsets(FilterZeros(like))), "%v like %v", like, l)
		from, to := l.leaves(), like.leaves()
		for i := range from {
			require.Equal(t, from[i].stride == 0 || from[i].shape == 1, to[i].stride == 0, "%v like %v", like, l)
			for j := range i {
				if from[i].shape > 1 && from[j].shape > 1 && from[i].stride != from[j].stride {
					require.Equal(t, cmp.Compare(from[i].stride, from[j].stride), cmp.Compare(to[i].stride, to[j].stride), "%v like %v", like, l)
				}
			}
		}
	})
	for in, want := range map[string]string{
		"(4,2,3):(1,0,40)": "(4,2,3):(1,0,4)",
		"(4,3):(5,1)":      "(4,3):(3,1)",
		"(4,3):(1,1)":      "(4,3):(1,4)",
	} {
		got, err := LayoutLike(layout(t, in))
		require.NoError(t, err)
		require.Equal(t, want, got.String())
	}
	_, err := LayoutLike(layout(t, "4:1@0"))
	require.ErrorContains(t, err, "its values are coordinates")
}

// TestFragmentLike: compact, mode 0 in front.
func TestFragmentLike(t *testing.T) {
	for in, want := range map[string]string{
		"((2,4),8,3):((16,1),96,32)": "((2,4),8,3):((1,2),24,8)",
		"((2,4),8,3):((0,1),96,32)":  "((2,4),8,3):((0,1),12,4)",
		"(5,4):(4,1)":                "(5,(4)):(1,(5))",
		"7:9":                        "7:1",
		"():()":                      "():()",
	} {
		l := layout(t, in)
		got, err := FragmentLike(l)
		require.NoError(t, err)
		require.Equal(t, want, got.String(), in)
		values := offsets(got)
		slices.Sort(values)
		require.Equal(t, len(slices.Compact(values)), got.Cosize(), "no gaps")
	}
	_, err := FragmentLike(layout(t, "(4,2):(1@0,1@1)"))
	require.ErrorContains(t, err, "its values are coordinates")
}
