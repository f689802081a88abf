// Package gpu is the GPU seen from Go without cgo: memory, streams, events and graphs through libcuda, the baselines through
// cuBLAS, the power state through NVML, and the launchers of built kernels.
//
// CUDA binds a context to a thread of the operating system. Open therefore locks the calling goroutine to its thread, and everything that
// comes from a Device must be used on that goroutine.
//
// Errors name the call that failed, as in
//
//	cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)
//
// A kernel that runs into an illegal address fails no call of its own: the next call that waits for it says so, and every call after.
package gpu
