package gputests

import "math"

// A gemmData is one GEMM in logical form: A is M x K, B is K x N, C is M x N, all row-major and compact, however a kernel stores them.
type gemmData struct {
	m, n, k     int
	alpha, beta float32
	a, b, c     []float32
}

// reference is alpha A B + beta C in float64, which is exact for integer data. As the ABI says, A and B are not read if alpha is 0, nor C if
// beta is.
func (d gemmData) reference() []float64 {
	out := make([]float64, d.m*d.n)
	if d.alpha != 0 {
		out = product(d.m, d.n, d.k, widen(d.a), widen(d.b))
		for i := range out {
			out[i] *= float64(d.alpha)
		}
	}
	if d.beta != 0 {
		for i, c := range d.c {
			out[i] += float64(d.beta) * float64(c)
		}
	}
	return out
}

// magnitude is |A| |B|: what an error bound of the product is relative to.
func (d gemmData) magnitude() []float64 {
	return product(d.m, d.n, d.k, absolute(widen(d.a)), absolute(widen(d.b)))
}

func widen(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}

func absolute(values []float64) []float64 {
	for i, v := range values {
		values[i] = math.Abs(v)
	}
	return values
}

// product is A B by the definition, the rows of C in parallel.
func product(m, n, k int, a, b []float64) []float64 {
	c := make([]float64, m*n)
	parallel(m, func(from, to int) {
		for i := from; i < to; i++ {
			row := c[i*n : (i+1)*n]
			for l, x := range a[i*k : (i+1)*k] {
				for j, y := range b[l*n : (l+1)*n] {
					row[j] += x * y
				}
			}
		}
	})
	return c
}
