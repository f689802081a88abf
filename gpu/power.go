package gpu

import (
	"fmt"
	"strings"
)

const nvmlLibrary = "libnvidia-ml.so.1"

// Power is the state of the GPU's clocks at one moment, from NVML.
type Power struct {
	SMClockMHz, MemoryClockMHz int
	// Watts drawn, averaged over the last second, and the cap.
	Watts, CapWatts float64
	// Limits are the reasons why the clocks are not higher: "SW power cap". Empty if there are none.
	Limits []string
}

// String prints the state in one line: "1980 MHz, memory 3201 MHz, 412 of 700 W" and the limits.
func (p Power) String() string {
	s := fmt.Sprintf("%d MHz, memory %d MHz, %.0f of %.0f W", p.SMClockMHz, p.MemoryClockMHz, p.Watts, p.CapWatts)
	if len(p.Limits) > 0 {
		s += ", limited by " + strings.Join(p.Limits, ", ")
	}
	return s
}

// limits names the bits of nvmlDeviceGetCurrentClocksEventReasons (nvml.h, nvmlClocksEventReason...).
var limits = []struct {
	bit  uint64
	name string
}{
	{0x1, "idle"},
	{0x2, "applications clocks setting"},
	{0x4, "SW power cap"},
	{0x8, "HW slowdown"},
	{0x10, "sync boost"},
	{0x20, "SW thermal slowdown"},
	{0x40, "HW thermal slowdown"},
	{0x80, "HW power brake"},
	{0x100, "display clock setting"},
}

type nvml struct {
	device uintptr
	driver string // the driver's version

	errorString func(result int32) string
	clock       func(device uintptr, domain int32, mhz *uint32) int32
	watts       func(device uintptr, milliwatts *uint32) int32
	cap         func(device uintptr, milliwatts *uint32) int32
	reasons     func(device uintptr, bits *uint64) int32
}

// openNVML finds the device of the PCI bus id.
func openNVML(pci string) (*nvml, error) {
	handle, path, err := openLibrary(nvmlLibrary, driverFolders)
	if err != nil {
		return nil, err
	}
	n := &nvml{}
	var initialise func() int32
	var version func(version *byte, length uint32) int32
	var find func(pci string, device *uintptr) int32
	if err := bind(handle, path, []symbol{
		{"nvmlInit_v2", &initialise},
		{"nvmlErrorString", &n.errorString},
		{"nvmlSystemGetDriverVersion", &version},
		{"nvmlDeviceGetHandleByPciBusId_v2", &find},
		{"nvmlDeviceGetClockInfo", &n.clock},
		{"nvmlDeviceGetPowerUsage", &n.watts},
		{"nvmlDeviceGetEnforcedPowerLimit", &n.cap},
		{"nvmlDeviceGetCurrentClocksEventReasons", &n.reasons},
	}); err != nil {
		return nil, err
	}
	var name [80]byte
	if err := n.check("nvmlInit_v2", initialise()); err != nil {
		return nil, err
	}
	if err := n.check("nvmlSystemGetDriverVersion", version(&name[0], uint32(len(name)))); err != nil {
		return nil, err
	}
	n.driver = text(name[:])
	if err := n.check("nvmlDeviceGetHandleByPciBusId_v2", find(pci, &n.device)); err != nil {
		return nil, err
	}
	return n, nil
}

func (n *nvml) check(call string, result int32) error {
	if result == 0 {
		return nil
	}
	return &CallError{Call: call, Name: n.errorString(result), Code: int(result)}
}

// Power asks NVML for the state of the clocks now. The GPU need not be idle.
func (d *Device) Power() (Power, error) {
	if d.nvml == nil {
		return Power{}, fmt.Errorf("power state: %w", d.nvmlErr)
	}
	const clockSM, clockMemory = 1, 2
	n := d.nvml
	var sm, memory, watts, limit uint32
	var bits uint64
	for _, q := range []struct {
		call   string
		result int32
	}{
		{"nvmlDeviceGetClockInfo", n.clock(n.device, clockSM, &sm)},
		{"nvmlDeviceGetClockInfo", n.clock(n.device, clockMemory, &memory)},
		{"nvmlDeviceGetPowerUsage", n.watts(n.device, &watts)},
		{"nvmlDeviceGetEnforcedPowerLimit", n.cap(n.device, &limit)},
		{"nvmlDeviceGetCurrentClocksEventReasons", n.reasons(n.device, &bits)},
	} {
		if err := n.check(q.call, q.result); err != nil {
			return Power{}, err
		}
	}
	p := Power{SMClockMHz: int(sm), MemoryClockMHz: int(memory), Watts: float64(watts) / 1000, CapWatts: float64(limit) / 1000}
	for _, l := range limits {
		if bits&l.bit != 0 {
			p.Limits = append(p.Limits, l.name)
		}
	}
	return p, nil
}
