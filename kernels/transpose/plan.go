package transpose

import (
	"fmt"

	"cutegen/access"
	"cutegen/algebra"
	"cutegen/kernels"
)

// Plan is a transpose as named layouts and accesses: all that the proofs and the source need.
type Plan struct {
	Spec Spec
	Name string
	// TS and TD partition the tile for loading and for storing.
	TS, TD kernels.Partition
	// Buffer is sT's allocation.
	Buffer access.Tensor
	// The four accesses in program order, a barrier between the second and the third.
	Load, Put, Get, Store *access.Access
	// Narrow is why an access is narrower than its vectors, an error of the field that makes it so; most plans have none.
	Narrow []error
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
	field := func(name string, err error) error { return &kernels.FieldError{Field: name, Err: err} }
	if p.TS, p.TD, err = s.partitions(); err != nil {
		return nil, err
	}
	if a, b := p.TS.Threads(), p.TD.Threads(); a != b {
		return nil, field("tD", fmt.Errorf("layout %s has %d threads and tS %s has %d: one block has one number of threads",
			s.TD.Threads, b, s.TS.Threads, a))
	}
	if !sameShape(s.ST.Layout.Shape(), s.Tile) {
		return nil, field("sT", fmt.Errorf("layout %s has shape %s, want the tile's %s", s.ST, s.ST.Layout.Shape(), s.Tile))
	}
	p.Buffer = access.Tensor{Name: "sT", Space: access.Shared, Tile: s.Tile, Elems: s.ST.Cosize(), ElemBytes: kernels.FloatBytes}
	if err := kernels.CheckShared(kernels.SharedNeed{Field: "sT", Elems: p.Buffer.Elems}); err != nil {
		return nil, err
	}
	if err := kernels.CheckLimits("tS", p.TS.Threads(), s.MinBlocks, max(p.TS.Values(), p.TD.Values())); err != nil {
		return nil, err
	}
	if p.Load, err = p.TS.Global("tSgS", "gS", 1, false, s.TS.Vector); err != nil {
		return nil, field("tS", err)
	}
	var narrow error
	if p.Put, narrow, err = p.TS.SharedVector("tSsT", p.Buffer, s.ST, true, s.TS.Vector, 0); err != nil {
		return nil, field("sT", err)
	}
	if narrow != nil {
		p.Narrow = append(p.Narrow, field("sT", narrow))
	}
	if p.Get, err = p.TD.Shared("tDsT", p.Buffer, s.ST, false, 1); err != nil {
		return nil, field("sT", err)
	}
	if p.Store, err = p.TD.Global("tDgD", "gD", 0, true, s.TD.Vector); err != nil {
		return nil, field("tD", err)
	}
	return p, nil
}

// Accesses are the plan's, in program order.
func (p *Plan) Accesses() []*access.Access { return []*access.Access{p.Load, p.Put, p.Get, p.Store} }

func sameShape(a, b algebra.Tuple) bool {
	if a.Rank() != b.Rank() {
		return false
	}
	for i := range a.Rank() {
		x, errX := algebra.Product(a.Mode(i))
		y, errY := algebra.Product(b.Mode(i))
		if errX != nil || errY != nil || x != y {
			return false
		}
	}
	return true
}

// Prove decides everything that must hold before the plan is printed. Errors are *kernels.FieldError.
func (p *Plan) Prove() ([]kernels.Proof, error) {
	var l kernels.ProofList
	for _, c := range []struct {
		field string
		*access.Access
	}{{"tS", p.Load}, {"sT", p.Put}, {"sT", p.Get}, {"tD", p.Store}} {
		l.Add(c.field, c.Name+": bounds and vectors", c.Check)
	}
	l.Add("tS", "tSgS: every element of the tile is loaded once", p.Load.Cover)
	l.Add("tD", "tDgD: every element of the tile is stored once", p.Store.Cover)
	l.Add("tS", "tSgS, tSsT: one coordinate in each register", func() (int, error) { return access.Same(p.Load, p.Put) })
	l.Add("tD", "tDsT, tDgD: one coordinate in each register", func() (int, error) { return access.Same(p.Get, p.Store) })
	program := access.Program{{Access: p.Put}, access.Barrier, {Access: p.Get}}
	l.Add("sT", "sT: no race, and each read finds its coordinate", program.Check)
	return l.Proofs, l.Err
}
