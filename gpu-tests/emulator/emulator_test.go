package emulator

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reversed is a kernel in the words of generated ones: y is x, each block of 64 from its last element to its first. The launcher refuses
// a negative n.
const reversed = `__device__ __forceinline__ long long pinned(long long offset)
{
    asm volatile("" : "+l"(offset));
    return offset;
}

extern "C" __global__ void __launch_bounds__(64, 2)
reversed_kernel(int n, float scale, const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ __align__(16) float s[64];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 64 + t;
    s[t] = i < n ? scale * __ldg(x + i) : 0.0f;
    __syncthreads();
    if (i < n) y[pinned(i)] = s[63 - t];
}

extern "C" int reversed(long long n, float scale, const float* x, float* y, cudaStream_t stream)
{
    if (n < 0) return -2;
    const dim3 grid((unsigned)((n + 63) / 64), 1u, 1u);
    reversed_kernel<<<grid, 64, 0, stream>>>((int)n, scale, x, y);
    return (int)cudaGetLastError();
}
`

// compiled is the kernel with a text replaced, which must be there.
func compiled(t *testing.T, old, new string) *Program {
	t.Helper()
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("not run: needs a C++ compiler, and there is no c++")
	}
	require.Contains(t, reversed, old)
	p, err := Compile(t.Context(), []byte(strings.Replace(reversed, old, new, 1)), "reversed", t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	return p
}

// 1, 2, 4, ..., 128 and their doubles as fp32.
func powers() (x, doubled []uint32) {
	for i := range uint32(128) {
		x = append(x, (127+i%8)<<23)
		doubled = append(doubled, (128+i%8)<<23)
	}
	return x, doubled
}

func TestLaunch(t *testing.T) {
	p := compiled(t, "", "")
	for _, order := range []Order{Forwards, Backwards} {
		x, doubled := powers()
		y := make([]uint32, 128)
		status, err := p.Launch(t.Context(), order, [][]uint32{x, y}, int64(128), float32(2), Address(0, 0), Address(1, 0))
		require.NoError(t, err)
		assert.Zero(t, status)
		for i := range y {
			assert.Equal(t, doubled[i/64*64+63-i%64], y[i], "%d %s", i, order)
		}
	}
	y := []uint32{7}
	status, err := p.Launch(t.Context(), Forwards, [][]uint32{y}, int64(-1), float32(1), uint64(0), Address(0, 0))
	require.NoError(t, err)
	assert.EqualValues(t, -2, status)
	assert.Equal(t, []uint32{7}, y)
}

// Each fault is told, and the program serves the next launch.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"read behind the end", "i < n ?", "i < n + 1 ?", "heap-buffer-overflow: READ of size 4 in reversed_kernel"},
		{"write behind the end", "if (i < n)", "if (i < n + 1)", "heap-buffer-overflow: WRITE of size 4 in reversed_kernel"},
		{"shared array too short", "float s[64]", "float s[63]", "out of bounds"},
		{"misaligned vector", "scale * __ldg(x + i)", "scale * __ldg((const float4*)(x + i)).x", "misaligned address"},
		{"offset wraps", "pinned(i)", "pinned(i + (i + 2147483647) - 2147483647)", "runtime error: signed integer overflow: 1 + 2147483647"},
		{"barrier not for all", "__syncthreads();", "if (t < 10) __syncthreads();",
			"emulator: block (0,0,0): 54 of 64 threads ended while the others wait at a barrier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compiled(t, c.old, c.new)
			for range 2 {
				x, _ := powers()
				_, err := p.Launch(t.Context(), Forwards, [][]uint32{x[:100], make([]uint32, 100)}, int64(100), float32(2), Address(0, 0), Address(1, 0))
				require.Error(t, err)
				assert.Contains(t, err.Error(), c.want)
			}
		})
	}
}

// Without the barrier a thread finds what another has not written yet, in one order of the blocks' threads.
func TestMissingBarrier(t *testing.T) {
	p := compiled(t, "__syncthreads();", "")
	for _, order := range []Order{Forwards, Backwards} {
		x, _ := powers()
		y := make([]uint32, 128)
		_, err := p.Launch(t.Context(), order, [][]uint32{x, y}, int64(128), float32(2), Address(0, 0), Address(1, 0))
		require.NoError(t, err)
		assert.Contains(t, y, uint32(0x7fc0dead), order)
	}
}

func TestLaunchThatOutlastsItsTime(t *testing.T) {
	p := compiled(t, "if (n < 0) return -2;", "for (volatile long long i = n; i == 5;) {}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Launch(ctx, Forwards, nil, int64(5), float32(1), uint64(0), uint64(0))
	assert.ErrorContains(t, err, "signal: killed")
}

func TestCompileRefusesOtherTexts(t *testing.T) {
	for text, want := range map[string]string{
		"k<<<1, 2>>>();": `k.cu:1: the emulator does not know this use of "<<<"`,
		"\nasm (\"\");":  `k.cu:2: the emulator does not know this use of "asm"`,
	} {
		_, err := translate([]byte(text), "k")
		assert.EqualError(t, err, want)
	}
}
