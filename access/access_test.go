package access

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

// copyOf is the access of a (6,4) tile by 12 threads with 2 values each, one thread a column pair, into a row-major buffer with
// rows of ld elements.
func copyOf(t *testing.T, offset string, elems int) *Access {
	t.Helper()
	l := algebra.Composed{Layout: algebra.MustLayout(offset)}
	return &Access{
		Name: "tAsA", Write: true, Vector: 2,
		Tensor: Tensor{Name: "sA", Space: Shared, Tile: algebra.Ints(6, 4), Elems: elems, ElemBytes: 4},
		// thread (2,6), value 2 -> column-major index of (row, column): column = 2*(t mod 2) + v, row = t / 2
		Coord:  algebra.MustLayout("((2,6),2):((12,1),6)"),
		Offset: l,
	}
}

func TestCheckAcceptsCosizeAndRefusesOneLess(t *testing.T) {
	const rows = "((2,6),2):((2,8),1)" // rows of 8: cosize 5*8+4 = 44, size 24
	n, err := copyOf(t, rows, 44).Check()
	require.NoError(t, err)
	assert.Equal(t, 24, n)
	_, err = copyOf(t, rows, 43).Check()
	assert.EqualError(t, err, "access tAsA: thread 11, value 1 at coordinate (5,3) has offset 43 by layout "+
		copyOf(t, rows, 43).Offset.String()+", but sA has 43 elements: it needs the cosize, 44")
	_, err = copyOf(t, rows, 24).Check()
	assert.ErrorContains(t, err, "it needs the cosize, 44", "size is not enough")
}

func TestCheckVectors(t *testing.T) {
	_, err := copyOf(t, "((2,6),2):((4,8),2)", 100).Check()
	assert.ErrorContains(t, err, "values 0 and 1 of thread 0 are one vector of 2, but lie at offsets 0 and 2")
	_, err = copyOf(t, "((2,6),2):((2,7),1)", 100).Check()
	assert.ErrorContains(t, err, "the vector of 2 at coordinate (1,0) (thread 2, value 0) starts at offset 7")
	a := copyOf(t, "((2,6),2):((2,7),1)", 100)
	a.Vector = 1
	_, err = a.Check()
	assert.NoError(t, err, "single elements need no alignment")
	a.Vector = 3
	_, err = a.Check()
	assert.EqualError(t, err, "access tAsA: 2 values per thread do not divide into vectors of 3")
}

func TestCheckCoordinates(t *testing.T) {
	a := copyOf(t, "((2,6),2):((2,8),1)", 44)
	a.Tensor.Tile = algebra.Ints(6, 3)
	_, err := a.Check()
	assert.ErrorContains(t, err, "thread 1, value 1 lies outside the tile (6,3) of sA")
	a.Offset = algebra.Composed{Layout: algebra.MustLayout("(6,2):(2,1)")}
	_, err = a.Check()
	assert.ErrorContains(t, err, "must both have the modes (thread, value)")
}

func TestCover(t *testing.T) {
	a := copyOf(t, "((2,6),2):((2,8),1)", 44)
	n, err := a.Cover()
	require.NoError(t, err)
	assert.Equal(t, 24, n)

	a.Coord = algebra.MustLayout("((2,6),2):((6,1),6)")
	_, err = a.Cover()
	assert.EqualError(t, err, "access tAsA: coordinate (0,1) of sA is touched twice, by thread 1 value 0 and thread 0 value 1, by layout ((2,6),2):((6,1),6)")

	a.Coord = algebra.MustLayout("((2,5),2):((12,1),6)")
	_, err = a.Cover()
	assert.EqualError(t, err, "access tAsA: no thread touches coordinate (5,0) of the tile (6,4) of sA: layout ((2,5),2):((12,1),6) does not cover it")
}

// put and get move a (4,2) tile by 4 threads: put thread = row, values = columns; get thread = element pairs of a column.
func putGet(putOffset, getOffset string, elems int) (put, get *Access) {
	sT := Tensor{Name: "sT", Space: Shared, Tile: algebra.Ints(4, 2), Elems: elems, ElemBytes: 4}
	put = &Access{Name: "put", Tensor: sT, Write: true, Vector: 1,
		Coord: algebra.MustLayout("(4,2):(1,4)"), Offset: algebra.Composed{Layout: algebra.MustLayout(putOffset)}}
	get = &Access{Name: "get", Tensor: sT, Vector: 1,
		Coord: algebra.MustLayout("(4,2):(2,1)"), Offset: algebra.Composed{Layout: algebra.MustLayout(getOffset)}}
	return put, get
}

func TestProgram(t *testing.T) {
	const rowsPut, rowsGet = "(4,2):(2,1)", "((2,2),2):((4,1),2)" // sT row-major (4,2):(2,1)
	put, get := putGet(rowsPut, rowsGet, 8)
	n, err := Program{{Access: put}, Barrier, {Access: get}}.Check()
	require.NoError(t, err)
	assert.Equal(t, 16, n)

	_, err = Program{{Access: put}, {Access: get}}.Check()
	assert.ErrorContains(t, err, "race on sT at offset 4: access get, thread 1 reads coordinate (2,0)")
	assert.ErrorContains(t, err, "while access put, thread 2 writes it")

	_, err = Program{{Access: get}}.Check()
	assert.ErrorContains(t, err, "thread 0, value 0 reads coordinate (0,0) at offset 0 of sT, by layout")
	assert.ErrorContains(t, err, "which nothing has written")

	// The second put meets the reads of the first round.
	_, err = Program{{Access: put}, Barrier, {Access: get}, {Access: put, Tile: 1}}.Check()
	assert.ErrorContains(t, err, "race on sT")
	_, err = Program{{Access: put}, Barrier, {Access: get}, Barrier, {Access: put, Tile: 1}}.Check()
	assert.NoError(t, err)

	// A read that expects the next tile finds the old one.
	_, err = Program{{Access: put}, Barrier, {Access: get, Tile: 1}}.Check()
	assert.ErrorContains(t, err, "wants coordinate (0,0) of tile 1 at offset 0 of sT, but finds tile 0 there")

	// One side is transposed behind the other's back.
	_, bad := putGet(rowsPut, "(4,2):(2,1)", 8)
	_, err = Program{{Access: put}, Barrier, {Access: bad}}.Check()
	assert.ErrorContains(t, err, "wants coordinate (2,0) at offset 2 of sT")
	assert.ErrorContains(t, err, "but access put put coordinate (1,0) there")

	// Two coordinates in one place: different threads race, one thread overwrites.
	alias, _ := putGet("(4,2):(1,1)", rowsGet, 8)
	_, err = Program{{Access: alias}}.Check()
	assert.ErrorContains(t, err, "race on sT at offset 1: access put, thread 0 writes coordinate (0,1)")
	own, _ := putGet("(4,2):(1,0)", rowsGet, 8)
	_, err = Program{{Access: own}}.Check()
	assert.ErrorContains(t, err, "thread 0 writes coordinates (0,0) and (0,1) of sT to one offset 0")

	// A stage beyond the allocation.
	_, err = Program{{Access: put, Base: 1}}.Check()
	assert.ErrorContains(t, err, "stage base 1, has offset 8")

	// A vector that is aligned in the first stage only.
	put.Vector, put.Coord, put.Offset.Layout = 2, algebra.MustLayout("(4,2):(1,4)"), algebra.MustLayout(rowsPut)
	put.Tensor.Elems = 16
	_, err = Program{{Access: put}, {Access: put, Base: 8}}.Check()
	assert.NoError(t, err)
	_, err = Program{{Access: put}, {Access: put, Base: 7}}.Check()
	assert.EqualError(t, err, "access put: vectors of 2 by layout (4,2):(2,1) are not aligned at stage base 7 of sT, which is not a multiple of 2")
	put, _ = putGet(rowsPut, rowsGet, 8)

	// Broadcast reads are no race.
	_, all := putGet(rowsPut, "(4,2):(0,2)", 8)
	all.Coord = algebra.MustLayout("(4,2):(0,1)")
	_, err = Program{{Access: put}, Barrier, {Access: all}}.Check()
	assert.NoError(t, err)
	_, err = Program{{Access: put}, Barrier, {Access: all}, {Access: put}}.Check()
	assert.ErrorContains(t, err, "race on sT")
}

func TestSame(t *testing.T) {
	put, get := putGet("(4,2):(2,1)", "(4,2):(2,1)", 8)
	n, err := Same(put, put)
	require.NoError(t, err)
	assert.Equal(t, 8, n)
	_, err = Same(put, get)
	assert.EqualError(t, err, "accesses put and get hand registers over, but register 1 of thread 0 is coordinate (0,1) in the first, by layout (4,2):(1,4), and (1,0) in the second, by layout (4,2):(2,1)")
	get.Coord = algebra.MustLayout("(2,4):(4,1)")
	_, err = Same(put, get)
	assert.ErrorContains(t, err, "4 x 2 and 2 x 4 (threads x values)")
}

// warpAccess is one instruction of a warp over a (32,vector) tile.
func warpAccess(space Space, offset string, vector int) *Access {
	l := algebra.MustLayout(offset)
	coord, err := algebra.ColMajor(l.Shape())
	if err != nil {
		panic(err)
	}
	return &Access{Name: "x", Vector: vector, Coord: coord, Offset: algebra.Composed{Layout: l},
		Tensor: Tensor{Name: "s", Space: space, Tile: algebra.Ints(32, vector), ElemBytes: 4}}
}

// Counts worked out by hand from the hardware's rules: 32 banks of 4 bytes, phases of 8 lanes for 16-byte vectors, sectors of 32 bytes.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		name, offset string
		space        Space
		vector       int
		value, ideal float64
	}{
		{"row of words", "(32,1):(1,0)", Shared, 1, 1, 1},
		{"column of a 32-wide tile", "(32,1):(32,0)", Shared, 1, 32, 1},
		{"column of a 33-wide tile", "(32,1):(33,0)", Shared, 1, 1, 1},
		{"every other word", "(32,1):(2,0)", Shared, 1, 2, 1},
		{"one word for all", "(32,1):(0,0)", Shared, 1, 1, 1},
		{"two words in one bank", "((2,16),1):((32,0),0)", Shared, 1, 2, 1},
		{"row of 16-byte vectors", "(32,4):(4,1)", Shared, 4, 4, 4},
		{"16-byte vectors in one bank group", "(32,4):(32,1)", Shared, 4, 32, 4},
		{"16-byte vectors, 36 apart", "(32,4):(36,1)", Shared, 4, 4, 4},
		{"16-byte vectors, broadcast", "(32,4):(0,1)", Shared, 4, 4, 4},
		{"global row", "(32,1):(1,0)", Global, 1, 4, 4},
		{"global column", "(32,1):(1024,0)", Global, 1, 32, 4},
		{"global vectors", "(32,4):(4,1)", Global, 4, 16, 16},
		{"global vectors in columns", "(32,4):(1024,1)", Global, 4, 32, 16},
		{"global pairs of vectors", "((2,16),4):((4,1024),1)", Global, 4, 16, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := warpAccess(c.space, c.offset, c.vector).Count()
			assert.Equal(t, c.value, got.Value)
			assert.Equal(t, c.ideal, got.Ideal)
		})
	}
	shifted := warpAccess(Global, "(32,1):(1,0)", 1)
	shifted.Offset.Offset = 1
	assert.Equal(t, 5.0, shifted.Count().Value, "a row that starts off a sector touches one more")
}

// The wavefronts of each instruction are as many as Count counts; each bank serves one word in each, and each lane's words are served.
func TestWavefronts(t *testing.T) {
	for _, c := range []struct {
		coord, offset string
		vector, bytes int
		lanes         [3][]int // of the first instruction: wavefront 0 bank 0, the last wavefront's bank 0, wavefront 0 bank 5
	}{
		{"(32,2):(1,32)", "(32,2):(1,32)", 1, 4, [3][]int{{0}, {0}, {5}}},
		{"(32,2):(1,32)", "(32,2):(32,1)", 1, 4, [3][]int{{0}, {31}, nil}},
		{"(64,1):(1,0)", "(64,1):(2,0)", 1, 4, [3][]int{{0}, {16}, nil}},
		{"((8,4),4):((4,0),1)", "((8,4),4):((4,0),1)", 4, 4, [3][]int{{0}, {24}, {1}}},
		{"(40,1):(1,0)", "(40,1):(1,0)", 1, 2, [3][]int{{0, 1}, {0, 1}, {10, 11}}},
		{"(32,1):(1,0)", "((4,8),1):((0,1),0)", 1, 4, [3][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {20, 21, 22, 23}}},
	} {
		a := &Access{Name: "a", Vector: c.vector, Coord: algebra.MustLayout(c.coord), Offset: algebra.Composed{Layout: algebra.MustLayout(c.offset)},
			Tensor: Tensor{Name: "sA", Space: Shared, ElemBytes: c.bytes}}
		total, n := 0, 0
		for w := 0; w*32 < a.Threads(); w++ {
			for v := 0; v < a.Values(); v += a.Vector {
				all, err := a.Wavefronts(w, v)
				require.NoError(t, err)
				total, n = total+len(all), n+1
				served := 0
				for _, f := range all {
					for _, lanes := range f {
						served += len(lanes)
					}
				}
				words := max(1, c.vector*c.bytes/4)
				assert.Equal(t, min(32, a.Threads()-32*w)*words, served, "%s: each lane's words", c.offset)
				if w == 0 && v == 0 {
					last := all[len(all)-1]
					assert.Equal(t, c.lanes, [3][]int{all[0][0], last[0], all[0][5]}, c.offset)
				}
			}
		}
		assert.Equal(t, a.Count().Value, float64(total)/float64(n), c.offset)
	}
	a := &Access{Name: "a", Vector: 2, Coord: algebra.MustLayout("(40,4):(4,1)"), Offset: algebra.Composed{Layout: algebra.MustLayout("(40,4):(4,1)")},
		Tensor: Tensor{Name: "sA", Space: Shared, ElemBytes: 4}}
	_, err := a.Wavefronts(1, 2)
	require.NoError(t, err)
	for _, at := range [][2]int{{2, 0}, {-1, 0}, {0, 4}, {0, 1}, {0, -2}} {
		_, err = a.Wavefronts(at[0], at[1])
		assert.ErrorContains(t, err, "allowed are warps below 2 and values below 4 in steps of 2")
	}
	a.Tensor.Space = Global
	_, err = a.Wavefronts(0, 0)
	assert.EqualError(t, err, "access a: sA lies in global memory, which has no banks")
}
