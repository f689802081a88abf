package gputests

import (
	"math"
	"math/bits"
)

// A freivalds checks products of integer matrices that are too large to compute again: C = alpha A B + beta C0 holds for a vector x only
// if C x = alpha A (B x) + beta C0 x, which takes O(MK + KN + MN).
//
// The arithmetic is modulo the prime p = 2^61 - 1 and x is uniform in [0, p)^N. If a row of C has any wrong element, with an integer in its
// place that differs by less than p, its equation holds for only one in p of all x: the row is missed with probability 2^-61.
// (R. Freivalds, Probabilistic machines can use less running time, IFIP 1977.)
type freivalds struct {
	m, n int
	x    []uint64
	want []uint64 // alpha A (B x) + beta C0 x
}

const prime = 1<<61 - 1

// newFreivalds prepares the check. alpha, beta and all elements must be integers.
func newFreivalds(d gemmData, seed uint64) freivalds {
	f := freivalds{m: d.m, n: d.n, x: make([]uint64, d.n)}
	for j := range f.x {
		f.x[j] = mix(seed<<40+uint64(j)) >> 3
		if f.x[j] == prime {
			f.x[j] = 0
		}
	}
	f.want = timesVector(d.m, d.k, d.a, timesVector(d.k, d.n, d.b, f.x))
	for i := range f.want {
		f.want[i] = mulMod(toField(d.alpha), f.want[i])
	}
	if d.beta != 0 {
		for i, y := range timesVector(d.m, d.n, d.c, f.x) {
			f.want[i] = addMod(f.want[i], mulMod(toField(d.beta), y))
		}
	}
	return f
}

// wrongRows returns the rows of C that cannot be right. C starts at c[0] and has leading dimension ld.
func (f freivalds) wrongRows(c []float32, ld int) []int {
	wrong := make([]bool, f.m)
	parallel(f.m, func(from, to int) {
		for i := from; i < to; i++ {
			row := c[i*ld : i*ld+f.n]
			for _, v := range row {
				// No integer of 24 bits: the kernel's result, not the product, and nothing for the field.
				if !(math.Abs(float64(v)) < 1<<24) || v != float32(int32(v)) {
					wrong[i] = true
				}
			}
			wrong[i] = wrong[i] || dot(row, f.x) != f.want[i]
		}
	})
	var rows []int
	for i, w := range wrong {
		if w {
			rows = append(rows, i)
		}
	}
	return rows
}

func timesVector(rows, cols int, a []float32, x []uint64) []uint64 {
	y := make([]uint64, rows)
	parallel(rows, func(from, to int) {
		for i := from; i < to; i++ {
			y[i] = dot(a[i*cols:(i+1)*cols], x)
		}
	})
	return y
}

func dot(row []float32, x []uint64) uint64 {
	var sum uint64
	for j, v := range row {
		sum = addMod(sum, mulMod(toField(v), x[j]))
	}
	return sum
}

// toField maps an integer of less than 2^61 in magnitude to [0, p).
func toField(v float32) uint64 {
	if v < 0 {
		return prime - uint64(-v)
	}
	return uint64(v)
}

func addMod(a, b uint64) uint64 {
	s := a + b
	if s >= prime {
		s -= prime
	}
	return s
}

// mulMod uses 2^61 = 1 modulo p: the product's bits from 61 on count once more from 0 on.
func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&prime, hi<<3|lo>>61)
}
