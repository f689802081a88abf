package draw

import (
	"fmt"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// color is a pair of a background and an ink of the 256-colour palette, so that it reads on dark and on light terminals.
type color struct{ back, ink int }

var none = color{-1, -1}

// viridis runs evenly from dark to light: it is a ramp for the colour-blind, too.
var viridis = []color{{53, 231}, {60, 231}, {24, 231}, {30, 231}, {36, 16}, {77, 16}, {148, 16}, {226, 16}}

// okabeIto are eight colours that the colour-blind can tell apart (Okabe and Ito 2008).
var okabeIto = []color{{214, 16}, {74, 16}, {36, 16}, {227, 16}, {25, 231}, {166, 231}, {175, 16}, {250, 16}}

// ramp is the colour of a value between low and high.
func ramp(value, low, high int) color {
	n := len(viridis)
	step := int(float64(value-low) / (float64(high-low) + 1) * float64(n))
	return viridis[min(max(step, 0), n-1)]
}

func category(i int) color { return okabeIto[i%len(okabeIto)] }

type cell struct {
	text  string
	color color
}

// Kinds of rule before a row or column.
const (
	noRule = iota
	light
	double
	dashed // rows are left out here
)

// grid is one table: cells of one width, with the columns' heads above and the rows' heads before them.
type grid struct {
	columns    []string
	rows       []int
	head       func(row int) string
	cells      [][]cell
	columnRule []int // before each column; that before the first is not drawn
	rowRule    []int
}

// fitting is how many of n columns of a width fit, and the rules between them.
func fitting(n, width, head, room int, rule func(j int) int) int {
	used := head + 4 // the frame
	for j := range n {
		if used += width + 1; j > 0 && rule(j) != noRule {
			used += 2
		}
		if used > room {
			return max(j, 1)
		}
	}
	return n
}

func (g grid) print(b *strings.Builder, o Options) {
	head, width := 0, 1
	for _, r := range g.rows {
		head = max(head, len(g.head(r)))
	}
	for j, c := range g.columns {
		width = max(width, len(c))
		for _, row := range g.cells {
			width = max(width, len(row[j].text))
		}
	}
	indent := strings.Repeat(" ", head)
	b.WriteString("\n" + strings.TrimRight(indent+"  "+g.line(width, false, func(j int) cell { return cell{g.columns[j], none} }, o), " ") + "\n")
	g.rule(b, indent, "┌┬╥┐", "─", width)
	for i, row := range g.cells {
		if i > 0 {
			switch g.rowRule[i] {
			case light:
				g.rule(b, indent, "├┼╫┤", "─", width)
			case double:
				g.rule(b, indent, "╞╪╬╡", "═", width)
			case dashed:
				g.rule(b, indent, "┆┆┆┆", "┄", width)
			}
		}
		fmt.Fprintf(b, "%*s │%s │\n", head, g.head(g.rows[i]), g.line(width, true, func(j int) cell { return row[j] }, o))
	}
	g.rule(b, indent, "└┴╨┘", "─", width)
}

// line prints the cells of a row, with the rules between them, or blanks in their places.
func (g grid) line(width int, rules bool, at func(j int) cell, o Options) string {
	var b strings.Builder
	for j := range g.columns {
		if j > 0 && g.columnRule[j] != noRule {
			switch {
			case !rules:
				b.WriteString("  ")
			case g.columnRule[j] == double:
				b.WriteString(" ║")
			default:
				b.WriteString(" │")
			}
		}
		c := at(j)
		text := fmt.Sprintf(" %*s", width, c.text)
		if o.Color && c.color != none {
			text = fmt.Sprintf("\x1b[48;5;%dm\x1b[38;5;%dm%s\x1b[0m", c.color.back, c.color.ink, text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// rule draws a horizontal rule; ends are its left end, its crossings with a light and with a double rule, and its right end.
func (g grid) rule(b *strings.Builder, indent, ends, stroke string, width int) {
	e := []rune(ends)
	b.WriteString(indent + " " + string(e[0]))
	for j := range g.columns {
		if j > 0 {
			switch g.columnRule[j] {
			case light:
				b.WriteString(stroke + string(e[1]))
			case double:
				b.WriteString(stroke + string(e[2]))
			}
		}
		b.WriteString(strings.Repeat(stroke, width+1))
	}
	b.WriteString(stroke + string(e[3]) + "\n")
}

// planes are the grids of a shape: mode 0 down, mode 1 across, one grid for each coordinate of the other modes.
type planes struct {
	shape algebra.Tuple
	text  func(i int) string // of a position, colexicographic
	color func(i int) color
	group []int // where there are groups, rules part them; otherwise the shape's nesting does
}

// extents is the shape of a grid, how many there are, and the modes whose nesting its rules show.
func (p planes) extents() (rows, columns, grids int, down, across algebra.Tuple) {
	rows, columns, grids = 1, 1, 1
	down, across = algebra.Int(1), algebra.Int(1)
	switch rank := p.shape.Rank(); {
	case rank == 1:
		across = p.shape.Mode(0)
		columns = product(across)
	case rank > 1:
		down, across = p.shape.Mode(0), p.shape.Mode(1)
		rows, columns = product(down), product(across)
		for k := 2; k < rank; k++ {
			grids *= product(p.shape.Mode(k))
		}
	}
	return rows, columns, grids, down, across
}

// product is the size of a mode of a layout, which fits.
func product(t algebra.Tuple) int {
	n := 1
	for _, leaf := range t.Leaves() {
		n *= leaf.Value()
	}
	return n
}

// rectangular tells whether no rectangle around a group's elements holds others.
func (p planes) rectangular() bool {
	rows, columns, grids, _, _ := p.extents()
	type box struct{ top, bottom, left, right, n int }
	for k := range grids {
		boxes := map[int]box{}
		for j := range columns {
			for i := range rows {
				group := p.group[i+rows*(j+columns*k)]
				x, ok := boxes[group]
				if !ok {
					x = box{i, i, j, j, 0}
				}
				boxes[group] = box{min(x.top, i), max(x.bottom, i), min(x.left, j), max(x.right, j), x.n + 1}
			}
		}
		for _, x := range boxes {
			if x.n != (x.bottom-x.top+1)*(x.right-x.left+1) {
				return false
			}
		}
	}
	return true
}

func (p planes) print(b *strings.Builder, o Options) {
	rows, columns, grids, down, across := p.extents()
	for k := range min(grids, o.Grids) {
		if grids > 1 {
			fmt.Fprintf(b, "\nat %s", p.place(k))
		}
		p.plane(b, k, rows, columns, down, across, o)
	}
	if grids > o.Grids {
		fmt.Fprintf(b, "%d of %d grids are not shown\n", grids-o.Grids, grids)
	}
}

// place is the coordinate of grid k: (_,_,3).
func (p planes) place(k int) string {
	elems := []algebra.Tuple{algebra.Underscore, algebra.Underscore}
	for m := 2; m < p.shape.Rank(); m++ {
		n := product(p.shape.Mode(m))
		elems = append(elems, algebra.Int(k%n))
		k /= n
	}
	return algebra.MakeTuple(elems...).String()
}

// plane prints grid k as far as it fits.
func (p planes) plane(b *strings.Builder, k, rows, columns int, down, across algebra.Tuple, o Options) {
	shownRows := min(rows, o.Rows)
	at := func(i, j int) int { return i + rows*(j+columns*k) }
	// No more columns than one letter each can fit; their width then says how many do.
	shown := min(columns, max(o.Width/2, 1))
	columnRule := func(j int) int {
		if p.group == nil {
			return nesting(across, j)
		}
		for i := range shownRows {
			if j > 0 && p.group[at(i, j-1)] != p.group[at(i, j)] {
				return light
			}
		}
		return noRule
	}
	head := len(strconv.Itoa(shownRows - 1))
	for width := 1; ; {
		for j := range shown {
			width = max(width, len(strconv.Itoa(j)))
			for i := range shownRows {
				width = max(width, len(p.text(at(i, j))))
			}
		}
		fits := fitting(shown, width, head, o.Width, columnRule)
		if fits == shown {
			break
		}
		shown = fits
	}
	g := grid{head: strconv.Itoa}
	for j := range shown {
		g.columns = append(g.columns, strconv.Itoa(j))
		g.columnRule = append(g.columnRule, columnRule(j))
	}
	for i := range shownRows {
		g.rows = append(g.rows, i)
		row := make([]cell, shown)
		rule := nesting(down, i)
		if p.group != nil {
			rule = noRule
		}
		for j := range shown {
			row[j] = cell{p.text(at(i, j)), p.color(at(i, j))}
			if p.group != nil && i > 0 && p.group[at(i-1, j)] != p.group[at(i, j)] {
				rule = light
			}
		}
		g.cells = append(g.cells, row)
		g.rowRule = append(g.rowRule, rule)
	}
	g.print(b, o)
	if shown < columns {
		fmt.Fprintf(b, "columns %d to %d are not shown\n", shown, columns-1)
	}
	if shownRows < rows {
		fmt.Fprintf(b, "rows %d to %d are not shown\n", shownRows, rows-1)
	}
}

// nesting is the rule before index j of a mode: light where the innermost of its modes starts anew, double where a further one does.
func nesting(mode algebra.Tuple, j int) int {
	level, block := noRule, 1
	leaves := mode.Leaves()
	for _, leaf := range leaves[:max(len(leaves)-1, 0)] {
		if n := leaf.Value(); n > 1 {
			if block *= n; j > 0 && j%block == 0 && level < double {
				level++
			}
		}
	}
	return level
}
