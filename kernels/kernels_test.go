package kernels

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

func TestHashSeesCodeAndNotComments(t *testing.T) {
	const src = "int f(int x) { // twice\n    return 2 * x; /* both */\n}\nconst char* s = \"// no comment\";\n"
	h := Hash(src)
	assert.Len(t, h, 16)
	for _, same := range []string{
		"int f(int x) {\n return 2 * x; }\n const char* s = \"// no comment\";",
		"/* a */int f(int x)/**/{ // other\n return 2 * x;\n}\nconst char* s = \"// no comment\"; // end",
	} {
		assert.Equal(t, h, Hash(same), same)
	}
	for _, other := range []string{
		"int f(int x) { return 3 * x; } const char* s = \"// no comment\";",
		"int f(int x) { return 2 * x; } const char* s = \"// a comment\";",
		"int f(int x) { return 2 * x; } const char* s = \"",
	} {
		assert.NotEqual(t, h, Hash(other), other)
	}
	assert.NotEqual(t, Hash("a b"), Hash("ab"), "a comment separates what it stands between")
	assert.Equal(t, Hash("a b"), Hash("a/**/b"))
	assert.NotPanics(t, func() { Hash("/* open"); Hash("//"); Hash("'"); Hash("\"\\") })
}

// The stamp is no part of what it tells, unless it is not the last line or not a stamp.
func TestStamp(t *testing.T) {
	const src = "int transpose_a;\n"
	stamped := Stamp(src, "transpose_a")
	assert.Equal(t, src+`
// The source that this is built from, for who loads it: a hash of the code above.
extern "C" const char* transpose_a_source() { return "`+Hash(src)+`"; }
`, stamped)
	assert.Equal(t, Hash(src), Hash(stamped))
	assert.NotEqual(t, Hash(src), Hash(stamped+"int b;\n"))
	assert.NotEqual(t, Hash(src), Hash(strings.Replace(stamped, `"; }`, `g"; }`, 1)))
	assert.NotEqual(t, Hash(Stamp("int a;", "k")), Hash(Stamp("int b;", "k")))
}

func TestCopyTokens(t *testing.T) {
	for _, c := range []struct{ layout, token string }{
		{"(16,8):(8,1)", "tA16x8k4"},
		{"(16,8):(1,16)", "tA16x8m4"},
		{"(1,8):(0,1)", "tA1x8m4"},
	} {
		tok, err := Copy{Threads: algebra.MustLayout(c.layout), Vector: 4}.Token("tA", "mk")
		if c.layout == "(1,8):(0,1)" && err != nil {
			continue // a mode of one has more than one compact stride
		}
		require.NoError(t, err)
		assert.Equal(t, c.token, tok)
		back, err := ParseCopy(tok, "tA", "mk")
		require.NoError(t, err)
		assert.Equal(t, c.layout, back.Threads.String())
		assert.Equal(t, 4, back.Vector)
	}
	_, err := Copy{Threads: algebra.MustLayout("(16,8):(8,2)"), Vector: 4}.Token("tA", "mk")
	assert.ErrorContains(t, err, "layout (16,8):(8,2) has no token in the name grammar")
	_, err = ParseCopy("tA16x8n4", "tA", "mk")
	assert.ErrorContains(t, err, `"tA16x8n4" is not a partition tA: want tAAxBmV or tAAxBkV, as tA16x16k4`)
	_, err = ParseCopy("tB16x8k4", "tA", "mk")
	assert.Error(t, err)
}

func TestLimits(t *testing.T) {
	assert.NoError(t, CheckLimits("tS", 1024, 2, 128))
	assert.EqualError(t, CheckLimits("tS", 256, 9, 1), "minBlocks: 9 blocks of 256 threads are more than the 2048 threads of a multiprocessor: at most 8")
	assert.ErrorContains(t, CheckLimits("tS", 1025, 1, 1), "tS: a block of 1025 threads is more than the 1024")
	assert.ErrorContains(t, CheckLimits("tS", 32, 1, 129), "tile: a thread would hold 129 values, more than 128")
}

// 48 KiB are 12288 floats. Bytes of elements near 2^62, and sums of them, do not fit in 64 bits.
func TestSharedMemoryLimit(t *testing.T) {
	need := func(elems ...int) error {
		var needs []SharedNeed
		for i, n := range elems {
			needs = append(needs, SharedNeed{[]string{"sA", "sB", "sC"}[i], n})
		}
		return CheckShared(needs...)
	}
	assert.NoError(t, need(12288))
	assert.NoError(t, need(4096, 8192))
	assert.EqualError(t, need(4096, 8193),
		"sB: shared memory needs 4096 + 8193 floats (the cosize), more than the 12288 floats (48 KiB) of a block: take a smaller tile or less padding")
	assert.ErrorContains(t, need(8193, 4096), "sA: shared memory needs")
	assert.ErrorContains(t, need(12289, 0), "sA: shared memory needs")
	assert.ErrorContains(t, need(1<<62), "shared memory needs 4611686018427387904 floats")
	assert.Error(t, need(math.MaxInt, math.MaxInt, 2))
}

// The launcher's bounds leave room: coordinates of the last tile and offsets inside a tile fit 31 bits, and one more would not.
func TestBounds(t *testing.T) {
	const most = 1<<31 - 1
	for _, e := range []int{1, 8, 64, 100, 128} {
		assert.LessOrEqual(t, MostExtent(e)+e, most)
		assert.Greater(t, MostExtent(e)+2*e, most)
	}
	for _, c := range [][2]int{{64, 64}, {128, 8}, {8, 128}, {1, 1}} {
		rows, cols := c[0], c[1]
		assert.LessOrEqual(t, rows*MostLD(rows, cols)+cols, most)
		assert.Greater(t, rows*(MostLD(rows, cols)+1)+cols, most)
	}
}

// A grid of the tile's size leaves nothing uncovered, and a larger one does not cover "the first coordinate": it is too large.
func TestPartitionOfTooManyThreads(t *testing.T) {
	tile := algebra.Ints(64, 32)
	_, err := NewPartition("tS", tile, algebra.MustLayout("(64,8):(8,1)"), algebra.Ints(1, 4))
	assert.NoError(t, err)
	_, err = NewPartition("tS", tile, algebra.MustLayout("(128,8):(8,1)"), algebra.Ints(1, 4))
	assert.EqualError(t, err,
		"layout (128,8):(8,1) of threads with values (1,4) takes 128 x 1 elements along mode 0, more than the 64 of tile (64,32): use fewer threads or values")
	_, err = NewPartition("tS", tile, algebra.MustLayout("(64,16):(16,1)"), algebra.Ints(1, 4))
	assert.ErrorContains(t, err, "takes 16 x 4 elements along mode 1, more than the 32 of tile (64,32)")
	_, err = NewPartition("tS", algebra.Ints(64, 2), algebra.MustLayout("(64,1):(1,1)"), algebra.Ints(1, 4))
	assert.ErrorContains(t, err, "takes 1 x 4 elements along mode 1, more than the 2 of tile (64,2)")
	_, err = NewPartition("tS", tile, algebra.MustLayout("(1152921504606846976,4):(0,1)"), algebra.Ints(4, 1))
	assert.ErrorContains(t, err, "takes 1152921504606846976 x 4 elements along mode 0")
}

func TestPartitionNamesWhatIsNotCovered(t *testing.T) {
	_, err := NewPartition("tA", algebra.Ints(128, 8), algebra.MustLayout("(96,2):(2,1)"), algebra.Ints(1, 4))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "(96,2):(2,1)")
	assert.Contains(t, err.Error(), "the first uncovered coordinate is (96,0)")
}
