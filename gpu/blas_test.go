package gpu

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// upload makes a buffer of the values.
func upload(t *testing.T, d *Device, values []float32) *Buffer {
	b, err := d.Alloc(4 * len(values))
	require.NoError(t, err)
	require.NoError(t, CopyTo(b, values))
	return b
}

func TestBLASIsRowMajor(t *testing.T) {
	d, s := device(t)
	blas, err := d.OpenBLAS(s)
	require.NoError(t, err)
	assert.Equal(t, "13.1.2", blas.Version)
	assert.Equal(t, blasLibrary, blas.Path)

	// A is 2 x 3, B is 3 x 4; stored as the ops say, with rows longer than the matrix.
	A := [2][3]float32{{1, 2, 3}, {4, 5, 7}}
	B := [3][4]float32{{1, 0, 2, 5}, {3, 1, 0, 7}, {2, 2, 1, 11}}
	const alpha, beta = 2, -1
	for _, ops := range []string{"NN", "NT", "TN", "TT"} {
		t.Run(ops, func(t *testing.T) {
			args := SGEMMArgs{M: 2, N: 4, K: 3, Alpha: alpha, Beta: beta, LDC: 6}
			a, b := make([]float32, 32), make([]float32, 32)
			args.LDA, args.LDB = 5, 7
			for i, row := range A {
				for k, v := range row {
					if ops[0] == 'N' {
						a[i*5+k] = v
					} else {
						a[k*5+i] = v
					}
				}
			}
			for k, row := range B {
				for j, v := range row {
					if ops[1] == 'N' {
						b[k*7+j] = v
					} else {
						b[j*7+k] = v
					}
				}
			}
			c := []float32{1, 2, 3, 4, -1, -1, 5, 6, 7, 8, -1, -1}
			want := append([]float32(nil), c...)
			for i := range 2 {
				for j := range 4 {
					var sum float32
					for k := range 3 {
						sum += A[i][k] * B[k][j]
					}
					want[i*6+j] = alpha*sum + beta*want[i*6+j]
				}
			}
			args.A, args.B = upload(t, d, a).Ptr(), upload(t, d, b).Ptr()
			buffer := upload(t, d, c)
			args.C = buffer.Ptr()
			require.NoError(t, blas.SGEMM(ops, args))
			require.NoError(t, CopyFrom(c, buffer))
			assert.Equal(t, want, c)
		})
	}

	for _, ops := range []string{"", "N", "NX", "CN", "NNN"} {
		assert.EqualError(t, blas.SGEMM(ops, SGEMMArgs{}), `cublas: ops "`+ops+`", want NN, NT, TN or TT`)
	}
	assert.EqualError(t, blas.SGEMM("NN", SGEMMArgs{M: 1, N: 1, K: 1 << 31}), "cublas: size 2147483648 is not in [0, 2^31)")
	assert.EqualError(t, blas.SGEMM("NN", SGEMMArgs{M: 2, N: 4, K: 3, LDA: 2, LDB: 4, LDC: 4}), "cublasSgemm_v2: CUBLAS_STATUS_INVALID_VALUE (7)")
	require.NoError(t, blas.Close())
}

func TestBLASTransposesABatch(t *testing.T) {
	d, s := device(t)
	blas, err := d.OpenBLAS(s)
	require.NoError(t, err)
	src := upload(t, d, []float32{
		1, 2, 3, -1, // a 2 x 3 matrix with a leading dimension of 4
		4, 5, 6, -1,
		-1, // and a batch stride of 9
		11, 12, 13, -1,
		14, 15, 16, -1,
	})
	dst := upload(t, d, make([]float32, 20))
	require.NoError(t, blas.Transpose(TransposeArgs{M: 2, N: 3, Batch: 2,
		Src: src.Ptr(), LDSrc: 4, BatchStrideSrc: 9, Dst: dst.Ptr(), LDDst: 3, BatchStrideDst: 10}))
	got := make([]float32, 20)
	require.NoError(t, CopyFrom(got, dst))
	assert.Equal(t, []float32{1, 4, 0, 2, 5, 0, 3, 6, 0, 0, 11, 14, 0, 12, 15, 0, 13, 16, 0, 0}, got)
	require.NoError(t, blas.Close())
}

func TestBLASMustBeFP32(t *testing.T) {
	d, s := device(t)
	t.Setenv("FAKE_MATH_MODE", "3")
	_, err := d.OpenBLAS(s)
	assert.EqualError(t, err, "cublas: the math mode is 3 after it was set to CUBLAS_DEFAULT_MATH (0)")
	t.Setenv("FAKE_MATH_MODE", "0")

	for _, name := range blasSwitches {
		t.Setenv(name, "1")
		_, err = d.OpenBLAS(s)
		assert.ErrorContains(t, err, name+"=1 lets cuBLAS compute in less than FP32")
		t.Setenv(name, "0")
	}
	blas, err := d.OpenBLAS(s)
	require.NoError(t, err)
	require.NoError(t, blas.Close())
}

func TestLibraryInAFolder(t *testing.T) {
	library := filepath.Join(fake(t), blasLibrary)
	python := t.TempDir()
	wheel := filepath.Join(python, "lib", "python3.12", "site-packages", "nvidia", "cu13", "lib")
	require.NoError(t, os.MkdirAll(wheel, 0o777))
	require.NoError(t, os.Symlink(library, filepath.Join(wheel, "libcutegen-blas.so.13")))
	t.Setenv("PATH", filepath.Join(python, "bin"))
	assert.Contains(t, blasFolders(), wheel)

	_, path, err := openLibrary("libcutegen-blas.so.13", blasFolders(), "libcutegen-no-such.so")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(wheel, "libcutegen-blas.so.13"), path)
}
