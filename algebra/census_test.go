package algebra

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// universe is every pair of layouts with at most so many modes, of extents 1 to extents and strides 0 to strides.
type universe struct {
	name             string
	extents, strides int
	left, right      int // modes
}

// censusRow counts the pairs of a universe, by whether a layout has the composition's values.
type censusRow struct {
	Pairs, Exists         int
	Ours, CuTe, Pycute    verdicts
	firstWrong, firstLost string // of ours
}

// verdicts counts what a rule got wrong: it gave a layout with other values, or refused although there is one.
type verdicts struct{ Wrong, Lost int }

// TestCompositionCensus: Composition gives a layout exactly if one exists, with the right values. It is short by default:
// 12,000 pairs spread evenly over each universe. With
//
//	make census CENSUS=small
//
// it looks at every pair of that universe (rank2: 615,000 pairs, seconds; small: 17 million pairs, 8 minutes; wide and
// long: over 70 million each; all), and prints the table. Beside ours it counts the rules of CuTe C++ (its static
// conditions) and of pycute, which TestCensusPycuteRule holds against pycute itself. Recorded over all of small (of ours: none
// wrong, none lost):
//
//	                          pairs    exist  CuTe C++ wrong, lost   pycute wrong, lost
//	small, in A's domain   12008833  4201104   1059883   1379679    1272535   1787785
//	small, beyond it        5201535  1420736    233596    589209     302484    604207
func TestCompositionCensus(t *testing.T) {
	complete := os.Getenv("CENSUS")
	table := []string{fmt.Sprintf("%-22s %10s %10s | %17s | %19s | %19s", "A o B", "pairs", "exist", "ours wrong, lost", "CuTe C++", "pycute")}
	for _, u := range []universe{
		{"rank2", 4, 8, 2, 2},
		{"small", 4, 8, 3, 2},
		{"wide", 8, 12, 2, 2},
		{"long", 8, 12, 3, 1},
		{"both", 8, 12, 3, 2}, // 6.6e9 pairs: always a sample
	} {
		sample := 12_000
		if complete == "rank2" && u.name != "rank2" {
			continue
		}
		if u.name != "both" && (complete == u.name || complete == "all") {
			sample = 0
		}
		inside, outside := u.count(sample)
		for i, row := range []censusRow{inside, outside} {
			name := u.name + []string{", in A's domain", ", beyond it"}[i]
			require.Positive(t, row.Exists, name)
			require.Less(t, row.Exists, row.Pairs, name)
			assert.Equal(t, verdicts{}, row.Ours, "%s: first wrong %s, first lost %s", name, row.firstWrong, row.firstLost)
			table = append(table, fmt.Sprintf("%-22s %10d %10d | %8d %8d | %9d %9d | %9d %9d", name, row.Pairs, row.Exists,
				row.Ours.Wrong, row.Ours.Lost, row.CuTe.Wrong, row.CuTe.Lost, row.Pycute.Wrong, row.Pycute.Lost))
		}
		// The rules of the references go wrong both ways, so the census can tell.
		assert.Positive(t, inside.CuTe.Wrong, u.name)
		assert.Positive(t, inside.CuTe.Lost, u.name)
		assert.Positive(t, inside.Pycute.Wrong, u.name)
		assert.Positive(t, inside.Pycute.Lost, u.name)
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// TestCensusPycuteRule: pycuteMode is what pycute does, over every 37th pair of layouts of rank 2. See make census.
func TestCensusPycuteRule(t *testing.T) {
	folder := os.Getenv("PYCUTE")
	if folder == "" {
		t.Skip("PYCUTE is not set: make census")
	}
	u := universe{"rank2", 4, 8, 2, 2}
	modes := u.modes()
	n := power(len(modes), 2)
	var lines strings.Builder
	var pairs [][2]Layout
	for at := 0; at < n*n; at += 37 {
		a, b := pick(modes, at/n, 2), pick(modes, at%n, 2)
		pairs = append(pairs, [2]Layout{a, b})
		fmt.Fprintf(&lines, "%v\t%v\n", a, b)
	}
	answers := strings.Fields(peer(t, folder, "compose", lines.String()))
	require.Len(t, answers, len(pairs))
	for i, p := range pairs {
		coalesced := Coalesce(p[0])
		rule, ok := byRule(coalesced.leaves(), p[1].leaves(), pycuteMode)
		require.Equal(t, answers[i] != "refused", ok, "%v o %v = %s", p[0], p[1], answers[i])
		if ok {
			got := layout(t, answers[i])
			require.Equal(t, offsets(ofModes(rule)), offsets(got), "%v o %v = %s", p[0], p[1], answers[i])
		}
	}
	t.Logf("the rule is pycute's at %d of %d pairs", len(pairs), n*n)
}

// modes lists what a layout of the universe is made of. All modes of extent 1 are one.
func (u universe) modes() []mode {
	modes := []mode{{shape: 1}}
	for n := 2; n <= u.extents; n++ {
		for d := range u.strides + 1 {
			modes = append(modes, mode{shape: n, stride: d})
		}
	}
	return modes
}

// count judges the pairs, or only a sample of them, by whether the right side stays in the left side's domain.
func (u universe) count(sample int) (inside, outside censusRow) {
	modes := u.modes()
	lefts, rights := power(len(modes), u.left), power(len(modes), u.right)
	pairs := lefts * rights
	step := 1
	if sample > 0 {
		step = pairs/sample | 1
	}
	workers := 1
	if sample == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var sum sync.Mutex
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			var in, out censusRow
			for i := w * step; i < pairs; i += step * workers {
				// A sample takes another part of each step, lest it meet the same modes again and again.
				at := i
				if step > 1 {
					at = min(i+i/step*7919%step, pairs-1)
				}
				a, b := pick(modes, at/rights, u.left), pick(modes, at%rights, u.right)
				row := &out
				if reach(b) < a.Size() {
					row = &in
				}
				row.judge(a, b)
			}
			sum.Lock()
			defer sum.Unlock()
			inside.add(in)
			outside.add(out)
		})
	}
	wait.Wait()
	return inside, outside
}

func power(n, k int) int {
	p := 1
	for range k {
		p *= n
	}
	return p
}

// pick is the layout of k modes with the given number.
func pick(modes []mode, number, k int) Layout {
	flat := make([]mode, k)
	for j := range flat {
		flat[j] = modes[number%len(modes)]
		number /= len(modes)
	}
	return ofModes(flat)
}

// reach is the largest offset of a layout with strides of at least 0.
func reach(l Layout) int {
	return l.Cosize() - 1
}

func (r *censusRow) judge(a, b Layout) {
	r.Pairs++
	want := make([]int, b.Size())
	for i := range want {
		want[i] = valueAt(a.leaves(), valueAt(b.leaves(), i))
	}
	exists := false
	for _, extents := range refinements(b) {
		exists = exists || agreement(extents, want) == len(want)
	}
	if exists {
		r.Exists++
	}
	rule := func(v *verdicts, l []mode, ok bool) bool {
		switch {
		case !ok && exists:
			v.Lost++
			return false
		case ok && !given(l, want):
			v.Wrong++
			return false
		}
		return true
	}
	got, err := Composition(a, b)
	if !rule(&r.Ours, got.leaves(), err == nil) {
		text := fmt.Sprintf("%v o %v", a, b)
		if err == nil && r.firstWrong == "" {
			r.firstWrong = text
		}
		if err != nil && r.firstLost == "" {
			r.firstLost = text
		}
	}
	l, ok := byRule(coalesceX(slices.Clone(a.leaves())), b.leaves(), cuteMode)
	rule(&r.CuTe, l, ok)
	coal := Coalesce(a)
	l, ok = byRule(coal.leaves(), b.leaves(), pycuteMode)
	rule(&r.Pycute, l, ok)
}

func (r *censusRow) add(o censusRow) {
	r.Pairs += o.Pairs
	r.Exists += o.Exists
	for _, v := range []struct {
		to *verdicts
		by verdicts
	}{{&r.Ours, o.Ours}, {&r.CuTe, o.CuTe}, {&r.Pycute, o.Pycute}} {
		v.to.Wrong += v.by.Wrong
		v.to.Lost += v.by.Lost
	}
	r.firstWrong = cmp.Or(r.firstWrong, o.firstWrong)
	r.firstLost = cmp.Or(r.firstLost, o.firstLost)
}

// valueAt is the definition of a layout: colexicographic digits times strides, the last unbounded.
func valueAt(flat []mode, position int) int {
	value := 0
	for k, m := range flat {
		digit := position
		if k < len(flat)-1 {
			digit, position = position%m.shape, position/m.shape
		}
		value += digit * m.stride
	}
	return value
}

// refinements lists the extents of every layout that refines b's shape.
func refinements(b Layout) [][]int {
	modes := b.leaves()
	key := [2]int{modes[0].shape, 1}
	if len(modes) > 1 {
		key[1] = modes[1].shape
	}
	return refinementsOf[key]
}

// refinementsOf has the refinements of every shape of two extents up to 8.
var refinementsOf = func() map[[2]int][][]int {
	all := map[[2]int][][]int{}
	for n := 1; n <= 8; n++ {
		for m := 1; m <= 8; m++ {
			for _, front := range factorizations(n) {
				for _, back := range factorizations(m) {
					all[[2]int{n, m}] = append(all[[2]int{n, m}], slices.Concat(front, back))
				}
			}
		}
	}
	return all
}()

// given tells whether the flat modes have the offsets.
func given(flat []mode, want []int) bool {
	size := 1
	for _, m := range flat {
		size *= m.shape
	}
	if size != len(want) {
		return false
	}
	for i, w := range want {
		if valueAt(flat, i) != w {
			return false
		}
	}
	return true
}

// byRule composes mode by mode.
func byRule(a, b []mode, one func(a []mode, m mode) ([]mode, bool)) (all []mode, ok bool) {
	for _, m := range b {
		part, ok := one(a, m)
		if !ok {
			return nil, false
		}
		all = append(all, part...)
	}
	return all, true
}

// cuteMode is CuTe C++'s composition_impl with its static conditions (CUTLASS 4.7, layout.hpp).
func cuteMode(a []mode, m mode) (result []mode, ok bool) {
	if m.stride == 0 {
		return []mode{m}, true
	}
	n, d := m.shape, m.stride
	last := len(a) - 1
	for _, through := range a[:last] {
		if d%through.shape != 0 && d >= through.shape {
			return nil, false
		}
		next := ceil(through.shape, d)
		if next != 1 && n != 1 {
			take := min(next, n)
			if n%take != 0 {
				return nil, false
			}
			result = append(result, mode{shape: take, stride: d * through.stride})
			n /= take
		}
		d = ceil(d, through.shape)
	}
	if len(result) == 0 || n > 1 {
		result = append(result, mode{shape: n, stride: d * a[last].stride})
	}
	return result, true
}

// pycuteMode is pycute's composition (CUTLASS 4.7, layout.py).
func pycuteMode(a []mode, m mode) (result []mode, ok bool) {
	if m.stride == 0 {
		return []mode{m}, true
	}
	n, d := m.shape, m.stride
	last := len(a) - 1
	for _, through := range a[:last] {
		if through.shape%d != 0 && d%through.shape != 0 {
			return nil, false
		}
		take := min(max(1, through.shape/d), n)
		if take != 1 {
			result = append(result, mode{shape: take, stride: d * through.stride})
		}
		n /= take
		d = ceil(d, through.shape)
	}
	if n != 1 || len(result) == 0 {
		result = append(result, mode{shape: n, stride: d * a[last].stride})
	}
	return result, true
}
