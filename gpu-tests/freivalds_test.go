package gputests

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFieldArithmetic(t *testing.T) {
	p := big.NewInt(prime)
	assert.True(t, p.ProbablyPrime(20))
	values := []uint64{0, 1, 2, 3, prime - 1, prime - 2, 1 << 60, 1<<60 - 1, 0x123456789abcdef}
	for _, a := range values {
		for _, b := range values {
			x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
			require.Equal(t, new(big.Int).Mod(new(big.Int).Mul(x, y), p).Uint64(), mulMod(a, b), "%d * %d", a, b)
			require.Equal(t, new(big.Int).Mod(new(big.Int).Add(x, y), p).Uint64(), addMod(a, b), "%d + %d", a, b)
		}
	}
	assert.Equal(t, uint64(0), toField(0))
	assert.Equal(t, uint64(0), toField(float32(math.Copysign(0, -1))))
	assert.Equal(t, uint64(7), toField(7))
	assert.Equal(t, uint64(prime-7), toField(-7))
}

func TestFreivaldsFindsOneWrongElement(t *testing.T) {
	for _, c := range []coefficients{{1, 0}, {-2, 1}} {
		d := exactData(gemmCase{m: 33, n: 47, k: 65, coefficients: c}, 8)
		f := newFreivalds(d, 1)
		const ld = 50
		out := make([]float32, d.m*ld)
		for i, v := range d.reference() {
			out[i/d.n*ld+i%d.n] = float32(v)
		}
		require.Empty(t, f.wrongRows(out, ld), "the product itself")

		for _, wrong := range []struct {
			name   string
			change func(v float32) float32
		}{
			{"off by one", func(v float32) float32 { return v + 1 }},
			{"negated", func(v float32) float32 { return -v - 1 }},
			{"half", func(v float32) float32 { return v + 0.5 }},
			{"NaN", func(float32) float32 { return math.Float32frombits(poison) }},
			{"infinite", func(float32) float32 { return float32(math.Inf(-1)) }},
			{"too large", func(float32) float32 { return 1 << 24 }},
		} {
			for i := range d.m {
				j := (7*i + 3) % d.n
				saved := out[i*ld+j]
				out[i*ld+j] = wrong.change(saved)
				require.Equal(t, []int{i}, f.wrongRows(out, ld), "%s at (%d,%d)", wrong.name, i, j)
				out[i*ld+j] = saved
			}
		}
		// Two errors that cancel in the row's sum, and two elements in each other's place.
		out[4*ld+1]++
		out[4*ld+2]--
		out[9*ld+5], out[9*ld+6] = out[9*ld+6]+0, out[9*ld+5]+0
		assert.Equal(t, []int{4, 9}, f.wrongRows(out, ld))
	}
}
