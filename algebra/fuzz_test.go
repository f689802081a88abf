package algebra

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallLayout reads a layout with plain strides that brute force can handle; ok is false for others.
func smallLayout(text string, limit int) (l Layout, ok bool) {
	l, err := ParseLayout(text)
	if err != nil || l.HasBasis() || l.Size() > limit || l.n > 6 {
		return Layout{}, false
	}
	for _, m := range l.leaves() {
		if m.stride > 1<<30 || m.stride < -1<<30 {
			return Layout{}, false
		}
	}
	return l, true
}

// FuzzComposition compares acceptance, values and the refused coordinate with the search through all refinements.
func FuzzComposition(f *testing.F) {
	for _, seed := range [][2]string{
		{"(6,2):(8,2)", "(4,3):(3,1)"},
		{"(4,2,8):(3,12,97)", "4:3"},
		{"(2,4,2):(2,4,1)", "((4,2),2):((4,1),4)"},
		{"(4,4):(1,5)", "3:5"},
		{"(3,1):(16,33)", "(2,1):(3,7)"},
		{"(4,4):(-1,1)", "(2,4,2):(1,-2,8)"},
		{"():()", "8:1"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, left, right string) {
		a, ok := smallLayout(left, 1<<40)
		if !ok {
			return
		}
		b, ok := smallLayout(right, 64)
		if !ok {
			return
		}
		got, err := Composition(a, b)
		first := refusalOf(b.Shape(), composed(a, b))
		if first < 0 {
			require.NoError(t, err)
			requireComposition(t, a, b, got)
			return
		}
		require.ErrorContains(t, err, fmt.Sprintf("at coordinate %v of %v ", b.Coord(first), b.Shape()))
	})
}

// FuzzComplement checks the postconditions, or that two coordinates meet or modes interleave.
func FuzzComplement(f *testing.F) {
	f.Add("(2,4):(1,6)", 24)
	f.Add("(2,2):(1,5)", 10)
	f.Add("(2,2):(1,1)", 8)
	f.Add("(2,2,2):(1,4,5)", 24)
	f.Add("(2,2):(2,3)", 7)
	f.Fuzz(func(t *testing.T, text string, cotarget int) {
		l, ok := smallLayout(text, 256)
		if !ok || cotarget > 4096 {
			return
		}
		for _, m := range l.leaves() {
			if m.stride > 4096 {
				return // too many shifts to list
			}
		}
		c, err := Complement(l, cotarget)
		switch {
		case cotarget < 1:
			require.ErrorContains(t, err, "allowed are cotargets of at least 1")
		case err == nil:
			requireComplement(t, l, cotarget, c)
		default:
			moving := Filter(l)
			for _, m := range moving.leaves() {
				if m.stride < 0 {
					return
				}
			}
			requireNoComplement(t, l, err)
		}
	})
}

// FuzzParse: what parses prints as a text that parses to the same, and no operation panics on it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"((2,2),3):((24,2),8)", "(4,8):(1@0,1@1)", "(3,_)", "(4:1,_,(2,(3,2):(8,1)))", "Sw<2,3,3>",
		"Sw<2,3,-3> o 5 o (8,8):(8,1)", "(1,4):(9,2@1@0)", "(2,2):(-1,9223372036854775806)", "((((", "4@-1", "():()",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if u, err := ParseTuple(text); err == nil {
			again, err := ParseTuple(u.String())
			require.NoError(t, err)
			require.True(t, again.Equal(u))
			_, _ = Product(u)
			_, _ = CeilDiv(u, u)
			_, _ = ColMajor(u)
			_, _ = RowMajor(u)
			_, _ = Identity(u)
			_, _ = InnerProduct(u, u)
			_, _ = ElemScale(u, u)
			_, _ = RoundUp(u, u)
			_, _ = ShapeDiv(u, Int(6))
			_, _ = Crd2Crd(Int(5), u, u)
			_, _ = Ordered(u, u)
			_, _ = DomainDistribute(u, 12)
			_, _ = TileToShape(MustLayout("(2,2):(2,1)"), u)
			EvenlyDivides(u, u)
			require.True(t, Congruent(u, u))
			require.Len(t, Flatten(MakeTuple(u)).Leaves(), len(u.Leaves()))
		}
		if s, err := ParseSwizzle(text); err == nil {
			again, err := ParseSwizzle(s.String())
			require.NoError(t, err)
			require.Equal(t, s, again)
			require.Equal(t, 12345, s.Apply(s.Apply(12345)))
		}
		if c, err := ParseComposed(text); err == nil {
			again, err := ParseComposed(c.String())
			require.NoError(t, err)
			require.Equal(t, c.String(), again.String())
			c.At(c.Size() - 1)
			_, _ = CompositionSwizzle(c.Layout, c.Swizzle)
			_, _ = c.RightInverse()
			_, _ = c.LeftInverse()
			_, _ = c.Recast(16, 32)
			_, _ = c.Recast(16, 8)
			_, _ = c.MaxAlignment()
		}
		if u, err := ParseTiler(text); err == nil {
			again, err := ParseTiler(fmt.Sprint(u))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(u), fmt.Sprint(again))
			_, _ = ZippedDivide(MustLayout("((8,4),6,5):((30,240),5,1)"), u)
			_, _ = CompositionTiler(MustLayout("((8,4),6,5):((30,240),5,1)"), u)
			_, _ = LogicalProduct(MustLayout("((2,4),6,5):((30,240),5,1)"), u)
		}
		l, err := ParseLayout(text)
		if err != nil {
			return
		}
		again, err := ParseLayout(l.String())
		require.NoError(t, err)
		require.True(t, again.Equal(l))
		_, err = l.Value(Int(l.Size() - 1))
		require.NoError(t, err)
		require.Equal(t, l.Size(), Coalesce(l).Size())
		require.LessOrEqual(t, Filter(l).Size(), l.Size())
		require.Positive(t, l.Cosize())
		_, _ = l.Components()
		_, _ = Dot(l, 3, 5)
		_, _ = RightInverse(l)
		_, _ = LeftInverse(l)
		_, _ = Nullspace(l)
		_, _ = CoordOf(l, 7)
		_, _ = LayoutLike(l)
		_, _ = FragmentLike(l)
		_, _ = MaxAlignment(l)
		_, _ = MaxCommonVector(l, MustLayout("(8,4):(4,1)"))
		_, _ = MaxCommonLayout(MustLayout("(8,4):(4,1)"), l)
		_, _ = Upcast(l, 4)
		_, _ = Downcast(l, 4)
		_, _ = FlatProduct(l, MustLayout("(2,3):(3,1)"))
		_, _ = BlockedProduct(l, l)
		_, _ = RakedProduct(l, MustLayout("(2,3):(3,1)"))
		_, _ = LocalPartition(l, MustLayout("(2,3):(3,1)"))
		_, _ = PartitionTV(l, MustLayout("(2,3):(3,1)"), Ints(2, 1))
		_, _ = PartitionTV(MustLayout("(128,8):(1@0,1@1)"), l, Ints(1, 4))
		_, _, _ = LocalTile(l, Ints(2, 3), Ints(0, 0))
	})
}
