package gputests

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummary(t *testing.T) {
	us := func(ns ...int) (ts []time.Duration) {
		for _, n := range ns {
			ts = append(ts, time.Duration(n))
		}
		return ts
	}
	assert.Equal(t, timing{40, 0.5}, summary(us(70, 10, 20, 60, 30, 50, 40)), "quartiles 20 and 60")
	assert.Equal(t, timing{40, 0}, summary(us(40, 40, 900, 40, 40, 40, 40)), "one slow sample counts for nothing")
}

func TestSetsFillSixCaches(t *testing.T) {
	const l2 = 60 << 20
	assert.Equal(t, 1, setsFor(l2+1, l2))
	assert.Equal(t, 6, setsFor(l2, l2))
	assert.Equal(t, 45, setsFor(8<<20, l2))
	assert.Equal(t, 4096, setsFor(1<<10, l2))
}

func TestProblemsOfAFamily(t *testing.T) {
	o := Options{Problems: []Problem{{3, 4, 0}, {5, 6, 7}, {8, 9, 0}}}
	assert.Equal(t, []Problem{{3, 4, 0}, {8, 9, 0}}, o.problemsOf(familyTranspose))
	assert.Equal(t, []Problem{{5, 6, 7}}, o.problemsOf(familySGEMM))
	assert.Len(t, o.Problems, 3)
	assert.Equal(t, "8x9", o.Problems[2].String())
	assert.Equal(t, "5x6x7", o.Problems[1].String())
	assert.Contains(t, Options{}.problemsOf(familySGEMM), Problem{4096, 4096, 4096})
	assert.Empty(t, Options{Problems: []Problem{}}.problemsOf(familySGEMM), "none is not the default")
}

// Small enough to rotate through several sets in the fake's cache of 64 KiB, and large enough not to.
var benchProblems = []Problem{{63, 33, 0}, {200, 100, 0}, {40, 30, 20}}

func TestBench(t *testing.T) {
	d := fakeDevice(t)
	builds := []Build{fakeBuild(t, familyTranspose, "vector", 4), fakeBuild(t, familySGEMM, "nt", 4, "TB=1"), fakeBuild(t, familySGEMM, "tn", 1, "TA=1")}
	records, err := Bench(context.Background(), d, builds, Options{Problems: benchProblems, Command: "cutegen bench"})
	require.NoError(t, err)
	type line struct{ kernel, problem, metric, baseline string }
	var lines []line
	for _, r := range records {
		lines = append(lines, line{r.Kernel, r.Problem, r.Metric, r.Baseline})
		assert.Positive(t, r.TimeUS)
		assert.InEpsilon(t, r.Value/r.BaselineValue, r.Ratio, 1e-12)
		assert.Equal(t, "1335 MHz, memory 3201 MHz, 698 of 700 W, limited by SW power cap, SW thermal slowdown", r.Power)
		assert.Equal(t, "13.1.2", r.CUBLAS)
		if r.Kernel == "vector" && r.Problem == "63x33" {
			assert.InEpsilon(t, 2*4*63*33/r.TimeUS*1e-3, r.Value, 1e-9, "bytes read and written in GB/s")
			if r.Baseline == "device copy" {
				assert.InEpsilon(t, 2*65536/r.BaselineTimeUS*1e-3, r.BaselineValue, 1e-9, "the copy is of a multiple of 64 KiB")
			}
		}
		if r.Metric == TFLOPS {
			assert.InEpsilon(t, 2*40*30*20/r.TimeUS*1e-6, r.Value, 1e-9)
		}
	}
	assert.Equal(t, []line{
		{"vector", "63x33", GBPerSecond, "device copy"}, {"vector", "63x33", GBPerSecond, "cublasSgeam"},
		{"vector", "200x100", GBPerSecond, "device copy"}, {"vector", "200x100", GBPerSecond, "cublasSgeam"},
		{"nt", "40x30x20", TFLOPS, "cublasSgemm"}, {"tn", "40x30x20", TFLOPS, "cublasSgemm"},
	}, lines)
}

func TestBenchTimesNothingThatIsWrong(t *testing.T) {
	d := fakeDevice(t)
	_, err := Bench(context.Background(), d, []Build{fakeBuild(t, familyTranspose, "wrong", 1, "BUG=3")}, Options{Problems: benchProblems})
	assert.ErrorContains(t, err, "wrong on 63x33 is not timed, since it differs from cublasSgeam: 63 elements wrong; the first is dst(32,0)")
	_, err = Bench(context.Background(), d, []Build{fakeBuild(t, familySGEMM, "wrong", 1, "BUG=6")}, Options{Problems: []Problem{{9, 8, 3}}})
	assert.ErrorContains(t, err, "wrong on 9x8x3 is not timed, since it differs from cublasSgemm: ")
	b := fakeBuild(t, familySGEMM, "nn", 8)
	_, err = Bench(context.Background(), d, []Build{b}, Options{Problems: []Problem{{20, 20, 20}}})
	assert.ErrorContains(t, err, "nn: a pointer, leading dimension or batch stride breaks the alignment that the kernel's vector width needs (CUTEGEN_MISALIGNED)")
}

func TestCompare(t *testing.T) {
	d := fakeDevice(t)
	pairs := []Pair{
		{fakeBuild(t, familyTranspose, "derived", 4), fakeBuild(t, familyTranspose, "twin", 4)},
		{fakeBuild(t, familySGEMM, "derived_tt", 1, "TA=1", "TB=1"), fakeBuild(t, familySGEMM, "twin_tt", 4, "TA=1", "TB=1")},
	}
	records, err := Compare(context.Background(), d, pairs, Options{Problems: benchProblems})
	require.NoError(t, err)
	require.Len(t, records, 3)
	for i, want := range []struct{ kernel, problem, baseline string }{
		{"derived", "63x33", "twin"}, {"derived", "200x100", "twin"}, {"derived_tt", "40x30x20", "twin_tt"},
	} {
		r := records[i]
		assert.Equal(t, want.kernel, r.Kernel)
		assert.Equal(t, want.problem, r.Problem)
		assert.Equal(t, want.baseline, r.Baseline)
		assert.Equal(t, Microseconds, r.Metric)
		assert.Equal(t, "hash of "+want.kernel, r.SourceHash)
		assert.InEpsilon(t, r.TimeUS/r.BaselineTimeUS, r.Ratio, 1e-12)
	}

	_, err = Compare(context.Background(), d, []Pair{{pairs[0].Derived, pairs[1].Twin}}, Options{})
	assert.EqualError(t, err, "derived is a transpose, and its twin twin_tt a sgemm")
	_, err = Compare(context.Background(), d, []Pair{{pairs[1].Derived, fakeBuild(t, familySGEMM, "twin_nt", 1, "TB=1")}}, Options{})
	assert.EqualError(t, err, "derived_tt computes TT, and its twin twin_nt NT")
	wrong := fakeBuild(t, familyTranspose, "twin", 1, "BUG=8")
	_, err = Compare(context.Background(), d, []Pair{{pairs[0].Derived, wrong}}, Options{Problems: []Problem{{63, 33, 0}}})
	assert.NoError(t, err, "normal data has no NaN: what is wrong with NaNs is Verify's to find")
	wrong = fakeBuild(t, familyTranspose, "twin", 1, "BUG=3")
	_, err = Compare(context.Background(), d, []Pair{{pairs[0].Derived, wrong}}, Options{Problems: []Problem{{63, 33, 0}}})
	assert.ErrorContains(t, err, "derived on 63x33 is not timed, since it differs from twin: ")
}

func TestRaceStopsAndChains(t *testing.T) {
	d := fakeDevice(t)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := newRun(ctx, d, Options{})
	require.NoError(t, err)
	tm, err := r.newTimer()
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.close(nil)) }()
	defer tm.destroy()

	// A launch of 2 ms is timed alone, on all sets in turn.
	var sets []int
	slow := contender{"slow", func(set int) error {
		sets = append(sets, set)
		time.Sleep(2 * time.Millisecond)
		return nil
	}}
	ch, err := tm.chain(slow, 3)
	require.NoError(t, err)
	assert.Equal(t, 1, ch.launches)
	assert.Nil(t, ch.graph)
	for i, s := range sets {
		require.Equal(t, i%3, s)
	}

	// A launch of no time at all is timed in a graph that goes through every set as often.
	count := map[int]int{}
	quick := contender{"quick", func(set int) error { count[set]++; return nil }}
	ch, err = tm.chain(quick, 7)
	require.NoError(t, err)
	require.NotNil(t, ch.graph)
	assert.LessOrEqual(t, ch.launches, mostNodes)
	assert.Greater(t, ch.launches, 1000)
	assert.Len(t, count, 7)

	cancel()
	_, err = tm.race(1, quick)
	assert.ErrorIs(t, err, context.Canceled)
}
