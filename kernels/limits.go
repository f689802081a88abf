package kernels

import (
	"fmt"
	"math"
	"strconv"
)

// Limits of one launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const (
	mostThreads     = 1024
	mostResident    = 2048     // threads of one multiprocessor
	mostSharedBytes = 48 << 10 // static shared memory of a block
	mostRegisters   = 128      // values that a thread may hold at once; a design limit, half of the 255 registers
	// MostGridYZ is the largest y and z extent of a grid; x goes to 2^31-1.
	MostGridYZ = 65535
)

// SharedNeed is a field of a spec whose layout needs elements of shared memory.
type SharedNeed struct {
	Field string
	Elems int
}

// CheckShared refuses layouts of shared memory that a block has no room for. The error is the field's that needs most. Nothing that visits
// their elements comes before it: there may be 2^62.
func CheckShared(needs ...SharedNeed) error {
	const most = mostSharedBytes / FloatBytes
	room, fits, largest, sum := most, true, needs[0], ""
	for i, n := range needs {
		if i > 0 {
			sum += " + "
		}
		sum += strconv.Itoa(n.Elems)
		fits = fits && n.Elems <= room
		room -= min(n.Elems, room)
		if n.Elems > largest.Elems {
			largest = n
		}
	}
	if fits {
		return nil
	}
	return &FieldError{Field: largest.Field, Err: fmt.Errorf("shared memory needs %s floats (the cosize), more than the %d floats (%d KiB) of a block: take a smaller tile or less padding",
		sum, most, mostSharedBytes>>10)}
}

// CheckLimits refuses what no block can be: threads, minBlocks of them on a multiprocessor, and values that one thread holds. The errors
// are of the fields threadsField, minBlocks and tile.
func CheckLimits(threadsField string, threads, minBlocks, values int) error {
	switch {
	case threads > mostThreads:
		return &FieldError{Field: threadsField, Err: fmt.Errorf("a block of %d threads is more than the %d that a block can have", threads, mostThreads)}
	case threads*minBlocks > mostResident:
		return &FieldError{Field: "minBlocks", Err: fmt.Errorf("%d blocks of %d threads are more than the %d threads of a multiprocessor: at most %d",
			minBlocks, threads, mostResident, mostResident/threads)}
	case values > mostRegisters:
		return &FieldError{Field: "tile", Err: fmt.Errorf("a thread would hold %d values, more than %d: use more threads or a smaller tile", values, mostRegisters)}
	}
	return nil
}

// MostBlocks is the largest block coordinate along a mode whose tiles have the given extent.
func MostBlocks(extent int) int { return math.MaxInt32/extent - 1 }

// MostExtent is the largest run-time extent along a mode whose tiles have the given extent: every coordinate of every tile that
// covers it fits in 32 bits.
func MostExtent(extent int) int { return MostBlocks(extent) * extent }

// MostLD is the largest leading dimension with which every offset inside one tile of rows x cols fits in 32 bits.
func MostLD(rows, cols int) int { return (math.MaxInt32 - cols) / rows }
