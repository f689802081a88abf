package gputests

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGamma(t *testing.T) {
	assert.Zero(t, gamma(0))
	assert.InEpsilon(t, 0x1p-24, gamma(1), 1e-6)
	assert.InEpsilon(t, 4096*0x1p-24/(1-4096*0x1p-24), gamma(4096), 1e-12)
	assert.InEpsilon(t, 1<<24-1, gamma(1<<24-1), 1e-6, "(1 - u) / u")
	assert.Equal(t, math.Inf(1), gamma(1<<24), "the lemma needs n u < 1")
}

// sums are ways to add up products in fp32: what kernels may do.
var sums = map[string]func(a, b []float32) float32{
	"one after the other": func(a, b []float32) (s float32) {
		for i := range a {
			s += float32(a[i] * b[i])
		}
		return s
	},
	"fused": func(a, b []float32) (s float32) {
		for i := range a {
			s = float32(math.FMA(float64(a[i]), float64(b[i]), float64(s)))
		}
		return s
	},
	"backwards": func(a, b []float32) (s float32) {
		for i := len(a) - 1; i >= 0; i-- {
			s += float32(a[i] * b[i])
		}
		return s
	},
	"in 7 parts": func(a, b []float32) (s float32) {
		var parts [7]float32
		for i := range a {
			parts[i%7] += float32(a[i] * b[i])
		}
		for _, p := range parts {
			s += p
		}
		return s
	},
}

func TestBoundHoldsForAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{1, 2, 3, 100, 4097} {
		a, b := make([]float32, k), make([]float32, k)
		for trial := range 50 {
			for i := range a {
				// Positive values round the same way again and again: the error is then the largest.
				a[i], b[i] = float32(random.NormFloat64()), float32(random.NormFloat64())
				if trial%2 == 0 {
					a[i], b[i] = 1+random.Float32()*0x1p-20, 1+random.Float32()*0x1p-20
				}
			}
			c := float32(random.NormFloat64())
			d := gemmData{m: 1, n: 1, k: k, alpha: -1.1, beta: 0.7, a: a, b: b, c: []float32{c}}
			want, bound := d.reference()[0], gemmBound(k, d.alpha, d.beta, d.magnitude()[0], float64(c))
			for order, sum := range sums {
				got := float32(d.alpha*sum(a, b)) + float32(d.beta*c)
				require.LessOrEqual(t, math.Abs(float64(got)-want), bound, "%s, k=%d", order, k)
			}
		}
	}
}

func TestBoundIsTightEnoughToMatter(t *testing.T) {
	d := normalData(gemmCase{m: 20, n: 30, k: 129, coefficients: coefficients{1, 0}}, 1)
	want, magnitude := d.reference(), d.magnitude()
	missed := 0
	for i := range d.m {
		for j := range d.n {
			bound := gemmBound(d.k, 1, 0, magnitude[i*d.n+j], 0)
			// Without its last product, an element is off by |a b|.
			last := float64(d.a[i*d.k+d.k-1]) * float64(d.b[(d.k-1)*d.n+j])
			if math.Abs(last) <= bound {
				missed++
			}
			require.Less(t, bound, 1e-5*magnitude[i*d.n+j])
		}
	}
	assert.LessOrEqual(t, missed, len(want)/50, "a product that is left out shows in nearly all elements")
}

func TestNormsBoundTheMagnitude(t *testing.T) {
	d := normalData(gemmCase{m: 5, n: 7, k: 300}, 2)
	rows, columns := rowNorms(d.m, d.k, d.a), columnNorms(d.k, d.n, d.b)
	for i := range d.m {
		for j := range d.n {
			m := d.magnitude()[i*d.n+j]
			assert.LessOrEqual(t, m, rows[i]*columns[j])
			assert.Less(t, rows[i]*columns[j], 2*m, "and not by far: pi/2 for normal data")
		}
	}
	assert.InEpsilon(t, 5, rowNorms(2, 2, []float32{3, 4, 0, 1})[0], 1e-15)
	assert.InEpsilon(t, 5, columnNorms(2, 2, []float32{1, 3, 0, 4})[1], 1e-15)
}
