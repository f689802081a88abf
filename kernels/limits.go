package kernels

import (
	"fmt"
	"math"
	"strings"
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

// CheckShared refuses layouts of shared memory that a block has no room for, by the elements that each needs. Nothing that visits their
// elements comes before it: there may be 2^62.
func CheckShared(elems ...int) error {
	const most = mostSharedBytes / FloatBytes
	room := most
	for _, n := range elems {
		if room -= min(n, most+1); room < 0 {
			text := strings.ReplaceAll(strings.Trim(fmt.Sprint(elems), "[]"), " ", " + ")
			return fmt.Errorf("the layouts need %s elements of shared memory (their cosize), more than the %d of a block: take a smaller tile", text, most)
		}
	}
	return nil
}

// CheckLimits refuses what no block can be: threads, minBlocks of them on a multiprocessor, and values that one thread holds.
func CheckLimits(threads, minBlocks, values int) error {
	switch {
	case threads > mostThreads:
		return fmt.Errorf("a block of %d threads is more than the %d that a block can have", threads, mostThreads)
	case threads*minBlocks > mostResident:
		return fmt.Errorf("minBlocks %d of %d threads are more than the %d threads of a multiprocessor", minBlocks, threads, mostResident)
	case values > mostRegisters:
		return fmt.Errorf("a thread would hold %d values, more than %d: use more threads or a smaller tile", values, mostRegisters)
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
