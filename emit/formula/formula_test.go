package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every formula of the table holds, by hand and derived, and the derived one is no longer.
func TestTable(t *testing.T) {
	fs, err := Table()
	require.NoError(t, err)
	require.Len(t, fs, 10)
	shorter := 0
	for _, f := range fs {
		d, err := Derive(f)
		require.NoError(t, err)
		points := 1
		for _, v := range f.Vars {
			points *= v.Extent
		}
		assert.Equal(t, points, d.Points, f.Name)
		assert.LessOrEqual(t, d.Ops, d.HandOps, f.Name)
		if d.Ops < d.HandOps {
			shorter++
		}
	}
	assert.Equal(t, 4, shorter)
}

// A hand's slip is told with the coordinate at which it shows.
func TestDeriveRefuses(t *testing.T) {
	fs, err := Table()
	require.NoError(t, err)
	for _, c := range []struct{ name, old, new, want string }{
		{"transpose, padded", "33", "32", "layout ((32,8),(1,4)):((33,1),(0,8)) is 33 at map[j:0 t:1], but t % 32 * 32 + t / 32 + j * 8 gives 32"},
		{"GEMM, cooperative load", "% 8", "% 16", "is 1 at map[i:0 t:8], but (t + i * 256) % 16 * 128 + (t + i * 256) / 8 gives 1025"},
		{"transpose, swizzled", "^", "|", "at map[j:0 t:33]"},
		{"blocked layout", "r % 4", "r", "is 512 at map[r:4 t:0]"},
		{"grouped order, pid_n", "/ 8", "/ (8", "want an operator or )"},
		{"paged KV cache", "phys", "page", "page has no value"},
	} {
		for _, f := range fs {
			if f.Name != c.name {
				continue
			}
			f.Hand = strings.Replace(f.Hand, c.old, c.new, 1)
			_, err := Derive(f)
			require.ErrorContains(t, err, c.name+": ")
			assert.ErrorContains(t, err, c.want)
		}
	}
	f := fs[0]
	f.Vars = f.Vars[:1]
	_, err = Derive(f)
	assert.ErrorContains(t, err, "has 2 modes and got 1 coordinates")
	f = fs[0]
	f.Vars = []Var{{"t", 257, false}, {"j", 4, true}}
	_, err = Derive(f)
	assert.ErrorContains(t, err, "coordinate t in [0,256] leaves mode 0")
}
