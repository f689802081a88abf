// Package gputests runs built kernels on a GPU: it verifies them against references computed in Go and against cuBLAS, times them
// against a device copy and cuBLAS, compares them with handwritten twins, and keeps the results.
//
// A launcher is trusted with nothing. Outputs are poisoned before each launch and lie between guards; leading dimensions have padding;
// inputs are NaN wherever the kernel has no business. What is exact is compared bit for bit:
//
//	transposes     values that are distinct bit patterns, NaNs and -0 among them
//	integer GEMM   values so small that every partial sum is exact in fp32, in any order
//
// and what is not, by a bound that is derived (see gemmBound), not tuned. A read that is wrong but reaches no result is
// left to a sanitizer, for which Options.Quick lays its problems out. Nothing here passes without a GPU.
package gputests
