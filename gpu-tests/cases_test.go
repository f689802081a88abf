package gputests

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
)

func TestGEMMCasesCoverTheMatrix(t *testing.T) {
	cases := gemmCases()
	type pair struct{ p, q, x, y int }
	pairs := map[pair]int{}
	kinds := map[string]bool{}
	for _, c := range cases {
		e := [3]int{c.m, c.n, c.k}
		if e[0] != e[1] && e[0] != e[2] && e[1] != e[2] {
			for p := range 3 {
				for q := range 3 {
					pairs[pair{p, q, e[p], e[q]}]++
				}
			}
		}
		kinds[fmt.Sprintf("coefficients %v", c.coefficients)] = true
		kinds[fmt.Sprintf("pad %v", c.pad)] = true
		if c.readsAB() {
			kinds[fmt.Sprintf("offset %v", c.offset)] = true
		} else {
			assert.Equal(t, 1, c.offset[0]%2*(c.offset[1]%2), "%s: what is not read is not aligned", c)
		}
		kinds[fmt.Sprintf("K is 0: %t", c.k == 0)] = true
		kinds[fmt.Sprintf("null: %t", c.null)] = true
		kinds[fmt.Sprintf("NaN: %t", c.nan)] = true
		assert.False(t, c.null && c.readsAB(), "%s", c)
		assert.Positive(t, exactLimit(c.k), "%s", c)
	}
	// Each value stands in each position, beside each other value in each other position, with three different extents.
	for _, x := range extents {
		for _, y := range extents {
			for p := range 3 {
				for q := range 3 {
					if x != y && p != q {
						require.GreaterOrEqual(t, pairs[pair{p, q, x, y}], len(allCoefficients), "%d in position %d and %d in position %d", x, p, y, q)
					}
				}
			}
		}
	}
	assert.Len(t, kinds, len(allCoefficients)+len(pads)+len(offsets)-1+6, "one of the offsets stands twice")
	assert.Less(t, len(cases), 500)
}

func TestTransposeCasesCoverTheMatrix(t *testing.T) {
	cases := transposeCases()
	seen := map[[2]int]bool{}
	batches, broadcast, long := map[int]int{}, 0, 0
	for _, c := range cases {
		seen[[2]int{c.m, c.n}] = true
		batches[c.batch]++
		if c.broadcast && c.batch > 1 {
			broadcast++
		}
		long = max(long, c.m, c.n)
	}
	for _, m := range extents {
		for _, n := range extents {
			assert.True(t, seen[[2]int{m, n}], "%d x %d", m, n)
		}
	}
	for b := 1; b <= 3; b++ {
		assert.Greater(t, batches[b], 20, "batch %d", b)
	}
	assert.Positive(t, broadcast)
	assert.Equal(t, 4097, long)
}

func TestCasesFitTheDemands(t *testing.T) {
	m := kernels.Manifest{Alignment: []kernels.Alignment{
		{Param: "src", Multiple: 16, Unit: "bytes"}, {Param: "ld_src", Multiple: 4, Unit: "elements"}, {Param: "batch_stride_src", Multiple: 4, Unit: "elements"},
		{Param: "B", Multiple: 16, Unit: "bytes"}, {Param: "ldb", Multiple: 4, Unit: "elements"},
	}}
	d := demandsOf(m)
	assert.Equal(t, demands{"src": 4, "ld_src": 4, "batch_stride_src": 4, "B": 4, "ldb": 4}, d)
	odd := false
	for _, c := range transposeCases() {
		src, dst := c.place(d, guard)
		require.Zero(t, src.start()%4+src.ld%4, "%s", c)
		require.GreaterOrEqual(t, src.ld, c.n)
		require.GreaterOrEqual(t, dst.ld, c.m)
		if c.batch > 1 {
			require.Zero(t, src.stride%4, "%s", c)
			require.GreaterOrEqual(t, dst.stride, (c.n-1)*dst.ld+c.m, "matrices of the output do not overlap")
		}
		odd = odd || dst.start()%2 == 1 && dst.ld%2 == 1 && dst.stride%2 == 1
	}
	assert.True(t, odd, "what is not demanded is broken")
	for _, c := range gemmCases() {
		a, b, out := c.place(sgemmKernel{demands: d, ops: "TN"}, 0)
		if c.readsAB() {
			require.Zero(t, b.start()%4+b.ld%4, "%s", c)
		}
		require.GreaterOrEqual(t, a.ld, max(1, c.m), "A is stored K x M")
		require.GreaterOrEqual(t, out.ld, c.n)
	}
}

func TestSourceAndWantedAreTransposes(t *testing.T) {
	for _, c := range []transposeCase{
		{m: 3, n: 5, batch: 2, pad: [2]int{1, 2}, gap: [2]int{3, 4}, offset: [2]int{1, 0}},
		{m: 7, n: 2, batch: 3, broadcast: true},
		{m: 4, n: 9, batch: 1},
	} {
		src, dst := c.place(demands{}, guard)
		source, wanted := c.source(src), c.wanted(dst)
		outside := len(wanted)
		for b := range c.batch {
			from := b
			if c.broadcast {
				from = 0
			}
			for m := range c.m {
				for n := range c.n {
					require.Equal(t, source[src.at(from, m, n)], wanted[dst.at(b, n, m)], "%s", c)
					require.NotEqual(t, poison, wanted[dst.at(b, n, m)])
					outside--
				}
			}
		}
		for _, w := range wanted {
			if w == poison {
				outside--
			}
		}
		assert.Zero(t, outside, "all else is poison")
		if c.batch == 1 {
			at := c.wantedAt(dst)
			for i, w := range wanted {
				require.Equal(t, w, at(i), "position %d", i)
			}
		}
	}
}

func TestOperandIsStoredAsTheOpSays(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6} // 2 x 3
	n := operand(placement{batch: 1, rows: 2, cols: 3, ld: 4}, 'N', values, 2, 3)
	assert.Equal(t, append(words([]float32{1, 2, 3}), append([]uint32{poison}, words([]float32{4, 5, 6})...)...), n)
	transposed := operand(placement{batch: 1, rows: 3, cols: 2, ld: 2}, 'T', values, 2, 3)
	assert.Equal(t, words([]float32{1, 4, 2, 5, 3, 6}), transposed)
}

func TestArgumentCasesProvokeEveryStatus(t *testing.T) {
	m := kernels.Manifest{
		Launch:    kernels.Launch{Tile: []int{64, 32, 8}, Grid: "x: row tiles, y: column tiles, z: batch"},
		Alignment: []kernels.Alignment{{Param: "dst", Multiple: 16, Unit: "bytes"}, {Param: "ldb", Multiple: 4, Unit: "elements"}},
	}
	provoked := map[string]bool{}
	for _, c := range transposeArguments(m) {
		provoked[c.want.Name()] = true
	}
	assert.Len(t, provoked, 8, "%v", provoked)

	m.Launch.Grid = "x: tiles along M, y: tiles along N"
	for _, ops := range []string{"NN", "NT", "TN", "TT"} {
		provoked = map[string]bool{}
		for _, c := range sgemmArguments(m, ops) {
			provoked[c.want.Name()] = true
		}
		assert.Len(t, provoked, 7, "%v: a GEMM has no batch to overlap", provoked)
	}
	m.Launch.Grid = "x: all tiles"
	for _, c := range sgemmArguments(m, "NN") {
		assert.NotEqual(t, "CUTEGEN_GRID_LIMIT", c.want.Name(), "a grid without y has no such limit")
	}
	assert.False(t, gridCounts(m, "y", "along N"))
}

func TestAccuracyCountsWhatIsNoNumber(t *testing.T) {
	where := func() string { return "C(1,2)" }
	var a accuracy
	a.add(1.5, 1, 1, where)
	assert.Equal(t, accuracy{relative: 0.5, absolute: 0.5}, a)
	a.add(0, 0, 0, where)
	assert.Zero(t, a.wrong, "no error needs no bound")
	for _, bad := range []float32{math.Float32frombits(poison), float32(math.Inf(1))} {
		a = accuracy{}
		a.add(bad, 1, 1, where)
		assert.Equal(t, 1, a.wrong)
		assert.Equal(t, math.MaxFloat64, a.relative, "and a record of it can be written")
	}
	b := accuracy{}
	b.add(3, 1, 1, where)
	a.join(b)
	assert.Equal(t, 2, a.wrong)
	assert.Equal(t, "1 elements beyond their bound; the first is C(1,2): got 3 (0x40400000), want 1 within 1", b.String())
}

// words are the bits of values.
func words(values []float32) []uint32 {
	out := make([]uint32, len(values))
	for i, v := range values {
		out[i] = math.Float32bits(v)
	}
	return out
}
