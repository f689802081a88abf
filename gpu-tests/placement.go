package gputests

import (
	"fmt"

	"cutegen/gpu"
)

// guard is the number of elements around a matrix that a kernel must not touch: a row more than those of the small problems. It keeps the
// alignment of an allocation.
const guard = 512

// A placement says where a batch of row-major matrices lies in its allocation, in elements:
//
//	before | offset | row 0 | padding | row 1 | padding | ... | last row | after
//
// The last row has no padding: what follows it may belong to someone else.
type placement struct {
	batch, rows, cols int
	ld, stride        int // from one row to the next, from one matrix to the next
	offset            int // makes the first element a sub-view
	before, after     int
}

// at is the position of an element in the allocation.
func (p placement) at(b, i, j int) int { return p.start() + b*p.stride + i*p.ld + j }

func (p placement) start() int { return p.before + p.offset }

// size is the number of elements of the allocation.
func (p placement) size() int {
	if p.batch == 0 || p.rows == 0 || p.cols == 0 {
		return p.start() + p.after
	}
	return p.at(p.batch-1, p.rows-1, p.cols-1) + 1 + p.after
}

// pointer is the address of the first element in an allocation at the address base.
func (p placement) pointer(base gpu.DevicePtr) gpu.DevicePtr {
	return base + gpu.DevicePtr(4*p.start())
}

// rowwise calls f with where the elements of each row begin and end, once for rows that adjoin.
func (p placement) rowwise(f func(from, to int) error) error {
	from, to := 0, 0
	flush := func() error {
		if from == to {
			return nil
		}
		return f(from, to)
	}
	for b := range p.batch {
		for i := range p.rows {
			row := p.at(b, i, 0)
			if row != to {
				if err := flush(); err != nil {
					return err
				}
				from = row
			}
			to = row + p.cols
		}
	}
	return flush()
}

// locate names the place of a position: an element's coordinates, or where outside it lies.
func (p placement) locate(name string, position int) string {
	from := position - p.start()
	if from < 0 {
		return fmt.Sprintf("%d elements before %s", -from, name)
	}
	b := 0
	if p.batch > 1 {
		b = min(from/p.stride, p.batch-1)
	}
	from -= b * p.stride
	i, j := from/p.ld, from%p.ld
	matrix := name
	if p.batch > 1 {
		matrix = fmt.Sprintf("%s[%d]", name, b)
	}
	switch {
	case i < p.rows && j < p.cols:
		return fmt.Sprintf("%s(%d,%d)", matrix, i, j)
	case i < p.rows-1:
		return fmt.Sprintf("the padding %d elements after row %d of %s", j-p.cols+1, i, matrix)
	}
	return fmt.Sprintf("%d elements after the end of %s", from-(p.rows-1)*p.ld-p.cols+1, matrix)
}

// poisoned is an allocation that is poison throughout.
func (p placement) poisoned() []uint32 {
	words := make([]uint32, max(p.size(), 1))
	for i := range words {
		words[i] = poison
	}
	return words
}

// inside reports whether a position holds an element of a single matrix.
func (p placement) inside(position int) bool {
	from := position - p.start()
	return from >= 0 && from/p.ld < p.rows && from%p.ld < p.cols
}

// roundUp is the least multiple of m that is at least n.
func roundUp(n, m int) int { return (n + m - 1) / m * m }
