package kernels

import (
	"errors"
	"math"

	"cutegen/algebra"
	"cutegen/emit"
)

// FloatBytes is the size of the one element type.
const FloatBytes = 4

// ProofList runs proofs in order until one fails.
type ProofList struct {
	Proofs []Proof
	Err    error
}

// Add runs one proof, unless an earlier one has failed. Where it fails the field of the spec is at fault, unless the error names another.
func (l *ProofList) Add(field, name string, prove func() (int, error)) {
	if l.Err != nil {
		return
	}
	n, err := prove()
	switch {
	case err == nil:
		l.Proofs = append(l.Proofs, Proof{Name: name, Domain: n})
	case errors.As(err, new(*FieldError)):
		l.Err = err
	default:
		l.Err = &FieldError{Field: field, Err: err}
	}
}

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
