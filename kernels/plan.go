package kernels

import (
	"fmt"
	"math"

	"cutegen/access"
	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/templates"
)

// FloatBytes is the size of the one element type.
const FloatBytes = 4

// Limits of one launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const (
	mostThreads     = 1024
	mostSharedBytes = 48 << 10 // static shared memory of a block
	mostRegisters   = 128      // values that a thread may hold at once; a design limit, half of the 255 registers
	// MostGridYZ is the largest y and z extent of a grid; x goes to 2^31-1.
	MostGridYZ = 65535
)

// CheckLimits refuses what no block can be.
func CheckLimits(threads, sharedBytes, values int) error {
	switch {
	case threads > mostThreads:
		return fmt.Errorf("a block of %d threads is more than the %d that a block can have", threads, mostThreads)
	case sharedBytes > mostSharedBytes:
		return fmt.Errorf("the layouts need %d bytes of shared memory (their cosize), more than the %d of a block: take a smaller tile", sharedBytes, mostSharedBytes)
	case values > mostRegisters:
		return fmt.Errorf("a thread would hold %d values, more than %d: use more threads or a smaller tile", values, mostRegisters)
	}
	return nil
}

// ProofList runs proofs in order until one fails.
type ProofList struct {
	Proofs []Proof
	Err    error
}

// Add runs one proof, unless an earlier one has failed.
func (l *ProofList) Add(name string, prove func() (int, error)) {
	if l.Err != nil {
		return
	}
	var n int
	if n, l.Err = prove(); l.Err == nil {
		l.Proofs = append(l.Proofs, Proof{Name: name, Domain: n})
	}
}

// MostBlocks is the largest block coordinate along a mode whose tiles have the given extent.
func MostBlocks(extent int) int { return math.MaxInt32/extent - 1 }

// MostExtent is the largest run-time extent along a mode whose tiles have the given extent: every coordinate of every tile that
// covers it fits in 32 bits.
func MostExtent(extent int) int { return MostBlocks(extent) * extent }

// MostLD is the largest leading dimension with which every offset inside one tile of rows x cols fits in 32 bits.
func MostLD(rows, cols int) int { return (math.MaxInt32 - cols) / rows }

// BlockOrigin is the first coordinate of a block's tile, one expression for each mode: the rest mode of the matrix's coordinates
// divided by the tile (CuTe: local_tile), at the block's coordinate.
func BlockOrigin(tile algebra.Tuple, block ...emit.Expr) ([]emit.Expr, error) {
	var extents []int
	for i := range tile.Rank() {
		extents = append(extents, MostExtent(tile.Mode(i).Value())+tile.Mode(i).Value())
	}
	matrix, err := algebra.Identity(algebra.Ints(extents...))
	if err != nil {
		return nil, err
	}
	tiles, err := algebra.ZippedDivide(matrix, tile)
	if err != nil {
		return nil, err
	}
	var origin []emit.Expr
	for i := range tile.Rank() {
		l, err := tiles.Mode(1).Component(i)
		if err != nil {
			return nil, err
		}
		e, err := emit.Offset(algebra.Composed{Layout: l}, block...)
		if err != nil {
			return nil, err
		}
		origin = append(origin, e)
	}
	return origin, nil
}

// Stride is a run-time batch stride: 64 bits.
func Stride(name string) emit.Expr { return emit.Param(name, 0, math.MaxInt) }

// First is text for i = 0 and "" after: a comment over the first of several lines.
func First(i int, text string) string {
	if i == 0 {
		return text
	}
	return ""
}

// CountAll predicts the transactions of each access.
func CountAll(as ...*access.Access) []Count {
	var counts []Count
	for _, a := range as {
		c := a.Count()
		counts = append(counts, Count{Access: a.Name, Unit: c.Unit, Value: c.Value, Ideal: c.Ideal})
	}
	return counts
}

// LayoutComments are a manifest's layouts for the comment at the head of a source.
func LayoutComments(ls []NamedLayout) []templates.Layout {
	var out []templates.Layout
	for _, l := range ls {
		out = append(out, templates.Layout{Name: l.Name, Text: l.Layout, Doc: l.Doc})
	}
	return out
}

// Notes says in the source what was proved and what is predicted.
func Notes(proofs []Proof, counts []Count) []string {
	out := []string{"Proved before this was printed, each over its whole domain:"}
	for _, p := range proofs {
		out = append(out, fmt.Sprintf("  %s (%d points)", p.Name, p.Domain))
	}
	out = append(out, "Predicted for one instruction of a warp (ideal in brackets):")
	for _, c := range counts {
		out = append(out, fmt.Sprintf("  %s: %.4g %s (%.4g)", c.Access, c.Value, c.Unit, c.Ideal))
	}
	return out
}

// Params are a signature for the manifest.
func Params(ps []templates.Param) []Param {
	var out []Param
	for _, p := range ps {
		out = append(out, Param{Name: p.Name, Type: trimmed(p.Type), Doc: p.Doc})
	}
	return out
}

func trimmed(ctype string) string {
	for len(ctype) > 0 && ctype[len(ctype)-1] == ' ' {
		ctype = ctype[:len(ctype)-1]
	}
	return ctype
}

// Aligned is the demand that a parameter be a multiple, none if every value is.
func Aligned(param string, multiple int, unit string) []Alignment {
	if multiple == 1 {
		return nil
	}
	return []Alignment{{Param: param, Multiple: multiple, Unit: unit}}
}

// Misaligned is the C condition under which an argument breaks the demand.
func Misaligned(a Alignment) string {
	value := Stride(a.Param)
	if a.Unit == "bytes" {
		value = Stride("(long long)" + a.Param)
	}
	return "(" + emit.Mod(value, a.Multiple).String() + ") != 0"
}
