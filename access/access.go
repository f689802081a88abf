// Package access states who touches what, and decides it.
//
// An [Access] is one instruction of a kernel's plan as layouts: every thread, every value, the element of the tile that the value is
// (Coord) and the place where it lies (Offset). A [Program] is the accesses in order, with the barriers between them. From these
// alone, before any source is printed, the package decides:
//
//   - bounds: no offset leaves the tensor's allocation
//   - vectors: the values of one instruction are adjacent and aligned
//   - cover: each element of a tile is touched, exactly once
//   - races: between two barriers no thread reads or writes what another writes
//   - contents: a read finds the element that its coordinate names, and it was written before
//
// and counts what the hardware will do: 32-byte sectors of global memory, 128-byte wavefronts of shared memory. Every refusal names
// the access, the layout, the threads and the coordinate.
//
// [Advise] turns the question round: given the accesses to a tile of shared memory, it finds the swizzle or the padding under which
// none of them has a bank conflict.
package access

import (
	"fmt"

	"cutegen/algebra"
)

// Space is where a tensor lies.
type Space int

const (
	Global Space = iota
	Shared
)

// Tensor is a tile of memory that accesses touch.
type Tensor struct {
	// Name in CuTe's manner: gA, sA.
	Name  string
	Space Space
	// Tile is the shape of coordinates, e.g. (128,8).
	Tile algebra.Tuple
	// Elems is the number of elements allocated. For shared memory it must hold the cosize of the layout, not the size. A global
	// tile has none: its extent is a run-time fact, which the guard compares.
	Elems int
	// ElemBytes is the size of an element.
	ElemBytes int
}

// Access is one load or store of a plan, for all threads and all of its values. Both layouts have the modes (thread, value); with
// Vector = w, values w*i .. w*i+w-1 are one instruction.
type Access struct {
	// Name in CuTe's manner: tAgA is partition tA applied to gA.
	Name   string
	Tensor Tensor
	Write  bool
	// Coord is the index of the touched element in the tile, colexicographic in Tensor.Tile.
	Coord algebra.Layout
	// Offset is where the element lies: shared memory, in elements of the allocation. For a global tile it is the coordinate in an
	// example of the memory layout (leading dimension a multiple of every vector), used for vectors and counts only.
	Offset algebra.Composed
	// Vector is the number of values of one instruction.
	Vector int
}

// points is an access with its layouts evaluated everywhere: point i is thread i % threads, value i / threads.
type points struct {
	*Access
	threads, values int
	coords, offsets []int
}

func (a *Access) evaluate() points { return a.points(a.Coord.At, a.Offset.At) }

func (a *Access) points(coord, offset func(i int) int) points {
	p := points{Access: a, threads: a.Threads(), values: a.Values()}
	p.coords, p.offsets = make([]int, p.threads*p.values), make([]int, p.threads*p.values)
	for i := range p.coords {
		p.coords[i], p.offsets[i] = coord(i), offset(i)
	}
	return p
}

func (p *points) coord(t, v int) int  { return p.coords[t+p.threads*v] }
func (p *points) offset(t, v int) int { return p.offsets[t+p.threads*v] }

// at renders the tile coordinate of value v of thread t, as in "(17,3)".
func (p *points) at(t, v int) string { return tileCoord(p.Tensor.Tile, p.coord(t, v)) }

func tileCoord(tile algebra.Tuple, i int) string {
	l, err := algebra.ColMajor(tile)
	if err != nil || i < 0 {
		return fmt.Sprint(i)
	}
	return l.Coord(i).String()
}

// Threads and Values are the sizes of the two modes.
func (a *Access) Threads() int { return a.Coord.Mode(0).Size() }
func (a *Access) Values() int  { return a.Coord.Mode(1).Size() }

// Check decides what one access must satisfy alone: congruent layouts, bounds and vectors. It returns the number of
// (thread, value) points that it visited.
func (a *Access) Check() (domain int, err error) {
	if a.Coord.Rank() != 2 || a.Offset.Layout.Rank() != 2 ||
		a.Offset.Layout.Mode(0).Size() != a.Threads() || a.Offset.Layout.Mode(1).Size() != a.Values() {
		return 0, fmt.Errorf("access %s: offset layout %s and coordinate layout %s must both have the modes (thread, value)",
			a.Name, a.Offset, a.Coord)
	}
	if err := a.inside(); err != nil {
		return 0, err
	}
	p := a.evaluate()
	return len(p.coords), p.check()
}

// check decides bounds and vectors.
func (p *points) check() error {
	if p.Vector < 1 || p.values%p.Vector != 0 {
		return fmt.Errorf("access %s: %d values per thread do not divide into vectors of %d", p.Name, p.values, p.Vector)
	}
	for t := range p.threads {
		for v := range p.values {
			o := p.offset(t, v)
			if o < 0 || p.Tensor.Space == Shared && o >= p.Tensor.Elems {
				return fmt.Errorf("access %s: thread %d, value %d at coordinate %s has offset %d by layout %s, but %s has %d elements: it needs the cosize, %d",
					p.Name, t, v, p.at(t, v), o, p.Offset, p.Tensor.Name, p.Tensor.Elems, p.Offset.Cosize())
			}
			first := v - v%p.Vector
			if start := p.offset(t, first); o != start+v-first {
				return fmt.Errorf("access %s: values %d and %d of thread %d are one vector of %d, but lie at offsets %d and %d by layout %s: use vectors of 1, or a layout whose value mode has stride 1",
					p.Name, first, v, t, p.Vector, start, o, p.Offset)
			} else if start%p.Vector != 0 {
				return fmt.Errorf("access %s: the vector of %d at coordinate %s (thread %d, value %d) starts at offset %d by layout %s, which is not a multiple of %d",
					p.Name, p.Vector, p.at(t, first), t, first, start, p.Offset, p.Vector)
			}
		}
	}
	return nil
}

// inside decides that every coordinate is one of the tile.
func (a *Access) inside() error {
	size, err := algebra.Product(a.Tensor.Tile)
	if err != nil {
		return err
	}
	for i := range a.Coord.Size() {
		if c := a.Coord.At(i); c < 0 || c >= size {
			return fmt.Errorf("access %s: thread %d, value %d lies outside the tile %s of %s: %s, by layout %s",
				a.Name, i%a.Threads(), i/a.Threads(), a.Tensor.Tile, a.Tensor.Name, tileCoord(a.Tensor.Tile, c), a.Coord)
		}
	}
	return nil
}

// Cover decides that the access touches each element of its tile exactly once. Two threads on one element, or an element that no
// thread touches, are refused by their coordinates.
func (a *Access) Cover() (domain int, err error) {
	size, err := algebra.Product(a.Tensor.Tile)
	if err != nil {
		return 0, err
	}
	p := a.evaluate()
	owner := make([]int, size)
	for i := range owner {
		owner[i] = -1
	}
	for v := range p.values {
		for t := range p.threads {
			c := p.coord(t, v)
			if c < 0 || c >= size {
				return 0, fmt.Errorf("access %s: thread %d, value %d lies outside the tile %s of %s, by layout %s",
					a.Name, t, v, a.Tensor.Tile, a.Tensor.Name, a.Coord)
			}
			if o := owner[c]; o >= 0 {
				return 0, fmt.Errorf("access %s: coordinate %s of %s is touched twice, by thread %d value %d and thread %d value %d, by layout %s",
					a.Name, p.at(t, v), a.Tensor.Name, o%p.threads, o/p.threads, t, v, a.Coord)
			}
			owner[c] = t + p.threads*v
		}
	}
	for c, o := range owner {
		if o < 0 {
			return 0, fmt.Errorf("access %s: no thread touches coordinate %s of the tile %s of %s: layout %s does not cover it",
				a.Name, tileCoord(a.Tensor.Tile, c), a.Tensor.Tile, a.Tensor.Name, a.Coord)
		}
	}
	return len(p.coords), nil
}
