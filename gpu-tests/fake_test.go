package gputests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/gpu"
	"cutegen/kernels"
)

// TestMain runs the tests in a second process whose loader finds the fake libraries of package gpu, also on a machine that has a GPU: what is
// tested here is whether Verify finds what is wrong, with kernels that are wrong in known ways.
func TestMain(m *testing.M) {
	if os.Getenv(fakeVariable) != "" {
		os.Exit(m.Run())
	}
	if _, err := exec.LookPath("cc"); err != nil {
		fmt.Println("tests on the fake GPU are skipped: they need a C compiler, and there is no cc")
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "cutegen")
	if err != nil {
		panic(err)
	}
	for source, library := range map[string]string{"cuda.c": "libcuda.so.1", "cublas.c": "libcublas.so.13", "nvml.c": "libnvidia-ml.so.1"} {
		if err := compileC(filepath.Join("..", "gpu", "testdata", "fake", source), filepath.Join(dir, library)); err != nil {
			panic(err)
		}
	}
	self := exec.Command(os.Args[0], os.Args[1:]...)
	self.Env = append(os.Environ(), fakeVariable+"="+dir, "LD_LIBRARY_PATH="+dir)
	self.Stdout, self.Stderr = os.Stdout, os.Stderr
	err = self.Run()
	os.RemoveAll(dir)
	if err != nil && self.ProcessState == nil {
		panic(err)
	}
	os.Exit(self.ProcessState.ExitCode())
}

const fakeVariable = "CUTEGEN_FAKE_GPU"

func compileC(source, library string, defines ...string) error {
	args := []string{"-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, source, "-lm"}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	out, err := exec.Command("cc", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", source, err, out)
	}
	return nil
}

// fakeDevice opens the fake GPU.
func fakeDevice(t *testing.T) *gpu.Device {
	if os.Getenv(fakeVariable) == "" {
		t.Skip("not run: needs a C compiler, and there is no cc")
	}
	d, err := gpu.Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

// fakeBuild compiles a launcher of testdata/launcher as the kernel name.
func fakeBuild(t *testing.T, family, name string, vector int, defines ...string) Build {
	library := filepath.Join(t.TempDir(), name+".so")
	source := "hash of " + name
	defines = append(defines, "NAME="+name, fmt.Sprintf("V=%d", vector), fmt.Sprintf("SOURCE=%q", source))
	require.NoError(t, compileC(filepath.Join("testdata", "launcher", family+".c"), library, defines...))
	m := kernels.Manifest{Name: name, Family: family, SourceHash: source}
	pointers, lds := []string{"src", "dst"}, []string{"ld_src", "ld_dst", "batch_stride_src", "batch_stride_dst"}
	m.Launch = kernels.Launch{Tile: []int{32, 32}, Grid: "x: row tiles, y: column tiles, z: batch"}
	if family == familySGEMM {
		pointers, lds = []string{"A", "B", "C"}, []string{"lda", "ldb", "ldc"}
		m.Launch = kernels.Launch{Tile: []int{128, 128, 8}, Grid: "x: tiles along M, y: tiles along N"}
		ops := []byte("NN")
		for i, define := range []string{"TA=1", "TB=1"} {
			if strings.Contains(strings.Join(defines, " "), define) {
				ops[i] = 'T'
			}
		}
		m.Spec = map[string]string{"ops": string(ops)}
	}
	if vector > 1 {
		for _, p := range pointers {
			m.Alignment = append(m.Alignment, kernels.Alignment{Param: p, Multiple: 4 * vector, Unit: "bytes"})
		}
		for _, p := range lds {
			m.Alignment = append(m.Alignment, kernels.Alignment{Param: p, Multiple: vector, Unit: "elements"})
		}
	}
	return Build{m, library}
}
