package sgemm

import (
	"fmt"
	"slices"

	"cutegen/access"
	"cutegen/algebra"
	"cutegen/kernels"
)

// Plan is an SGEMM as named layouts and accesses: all that the proofs and the source need.
type Plan struct {
	Spec Spec
	Name string
	// A and B are the two operands: how they come from global into shared memory, and from there to the threads of tC.
	A, B Operand
	// TC partitions the tile (BM,BN) of C: thread and accumulator -> (m,n).
	TC kernels.Partition
	// RC maps (i,j), the thread's i-th row and j-th column, to its accumulator.
	RC algebra.Layout
	// Out is the store of C's tile.
	Out *access.Access
	// Narrow is why an access is narrower than its vectors, an error of the field that makes it so; most plans have none.
	Narrow []error
}

// Operand is A, with coordinates (m,k), or B, with coordinates (n,k).
type Operand struct {
	// Name is "A" or "B".
	Name string
	// Contiguous is the coordinate that is adjacent in global memory: 1 (k) for A stored MxK and B stored NxK.
	Contiguous int
	Vector     int
	// Copy is tA or tB; Fragment is tC applied to this operand: (thread, (values, k)).
	Copy, Fragment kernels.Partition
	// Layout is sA or sB with its stage; Buffer its allocation; Stage the distance of the two stages.
	Layout algebra.Composed
	Buffer access.Tensor
	Stage  int
	// The accesses: global load, shared store, shared load.
	Load, Put, Get *access.Access
	piece          algebra.Tuple // the operand's part of rC
	narrow         []error
}

// NewPlan derives the plan of a spec. Errors of a field are *kernels.FieldError.
func NewPlan(s Spec) (*Plan, error) {
	p := &Plan{Spec: s, Name: s.Name}
	var err error
	if p.Name == "" {
		if p.Name, err = s.SpelledName(); err != nil {
			return nil, err
		}
	}
	bm, bn, _ := s.extents()
	// Elements that share a place need no room, and are refused where both can be named; until then they bound the tile.
	if err := kernels.CheckShared(
		kernels.SharedNeed{Field: "sA", Elems: max(s.SA.Size(), s.SA.Cosize())},
		kernels.SharedNeed{Field: "sB", Elems: max(s.SB.Size(), s.SB.Cosize())}); err != nil {
		return nil, err
	}
	if err := kernels.CheckThreads(algebra.Ints(bm, bn), s.TC, s.RC); err != nil {
		return nil, &kernels.FieldError{Field: "tC", Err: err}
	}
	a, err := s.operandA()
	if err != nil {
		return nil, err
	}
	b, err := s.operandB()
	if err != nil {
		return nil, err
	}
	for _, o := range []*Operand{&a, &b} {
		if err := o.plan(); err != nil {
			return nil, err
		}
	}
	p.A, p.B = a, b
	p.Narrow = slices.Concat(a.narrow, b.narrow)
	if err := p.planC(bm, bn); err != nil {
		return nil, &kernels.FieldError{Field: "tC", Err: err}
	}
	for _, o := range []Operand{a, b} {
		if n := o.Copy.Threads(); n != p.TC.Threads() {
			return nil, &kernels.FieldError{Field: "t" + o.Name, Err: fmt.Errorf("partition %s has %d threads and tC %s has %d: one block has one number of threads",
				o.Copy.TV, n, s.TC, p.TC.Threads())}
		}
	}
	if err := kernels.CheckLimits("tC", p.TC.Threads(), s.MinBlocks, p.TC.Values()); err != nil {
		return nil, err
	}
	return p, nil
}

// operandA is A with its partitions, operandB B. Errors are *kernels.FieldError.
func (s Spec) operandA() (Operand, error) {
	o := Operand{Name: "A", Contiguous: 1, Layout: s.SA, Vector: s.TA.Vector, piece: s.RC.Mode(0)}
	if s.Ops[0] == 'T' {
		o.Contiguous = 0
	}
	bm, _, bk := s.extents()
	return o, o.partition(s, s.TA, bm, bk, algebra.MakeTuple(algebra.Int(1), algebra.Underscore))
}

func (s Spec) operandB() (Operand, error) {
	o := Operand{Name: "B", Contiguous: 0, Layout: s.SB, Vector: s.TB.Vector, piece: s.RC.Mode(1)}
	if s.Ops[1] == 'T' {
		o.Contiguous = 1
	}
	_, bn, bk := s.extents()
	return o, o.partition(s, s.TB, bn, bk, algebra.MakeTuple(algebra.Underscore, algebra.Int(1)))
}

// partition fills in the operand's partitions; extent is BM or BN, proj the modes of tC that it follows.
func (o *Operand) partition(s Spec, c kernels.Copy, extent, bk int, proj algebra.Tuple) error {
	vector := []int{1, 1}
	vector[o.Contiguous] = c.Vector
	tile := algebra.Ints(extent, bk)
	var err error
	if o.Copy, err = kernels.NewPartition("t"+o.Name, tile, c.Threads, algebra.Ints(vector...)); err != nil {
		return &kernels.FieldError{Field: "t" + o.Name, Err: err}
	}
	if o.Fragment, err = fragment(s.TC, extent, bk, proj, o.piece); err != nil {
		return &kernels.FieldError{Field: "tC", Err: fmt.Errorf("on s%s: %w", o.Name, err)}
	}
	o.Fragment.Name = "tC"
	if err := o.Fragment.SetTile(tile); err != nil {
		return &kernels.FieldError{Field: "s" + o.Name, Err: err}
	}
	return nil
}

// plan fills in the operand's accesses.
func (o *Operand) plan() error {
	field := func(prefix string, err error) error { return &kernels.FieldError{Field: prefix + o.Name, Err: err} }
	var err error
	if o.Load, err = o.Copy.Global(fmt.Sprintf("t%sg%s", o.Name, o.Name), "g"+o.Name, o.Contiguous, false, o.Vector); err != nil {
		return field("t", err)
	}

	l, tile := o.Layout, o.Copy.Tile
	extent, bk := tile.Mode(0).Value(), tile.Mode(1).Value()
	if l.Layout.Rank() != 3 || l.Layout.Mode(0).Size() != extent || l.Layout.Mode(1).Size() != bk || l.Layout.Mode(2).Size() != 2 {
		return field("s", fmt.Errorf("layout %s has shape %s, want (%d,%d,2): the tile in two stages", l.String(), l.Layout.Shape(), extent, bk))
	}
	o.Stage = l.Layout.Mode(2).At(1)
	o.Buffer = access.Tensor{Name: "s" + o.Name, Space: access.Shared, Tile: tile, Elems: l.Cosize(), ElemBytes: kernels.FloatBytes}
	first, err := algebra.Concat(l.Layout.Mode(0), l.Layout.Mode(1))
	if err != nil {
		return field("s", err)
	}
	stage := algebra.Composed{Swizzle: l.Swizzle, Offset: l.Offset, Layout: first}

	var put, get error
	if o.Put, put, err = o.Copy.SharedVector(fmt.Sprintf("t%ss%s", o.Name, o.Name), o.Buffer, stage, true, o.Vector, o.Stage); err != nil {
		return field("s", err)
	}
	if o.Get, get, err = o.Fragment.SharedVector("tCs"+o.Name, o.Buffer, stage, false, o.piece.Value(), o.Stage); err != nil {
		return field("s", err)
	}
	for _, narrow := range []error{put, get} {
		if narrow != nil {
			o.narrow = append(o.narrow, field("s", narrow))
		}
	}
	return nil
}

// fragment is tC applied to an operand: (thread, (piece, repetitions, k)) -> (m,k) or (n,k). Threads that differ only along the other
// mode of tC read the same elements (CuTe: local_partition with Step<1,X>).
func fragment(tC algebra.Layout, extent, bk int, proj, piece algebra.Tuple) (kernels.Partition, error) {
	var p kernels.Partition
	coords, err := algebra.Identity(algebra.Ints(extent))
	if err != nil {
		return p, err
	}
	tv, err := algebra.PartitionTVProj(coords, tC, algebra.MakeTuple(piece), proj)
	if err != nil {
		return p, err
	}
	k, err := algebra.MakeLayout(algebra.Int(bk), algebra.Basis(1, 1))
	if err != nil {
		return p, err
	}
	values, err := algebra.Concat(tv.Mode(1), tv.Mode(2), k)
	if err != nil {
		return p, err
	}
	p.TV, err = algebra.Concat(tv.Mode(0), values)
	return p, err
}

// planC partitions C. The values are ordered with the piece's columns first, so that adjacent accumulators are adjacent in memory.
func (p *Plan) planC(bm, bn int) error {
	s := p.Spec
	tile := algebra.Ints(bm, bn)
	c, err := kernels.NewPartition("tC", tile, s.TC, s.RC)
	if err != nil {
		return err
	}
	piece, rest := c.TV.Mode(1).Mode(0), c.TV.Mode(1).Mode(1)
	values, err := algebra.Concat(piece.Mode(1), piece.Mode(0), rest.Mode(0), rest.Mode(1))
	if err != nil {
		return err
	}
	if p.TC.TV, err = algebra.Concat(c.TV.Mode(0), values); err != nil {
		return err
	}
	p.TC.Name = "tC"
	if err := p.TC.SetTile(tile); err != nil {
		return err
	}
	rm, rn, restM, restN := piece.Mode(0).Size(), piece.Mode(1).Size(), rest.Mode(0).Size(), rest.Mode(1).Size()
	if p.RC, err = algebra.MakeLayout(
		algebra.MakeTuple(algebra.Ints(rm, restM), algebra.Ints(rn, restN)),
		algebra.MakeTuple(algebra.Ints(rn, rn*rm), algebra.Ints(1, rn*rm*restM))); err != nil {
		return err
	}
	p.Out, err = p.TC.Global("tCgC", "gC", 1, true, s.VC)
	return err
}

// Accesses are the plan's, those of A, of B and of C.
func (p *Plan) Accesses() []*access.Access {
	return []*access.Access{p.A.Load, p.A.Put, p.A.Get, p.B.Load, p.B.Put, p.B.Get, p.Out}
}

// Prove decides everything that must hold before the plan is printed. Errors are *kernels.FieldError.
func (p *Plan) Prove() ([]kernels.Proof, error) {
	var l kernels.ProofList
	for _, o := range []*Operand{&p.A, &p.B} {
		t, s := "t"+o.Name, "s"+o.Name
		l.Add(t, o.Load.Name+": bounds and vectors", o.Load.Check)
		l.Add(s, o.Put.Name+": bounds and vectors", o.Put.Check)
		l.Add(s, o.Get.Name+": bounds and vectors", o.Get.Check)
		l.Add(t, o.Load.Name+": every element of the tile is loaded once", o.Load.Cover)
		l.Add(t, fmt.Sprintf("%s, %s: one coordinate in each register", o.Load.Name, o.Put.Name),
			func() (int, error) { return access.Same(o.Load, o.Put) })
		l.Add(s, o.Buffer.Name+": the stages are one layout, a constant apart", o.stagesApart)
	}
	l.Add("vC", "tCgC: bounds and vectors", p.Out.Check)
	l.Add("tC", "tCgC: every element of the tile is stored once", p.Out.Cover)
	l.Add("tC", "tCsA, tCsB, tCgC: accumulator (i,j) is at row i of A and column j of B", p.agree)
	l.Add("sA", "sA, sB: no race, and each read finds its coordinate of its k tile", p.noRace)
	return l.Proofs, l.Err
}

// noRace checks the main loop, and if it fails that of each operand alone, to tell whose layout is at fault.
func (p *Plan) noRace() (int, error) {
	n, err := p.program(&p.A, &p.B).Check()
	if err == nil {
		return n, nil
	}
	for _, o := range []*Operand{&p.A, &p.B} {
		if _, err := p.program(o).Check(); err != nil {
			return 0, &kernels.FieldError{Field: "s" + o.Name, Err: err}
		}
	}
	return 0, err
}

// stagesApart decides that the offset at stage 1 is the offset at stage 0 plus the stage's stride, which a swizzle that reaches into the
// stage's bits would break.
func (o *Operand) stagesApart() (int, error) {
	size := o.Layout.Layout.Mode(0).Size() * o.Layout.Layout.Mode(1).Size()
	for i := range size {
		if a, b := o.Layout.At(i), o.Layout.At(i+size); b != a+o.Stage {
			return 0, fmt.Errorf("layout %s of %s: element %d of the tile is at offset %d in stage 0 and %d in stage 1, but the stages are %d apart: give the stage a stride that is a multiple of the swizzle's span",
				o.Layout.String(), o.Buffer.Name, i, a, b, o.Stage)
		}
	}
	return size, nil
}

// agree decides that acc[RC(i,j)] of each thread is the element (m,n) of C whose row the thread's i-th value of A and whose column its j-th
// value of B has.
func (p *Plan) agree() (int, error) {
	points := 0
	var coords [4]algebra.Layout
	for i, l := range []algebra.Layout{p.TC.TV, p.TC.TV, p.A.Fragment.TV, p.B.Fragment.TV} {
		var err error
		if coords[i], err = l.Component([]int{0, 1, 0, 0}[i]); err != nil {
			return 0, err
		}
	}
	cm, cn, am, bn := coords[0], coords[1], coords[2], coords[3]
	threads := p.TC.Threads()
	rows, cols := p.RC.Mode(0).Size(), p.RC.Mode(1).Size()
	for t := range threads {
		for i := range rows {
			for j := range cols {
				points++
				c := t + threads*p.RC.At(i+rows*j)
				m, n := am.At(t+threads*i), bn.At(t+threads*j)
				if cm.At(c) != m || cn.At(c) != n {
					return 0, fmt.Errorf("thread %d, accumulator (%d,%d): layout %s of C says (%d,%d), but the operands give row %d by %s and column %d by %s",
						t, i, j, p.TC.TV, cm.At(c), cn.At(c), m, p.A.Fragment.TV, n, p.B.Fragment.TV)
				}
			}
		}
	}
	return points, nil
}

// program is the main loop on operands written out for five k tiles: both stages are refilled twice.
func (p *Plan) program(operands ...*Operand) access.Program {
	const tiles = 5
	var prog access.Program
	put := func(kt int) {
		for _, o := range operands {
			prog = append(prog, access.Step{Access: o.Put, Base: o.Stage * (kt % 2), Tile: kt})
		}
	}
	put(0)
	prog = append(prog, access.Barrier)
	for kt := range tiles {
		for _, o := range operands {
			prog = append(prog, access.Step{Access: o.Get, Base: o.Stage * (kt % 2), Tile: kt})
		}
		if kt+1 < tiles {
			put(kt + 1)
		}
		prog = append(prog, access.Barrier)
	}
	return prog
}
