package kernels

import (
	"fmt"

	"cutegen/access"
	"cutegen/algebra"
)

// Copy is one copy partition of a spec: which thread moves which vectors of a tile.
type Copy struct {
	// Threads maps a coordinate of the grid of threads, counted in vectors, to the thread: (16,16):(16,1) is 16 rows of 16 threads,
	// the second mode fastest.
	Threads algebra.Layout
	// Vector is the number of adjacent elements that one instruction moves: 1 or 4.
	Vector int
}

// Partition is a tile's elements by thread and value.
type Partition struct {
	// Name in CuTe's manner: tA, tC.
	Name string
	// Tile is the shape that is partitioned.
	Tile algebra.Tuple
	// TV maps (thread, value) to coordinates of the tile; its strides are scaled basis elements.
	TV algebra.Layout
	// Index maps (thread, value) to the colexicographic index in the tile.
	Index algebra.Layout
}

// NewPartition divides tile by the shape of values that one instruction moves, and what is left by the threads:
//
//	tile (64,64), threads (16,16):(16,1), values (1,4)
//	TV   ((16,16),((1,4),(4,1))):((4@1,1@0),((0,1@1),(16@0,0)))
//
// It is an error if the threads do not cover the tile evenly; the message names the first coordinate that no thread gets.
func NewPartition(name string, tile algebra.Tuple, threads algebra.Layout, values algebra.Tuple) (Partition, error) {
	p := Partition{Name: name, Tile: tile}
	if err := CheckThreads(tile, threads, values); err != nil {
		return p, err
	}
	coords, err := algebra.Identity(tile)
	if err != nil {
		return p, err
	}
	tv, err := algebra.PartitionTV(coords, threads, values)
	if err != nil {
		return p, err
	}
	return p, p.set(tv)
}

// CheckThreads refuses a grid of threads that is larger than the tile: some threads would have nothing to do.
func CheckThreads(tile algebra.Tuple, threads algebra.Layout, values algebra.Tuple) error {
	if threads.Rank() != tile.Rank() {
		return nil // refused by what divides the tile
	}
	for i := range tile.Rank() {
		extent, n, v := tile.Mode(i).Value(), threads.Mode(i).Size(), values.Mode(i).Value()
		if n > extent/v {
			return fmt.Errorf("layout %s of threads with values %s takes %d x %d elements along mode %d, more than the %d of tile %s: use fewer threads or values",
				threads, values, n, v, i, extent, tile)
		}
	}
	return nil
}

// set keeps the modes (thread, value, rest) of tv as (thread, (value, rest)).
func (p *Partition) set(tv algebra.Layout) error {
	values, err := algebra.Concat(tv.Modes()[1:]...)
	if err != nil {
		return err
	}
	if p.TV, err = algebra.Concat(tv.Mode(0), values); err != nil {
		return err
	}
	return p.SetTile(p.Tile)
}

// SetTile sets the tile, and Index from TV and the tile's extents.
func (p *Partition) SetTile(tile algebra.Tuple) (err error) {
	strides := []int{1}
	for _, n := range tile.Leaves()[:tile.Rank()-1] {
		strides = append(strides, strides[len(strides)-1]*n.Value())
	}
	p.Tile = tile
	p.Index, err = algebra.Dot(p.TV, strides...)
	return err
}

// Threads and Values are the sizes of the two modes.
func (p *Partition) Threads() int { return p.TV.Mode(0).Size() }
func (p *Partition) Values() int  { return p.TV.Mode(1).Size() }

// Shared is the partition's access to a tensor of shared memory whose layout maps tile coordinates to offsets.
func (p *Partition) Shared(name string, tensor access.Tensor, layout algebra.Composed, write bool, vector int) (*access.Access, error) {
	offset, err := layout.Compose(p.Index)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &access.Access{Name: name, Tensor: tensor, Write: write, Coord: p.Index, Offset: offset, Vector: vector}, nil
}

// VectorWidth is the number of elements that one instruction moves, if it moves more than one.
const VectorWidth = 4

// SharedVector is Shared with vectors, or with single elements unless all of this holds: the values come in groups of a whole number of
// vectors, the vectors are proved to be adjacent and aligned, and stage, the distance to a second copy of the layout (0 if there is
// none), keeps them aligned. Where single elements are not what the layout is for, since but for its swizzle it has them adjacent, narrow
// says why it is so.
func (p *Partition) SharedVector(name string, tensor access.Tensor, layout algebra.Composed, write bool, group, stage int) (a *access.Access, narrow error, err error) {
	if a, err = p.Shared(name, tensor, layout, write, VectorWidth); err != nil {
		return nil, nil, err
	}
	_, why := a.Check()
	if why == nil && stage%VectorWidth != 0 {
		why = fmt.Errorf("access %s: the second stage starts at offset %d by layout %s, which is not a multiple of %d", name, stage, layout, VectorWidth)
	}
	if why == nil && group%VectorWidth == 0 {
		return a, nil, nil
	}
	a.Vector = 1
	if group%VectorWidth == 0 && a.Offset.Layout.At(a.Threads()) == a.Offset.Layout.At(0)+1 {
		narrow = fmt.Errorf("moves single elements, not vectors of %d: %w", VectorWidth, why)
	}
	return a, narrow, nil
}

// SharedUse is how a partition uses a tensor of shared memory: as SharedVector does.
type SharedUse struct {
	Name      string
	Partition *Partition
	Write     bool
	Group     int
}

// ChooseShared is plain, a layout of a tile of shared memory, under the swizzle or with the padding that gives its uses the fewest bank
// conflicts.
func ChooseShared(name string, plain algebra.Layout, uses ...SharedUse) (algebra.Composed, error) {
	if err := CheckShared(SharedNeed{name, plain.Cosize()}); err != nil {
		return algebra.Composed{}, err
	}
	var all []access.Use
	for _, u := range uses {
		use := access.Use{Name: u.Name, Write: u.Write, Coord: u.Partition.Index, Vector: 1}
		if u.Group%VectorWidth == 0 && access.WidestVector(algebra.Composed{Layout: plain}, use.Coord, FloatBytes) >= VectorWidth {
			use.Vector = VectorWidth
		}
		all = append(all, use)
	}
	advice, err := access.Advise(name, algebra.Composed{Layout: plain}, FloatBytes, all...)
	if err != nil {
		return algebra.Composed{}, err
	}
	return advice.Best().Layout, nil
}

// exampleLD stands for a run-time leading dimension where vectors and sectors of a global access are counted: a multiple of
// every vector and sector, and longer than any tile's row.
const exampleLD = 1 << 14

// Global is the partition's access to a tile of a row-major matrix; contiguous is the mode of the tile that is adjacent in memory.
func (p *Partition) Global(name, tensor string, contiguous int, write bool, vector int) (*access.Access, error) {
	strides := []int{exampleLD, exampleLD}
	strides[contiguous] = 1
	offset, err := algebra.Dot(p.TV, strides...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &access.Access{
		Name: name, Write: write, Coord: p.Index, Vector: vector,
		Tensor: access.Tensor{Name: tensor, Space: access.Global, Tile: p.Tile, ElemBytes: 4},
		Offset: algebra.Composed{Layout: offset},
	}, nil
}
