package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakes are the stand-ins in testdata/fake and the names under which the loader finds them.
var fakes = map[string]string{
	"cuda.c": driverLibrary, "cublas.c": blasLibrary, "nvml.c": nvmlLibrary, "launchers.c": "launchers.so",
}

// TestMain runs the tests in a second process whose loader finds the fakes, also on a machine that has a GPU: what is tested here is how
// each call passes its arguments, and that must not depend on the machine.
func TestMain(m *testing.M) {
	const variable = "CUTEGEN_FAKE_GPU"
	if os.Getenv(variable) != "" {
		os.Exit(m.Run())
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		fmt.Println("tests on the fake GPU are skipped: they need a C compiler, and there is no cc")
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "cutegen")
	if err != nil {
		panic(err)
	}
	for source, library := range fakes {
		out, err := exec.Command(cc, "-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, library), filepath.Join("testdata", "fake", source)).CombinedOutput()
		if err != nil {
			panic(fmt.Sprintf("%s: %v\n%s", source, err, out))
		}
	}
	self := exec.Command(os.Args[0], os.Args[1:]...)
	self.Env = append(os.Environ(), variable+"="+dir, "LD_LIBRARY_PATH="+dir)
	self.Stdout, self.Stderr = os.Stdout, os.Stderr
	err = self.Run()
	os.RemoveAll(dir)
	if err != nil && self.ProcessState == nil {
		panic(err)
	}
	os.Exit(self.ProcessState.ExitCode())
}

// fake is the folder of the fake libraries.
func fake(t *testing.T) string {
	dir := os.Getenv("CUTEGEN_FAKE_GPU")
	if dir == "" {
		t.Skip("not run: needs a C compiler, and there is no cc")
	}
	return dir
}

// device opens the fake GPU and a stream.
func device(t *testing.T) (*Device, *Stream) {
	fake(t)
	d, err := Open()
	require.NoError(t, err)
	s, err := d.Stream()
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, s.Destroy())
		assert.NoError(t, d.Close())
	})
	return d, s
}

func TestNoDriverIsNoGPU(t *testing.T) {
	dir := t.TempDir()
	_, err := loadDriver("libcutegen-no-such.so.1", []string{dir, "/nowhere"})
	require.ErrorIs(t, err, ErrNoGPU)
	assert.ErrorContains(t, err, "no NVIDIA GPU that can be used: cannot open libcutegen-no-such.so.1: ")
	assert.ErrorContains(t, err, "looked in LD_LIBRARY_PATH, the loader's folders, "+dir+", /nowhere; install NVIDIA's driver")

	broken := filepath.Join(dir, "libcutegen-no-such.so.1")
	require.NoError(t, os.WriteFile(broken, []byte("not a library"), 0o666))
	_, err = loadDriver("libcutegen-no-such.so.1", []string{dir})
	require.ErrorIs(t, err, ErrNoGPU)
	assert.ErrorContains(t, err, broken, "the file that was there but could not be loaded is named")
}

func TestNoDeviceIsNoGPU(t *testing.T) {
	dir := fake(t)
	t.Setenv("FAKE_DEVICES", "0")
	t.Setenv("CUDA_VISIBLE_DEVICES", "9")
	_, err := Open()
	require.ErrorIs(t, err, ErrNoGPU)
	assert.EqualError(t, err, `no NVIDIA GPU that can be used: libcuda.so.1 counts 0 devices (CUDA_VISIBLE_DEVICES="9")`)

	t.Setenv("FAKE_CUINIT", "100")
	_, err = Open()
	require.ErrorIs(t, err, ErrNoGPU)
	assert.EqualError(t, err, "no NVIDIA GPU that can be used: cuInit: CUDA_ERROR_NO_DEVICE (100) (from libcuda.so.1)")

	t.Setenv("FAKE_CUINIT", "4242")
	_, err = Open()
	assert.ErrorContains(t, err, "cuInit: unknown error (4242)")

	// A library that is not the driver.
	_, err = loadDriver("launchers.so", nil)
	require.ErrorIs(t, err, ErrNoGPU)
	assert.ErrorContains(t, err, "launchers.so has no cuGetErrorName")
	assert.FileExists(t, filepath.Join(dir, "launchers.so"))
}

func TestOpenDescribesTheDevice(t *testing.T) {
	d, _ := device(t)
	assert.Equal(t, Info{
		Name: "fake H200", ComputeCapability: "9.0", SMs: 132, L2Bytes: 1 << 16, MemoryBytes: 5 << 30,
		SMClockMHz: 1980, MemoryClockMHz: 3201, Driver: "580.159.04", CUDA: "13.0",
	}, d.Info)
	p, err := d.Power()
	require.NoError(t, err)
	assert.Equal(t, Power{SMClockMHz: 1335, MemoryClockMHz: 3201, Watts: 698.4, CapWatts: 700,
		Limits: []string{"SW power cap", "SW thermal slowdown"}}, p)
	assert.Equal(t, "1335 MHz, memory 3201 MHz, 698 of 700 W, limited by SW power cap, SW thermal slowdown", p.String())
}

func TestMemory(t *testing.T) {
	d, s := device(t)
	a, err := d.Alloc(28)
	require.NoError(t, err)
	b, err := d.Alloc(28)
	require.NoError(t, err)
	assert.Equal(t, 28, a.Bytes())
	assert.NotEqual(t, a.Ptr(), b.Ptr())

	require.NoError(t, s.Fill(b, 0x7fc0dead))
	require.NoError(t, CopyTo(a, []float32{1, 2, 3, 4, 5, 6, 7}))
	require.NoError(t, s.Copy(b.Ptr()+8, a.Ptr()+4, 12))
	got := make([]uint32, 7)
	require.NoError(t, CopyFrom(got, b))
	assert.Equal(t, []uint32{0x7fc0dead, 0x7fc0dead, 0x40000000, 0x40400000, 0x40800000, 0x7fc0dead, 0x7fc0dead}, got)
	require.NoError(t, CopyFrom(got[:0], b))

	require.NoError(t, CopyToAt(a, 5, []float32{8, 9}))
	var last [4]float32
	require.NoError(t, CopyFromAt(last[:], a, 3))
	assert.Equal(t, [4]float32{4, 5, 8, 9}, last)

	const outside = " are not all in a buffer of 28 bytes, which holds 7"
	assert.EqualError(t, CopyTo(a, make([]uint32, 8)), "gpu: elements [0,8)"+outside)
	assert.EqualError(t, CopyToAt(a, 5, make([]uint32, 3)), "gpu: elements [5,8)"+outside)
	assert.EqualError(t, CopyToAt(a, -1, make([]uint32, 1)), "gpu: elements [-1,0)"+outside)
	assert.EqualError(t, CopyFrom(make([]uint32, 8), a), "gpu: elements [0,8)"+outside)
	assert.EqualError(t, CopyFromAt(last[:], a, 4), "gpu: elements [4,8)"+outside)
	assert.EqualError(t, s.Copy(b.Ptr()+8, a.Ptr(), 28), "cuMemcpyDtoDAsync_v2: CUDA_ERROR_INVALID_VALUE (1)")

	require.NoError(t, a.Free())
	require.NoError(t, b.Free())
	assert.EqualError(t, b.Free(), "cuMemFree_v2: CUDA_ERROR_INVALID_VALUE (1)")

	_, err = d.Alloc(5 << 30)
	assert.EqualError(t, err, "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2), asking for 5368709120 bytes")
	var call *CallError
	require.ErrorAs(t, err, &call)
	assert.Equal(t, CallError{Call: "cuMemAlloc_v2", Name: "CUDA_ERROR_OUT_OF_MEMORY", Code: 2}, *call)
	_, err = d.Alloc(0)
	assert.EqualError(t, err, "gpu: cannot allocate 0 bytes, want at least 1")
}

func TestEventsAndGraphs(t *testing.T) {
	d, s := device(t)
	start, err := d.Event()
	require.NoError(t, err)
	end, err := d.Event()
	require.NoError(t, err)

	recorded := 0
	g, err := s.Capture(func() error {
		assert.EqualError(t, s.Wait(), "cuStreamSynchronize: CUDA_ERROR_INVALID_HANDLE (400)", "waiting is no work")
		recorded++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 1, recorded)
	require.NoError(t, start.Record(s))
	require.NoError(t, g.Launch())
	require.NoError(t, end.Record(s))
	require.NoError(t, end.Wait())
	elapsed, err := end.Since(start)
	require.NoError(t, err)
	assert.Positive(t, elapsed)
	back, err := start.Since(end)
	require.NoError(t, err)
	assert.Equal(t, -elapsed, back)
	require.NoError(t, g.Destroy())
	require.NoError(t, start.Destroy())
	require.NoError(t, end.Destroy())

	_, err = s.Capture(func() error { return Misaligned })
	assert.ErrorIs(t, err, Misaligned)
	assert.NoError(t, s.Wait(), "the failed capture has ended")
}
