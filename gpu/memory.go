package gpu

import (
	"fmt"
	"runtime"
	"unsafe"
)

// A DevicePtr is an address in GPU memory.
type DevicePtr uintptr

// A Buffer is one allocation in GPU memory. Its first byte is aligned to 256 bytes.
type Buffer struct {
	device *Device
	ptr    DevicePtr
	bytes  int
}

// Alloc allocates bytes, at least 1, and leaves them as they are.
func (d *Device) Alloc(bytes int) (*Buffer, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("gpu: cannot allocate %d bytes, want at least 1", bytes)
	}
	b := &Buffer{device: d, bytes: bytes}
	if err := d.driver.check("cuMemAlloc_v2", d.driver.memAlloc(&b.ptr, uint64(bytes))); err != nil {
		return nil, fmt.Errorf("%w, asking for %d bytes", err, bytes)
	}
	return b, nil
}

// Ptr is the address of the first byte.
func (b *Buffer) Ptr() DevicePtr { return b.ptr }

// Bytes is the size.
func (b *Buffer) Bytes() int { return b.bytes }

// Free gives the memory back, after all work that was started before.
func (b *Buffer) Free() error {
	return b.device.driver.check("cuMemFree_v2", b.device.driver.memFree(b.ptr))
}

// word is an element of the buffers: 4 bytes.
type word interface{ ~uint32 | ~float32 }

// CopyTo copies src to the start of dst. It runs after everything that was started on any stream before, and is done when later work
// starts.
func CopyTo[T word](dst *Buffer, src []T) error {
	bytes := len(src) * int(unsafe.Sizeof(src[0]))
	if bytes > dst.bytes {
		return fmt.Errorf("gpu: %d bytes do not fit into a buffer of %d", bytes, dst.bytes)
	}
	if bytes == 0 {
		return nil
	}
	d := dst.device.driver
	err := d.check("cuMemcpyHtoD_v2", d.copyHtoD(dst.ptr, unsafe.Pointer(&src[0]), uint64(bytes)))
	runtime.KeepAlive(src)
	return err
}

// CopyFrom copies the first len(dst) elements of src to dst. It waits for everything that was started on any stream before.
func CopyFrom[T word](dst []T, src *Buffer) error {
	bytes := len(dst) * int(unsafe.Sizeof(dst[0]))
	if bytes > src.bytes {
		return fmt.Errorf("gpu: cannot read %d bytes of a buffer of %d", bytes, src.bytes)
	}
	if bytes == 0 {
		return nil
	}
	d := src.device.driver
	err := d.check("cuMemcpyDtoH_v2", d.copyDtoH(unsafe.Pointer(&dst[0]), src.ptr, uint64(bytes)))
	runtime.KeepAlive(dst)
	return err
}

// Fill sets every whole 4-byte word of the buffer on the stream.
func (s *Stream) Fill(b *Buffer, word uint32) error {
	d := s.device.driver
	return d.check("cuMemsetD32Async", d.memset32Async(b.ptr, word, uint64(b.bytes/4), s.handle))
}

// Copy copies bytes from src to dst, both in GPU memory, on the stream.
func (s *Stream) Copy(dst, src DevicePtr, bytes int) error {
	d := s.device.driver
	return d.check("cuMemcpyDtoDAsync_v2", d.copyDtoDAsync(dst, src, uint64(bytes), s.handle))
}
