package algebra

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestComplement(t *testing.T) {
	for _, c := range []struct {
		layout   string
		cotarget int
		want     string
	}{
		{"(2,4):(1,6)", 24, "3:2"},
		{"4:1", 24, "6:4"},
		{"6:4", 24, "4:1"},
		{"(4,6):(1,4)", 24, "1:0"},
		{"4:2", 24, "(2,3):(1,8)"},
		{"(2,2):(1,6)", 24, "(3,2):(2,12)"},
		{"1:0", 7, "7:1"},
		{"(4,3):(1,0)", 8, "2:4"},
		{"4:1", 10, "3:4"}, // rounded up
		{"4:1", 3, "1:0"},
		{"(2,2):(1,5)", 10, "2:2"}, // leaves 4 and 9 uncovered
		{"(4,2):(2,1)", 16, "2:8"},
	} {
		got, err := Complement(layout(t, c.layout), c.cotarget)
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s to %d", c.layout, c.cotarget)
	}
}

func TestComplementRefuses(t *testing.T) {
	for _, c := range []struct {
		layout   string
		cotarget int
		why      string
	}{
		{"(2,2):(1,1)", 8, "complement of (2,2):(1,1): it is not injective: coordinate (1,0) (position 1) and coordinate (0,1) (position 2) meet at offset 1"},
		{"(4,3):(2,6)", 24, "coordinate (3,0) (position 3) and coordinate (0,1) (position 4) meet at offset 6"},
		{"(4,5,6):(2,0,6)", 24, "coordinate (3,0,0) (position 3) and coordinate (0,0,1) (position 20) meet at offset 6"},
		// Three modes that meet though no two of them do: 1+4 = 5.
		{"(2,2,2):(1,4,5)", 24, "coordinate (1,1,0) (position 3) and coordinate (0,0,1) (position 4) meet at offset 5"},
		{"(1048576,1048576):(1,1)", 24, "coordinate (1,0) (position 1) and coordinate (0,1) (position 1048576) meet at offset 1"},
		// Injective, but no layout of shifts fills the holes.
		{"(2,2):(2,3)", 24, "complement of (2,2):(2,3): modes 2:2 and 2:3 interleave: stride 3 is below the end 4 of the mode before"},
		{"(2,4,2):(1,0,1)", 8, "coordinate (1,0,0) (position 1) and coordinate (0,0,1) (position 8) meet at offset 1"},
		{"4:-1", 24, "stride -1 is negative"},
		{"4:1", 0, "complement of 4:1 to 0: allowed are cotargets of at least 1"},
		{"(4,4):(1@0,1@1)", 24, "its values are coordinates, allowed are plain strides; use Dot first"},
		{"(1,2):(0,4611686018427387904)", 8, "does not fit in 64 bits"},
	} {
		_, err := Complement(layout(t, c.layout), c.cotarget)
		require.ErrorContains(t, err, c.why, "%s to %d", c.layout, c.cotarget)
	}
}

// requireComplement checks the postconditions and finds the first uncovered offset below the cotarget.
func requireComplement(t *testing.T, l Layout, cotarget int, c Layout) (gap int, ok bool) {
	t.Helper()
	shifts := offsets(c)
	for i := 1; i < len(shifts); i++ {
		require.Less(t, shifts[i-1], shifts[i], "ensures 2: complement %v of %v to %d is increasing", c, l, cotarget)
	}
	covered := map[int]bool{}
	for _, offset := range offsets(Filter(l)) {
		for _, shift := range shifts {
			require.False(t, covered[offset+shift], "ensures 1: complement %v of %v to %d: %d twice", c, l, cotarget, offset+shift)
			covered[offset+shift] = true
		}
	}
	byFilter, err := Complement(Filter(l), cotarget)
	require.NoError(t, err)
	require.True(t, byFilter.Equal(c), "ensures 3")
	sorted, err := nested(l)
	require.NoError(t, err)
	want, has := firstGap(sorted)
	for gap := range cotarget {
		if !covered[gap] {
			require.True(t, has, "ensures 4: complement %v of %v to %d leaves %d", c, l, cotarget, gap)
			require.Equal(t, want, gap)
			return gap, true
		}
	}
	return 0, false
}

// requireNoComplement: the refusal is right. The image meets itself, is below 0, or its modes interleave.
func requireNoComplement(t *testing.T, l Layout, err error) {
	t.Helper()
	if distinct(offsets(Filter(l))) {
		require.ErrorContains(t, err, "interleave", l)
		return
	}
	require.ErrorContains(t, err, "meet at offset", l)
}

// TestComplementShape: Complement with as many copies of the whole extent as CeilDiv counts.
func TestComplementShape(t *testing.T) {
	for _, c := range []struct{ l, cotarget, want string }{
		{"64:1", "(32,4,4)", "8:64"},
		{"2:1", "(5,3)", "9:2"},
		{"2:1", "15", "8:2"},
		{"(2,2):(1,4)", "(4,6)", "(2,3):(2,8)"},
		{"4:0", "(3,(2,5))", "30:1"},
		{"4:1", "(0,2)", "complement of 4:1 to (0,2): ceil_div of (0,2) by 4"},
		{"(2,2):(1,1)", "(4,6)", "complement of (2,2):(1,1): it is not injective"},
		{"4:3", "(1000,9223372036854775807)", "does not fit in 64 bits"},
	} {
		got, err := ComplementShape(layout(t, c.l), tuple(t, c.cotarget))
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String(), "%s to %s", c.l, c.cotarget)
	}
	r := rand.New(rand.NewPCG(57, 58))
	for range 500 {
		l := randomLayout(r, 60)
		n := 1 + r.IntN(100)
		want, err := Complement(l, n)
		if err != nil {
			continue
		}
		got, err := ComplementShape(l, Int(n))
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String(), "%v to %d", l, n)
	}
}
