package gputests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
)

// committed is the committed source of the bindings' kernel whose name begins so.
func committed(t *testing.T, prefix string) Source {
	t.Helper()
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("not run: needs a C++ compiler, and there is no c++")
	}
	files, err := filepath.Glob(filepath.Join("bindings", prefix+"*.cu"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	var s Source
	s.CUDA, err = os.ReadFile(files[0])
	require.NoError(t, err)
	manifest, err := os.ReadFile(strings.TrimSuffix(files[0], ".cu") + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(manifest, &s.Manifest))
	return s
}

func TestEmulatePassesWhatIsRight(t *testing.T) {
	var said []string
	sources := []Source{committed(t, familyTranspose), committed(t, familySGEMM)}
	report, err := Emulate(t.Context(), sources, Options{Progress: func(line string) { said = append(said, line) }})
	require.NoError(t, err)
	assert.Empty(t, report.Failures)
	assert.Empty(t, report.Records)
	assert.Contains(t, said, sources[1].Name+": running")
}

// Each text of a generated source that a person could get wrong, got wrong.
func TestEmulateFindsWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		family, name, old, new string
		problem, what          string
	}{
		{familyTranspose, "no barrier", "__syncthreads();", "", edgesProblem, "= NaN, want "},
		{familyTranspose, "shared array one short", "sT[4096]", "sT[4095]", edgesProblem, "global-buffer-overflow: WRITE of size 16 in put4"},
		{familyTranspose, "a guard admits a row more", "dn < N", "dn <= N", edgesProblem, "heap-buffer-overflow: WRITE of size 4 in transpose_"},
		{familySGEMM, "no barrier in the loop", "        __syncthreads();\n    }", "    }", edgesProblem, "elements wrong; the first is C("},
		{familySGEMM, "a load admits a k more", "ak + k0 < K", "ak + k0 <= K", edgesProblem, "heap-buffer-overflow: READ of size 4 in "},
		{familySGEMM, "a store admits a column more", "if (cn + 3 < N) p[3] = acc[3]", "if (cn + 2 < N) p[3] = acc[3]", edgesProblem, "the padding 1 elements after row 0 of C"},
		{familySGEMM, "ldc one short is accepted", "ldc < N) return", "ldc < N - 1) return", argumentsProblem, "want CUTEGEN_LEADING_DIMENSION"},
	} {
		t.Run(c.family+", "+c.name, func(t *testing.T) {
			t.Parallel()
			s := committed(t, c.family)
			require.Contains(t, string(s.CUDA), c.old)
			s.CUDA = []byte(strings.Replace(string(s.CUDA), c.old, c.new, 1))
			report, err := Emulate(t.Context(), []Source{s}, Options{})
			require.NoError(t, err)
			require.NotEmpty(t, report.Failures)
			all := ""
			for _, f := range report.Failures {
				all += f.Error() + "\n"
			}
			assert.Contains(t, all, s.Name+", "+c.problem)
			assert.Contains(t, all, c.what)
		})
	}
}

func TestEmulateRefusesOtherFamilies(t *testing.T) {
	s := committed(t, familyTranspose)
	s.Manifest = kernels.Manifest{Name: s.Name, Family: "reduction"}
	_, err := Emulate(t.Context(), []Source{s}, Options{})
	require.EqualError(t, err, s.Name+`: there are no tests for the family "reduction"`)
}
