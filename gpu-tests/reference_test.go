package gputests

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReferenceIsTheDefinition(t *testing.T) {
	for _, e := range [][3]int{{3, 5, 7}, {1, 9, 4}, {13, 1, 2}, {2, 3, 0}} {
		for _, c := range allCoefficients {
			t.Run(fmt.Sprintf("%v %v", e, c), func(t *testing.T) {
				d := normalData(gemmCase{m: e[0], n: e[1], k: e[2], coefficients: c}, 3)
				got, magnitude := d.reference(), d.magnitude()
				for i := range d.m {
					for j := range d.n {
						var sum, abs float64
						for k := range d.k {
							p := float64(d.a[i*d.k+k]) * float64(d.b[k*d.n+j])
							sum += p
							abs += math.Abs(p)
						}
						want := float64(c.alpha)*sum + float64(c.beta)*float64(d.c[i*d.n+j])
						require.InDelta(t, want, got[i*d.n+j], 1e-12)
						require.InDelta(t, abs, magnitude[i*d.n+j], 1e-12)
					}
				}
			})
		}
	}
}

func TestReferenceReadsOnlyWhatTheABISays(t *testing.T) {
	nan := float32(math.NaN())
	d := gemmData{m: 1, n: 2, k: 1, alpha: 0, beta: 0.5, a: []float32{nan}, b: []float32{nan, nan}, c: []float32{3, 5}}
	assert.Equal(t, []float64{1.5, 2.5}, d.reference())
	d = gemmData{m: 1, n: 2, k: 1, alpha: 2, beta: 0, a: []float32{3}, b: []float32{5, 7}, c: []float32{nan, nan}}
	assert.Equal(t, []float64{30, 42}, d.reference())
}
