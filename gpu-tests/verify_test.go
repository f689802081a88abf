package gputests

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallScope is all kinds of checks at sizes for a host.
func smallScope() scope {
	s := fullScope()
	s.transposes = slices.DeleteFunc(s.transposes, func(c transposeCase) bool { return c.m*c.n > 1<<14 })
	var gemms []gemmCase
	for i, c := range s.gemms {
		if c.m*c.n*c.k < 1<<19 && i%3 == 0 || c.nan {
			gemms = append(gemms, c)
		}
	}
	s.gemms = gemms
	s.randoms = []gemmCase{
		{m: 65, n: 129, k: 100, coefficients: coefficients{1, 0}},
		{m: 10, n: 7, k: 1000, coefficients: coefficients{-2, 0.5}, pad: [3]int{1, 2, 3}},
	}
	s.repeats = 25
	s.repeatTranspose = transposeCase{m: 103, n: 77, batch: 1, pad: [2]int{3, 2}}
	s.repeatGEMM = gemmCase{m: 51, n: 38, k: 26, coefficients: coefficients{1, 0}, pad: [3]int{1, 2, 3}}
	s.largeTransposes = []transposeCase{{m: 256, n: 512, batch: 1}, {m: 511, n: 513, batch: 1}}
	s.largeGEMMs = []gemmCase{
		{m: 128, n: 96, k: 64, coefficients: coefficients{1, 0}},
		{m: 100, n: 300, k: 50, coefficients: coefficients{-2, 1}},
	}
	return s
}

func TestVerifyPassesWhatIsRight(t *testing.T) {
	d := fakeDevice(t)
	builds := []Build{
		fakeBuild(t, familyTranspose, "plain", 1), fakeBuild(t, familyTranspose, "vector", 4),
		fakeBuild(t, familySGEMM, "nn", 1), fakeBuild(t, familySGEMM, "nt", 4, "TB=1"),
		fakeBuild(t, familySGEMM, "tn", 4, "TA=1"), fakeBuild(t, familySGEMM, "tt", 1, "TA=1", "TB=1"),
	}
	var said []string
	report, err := verify(context.Background(), d, builds, Options{Command: "cutegen verify", Progress: func(s string) { said = append(said, s) }}, smallScope())
	require.NoError(t, err)
	assert.Empty(t, report.Failures)
	assert.Contains(t, said, "vector: edges, 86 cases")

	for _, b := range builds {
		var made []check
		for _, r := range report.Records {
			if r.Kernel == b.Name {
				made = append(made, check{r.Problem, r.Metric})
				assert.Equal(t, "fake H200", r.Device)
				assert.Equal(t, b.SourceHash, r.SourceHash)
				assert.Equal(t, "cutegen verify", r.Command)
				assert.Positive(t, r.Cases)
			}
		}
		assert.ElementsMatch(t, smallScope().checks(b.Family), made, b.Name)
	}
	for _, r := range report.Records {
		switch r.Metric {
		case Failures:
			assert.Zero(t, r.Value, "%s %s", r.Kernel, r.Problem)
		case ErrorOverBound:
			assert.Less(t, r.Value, 1.0, "%s %s", r.Kernel, r.Problem)
			assert.Positive(t, r.MaxError, "%s %s: fp32 sums of random data are not exact", r.Kernel, r.Problem)
		}
	}
	assert.Equal(t, "13.1.2", report.Records[len(report.Records)-1].CUBLAS)
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	d := fakeDevice(t)
	for _, c := range []struct {
		family string
		vector int
		bug    int
		// problem is the check that fails first, what a part of its message.
		problem, what string
	}{
		{familyTranspose, 1, 1, "edges", "elements wrong; the first is "},
		{familyTranspose, 1, 2, "edges", "the padding 1 elements after row 0 of dst: got 0x00000000 = 0, want 0x7fc0dead = NaN (must not be written)"},
		{familyTranspose, 1, 3, "edges", "(never written)"},
		{familyTranspose, 4, 4, "arguments", "the launcher returned CUTEGEN_OK, want CUTEGEN_MISALIGNED"},
		{familyTranspose, 1, 5, "arguments", "the launcher returned CUTEGEN_NULL_POINTER and launched all the same: 1 elements wrong; the first is dst[0](0,0)"},
		{familyTranspose, 1, 6, "edges", "the source was written: 1 elements wrong; the first is src(0,0)"},
		{familyTranspose, 4, 7, "103x77, 25 launches", "1 elements wrong; the first is dst(0,0), in block (0,0) at (0,0): got 0x80000001"},
		{familyTranspose, 1, 8, "edges", "got 0xffca9bcd = NaN, want 0xff8a9bcd = NaN"},
		{familySGEMM, 1, 1, "edges", "elements wrong; the first is C(0,0), in block (0,0) at (0,0): got "},
		{familySGEMM, 1, 2, "edges", "got 0x7fc0dead = NaN"},
		{familySGEMM, 1, 3, "edges", "got 0x7fc0dead = NaN"},
		{familySGEMM, 1, 4, "edges", "the padding 1 elements after row 0 of C"},
		{familySGEMM, 1, 5, "edges", "want 0x7fc00000 = NaN"},
		{familySGEMM, 1, 6, "random", "elements beyond their bound; the first is C(0,0): got "},
		{familySGEMM, 1, 7, "100x300x50", "1 of 100 rows wrong; the first is at C(50,100): got "},
		{familySGEMM, 4, 8, "arguments", "the launcher returned CUTEGEN_OK, want CUTEGEN_NULL_POINTER"},
		{familySGEMM, 1, 9, "edges", "= NaN, want "},
		{familySGEMM, 1, 10, "random", "1000 alpha=-2 beta=0.5"},
	} {
		t.Run(fmt.Sprintf("%s bug %d", c.family, c.bug), func(t *testing.T) {
			name := fmt.Sprintf("wrong%d", c.bug)
			b := fakeBuild(t, c.family, name, c.vector, fmt.Sprintf("BUG=%d", c.bug))
			report, err := verify(context.Background(), d, []Build{b}, Options{}, smallScope())
			require.NoError(t, err)
			i := slices.IndexFunc(report.Failures, func(f Failure) bool { return f.Problem == c.problem })
			require.GreaterOrEqual(t, i, 0, "%v", report.Failures)
			assert.Contains(t, report.Failures[i].Error(), name+", "+c.problem)
			found := ""
			for _, f := range report.Failures {
				if f.Problem == c.problem {
					found += f.Error() + "\n"
				}
			}
			assert.Contains(t, found, c.what)
			i = slices.IndexFunc(report.Records, func(r Record) bool {
				return r.Problem == c.problem && (r.Metric == Failures && r.Value > 0 || r.Value > 1)
			})
			assert.GreaterOrEqual(t, i, 0, "a record of the failure")
		})
	}
}

func TestVerifyQuickLeavesNoRecords(t *testing.T) {
	d := fakeDevice(t)
	builds := []Build{fakeBuild(t, familyTranspose, "plain", 4), fakeBuild(t, familySGEMM, "nn", 4, "BUG=1")}
	report, err := Verify(context.Background(), d, builds, Options{Quick: true})
	require.NoError(t, err)
	assert.Empty(t, report.Records)
	require.NotEmpty(t, report.Failures, "it finds the missing k all the same")
	for _, f := range report.Failures {
		assert.Equal(t, "nn", f.Kernel)
	}
}

func TestVerifyStops(t *testing.T) {
	d := fakeDevice(t)
	b := fakeBuild(t, familyTranspose, "plain", 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Verify(ctx, d, []Build{b}, Options{})
	assert.ErrorIs(t, err, context.Canceled)

	b.Name = "other"
	_, err = Verify(context.Background(), d, []Build{b}, Options{})
	assert.ErrorContains(t, err, "plain.so has no other")
	b.Family = "reduce"
	_, err = Verify(context.Background(), d, []Build{b}, Options{})
	assert.EqualError(t, err, `kernel other: there are no tests for the family "reduce"`)
	b.Family = familySGEMM
	_, err = Verify(context.Background(), d, []Build{b}, Options{})
	assert.EqualError(t, err, `kernel other: its manifest's spec has ops "", want NN, NT, TN or TT`)
}

func TestBaselineMustBeFP32(t *testing.T) {
	d := fakeDevice(t)
	r, err := newRun(context.Background(), d, Options{})
	require.NoError(t, err)
	t.Setenv("FAKE_TF32", "1")
	err = r.close(r.openBLAS())
	assert.ErrorContains(t, err, "is no FP32 baseline: it computes 1.0002441 * 1 = 1")
}
