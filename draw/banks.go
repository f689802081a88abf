package draw

import (
	"fmt"
	"strconv"
	"strings"
)

// Banks draws passes through shared memory: a row is a wavefront, a column a bank, a cell the lane that the bank serves, with a + where
// others read the same word. Without conflicts every phase of an instruction is one row.
//
//	     0  1  2  3   ...  31
//	  ┌───────────────────────┐
//	0 │  0  4  8 12   ...     │
//	1 │  1  5  9 13   ...     │
//	  └───────────────────────┘
//
// lanes has an element for each wavefront, which lists the lanes of each bank.
func Banks(lanes [][][]int, o Options) string {
	text := func(lanes []int) string {
		switch len(lanes) {
		case 0:
			return ""
		case 1:
			return strconv.Itoa(lanes[0])
		}
		return strconv.Itoa(lanes[0]) + "+"
	}
	banks, width := 0, 1
	for _, w := range lanes {
		banks = max(banks, len(w))
		for j := range w {
			width = max(width, len(text(w[j])), len(strconv.Itoa(j)))
		}
	}
	shown := min(len(lanes), o.Rows)
	head := len(strconv.Itoa(max(0, shown-1)))
	// Where the banks do not fit side by side they are drawn in parts of one size.
	parts := 1
	for ; parts < banks && fitting(ceil(banks, parts), width, head, o.Width, func(int) int { return noRule }) < ceil(banks, parts); parts *= 2 {
	}
	var b strings.Builder
	for first := 0; first < banks; first += ceil(banks, parts) {
		g := grid{head: strconv.Itoa}
		last := min(first+ceil(banks, parts), banks)
		for j := first; j < last; j++ {
			g.columns, g.columnRule = append(g.columns, strconv.Itoa(j)), append(g.columnRule, noRule)
		}
		for i, w := range lanes[:shown] {
			var row []cell
			for j := first; j < last; j++ {
				c := cell{color: none}
				if j < len(w) && len(w[j]) > 0 {
					c = cell{text(w[j]), ramp(w[j][0], 0, 31)}
				}
				row = append(row, c)
			}
			g.rows, g.rowRule, g.cells = append(g.rows, i), append(g.rowRule, noRule), append(g.cells, row)
		}
		g.print(&b, o)
	}
	if shown < len(lanes) {
		fmt.Fprintf(&b, "not shown: %d more wavefronts\n", len(lanes)-shown)
	}
	return b.String()
}

func ceil(a, b int) int { return (a + b - 1) / b }
