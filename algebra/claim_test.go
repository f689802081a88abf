package algebra

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// componentsOf lists a value's components at the leaves of the codomain, as a text. Zeros may be missing from the value.
func componentsOf(value, codomain Tuple) string {
	if codomain.IsLeaf() {
		return value.String() + " "
	}
	text := ""
	for k, c := range codomain.modes() {
		part := Int(0)
		if !value.IsLeaf() && k < value.Rank() {
			part = value.Mode(k)
		}
		text += componentsOf(part, c)
	}
	return text
}

// requireClaims states the meaning of the three claims and of their counter-examples.
func requireClaims(t require.TestingT, l Layout, codomain Tuple) (injective, surjective, bijective bool) {
	var values, all []string
	for i := range l.Size() {
		value, err := l.Value(Int(i))
		require.NoError(t, err)
		values = append(values, componentsOf(value, codomain))
	}
	col, err := ColMajor(codomain)
	require.NoError(t, err)
	for i := range col.Size() {
		all = append(all, componentsOf(col.Coord(i), codomain))
	}
	meets := len(slices.Compact(slices.Sorted(slices.Values(values)))) < len(values)
	missing := slices.IndexFunc(all, func(e string) bool { return !slices.Contains(values, e) })
	outside := slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(all, v) })

	counter, err := Injective(l)
	require.NoError(t, err)
	require.Equal(t, meets, counter != nil, "injective %v: %v", l, counter)
	requireMeeting(t, l, counter)

	counter, err = Surjective(l, codomain)
	require.NoError(t, err)
	require.Equal(t, missing >= 0, counter != nil, "surjective %v onto %v: %v", l, codomain, counter)
	if counter != nil {
		require.Empty(t, counter.Coords)
		require.Equal(t, all[missing], componentsOf(counter.Value, codomain), "surjective %v onto %v", l, codomain)
	}

	counter, err = Bijective(l, codomain)
	require.NoError(t, err)
	require.Equal(t, meets || missing >= 0 || outside, counter != nil, "bijective %v onto %v: %v", l, codomain, counter)
	if counter != nil {
		require.Len(t, counter.Coords, map[bool]int{true: 2, false: map[bool]int{true: 0, false: 1}[missing >= 0]}[meets])
		if len(counter.Coords) == 1 {
			value, err := l.Value(counter.Coords[0])
			require.NoError(t, err)
			require.True(t, value.Equal(counter.Value))
			require.NotContains(t, all, componentsOf(value, codomain), "bijective %v onto %v: %v", l, codomain, counter)
		}
	}
	return !meets, missing < 0, !meets && missing < 0 && !outside
}

// requireMeeting: the two coordinates are two, in order, and have the value.
func requireMeeting(t require.TestingT, l Layout, counter *Counterexample) {
	if counter == nil {
		return
	}
	require.Len(t, counter.Coords, 2)
	col, err := ColMajor(l.Shape())
	require.NoError(t, err)
	var positions []int
	for _, coord := range counter.Coords {
		value, err := l.Value(coord)
		require.NoError(t, err)
		require.True(t, value.Equal(counter.Value), "%v of %v", counter, l)
		position, err := col.Index(coord)
		require.NoError(t, err)
		positions = append(positions, position)
	}
	require.Less(t, positions[0], positions[1])
}

// TestClaims: over offsets and over coordinates, by looking.
func TestClaims(t *testing.T) {
	var injective, surjective, bijective, asked int
	count := func(i, s, b bool) {
		asked++
		for n, holds := range map[*int]bool{&injective: i, &surjective: s, &bijective: b} {
			if holds {
				*n++
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		l := signed(60).Draw(t, "l")
		codomain := Coshape(l)
		if rapid.Bool().Draw(t, "other") {
			codomain = Int(rapid.IntRange(1, 70).Draw(t, "codomain"))
		}
		count(requireClaims(t, l, codomain))
	})
	rapid.Check(t, func(t *rapid.T) {
		shape := shapes(3, 40).Draw(t, "shape")
		leaves := shape.Leaves()
		strides, next := make([]Tuple, len(leaves)), []int{1, 1, 1}
		for k := range strides {
			p := rapid.IntRange(0, 2).Draw(t, "mode")
			path := [][]int{{0}, {1, 0}, {1, 1}}[p]
			strides[k] = Basis(next[p], path...)
			next[p] *= leaves[k].Value()
			if rapid.IntRange(0, 9).Draw(t, "kind") == 9 {
				strides[k] = Basis(rapid.IntRange(-1, 3).Draw(t, "stride"), path...)
			}
		}
		l, err := MakeLayout(shape, unflatten(strides, shape))
		require.NoError(t, err)
		codomain := MakeTuple(Int(next[0]), Ints(next[1], next[2]))
		if rapid.IntRange(0, 3).Draw(t, "other") == 3 {
			codomain = MakeTuple(Int(rapid.IntRange(1, 6).Draw(t, "n0")), Ints(rapid.IntRange(1, 6).Draw(t, "n1"), rapid.IntRange(1, 6).Draw(t, "n2")))
		}
		count(requireClaims(t, l, codomain))
	})
	for what, n := range map[string]int{"injective": injective, "surjective": surjective, "bijective": bijective} {
		require.Greater(t, 8*n, asked, what)
		require.Less(t, n, asked*7/8, what)
	}
}

// TestClaimsOfSwizzled: by looking.
func TestClaimsOfSwizzled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Composed{swizzles().Draw(t, "swizzle"), rapid.IntRange(0, 9).Draw(t, "offset"), layouts(60).Draw(t, "l")}
		n := rapid.IntRange(1, 70).Draw(t, "n")
		if rapid.Bool().Draw(t, "size") {
			n = c.Size()
			c.Offset = 0
		}
		values := swizzledOffsets(c)
		meets := !distinct(values)
		missing := slices.IndexFunc(indices(n), func(e int) bool { return !slices.Contains(values, e) })
		counter, err := c.Injective()
		require.NoError(t, err)
		require.Equal(t, meets, counter != nil, "injective %v: %v", c, counter)
		if counter != nil {
			for _, coord := range counter.Coords {
				at, err := c.Index(coord)
				require.NoError(t, err)
				require.Equal(t, counter.Value.Value(), at)
			}
		}
		counter, err = c.Surjective(n)
		require.NoError(t, err)
		require.Equal(t, missing >= 0, counter != nil, "surjective %v onto %d: %v", c, n, counter)
		if counter != nil {
			require.Equal(t, missing, counter.Value.Value())
		}
		counter, err = c.Bijective(n)
		require.NoError(t, err)
		require.Equal(t, meets || missing >= 0 || len(values) > n, counter != nil, "bijective %v onto %d: %v", c, n, counter)
		if counter != nil && len(counter.Coords) == 1 {
			at, err := c.Index(counter.Coords[0])
			require.NoError(t, err)
			require.Equal(t, counter.Value.Value(), at)
			require.GreaterOrEqual(t, at, n)
		}
	})
}

// swizzles draws a swizzle of the first bits.
func swizzles() *rapid.Generator[Swizzle] {
	return rapid.Custom(func(t *rapid.T) Swizzle {
		bits := rapid.IntRange(0, 3).Draw(t, "bits")
		s := Swizzle{bits, rapid.IntRange(0, 3).Draw(t, "base"), bits + rapid.IntRange(0, 3).Draw(t, "apart")}
		if rapid.Bool().Draw(t, "turned") {
			s.Shift = -s.Shift
		}
		return s
	})
}

// pairs is a layout of n modes of extent 2 with strides below the bound, in no order.
func pairs(n, below int) Layout {
	modes := make([]mode, n)
	stride := 1
	for k := range modes {
		stride = abs(stride*2862933555777941757) % below
		modes[k] = mode{shape: 2, stride: stride}
	}
	return newLayout(flatProfile(n), modes)
}

// TestClaimsOfLarge: far too many coordinates to look at, decided all the same, in no time.
func TestClaimsOfLarge(t *testing.T) {
	say := func(counter *Counterexample, err error) string {
		if err != nil {
			return err.Error()
		}
		if counter == nil {
			return "holds"
		}
		return counter.String()
	}
	swizzled := func(text string) Composed { return composedLayout(t, text) }
	ones := func(text string) Composed {
		c := swizzled(text)
		modes := append(slices.Repeat([]mode{{shape: 1}}, 1000), c.Layout.leaves()...)
		c.Layout = newLayout(flatProfile(len(modes)), modes)
		return c
	}
	for _, c := range []struct {
		ask  func() (*Counterexample, error)
		want string
	}{
		{func() (*Counterexample, error) { return Injective(layout(t, "(1048576,1048576):(1048576,1)")) }, "holds"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(1048576,1048576):(1048577,-1)")) }, "holds"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(1048576,1048576):(6,10)")) }, "coordinates (5,0) and (0,3) are both at 30"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(1048576,1048576):(6,-10)")) }, "coordinates (0,0) and (5,3) are both at 0"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(3,1048576,2):(1048575,2,1)")) }, "coordinates (0,524288,0) and (1,0,1) are both at 1048576"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(4294967296,2147483647):(2147483647,1)")) }, "holds"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(2,4294967295):(1,1)")) }, "coordinates (1,0) and (0,1) are both at 1"},
		{func() (*Counterexample, error) { return Injective(layout(t, "(1048576,1048576):(1@0,1@1)")) }, "holds"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,1048576):(1,1048577)"), Int(1<<40))
		}, "no coordinate is at 1048576"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,1048576):(1,1048576)"), Int(1<<40))
		}, "holds"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,1048576):(1,1048576)"), Int(1<<40+1))
		}, "no coordinate is at 1099511627776"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,1048576):(1,-1048576)"), Int(1048576))
		}, "holds"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,1048576):(1,-1048577)"), Int(1048576))
		}, "holds"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,3):(1,-1048577)"), Int(1048577))
		},
			"no coordinate is at 1048576"},
		{func() (*Counterexample, error) {
			return Surjective(layout(t, "(1048576,3,4):(1,-1048577,9000000)"), Int(9000000))
		},
			"surjective (1048576,3,4):(1,-1048577,9000000) onto 9000000: undecided, for its strides have both signs and gaps, and it has more than 262144 coordinates"},
		{func() (*Counterexample, error) { return Surjective(layout(t, "4:1"), Ints(2, 2)) },
			"surjective 4:1 onto (2,2): its values step along 1, allowed are elements of the codomain"},
		{func() (*Counterexample, error) { return Surjective(layout(t, "4:1@2"), Ints(2, 2)) }, "its values step along 1@2"},
		// A thousand modes of extent 1.
		{func() (*Counterexample, error) { return ones("Sw<3,4,3> o 0 o (512,512):(1,512)").Surjective(1 << 18) }, "holds"},
		{func() (*Counterexample, error) { return ones("Sw<3,4,3> o 0 o (512,512):(1,512)").Bijective(1<<18 - 1) }, "outside the codomain"},
		// -1 to 2, and 9 to 12.
		{func() (*Counterexample, error) { return Surjective(layout(t, "(2,3,2):(-1,1,10)"), Int(3)) }, "holds"},
		{func() (*Counterexample, error) { return Surjective(layout(t, "(2,3,2):(-1,1,10)"), Int(4)) }, "no coordinate is at 3"},
		// More coordinates than values: two of the first meet.
		{func() (*Counterexample, error) { return Injective(pairs(30, 701)) }, "are both at"},
		{func() (*Counterexample, error) { return Injective(pairs(30, 1<<55-1)) }, "undecided, for its strides interleave, and it has more than 262144 coordinates"},
		{func() (*Counterexample, error) { return Surjective(layout(t, "4:1"), Int(0)) }, "got 0, allowed are integers of at least 1"},
		{func() (*Counterexample, error) {
			return Bijective(layout(t, "(1048576,1048576):(1,-1048576)"), Int(1048576))
		},
			"coordinate (0,1048575) is at -1099510579200, outside the codomain"},
		{func() (*Counterexample, error) {
			return Bijective(layout(t, "(1048576,1048576):(1@1,1@0)"), Ints(1048576, 1048576))
		}, "holds"},
		{func() (*Counterexample, error) {
			return Bijective(layout(t, "(1048576,1048576):(1@1,1@0)"), Ints(1048576, 1048575))
		},
			"coordinate (1048575,0) is at (0,1048575), outside the codomain"},
		{func() (*Counterexample, error) {
			return swizzled("Sw<3,4,3> o 0 o (4096,4096):(1,4096)").Surjective(1 << 24)
		}, "holds"},
		{func() (*Counterexample, error) {
			return swizzled("Sw<3,4,3> o 0 o (4096,4095):(1,4096)").Surjective(4096*4095 + 1)
		}, "no coordinate is at 16773120"},
		{func() (*Counterexample, error) {
			return swizzled("Sw<1,0,23> o 0 o (4095,4095):(1,4095)").Bijective(4095 * 4095)
		}, "no coordinate is at 16769024"},
		{func() (*Counterexample, error) {
			return swizzled("Sw<3,4,3> o 0 o (4096,4096):(1,4096)").Bijective(1<<24 - 1)
		},
			"coordinate (3983,4095) is at 16777215, outside the codomain"},
		{func() (*Counterexample, error) {
			return swizzled("Sw<3,4,3> o 0 o (4096,4096):(1,4097)").Bijective(1 << 24)
		},
			"surjective Sw<3,4,3> o 0 o (4096,4096):(1,4097) onto 16777216: undecided, for the offsets below the swizzle have gaps"},
		{func() (*Counterexample, error) { return swizzled("Sw<3,4,3> o 1 o (4096,4096):(1,4096)").Surjective(1) }, "no coordinate is at 0"},
		{func() (*Counterexample, error) { return swizzled("Sw<3,4,3> o 1 o 8:1").Surjective(0) }, "allowed are codomains of at least 1"},
		{func() (*Counterexample, error) { return Composed{Layout: layout(t, "8:1@0")}.Injective() }, "its layout's values are coordinates"},
	} {
		begin := time.Now()
		require.Contains(t, say(c.ask()), c.want)
		require.Less(t, time.Since(begin), 500*time.Millisecond, c.want)
	}
}
