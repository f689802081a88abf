package gpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Info describes a GPU and its driver.
type Info struct {
	// Name as the driver gives it: "NVIDIA H200".
	Name string
	// ComputeCapability is "9.0" for Hopper.
	ComputeCapability string
	// SMs is the number of streaming multiprocessors.
	SMs int
	// L2Bytes is the size of the level 2 cache, MemoryBytes of the whole memory.
	L2Bytes, MemoryBytes int
	// SMClockMHz and MemoryClockMHz are the highest clocks.
	SMClockMHz, MemoryClockMHz int
	// Driver is the driver's version, "580.159.04", or "" if it does not say; CUDA is the version that it speaks, "13.0".
	Driver, CUDA string
}

// A Device is the first GPU that CUDA shows (choose another with CUDA_VISIBLE_DEVICES), with its primary context current: the one that
// the CUDA runtime in a launcher uses too.
type Device struct {
	Info
	driver  *driver
	ordinal int32
	nvml    *nvml
	nvmlErr error // why nvml is nil
}

// Attributes of cuDeviceGetAttribute (CUdevice_attribute in cuda.h).
const (
	attributeClockRate       = 13
	attributeSMs             = 16
	attributeMemoryClockRate = 36
	attributeL2Bytes         = 38
	attributeMajor           = 75
	attributeMinor           = 76
)

// Open finds the driver, takes the first GPU and locks the calling goroutine to its thread until Close. Without a GPU the error is
// ErrNoGPU, with what was tried.
func Open() (*Device, error) {
	driver, err := loadDriver(driverLibrary, driverFolders)
	if err != nil {
		return nil, err
	}
	return open(driver)
}

func open(driver *driver) (*Device, error) {
	var count int32
	if err := driver.check("cuDeviceGetCount", driver.deviceGetCount(&count)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}
	if count == 0 {
		return nil, fmt.Errorf("%w: %s counts 0 devices (CUDA_VISIBLE_DEVICES=%q)", ErrNoGPU, driver.path, os.Getenv("CUDA_VISIBLE_DEVICES"))
	}
	d := &Device{driver: driver}
	if err := driver.check("cuDeviceGet", driver.deviceGet(&d.ordinal, 0)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}

	runtime.LockOSThread()
	var context uintptr
	if err := driver.check("cuDevicePrimaryCtxRetain", driver.contextRetain(&context, d.ordinal)); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	err := driver.check("cuCtxSetCurrent", driver.setCurrent(context))
	if err == nil {
		err = d.describe()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Device) describe() error {
	var name [256]byte
	if err := d.driver.check("cuDeviceGetName", d.driver.deviceGetName(&name[0], int32(len(name)), d.ordinal)); err != nil {
		return err
	}
	var bytes uint64
	if err := d.driver.check("cuDeviceTotalMem_v2", d.driver.deviceTotalMem(&bytes, d.ordinal)); err != nil {
		return err
	}
	var version int32
	if err := d.driver.check("cuDriverGetVersion", d.driver.driverGetVersion(&version)); err != nil {
		return err
	}
	var major, minor, smKHz, memoryKHz int
	for _, a := range []struct {
		attribute int32
		value     *int
	}{
		{attributeSMs, &d.SMs}, {attributeL2Bytes, &d.L2Bytes},
		{attributeMajor, &major}, {attributeMinor, &minor},
		{attributeClockRate, &smKHz}, {attributeMemoryClockRate, &memoryKHz},
	} {
		var value int32
		if err := d.driver.check("cuDeviceGetAttribute", d.driver.deviceGetAttr(&value, a.attribute, d.ordinal)); err != nil {
			return err
		}
		*a.value = int(value)
	}
	d.Name = text(name[:])
	d.MemoryBytes = int(bytes)
	d.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
	d.SMClockMHz, d.MemoryClockMHz = smKHz/1000, memoryKHz/1000
	d.CUDA = fmt.Sprintf("%d.%d", version/1000, version%1000/10)

	var id [64]byte
	if err := d.driver.check("cuDeviceGetPCIBusId", d.driver.deviceGetPCI(&id[0], int32(len(id)), d.ordinal)); err != nil {
		return err
	}
	if d.nvml, d.nvmlErr = openNVML(text(id[:])); d.nvml != nil {
		d.Info.Driver = d.nvml.driver
	} else if version, err := os.ReadFile("/sys/module/nvidia/version"); err == nil {
		d.Info.Driver = strings.TrimSpace(string(version))
	}
	return nil
}

// Close gives the context back and unlocks the goroutine from its thread. Buffers, streams, events and graphs of the device must not
// be used after it.
func (d *Device) Close() error {
	runtime.UnlockOSThread()
	return errors.Join(
		d.driver.check("cuCtxSetCurrent", d.driver.setCurrent(0)),
		d.driver.check("cuDevicePrimaryCtxRelease_v2", d.driver.contextRelease(d.ordinal)))
}
