package algebra

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse: what parses prints as a text that parses to the same, and no operation panics on it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"((2,2),3):((24,2),8)", "(4,8):(1@0,1@1)", "(3,_)", "(4:1,_,(2,(3,2):(8,1)))", "Sw<2,3,3>",
		"Sw<2,3,-3> o 5 o (8,8):(8,1)", "S<3,4,3> o _0 o (_8,_64):(_64,_1)", "SW_0_4_3 o 0 o 8:1",
		"Layout((4, 8),(1, 4))", "(4,):(1,)", "<4:1, _8>", "[4:1;_;5]", "4*E<0,1>", "\tNone\n", "(1,4):(9,2@1@0)", "(2,2):(-1,9223372036854775806)", "((((", "4@-1", "():()",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for what, parse := range parsers {
			if err := parse(text); err != nil {
				requirePicture(t, what, text, err)
			}
		}
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
			require.Equal(t, c, again)
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
			require.Equal(t, u, again)
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
