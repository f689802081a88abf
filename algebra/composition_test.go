package algebra

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestComposition(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"},
		{"20:2", "(5,4):(4,1)", "(5,4):(8,2)"},
		{"(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"},
		// The left side is coalesced first, so that this stride need not divide 4.
		{"(4,2,8):(3,12,97)", "3:3", "3:9"},
		{"(8,8):(8,1)", "2:3", "2:24"},
		// Outside the left side's domain its last mode goes on.
		{"1:1", "1:1", "1:1"},
		{"(3,1):(16,33)", "2:3", "2:33"},
		{"(4,1):(1,0)", "8:1", "(4,2):(1,0)"},
		// No condition of CuTe holds, but the values happen to be even: 6 12 18.
		{"(4,4):(1,5)", "3:5", "3:6"},
		// 4:2 and 2:1 together stay inside the left side's first mode.
		{"(8,2):(1,100)", "(4,2):(2,1)", "(4,2):(2,1)"},
		{"(4):(1)", "(4):(-2)", "(4):(-2)"},
		{"(1,(2,4)):(0,(-1,512))", "4:-1", "(2,2):(1,-512)"},
		// Values that are coordinates, from the left and from the right.
		{"(8,16):(1@0,1@1)", "(4,(2,4)):(16,(1,2))", "(4,(2,4)):(2@1,(1@0,2@0))"},
		{"(8,16):(16,1)", "((2,4),8):((4@1,1@0),2@1)", "((2,4),8):((4,16),2)"},
		{"((2,4),16):((64,1),4)", "(8,4):(1@0,1@1)", "((2,4),4):((64,1),4)"},
		{"((2,4),16):((64,1),4)", "(4,4):(1@1@0,1@1)", "(4,4):(1,4)"},
		{"(8,16):(1@0,1@1)", "(4,3):(2@1,3@0)", "(4,3):(2@1,3@0)"},
	} {
		got, err := Composition(layout(t, c.a), layout(t, c.b))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s o %s", c.a, c.b)
	}
}

func TestCompositionRefuses(t *testing.T) {
	for _, c := range []struct{ a, b, why string }{
		{"(4,2,8):(3,12,97)", "4:3", "at coordinate 3 of 4 (position 9 of the left side) the value is 100, not 27, and 4 coordinates cannot be split after 3"},
		{"(4,2,8):(3,15,97)", "3:3", "at coordinate 2 of 3 (position 6 of the left side) the value is 21, not 18"},
		// 0 6 7 could go on as (2,3):(6,7), but 8 is not 6+7.
		{"(4,6,8):(2,3,5)", "6:3", "at coordinate 3 of 6 (position 9 of the left side) the value is 8, not 13, which the coordinates before demand"},
		{"(4,8):(1,5)", "6:1", "at coordinate 4 of 6 (position 4 of the left side) the value is 5, not 4, and 6 coordinates cannot be split after 4"},
		{"(2,4,2):(2,4,1)", "((4,2),2):((4,1),4)", "at coordinate ((1,0),1) of ((4,2),2) (position 8 of the left side) the value is 1, but its modes alone add up to 16"},
		// The diagonal of a coordinate layout is no multiple of one basis element.
		{"(4,4):(1@0,1@1)", "4:5", "at coordinate 1 of 4 (position 5 of the left side) the value is (1,1), which is no multiple of one basis element"},
		{"(4,4):(1,4)", "4:1@2", "basis 1@2: the left side has no mode there"},
		{"4:1", "4:1@0@0", "basis 1@0: the left side has no mode there"},
		// The one carry is at the last of 2^20 coordinates.
		{"(1048576,4):(1,2097152)", "(524288,2):(1,524289)", "a stride or extent does not divide, and no coordinate below 262144 decides whether there is a layout"},
		{"(2,2):(1,4611686018427387904)", "3:2", "does not fit in 64 bits"},
	} {
		_, err := Composition(layout(t, c.a), layout(t, c.b))
		require.ErrorContains(t, err, c.why, "%s o %s", c.a, c.b)
		require.ErrorContains(t, err, "composition "+c.a+" o "+c.b)
	}
}

// TestCompositionExact compares acceptance, values and the refused coordinate with the search through all refinements.
func TestCompositionExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted, refused, beyond := 0, 0, 0
	for range 6000 {
		a, b := randomLayout(r, 200), randomLayout(r, 48)
		got, err := Composition(a, b)
		first := refusalOf(b.Shape(), composed(a, b))
		if first < 0 {
			require.NoError(t, err)
			requireComposition(t, a, b, got)
			accepted++
			if _, _, certain := conditions(a, b); !certain {
				beyond++
			}
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("at coordinate %v of %v ", b.Coord(first), b.Shape()), "%v o %v", a, b)
		refused++
	}
	require.Greater(t, accepted, 500)
	require.Greater(t, refused, 500)
	require.Greater(t, beyond, 50, "results that only looking accepts")
}

// conditions is what Composition knows without looking: the modes, how many of them after each of b's, and whether they are
// certain.
func conditions(a, b Layout) (refined Layout, ends []int, certain bool) {
	left := coalesceX(slices.Clone(a.leaves()))
	reach := make([]int, len(left))
	certain = true
	for k := range b.leaves() {
		certain = walk(left, &b.leaves()[k], reach, &refined) && certain
		ends = append(ends, refined.n)
	}
	return refined, ends, certain && !carries(left, reach)
}

// TestCompositionConditions: where the conditions hold, looking finds the same modes. Only modes of extent 1 may differ:
// their stride is free.
func TestCompositionConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	held := 0
	for range 8000 {
		a, b := randomLayout(r, 500), randomLayout(r, 64)
		refined, ends, certain := conditions(a, b)
		if !certain {
			continue
		}
		held++
		looked, no := look(coalesceX(slices.Clone(a.leaves())), b.leaves())
		require.Nil(t, no, "%v o %v", a, b)
		for k, m := range b.leaves() {
			if m.shape > 1 {
				require.Equal(t, looked[k], leafModes(&refined, ends, k), "mode %d of %v o %v", k, a, b)
			}
		}
	}
	require.Greater(t, held, 1000)
}

func TestCompositionLarge(t *testing.T) {
	// Far too large to look at: the conditions decide.
	a := layout(t, "(65536,65536):(65536,1)")
	got, err := Composition(a, layout(t, "(1048576,4096):(1,1048576)"))
	require.NoError(t, err)
	require.Equal(t, "((65536,16),4096):((65536,1),16)", got.String())
	// Its off-by-one twin carries out of the first mode.
	_, err = Composition(a, layout(t, "(65537,65536):(1,65537)"))
	require.ErrorContains(t, err, "at coordinate (65536,0) of (65537,65536) (position 65536 of the left side) the value is 1, not 4294967296")
}
