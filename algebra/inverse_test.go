package algebra

import (
	"math/rand/v2"
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
		for i, at := range offsets(inverse) {
			require.Equal(t, i, offset(l, at), "%v after its right inverse %v", l, inverse)
		}
		bijective := distinct(offsets(l)) && l.Cosize() == l.Size()
		require.Equal(t, bijective, inverse.Size() == l.Size(), "%v and its right inverse %v", l, inverse)
		if bijective {
			bijections++
		}
	}
	require.Greater(t, bijections, 200)
}
