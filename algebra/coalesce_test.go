package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCoalesce(t *testing.T) {
	for in, want := range map[string]string{
		"(2,(1,6)):(1,(6,2))":       "12:1",
		"(2,4):(4,1)":               "(2,4):(4,1)",
		"(2,4):(1,3)":               "(2,4):(1,3)",
		"((1)):((-24))":             "1:0",
		"(2,16,2):(0,0,-16)":        "(32,2):(0,-16)",
		"():()":                     "1:0",
		"(4,2):(1@0,4@0)":           "8:1@0",
		"(4,2):(1@0,4@1)":           "(4,2):(1@0,4@1)",
		"(4,2,3):(0,0@1,0)":         "24:0",
		"(3,1,5):(2@1,7@0,6@1)":     "15:2@1",
		"(4,(2,3)):(1@0,(4@0,1@1))": "(8,3):(1@0,1@1)",
	} {
		require.Equal(t, want, Coalesce(layout(t, in)).String(), in)
	}
}

func TestCoalesceModes(t *testing.T) {
	for _, c := range []struct{ in, profile, want string }{
		{"(2,(1,6)):(1,(6,2))", "(1,1)", "(2,6):(1,2)"},
		{"(2,(1,6)):(1,(6,2))", "1", "12:1"},
		{"(2,(1,6)):(1,(6,2))", "(1)", "(2,(1,6)):(1,(6,2))"},
		{"((4,2),((2,2),5)):((1,4),((8,16),32))", "(1,(1,1))", "(8,(4,5)):(1,(8,32))"},
	} {
		got, err := CoalesceModes(layout(t, c.in), tuple(t, c.profile))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String())
	}
	_, err := CoalesceModes(layout(t, "(2,6):(1,2)"), tuple(t, "(1,1,1)"))
	require.EqualError(t, err, "coalesce (2,6):(1,2) by the profile (1,1,1): rank 3, allowed is at most 2")
}

func TestFilter(t *testing.T) {
	for in, want := range map[string]string{
		"(2,4,3):(0,1,4)":         "12:1",
		"(4,2):(0,0)":             "1:0",
		"(2,1,3):(3,5,1)":         "(2,3):(3,1)",
		"(8,4,2):(0,1@0,1@1)":     "(4,2):(1@0,1@1)",
		"((3,(2)),4):((0,(0)),7)": "4:7",
	} {
		require.Equal(t, want, Filter(layout(t, in)).String(), in)
	}
}

// TestFilters: filter_zeros keeps one coordinate of each that share an element by stride 0, filter coalesces them, and
// filter by a profile does so mode by mode.
func TestFilters(t *testing.T) {
	for _, c := range []struct{ l, profile, zeros, filtered string }{
		{"(2,4,3):(0,1,4)", "(1,1,1)", "(1,4,3):(0,1,4)", "(1,4,3):(0,1,4)"},
		{"(2,(4,3)):(0,(1,0))", "(1,1)", "(1,(4,1)):(0,(1,0))", "(1,4):(0,1)"},
		{"(2,(4,3)):(0,(1,0))", "(1)", "(1,(4,1)):(0,(1,0))", "(1,(4,3)):(0,(1,0))"},
		{"(2,(4,3)):(0,(1,0))", "1", "(1,(4,1)):(0,(1,0))", "4:1"},
		{"(2,2):(0,0)", "1", "(1,1):(0,0)", "1:0"},
		{"(2,3):(0,1@0)", "1", "(1,3):(0,1@0)", "3:1@0"},
	} {
		l := layout(t, c.l)
		require.Equal(t, c.zeros, FilterZeros(l).String(), c.l)
		got, err := FilterModes(l, tuple(t, c.profile))
		require.NoError(t, err)
		require.Equal(t, c.filtered, got.String(), c.l)
	}
	_, err := FilterModes(layout(t, "(2,2):(0,0)"), Ints(1, 1, 1))
	require.EqualError(t, err, "filter (2,2):(0,0) by the profile (1,1,1): rank 3, allowed is at most 2")
}
