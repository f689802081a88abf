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

// build compiles the stand-in launcher into a new folder, and returns the folder. defines are macros of it.
func build(t *testing.T, defines ...string) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("not run: calling a launcher needs a C compiler, and there is no cc")
	}
	dir := t.TempDir()
	args := []string{"-shared", "-fPIC", "-o", filepath.Join(dir, sgemm.Name+".so"), filepath.Join("testdata", "launcher", sgemm.Name+".c")}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	out, err := exec.Command(cc, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

func TestLaunchPassesEachParameter(t *testing.T) {
	kernel, err := sgemm.Load(build(t, `SOURCE="`+sgemm.SourceHash+`"`))
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

// A library says itself which source it is built from: no file beside it can say another.
func TestLoadRefuses(t *testing.T) {
	dir := build(t, `SOURCE="fedcba9876543210"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, sgemm.Name+".json"), []byte(`{"source_hash": "`+sgemm.SourceHash+`"}`), 0o666))
	_, err := sgemm.Load(dir)
	assert.EqualError(t, err, "sgemm_example: "+filepath.Join(dir, "sgemm_example.so")+
		" is built from source fedcba9876543210, this package is generated with source "+sgemm.SourceHash+": generate and build both again")

	_, err = sgemm.Load(build(t))
	assert.ErrorContains(t, err, "sgemm_example: ")
	assert.ErrorContains(t, err, "undefined symbol: sgemm_example_source")

	_, err = sgemm.Load(t.TempDir())
	assert.ErrorContains(t, err, "sgemm_example.so: cannot open shared object file")
}
