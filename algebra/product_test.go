package algebra

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProductOfLayouts(t *testing.T) {
	for _, c := range []struct{ block, tiler, want string }{
		{"4:1", "3:1", "(4,3):(1,4)"},
		{"4:1", "3", "(4,3):(1,4)"},
		{"(2,2):(1,4)", "6", "((2,2),(2,3)):((1,4),(2,8))"},
		{"(4,6):(1,4)", "(2:3,3)", "((4,2),(6,3)):((1,12),(4,1))"},
		{"(4,6):(1,4)", "_", "(4,6):(1,4)"},
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

// TestProductDefinition: (1) the first mode is the block; (2) the copies are disjoint if block and tiler are injective;
// (3) copy j is the block's free shift number tiler(j).
func TestProductDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	given := 0
	for range 2500 {
		block, tiler := randomLayout(r, 24), randomLayout(r, 24)
		got, err := LogicalProduct(block, tiler)
		if err != nil {
			continue
		}
		given++
		requireProduct(t, block, tiler, got)
	}
	require.Greater(t, given, 500)
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
