package algebra

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestUpcastDefinition: word floor(l(c)/n) is at c with the coordinates that step inside a word counted in words.
func TestUpcastDefinition(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		l := layouts(120).Draw(t, "l")
		n := rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "n")
		words, err := Upcast(l, n)
		if err != nil {
			require.Regexp(t, "allowed are multiples of|behind the begin of a word", err.Error())
			if len(l.leaves()) == 1 && l.leaves()[0].stride > 0 && l.Size() > 1 {
				d := l.leaves()[0].stride
				require.True(t, d%n != 0 && n%d != 0, "%v by %d: %v", l, n, err)
			}
			return
		}
		accepted++
		for i := range l.Size() {
			coord := l.Coord(i).Leaves()
			for k, m := range l.leaves() {
				if m.stride%n != 0 {
					coord[k] = Int(coord[k].Value() / (n / m.stride))
				}
			}
			got, err := words.Index(unflatten(coord, l.Shape()))
			require.NoError(t, err)
			require.Equal(t, offset(l, i)/n, got, "%v by %d is %v at %v", l, n, words, coord)
		}
	})
	require.Greater(t, accepted, 150)
}

func TestUpcastRefuses(t *testing.T) {
	for _, c := range []struct {
		l    string
		n    int
		want string
	}{
		{"(8,3):(1,16)", 4, "(2,3):(1,4)"},
		{"(8,3):(1,18)", 4, "upcast of (8,3):(1,18) by 4: stride 18, allowed are multiples of 4 and its divisors"},
		{"6:1", 4, "2:1"},
		{"4:-8", 4, "4:-2"},
		{"4:-1", 4, "stride -1, allowed are multiples of 4"},
		{"(2,2):(1,1)", 4, "(1,1):(1,1)"},
		{"(2,2):(1,1)", 2, "upcast of (2,2):(1,1) by 2: coordinate (1,1) is 2 elements behind the begin of a word of 2"},
		{"4:1", 0, "allowed are words of at least 1 element"},
		{"4:1@0", 2, "its values are coordinates"},
	} {
		got, err := Upcast(layout(t, c.l), c.n)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}

// TestDowncastDefinition: the parts of all elements, no more, and of one element side by side.
func TestDowncastDefinition(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		l := signed(60).Draw(t, "l")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		parts, err := Downcast(l, n)
		if err != nil {
			require.ErrorContains(t, err, "no stride is 1")
			require.False(t, slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride == 1 }))
			return
		}
		accepted++
		var want []int
		for _, at := range offsets(l) {
			for j := range n {
				want = append(want, n*at+j)
			}
		}
		require.Equal(t, slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(offsets(parts))), "%v by %d is %v", l, n, parts)
		back, err := Upcast(parts, n)
		require.NoError(t, err)
		require.Equal(t, offsets(l), offsets(back), "%v by %d and back", l, n)
	})
	require.Greater(t, accepted, 150)
	for _, c := range []struct {
		l    string
		n    int
		want string
	}{
		{"(2,3):(1,4)", 4, "(8,3):(1,16)"},
		{"(1,3):(1,1)", 2, "(1,6):(2,1)"},
		{"(4,3):(2,8)", 2, "downcast of (4,3):(2,8) by 2: no stride is 1, allowed are layouts with adjacent elements"},
		{"4:-1", 2, "no stride is 1"},
		{"4:1", 0, "allowed are at least 1 part"},
		{"4:1@0", 2, "its values are coordinates"},
		{"(2,1):(1,4611686018427387904)", 4, "stride 4611686018427387904: does not fit in 64 bits"},
		{"4611686018427387904:1", 4, "size does not fit in 64 bits"},
	} {
		got, err := Downcast(layout(t, c.l), c.n)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}

func TestRecast(t *testing.T) {
	for _, c := range []struct {
		l        string
		old, new int
		want     string
	}{
		{"(8,3):(1,8)", 16, 32, "(4,3):(1,4)"},
		{"(8,3):(1,8)", 16, 8, "(16,3):(1,16)"},
		{"(8,3):(1,8)", 16, 16, "(8,3):(1,8)"},
		{"(9,2):(1,12)", 32, 48, "(6,2):(1,8)"},
		{"(8,3):(1,8)", 32, 48, "upcast of (8,3):(1,8) by 3: stride 8"},
		{"(8,3):(1,8)", 0, 48, "recast of (8,3):(1,8) from 0 to 48 bits: allowed are at least 1"},
		{"(8,3):(2,16)", 16, 8, "no stride is 1"},
	} {
		got, err := Recast(layout(t, c.l), c.old, c.new)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}
