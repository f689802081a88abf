package gpu

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

const blasLibrary = "libcublas.so.13"

// blasFolders are where CUDA's toolkit and NVIDIA's Python wheels put cuBLAS. The Python environments are those that PATH shows.
func blasFolders() []string {
	patterns := []string{
		"/usr/local/cuda/lib64", "/usr/local/cuda/targets/*/lib", "/usr/local/cuda-13*/lib64", "/usr/local/cuda-13*/targets/*/lib",
		"/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64",
	}
	environments := []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX")}
	for _, bin := range filepath.SplitList(os.Getenv("PATH")) {
		environments = append(environments, filepath.Dir(bin))
	}
	environments = append(environments, "/usr/local", "/usr", "/opt/*", "/opt/*/*")
	seen := map[string]bool{"": true}
	for _, e := range environments {
		if seen[e] {
			continue
		}
		seen[e] = true
		patterns = append(patterns,
			filepath.Join(e, "lib", "python3*", "site-packages", "nvidia", "cu13", "lib"),
			filepath.Join(e, "lib", "python3*", "dist-packages", "nvidia", "cu13", "lib"))
	}
	return globs(patterns...)
}

// blasSwitches are the variables of the environment that let cuBLAS compute FP32 products in something less, without asking.
var blasSwitches = []string{"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION"}

// BLAS is a cuBLAS handle on one stream, in FP32: without TF32 and without emulation.
type BLAS struct {
	// Version is "13.1.0"; Path is the library that was loaded.
	Version, Path string

	handle    uintptr
	workspace *Buffer

	statusName func(status int32) string
	destroy    func(handle uintptr) int32
	sgemm      func(handle uintptr, transA, transB, m, n, k int32, alpha *float32, a DevicePtr, lda int32, b DevicePtr, ldb int32, beta *float32, c DevicePtr, ldc int32) int32
	sgeam      func(handle uintptr, transA, transB, m, n int32, alpha *float32, a DevicePtr, lda int32, beta *float32, b DevicePtr, ldb int32, c DevicePtr, ldc int32) int32
}

// Values of cublas_api.h.
const (
	blasOpN = 0 // CUBLAS_OP_N
	blasOpT = 1 // CUBLAS_OP_T

	blasDefaultMath = 0 // CUBLAS_DEFAULT_MATH: FP32 for FP32 data
)

// OpenBLAS finds cuBLAS 13 and makes a handle whose work goes to the stream.
func (d *Device) OpenBLAS(s *Stream) (*BLAS, error) {
	for _, name := range blasSwitches {
		if v := os.Getenv(name); v != "" && v != "0" {
			return nil, fmt.Errorf("cublas: %s=%s lets cuBLAS compute in less than FP32, which is no baseline for an FP32 kernel: unset it", name, v)
		}
	}
	handle, path, err := openLibrary(blasLibrary, blasFolders(), "libcublasLt.so.13")
	if err != nil {
		return nil, fmt.Errorf("%w; install libcublas of CUDA 13, and put its folder into LD_LIBRARY_PATH", err)
	}
	b := &BLAS{Path: path}
	var create func(handle *uintptr) int32
	var getProperty func(property int32, value *int32) int32
	var setStream func(handle, stream uintptr) int32
	var setWorkspace func(handle uintptr, workspace DevicePtr, bytes uint64) int32
	var setMathMode func(handle uintptr, mode int32) int32
	var getMathMode func(handle uintptr, mode *int32) int32
	err = bind(handle, path, []symbol{
		{"cublasGetStatusName", &b.statusName},
		{"cublasCreate_v2", &create},
		{"cublasDestroy_v2", &b.destroy},
		{"cublasGetProperty", &getProperty},
		{"cublasSetStream_v2", &setStream},
		{"cublasSetWorkspace_v2", &setWorkspace},
		{"cublasSetMathMode", &setMathMode},
		{"cublasGetMathMode", &getMathMode},
		{"cublasSgemm_v2", &b.sgemm},
		{"cublasSgeam", &b.sgeam},
	})
	if err != nil {
		return nil, err
	}

	var version [3]int32
	for property := range version { // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
		if err := b.check("cublasGetProperty", getProperty(int32(property), &version[property])); err != nil {
			return nil, err
		}
	}
	b.Version = fmt.Sprintf("%d.%d.%d", version[0], version[1], version[2])
	if err := b.check("cublasCreate_v2", create(&b.handle)); err != nil {
		return nil, err
	}
	// A workspace of ours, of the size that cuBLAS takes by itself on Hopper: its own might be allocated in the middle of a capture.
	// cublasSetStream gives it up, so the stream comes first.
	const workspace = 32 << 20
	var mode int32
	err = b.check("cublasSetStream_v2", setStream(b.handle, s.handle))
	if err == nil {
		b.workspace, err = d.Alloc(workspace)
	}
	if err == nil {
		err = b.check("cublasSetWorkspace_v2", setWorkspace(b.handle, b.workspace.ptr, workspace))
	}
	if err == nil {
		err = b.check("cublasSetMathMode", setMathMode(b.handle, blasDefaultMath))
	}
	if err == nil {
		err = b.check("cublasGetMathMode", getMathMode(b.handle, &mode))
	}
	if err == nil && mode != blasDefaultMath {
		err = fmt.Errorf("cublas: the math mode is %d after it was set to CUBLAS_DEFAULT_MATH (%d)", mode, blasDefaultMath)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Close destroys the handle.
func (b *BLAS) Close() error {
	err := b.check("cublasDestroy_v2", b.destroy(b.handle))
	if b.workspace != nil {
		err = errors.Join(err, b.workspace.Free())
	}
	return err
}

func (b *BLAS) check(call string, status int32) error {
	if status == 0 {
		return nil
	}
	return &CallError{Call: call, Name: b.statusName(status), Code: int(status)}
}

// SGEMM starts C = alpha op(A) op(B) + beta C, all row-major. ops is NN, NT, TN or TT: whether A and B are stored transposed.
//
// cuBLAS is column-major. A row-major matrix is the column-major matrix of its transpose, so it is asked for
// C' = alpha op(B)' op(A)' + beta C', with the operands swapped and each op kept.
func (b *BLAS) SGEMM(ops string, a SGEMMArgs) error {
	trans := map[byte]int32{'N': blasOpN, 'T': blasOpT}
	if len(ops) != 2 {
		return fmt.Errorf("cublas: ops %q, want NN, NT, TN or TT", ops)
	}
	opA, okA := trans[ops[0]]
	opB, okB := trans[ops[1]]
	if !okA || !okB {
		return fmt.Errorf("cublas: ops %q, want NN, NT, TN or TT", ops)
	}
	if err := blasRange(a.M, a.N, a.K, a.LDA, a.LDB, a.LDC); err != nil {
		return err
	}
	return b.check("cublasSgemm_v2", b.sgemm(b.handle, opB, opA, int32(a.N), int32(a.M), int32(a.K),
		&a.Alpha, a.B, int32(a.LDB), a.A, int32(a.LDA), &a.Beta, a.C, int32(a.LDC)))
}

// Transpose starts dst[b][n][m] = src[b][m][n], both row-major, one call of cublasSgeam for each matrix of the batch.
//
// To cuBLAS, which is column-major, src is N x M and dst is M x N. The second operand, with factor 0, is dst itself: an operand that is
// not read must have a valid leading dimension all the same.
func (b *BLAS) Transpose(a TransposeArgs) error {
	if err := blasRange(a.M, a.N, a.LDSrc, a.LDDst); err != nil {
		return err
	}
	one, zero := float32(1), float32(0)
	for i := range a.Batch {
		src := a.Src + DevicePtr(4*i*a.BatchStrideSrc)
		dst := a.Dst + DevicePtr(4*i*a.BatchStrideDst)
		if err := b.check("cublasSgeam", b.sgeam(b.handle, blasOpT, blasOpN, int32(a.M), int32(a.N),
			&one, src, int32(a.LDSrc), &zero, dst, int32(a.LDDst), dst, int32(a.LDDst))); err != nil {
			return err
		}
	}
	return nil
}

// blasRange refuses what does not fit into the 32-bit interface.
func blasRange(sizes ...int64) error {
	for _, n := range sizes {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("cublas: size %d is not in [0, 2^31)", n)
		}
	}
	return nil
}
