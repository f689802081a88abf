// Package draw pictures layouts as text for a terminal: grids of offsets, memory strips, tiles, and tables of threads and values.
package draw

import (
	"fmt"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// Options say how much room there is.
type Options struct {
	Width int  // columns: no line of a grid is longer
	Rows  int  // most rows of one grid
	Grids int  // most grids of a layout of rank above 2
	Color bool // ANSI colours
}

// mostDrawn bounds the domains that are looked at as a whole.
const mostDrawn = 1 << 20

// Grid draws the values of a layout at its coordinates: mode 0 down, mode 1 across, a layout of rank 1 as one row, and a grid for each
// coordinate of the other modes. Lines part the inner modes of a nested mode. Colours run with the offset.
//
//	(4,(2,4)):(2,(1,8))  size 32, cosize 32
//
//	     0  1    2  3    4  5    6  7
//	  ┌───────┬───────┬───────┬───────┐
//	0 │  0  1 │  8  9 │ 16 17 │ 24 25 │
//	1 │  2  3 │ 10 11 │ 18 19 │ 26 27 │
//	2 │  4  5 │ 12 13 │ 20 21 │ 28 29 │
//	3 │  6  7 │ 14 15 │ 22 23 │ 30 31 │
//	  └───────┴───────┴───────┴───────┘
//
// What does not fit is left out, with a note of how much.
func Grid(c algebra.Composed, o Options) string {
	var b strings.Builder
	b.WriteString(title(c) + "\n")
	low, high := reach(c)
	planes{shape: c.Layout.Shape(), text: func(i int) string { return valueAt(c, i) },
		color: func(i int) color {
			if c.Layout.HasBasis() {
				return none
			}
			return ramp(c.At(i), low, high)
		}}.print(&b, o)
	return b.String()
}

func title(c algebra.Composed) string {
	cosize := c.Layout.Cosize()
	if c.Swizzle.Bits > 0 || c.Offset > 0 {
		cosize = c.Cosize()
	}
	return fmt.Sprintf("%v  size %d, cosize %d", c, c.Size(), cosize)
}

// valueAt is the offset, or the coordinate for basis strides, at a position.
func valueAt(c algebra.Composed, i int) string {
	if !c.Layout.HasBasis() {
		return strconv.Itoa(c.At(i))
	}
	v, err := c.Layout.Value(algebra.Int(i))
	if err != nil {
		panic("bug: no value in the domain: " + err.Error())
	}
	return v.String()
}

// reach is the smallest and the largest offset before the swizzle, which are the colours' range.
func reach(c algebra.Composed) (low, high int) {
	low, high = c.Offset, c.Offset
	strides := c.Layout.Stride().Leaves()
	for k, n := range c.Layout.Shape().Leaves() {
		if last := (n.Value() - 1) * strides[k].Value(); last < 0 {
			low += last
		} else {
			high += last
		}
	}
	return low, high
}

// Tiles draws a layout cut by a tiler, as the divides do: lines part the tiles, and colours number them. Where a tile is not one
// rectangle, a second grid gives the number of each element's tile.
func Tiles(c algebra.Composed, t algebra.Tiler, o Options) (string, error) {
	if c.Size() > mostDrawn {
		return "", fmt.Errorf("tiles of %v: size %d, allowed is at most %d", c, c.Size(), mostDrawn)
	}
	positions, err := algebra.ColMajor(c.Layout.Shape())
	if err != nil {
		return "", err
	}
	divided, err := algebra.ZippedDivide(positions, t)
	if err != nil {
		return "", err
	}
	tileOf := make([]int, c.Size())
	tile, copies := divided.Mode(0).Size(), divided.Mode(1).Size()
	for i := range divided.Size() {
		if at := divided.At(i); at < len(tileOf) {
			tileOf[at] = i / tile
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d tiles of %d by %v: %v\n", title(c), copies, tile, t, divided.Shape())
	p := planes{shape: c.Layout.Shape(), text: func(i int) string { return valueAt(c, i) },
		color: func(i int) color { return category(tileOf[i]) }, group: tileOf}
	p.print(&b, o)
	if !p.rectangular() {
		b.WriteString("\nthe tile of each:\n")
		p.text = func(i int) string { return strconv.Itoa(tileOf[i]) }
		p.print(&b, o)
	}
	return b.String(), nil
}

// TV draws the tile whose elements a (thread, value) layout deals out, each with its thread and value: T3V1. The layout's values are
// coordinates in the tile, or positions that count them colexicographically. Colours tell the threads. shape () stands for the smallest
// tile that holds all values.
//
// An element that has several values shows the first and how many more, one that has none a dot, and lines below the grid say so:
//
//	(4,2):(0,1)  4 threads, 2 values, over (2,2)
//
//	         0      1
//	  ┌───────────────┐
//	0 │ T0V0+3      . │
//	1 │ T0V1+3      . │
//	  └───────────────┘
//	2 of 4 elements have several values: T0V0+3 is thread 0's value 0, and 3 more
//	2 of 4 elements have none: .
//
// Less than two modes, a value outside the tile, and more than 2^20 values or elements are errors.
func TV(tv algebra.Layout, shape algebra.Tuple, o Options) (string, error) {
	refuse := func(err error) (string, error) { return "", fmt.Errorf("(thread, value) layout %v: %w", tv, err) }
	if tv.Rank() < 2 || tv.Shape().IsLeaf() {
		return refuse(fmt.Errorf("rank %d, allowed are 2 and more", tv.Rank()))
	}
	if tv.Size() > mostDrawn {
		return refuse(fmt.Errorf("size %d, allowed is at most %d", tv.Size(), mostDrawn))
	}
	if shape.Rank() == 0 {
		var err error
		if shape, err = smallestTile(tv); err != nil {
			return refuse(err)
		}
	}
	tile, err := algebra.ColMajor(shape)
	if err != nil {
		return refuse(err)
	}
	if tile.Size() > mostDrawn {
		return refuse(fmt.Errorf("a tile of %d, allowed is at most %d", tile.Size(), mostDrawn))
	}
	threads := tv.Mode(0).Size()
	owners := make([][]int, tile.Size())
	for i := range tv.Size() {
		value, err := tv.Value(algebra.Int(i))
		if err != nil {
			return refuse(err)
		}
		at, err := tile.Index(value)
		if err != nil {
			return refuse(fmt.Errorf("thread %d, value %d: %w", i%threads, i/threads, err))
		}
		owners[at] = append(owners[at], i)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v  %d threads, %d values, over %v\n", tv, threads, tv.Size()/threads, shape)
	text := func(i int) string {
		if len(owners[i]) == 0 {
			return "."
		}
		text := fmt.Sprintf("T%dV%d", owners[i][0]%threads, owners[i][0]/threads)
		if more := len(owners[i]) - 1; more > 0 {
			text += fmt.Sprintf("+%d", more)
		}
		return text
	}
	planes{shape: shape, text: text, color: func(i int) color {
		if len(owners[i]) == 0 {
			return none
		}
		return category(owners[i][0] % threads)
	}}.print(&b, o)
	shared, first, without := 0, 0, 0
	for i, here := range owners {
		switch len(here) {
		case 0:
			without++
		case 1:
		default:
			if shared++; shared == 1 {
				first = i
			}
		}
	}
	if shared > 0 {
		here := owners[first]
		fmt.Fprintf(&b, "%d of %d elements have several values: %s is thread %d's value %d, and %d more\n",
			shared, len(owners), text(first), here[0]%threads, here[0]/threads, len(here)-1)
	}
	if without > 0 {
		fmt.Fprintf(&b, "%d of %d elements have none: .\n", without, len(owners))
	}
	return b.String(), nil
}

// smallestTile is the shape that holds the values of a layout.
func smallestTile(tv algebra.Layout) (algebra.Tuple, error) {
	if !tv.HasBasis() {
		return algebra.Int(tv.Cosize()), nil
	}
	components, err := tv.Components()
	if err != nil {
		return algebra.Tuple{}, err
	}
	extents := make([]int, len(components))
	for k, c := range components {
		extents[k] = c.Cosize()
	}
	return algebra.Ints(extents...), nil
}

// Memory draws what lies at each offset from a layout's smallest to its largest: the position, 2+1 for position 2 and one more, a dot
// for a gap. Rows of gaps are left out.
//
//	(2,4):(1,6)  size 8, cosize 20
//
//	       0 1 2 3 4 5 6 7
//	   ┌─────────────────┐
//	 0 │ 0 1 . . . . 2 3 │
//	 8 │ . . . . 4 5 . . │
//	16 │ . . 6 7         │
//	   └─────────────────┘
//	8 of 20 offsets used
func Memory(c algebra.Composed, o Options) (string, error) {
	if c.Layout.HasBasis() {
		return "", fmt.Errorf("memory of %v: its values are coordinates, allowed are plain strides", c.Layout)
	}
	if c.Size() > mostDrawn {
		return "", fmt.Errorf("memory of %v: size %d, allowed is at most %d", c, c.Size(), mostDrawn)
	}
	held := map[int][]int{}
	low, high := c.At(0), c.At(0)
	for i := range c.Size() {
		at := c.At(i)
		held[at] = append(held[at], i)
		low, high = min(low, at), max(high, at)
	}
	text := func(at int) string {
		switch here := held[at]; {
		case len(here) == 0:
			return "."
		case len(here) > 1:
			return fmt.Sprintf("%d+%d", here[0], len(here)-1)
		default:
			return strconv.Itoa(here[0])
		}
	}
	widest, shared := 2, 0 // two digits number the columns
	for at, here := range held {
		widest = max(widest, len(text(at)))
		if len(here) > 1 {
			shared++
		}
	}
	across := 8
	head := max(len(strconv.Itoa(low-32)), len(strconv.Itoa(high)))
	for across < 32 && head+5+2*across*(widest+1) <= o.Width {
		across *= 2
	}
	begin := low - ((low%across)+across)%across
	g := grid{head: func(r int) string { return strconv.Itoa(r) }}
	for k := range min(across, high-begin+1) {
		g.columns = append(g.columns, strconv.Itoa(k))
	}
	rows, left, last := 0, 0, begin-across
	for row := begin; row <= high; row += across {
		cells, used := make([]cell, len(g.columns)), false
		for k := range cells {
			if at := row + k; at >= low && at <= high {
				cells[k] = cell{text(at), none}
				if here := held[at]; len(here) > 0 {
					cells[k].color = ramp(here[0], 0, c.Size()-1)
					used = true
				}
			}
		}
		switch {
		case !used && row > begin:
			// The next used row can be far away.
			next := row
			for held[next] == nil {
				next++
			}
			row = next - ((next%across)+across)%across - across
			continue
		case rows == o.Rows:
			left++
			continue
		}
		g.rows = append(g.rows, row)
		g.cells = append(g.cells, cells)
		g.rowRule = append(g.rowRule, min(1, (row-last)/across-1)*dashed)
		last, rows = row, rows+1
	}
	g.columnRule = make([]int, len(g.columns))
	var b strings.Builder
	b.WriteString(title(c) + "\n")
	g.print(&b, o)
	if left > 0 {
		fmt.Fprintf(&b, "%d more rows are not shown\n", left)
	}
	fmt.Fprintf(&b, "%d of %d offsets used", len(held), high-low+1)
	if shared > 0 {
		fmt.Fprintf(&b, ", %d of them by several positions", shared)
	}
	b.WriteString("\n")
	return b.String(), nil
}
