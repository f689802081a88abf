// Package bindings launches two kernels through the Go packages that cutegen generates, as a program that ships them would. The
// packages, and the CUDA that they belong to, are what `cutegen gen` writes; they are kept here to be compiled and read.
package bindings

import (
	"errors"
	"fmt"
	"math"

	"cutegen/gpu"
	sgemm "cutegen/gpu-tests/bindings/go/sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2"
	transpose "cutegen/gpu-tests/bindings/go/transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4"
)

//go:generate go run cutegen/cmd/cutegen gen -o . sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2 transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4

// Names are the kernels that have a package here.
var Names = []string{sgemm.Name, transpose.Name}

// Verify loads both packages' libraries from a folder of built kernels, and compares what they compute with loops in Go.
func Verify(dev *gpu.Device, kernels string) error {
	return errors.Join(verifyTranspose(dev, kernels), verifySGEMM(dev, kernels))
}

func verifyTranspose(dev *gpu.Device, kernels string) error {
	const m, n, ldSrc, ldDst = 67, 130, 132, 68
	k, err := transpose.Load(kernels)
	if err != nil {
		return err
	}
	in := make([]float32, m*ldSrc)
	for i := range in {
		in[i] = float32(i)
	}
	out := make([]float32, n*ldDst)
	err = onDevice(dev, [][]float32{in}, out, func(in []uintptr, out uintptr) error {
		return k.Launch(m, n, 1, in[0], ldSrc, 0, out, ldDst, 0, 0)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", transpose.Name, err)
	}
	for i := range m {
		for j := range n {
			if got, want := out[j*ldDst+i], in[i*ldSrc+j]; got != want {
				return fmt.Errorf("%s: dst(%d,%d) is %g, want %g", transpose.Name, j, i, got, want)
			}
		}
	}
	if err := k.Launch(m, n, 1, 16, ldSrc+1, 0, 16, ldDst, 0, 0); !errors.Is(err, transpose.Misaligned) {
		return fmt.Errorf("%s: a leading dimension of %d gives %v, want %v", transpose.Name, ldSrc+1, err, transpose.Misaligned)
	}
	return nil
}

func verifySGEMM(dev *gpu.Device, kernels string) error {
	const m, n, k, lda, ldb, ldc, alpha, beta = 131, 70, 33, 36, 72, 72, 2, 0
	kernel, err := sgemm.Load(kernels)
	if err != nil {
		return err
	}
	// Integers so small that every sum is exact.
	a, b := make([]float32, m*lda), make([]float32, k*ldb)
	for i := range a {
		a[i] = float32(i%7 - 3)
	}
	for i := range b {
		b[i] = float32(i%11 - 5)
	}
	out := make([]float32, m*ldc)
	err = onDevice(dev, [][]float32{a, b}, out, func(in []uintptr, out uintptr) error {
		return kernel.Launch(m, n, k, alpha, in[0], lda, in[1], ldb, beta, out, ldc, 0)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", sgemm.Name, err)
	}
	for i := range m {
		for j := range n {
			var want float32
			for l := range k {
				want += a[i*lda+l] * b[l*ldb+j]
			}
			if got := out[i*ldc+j]; got != alpha*want {
				return fmt.Errorf("%s: C(%d,%d) is %g, want %g", sgemm.Name, i, j, got, alpha*want)
			}
		}
	}
	if err := kernel.Launch(m, n, k, alpha, 0, lda, 16, ldb, beta, 16, ldc, 0); !errors.Is(err, sgemm.NullPointer) {
		return fmt.Errorf("%s: a null A gives %v, want %v", sgemm.Name, err, sgemm.NullPointer)
	}
	return nil
}

// onDevice copies the inputs to the device, launches, and copies the output back. The output starts as NaN.
func onDevice(dev *gpu.Device, in [][]float32, out []float32, launch func(in []uintptr, out uintptr) error) (err error) {
	var ptrs []uintptr
	buffers := append([][]float32{out}, in...)
	for i := range out {
		out[i] = float32(math.NaN())
	}
	var first *gpu.Buffer
	for i, host := range buffers {
		b, err := dev.Alloc(4 * len(host))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Free()) }()
		if err := gpu.CopyTo(b, host); err != nil {
			return err
		}
		if i == 0 {
			first = b
			continue
		}
		ptrs = append(ptrs, uintptr(b.Ptr()))
	}
	if err := launch(ptrs, uintptr(first.Ptr())); err != nil {
		return err
	}
	// The copy waits for the launch: both are on the default stream.
	return gpu.CopyFrom(out, first)
}
