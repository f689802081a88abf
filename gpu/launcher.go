package gpu

import (
	"fmt"
	"path/filepath"
)

// Status is what a launcher returns: OK, one of the constants below, or a positive cudaError_t.
type Status int32

// The statuses of every launcher (docs/architecture.md).
const (
	OK               Status = 0
	NullPointer      Status = -1
	NegativeSize     Status = -2
	LeadingDimension Status = -3
	Misaligned       Status = -4
	GridLimit        Status = -5
	Reach            Status = -6
	Overlap          Status = -7
)

var statuses = map[Status]struct{ name, meaning string }{
	OK:               {"CUTEGEN_OK", "launched, or nothing to do (an empty problem launches nothing)"},
	NullPointer:      {"CUTEGEN_NULL_POINTER", "a pointer that would be used is null"},
	NegativeSize:     {"CUTEGEN_NEGATIVE_SIZE", "an extent, leading dimension or batch stride is negative"},
	LeadingDimension: {"CUTEGEN_LEADING_DIMENSION", "a leading dimension is less than max(1, the row's length)"},
	Misaligned:       {"CUTEGEN_MISALIGNED", "a pointer, leading dimension or batch stride breaks the alignment that the kernel's vector width needs"},
	GridLimit:        {"CUTEGEN_GRID_LIMIT", "more tiles than one launch can have"},
	Reach:            {"CUTEGEN_REACH", "an extent or an offset inside one tile does not fit in 32 bits"},
	Overlap:          {"CUTEGEN_OVERLAP", "the batch stride of the output is less than one matrix"},
}

// Name is the C name, "CUTEGEN_MISALIGNED", or "cudaError_t 9".
func (s Status) Name() string {
	if known, ok := statuses[s]; ok {
		return known.name
	}
	if s > 0 {
		return fmt.Sprintf("cudaError_t %d", int32(s))
	}
	return fmt.Sprintf("unknown status %d", int32(s))
}

// Error says what the launcher refused.
func (s Status) Error() string {
	if known, ok := statuses[s]; ok {
		return known.meaning + " (" + known.name + ")"
	}
	return s.Name()
}

// Err is nil for OK and s for all else.
func (s Status) Err() error {
	if s == OK {
		return nil
	}
	return s
}

// TransposeArgs are the arguments of dst[b][n][m] = src[b][m][n], both row-major. Extents, leading dimensions and batch strides are in
// elements.
type TransposeArgs struct {
	M, N, Batch           int64
	Src                   DevicePtr
	LDSrc, BatchStrideSrc int64
	Dst                   DevicePtr
	LDDst, BatchStrideDst int64
}

// SGEMMArgs are the arguments of C = alpha op(A) op(B) + beta C, all row-major. Extents and leading dimensions are in elements.
type SGEMMArgs struct {
	M, N, K int64
	Alpha   float32
	A       DevicePtr
	LDA     int64
	B       DevicePtr
	LDB     int64
	Beta    float32
	C       DevicePtr
	LDC     int64
}

// A Transpose launches one built transpose kernel on a stream and does not wait for it.
type Transpose func(TransposeArgs, *Stream) Status

// An SGEMM launches one built SGEMM kernel on a stream and does not wait for it.
type SGEMM func(SGEMMArgs, *Stream) Status

// LoadTranspose takes the launcher name out of a kernel's shared library, which must tell that it is built from the source of the given
// hash. A library that tells no source, as a handwritten twin's, is loaded with "".
func LoadTranspose(library, name, source string) (Transpose, error) {
	var launch func(m, n, batch int64, src DevicePtr, ldSrc, batchStrideSrc int64, dst DevicePtr, ldDst, batchStrideDst int64, stream uintptr) Status
	if err := loadLauncher(library, name, source, &launch); err != nil {
		return nil, err
	}
	return func(a TransposeArgs, s *Stream) Status {
		return launch(a.M, a.N, a.Batch, a.Src, a.LDSrc, a.BatchStrideSrc, a.Dst, a.LDDst, a.BatchStrideDst, s.handle)
	}, nil
}

// LoadSGEMM is LoadTranspose for an SGEMM.
func LoadSGEMM(library, name, source string) (SGEMM, error) {
	var launch func(m, n, k int64, alpha float32, a DevicePtr, lda int64, b DevicePtr, ldb int64, beta float32, c DevicePtr, ldc int64, stream uintptr) Status
	if err := loadLauncher(library, name, source, &launch); err != nil {
		return nil, err
	}
	return func(a SGEMMArgs, s *Stream) Status {
		return launch(a.M, a.N, a.K, a.Alpha, a.A, a.LDA, a.B, a.LDB, a.Beta, a.C, a.LDC, s.handle)
	}, nil
}

// loadLauncher opens the library for the life of the process: the CUDA runtime in it cannot be unloaded while a kernel may run.
func loadLauncher(library, name, source string, launch any) error {
	// Without a slash dlopen would search the system's folders.
	path, err := filepath.Abs(library)
	if err != nil {
		return err
	}
	handle, err := dlopen(path)
	if err != nil {
		return fmt.Errorf("kernel %s: %w", name, err)
	}
	if source != "" {
		var built func() string
		if err := bind(handle, path, []symbol{{name + "_source", &built}}); err != nil {
			return err
		}
		if got := built(); got != source {
			return fmt.Errorf("kernel %s: %s is built from source %s, not from %s: build it again", name, path, got, source)
		}
	}
	return bind(handle, path, []symbol{{name, launch}})
}
