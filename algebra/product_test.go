package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestProductOfLayouts(t *testing.T) {
	for _, c := range []struct{ block, tiler, want string }{
		{"4:1", "3:1", "(4,3):(1,4)"},
		{"4:1", "3", "(4,3):(1,4)"},
		{"(2,2):(1,4)", "6", "((2,2),(2,3)):((1,4),(2,8))"},
		{"(4,6):(1,4)", "(2:3,3)", "((4,2),(6,3)):((1,12),(4,1))"},
		{"(4,6):(1,4)", "_", "(4,6):(1,4)"},
		// No copy fills offset 2 of each 12, so that there are only two shifts below 16*4.
		{"(2,4,2):(1,3,24)", "4:1", "((2,4,2),(2,2)):((1,3,24),(12,48))"},
	} {
		got, err := LogicalProduct(layout(t, c.block), tiler(t, c.tiler))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s by %s", c.block, c.tiler)
	}
}

func TestZippedProducts(t *testing.T) {
	for _, c := range []struct{ block, tiler, blocked, raked string }{
		{"(2,5):(5,1)", "(3,4):(1,3)", "((2,3),(5,4)):((5,10),(1,30))", "((3,2),(4,5)):((10,5),(30,1))"},
		{"(2,4):(4,1)", "6:1", "((2,6),(4,1)):((4,8),(1,0))", "((6,2),(1,4)):((8,4),(0,1))"},
		{"4:1", "3:1", "((4,3)):((1,4))", "((3,4)):((4,1))"},
		{"4:8", "48:2", "((4,(4,12))):((8,(2,32)))", "(((4,12),4)):(((2,32),8))"},
	} {
		got, err := BlockedProduct(layout(t, c.block), layout(t, c.tiler))
		require.NoError(t, err)
		require.Equal(t, c.blocked, got.String(), "%s by %s", c.block, c.tiler)
		got, err = RakedProduct(layout(t, c.block), layout(t, c.tiler))
		require.NoError(t, err)
		require.Equal(t, c.raked, got.String(), "%s by %s", c.block, c.tiler)
	}
}

func TestProductRefuses(t *testing.T) {
	for _, c := range []struct{ block, tiler, why string }{
		{"(2,2):(1,1)", "3", "product of (2,2):(1,1) by 3:1: complement of (2,2):(1,1): it is not injective"},
		{"48:3", "(10,2):(2,1)", "at coordinate (3,0) of (10,2)"},
		// Shift 24, which CuTe takes for the third copy, would put it on the first one.
		{"(2,4,2):(1,3,24)", "3:1", "at coordinate 2 of 3 (position 2 of the left side) the value is 48, not 24"},
		{"(3,1073741824):(1,4)", "2147483648:1", "cosize does not fit in 64 bits"},
		{"4294967296:1", "2147483648:1", "product of 4294967296:1 by 2147483648:1: cosize does not fit in 64 bits"},
		{"4:1", "(2,2)", "product of 4:1 by (2,2): the tiler has rank 2, allowed is at most 1"},
		{"4:1", "3:1@0", "product of 4:1 by 3:1@0: the tiler's values are coordinates, allowed are plain strides"},
		{"4:1@0", "3:1", "complement of 4:1@0: its values are coordinates"},
	} {
		_, err := LogicalProduct(layout(t, c.block), tiler(t, c.tiler))
		require.ErrorContains(t, err, c.why)
	}
	_, err := BlockedProduct(layout(t, "48:3"), layout(t, "(10,2):(2,1)"))
	require.ErrorContains(t, err, "at coordinate (3,0) of (10,2)")
}

func requireProduct(t *testing.T, block, tiler, got Layout) {
	t.Helper()
	require.True(t, got.Mode(0).Equal(block), "ensures 1: %v by %v = %v", block, tiler, got)
	if distinct(offsets(block)) && distinct(offsets(tiler)) {
		require.True(t, distinct(offsets(got)), "ensures 2: %v by %v = %v", block, tiler, got)
	}
	free, err := Complement(block, block.Size()*tiler.Cosize())
	require.NoError(t, err)
	require.Equal(t, composed(free, tiler), offsets(got.Mode(1)), "ensures 3: %v by %v = %v", block, tiler, got)
}

// TestGatheredProducts: the modes of the logical product, gathered. The elements stay.
func TestGatheredProducts(t *testing.T) {
	for _, c := range []struct{ l, tiler, zipped, tiled, flat string }{
		{"(2,2):(1,2)", "(3,4):(1,3)", "((2,2),(3,4)):((1,2),(4,12))", "((2,2),3,4):((1,2),4,12)", "(2,2,3,4):(1,2,4,12)"},
		{"(2,3):(1,2)", "(4:1,2:1)", "((2,3),(4,2)):((1,2),(2,1))", "((2,3),4,2):((1,2),2,1)", "(2,3,4,2):(1,2,2,1)"},
		{"5:1", "3:2", "(5,3):(1,10)", "(5,3):(1,10)", "(5,3):(1,10)"},
		{"(5):(1)", "(3:2)", "((5),(3)):((1),(10))", "((5),(3)):((1),(10))", "((5),(3)):((1),(10))"},
	} {
		product, err := LogicalProduct(layout(t, c.l), tiler(t, c.tiler))
		require.NoError(t, err)
		for _, op := range []struct {
			want string
			do   func(Layout, Tiler) (Layout, error)
		}{{c.zipped, ZippedProduct}, {c.tiled, TiledProduct}, {c.flat, FlatProduct}} {
			got, err := op.do(layout(t, c.l), tiler(t, c.tiler))
			require.NoError(t, err)
			require.Equal(t, op.want, got.String(), "%s by %s", c.l, c.tiler)
			require.ElementsMatch(t, offsets(product), offsets(got), "%s by %s", c.l, c.tiler)
		}
	}
	for _, op := range []func(Layout, Tiler) (Layout, error){ZippedProduct, TiledProduct, FlatProduct} {
		_, err := op(layout(t, "(2,2):(1,1)"), tiler(t, "4:1"))
		require.ErrorContains(t, err, "meet at offset 1")
	}
}

// TestTileToShape: mode i has the shape's size, the first coordinates of each mode are the block, and each copy is the
// block moved.
func TestTileToShape(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		block, err := padded(layouts(30).Draw(t, "block"), 1)
		require.NoError(t, err)
		rank := block.Rank() + rapid.IntRange(0, 1).Draw(t, "more")
		copies, order := make([]int, rank), make([]int, rank)
		sizes := make([]Tuple, rank)
		for i := range rank {
			copies[i], order[i] = rapid.IntRange(1, 3).Draw(t, "copies"), rapid.IntRange(0, 3).Draw(t, "order")
			sizes[i] = Int(copies[i])
			if i < block.Rank() {
				sizes[i] = Int(copies[i] * block.Mode(i).Size())
			}
		}
		shape := MakeTuple(sizes...)
		got, err := TileToShapeOrder(block, shape, Ints(order...))
		if err != nil {
			return // judged by productProperty
		}
		accepted++
		have, err := ProductEach(got.Shape())
		require.NoError(t, err)
		require.Equal(t, shape.String(), have.String())
		require.True(t, distinct(offsets(Filter(got))) || !distinct(offsets(Filter(block))), "%v to %v is %v", block, shape, got)
		for i := range got.Size() {
			full := digits(have, i)
			inBlock, origin := make([]Tuple, rank), make([]Tuple, rank)
			for k := range rank {
				size := 1
				if k < block.Rank() {
					size = block.Mode(k).Size()
				}
				inBlock[k], origin[k] = Int(full[k]%size), Int(full[k]/size*size)
			}
			begin, err := got.Index(MakeTuple(origin...))
			require.NoError(t, err)
			at, err := MakeTuple(inBlock...).Take(0, block.Rank())
			require.NoError(t, err)
			within, err := block.Index(at)
			require.NoError(t, err)
			require.Equal(t, begin+within, got.At(i), "%v to %v is %v at %v", block, shape, got, full)
		}
	})
	require.Greater(t, accepted, 150)
	for _, c := range []struct{ block, shape, order, want string }{
		{"(2,2):(2,1)", "(4,6)", "(0,1)", "((2,2),(2,3)):((2,4),(1,8))"},
		{"(2,2):(2,1)", "(4,6)", "(1,0)", "((2,2),(2,3)):((2,12),(1,4))"},
		{"4:1", "8", "3", "((4,2)):((1,4))"},
		{"(2,2):(2,1)", "(4,6,5)", "(0,1,2)", "((2,2),(2,3),(1,5)):((2,4),(1,8),(0,24))"},
		{"(2,2):(2,1)", "(4,7)", "(0,1)", "tile (2,2):(2,1) to shape (4,7): mode 1: 2 elements do not divide 7"},
		{"(2,2):(2,1)", "8", "0", "the block has rank 2, allowed is at most 1"},
		{"(2,2):(2,1)", "(4,0)", "(0,1)", "got 0, allowed are integers of at least 1"},
		{"(2,2):(2,1)", "(4,6)", "(0,1,2)", "(0,1,2) does not fit"},
	} {
		got, err := TileToShapeOrder(layout(t, c.block), tuple(t, c.shape), tuple(t, c.order))
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
	columns, err := TileToShape(layout(t, "(2,2):(2,1)"), Ints(4, 6))
	require.NoError(t, err)
	require.Equal(t, "((2,2),(2,3)):((2,4),(1,8))", columns.String())
}

// digits is the coordinate of position i in the flat shape.
func digits(shape Tuple, i int) []int {
	var coord []int
	for _, n := range shape.Leaves() {
		coord = append(coord, i%n.Value())
		i /= n.Value()
	}
	return coord
}

// TestDomainDistribute: the postconditions that CuTe states.
func TestDomainDistribute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := shapes(4, 120).Draw(t, "shape")
		n := rapid.IntRange(1, 40).Draw(t, "n")
		got, err := DomainDistribute(shape, n)
		require.NoError(t, err)
		require.Zero(t, n%got.Size(), "%d over %v is %v", n, shape, got)
		require.IsIncreasing(t, append([]int{-1}, offsets(got)...), "%d over %v is %v", n, shape, got)
		l, err := ColMajor(shape)
		require.NoError(t, err)
		divided, err := LogicalDivide(l, got)
		require.NoError(t, err, "%v by %v", shape, got)
		require.Equal(t, l.Size(), divided.Size(), "%v by %v", shape, got)
	})
	for _, c := range []struct {
		shape string
		n     int
		want  string
	}{
		{"(15,14)", 6, "(3,2):(1,15)"},
		{"(15,14)", 30, "30:1"},
		{"(15,14)", 11, "1:0"},
		{"(15,14)", 0, "distribute 0 over shape (15,14): allowed are counts of at least 1"},
		{"(15,0)", 6, "got 0, allowed are integers of at least 1"},
	} {
		got, err := DomainDistribute(tuple(t, c.shape), c.n)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}
