package kernels

import (
	"fmt"

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

// Extent is a run-time extent along a mode whose tiles have the given extent.
func Extent(name string, tile int) emit.Expr { return emit.Param(name, 0, MostExtent(tile)) }

// LD is a leading dimension with which every offset inside one tile of rows x cols fits in 32 bits.
func LD(name string, rows, cols int) emit.Expr { return emit.Param(name, 0, MostLD(rows, cols)) }

// Address is the inner product of a coordinate and the matrix's strides.
func (m Matrix) Address(coord []emit.Expr) emit.Expr {
	return emit.Add(emit.Mul(coord[1-m.Contiguous], m.LD), coord[m.Contiguous])
}

// GlobalMove is a partition's access to a matrix, split into what the block and the thread decide (declared once) and what the value
// decides (a literal in each instruction).
type GlobalMove struct {
	// Start is the coordinate of the thread's value 0, and Coord the names it is declared under.
	Start, Coord [2]emit.Expr
	// Base is the offset of the matrix's element at Coord.
	Base emit.Expr
	// Rows declares a pointer for each further row of the matrix that the thread touches.
	Rows   []templates.Line
	Vecs   []templates.Vec
	Points int
}

// Thread says how a GlobalMove names what it declares.
type Thread struct {
	// Pointer is the C name of the thread's pointer, Coord those of its first coordinates.
	Pointer string
	Coord   [2]string
	// Rows is the type of the pointers by which further rows are reached, "const float* const"; "" adds the rows' distance in each
	// instruction, for a pointer that moves.
	Rows string
	// Origin is the block's part of the coordinates, which is declared with them; Moving is a part that changes while the pointer
	// walks, and is added in the guards only.
	Origin, Moving [2]emit.Expr
}

// Move emits the instructions of a partition on the matrix.
func (m Matrix) Move(p *Partition, vector int, th Thread) (GlobalMove, error) {
	var g GlobalMove
	var parts [2]algebra.Layout
	for k := range parts {
		var err error
		if parts[k], err = p.TV.Component(k); err != nil {
			return g, err
		}
	}
	thread := emit.Var("t", 0, p.Threads()-1)
	h, err := emit.Hoist(thread, algebra.Composed{Layout: parts[0]}, algebra.Composed{Layout: parts[1]})
	if err != nil {
		return g, err
	}
	if len(h.Base) != 1 {
		return g, fmt.Errorf("bug: layout %s: its coordinates are not a sum of a thread's part and a value's part", p.TV)
	}
	g.Points = h.Points
	for i := range 2 {
		g.Start[i] = emit.Add(th.Origin[i], h.Base[0][i])
		g.Coord[i] = emit.Named(th.Coord[i], g.Start[i])
		if err := g.Start[i].Fits32(false); err != nil {
			return g, err
		}
	}
	g.Base = m.Address(g.Coord[:])
	if err := g.Base.Fits32(true); err != nil {
		return g, err
	}
	rows := map[int]string{0: th.Pointer}
	for v := 0; v < p.Values(); v += vector {
		addr, err := m.address(&g, th, rows, h.Delta[v])
		if err != nil {
			return g, err
		}
		vec := templates.Vec{Reg: v, Width: vector, Addr: addr}
		for e := v; e < v+vector; e++ {
			guards, err := m.guards(&g, th, h.Delta[e])
			if err != nil {
				return g, err
			}
			vec.Guard = guards[1-m.Contiguous]
			vec.Elems = append(vec.Elems, templates.Elem{Reg: e, Guard: guards[m.Contiguous]})
		}
		g.Vecs = append(g.Vecs, vec)
	}
	return g, nil
}

// Declare declares a move's coordinates. One that is a constant needs no declaration: it stands in the expressions as it is.
func Declare(g GlobalMove) []templates.Line {
	var ls []templates.Line
	for i, c := range g.Coord {
		if _, ok := c.IsConst(); !ok {
			ls = append(ls, templates.Line{Decl: fmt.Sprintf("const int %s = %s;", c, g.Start[i])})
		}
	}
	return ls
}

// DeclareThread declares t, the thread in its block. The expressions of a block of one thread do without it.
func DeclareThread(threads int) []templates.Line {
	if threads == 1 {
		return nil
	}
	return []templates.Line{{Decl: "const int t = threadIdx.x;"}}
}

// DeclareBases declares the base pointers of an access to the tensor, prefix0 and so on.
func DeclareBases(ctype, prefix, tensor string, bases []emit.Expr) []templates.Line {
	var ls []templates.Line
	for i, b := range bases {
		ls = append(ls, templates.Line{Decl: fmt.Sprintf("%s const %s%d = %s;", ctype, prefix, i, emit.Plus(tensor, b))})
	}
	return ls
}

// address is the C text of the element at a constant distance from the thread's first. rows holds the pointers that are declared, by
// their row's distance.
func (m Matrix) address(g *GlobalMove, th Thread, rows map[int]string, delta []int) (string, error) {
	offset := m.Address([]emit.Expr{emit.Const(delta[0]), emit.Const(delta[1])})
	if err := offset.Fits32(false); err != nil {
		return "", err
	}
	if th.Rows == "" {
		return emit.Plus(th.Pointer, offset), nil
	}
	row := delta[1-m.Contiguous]
	if rows[row] == "" {
		rows[row] = fmt.Sprintf("%s%d", th.Pointer, row)
		g.Rows = append(g.Rows, templates.Line{Decl: fmt.Sprintf("%s %s = %s;",
			th.Rows, rows[row], emit.Plus(th.Pointer, emit.Scale(row, m.LD)))})
	}
	return emit.Plus(rows[row], emit.Const(delta[m.Contiguous])), nil
}

// guards are the conditions, one for each coordinate, under which that element lies inside the matrix.
func (m Matrix) guards(g *GlobalMove, th Thread, delta []int) (guards [2]string, err error) {
	for i, d := range delta {
		at := emit.Add(g.Coord[i], th.Moving[i], emit.Const(d))
		if err := at.Fits32(false); err != nil {
			return guards, err
		}
		guards[i] = at.String() + " < " + m.Extents[i].String()
	}
	return guards, nil
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
		if err := b[0].Fits32(false); err != nil {
			return m, err
		}
		m.Bases = append(m.Bases, b[0])
	}
	for v := 0; v < a.Values(); v += a.Vector {
		addr := emit.Plus(fmt.Sprintf("%s%d", pointers, h.Of[v]), emit.Const(h.Delta[v][0]))
		m.Vecs = append(m.Vecs, templates.Vec{Reg: v, Width: a.Vector, Addr: addr})
	}
	return m, nil
}
