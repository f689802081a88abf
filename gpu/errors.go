package gpu

import (
	"errors"
	"fmt"
)

// ErrNoGPU is wrapped by every error of Open that means: this machine has no NVIDIA GPU that can be used. The error's text says what was
// tried.
var ErrNoGPU = errors.New("no NVIDIA GPU that can be used")

// A CallError is a call of libcuda, cuBLAS or NVML that failed.
type CallError struct {
	// Call is the exported function's name.
	Call string
	// Name is the library's name of the error code, "" if it has none.
	Name string
	Code int
}

func (e *CallError) Error() string {
	name := e.Name
	if name == "" {
		name = "unknown error"
	}
	return fmt.Sprintf("%s: %s (%d)", e.Call, name, e.Code)
}

// text reads a string that ends at a zero byte, in memory of at least that size.
func text(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
