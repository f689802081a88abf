package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDivide(t *testing.T) {
	for _, c := range []struct{ layout, tiler, logical, zipped string }{
		{"16:3", "4:1", "(4,4):(3,12)", "(4,4):(3,12)"},
		{"16:3", "4:4", "(4,4):(12,3)", "(4,4):(12,3)"},
		{"(8,6):(1,8)", "(4,3)", "((4,2),(3,2)):((1,4),(8,24))", "((4,3),(2,2)):((1,8),(4,24))"},
		{"(8,6,5):(1,8,48)", "(4,3)", "((4,2),(3,2),5):((1,4),(8,24),48)", "((4,3),(2,2,5)):((1,8),(4,24,48))"},
		{"(8,6):(1,8)", "(4:2,(3:2))", "((4,2),((3,2))):((2,1),((16,8)))", ""},
		{"(9,(4,8)):(59,(13,1))", "(3:3,(2,4):(1,8))", "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))", "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
		// A size-1 tile from an integer has stride 0, as CuTe's make_layout(1).
		{"(4,10):(10,1)", "1", "(1,(4,10)):(0,(10,1))", "(1,(4,10)):(0,(10,1))"},
		// _ takes a mode that is cut already.
		{"((4,2),6):((1,4),8)", "(_,3)", "((4,2),(3,2)):((1,4),(8,24))", "((4,3),(2,2)):((1,8),(4,24))"},
		// Rounded up: larger than the input.
		{"10:1", "4", "(4,3):(1,4)", "(4,3):(1,4)"},
		{"(128,8):(1@0,1@1)", "(32,8)", "((32,4),(8,1)):((1@0,32@0),(1@1,0))", "((32,8),(4,1)):((1@0,1@1),(32@0,0))"},
	} {
		got, err := LogicalDivide(layout(t, c.layout), tiler(t, c.tiler))
		require.NoError(t, err)
		require.Equal(t, c.logical, got.String(), "%s by %s", c.layout, c.tiler)
		if c.zipped != "" {
			got, err = ZippedDivide(layout(t, c.layout), tiler(t, c.tiler))
			require.NoError(t, err)
			require.Equal(t, c.zipped, got.String(), "%s by %s", c.layout, c.tiler)
		}
	}
}

func TestDivideRefuses(t *testing.T) {
	for _, c := range []struct{ layout, tiler, why string }{
		{"24:1", "(2,2):(1,5)", "divide 24:1 by (2,2):(1,5): no shifts of the tile cover coordinate 4 (position 4)"},
		{"24:1", "(2,2):(1,1)", "divide 24:1 by (2,2):(1,1): it is not injective: coordinate (1,0) (position 1) and coordinate (0,1) (position 2) meet at offset 1"},
		{"(16,2,3):(3,48,1)", "3:1", "at coordinate (2,10) of (3,32)"},
		{"((2,2),6):((1,5),9)", "(3,2)", "mode 0 of ((2,2),6):((1,5),9): divide (2,2):(1,5) by 3:1"},
		{"(8,6):(1,8)", "(4,3,2)", "divide of (8,6):(1,8) by (4,3,2): the tiler has rank 3, allowed is at most 2"},
		{"(8,6):(1,8)", "(0,3)", "got 0, allowed are integers of at least 1"},
		{"(8,6):(1,8)", "(_,3)", "tiler _ for mode 8:1: allowed is a mode that is cut already, (tile,rest)"},
	} {
		_, err := ZippedDivide(layout(t, c.layout), tiler(t, c.tiler))
		require.ErrorContains(t, err, c.why, "%s by %s", c.layout, c.tiler)
	}
}

func TestDivideByNothing(t *testing.T) {
	_, err := LogicalDivide(layout(t, "4:1"), nil)
	require.EqualError(t, err, "tiler <nil>: allowed are a Layout, a Tuple and a Tile")
}

// requireDivide states the postcondition of LogicalDivide by a layout.
func requireDivide(t *testing.T, l, tile, got Layout) {
	t.Helper()
	require.Equal(t, 2, got.Rank())
	shifts, err := Complement(tile, l.Size())
	require.NoError(t, err)
	reached := make([]bool, l.Size())
	for j, shift := range offsets(shifts) {
		for i, at := range offsets(tile) {
			require.Equal(t, offset(l, at+shift), offset(got, i+j*tile.Size()), "%v by %v = %v at (%d,%d)", l, tile, got, i, j)
			if at+shift < l.Size() {
				reached[at+shift] = true
			}
		}
	}
	for i, ok := range reached {
		require.True(t, ok, "%v by %v does not reach %d", l, tile, i)
	}
}

func TestCompositionTiler(t *testing.T) {
	for _, c := range []struct{ layout, tiler, want string }{
		{"(2,3,((4,16),2)):(384,16,((96,1),48))", "(2,1:3)", "(2,1):(384,48)"},
		{"(8,100):(100,1)", "(1,5:1)", "(1,5):(100,1)"},
		{"(14,16,1):(1,24,8)", "((2,2):(1,7),16,_)", "((2,2),16,1):((1,7),24,8)"},
		{"(6,4,2):(1,6,24)", "(3)", "(3):(1)"},
		{"(6,4,2):(1,6,25)", "12", "12:1"},
		{"(6,4,2):(1,6,24)", "_", "(6,4,2):(1,6,24)"},
	} {
		got, err := CompositionTiler(layout(t, c.layout), tiler(t, c.tiler))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s by %s", c.layout, c.tiler)
	}
	_, err := CompositionTiler(layout(t, "(6,4):(1,6)"), tiler(t, "(4,7)"))
	require.NoError(t, err)
	_, err = CompositionTiler(layout(t, "(6,4):(1,6)"), tiler(t, "(4,7,1)"))
	require.ErrorContains(t, err, "composition of (6,4):(1,6) by (4,7,1): the tiler has rank 3, allowed is at most 2")
	_, err = CompositionTiler(layout(t, "(6,(4,5)):(1,(6,25))"), tiler(t, "(3,6:1)"))
	require.ErrorContains(t, err, "mode 1 of (6,(4,5)):(1,(6,25)): composition (4,5):(6,25) o 6:1 has no layout")
}

// TestTiledAndFlatDivide: the modes of the zipped divide, unpacked. The function stays.
func TestTiledAndFlatDivide(t *testing.T) {
	for _, c := range []struct{ l, tiler, tiled, flat string }{
		{"(8,6):(1,8)", "(4,3)", "((4,3),2,2):((1,8),4,24)", "(4,3,2,2):(1,8,4,24)"},
		{"(8,6,5):(1,8,48)", "(4,3)", "((4,3),2,2,5):((1,8),4,24,48)", "(4,3,2,2,5):(1,8,4,24,48)"},
		{"12:1", "(4)", "((4),(3)):((1),(4))", "((4),(3)):((1),(4))"},
		{"12:1", "4", "(4,3):(1,4)", "(4,3):(1,4)"},
		{"((2,6),4):((4,8),1)", "(_,2)", "((2,2),6,2):((4,1),8,2)", "(2,2,6,2):(4,1,8,2)"},
	} {
		zipped, err := ZippedDivide(layout(t, c.l), tiler(t, c.tiler))
		require.NoError(t, err)
		for _, op := range []struct {
			want string
			do   func(Layout, Tiler) (Layout, error)
		}{{c.tiled, TiledDivide}, {c.flat, FlatDivide}} {
			got, err := op.do(layout(t, c.l), tiler(t, c.tiler))
			require.NoError(t, err)
			require.Equal(t, op.want, got.String(), "%s by %s", c.l, c.tiler)
			require.Equal(t, offsets(zipped), offsets(got), "%s by %s", c.l, c.tiler)
		}
	}
	for _, op := range []func(Layout, Tiler) (Layout, error){TiledDivide, FlatDivide} {
		_, err := op(layout(t, "(8,6):(1,8)"), tiler(t, "(2,2):(1,1)"))
		require.ErrorContains(t, err, "it is not injective: coordinate (1,0) (position 1) and coordinate (0,1) (position 2) meet")
		_, err = op(layout(t, "(8,6):(1,8)"), tiler(t, "(_,3)"))
		require.ErrorContains(t, err, "tiler _ for mode 8:1: allowed is a mode that is cut already, (tile,rest)")
	}
}
