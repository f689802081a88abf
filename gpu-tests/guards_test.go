package gputests

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A partition says which line of a kernel's source moves which element of a tile of a matrix, as stored. Going over the rows, and over the
// columns, all threads together take a step at a time, in which a thread has a vector. A line is one element of the vector in one step, and
// has a guard of its own.
type partition struct {
	tileRows, tileCols int
	rowStep, rowVector int
	colStep, colVector int
}

// A line is numbered by step and element, along the rows and along the columns.
type line struct{ rowStep, row, colStep, col int }

func (p partition) lineOf(r, c int) line {
	r, c = r%p.tileRows, c%p.tileCols
	return line{r / p.rowStep, r % p.rowVector, c / p.colStep, c % p.colVector}
}

func (p partition) lines() int {
	return p.tileRows / p.rowStep * p.rowVector * (p.tileCols / p.colStep) * p.colVector
}

// columns are the lines whose guard shows in one of the matrices that it lets one column too many pass, rows those that show a row.
// shows says where an access to (r,c) of the last matrix of a batch, which is outside of it, is noticed.
func (p partition) columns(matrices []placement, shows func(m placement, r, c int) bool) map[line]bool {
	lines := map[line]bool{}
	for _, m := range matrices {
		if m.cols%p.tileCols == 0 { // no tile has the column
			continue
		}
		for r := range m.rows {
			if shows(m, r, m.cols) {
				lines[p.lineOf(r, m.cols)] = true
			}
		}
	}
	return lines
}

func (p partition) rows(matrices []placement, shows func(m placement, r, c int) bool) map[line]bool {
	lines := map[line]bool{}
	for _, m := range matrices {
		if m.rows%p.tileRows == 0 {
			continue
		}
		for c := range m.cols {
			if shows(m, m.rows, c) {
				lines[p.lineOf(m.rows, c)] = true
			}
		}
	}
	return lines
}

// memcheck sees what is behind the end of an allocation, and not yet where the next one may begin, since each begins at a multiple of
// 256 bytes.
func memcheck(m placement, r, c int) bool {
	at := m.at(m.batch-1, r, c)
	return at >= m.size() && at < roundUp(m.size(), 64)
}

// initcheck sees the padding behind a row that is not the last.
func initcheck(m placement, r, c int) bool { return r < m.rows-1 && c >= m.cols && c < m.ld }

// comparison sees what is written into padding and guards.
func comparison(m placement, r, c int) bool {
	return m.at(m.batch-1, r, c) < m.size() && (c >= m.cols && c < m.ld || r >= m.rows-1)
}

// Demands of kernels that move single elements, and vectors of 4.
var singles, vectors = demands{}, demands{
	"A": 4, "lda": 4, "B": 4, "ldb": 4, "C": 4, "ldc": 4,
	"src": 4, "ld_src": 4, "batch_stride_src": 4, "dst": 4, "ld_dst": 4, "batch_stride_dst": 4,
}

// placed are A, B and C of the problems that read A and B.
func placed(cases []gemmCase, d demands, ops string, guard int) (as, bs, cs []placement) {
	for _, c := range cases {
		if c.readsAB() {
			a, b, out := c.place(sgemmKernel{demands: d, ops: ops}, guard)
			as, bs, cs = append(as, a), append(bs, b), append(cs, out)
		}
	}
	return as, bs, cs
}

func placedTransposes(cases []transposeCase, d demands, guard int) (srcs, dsts []placement) {
	for _, c := range cases {
		src, dst := c.place(d, guard)
		srcs, dsts = append(srcs, src), append(dsts, dst)
	}
	return srcs, dsts
}

// A guard with <= in the place of < reads the first column that is not there, or the first row. No result shows it, so a sanitizer has to,
// in each line of the loads of each kernel of the default catalogue, and of tiles as large along M as along N. But for the rows of k: what is read there is added to the sums, where
// the poison around the operands shows it.
func TestQuickProblemsShowEachGuardOfALoad(t *testing.T) {
	aMK, bKN, _ := placed(quickGEMMs(), vectors, "NN", 0)
	aKM, bNK, _ := placed(quickGEMMs(), vectors, "TT", 0)
	aSingles, bSingles, _ := placed(quickGEMMs(), singles, "NN", 0)
	src, _ := placedTransposes(quickTransposes(), vectors, 0)
	srcSingles, _ := placedTransposes(quickTransposes(), singles, 0)
	for _, c := range []struct {
		name string
		partition
		matrices []placement
		rowsOfK  bool
	}{
		{"A as M x K, 128x8", partition{128, 8, 128, 1, 8, 4}, aMK, false},
		{"A as M x K, 128x8, singles", partition{128, 8, 32, 1, 8, 1}, aSingles, false},
		{"A as M x K, 128x16", partition{128, 16, 64, 1, 16, 4}, aMK, false},
		{"A as M x K, 256x16", partition{256, 16, 64, 1, 16, 4}, aMK, false},
		{"A as K x M, 16x256", partition{16, 256, 8, 1, 128, 4}, aKM, true},
		{"A as K x M, 8x128", partition{8, 128, 8, 1, 128, 4}, aKM, true},
		{"A as K x M, 16x128", partition{16, 128, 8, 1, 128, 4}, aKM, true},
		{"B as K x N, 8x128", partition{8, 128, 8, 1, 128, 4}, bKN, true},
		{"B as K x N, 8x128, singles", partition{8, 128, 2, 1, 128, 1}, bSingles, true},
		{"B as K x N, 16x256", partition{16, 256, 8, 1, 128, 4}, bKN, true},
		{"B as N x K, 128x8", partition{128, 8, 128, 1, 8, 4}, bNK, false},
		{"B as N x K, 256x16", partition{256, 16, 64, 1, 16, 4}, bNK, false},
		{"src, 64x64", partition{64, 64, 16, 1, 64, 4}, src, false},
		{"src, 32x32, singles", partition{32, 32, 8, 1, 32, 1}, srcSingles, false},
	} {
		assert.Len(t, c.columns(c.matrices, memcheck), c.lines(), "%s: columns under memcheck", c.name)
		assert.Len(t, c.columns(c.matrices, initcheck), c.lines(), "%s: columns under initcheck", c.name)
		if !c.rowsOfK {
			assert.Len(t, c.rows(c.matrices, memcheck), c.lines(), "%s: rows under memcheck", c.name)
		}
		compact := 0
		for _, m := range c.matrices {
			if m.ld == m.cols && m.rows > 1 {
				compact++
			}
		}
		assert.Positive(t, compact, "%s: rows without padding", c.name)
	}
}

// The same of the stores: what is written too much is found where it is written.
func TestEdgesShowEachGuardOfAStore(t *testing.T) {
	_, _, c := placed(gemmCases(), vectors, "NN", guard)
	_, _, cSingles := placed(gemmCases(), singles, "NN", guard)
	_, dst := placedTransposes(transposeCases(), vectors, guard)
	_, dstSingles := placedTransposes(transposeCases(), singles, guard)
	for _, c := range []struct {
		name string
		partition
		matrices []placement
	}{
		{"C, 128x128", partition{128, 128, 64, 4, 64, 4}, c},
		{"C, 128x128, singles", partition{128, 128, 64, 4, 64, 4}, cSingles},
		{"C, 128x256", partition{128, 256, 64, 4, 64, 4}, c},
		{"dst, 64x64", partition{64, 64, 32, 1, 32, 4}, dst},
		{"dst, 32x32, singles", partition{32, 32, 8, 1, 32, 1}, dstSingles},
	} {
		assert.Len(t, c.columns(c.matrices, comparison), c.lines(), "%s: columns", c.name)
		assert.Len(t, c.rows(c.matrices, comparison), c.lines(), "%s: rows", c.name)
	}
}

// The condition under which a kernel leaves out all guards, off by one in one mode: a whole tile is read that one row, column or k is
// missing to.
func TestQuickProblemsShowATileThatIsNotWhole(t *testing.T) {
	type problem struct {
		extents  []int
		operands []placement
	}
	gemms := func(d demands, ops string) (problems []problem) {
		as, bs, _ := placed(quickGEMMs(), d, ops, 0)
		for _, c := range quickGEMMs() {
			if c.readsAB() {
				i := len(problems)
				problems = append(problems, problem{[]int{c.m, c.n, c.k}, []placement{as[i], bs[i]}})
			}
		}
		return problems
	}
	transposes := func(d demands) (problems []problem) {
		srcs, _ := placedTransposes(quickTransposes(), d, 0)
		for i, c := range quickTransposes() {
			problems = append(problems, problem{[]int{c.m, c.n}, srcs[i : i+1]})
		}
		return problems
	}
	for _, c := range []struct {
		name     string
		tile     []int
		problems []problem
		// modes are those of the rows and of the columns of each operand.
		modes [][2]int
	}{
		{"NN", []int{128, 128, 8}, gemms(vectors, "NN"), [][2]int{{0, 2}, {2, 1}}},
		{"NN, singles", []int{128, 128, 8}, gemms(singles, "NN"), [][2]int{{0, 2}, {2, 1}}},
		{"NT", []int{128, 128, 8}, gemms(vectors, "NT"), [][2]int{{0, 2}, {1, 2}}},
		{"TN", []int{128, 128, 8}, gemms(vectors, "TN"), [][2]int{{2, 0}, {2, 1}}},
		{"TT", []int{128, 128, 8}, gemms(vectors, "TT"), [][2]int{{2, 0}, {1, 2}}},
		{"NN, 128x256x16", []int{128, 256, 16}, gemms(vectors, "NN"), [][2]int{{0, 2}, {2, 1}}},
		{"NT, 128x256x16", []int{128, 256, 16}, gemms(vectors, "NT"), [][2]int{{0, 2}, {1, 2}}},
		{"TN, 128x256x16", []int{128, 256, 16}, gemms(vectors, "TN"), [][2]int{{2, 0}, {2, 1}}},
		{"TT, 128x256x16", []int{128, 256, 16}, gemms(vectors, "TT"), [][2]int{{2, 0}, {1, 2}}},
		{"transpose", []int{64, 64}, transposes(vectors), [][2]int{{0, 1}}},
		{"transpose, singles", []int{32, 32}, transposes(singles), [][2]int{{0, 1}}},
	} {
		for mode := range c.tile {
			seen := false
			for _, p := range c.problems {
				if !allButOne(p.extents, c.tile, mode) {
					continue
				}
				end := func(i int) int { return p.extents[i] / c.tile[i] * c.tile[i] } // of the whole tiles
				for i, modes := range c.modes {
					rows, cols := end(modes[0]), end(modes[1])
					if modes[0] == mode {
						rows += c.tile[mode]
					}
					if modes[1] == mode {
						cols += c.tile[mode]
					}
					for r := range rows {
						for col := range cols {
							seen = seen || memcheck(p.operands[i], r, col)
						}
					}
				}
			}
			assert.True(t, seen, "%s: mode %d", c.name, mode)
		}
	}
}

// allButOne tells whether a problem has a whole tile, if one were added to the extent of the mode, which ends with the tile then.
func allButOne(extents, tile []int, mode int) bool {
	for i := range tile {
		if i != mode && extents[i] < tile[i] {
			return false
		}
	}
	return extents[mode]%tile[mode] == tile[mode]-1
}

// Without a sanitizer the stores of such a tile show it, and the sums.
func TestEdgesShowATileThatIsNotWhole(t *testing.T) {
	var gemms, transposes [][]int
	for _, c := range gemmCases() {
		if c.readsAB() {
			gemms = append(gemms, []int{c.m, c.n, c.k})
		}
	}
	for _, c := range transposeCases() {
		transposes = append(transposes, []int{c.m, c.n})
	}
	for _, c := range []struct {
		tile     []int
		problems [][]int
	}{
		{[]int{128, 128, 8}, gemms}, {[]int{128, 128, 16}, gemms}, {[]int{128, 256, 16}, gemms},
		{[]int{32, 32}, transposes}, {[]int{64, 64}, transposes},
	} {
		for mode := range c.tile {
			assert.True(t, slices.ContainsFunc(c.problems, func(extents []int) bool { return allButOne(extents, c.tile, mode) }), "%v: mode %d", c.tile, mode)
		}
	}
}
