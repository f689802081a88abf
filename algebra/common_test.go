package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMaxCommon: the vector is the longest by the definition, the layout lists it or its longest part that a layout can.
func TestMaxCommon(t *testing.T) {
	long := 0
	rapid.Check(t, func(t *rapid.T) {
		a := signed(60).Draw(t, "a")
		b := signed(60).Draw(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		n, err := MaxCommonVector(a, b)
		require.NoError(t, err)
		inverse, err := RightInverse(b)
		require.NoError(t, err)
		want := 0
		for _, at := range offsets(inverse) {
			if at >= a.Size() || offset(a, at) != want {
				break
			}
			want++
		}
		want = max(want, 1)
		require.Equal(t, want, n, "%v and %v", a, b)

		common, err := MaxCommonLayout(a, b)
		require.NoError(t, err)
		require.LessOrEqual(t, common.Size(), n)
		for i, at := range offsets(common) {
			if n > 1 {
				require.Equal(t, i, offset(a, at), "%v and %v: %v", a, b, common)
			}
			require.Equal(t, i, offset(b, at), "%v and %v: %v", a, b, common)
		}
		for longer := common.Size() + 1; longer <= n; longer++ {
			one, err := MakeLayout(Int(longer), Int(1))
			require.NoError(t, err)
			require.GreaterOrEqual(t, refusalOf(one.Shape(), composed(inverse, one)), 0, "%v lists %d of %v", inverse, longer, n)
		}
		if n > 4 {
			long++
		}
	})
	require.Greater(t, long, 100)
	for _, c := range []struct {
		a, b   string
		vector int
		layout string
	}{
		{"(4,8):(1,4)", "(4,8):(1,8)", 4, "4:1"},
		{"(4,8):(1,4)", "(4,8):(8,1)", 1, "1:0"},
		{"(8,4):(4,1)", "(8,4):(4,1)", 32, "(4,8):(8,1)"},
		{"(4,3):(1,5)", "(4,3):(1,4)", 4, "4:1"},
		{"4:2", "4:1", 1, "1:0"},
	} {
		n, err := MaxCommonVector(layout(t, c.a), layout(t, c.b))
		require.NoError(t, err)
		require.Equal(t, c.vector, n, "%s %s", c.a, c.b)
		common, err := MaxCommonLayout(layout(t, c.a), layout(t, c.b))
		require.NoError(t, err)
		require.Equal(t, c.layout, common.String(), "%s %s", c.a, c.b)
	}
	_, err := MaxCommonVector(layout(t, "4:1@0"), layout(t, "4:1"))
	require.ErrorContains(t, err, "the values of 4:1@0 are coordinates")
	_, err = MaxCommonLayout(layout(t, "4:1"), layout(t, "4:1@0"))
	require.ErrorContains(t, err, "right inverse of 4:1@0")
}

// TestMaxAlignment: l is made of whole aligned blocks, and not of larger ones.
func TestMaxAlignment(t *testing.T) {
	aligned := 0
	rapid.Check(t, func(t *rapid.T) {
		l := layouts(60).Draw(t, "l")
		if !distinct(offsets(Filter(l))) {
			return
		}
		n, err := MaxAlignment(l)
		require.NoError(t, err)
		for by := n; by <= l.Cosize(); by += n {
			require.Equal(t, by == n, wholeBlocks(l, by), "%v in blocks of %d", l, by)
		}
		if n > 1 {
			aligned++
		}
	})
	require.Greater(t, aligned, 50)
	for in, want := range map[string]int{"(8,4):(1,12)": 4, "(4,8):(8,1)": 32, "4:2": 1, "(2,3):(1,0)": 2, "(4,2):(1,-8)": 4} {
		got, err := MaxAlignment(layout(t, in))
		require.NoError(t, err)
		require.Equal(t, want, got, in)
	}
	_, err := MaxAlignment(layout(t, "4:1@0"))
	require.ErrorContains(t, err, "its values are coordinates")
}

// wholeBlocks tells whether l's offsets are a union of blocks of n from a multiple of n on.
func wholeBlocks(l Layout, n int) bool {
	count := map[int]int{}
	for _, at := range offsets(Filter(l)) {
		count[at/n]++
	}
	for _, c := range count {
		if c != n {
			return false
		}
	}
	return true
}
