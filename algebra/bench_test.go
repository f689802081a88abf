package algebra

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// call is one call of an operation, as a GEMM makes it. run makes it n times.
type call struct {
	op   string
	args []string
	what string
	run  func(n int)
}

// used keeps results alive.
var used int

// calls lists typical calls: tiles of 128x64 and 128x128, their thread-value layouts, and those of the m16n8k16
// instruction. Both sides get layouts that are made already.
func calls() []call {
	var all []call
	for _, c := range []struct{ a, b, what string }{
		{"(128,64):(64,1)", "((32,4),(8,8)):((1,32),(128,1024))", "a tile by threads and values"},
		{"(128,8):(1,132)", "((2,128),(4,1)):((512,1),(128,0))", "a padded shared tile by threads and vectors"},
		{"(16,16):(1,16)", "((4,8),(2,2,2)):((32,1),(16,8,128))", "operand A of m16n8k16"},
		{"(128,128):(128,1)", "((16,16),(8,8)):((8,1024),(1,128))", "a tile of C by 256 threads"},
		{"((8,16),(64,2)):((64,512),(1,8192))", "((8,16),64):((1,8),128)", "a tile of shared-memory atoms by rows"},
	} {
		a, b := MustLayout(c.a), MustLayout(c.b)
		all = append(all, call{"composition", []string{c.a, c.b}, c.what, func(n int) {
			for range n {
				r, _ := Composition(a, b)
				used += r.n
			}
		}})
	}
	for _, c := range []struct {
		l    string
		n    int
		what string
	}{
		{"(4,8):(1,32)", 1024, "threads of a warp"},
		{"((4,8),(2,2)):((64,1),(32,8))", 4096, "operand B of m16n8k16"},
		{"((4,8),(2,2,2)):((32,1),(16,8,128))", 4096, "operand A of m16n8k16"},
		{"((16,16),(8,8)):((8,2048),(1,256))", 131072, "a tile of C inside a larger one"},
	} {
		l, cotarget := MustLayout(c.l), c.n
		all = append(all, call{"complement", []string{c.l, strconv.Itoa(c.n)}, c.what, func(n int) {
			for range n {
				r, _ := Complement(l, cotarget)
				used += r.n
			}
		}})
	}
	byTiler := func(op string, do func(Layout, Tiler) (Layout, error), l, t, what string) {
		a := MustLayout(l)
		u, err := ParseTiler(t)
		if err != nil {
			panic(err)
		}
		all = append(all, call{op, []string{l, t}, what, func(n int) {
			for range n {
				r, _ := do(a, u)
				used += r.n
			}
		}})
	}
	byTiler("logical_divide", LogicalDivide, "(128,64):(64,1)", "(32:1,16:1)", "a tile into tiles")
	byTiler("logical_divide", LogicalDivide, "(4096,4096):(4096,1)", "(128:1,64:1)", "a matrix into tiles")
	byTiler("logical_divide", LogicalDivide, "((8,16),(64,2)):((64,512),(1,8192))", "(64:1,32:1)", "shared-memory atoms into tiles")
	byTiler("logical_divide", LogicalDivide, "8192:1", "((4,8),(2,2)):((64,1),(32,8))", "a tile by operand B of m16n8k16")
	for _, c := range []struct{ l, what string }{
		{"((2,128),(4,1)):((512,1),(128,0))", "threads and vectors"},
		{"((32,4),(8,8)):((1,32),(128,1024))", "threads and values, one run"},
		{"((4,8),(2,2,2)):((32,1),(16,8,128))", "operand A of m16n8k16"},
		{"((8,16),(64,2)):((64,512),(1,8192))", "a tile of shared-memory atoms"},
		{"((16,16),(8,8),(1,1)):((8,1024),(1,128),(0,0))", "a tile of C with its repeats"},
	} {
		l := MustLayout(c.l)
		all = append(all, call{"coalesce", []string{c.l}, c.what, func(n int) {
			for range n {
				used += Coalesce(l).n
			}
		}})
	}
	byTiler("zipped_divide", ZippedDivide, "(4096,4096):(4096,1)", "(128:1,64:1)", "a matrix into tiles")
	byTiler("logical_product", LogicalProduct, "(4,8):(8,1)", "(4,2):(1,4)", "a warp over a tile")
	for _, c := range []struct{ l, what string }{{"((16,16),(8,8)):((8,1024),(1,128))", "a tile of C"}} {
		l := MustLayout(c.l)
		all = append(all, call{"right_inverse", []string{c.l}, c.what, func(n int) {
			for range n {
				r, _ := RightInverse(l)
				used += r.n
			}
		}})
	}
	return all
}

func BenchmarkCalls(b *testing.B) {
	for _, c := range calls() {
		b.Run(c.op+" "+strings.Join(c.args, " "), func(b *testing.B) {
			b.ReportAllocs()
			c.run(b.N)
		})
	}
}

// TestPeer times the calls beside pycute, on one machine in one run: each at its best of several repeats. It fails if
// composition, complement, logical_divide or coalesce is not 200 times as fast, as the geometric mean of its calls, or if a
// composition takes a microsecond. PYCUTE is the folder that has pycute: see make bench-algebra.
func TestPeer(t *testing.T) {
	folder := os.Getenv("PYCUTE")
	if folder == "" {
		t.Skip("PYCUTE is not set: make bench-algebra")
	}
	all := calls()
	var lines strings.Builder
	for _, c := range all {
		fmt.Fprintf(&lines, "%s\t%s\n", c.op, strings.Join(c.args, "\t"))
	}
	theirs := strings.Fields(peer(t, folder, "time", lines.String()))
	require.Len(t, theirs, len(all))
	table := []string{fmt.Sprintf("%-15s %-86s %7s %6s %10s %7s", "operation", "call", "Go ns", "allocs", "pycute us", "ratio")}
	logs, counts := map[string]float64{}, map[string]float64{}
	for i, c := range all {
		us, err := strconv.ParseFloat(theirs[i], 64)
		require.NoError(t, err)
		ns := math.Inf(1)
		allocs := testing.AllocsPerRun(100, func() { c.run(1) })
		for range 5 {
			r := testing.Benchmark(func(b *testing.B) { c.run(b.N) })
			ns = min(ns, float64(r.T.Nanoseconds())/float64(r.N))
		}
		ratio := us * 1000 / ns
		logs[c.op] += math.Log(ratio)
		counts[c.op]++
		if c.op == "composition" {
			require.Less(t, ns, 1000.0, "%s %v", c.op, c.args)
		}
		table = append(table, fmt.Sprintf("%-15s %-86s %7.1f %6.0f %10.2f %7.0f", c.op, strings.Join(c.args, "  "), ns, allocs, us, ratio))
	}
	for _, op := range []string{"composition", "complement", "logical_divide", "coalesce"} {
		mean := math.Exp(logs[op] / counts[op])
		table = append(table, fmt.Sprintf("%-15s geometric mean %.0f times pycute, wanted are 200", op, mean))
		if mean < 200 {
			t.Errorf("%s: %.0f times pycute, wanted are 200", op, mean)
		}
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// peer runs pycute over the lines.
func peer(t *testing.T, folder, command, lines string) string {
	t.Helper()
	c := exec.Command("python3", "-B", "peers/pycute_peer.py", command)
	c.Env = append(os.Environ(), "PYTHONPATH="+folder)
	c.Stdin = strings.NewReader(lines)
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return string(out)
}

// TestNoAllocationPerElement: what visits every element of a layout allocates for none.
func TestNoAllocationPerElement(t *testing.T) {
	l := MustLayout("((4,8),(2,2,2),(3,5)):((32,1),(16,8,128),(256,768))")
	for _, c := range []struct {
		name string
		want float64
		run  func()
	}{
		{"At", 0, func() {
			for i := range l.Size() {
				used += l.At(i)
			}
		}},
		{"Composed.At", 0, func() {
			c := Composed{Swizzle{3, 4, 3}, 0, l}
			for i := range l.Size() {
				used += c.At(i)
			}
		}},
		{"Index by an integer", 0, func() {
			for i := range l.Size() {
				at, _ := l.Index(Int(i))
				used += at
			}
		}},
		{"Cosize", 0, func() { used += l.Cosize() }},
	} {
		require.Equal(t, c.want, testing.AllocsPerRun(3, c.run), c.name)
	}
	coord := MustLayout("((4,8),(2,2,2)):((32,1),(16,8,128))").Coord(77)
	m := MustLayout("((4,8),(2,2,2)):((32,1),(16,8,128))")
	require.Zero(t, testing.AllocsPerRun(3, func() {
		at, _ := m.Index(coord)
		used += at
	}), "Index by a coordinate")
	// Looking keeps the values, in lists that double: a few allocations for a thousand times as many elements.
	looked := func(extent int) float64 {
		b := []mode{{shape: 4, stride: 1}, {shape: extent, stride: 4}}
		a := []mode{{shape: 4 * extent, stride: 3}}
		return testing.AllocsPerRun(3, func() {
			_, no := look(a, b)
			require.Nil(t, no)
		})
	}
	require.Less(t, looked(8000), looked(8)+16, "look")
}
