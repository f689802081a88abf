package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Random configurations, most of them impossible: each becomes a kernel or is refused with its reason, and never panics. What is
// accepted spells a name that gives the same source.
func TestRandomSpecs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(ns ...int) int { return ns[r.IntN(len(ns))] }
	// compact deals threads over a grid of rows x cols vectors, evenly if it can.
	compact := func(threads, rows, cols int) string {
		a := pick(1, 2, 4, 8, 16)
		for try := 0; try < 20 && (threads%a != 0 || rows%a != 0 || cols%max(threads/a, 1) != 0); try++ {
			a = pick(1, 2, 3, 4, 8, 16)
		}
		b := max(threads/a, 1)
		if r.IntN(2) == 0 {
			return fmt.Sprintf("(%d,%d):(%d,1)", a, b, b)
		}
		return fmt.Sprintf("(%d,%d):(1,%d)", a, b, a)
	}
	shared := func(rows, cols int, stages string) string {
		pad := pick(0, 0, 1, 4, 5)
		s := fmt.Sprintf("(%d,%d):(%d,1)", rows, cols, cols+pad)
		if stages != "" {
			s = fmt.Sprintf("(%d,%d,2):(1,%d,%d)", rows, cols, rows+pad, (rows+pad)*cols)
		}
		if r.IntN(3) == 0 {
			s = fmt.Sprintf("Sw<%d,%d,%d> o 0 o %s", r.IntN(4), r.IntN(5), r.IntN(7), s)
		}
		return s
	}
	made := 0
	for range 300 {
		var f map[string]string
		if r.IntN(2) == 0 {
			tm, tn, vs, vd, threads := pick(8, 12, 32, 64), pick(8, 20, 32, 64), pick(1, 4), pick(1, 4), pick(16, 32, 64)
			f = map[string]string{
				"family": "transpose", "tile": fmt.Sprintf("(%d,%d)", tm, tn),
				"tS": compact(threads, tm, tn/vs), "vS": fmt.Sprint(vs), "tD": compact(threads, tm/vd, tn), "vD": fmt.Sprint(vd),
				"sT": shared(tm, tn, ""), "minBlocks": "1",
			}
		} else {
			bm, bn, bk, va, vb := pick(16, 32, 64), pick(16, 48, 64), pick(1, 3, 4, 8), pick(1, 4), pick(1, 4)
			ops := []string{"NN", "NT", "TN", "TT"}[r.IntN(4)]
			grid := func(vector int, alongK bool, extent int) string {
				if alongK {
					return compact(16, extent, max(bk/vector, 1))
				}
				return compact(16, extent/vector, bk)
			}
			f = map[string]string{
				"family": "sgemm", "ops": ops, "tile": fmt.Sprintf("(%d,%d,%d)", bm, bn, bk),
				"tA": grid(va, ops[0] == 'N', bm), "vA": fmt.Sprint(va), "tB": grid(vb, ops[1] == 'T', bn), "vB": fmt.Sprint(vb),
				"tC": "((2,2),(4,1)):((4,8),(1,8))", "rC": fmt.Sprintf("(%d,%d)", pick(1, 2, 3, 4), pick(1, 2, 4)), "vC": fmt.Sprint(pick(1, 4)),
				"sA": shared(bm, bk, "2"), "sB": shared(bn, bk, "2"), "minBlocks": "1",
			}
		}
		var e Entry
		err := e.fields(f)
		if err == nil {
			k, err := e.Generate()
			if err == nil {
				made++
				again, err := ParseName(k.Manifest.Name)
				assert.NoError(t, err)
				k2, err := again.Generate()
				assert.NoError(t, err)
				assert.Equal(t, k.Source, k2.Source, "%v", f)
				continue
			}
			assert.False(t, strings.HasPrefix(err.Error(), "bug"), "%v: %v", f, err)
		}
	}
	assert.Greater(t, made, 10, "too few of the random specs are kernels for this test to mean something")
}
