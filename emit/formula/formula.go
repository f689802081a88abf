// Package formula is the index arithmetic that kernels have in common, twice: as a hand writes it, and derived from the layout that it
// means. [Table] lists the cases, [Derive] proves the two equal at every coordinate:
//
//	GEMM, cooperative load into As[k][m]: element e of the tile
//	by hand   (t + i * 256) % 8 * 128 + (t + i * 256) / 8
//	layout    local_partition((128,8):(1,128), (32,8):(8,1)) = ((8,32),(4,1)):((128,1),(32,0))
//	derived   (t & 7) * 128 + (t >> 3) + i * 32
package formula

import (
	"fmt"

	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/emit/cexpr"
)

// Var is a coordinate: 0 to Extent-1.
type Var struct {
	Name   string
	Extent int
	// Unrolled: the loop over it is unrolled, so that it is a constant in each copy of its body.
	Unrolled bool
}

// Formula is an index, as a hand writes it and as a layout.
type Formula struct {
	Name string
	// Task is what it finds.
	Task string
	// Vars are the layout's coordinates, one a mode.
	Vars []Var
	// Hand is the C expression.
	Hand string
	// From is how the layout is made, in CuTe's words.
	From   string
	Layout algebra.Composed
}

// Derived is a formula with what was derived from its layout.
type Derived struct {
	Formula
	// C is the derived expression.
	C string
	// Points is the number of coordinates at which both expressions are the layout's value: all.
	Points int
	// HandOps and Ops count the operators of the two texts.
	HandOps, Ops int
}

// Derive makes the expression of f's layout, and proves it and the handwritten one equal to the layout at every coordinate. The error
// names the first coordinate at which one is not.
func Derive(f Formula) (Derived, error) {
	d := Derived{Formula: f}
	coord := make([]emit.Expr, len(f.Vars))
	for i, v := range f.Vars {
		coord[i] = emit.Var(v.Name, 0, v.Extent-1)
	}
	e, err := emit.Offset(f.Layout, coord...)
	if err != nil {
		return d, fmt.Errorf("%s: %w", f.Name, err)
	}
	if err := e.Fits32(false); err != nil {
		return d, fmt.Errorf("%s: %w", f.Name, err)
	}
	d.C = e.String()
	if d.Points, err = emit.Prove(e, f.Layout, coord...); err != nil {
		return d, fmt.Errorf("%s: %w", f.Name, err)
	}
	hand, err := cexpr.Parse(f.Hand)
	if err != nil {
		return d, fmt.Errorf("%s: %w", f.Name, err)
	}
	derived, err := cexpr.Parse(d.C)
	if err != nil {
		return d, fmt.Errorf("%s: %w", f.Name, err)
	}
	d.HandOps, d.Ops = hand.Ops(), derived.Ops()
	at := map[string]int{}
	for i := range d.Points {
		rest := i
		for _, v := range f.Vars {
			at[v.Name] = rest % v.Extent
			rest /= v.Extent
		}
		got, err := hand.Eval(at)
		if err != nil {
			return d, fmt.Errorf("%s: %w", f.Name, err)
		}
		if want := f.Layout.At(i); got != want {
			return d, fmt.Errorf("%s: layout %s is %d at %v, but %s gives %d", f.Name, f.Layout, want, at, f.Hand, got)
		}
	}
	return d, nil
}

// Table is the index arithmetic of a transpose, a GEMM, a grouped order of tiles, a paged cache and a blocked layout, with sizes that
// kernels have.
func Table() ([]Formula, error) {
	var t table
	threads := Var{Name: "t", Extent: 256}
	loop := func(name string, extent int) Var { return Var{name, extent, true} }

	// Transpose: tile[32][33] in shared memory, 32x8 threads.
	padded := algebra.MustLayout("(32,32):(33,1)")
	t.add(Formula{
		Name: "transpose, padded", Task: "tile[x][y + 8j] of tile[32][33]: what a thread reads",
		Vars: []Var{threads, loop("j", 4)},
		Hand: "t % 32 * 33 + t / 32 + j * 8",
		From: "local_partition((32,32):(33,1), (32,8):(1,32))",
	}, plain(algebra.LocalPartition(padded, algebra.MustLayout("(32,8):(1,32)"))))
	t.add(Formula{
		Name: "transpose, swizzled", Task: "tile[x][(y + 8j) ^ x] of tile[32][32]: what a thread reads",
		Vars: []Var{threads, loop("j", 4)},
		Hand: "t % 32 * 32 + (t / 32 + j * 8 ^ t % 32)",
		From: "Sw<5,0,5> o local_partition((32,32):(32,1), (32,8):(1,32))",
	}, swizzled(algebra.Swizzle{Bits: 5, Base: 0, Shift: 5}, "(32,32):(32,1)", "(32,8):(1,32)"))

	// GEMM 128x128x8 by 256 threads: As[8][128], each thread a piece of 8x8.
	sA, sB := algebra.MustLayout("(128,8):(1,128)"), algebra.MustLayout("(128,8):(1,128)")
	t.add(Formula{
		Name: "GEMM, cooperative load", Task: "As[k][m] with m = e / BK, k = e % BK: element e = t + 256i of A's tile",
		Vars: []Var{threads, loop("i", 4)},
		Hand: "(t + i * 256) % 8 * 128 + (t + i * 256) / 8",
		From: "local_partition(sA, (32,8):(8,1))",
	}, plain(algebra.LocalPartition(sA, algebra.MustLayout("(32,8):(8,1)"))))
	t.add(Formula{
		Name: "GEMM, compute, A", Task: "As[k][ty * TM + i] with ty = t / (BN / TN)",
		Vars: []Var{threads, loop("i", 8), loop("k", 8)},
		Hand: "k * 128 + t / 16 * 8 + i",
		From: "partition(sA, tC (16,16):(16,1), Step<1,X>), pieces of 8",
	}, plain(operand(sA, 0)))
	t.add(Formula{
		Name: "GEMM, compute, B", Task: "Bs[k][tx * TN + j] with tx = t % (BN / TN)",
		Vars: []Var{threads, loop("j", 8), loop("k", 8)},
		Hand: "k * 128 + t % 16 * 8 + j",
		From: "partition(sB, tC (16,16):(16,1), Step<X,1>), pieces of 8",
	}, plain(operand(sB, 1)))

	// Grouped order of 32x12 tiles, groups of 8 rows: pid walks down the group first.
	pid := Var{Name: "pid", Extent: 32 * 12}
	t.add(Formula{
		Name: "grouped order, pid_m", Task: "first_pid_m + pid % num_pid_in_group % group_size_m",
		Vars: []Var{pid},
		Hand: "pid / (8 * 12) * 8 + pid % (8 * 12) % 8",
		From: "coordinate 0 of (8,12,4):(1@0,1@1,8@0), counted",
	}, plain(tiles(0)))
	t.add(Formula{
		Name: "grouped order, pid_n", Task: "pid % num_pid_in_group / group_size_m",
		Vars: []Var{pid},
		Hand: "pid % (8 * 12) / 8",
		From: "coordinate 1 of (8,12,4):(1@0,1@1,8@0), counted",
	}, plain(tiles(1)))

	// Paged cache (block, token, head, d) of 64 blocks of 16 tokens, 8 heads of 128; the token's block is looked up.
	t.add(Formula{
		Name: "paged KV cache", Task: "phys * stride_cb + offs_t * stride_ct + kvh * stride_ch + offs_d, as vectors of 8",
		Vars: []Var{{"phys", 64, false}, {"tok", 16, false}, {"kvh", 8, false}, {"v", 16, false}},
		Hand: "phys * (16 * 8 * 128) + tok * (8 * 128) + kvh * 128 + v * 8",
		From: "zipped_divide((64,16,8,128):(16384,1024,128,1), (1,1,1,8)), mode 1",
	}, plain(vectors(algebra.MustLayout("(64,16,8,128):(16384,1024,128,1)"), algebra.Ints(1, 1, 1, 8))))

	// Triton's blocked layout of 1024 elements: sizePerThread 4, threadsPerWarp 32, warpsPerCTA 4.
	t.add(Formula{
		Name: "blocked layout", Task: "rep * tile + warp * spt * tpw + lane * spt + s: register r of thread t",
		Vars: []Var{{"t", 128, false}, loop("r", 8)},
		Hand: "r / 4 * (4 * 32 * 4) + t / 32 * (4 * 32) + t % 32 * 4 + r % 4",
		From: "(thread,(s,rep))",
	}, plain(algebra.ParseLayout("(128,(4,2)):(4,(1,512))")))
	// The same in two dimensions: (16,64), sizePerThread (1,4), threadsPerWarp (2,16), warpsPerCTA (4,1), row-major.
	t.add(Formula{
		Name: "blocked layout, 2-D", Task: "the offset, row-major, of register r of thread t in a tile of 16x64",
		Vars: []Var{{"t", 128, false}, loop("r", 8)},
		Hand: "(r / 4 * 8 + t / 32 * 2 + t % 32 / 16) * 64 + t % 16 * 4 + r % 4",
		From: "((lane,lane,warp),(s,rep))",
	}, plain(algebra.ParseLayout("((16,2,4),(4,2)):((4,64,128),(1,512))")))
	return t.formulas, t.err
}

// table collects formulas and the first error of their layouts.
type table struct {
	formulas []Formula
	err      error
}

type made struct {
	l   algebra.Composed
	err error
}

func (t *table) add(f Formula, m made) {
	if t.err == nil && m.err != nil {
		t.err = fmt.Errorf("%s: %w", f.Name, m.err)
	}
	f.Layout = m.l
	t.formulas = append(t.formulas, f)
}

func plain(l algebra.Layout, err error) made { return made{algebra.Composed{Layout: l}, err} }

func swizzled(s algebra.Swizzle, tile, threads string) made {
	l, err := algebra.LocalPartition(algebra.MustLayout(tile), algebra.MustLayout(threads))
	return made{algebra.Composed{Swizzle: s, Layout: l}, err}
}

// vectors is where the tiles of l begin.
func vectors(l algebra.Layout, tile algebra.Tuple) (algebra.Layout, error) {
	zipped, err := algebra.ZippedDivide(l, tile)
	if err != nil {
		return algebra.Layout{}, err
	}
	return zipped.Mode(1), nil
}

// operand is the part of an operand's tile (128,8) that a thread computes with: (thread, piece, k). Threads that differ along the other
// mode of tC share it.
func operand(tile algebra.Layout, mode int) (algebra.Layout, error) {
	proj := []algebra.Tuple{algebra.Underscore, algebra.Underscore}
	proj[mode] = algebra.Int(1)
	tv, err := algebra.PartitionTVProj(tile.Mode(0), algebra.MustLayout("(16,16):(16,1)"), algebra.MakeTuple(algebra.Int(8)), algebra.MakeTuple(proj...))
	if err != nil {
		return algebra.Layout{}, err
	}
	return algebra.Concat(tv.Mode(0), tv.Mode(1), tile.Mode(1))
}

// tiles is one coordinate of the tile that a program does.
func tiles(component int) (algebra.Layout, error) {
	return algebra.MustLayout("((8,12,4)):((1@0,1@1,8@0))").Component(component)
}
