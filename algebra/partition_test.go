package algebra

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDice(t *testing.T) {
	got, err := Dice(tuple(t, "(1,X,1)"), tuple(t, "(128,(2,3),8)"))
	require.NoError(t, err)
	require.Equal(t, "(128,8)", got.String())
	got, err = Dice(tuple(t, "((X,1),1,(X))"), tuple(t, "((2,(3,4)),5,(6))"))
	require.NoError(t, err)
	require.Equal(t, "((3,4),5)", got.String())
	for _, c := range []struct{ proj, tuple, why string }{
		{"(1,X)", "(128,64,8)", "projection (1,_) of (128,64,8): allowed are tuples of one rank"},
		{"1", "(128)", "projection 1 of (128): allowed are tuples"},
		{"((1))", "(128)", "projection ((1)) of (128): allowed are tuples of one rank"},
	} {
		_, err := Dice(tuple(t, c.proj), tuple(t, c.tuple))
		require.ErrorContains(t, err, c.why)
	}
}

func TestLocalTile(t *testing.T) {
	for _, c := range []struct{ layout, tiler, coord, want, offset string }{
		{"(128,64):(64,1)", "(32,16)", "(2,_)", "(32,16,4):(64,1,16)", "4096"},
		{"(128,64):(64,1)", "(32,16)", "(2,3)", "(32,16):(64,1)", "4144"},
		{"(128,64):(64,1)", "(32,16)", "(2)", "(32,16,4):(64,1,16)", "4096"},
		{"(128,64):(64,1)", "(32,16)", "5", "(32,16):(64,1)", "2064"},
		{"(128,64):(1@0,1@1)", "(32,16)", "(2,3)", "(32,16):(1@0,1@1)", "(64,48)"},
		{"(100):(1)", "(2:50)", "21", "((2)):((50))", "21"},
		// 40 by 16 is rounded up: the last tile needs a guard.
		{"(40,64):(1@0,1@1)", "(16,16)", "(2,0)", "(16,16):(1@0,1@1)", "(32,0)"},
	} {
		got, at, err := LocalTile(layout(t, c.layout), tiler(t, c.tiler), tuple(t, c.coord))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s of %s at %s", c.tiler, c.layout, c.coord)
		require.Equal(t, c.offset, at.String(), "%s of %s at %s", c.tiler, c.layout, c.coord)
	}
	_, _, err := LocalTile(layout(t, "(40,64):(1@0,1@1)"), tiler(t, "(16,16)"), Ints(3, 0))
	require.ErrorContains(t, err, "got 3 in shape 3, allowed is 0 to 2")
	_, _, err = LocalTile(layout(t, "(40,64):(1@0,1@1)"), tiler(t, "(16,16)"), Ints(0, 0, 0))
	require.ErrorContains(t, err, "(0,0,0) does not fit the shape (3,4)")

	got, at, err := LocalTileProj(layout(t, "(128,64):(1,128)"), Ints(32, 99, 8), tuple(t, "(1,2,_)"), tuple(t, "(1,X,1)"))
	require.NoError(t, err)
	require.Equal(t, "(32,8,8):(1,128,1024) 32", got.String()+" "+at.String())
	_, _, err = LocalTileProj(layout(t, "(128,64):(1,128)"), Ints(32, 8), tuple(t, "(1,2,_)"), tuple(t, "(1,X,1)"))
	require.ErrorContains(t, err, "projection (1,_,1) of (32,8)")
	_, _, err = LocalTileProj(layout(t, "(128,64):(1,128)"), Ints(32, 9, 8), tuple(t, "(1,2)"), tuple(t, "(1,X,1)"))
	require.ErrorContains(t, err, "projection (1,_,1) of (1,2)")
}

// TestLocalPartition compares with CuTe's formula for one thread: its coordinate in the grid of threads picks the
// element of each tile.
func TestLocalPartition(t *testing.T) {
	for _, c := range []struct{ layout, thr, proj, want string }{
		{"(16,8):(1,16)", "(4,2):(2,1)", "(1,1)", "((2,4),(4,4)):((16,1),(4,32))"},
		{"(16,8):(2,32)", "(4,2,8):(2,1,8)", "(1,X,1)", "((2,4,8),(4,1)):((0,2,32),(8,0))"},
		{"(16,8):(8,1)", "(16,16):(16,1)", "(1,X)", "((16,16),(1,8)):((0,8),(0,1))"},
		{"(12,10):(1@0,1@1)", "(3,5):(5,1)", "(1,1)", "((5,3),(4,2)):((1@1,1@0),(3@0,5@1))"},
	} {
		l, thr, proj := layout(t, c.layout), layout(t, c.thr), tuple(t, c.proj)
		tv, err := LocalPartitionProj(l, thr, proj)
		require.NoError(t, err)
		require.Equal(t, c.want, tv.String())
		grid, err := Dice(proj, thr.Shape())
		require.NoError(t, err)
		for position := range thr.Size() {
			picked, err := Dice(proj, thr.Coord(position))
			require.NoError(t, err)
			tile, err := ZippedDivide(l, grid)
			require.NoError(t, err)
			for rest := range tv.Mode(1).Size() {
				want, err := tile.Value(MakeTuple(picked, Int(rest)))
				if len(grid.elems) == 1 {
					want, err = tile.Value(MakeTuple(picked.Mode(0), Int(rest)))
				}
				require.NoError(t, err)
				got, err := tv.Value(Ints(thr.At(position), rest))
				require.NoError(t, err)
				require.Equal(t, want.String(), got.String(), "thread %d of %v", thr.At(position), tv)
			}
		}
	}
	whole, err := LocalPartition(layout(t, "(16,8):(1,16)"), layout(t, "(4,2):(2,1)"))
	require.NoError(t, err)
	require.Equal(t, "((2,4),(4,4)):((16,1),(4,32))", whole.String())
}

// TestPartitionTV: every element of the tile is dealt exactly once, and thread t at grid coordinate g takes vector g.
func TestPartitionTV(t *testing.T) {
	for _, c := range []struct{ tile, thr, val, want string }{
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "(1,4)", "((2,128),(1,4),(1,1)):((4@1,1@0),(0,1@1),(0,0))"},
		{"(128,8):(1@0,1@1)", "(32,8):(1,32)", "(4,1)", "((32,8),(4,1),(1,1)):((4@0,1@1),(1@0,0),(0,0))"},
		{"(128,128):(1@0,1@1)", "(16,16):(16,1)", "(4,4)", "((16,16),(4,4),(2,2)):((4@1,4@0),(1@0,1@1),(64@0,64@1))"},
		{"(30,21):(1@0,1@1)", "(5,7):(7,1)", "(2,1)", "((7,5),(2,1),(3,3)):((1@1,2@0),(1@0,0),(10@0,7@1))"},
		{"(12,6):(1@0,1@1)", "((2,2),3):((1,6),2)", "(1,2)", "((2,3,2),(1,2),(3,1)):((1@0,2@1,2@0),(0,1@1),(4@0,0))"},
		{"(32,(4,8)):(33,(1,4))", "(8,8):(8,1)", "(1,2)", ""},
		{"64:1", "16:1", "(2)", "(16,(2),(2)):(2,(1),(32))"},
	} {
		tile, thr := layout(t, c.tile), layout(t, c.thr)
		tv, err := PartitionTV(tile, thr, tuple(t, c.val))
		require.NoError(t, err)
		if c.want != "" {
			require.Equal(t, c.want, tv.String())
		}
		require.Equal(t, 3, tv.Rank())
		require.Equal(t, thr.Size(), tv.Mode(0).Size())
		want := map[string]int{}
		for i := range tile.Size() {
			value, err := tile.Value(Int(i))
			require.NoError(t, err)
			want[value.String()]++
		}
		got := map[string]int{}
		for i := range tv.Size() {
			value, err := tv.Value(Int(i))
			require.NoError(t, err)
			got[value.String()]++
		}
		require.Equal(t, want, got, "%v deals %v", tv, tile)
		if !tile.HasBasis() {
			continue
		}
		val := tuple(t, c.val)
		for position := range thr.Size() {
			value, err := tv.Value(Ints(thr.At(position), 0, 0))
			require.NoError(t, err)
			row, column := position%productOf(t, thr.Mode(0).Shape()), position/productOf(t, thr.Mode(0).Shape())
			require.Equal(t, Ints(row*val.Mode(0).Value(), column*val.Mode(1).Value()).String(), value.String())
		}
	}
}

func productOf(t *testing.T, shape Tuple) int {
	t.Helper()
	n, err := Product(shape)
	require.NoError(t, err)
	return n
}

// TestPartitionTVProj: SGEMM's threads (16,16) partition sA by their first mode, sB by their second.
func TestPartitionTVProj(t *testing.T) {
	thr := layout(t, "(16,16):(16,1)")
	a, err := PartitionTVProj(layout(t, "(128,8):(1@0,1@1)"), thr, tuple(t, "(4)"), tuple(t, "(1,X)"))
	require.NoError(t, err)
	require.Equal(t, "((16,16),(4),(2,8)):((0,4@0),(1@0),(64@0,1@1))", a.String())
	b, err := PartitionTVProj(layout(t, "(128,8):(1@0,1@1)"), thr, tuple(t, "(4,1)"), tuple(t, "(X,1)"))
	require.NoError(t, err)
	require.Equal(t, "((16,16),(4,1),(2,8)):((4@0,0),(1@0,0),(64@0,1@1))", b.String())
	all, err := PartitionTVProj(layout(t, "(128,8):(1@0,1@1)"), thr, tuple(t, "(4,1)"), tuple(t, "(X,X)"))
	require.NoError(t, err)
	require.Equal(t, "((16,16),(4,1),(32,8)):((0,0),(1@0,0),(4@0,1@1))", all.String())
	for thread := range 256 {
		value, err := a.Value(Ints(thread, 3, 0))
		require.NoError(t, err)
		require.Equal(t, Ints(4*(thread/16)+3, 0).String(), value.String())
		value, err = b.Value(Ints(thread, 3, 0))
		require.NoError(t, err)
		require.Equal(t, Ints(4*(thread%16)+3, 0).String(), value.String())
	}
}

func TestPartitionRefuses(t *testing.T) {
	for _, c := range []struct{ tile, thr, val, proj, why string }{
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "(1,3)", "(1,1)",
			"partition (128,8):(1@0,1@1) by threads (128,2):(2,1) and values (1,3): mode 1: 2 threads of 3 values do not divide 8; the first uncovered coordinate is (0,6)"},
		{"(130,8):(1@0,1@1)", "(64,2):(2,1)", "(1,4)", "(1,1)", "mode 0: 64 threads of 1 values do not divide 130; the first uncovered coordinate is (128,0)"},
		{"(4,8):(1@0,1@1)", "(8,2):(2,1)", "(1,4)", "(1,1)", "the first uncovered coordinate is (0,0)"},
		{"(128,8):(1@0,1@1)", "(128,2):(1,1)", "(1,4)", "(1,1)", "threads (128,2):(1,1): coordinate (1,0) (position 1) and coordinate (0,1) (position 128) are both thread 1"},
		{"(128,8):(1@0,1@1)", "(128,2):(1,129)", "(1,4)", "(1,1)", "threads (128,2):(1,129): thread id 128 of 256 is missing, allowed is a bijection onto 0 to 255"},
		{"(128,8):(1@0,1@1)", "(128,2):(-1,128)", "(1,4)", "(1,1)", "thread id 129 of 256 is missing"},
		{"(128,8):(1@0,1@1)", "(1024,1024):(2048,1)", "(1,4)", "(1,1)", "only the ids below 1024 are reached in order"},
		{"(128,8):(1@0,1@1)", "(128,2):(1@0,1@1)", "(1,4)", "(1,1)", "its values are coordinates"},
		{"(128,8):(1@0,1@1)", "(32,2,2):(4,2,1)", "(1,4)", "(1,1,1)", "a grid of threads (32,2,2) and values (1,4), allowed are tuples of at most the tile's rank 2"},
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "4", "(1,1)", "a grid of threads (128,2) and values 4"},
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "(1,4)", "(1,1,X)", "projection (1,1,_) of (128,2)"},
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "(1,4)", "((1),1)", "projection ((1),1) of threads (128,2):(2,1): allowed are flat tuples"},
		{"(128,8):(1@0,1@1)", "(128,2):(2,1)", "(1,0)", "(1,1)", "values (1,0): shape (1,0): got 0, allowed are integers of at least 1"},
		{"(128,8):(1@0,1@1)", "(1048576,1):(1,0)", "(8796093022208,4)", "(1,1)", "mode 0: threads times values does not fit in 64 bits"},
	} {
		_, err := PartitionTVProj(layout(t, c.tile), layout(t, c.thr), tuple(t, c.val), tuple(t, c.proj))
		require.ErrorContains(t, err, c.why)
	}
}

// TestOuterPartition: the places that are left out of one tile and its copies make the whole, once each.
func TestOuterPartition(t *testing.T) {
	l := layout(t, "(12,10):(10,1)")
	by := tiler(t, "(4,5)")
	var all []int
	for place := range 20 {
		part, at, err := OuterPartition(l, by, Int(place))
		require.NoError(t, err)
		require.Equal(t, "(3,2):(40,5)", part.String())
		require.Equal(t, place%4*10+place/4, at.Value())
		for _, rest := range offsets(part) {
			all = append(all, at.Value()+rest)
		}
	}
	require.ElementsMatch(t, offsets(l), all)
	part, at, err := OuterPartition(layout(t, "(128,64):(64,1)"), tiler(t, "(32,16)"), tuple(t, "(2,_)"))
	require.NoError(t, err)
	require.Equal(t, "(16,4,4):(1,2048,16) at 128", part.String()+" at "+at.String())
	_, _, err = OuterPartition(l, by, Int(20))
	require.ErrorContains(t, err, "got 20 in shape (4,5), allowed is 0 to 19")
}

// A part of a swizzled layout that cannot be is refused, also where its offset alone does not fit.
func TestPartRefuses(t *testing.T) {
	c := Composed{Swizzle: Swizzle{2, 3, 3}, Layout: MustLayout("(8,64):(64,1)")}
	_, _, err := c.Part(MustLayout("8:-1"), Int(6), nil)
	require.ErrorContains(t, err, "offsets before the swizzle from -1, allowed are 0 to 2^62-1")
	part, at, err := c.Part(MustLayout("8:-1"), Int(7), nil)
	require.NoError(t, err)
	require.Equal(t, "(8):(-1) at 7", fmt.Sprintf("%v at %d", part, at))
	_, _, err = c.Part(MustLayout("8:1@0"), Int(0), nil)
	require.ErrorContains(t, err, "has coordinates for values")
	c.Offset = 1 << 61
	_, _, err = c.Part(MustLayout("8:1"), Int(math.MaxInt), nil)
	require.ErrorContains(t, err, "does not fit in 64 bits")
	_, _, err = c.Part(LocalTile(c.Layout, Ints(3, 3, 3), Ints(0)))
	require.ErrorContains(t, err, "Sw<2,3,3> o 2305843009213693952 o (8,64):(64,1): ")
}
