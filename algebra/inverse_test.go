package algebra

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRightInverse(t *testing.T) {
	for in, want := range map[string]string{
		"(4,2):(2,1)":         "(2,4):(4,1)",
		"(4,2):(1,8)":         "4:1",
		"8:1":                 "8:1",
		"8:2":                 "1:0",
		"(4,8):(8,1)":         "(8,4):(4,1)",
		"((2,2),4):((1,8),2)": "(2,4,2):(1,4,2)",
		"(3,7):(0,1)":         "7:3",
		"(128,2):(2,1)":       "(2,128):(128,1)",
		"4:-1":                "1:0",
		"(2,2):(1,1)":         "2:1",
		"():()":               "1:0",
		"(4,2,3):(3,12,1)":    "(3,8):(8,1)",
		"(3,2):(1,2)":         "3:1", // (2,2):(1,3) is longer, of parts of modes
		"(2,2):(5,-4)":        "1:0", // 2:3 is longer
	} {
		got, err := RightInverse(layout(t, in))
		require.NoError(t, err)
		require.Equal(t, want, got.String(), in)
	}
	_, err := RightInverse(layout(t, "(4,2):(1@0,1@1)"))
	require.ErrorContains(t, err, "right inverse of (4,2):(1@0,1@1): its values are coordinates")
}

// TestRightInverseDefinition: l(R(i)) = i, and R has l's whole size exactly when l is a bijection onto 0 to n-1.
func TestRightInverseDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	bijections := 0
	for range 2000 {
		l := randomLayout(r, 120)
		inverse, err := RightInverse(l)
		require.NoError(t, err)
		requireRightInverse(t, l, inverse)
		bijective := distinct(offsets(l)) && l.Cosize() == l.Size()
		require.Equal(t, bijective, inverse.Size() == l.Size(), "%v and its right inverse %v", l, inverse)
		if bijective {
			bijections++
		}
	}
	require.Greater(t, bijections, 200)
}

func requireRightInverse(t *testing.T, l, inverse Layout) {
	t.Helper()
	values := offsets(l)
	for i, at := range offsets(inverse) {
		if at < 0 || at >= len(values) || values[at] != i {
			require.Fail(t, "no right inverse", "%v after %v is not %d at %d", l, inverse, i, i)
		}
	}
}

func TestLeftInverse(t *testing.T) {
	for in, want := range map[string]string{
		"(4,2):(1,8)": "(8,2):(1,4)",
		"4:2":         "(2,4):(0,1)",
		"1:1":         "1:0",
		"12:0":        "12:0",
		"(4,2):(2,1)": "(2,4):(4,1)",
		"(2,3):(0,5)": "(5,3):(0,2)",
		"(2,2):(1,3)": "(3,2):(1,2)",
		// Strides that do not divide each other.
		"(2,2):(2,5)":             "(2,4):(0,1)",
		"(3,2):(2,3)":             "(2,4):(2,1)",
		"(2,3):(3,2)":             "(2,4):(-1,2)",
		"(2,2):(3,5)":             "(2,4,2):(0,1,3)",
		"(2,6):(9,14)":            "(7,12):(0,1)", // and (4,2,5,2):(0,1,1,6), which has more modes
		"(2,2,2):(1,3,8)":         "(2,2,2,2):(1,1,3,4)",
		"(2,3,2):(2,0,5)":         "(2,4):(4,1)",
		"(2,2):(2000000,5000000)": "(2000000,4):(0,1)",
		"(2,2,8192):(2,5,8)":      "(2,32768):(0,1)",
		"(2,2,8192):(3,5,16)":     "(2,4,2,8192):(0,1,3,4)",
		"(3,2,8192):(2,3,18)":     "(2,9,8192):(2,1,6)",
		"(64,1024):(2,131)":       "(2,131,512):(-1,1,128)",
	} {
		l := layout(t, in)
		got, err := LeftInverse(l)
		require.NoError(t, err, in)
		require.Equal(t, want, got.String(), in)
		requireLeftInverse(t, l, got)
	}
	for in, why := range map[string]string{
		"(2,2):(1,1)": "left inverse of (2,2):(1,1): it is not injective: coordinate (1,0) (position 1) and coordinate (0,1) (position 2) meet at offset 1",
		"(3,2):(2,4)": "it is not injective: coordinate (2,0) (position 2) and coordinate (0,1) (position 3) meet at offset 4",
		// (2,4):(2,1) finds 0 2 4 3 5 7 of (3,2):(2,3). In (3,3):(2,3) 3 is L(2)+2, since the first digit is x%2 (2 is at 1), so
		// 7 is L(6)+2 = 8, but it is at 5.
		"(3,3):(2,3)":     "left inverse of (3,3):(2,3): no layout finds offset 7, of coordinate (2,1) (position 5), beside those below it",
		"(3,3):(3,5)":     "no layout finds offset 16, of coordinate (2,2) (position 8), beside those below it",
		"(16,12):(17,5)":  "no layout finds offset 51, of coordinate (3,0) (position 3), beside those below it",
		"(3,4,3):(2,0,3)": "no layout finds offset 7, of coordinate (2,0,1) (position 14), beside those below it",
		// In one block 2^31 and 2^31+1 would be one step of 1 apart, as 2 and 3 are, but they are at 3 and 6.
		"(2,2,3):(1,2147483647,2)": "no layout finds offset 2147483649, of coordinate (0,1,1) (position 6), beside those below it",
		"(3,3,8192):(2,3,18)":      "no layout finds offset 7, of coordinate (2,1,0) (position 5), beside those below it",
		"(2,2):(3000001,5000000)":  "undecided: its strides do not divide each other, and no layout that finds its offsets is found in time",
		"(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2):(2,5,11,23,47,95,191,383,767,1535,3071,6143,12287,24575,49151)": "undecided",
		"4:-1":                  "stride -1 is negative, allowed are strides of at least 0",
		"(2,2,2):(-1,2,3)":      "stride -1 is negative, allowed are strides of at least 0",
		"(4,2):(1@0,1@1)":       "its values are coordinates",
		"2:4611686018427387904": "mode 2:4611686018427387904 ends where it does not fit in 64 bits",
	} {
		_, err := LeftInverse(layout(t, in))
		require.ErrorContains(t, err, why, in)
	}
}

// TestLeftInverseDefinition: R(l(i)) = i, or the first position of i's offset where l has stride 0.
func TestLeftInverseDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	accepted := 0
	for range 3000 {
		l := randomLayout(r, 120)
		inverse, err := LeftInverse(l)
		if err != nil {
			requireNoLeftInverse(t, l, err)
			continue
		}
		requireLeftInverse(t, l, inverse)
		accepted++
	}
	require.Greater(t, accepted, 1000)
}

// TestLeftInverseLarge: of a layout with more coordinates than are looked at, what is found is right at each of them. What
// no layout finds at the beginning of the modes, none finds.
func TestLeftInverseLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	var found, lost, meet, undecided int
	for range 120 {
		small := []mode{{shape: 2 + r.IntN(3), stride: 2 + r.IntN(8)}, {shape: 2 + r.IntN(3), stride: 2 + r.IntN(8)}, {shape: 3}}
		reach := ofModes(small[:2]).Cosize()
		small[2].stride = reach + r.IntN(4)
		long := slices.Clone(small)
		long[2].shape = 1 << (11 + r.IntN(3))
		l := ofModes(long)
		got, err := LeftInverse(l)
		switch {
		case err == nil:
			requireLeftInverse(t, l, got)
			found++
		case strings.Contains(err.Error(), "undecided"):
			undecided++
		case !distinct(offsets(l)):
			require.ErrorContains(t, err, "meet at offset", l)
			meet++
		default:
			require.ErrorContains(t, err, "no layout finds offset", l)
			if x := firstLost(ofModes(small)); 0 <= x && x < reach {
				require.ErrorContains(t, err, fmt.Sprintf("no layout finds offset %d,", x), l)
				lost++
			}
		}
	}
	require.Equal(t, []int{36, 9, 21, 0}, []int{found, lost, meet, undecided})
}

func requireLeftInverse(t *testing.T, l, inverse Layout) {
	t.Helper()
	first := map[int]int{}
	for i, at := range offsets(l) {
		if _, ok := first[at]; !ok {
			first[at] = i
		}
	}
	still, constant := !distinct(offsets(l)), inverse.Size() == l.Size() && Filter(l).Size() == 1
	forth, back := offsetOf(l), offsetOf(inverse)
	for i, at := range offsets(l) {
		if constant {
			if got := forth(back(at)); got != at {
				require.Equal(t, at, got, "%v and its left inverse %v", l, inverse)
			}
			continue
		}
		want := first[at]
		if got := back(at); got != want || !still && i != want {
			require.Equal(t, want, got, "%v and its left inverse %v at %d", l, inverse, i)
			require.Equal(t, i, want, "%v repeats an offset", l)
		}
	}
	require.GreaterOrEqual(t, inverse.Size(), l.Cosize(), "every offset is in the inverse's domain")
}

// requireNoLeftInverse: the refusal names what is there, the first offset that no layout finds beside those below it.
func requireNoLeftInverse(t *testing.T, l Layout, err error) {
	t.Helper()
	negative := slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.shape > 1 && m.stride < 0 })
	switch {
	case negative:
		require.ErrorContains(t, err, "is negative", l)
	case !distinct(offsets(Filter(l))):
		require.ErrorContains(t, err, "meet at offset", l)
	default:
		require.ErrorContains(t, err, fmt.Sprintf("no layout finds offset %d, of ", firstLost(l)), l)
	}
}

// TestNullspace: exactly the positions at value 0, with strides of one sign and of both.
func TestNullspace(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	some, refused := 0, 0
	for i := range 3000 {
		l := randomLayout(r, 120)
		if i%3 == 0 {
			l = turned(r, l)
		}
		null, err := Nullspace(l)
		if err != nil {
			refused++
		}
		requireNullspace(t, l, null, err)
		if null.Size() > 1 {
			some++
		}
	}
	require.Greater(t, some, 100)
	require.Positive(t, refused)
	for in, want := range map[string]string{
		"(7,5,16):(0,0,0)":          "(7,5,16):(1,7,35)",
		"(2,2,3):(1,0,2)":           "2:2",
		"4:1":                       "1:0",
		"(2,2):(1,-3)":              "1:0",
		"(3,2,2):(1@0,0,1@1)":       "2:3",
		"(3,2,2):(1@0,0,-1@1)":      "2:3",
		"(2,2):(1,-1)":              "2:3",
		"(4,4,2):(1,-1,0)":          "(4,2):(5,16)",
		"(3,4):(-3,2)":              "2:11",
		"(3,2,2):(1@0,0,-1@0)":      "(2,2):(3,7)",
		"(1000,2,1000):(1,0,-1000)": "2:1000",
		"(1073741824,4):(1@0,-1@1)": "1:0",
		"(512,512):(1,-1)":          "512:513",
	} {
		got, err := Nullspace(layout(t, in))
		require.NoError(t, err, in)
		require.Equal(t, want, got.String(), in)
	}
	for in, why := range map[string]string{
		"(2,2,2):(1,1,-1)":     "nullspace of (2,2,2):(1,1,-1) has no layout: zero 2 of 3 is coordinate (0,1,1) (position 6), not 10, and 3 coordinates cannot be split after 2",
		"(3,3,3):(1,1,-1)":     "zero 3 of 6 is coordinate (2,0,2) (position 20), not 22, which the coordinates before demand",
		"(1000,1000):(1,-999)": "nullspace of (1000,1000):(1,-999): strides of both signs, allowed are at most 262144 coordinates",
		"(512,513):(1,-1)":     "allowed are at most 262144 coordinates",
	} {
		_, err := Nullspace(layout(t, in))
		require.ErrorContains(t, err, why, in)
	}
}

// turned has some strides turned to the other sign.
func turned(r *rand.Rand, l Layout) Layout {
	modes := slices.Clone(l.leaves())
	for k := range modes {
		if r.IntN(2) == 0 {
			modes[k].stride = -modes[k].stride
		}
	}
	return newLayout(l.profile, modes)
}

// requireNullspace: the zeros in order, or no factorization of their number lists them, and the refusal has the first one
// that none does.
func requireNullspace(t *testing.T, l, null Layout, err error) {
	t.Helper()
	var zeros []int
	for i, at := range offsets(l) {
		if at == 0 {
			zeros = append(zeros, i)
		}
	}
	if err != nil {
		first := refusalOf(Int(len(zeros)), zeros)
		require.Positive(t, first, "%v has the zeros %v", l, zeros)
		require.ErrorContains(t, err, fmt.Sprintf(": zero %d of %d is %s, ", first, len(zeros), l.position(zeros[first])))
		return
	}
	if got := offsets(null); !slices.Equal(got, zeros) {
		require.Equal(t, zeros, got, "%v and its nullspace %v", l, null)
	}
}

// FuzzInverses judges the inverses and the nullspace of a layout by their definitions, and refusals by brute force where l is
// small enough.
func FuzzInverses(f *testing.F) {
	for _, seed := range []string{"(4,2):(1,8)", "(3,2):(2,3)", "(3,3):(2,3)", "(2,3,2):(2,0,5)", "(2,2):(1,-1)", "(2,2):(1,1)", "():()"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := smallLayout(text, 256)
		if !ok {
			return
		}
		r, err := RightInverse(l)
		require.NoError(t, err)
		requireRightInverse(t, l, r)
		null, err := Nullspace(l)
		requireNullspace(t, l, null, err)
		left, err := LeftInverse(l)
		switch {
		case err == nil:
			requireLeftInverse(t, l, left)
		case l.Cosize() <= 128:
			requireNoLeftInverse(t, l, err)
		}
	})
}

// TestCoordOf: every offset is found again, and no other.
func TestCoordOf(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 40))
	for range 1000 {
		l := randomLayout(r, 60)
		reached := map[int]bool{}
		for _, at := range offsets(l) {
			reached[at] = true
		}
		for at := range l.Cosize() + 3 {
			coord, err := CoordOf(l, at)
			if !reached[at] {
				require.ErrorContains(t, err, "no coordinate has it", "%v at %d is %v", l, at, coord)
				continue
			}
			require.NoError(t, err, "%v at %d", l, at)
			got, err := l.Index(coord)
			require.NoError(t, err)
			require.Equal(t, at, got, "%v at %v", l, coord)
		}
	}
	for _, c := range []struct {
		l      string
		offset int
		want   string
	}{
		{"(4,(2,3)):(6,(1,2))", 17, "(2,(1,2))"},
		{"(4,1):(1,0)", 3, "(3,0)"},
		{"(2,2):(1,5)", 6, "(1,1)"},
		{"(2,3):(1,-4)", -7, "(1,2)"},
		{"(2,3):(0,4)", 8, "(0,2)"},
	} {
		got, err := CoordOf(layout(t, c.l), c.offset)
		require.NoError(t, err)
		require.Equal(t, c.want, got.String())
	}
	_, err := CoordOf(layout(t, "(4,2):(1,8)"), 4)
	require.EqualError(t, err, "coordinate of offset 4 in (4,2):(1,8): no coordinate has it")
	_, err = CoordOf(layout(t, "(1000,1000):(1,2)"), 2999)
	require.ErrorContains(t, err, "more than 262144 coordinates")
	_, err = CoordOf(layout(t, "4:1@0"), 1)
	require.ErrorContains(t, err, "its values are coordinates")
}
