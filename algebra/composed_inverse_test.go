package algebra

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// offsetSwizzled draws a swizzled layout with an offset, often of powers of two and turned around.
func offsetSwizzled(t *rapid.T) Composed {
	l := signed(48).Draw(t, "l")
	if rapid.Bool().Draw(t, "bits") {
		modes := make([]mode, rapid.IntRange(1, 8).Draw(t, "modes"))
		for k, bit := range rapid.Permutation(indices(len(modes))).Draw(t, "order") {
			modes[k] = mode{shape: 2, stride: 1 << bit}
			if rapid.IntRange(0, 3).Draw(t, "turned") == 3 {
				modes[k].stride = -modes[k].stride
			}
		}
		l = newLayout(flatProfile(len(modes)), modes)
	}
	c := Composed{swizzles().Draw(t, "swizzle"), 0, l}
	low, _ := c.reach()
	c.Offset = -low + rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 8, 12, 16, 32, 64, 96}).Draw(t, "offset")
	return c
}

// composedOf tells whether some swizzle of the first 7 bits after an offset and a layout of one mode has the values.
func composedOf(values []int) bool {
	for _, s := range swizzlesOf(nil, nil) {
		if s.Base+s.Bits+abs(s.Shift) > 7 {
			continue
		}
		begin := s.Apply(values[0])
		l, ok := layoutOf(Int(len(values)), func(i int) int { return s.Apply(values[i]) - begin })
		if ok && (Composed{s, begin, l}).Validate() == nil {
			return true
		}
	}
	return false
}

// TestInversesWithOffset: right where given. A right inverse is refused where no position has offset 0, or no swizzle after an offset
// and a layout gives the first positions.
func TestInversesWithOffset(t *testing.T) {
	var right, left, noRight, noLeft int
	rapid.Check(t, func(t *rapid.T) {
		c := offsetSwizzled(t)
		values := swizzledOffsets(c)
		first := map[int]int{}
		for i, at := range values {
			if _, ok := first[at]; !ok {
				first[at] = i
			}
		}
		var run []int
		for at := 0; ; at++ {
			i, ok := first[at]
			if !ok {
				break
			}
			run = append(run, i)
		}
		r, err := c.RightInverse()
		switch {
		case err == nil && c.Offset != 0:
			right++
			require.Equal(t, run, swizzledOffsets(r), "%v and its right inverse %v", c, r)
		case err == nil:
			requireSwizzledRightInverse(t, c, r)
		case c.Offset == 0: // TestSwizzledInverses judges it
		case len(run) == 0:
			require.ErrorContains(t, err, "offset 0 is at no position, the smallest is")
		default:
			noRight++
			require.False(t, len(run) <= fewOffsets && composedOf(run), "%v: %v", c, err)
		}

		r, err = c.LeftInverse()
		if err != nil {
			noLeft++
			// Nothing but the offset stands against it.
			if moved := (Composed{c.Swizzle, 0, c.Layout}); c.Layout.HasBasis() || moved.Validate() != nil {
				return
			} else if _, without := moved.LeftInverse(); without == nil {
				require.False(t, slices.Equal(slices.Sorted(slices.Values(values)), indices(len(values))) && composedOf(run), "%v: %v", c, err)
			}
			return
		}
		left++
		for i, at := range values {
			require.Equal(t, first[at], swizzled(r.Swizzle, r.Offset+offset(r.Layout, at)), "%v and its left inverse %v at %d", c, r, i)
		}
		require.True(t, c.Offset == 0 || r.Size() > slices.Max(values), "%v and its left inverse %v", c, r)
	})
	for what, n := range map[string]int{"right": right, "left": left, "no left": noLeft} {
		require.Greater(t, n, 10, what)
	}
}

func TestInversesWithOffsetOf(t *testing.T) {
	for _, c := range []struct{ c, right, left string }{
		{"Sw<1,0,2> o 7 o 8:-1", "Sw<1,0,2> o 6 o (2,4):(1,-2)", "Sw<1,0,2> o 6 o (2,4):(1,-2)"},
		{"Sw<1,0,2> o 4 o 4:1", "right inverse of Sw<1,0,2> o 4 o 4:1: offset 0 is at no position, the smallest is 4",
			"Sw<1,0,2> o 1 o (2,2,2):(-1,2,0)"},
		{"Sw<1,0,2> o 3 o 4:1", "offset 0 is at no position, the smallest is 3",
			"left inverse of Sw<1,0,2> o 3 o 4:1: coordinate 1 (position 1) is taken for position 2"},
		{"Sw<0,0,0> o 64 o (4,2):(1,4)", "the smallest is 64", "(8,9):(1,0)"},
		{"Sw<3,4,3> o 1024 o (8,64):(64,1)", "the smallest is 1024", "Sw<2,1,-6> o 0 o (64,8,3):(8,1,0)"},
		{"Sw<1,0,2> o 4 o 8:1", "the smallest is 4", "Sw<1,0,2> o 5 o (2,2,2,2):(-1,2,-4,0)"},
		{"Sw<0,0,0> o 6 o 6:1", "the smallest is 6", "(6,2):(1,0)"},
		// None of the bits of Sw<3,0,-4>, but some swizzle.
		{"Sw<3,0,-4> o 2 o (2,2,3,3):(1,-2,4,12)", "Sw<1,0,-1> o 2 o 3:15", "stride -2 is negative"},
		// More than fewOffsets.
		{"Sw<3,4,3> o 1023 o 1024:-1", "Sw<3,4,3> o 911 o (16,8,8):(-1,16,-128)", "Sw<3,4,3> o 911 o (16,8,8):(-1,16,-128)"},
		{"Sw<2,0,3> o 511 o (32,16):(-16,-1)", "are no layout, nor one after a swizzle of the bits that Sw<2,0,3> reads and writes", "stride -16 is negative"},
		{"Sw<1,0,2> o 8 o (3,2):(2,1)", "the smallest is 8", "composition (2,3):(3,1) o Sw<1,0,2> over (2,3):(3,1): "},
		{"Sw<1,0,2> o 9 o (1024,64):(1,1024)", "the smallest is 9", "coordinate (1,0) (position 1) is taken for position 3"},
		{"Sw<1,0,2> o 1 o (4096,128):(1,4096)", "offset 1 and size 524288, allowed is at most 65536", "offset 1 and size 524288, allowed is at most 65536, or 262144 without an offset"},
		{"Sw<1,0,2> o 1 o (2,2):(1,1)", "the smallest is 1", "meet at offset 1"},
		{"Sw<1,0,2> o 1 o (2,3,2):(1,2,6)", "the smallest is 1", "coordinate (1,0,0) (position 1) is taken for position 3"},
		{"Sw<1,0,2> o 5 o 6:-1", "the positions of the offsets 0 to 5 are no layout, nor one after a swizzle", "stride -1 is negative"},
	} {
		for _, side := range []struct {
			want    string
			inverse func(Composed) (Composed, error)
		}{{c.right, Composed.RightInverse}, {c.left, Composed.LeftInverse}} {
			got, err := side.inverse(composedLayout(t, c.c))
			text := got.String()
			if err != nil {
				text = err.Error()
			}
			assert.Contains(t, text, side.want, c.c)
		}
	}
}

// TestComposedComplement: the layout and its complement, below the swizzle, have what cotarget:1 has there, each once.
func TestComposedComplement(t *testing.T) {
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		c := Composed{swizzles().Draw(t, "swizzle"), rapid.IntRange(0, 20).Draw(t, "offset"), layouts(40).Draw(t, "l")}
		cotarget := rapid.IntRange(1, 100).Draw(t, "cotarget")
		shifts, err := c.Complement(cotarget)
		if err != nil {
			_, plain := Complement(c.Layout, cotarget)
			require.ErrorContains(t, err, plain.Error())
			return
		}
		if _, tiles := tiling(c.Layout, max(cotarget, Filter(c.Layout).Cosize())); !tiles {
			return // judged by complementProperty
		}
		given++
		all, err := c.With(Concat(Filter(c.Layout), shifts))
		require.NoError(t, err)
		values := swizzledOffsets(all)
		require.True(t, distinct(values), "%v and %v", c, shifts)
		for i := range cotarget {
			require.Contains(t, values, swizzled(c.Swizzle, c.Offset+i), "%v to %d has the shifts %v", c, cotarget, shifts)
		}
	})
	require.Greater(t, given, 100)
	_, err := Composed{Layout: layout(t, "8:-1")}.Complement(8)
	require.ErrorContains(t, err, "offsets before the swizzle from -7")
	_, err = composedLayout(t, "Sw<1,0,2> o 4 o (2,2):(1,1)").Complement(8)
	require.ErrorContains(t, err, "Sw<1,0,2> o 4 o (2,2):(1,1): complement of (2,2):(1,1): it is not injective")
}

// TestComposedCoalesce: the same function, of depth 1 at most.
func TestComposedCoalesce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := offsetSwizzled(t)
		got := c.Coalesce()
		require.Equal(t, swizzledOffsets(c), swizzledOffsets(got), c)
		require.LessOrEqual(t, got.Layout.Depth(), 1)
		require.True(t, got.Coalesce().Layout.Equal(got.Layout))
	})
	require.Equal(t, "Sw<1,0,2> o 4 o (2,8):(8,1)", composedLayout(t, "Sw<1,0,2> o 4 o (2,(4,2)):(8,(1,4))").Coalesce().String())
}
