package gputests

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
		if c.m*c.n*c.k < 1<<17 && i%3 == 0 || c.nan {
			gemms = append(gemms, c)
		}
	}
	s.gemms = gemms
	s.randoms = []gemmCase{
		{m: 65, n: 129, k: 100, coefficients: coefficients{1, 0}},
		{m: 10, n: 7, k: 1000, coefficients: coefficients{-2, 0.5}, pad: [3]int{1, 2, 3}},
	}
	s.widest = false
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
		{familyTranspose, 1, 6, "edges", "src was written: 1 elements wrong; the first is src(0,0)"},
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
	builds := []Build{fakeBuild(t, familyTranspose, "plain", 4), fakeBuild(t, familySGEMM, "nn", 4, "BUG=3")}
	report, err := Verify(context.Background(), d, builds, Options{Quick: true})
	require.NoError(t, err)
	assert.Empty(t, report.Records)
	require.NotEmpty(t, report.Failures, "it finds that A and B are read although alpha is 0")
	for _, f := range report.Failures {
		assert.Equal(t, "nn", f.Kernel)
	}
}

// hostLaunchers are right, but for what variables of the environment plant into them.
func hostLaunchers(t *testing.T) []Build {
	return []Build{
		fakeBuild(t, familyTranspose, "transpose_v1", 1), fakeBuild(t, familyTranspose, "transpose_v4", 4),
		fakeBuild(t, familySGEMM, "nn_v1", 1), fakeBuild(t, familySGEMM, "nn_v4", 4),
		fakeBuild(t, familySGEMM, "tn_v4", 4, "TA=1"), fakeBuild(t, familySGEMM, "tt_v4", 4, "TA=1", "TB=1"),
	}
}

// Reads that no result shows, in launchers that watch their own reads as a sanitizer watches a kernel's.
func TestQuickShowsStrayReadsToASanitizer(t *testing.T) {
	d := fakeDevice(t)
	builds := hostLaunchers(t)
	transposes, gemms := []string{"transpose_v1", "transpose_v4"}, []string{"nn_v1", "nn_v4", "tn_v4", "tt_v4"}
	const none, memcheck, initcheck = "0", "1", "2"
	for _, c := range []struct {
		bugs []string
		tool string
		// seen are the kernels that are caught.
		seen []string
	}{
		{nil, memcheck, nil},
		{nil, initcheck, nil},
		{[]string{"guard of columns", "guard of rows", "guard of A", "guard of B"}, none, nil},
		{[]string{"guard of columns", "guard of A"}, memcheck, slices.Concat(transposes, gemms)},
		{[]string{"guard of columns", "guard of A"}, initcheck, slices.Concat(transposes, gemms)},
		{[]string{"guard of rows", "guard of B"}, memcheck, slices.Concat(transposes, gemms)},
		{[]string{"guard of B"}, initcheck, gemms},
	} {
		t.Run(fmt.Sprintf("%v, sanitizer %s", c.bugs, c.tool), func(t *testing.T) {
			for _, bug := range c.bugs {
				t.Setenv(bug, "1")
			}
			t.Setenv("sanitizer", c.tool)
			report, err := Verify(context.Background(), d, builds, Options{Quick: true})
			require.NoError(t, err)
			var seen []string
			for _, f := range report.Failures {
				seen = append(seen, f.Kernel)
				assert.Regexp(t, "^the launcher returned cudaError_t 70[01], want CUTEGEN_OK$", f.What)
			}
			assert.Equal(t, c.seen, slices.Compact(seen))
		})
	}
}

// Every limit of the launchers lets one value too many pass, then one too few.
func TestVerifyFindsEachLimitThatIsOffByOne(t *testing.T) {
	d := fakeDevice(t)
	builds := map[string]Build{}
	for _, b := range hostLaunchers(t) {
		builds[b.Name] = b
	}
	s := scope{
		transposes: slices.DeleteFunc(transposeCases(), func(c transposeCase) bool { return c.m*c.n > 1<<11 }),
		gemms:      slices.DeleteFunc(gemmCases(), func(c gemmCase) bool { return c.m*c.n*c.k > 1<<12 }),
	}
	const edge = ""
	for _, c := range []struct {
		kernel, limit string
		// tooMany and tooFew are the cases that show it; edge is any of the edges, which must be accepted.
		tooMany, tooFew string
	}{
		{"transpose_v1", "least ld_src", "N = 0 and ld_src = 0", "N = 0 and ld_src = 1"},
		{"transpose_v1", "least ld_dst", "M = 0 and ld_dst = 0", "M = 0 and ld_dst = 1"},
		{"transpose_v4", "row of ld_src", "ld_src = N - 1", edge},
		{"transpose_v4", "row of ld_dst", "ld_dst = M - 1", edge},
		{"transpose_v1", "alignment of src", "src misaligned by 2 bytes", edge},
		{"transpose_v4", "alignment of src", "src misaligned by 8 bytes", edge},
		{"transpose_v4", "alignment of dst", "dst misaligned by 8 bytes", edge},
		{"transpose_v4", "alignment of ld_src", "ld_src misaligned by 2 elements", edge},
		{"transpose_v4", "batch with alignments", "batch_stride_dst misaligned by 1 elements", edge},
		{"transpose_v1", "reach of ld_src", "ld_src = 67108863, the first beyond the limit", "ld_src = 67108862, the last within the limit"},
		{"transpose_v4", "reach of ld_src", "ld_src = 67108864, the first beyond the limit", "ld_src = 67108860, the last within the limit"},
		{"transpose_v4", "reach of ld_dst", "ld_dst = 67108864, the first beyond the limit", "ld_dst = 67108860, the last within the limit"},
		{"transpose_v4", "tiles along N", "N = 2097121, the first beyond the limit", "N = 2097120, the last within the limit"},
		{"transpose_v4", "batch in the grid", "batch = 65536, the first beyond the limit", "batch = 65535, the last within the limit"},
		{"transpose_v1", "overlap", "M = 21 and batch_stride_dst one element short of a matrix", edge},
		{"transpose_v4", "overlap", "M = 21 and batch_stride_dst one element short of a matrix", edge},

		{"nn_v1", "least lda", "K = 0 and lda = 0", edge},
		{"nn_v4", "least ldb", "N = 0 and ldb = 0", edge},
		{"nn_v1", "least ldc", "N = 0 and ldc = 0", edge},
		{"tn_v4", "least lda", "M = 0 and lda = 0", edge},
		{"nn_v4", "row of lda", "lda = K - 1", edge},
		{"nn_v4", "row of ldb", "ldb = N - 1", edge},
		{"nn_v4", "row of ldc", "ldc = N - 1", edge},
		{"tn_v4", "row of lda", "lda = M - 1", edge},
		{"tt_v4", "row of ldb", "ldb = K - 1", edge},
		{"nn_v4", "K with A and B", "K = 1, A null", edge},
		{"nn_v4", "K with alignments", "K = 1, A misaligned by 4 bytes", edge},
		{"nn_v1", "alignment of A", "A misaligned by 2 bytes", edge},
		{"nn_v4", "alignment of A", "A misaligned by 8 bytes", edge},
		{"nn_v4", "alignment of lda", "lda misaligned by 2 elements", edge},
		{"nn_v4", "alignment of C", "C misaligned by 8 bytes", edge},
		{"nn_v4", "reach of M", "M = 2147483393, the first beyond the limit", "M = 2147483392, the last within the limit"},
		{"tn_v4", "reach of K", "K = 2147483633, the first beyond the limit", "K = 2147483632, the last within the limit"},
		{"nn_v1", "reach of lda", "alpha = 0, lda = 16777216, the first beyond the limit", "alpha = 0, lda = 16777215, the last within the limit"},
		{"nn_v4", "reach of lda", "alpha = 0, lda = 16777216, the first beyond the limit", "alpha = 0, lda = 16777215, the last within the limit"},
		{"tt_v4", "reach of lda", "alpha = 0, lda = 268435440, the first beyond the limit", "alpha = 0, lda = 268435439, the last within the limit"},
		{"nn_v4", "reach of ldb", "alpha = 0, ldb = 268435440, the first beyond the limit", "alpha = 0, ldb = 268435439, the last within the limit"},
		{"tt_v4", "reach of ldb", "alpha = 0, ldb = 16777216, the first beyond the limit", "alpha = 0, ldb = 16777215, the last within the limit"},
		{"nn_v4", "reach of ldc", "ldc = 16777216, the first beyond the limit", "ldc = 16777212, the last within the limit"},
	} {
		for by, want := range map[string]string{"1": c.tooMany, "-1": c.tooFew} {
			t.Run(c.kernel+", "+c.limit+", "+by, func(t *testing.T) {
				t.Setenv(c.limit, by)
				report, err := verify(context.Background(), d, []Build{builds[c.kernel]}, Options{}, s)
				require.NoError(t, err)
				assert.True(t, slices.ContainsFunc(report.Failures, func(f Failure) bool {
					if want == edge {
						return f.Problem == edgesProblem && strings.HasSuffix(f.What, ", want CUTEGEN_OK")
					}
					return f.Problem == argumentsProblem && f.Case == want
				}), "%s: %v", want, report.Failures)
			})
		}
	}
}

// Within the limit of the grid a GEMM is launched: there is nothing else to refuse.
func TestVerifyFindsAGridThatEndsTooEarly(t *testing.T) {
	d := fakeDevice(t)
	b := fakeBuild(t, familySGEMM, "nn", 4, "TILE=4")
	b.Launch.Tile = []int{4, 4, 8}
	s := scope{widest: true}
	report, err := verify(context.Background(), d, []Build{b}, Options{}, s)
	require.NoError(t, err)
	assert.Empty(t, report.Failures)
	i := slices.IndexFunc(report.Records, func(r Record) bool { return r.Problem == edgesProblem })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, 1, report.Records[i].Cases)

	t.Setenv("tiles along N", "-1")
	report, err = verify(context.Background(), d, []Build{b}, Options{}, s)
	require.NoError(t, err)
	require.NotEmpty(t, report.Failures)
	assert.Equal(t, Failure{"nn", edgesProblem, "M=1 N=262140 K=0 alpha=1 beta=0, ld+[0 0 0], offset [0 0 0], A and B null",
		"the launcher returned CUTEGEN_GRID_LIMIT, want CUTEGEN_OK"}, report.Failures[len(report.Failures)-1])

	t.Setenv("tiles along N", "1")
	report, err = verify(context.Background(), d, []Build{b}, Options{}, s)
	require.NoError(t, err)
	require.NotEmpty(t, report.Failures)
	assert.Equal(t, Failure{"nn", argumentsProblem, "65536 tiles along N", "the launcher returned cudaError_t 9, want CUTEGEN_GRID_LIMIT"}, report.Failures[0])
}

func TestVerifyStops(t *testing.T) {
	d := fakeDevice(t)
	b := fakeBuild(t, familyTranspose, "plain", 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Verify(ctx, d, []Build{b}, Options{})
	assert.ErrorIs(t, err, context.Canceled)

	b.SourceHash = "hash of a later source"
	_, err = Verify(context.Background(), d, []Build{b}, Options{})
	assert.ErrorContains(t, err, "plain.so is built from source hash of plain, not from hash of a later source: build it again")
	b.Name, b.SourceHash = "other", ""
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
