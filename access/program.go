package access

import (
	"fmt"
)

// Step is one moment of a program: an access, or a barrier of the whole block.
type Step struct {
	Barrier bool
	Access  *Access
	// Base is added to the access's offsets: the stage of a buffered tensor.
	Base int
	// Tile numbers the piece of the problem whose elements this step moves, so that a stale element of an earlier piece is told from
	// the right one.
	Tile int
}

// Barrier is the step of __syncthreads().
var Barrier = Step{Barrier: true}

// Program is a block's accesses to shared memory in program order. A loop is written out for as many trips as its buffers take to
// repeat, and one more.
type Program []Step

type cell struct {
	written     bool
	tile, coord int
	// The interval (number of barriers passed) and thread of the last write, and of the last read.
	wInterval, wThread int
	rInterval, rThread int
	rMany              bool // several threads read in rInterval
	wBy, rBy           *Access
}

// Check decides, for each tensor of shared memory, that a program has no race and that each read finds what its coordinate names.
// It returns the number of (step, thread, value) points that it visited.
func (p Program) Check() (domain int, err error) {
	memory := map[string][]cell{}
	evaluated := map[*Access]*points{}
	interval := 1
	for _, s := range p {
		if s.Barrier {
			interval++
			continue
		}
		if s.Access.Tensor.Space != Shared {
			continue
		}
		a := evaluated[s.Access]
		if a == nil {
			e := s.Access.evaluate()
			a, evaluated[s.Access] = &e, &e
		}
		if s.Base%a.Vector != 0 {
			return 0, fmt.Errorf("access %s: vectors of %d by layout %s are not aligned at stage base %d of %s, which is not a multiple of %d",
				a.Name, a.Vector, a.Offset, s.Base, a.Tensor.Name, a.Vector)
		}
		mem := memory[a.Tensor.Name]
		if mem == nil {
			mem = make([]cell, a.Tensor.Elems)
			memory[a.Tensor.Name] = mem
		}
		for v := range a.values {
			for t := range a.threads {
				domain++
				o := a.offset(t, v) + s.Base
				if o < 0 || o >= len(mem) {
					return 0, fmt.Errorf("access %s: thread %d, value %d at coordinate %s, stage base %d, has offset %d by layout %s, but %s has %d elements",
						a.Name, t, v, a.at(t, v), s.Base, o, a.Offset, a.Tensor.Name, len(mem))
				}
				if err := mem[o].touch(s, a, t, v, o, interval); err != nil {
					return 0, err
				}
			}
		}
	}
	return domain, nil
}

func (c *cell) touch(s Step, a *points, t, v, o, interval int) error {
	if c.wInterval == interval && c.wThread != t {
		kind := "reads"
		if a.Write {
			kind = "writes"
		}
		return c.race(a, t, v, o, kind, c.wBy, c.wThread, "writes")
	}
	if a.Write {
		if c.rInterval == interval && (c.rMany || c.rThread != t) {
			return c.race(a, t, v, o, "writes", c.rBy, c.rThread, "reads")
		}
		if c.wInterval == interval && c.wThread == t && c.tile == s.Tile && c.coord != a.coord(t, v) {
			return fmt.Errorf("access %s: thread %d writes coordinates %s and %s of %s to one offset %d, by layout %s",
				a.Name, t, tileCoord(a.Tensor.Tile, c.coord), a.at(t, v), a.Tensor.Name, o, a.Offset)
		}
		c.written, c.tile, c.coord = true, s.Tile, a.coord(t, v)
		c.wInterval, c.wThread, c.wBy = interval, t, a.Access
		return nil
	}
	switch {
	case !c.written:
		return fmt.Errorf("access %s: thread %d, value %d reads coordinate %s at offset %d of %s, by layout %s, which nothing has written",
			a.Name, t, v, a.at(t, v), o, a.Tensor.Name, a.Offset)
	case c.coord != a.coord(t, v):
		return fmt.Errorf("access %s: thread %d, value %d wants coordinate %s at offset %d of %s, by layout %s, but access %s put coordinate %s there, by layout %s",
			a.Name, t, v, a.at(t, v), o, a.Tensor.Name, a.Offset, c.wBy.Name, tileCoord(a.Tensor.Tile, c.coord), c.wBy.Offset)
	case c.tile != s.Tile:
		return fmt.Errorf("access %s: thread %d, value %d wants coordinate %s of tile %d at offset %d of %s, but finds tile %d there",
			a.Name, t, v, a.at(t, v), s.Tile, o, a.Tensor.Name, c.tile)
	}
	c.rMany = c.rInterval == interval && (c.rMany || c.rThread != t)
	c.rInterval, c.rThread, c.rBy = interval, t, a.Access
	return nil
}

func (c *cell) race(a *points, t, v, o int, kind string, b *Access, u int, other string) error {
	return fmt.Errorf("race on %s at offset %d: access %s, thread %d %s coordinate %s by layout %s while access %s, thread %d %s it by layout %s, with no barrier between",
		a.Tensor.Name, o, a.Name, t, kind, a.at(t, v), a.Offset, b.Name, u, other, b.Offset)
}

// Same decides that two accesses name the same tile coordinate for each (thread, value): what a thread holds in register v after the
// first is what the second takes from register v.
func Same(first, second *Access) (domain int, err error) {
	a, b := first.evaluate(), second.evaluate()
	if a.threads != b.threads || a.values != b.values {
		return 0, fmt.Errorf("accesses %s and %s hand registers over, but have %d x %d and %d x %d (threads x values), by layouts %s and %s",
			a.Name, b.Name, a.threads, a.values, b.threads, b.values, a.Coord, b.Coord)
	}
	for t := range a.threads {
		for v := range a.values {
			if a.coord(t, v) != b.coord(t, v) {
				return 0, fmt.Errorf("accesses %s and %s hand registers over, but register %d of thread %d is coordinate %s in the first, by layout %s, and %s in the second, by layout %s",
					a.Name, b.Name, v, t, a.at(t, v), a.Coord, b.at(t, v), b.Coord)
			}
		}
	}
	return len(a.coords), nil
}
