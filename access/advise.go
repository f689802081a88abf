package access

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"cutegen/algebra"
)

// Use is one instruction of a block on a tile of shared memory whose layout is to be chosen.
type Use struct {
	Name  string
	Write bool
	// Coord has the modes (thread, value). Its values are coordinates of the tile, or positions, which count them
	// colexicographically: 4@1 is the fourth column, as 4*64 is in a tile of 64 rows.
	Coord algebra.Layout
	// Vector is the number of values of one instruction, which lie side by side in every layout.
	Vector int
}

// Choice is a layout of the tile and what it costs.
type Choice struct {
	Layout algebra.Composed
	// Elems is how many elements the tile takes.
	Elems int
	// Counts are the wavefronts of each use, for one instruction of a warp.
	Counts []Counts
	// Wavefronts and Ideal are those of all instructions of all warps.
	Wavefronts, Ideal int
}

// Free tells whether no access has a bank conflict.
func (c Choice) Free() bool { return c.Wavefronts == c.Ideal }

// Advice is how to lay out a tile of shared memory.
type Advice struct {
	// Given is the layout that was given, and Plain the same without its swizzle.
	Given, Plain Choice
	// Swizzled is the best of Plain under every Swizzle<B,M,S> that keeps the vectors: the fewest wavefronts, then the fewest
	// elements, then the smallest B, the smallest |S| and the smallest M. It is Plain itself if that is as good.
	Swizzled Choice
	// Padded is the best of Plain with a gap behind each run of elements: the fewest wavefronts, then the fewest elements.
	Padded Choice
	// Linear is what linear algebra over bits says about all layouts at once.
	Linear Linear
}

// Best is the layout to take: of the fewest wavefronts, then of the fewest elements, a swizzle before a padding.
func (a Advice) Best() Choice {
	if better(a.Padded, a.Swizzled) {
		return a.Padded
	}
	return a.Swizzled
}

// maxUsed bounds the threads' values together, so that every candidate can be counted.
const maxUsed = 1 << 17

// Advise looks for the layout of a tile of shared memory under which its uses have no bank conflict: it counts the wavefronts of each
// under every swizzle and every padding of l. A tile of 4-byte elements that a warp writes by rows and reads by columns:
//
//	l = (32,32):(32,1)     write (32,32):(32,1)    1 wavefront: the lanes are side by side
//	                       read  (32,32):(1,32)   32 wavefronts: the lanes are 32 words apart, in one bank
//
//	Swizzled = Sw<5,0,5> o 0 o (32,32):(32,1)      1 and 1
//	Padded   = (32,32):(33,1)                      1 and 1, in 31 elements more
//
// The layout that is given may have a swizzle, whose cost is told too. Its shape is the tile's and its values are offsets in elements. Two
// coordinates at one offset, vectors that are not side by side
// and uses that leave the tile are errors, and so are more than 2^17 values.
func Advise(name string, given algebra.Composed, elemBytes int, uses ...Use) (Advice, error) {
	l := given.Layout
	t := Tensor{Name: name, Space: Shared, Tile: l.Shape(), ElemBytes: elemBytes}
	refuse := func(format string, args ...any) (Advice, error) {
		return Advice{}, fmt.Errorf("layout of %s: "+format, append([]any{name}, args...)...)
	}
	if len(uses) == 0 {
		return refuse("no access is given")
	}
	if elemBytes < 1 || elemBytes > 16 || bits.OnesCount(uint(elemBytes)) != 1 {
		return refuse("elements of %d bytes, allowed are 1, 2, 4, 8 and 16", elemBytes)
	}
	used := l.Size()
	for _, u := range uses {
		if used > maxUsed || u.Coord.Size() > maxUsed {
			return refuse("the tile and its accesses have more than %d elements, allowed are that many", maxUsed)
		}
		used += u.Coord.Size()
	}
	if l.HasBasis() {
		return refuse("%v has coordinates as values, allowed are plain strides", l)
	}
	if given.Offset != 0 {
		return refuse("%v begins at %d, allowed is 0", given, given.Offset)
	}
	plain := algebra.Composed{Layout: l}
	for _, c := range []algebra.Composed{plain, given} {
		if err := c.Validate(); err != nil {
			return refuse("%w", err)
		}
	}
	at := map[int]int{}
	for i := range l.Size() {
		if first, ok := at[l.At(i)]; ok {
			return refuse("%v puts %s and %s at offset %d", l, tileCoord(t.Tile, first), tileCoord(t.Tile, i), l.At(i))
		}
		at[l.At(i)] = i
	}
	t.Elems = max(plain.Cosize(), given.Cosize())

	c := chooser{elemBytes: elemBytes}
	uses = slices.Clone(uses)
	for k, u := range uses {
		coord, err := positions(l, u.Coord)
		if err != nil {
			return refuse("access %s: %w", u.Name, err)
		}
		uses[k].Coord = coord
		a := &Access{Name: u.Name, Tensor: t, Write: u.Write, Coord: coord, Offset: given, Vector: u.Vector}
		if coord.Rank() != 2 {
			return refuse("access %s: %v has rank %d, allowed are the modes (thread, value)", u.Name, u.Coord, u.Coord.Rank())
		}
		if err := a.inside(); err != nil {
			return Advice{}, err
		}
		for _, layout := range []algebra.Composed{given, plain} {
			a.Offset = layout
			p := a.points(coord.At, func(i int) int { return layout.At(coord.At(i)) })
			if err := p.check(); err != nil {
				return Advice{}, err
			}
			if layout.Swizzle.Bits == 0 {
				c.uses = append(c.uses, p.phases())
				break
			}
		}
		c.vector = max(c.vector, u.Vector)
	}
	advice := Advice{Given: c.choice(given, given.Cosize(), given.Swizzle.Apply), Plain: c.choice(plain, plain.Cosize(), func(o int) int { return o })}
	advice.Swizzled = c.swizzled(advice.Plain)
	advice.Padded = c.padded(advice.Plain)
	advice.Linear = linear(l.Size(), elemBytes, uses)
	return advice, nil
}

// positions are coordinates of the tile, counted colexicographically.
func positions(tile, coord algebra.Layout) (algebra.Layout, error) {
	if !coord.HasBasis() {
		return coord, nil
	}
	steps, step := []int{}, 1
	for _, m := range tile.Modes() {
		steps = append(steps, step)
		step *= m.Size()
	}
	return algebra.Dot(coord, steps...)
}

// phases are the groups of lanes of an access that the hardware serves together, and the offset where each lane's vector begins.
type phases struct {
	bytes        int // of a lane's vector
	instructions int
	offsets      [][]int
}

func (p *points) phases() phases {
	result := phases{bytes: p.Vector * p.Tensor.ElemBytes}
	for w := 0; w < p.threads; w += warp {
		for v := 0; v < p.values; v += p.Vector {
			result.instructions++
			end := min(w+warp, p.threads)
			for first := w; first < end; first += phaseLanes(result.bytes) {
				var offsets []int
				for t := first; t < min(first+phaseLanes(result.bytes), end); t++ {
					offsets = append(offsets, p.offset(t, v))
				}
				result.offsets = append(result.offsets, offsets)
			}
		}
	}
	return result
}

// chooser counts candidates for the layout of a tile.
type chooser struct {
	elemBytes int
	uses      []phases
	vector    int // the widest
	words     bankWords
}

// choice counts the uses where the offset o has moved to at(o).
func (c *chooser) choice(l algebra.Composed, elems int, at func(o int) int) Choice {
	choice := Choice{Layout: l, Elems: elems}
	for _, u := range c.uses {
		total, ideal := 0, 0
		for _, offsets := range u.offsets {
			c.words.clear()
			for _, o := range offsets {
				c.words.touch(at(o)*c.elemBytes, u.bytes)
			}
			total += c.words.most
			ideal += ceilDiv(c.words.words, banks)
		}
		n := float64(u.instructions)
		choice.Counts = append(choice.Counts, Counts{Unit: "wavefronts", Value: float64(total) / n, Ideal: float64(ideal) / n})
		choice.Wavefronts += total
		choice.Ideal += ideal
	}
	return choice
}

// swizzled tries every swizzle whose fields lie within the offsets.
func (c *chooser) swizzled(plain Choice) Choice {
	best := plain
	width := bits.Len(uint(plain.Elems - 1))
	for b := 1; 2*b <= width; b++ {
		for shift := b; b+shift <= width; shift++ {
			for base := bits.Len(uint(c.vector - 1)); b+base+shift <= width; base++ {
				for _, s := range []algebra.Swizzle{{Bits: b, Base: base, Shift: shift}, {Bits: b, Base: base, Shift: -shift}} {
					l := algebra.Composed{Swizzle: s, Layout: plain.Layout.Layout}
					candidate := c.choice(l, 0, s.Apply)
					if candidate.Wavefronts > best.Wavefronts {
						continue
					}
					candidate.Elems = l.Cosize()
					if better(candidate, best) {
						best = candidate
					}
				}
			}
		}
	}
	return best
}

// better compares wavefronts, then elements. Of equals the first that was tried is kept.
func better(a, b Choice) bool {
	return cmp.Or(cmp.Compare(a.Wavefronts, b.Wavefronts), cmp.Compare(a.Elems, b.Elems)) < 0
}

// padded tries gaps of up to 128 bytes behind each run of elements that some mode, or a part of it, makes.
func (c *chooser) padded(plain Choice) Choice {
	best := plain
	l := plain.Layout.Layout
	shapes, strides := l.Shape().Leaves(), l.Stride().Leaves()
	for k := range shapes {
		for n := range shapes[k].Value() {
			run := strides[k].Value() * max(1, n)
			if run < 2 || shapes[k].Value()%max(1, n) != 0 || run >= plain.Elems {
				continue
			}
			for gap := c.vector; gap*c.elemBytes <= banks*bankBytes; gap += c.vector {
				padding, err := algebra.MakeLayout(algebra.Ints(run, ceilDiv(plain.Elems, run)), algebra.Ints(1, run+gap))
				if err != nil {
					break
				}
				padded, err := algebra.Composition(padding, l)
				if err != nil {
					break
				}
				candidate := c.choice(algebra.Composed{Layout: padded}, padded.Cosize(), padding.At)
				if better(candidate, best) {
					best = candidate
				}
			}
		}
	}
	return best
}

// WidestVector is the number of elements, at most 16 bytes, that a thread's values fill side by side and aligned everywhere in the tile:
// the width of the instruction that moves them. It is 1 for what Advise refuses.
//
//	WidestVector((64,64):(64,1), ((16,16),(4,4)):((256,1),(64,16)), 4) = 4
func WidestVector(tile algebra.Composed, coord algebra.Layout, elemBytes int) int {
	coord, err := positions(tile.Layout, coord)
	if err != nil || coord.Rank() != 2 || tile.Validate() != nil || tile.Size() > maxUsed || coord.Size() > maxUsed {
		return 1
	}
	threads := coord.Mode(0).Size()
	side := func(vector int) bool {
		for i := range coord.Size() {
			t, v := i%threads, i/threads
			first := tile.At(coord.At(t + threads*(v-v%vector)))
			if tile.At(coord.At(i)) != first+v%vector || first%vector != 0 {
				return false
			}
		}
		return true
	}
	vector := 1
	for next := 2; next*elemBytes <= 16 && coord.Mode(1).Size()%next == 0 && side(next); next *= 2 {
		vector = next
	}
	return vector
}
