package bind_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sgemm "cutegen/emit/bind/testdata/golden/sgemm_example"
)

// build compiles the stand-in launcher into a new folder, with a manifest of the given hash, and returns the folder.
func build(t *testing.T, hash string) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("not run: calling a launcher needs a C compiler, and there is no cc")
	}
	dir := t.TempDir()
	out, err := exec.Command(cc, "-shared", "-fPIC", "-o", filepath.Join(dir, sgemm.Name+".so"),
		filepath.Join("testdata", "launcher", sgemm.Name+".c")).CombinedOutput()
	require.NoError(t, err, string(out))
	manifest := `{"source_hash": "` + hash + `"}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, sgemm.Name+".json"), []byte(manifest), 0o666))
	return dir
}

func TestLaunchPassesEachParameter(t *testing.T) {
	kernel, err := sgemm.Load(build(t, sgemm.SourceHash))
	require.NoError(t, err)
	launch := func(M int64, beta float32, stream uintptr) error {
		return kernel.Launch(M, 5, 7, 1.5, 0x7f0000001000, 8, 0x7f0000002000, 9, beta, 0x7f0000003000, 11, stream)
	}
	assert.NoError(t, launch(3<<40, -0.25, 0x12))

	err = launch(-1, -0.25, 0x12)
	assert.ErrorIs(t, err, sgemm.NegativeSize)
	assert.EqualError(t, err,
		"sgemm_example: an extent, leading dimension or batch stride is negative (CUTEGEN_NEGATIVE_SIZE)")

	assert.EqualError(t, launch(3<<40, 0.25, 0x12), "sgemm_example: cudaError_t 9")
	assert.EqualError(t, launch(3<<40, -0.25, 0x13), "sgemm_example: cudaError_t 12")
	assert.EqualError(t, sgemm.Status(-99), "sgemm_example: unknown status -99")
}

func TestLoadRefuses(t *testing.T) {
	dir := build(t, "fedcba9876543210")
	_, err := sgemm.Load(dir)
	assert.ErrorContains(t, err, "is built from source fedcba9876543210, this package is generated with source "+sgemm.SourceHash)

	manifest := filepath.Join(dir, sgemm.Name+".json")
	require.NoError(t, os.WriteFile(manifest, []byte("{"), 0o666))
	_, err = sgemm.Load(dir)
	assert.ErrorContains(t, err, "sgemm_example: manifest: unexpected end of JSON input")

	require.NoError(t, os.Remove(manifest))
	_, err = sgemm.Load(dir)
	assert.ErrorIs(t, err, os.ErrNotExist)

	dir = build(t, sgemm.SourceHash)
	require.NoError(t, os.Remove(filepath.Join(dir, sgemm.Name+".so")))
	_, err = sgemm.Load(dir)
	assert.ErrorContains(t, err, sgemm.Name+".so")
}
