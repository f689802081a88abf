package gpu

import (
	"fmt"
	"unsafe"
)

const driverLibrary = "libcuda.so.1"

// driverFolders are where drivers install libcuda when the loader's cache does not know it: distributions, containers, WSL.
var driverFolders = []string{
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
	"/run/opengl-driver/lib", "/usr/lib/wsl/lib",
}

// driver holds the functions of libcuda that the package calls. Handles (CUcontext, CUstream, ...) are uintptr, CUdevice and CUresult
// are int32. The names are the exported ones: cuda.h maps cuMemAlloc to cuMemAlloc_v2.
type driver struct {
	path string

	getErrorName func(result int32, name **byte) int32

	init             func(flags uint32) int32
	driverGetVersion func(version *int32) int32
	deviceGetCount   func(count *int32) int32
	deviceGet        func(device *int32, ordinal int32) int32
	deviceGetName    func(name *byte, len int32, device int32) int32
	deviceGetPCI     func(id *byte, len int32, device int32) int32
	deviceGetAttr    func(value *int32, attribute int32, device int32) int32
	deviceTotalMem   func(bytes *uint64, device int32) int32

	contextRetain  func(context *uintptr, device int32) int32
	contextRelease func(device int32) int32
	setCurrent     func(context uintptr) int32

	memAlloc      func(ptr *DevicePtr, bytes uint64) int32
	memFree       func(ptr DevicePtr) int32
	copyHtoD      func(dst DevicePtr, src unsafe.Pointer, bytes uint64) int32
	copyDtoH      func(dst unsafe.Pointer, src DevicePtr, bytes uint64) int32
	copyDtoDAsync func(dst, src DevicePtr, bytes uint64, stream uintptr) int32
	memset32Async func(dst DevicePtr, word uint32, count uint64, stream uintptr) int32

	streamCreate  func(stream *uintptr, flags uint32) int32
	streamSync    func(stream uintptr) int32
	streamDestroy func(stream uintptr) int32

	eventCreate  func(event *uintptr, flags uint32) int32
	eventRecord  func(event, stream uintptr) int32
	eventSync    func(event uintptr) int32
	eventElapsed func(milliseconds *float32, start, end uintptr) int32
	eventDestroy func(event uintptr) int32

	beginCapture     func(stream uintptr, mode int32) int32
	endCapture       func(stream uintptr, graph *uintptr) int32
	graphInstantiate func(exec *uintptr, graph uintptr, flags uint64) int32
	graphLaunch      func(exec, stream uintptr) int32
	graphExecDestroy func(exec uintptr) int32
	graphDestroy     func(graph uintptr) int32
}

// loadDriver opens libcuda and initialises it.
func loadDriver(name string, folders []string) (*driver, error) {
	handle, path, err := openLibrary(name, folders)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install NVIDIA's driver, or run on a machine that has it", ErrNoGPU, err)
	}
	d := &driver{path: path}
	err = bind(handle, path, []symbol{
		{"cuGetErrorName", &d.getErrorName},
		{"cuInit", &d.init},
		{"cuDriverGetVersion", &d.driverGetVersion},
		{"cuDeviceGetCount", &d.deviceGetCount},
		{"cuDeviceGet", &d.deviceGet},
		{"cuDeviceGetName", &d.deviceGetName},
		{"cuDeviceGetPCIBusId", &d.deviceGetPCI},
		{"cuDeviceGetAttribute", &d.deviceGetAttr},
		{"cuDeviceTotalMem_v2", &d.deviceTotalMem},
		{"cuDevicePrimaryCtxRetain", &d.contextRetain},
		{"cuDevicePrimaryCtxRelease_v2", &d.contextRelease},
		{"cuCtxSetCurrent", &d.setCurrent},
		{"cuMemAlloc_v2", &d.memAlloc},
		{"cuMemFree_v2", &d.memFree},
		{"cuMemcpyHtoD_v2", &d.copyHtoD},
		{"cuMemcpyDtoH_v2", &d.copyDtoH},
		{"cuMemcpyDtoDAsync_v2", &d.copyDtoDAsync},
		{"cuMemsetD32Async", &d.memset32Async},
		{"cuStreamCreate", &d.streamCreate},
		{"cuStreamSynchronize", &d.streamSync},
		{"cuStreamDestroy_v2", &d.streamDestroy},
		{"cuEventCreate", &d.eventCreate},
		{"cuEventRecord", &d.eventRecord},
		{"cuEventSynchronize", &d.eventSync},
		{"cuEventElapsedTime", &d.eventElapsed},
		{"cuEventDestroy_v2", &d.eventDestroy},
		{"cuStreamBeginCapture_v2", &d.beginCapture},
		{"cuStreamEndCapture", &d.endCapture},
		{"cuGraphInstantiateWithFlags", &d.graphInstantiate},
		{"cuGraphLaunch", &d.graphLaunch},
		{"cuGraphExecDestroy", &d.graphExecDestroy},
		{"cuGraphDestroy", &d.graphDestroy},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w; the driver is too old", ErrNoGPU, err)
	}
	if err := d.check("cuInit", d.init(0)); err != nil {
		return nil, fmt.Errorf("%w: %w (from %s)", ErrNoGPU, err, path)
	}
	return d, nil
}

// check makes an error of a call's result.
func (d *driver) check(call string, result int32) error {
	if result == 0 {
		return nil
	}
	e := &CallError{Call: call, Code: int(result)}
	var name *byte
	if d.getErrorName(result, &name) == 0 && name != nil {
		const longest = 128
		var b []byte
		for i := range uintptr(longest) {
			c := *(*byte)(unsafe.Add(unsafe.Pointer(name), i))
			if c == 0 {
				break
			}
			b = append(b, c)
		}
		e.Name = string(b)
	}
	return e
}
