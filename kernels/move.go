package kernels

import (
	"fmt"
	"math"
	"strings"

	"cutegen/access"
	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/templates"
)

// Matrix is a row-major matrix in global memory as a kernel sees it: tile coordinates become addresses by the strides and are
// guarded by the extents.
type Matrix struct {
	// Pointer is the C expression of its first element, LD the parameter of its leading dimension.
	Pointer string
	LD      emit.Expr
	// Contiguous is the coordinate whose stride is 1.
	Contiguous int
	// Extents are the run-time extents, one for each coordinate: M, N.
	Extents [2]emit.Expr
}

// Dim is a run-time extent: any int that leaves room for one tile.
func Dim(name string) emit.Expr { return emit.Param(name, 0, math.MaxInt32) }

// Index is a variable of coordinate type, whose range is that of any coordinate.
func Index(name string) emit.Expr { return emit.Var(name, 0, math.MaxInt32) }

// Address is the inner product of a coordinate and the matrix's strides.
func (m Matrix) Address(coord []emit.Expr) emit.Expr {
	return emit.Add(emit.Mul(coord[1-m.Contiguous], m.LD), coord[m.Contiguous])
}

// GlobalMove is a partition's access to a matrix, split into what the thread decides (declared once) and what the value decides (a
// literal in each instruction).
type GlobalMove struct {
	// Base is the thread's first coordinate in the tile.
	Base   []emit.Expr
	Vecs   []templates.Vec
	Points int
}

// Move emits the instructions of a partition on the matrix: pointer is the C name of the thread's pointer, names those of its
// first coordinates, and guarded holds the coordinate that each guard compares: usually the names themselves.
func (m Matrix) Move(p *Partition, vector int, pointer string, guarded [2]emit.Expr) (GlobalMove, error) {
	parts, err := p.TV.Components()
	if err != nil {
		return GlobalMove{}, err
	}
	thread := emit.Var("t", 0, p.Threads()-1)
	h, err := emit.Hoist(thread, algebra.Composed{Layout: parts[0]}, algebra.Composed{Layout: parts[1]})
	if err != nil {
		return GlobalMove{}, err
	}
	if len(h.Base) != 1 {
		return GlobalMove{}, fmt.Errorf("layout %s: its coordinates are not a sum of a thread's part and a value's part", p.TV)
	}
	g := GlobalMove{Base: h.Base[0], Points: h.Points}
	at := func(v int) (string, string) {
		delta := []emit.Expr{emit.Const(h.Delta[v][0]), emit.Const(h.Delta[v][1])}
		var guards []string
		for i := range delta {
			guards = append(guards, emit.Add(guarded[i], delta[i]).String()+" < "+m.Extents[i].String())
		}
		return emit.Plus(pointer, m.Address(delta)), strings.Join(guards, " && ")
	}
	for v := 0; v < p.Values(); v += vector {
		addr, _ := at(v)
		vec := templates.Vec{Reg: v, Width: vector, Addr: addr}
		for e := v; e < v+vector; e++ {
			addr, guard := at(e)
			vec.Elems = append(vec.Elems, templates.Elem{Reg: e, Addr: addr, Guard: guard})
		}
		g.Vecs = append(g.Vecs, vec)
	}
	return g, nil
}

// SharedMove is an access to shared memory split in the same way: the base registers, one pointer each, and the instructions.
type SharedMove struct {
	Bases  []emit.Expr
	Vecs   []templates.Vec
	Points int
}

// MoveShared emits the instructions of an access to shared memory; pointers is the C name of its base pointers, without their
// number.
func MoveShared(a *access.Access, pointers string) (SharedMove, error) {
	h, err := emit.Hoist(emit.Var("t", 0, a.Threads()-1), a.Offset)
	if err != nil {
		return SharedMove{}, err
	}
	m := SharedMove{Points: h.Points}
	for _, b := range h.Base {
		m.Bases = append(m.Bases, b[0])
	}
	for v := 0; v < a.Values(); v += a.Vector {
		addr := emit.Plus(fmt.Sprintf("%s%d", pointers, h.Of[v]), emit.Const(h.Delta[v][0]))
		m.Vecs = append(m.Vecs, templates.Vec{Reg: v, Width: a.Vector, Addr: addr})
	}
	return m, nil
}
