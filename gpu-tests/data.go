package gputests

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// poison fills what a kernel must write before it runs, and everything around it that it must not: a quiet NaN whose payload no
// arithmetic makes.
const poison uint32 = 0x7fc0dead

// pattern is the i-th value of a transpose's source, as bits. It is a bijection of 32-bit integers, so no two elements are equal, and none of
// the first 2^31 equals poison. The first is -0, the second a signalling NaN, and one in 256 is a NaN.
func pattern(i int) uint32 { return uint32(i)*0x7f8a9bcd ^ 1<<31 }

// integers are n pseudorandom integers in [-limit, limit].
func integers(seed uint64, n, limit int) []float32 {
	values := make([]float32, n)
	span := uint64(2*limit + 1)
	parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			values[i] = float32(int(mix(seed<<40+uint64(i))%span) - limit)
		}
	})
	return values
}

// mix is the output function of SplitMix64: a bijection of 64-bit integers whose bits look independent.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// normals are n pseudorandom values of the normal distribution N(0,1). They do not depend on the number of cores.
func normals(seed uint64, n int) []float32 {
	const chunk = 1 << 14
	values := make([]float32, n)
	parallel((n+chunk-1)/chunk, func(from, to int) {
		for c := from; c < to; c++ {
			r := rand.New(rand.NewPCG(seed, uint64(c)))
			for i := c * chunk; i < min((c+1)*chunk, n); i++ {
				values[i] = float32(r.NormFloat64())
			}
		}
	})
	return values
}

// Limits of the integer data, by exactLimit.
const (
	mostCoefficient = 2    // |alpha|, |beta|
	mostC           = 1023 // |c|
)

// exactLimit is the largest L such that integers |a|, |b| <= L make a GEMM with sums of length k exact in fp32 in any order of
// additions, for alpha and beta that are multiples of 1/2 up to 2 and integers |c| <= 1023.
//
// Every value on the way, be it a partial sum, alpha a, alpha times a sum, or the result, is a multiple of 1/2 of magnitude at most
//
//	2 k L^2 + 2 * 1023 < 2^23,
//
// that is m/2 with |m| < 2^24: an fp32 number. It is 0 where not even L = 1 will do, from k of about four million on.
func exactLimit(k int) int {
	const most = 1 << 23
	l := int(math.Sqrt(float64(most-mostCoefficient*mostC-1) / float64(mostCoefficient*max(k, 1))))
	return min(l, mostC)
}

// parallel calls work for ranges that together are [0, n), on all cores.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() { work(n*w/workers, n*(w+1)/workers) })
	}
	group.Wait()
}
