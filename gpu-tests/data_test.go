package gputests

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatternIsDistinct(t *testing.T) {
	assert.Equal(t, uint32(0x80000000), pattern(0), "-0")
	assert.Equal(t, uint32(0xff8a9bcd), pattern(1), "a signalling NaN")

	// An odd factor has an inverse modulo 2^32, so i is what it was made of: no two are equal.
	const factor, inverse uint32 = 0x7f8a9bcd, 0x54d3c905
	require.Equal(t, uint32(1), uint32(uint64(factor)*uint64(inverse)&math.MaxUint32))
	index := func(word uint32) uint32 { return (word ^ 1<<31) * inverse }
	nans := 0
	for i := range 1 << 16 {
		require.Equal(t, uint32(i), index(pattern(i)))
		if v := math.Float32frombits(pattern(i)); v != v {
			nans++
		}
	}
	assert.InDelta(t, 1<<16/256, nans, 32)
	assert.GreaterOrEqual(t, index(poison), uint32(1<<31), "the poison is none of the first 2^31")
	assert.True(t, math.IsNaN(float64(math.Float32frombits(poison))))
}

func TestIntegers(t *testing.T) {
	const limit = 3
	values := integers(5, 7001, limit)
	count := map[float32]int{}
	for _, v := range values {
		require.Equal(t, v, float32(int(v)))
		count[v]++
	}
	require.Len(t, count, 2*limit+1)
	for v := -limit; v <= limit; v++ {
		assert.InDelta(t, 1000, count[float32(v)], 120, "%d", v)
	}
	assert.Equal(t, values, integers(5, 7001, limit))
	assert.NotEqual(t, values, integers(6, 7001, limit))
}

func TestNormalsDoNotDependOnTheCores(t *testing.T) {
	const n = 100_003
	values := normals(9, n)
	var sum, squares float64
	for _, v := range values {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	assert.InDelta(t, 0, sum/n, 0.02)
	assert.InDelta(t, 1, squares/n, 0.02)

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	assert.Equal(t, values, normals(9, n))
}

func TestExactLimitIsTheLargest(t *testing.T) {
	// The magnitude of every value on the way is a multiple of 1/2 up to this.
	largest := func(k, l int) int { return mostCoefficient*k*l*l + mostCoefficient*mostC }
	for _, k := range []int{1, 2, 8, 9, 100, 129, 4096, 1 << 20} {
		l := exactLimit(k)
		assert.Less(t, largest(k, l), 1<<23, "k=%d", k)
		if l < mostC {
			assert.GreaterOrEqual(t, largest(k, l+1), 1<<23, "k=%d", k)
		}
	}
	assert.Equal(t, mostC, exactLimit(0))
	assert.Equal(t, 31, exactLimit(4096))
	assert.Equal(t, 1, exactLimit(4<<20-1024), "2 (2^22 - 2^10) + 2046 = 2^23 - 2")
	assert.Equal(t, 0, exactLimit(4<<20-1023), "2 (2^22 - 1023) + 2046 = 2^23")
}

func TestExactDataIsExactInAnyOrder(t *testing.T) {
	for _, k := range []int{1, 7, 129, 1024} {
		d := exactData(gemmCase{m: 2, n: 3, k: k, coefficients: coefficients{-2, 0.5}}, 4)
		want := d.reference()
		for i := range d.m {
			for j := range d.n {
				var forwards, backwards float32
				for l := range k {
					forwards += d.a[i*k+l] * d.b[l*d.n+j]
					backwards += d.a[i*k+k-1-l] * d.b[(k-1-l)*d.n+j]
				}
				c := 0.5 * d.c[i*d.n+j]
				require.Equal(t, want[i*d.n+j], float64(-2*forwards+c))
				require.Equal(t, want[i*d.n+j], float64(c+-2*backwards))
			}
		}
	}
}

func TestParallelCoversEachIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 17, 1000} {
		seen := make([]int, n)
		parallel(n, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i]++
			}
		})
		for i, s := range seen {
			require.Equal(t, 1, s, "%d of %d", i, n)
		}
	}
}
