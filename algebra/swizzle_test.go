package algebra

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// swizzled is the definition: each bit j of the ZZZ field is xored with bit j+shift.
func swizzled(s Swizzle, offset int) int {
	result := offset
	for j := range s.Bits {
		to, from := s.Base+j, s.Base+j+s.Shift
		if s.Shift < 0 {
			to, from = s.Base+j-s.Shift, s.Base+j
		}
		if offset>>from&1 == 1 {
			result ^= 1 << to
		}
	}
	return result
}

func TestSwizzle(t *testing.T) {
	for _, c := range []struct {
		text         string
		offset, want int
	}{
		{"Sw<3,1,3>", 3938, 3950},
		{"Sw<3,4,3>", 7927, 7847},
		{"Sw<2,5,-3>", 3025, 2513},
		{"Sw<0,4,0>", 3025, 3025},
		{"Sw<1,0,1>", 2, 3},
		{"Sw<1,0,1>", 1, 1},
	} {
		s, err := ParseSwizzle(c.text)
		require.NoError(t, err)
		require.Equal(t, c.text, s.String())
		require.Equal(t, c.want, s.Apply(c.offset), "%s of %d", c.text, c.offset)
	}
	require.Equal(t, 77, Swizzle{}.Apply(77), "the zero value is the identity")
}

// TestSwizzleDefinition compares Apply with the bits, and checks that it is its own inverse and stays in its block.
func TestSwizzleDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 3000 {
		s := randomSwizzle(r)
		offset := int(r.Int64N(1 << 20))
		got := s.Apply(offset)
		require.Equal(t, swizzled(s, offset), got, "%v of %d", s, offset)
		require.Equal(t, offset, s.Apply(got), "%v twice of %d", s, offset)
		top := s.Base + s.Bits + abs(s.Shift)
		require.Equal(t, offset>>top, got>>top, "%v of %d", s, offset)
		require.Zero(t, s.Apply(0))
	}
}

func randomSwizzle(r *rand.Rand) Swizzle {
	s := Swizzle{Bits: r.IntN(4), Base: r.IntN(5)}
	s.Shift = s.Bits + r.IntN(3)
	if r.IntN(2) == 0 {
		s.Shift = -s.Shift
	}
	return s
}

func TestSwizzleRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"Sw<3,2,2>":    "swizzle Sw<3,2,2>: the fields overlap, allowed are shifts of at least 3 or at most -3",
		"Sw<3,2,0>":    "the fields overlap",
		"Sw<-1,2,3>":   "bits and base must be at least 0",
		"Sw<1,-2,3>":   "bits and base must be at least 0",
		"Sw<3,57,3>":   "it reaches beyond bit 62",
		"Sw<1,0,-62>":  "it reaches beyond bit 62",
		"Sw<99,0,99>":  "it reaches beyond bit 62",
		"Sw<1,0,9999>": "it reaches beyond bit 62",
	} {
		_, err := ParseSwizzle(text)
		require.ErrorContains(t, err, why, text)
	}
	for _, text := range []string{"Sw<3,2,3>", "Sw<3,2,-3>", "Sw<3,56,3>", "Sw<1,0,61>", "Sw<0,0,0>"} {
		_, err := ParseSwizzle(text)
		require.NoError(t, err, text)
	}
}

// TestSwizzleSize: the offsets below it change places among themselves, those of a smaller power of two do not or the swizzle
// has fewer bits than it names.
func TestSwizzleSize(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	for range 300 {
		s := randomSwizzle(r)
		size, err := s.Size()
		require.NoError(t, err)
		half := false
		for x := range size {
			require.Less(t, swizzled(s, x), size, s)
			require.Equal(t, swizzled(s, x)+size, swizzled(s, x+size), "%v repeats", s)
			half = half || x < size/2 && swizzled(s, x)+size/2 != swizzled(s, x+size/2)
		}
		require.Equal(t, s.Bits > 0, half, "%v does not repeat at half its size", s)
	}
	_, err := Swizzle{2, 0, 1}.Size()
	require.ErrorContains(t, err, "the fields overlap")
}
