package algebra

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func composedLayout(t *testing.T, text string) Composed {
	t.Helper()
	c, err := ParseComposed(text)
	require.NoError(t, err)
	require.Equal(t, text, c.String())
	return c
}

func TestComposed(t *testing.T) {
	c := composedLayout(t, "Sw<2,0,3> o 0 o (3,5):(8,1)")
	require.Equal(t, 15, c.Size())
	require.Equal(t, 23, c.Cosize(), "CuTe says 21")
	require.Equal(t, 22, c.At(14))
	at, err := c.Index(Ints(2, 4))
	require.NoError(t, err)
	require.Equal(t, 22, at)
	_, err = c.Index(Ints(3, 0))
	require.ErrorContains(t, err, "got 3 in shape 3")

	c = composedLayout(t, "Sw<3,0,5> o 137 o 4:1")
	require.Equal(t, []int{141, 142, 143, 136}, []int{c.At(0), c.At(1), c.At(2), c.At(3)})
	require.Equal(t, 144, c.Cosize())
	require.Equal(t, 1, Composed{}.Cosize())
}

// TestComposedCosize compares with a look at every coordinate.
func TestComposedCosize(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range 3000 {
		c := Composed{randomSwizzle(r), r.IntN(100), randomLayout(r, 120)}
		if r.IntN(4) == 0 {
			// Turn one mode around.
			flat := Flatten(MakeTuple(c.Layout.Stride())).Leaves()
			k := r.IntN(len(flat))
			flat[k] = Int(-flat[k].Value())
			turned, err := MakeLayout(c.Layout.Shape(), unflatten(flat, c.Layout.Shape()))
			require.NoError(t, err)
			c.Layout = turned
		}
		if c.Validate() != nil {
			continue
		}
		largest := 0
		for i := range c.Size() {
			want := swizzled(c.Swizzle, c.Offset+offset(c.Layout, i))
			require.Equal(t, want, c.At(i), "%v at %d", c, i)
			largest = max(largest, want)
		}
		require.Equal(t, largest+1, c.Cosize(), c)
	}
}

func TestComposedCompose(t *testing.T) {
	c := composedLayout(t, "Sw<3,2,3> o 0 o (32,32):(32,1)")
	tv := layout(t, "((8,32),4):((4@1,1@0),1@1)")
	got, err := c.Compose(tv)
	require.NoError(t, err)
	require.Equal(t, "Sw<3,2,3> o 0 o ((8,32),4):((4,32),1)", got.String())
	for i := range got.Size() {
		coord, err := tv.Value(Int(i))
		require.NoError(t, err)
		want, err := c.Index(coord)
		require.NoError(t, err)
		require.Equal(t, want, got.At(i))
	}
	_, err = c.Compose(layout(t, "3:7"))
	require.NoError(t, err)
	_, err = c.Compose(layout(t, "12:7"))
	require.ErrorContains(t, err, "composition (32,32):(32,1) o 12:7 has no layout")
	_, err = composedLayout(t, "Sw<3,2,3> o 0 o 8:1").Compose(layout(t, "4:-1"))
	require.ErrorContains(t, err, "Sw<3,2,3> o 0 o 4:-1: offsets before the swizzle from -3, allowed are 0 to 2^62-1")
}

func TestComposedRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"Sw<3,2,3> o -1 o 8:1":                  "offsets before the swizzle from -1",
		"Sw<3,2,3> o 6 o 8:-1":                  "offsets before the swizzle from -1",
		"Sw<3,2,3> o 0 o (8,8):(1@0,1@1)":       "its layout's values are coordinates, allowed are plain strides",
		"Sw<3,2,3> o 4611686018427387904 o 8:1": "allowed are 0 to 2^62-1",
		"Sw<3,2,3> o 0 o (4096,4097):(1,0)":     "size 16781312, allowed is at most 16777216",
		"Sw<3,2,2> o 0 o 8:1":                   "column 1: swizzle Sw<3,2,2>: the fields overlap",
	} {
		_, err := ParseComposed(text)
		require.ErrorContains(t, err, why, text)
	}
	composedLayout(t, "Sw<3,2,3> o 0 o (4096,4096):(1,0)")
	composedLayout(t, "Sw<3,2,3> o 7 o 8:-1")
	composedLayout(t, "Sw<3,2,3> o 4611686018427387896 o 8:1")
}

// TestComposedMaxCommonLayout: at its positions both are as far from where they begin, or both before the same swizzle.
func TestComposedMaxCommonLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	long := 0
	for range 1000 {
		c := randomSwizzled(r)
		d := Composed{Layout: c.Layout}
		switch r.IntN(4) {
		case 0:
			d = randomSwizzled(r)
		case 1:
			d.Swizzle = c.Swizzle
		}
		n, err := c.MaxCommonVector(d)
		require.NoError(t, err)
		common, err := c.MaxCommonLayout(d)
		require.NoError(t, err)
		require.LessOrEqual(t, common.Size(), n)
		if n > 1 {
			require.Greater(t, common.Size(), 1, "%v and %v", c, d)
			long++
		}
		for i, at := range offsets(common) {
			if common.Size() == 1 {
				break
			}
			if c.Swizzle == d.Swizzle {
				require.Equal(t, offset(c.Layout, at), offset(d.Layout, at))
				require.Equal(t, offset(c.Layout, common.At(0))+i, offset(c.Layout, at))
				continue
			}
			for _, side := range []Composed{c, d} {
				begin := swizzled(side.Swizzle, offset(side.Layout, common.At(0)))
				require.Equal(t, begin+i, swizzled(side.Swizzle, offset(side.Layout, at)), "%v and %v have %v in common", c, d, common)
			}
		}
	}
	require.Greater(t, long, 300)
	_, err := composedLayout(t, "Sw<2,3,3> o 4 o (8,64):(64,1)").MaxCommonLayout(composedLayout(t, "(8,64):(64,1)"))
	require.ErrorContains(t, err, "offset 4, allowed are multiples of 8")
}
