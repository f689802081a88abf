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
func CopyTo[T word](dst *Buffer, src []T) error { return CopyToAt(dst, 0, src) }

// CopyToAt is CopyTo to the elements of dst from number at on.
func CopyToAt[T word](dst *Buffer, at int, src []T) error {
	p, bytes, err := part(dst, at, src)
	if err != nil || bytes == 0 {
		return err
	}
	d := dst.device.driver
	err = d.check("cuMemcpyHtoD_v2", d.copyHtoD(p, unsafe.Pointer(&src[0]), bytes))
	runtime.KeepAlive(src)
	return err
}

// CopyFrom copies the first len(dst) elements of src to dst. It waits for everything that was started on any stream before.
func CopyFrom[T word](dst []T, src *Buffer) error { return CopyFromAt(dst, src, 0) }

// CopyFromAt is CopyFrom from the elements of src from number at on.
func CopyFromAt[T word](dst []T, src *Buffer, at int) error {
	p, bytes, err := part(src, at, dst)
	if err != nil || bytes == 0 {
		return err
	}
	d := src.device.driver
	err = d.check("cuMemcpyDtoH_v2", d.copyDtoH(unsafe.Pointer(&dst[0]), p, bytes))
	runtime.KeepAlive(dst)
	return err
}

// part is where in a buffer as many elements as the host's lie, from number at on, and their size.
func part[T word](b *Buffer, at int, host []T) (p DevicePtr, bytes uint64, err error) {
	const size = 4
	if at < 0 || at+len(host) > b.bytes/size {
		return 0, 0, fmt.Errorf("gpu: elements [%d,%d) are not all in a buffer of %d bytes, which holds %d", at, at+len(host), b.bytes, b.bytes/size)
	}
	return b.ptr + DevicePtr(size*at), uint64(size * len(host)), nil
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
