package gputests

import "fmt"

// extents are the sizes of the matrix of cases. A guard of one element that is off by one shows only where the matrix ends right there: with
// every remainder by 4, in each half of a tile of 64 and of 128, and in each quarter of a tile of 32.
var extents = []int{1, 12, 19, 34, 66, 97, 100, 127, 129}

// A coefficients is a pair of factors of a GEMM.
type coefficients struct{ alpha, beta float32 }

// allCoefficients: only store, add, scale both, only scale C, only clear C. With those that ignore an operand, it is NaN.
var allCoefficients = []coefficients{{1, 0}, {1, 1}, {-2, 0.5}, {0, 0.5}, {0, 0}}

// A gemmCase is one problem for an SGEMM kernel. Leading dimensions and offsets are what is wished for: each is rounded up to what the kernel's
// alignment demands.
type gemmCase struct {
	m, n, k int
	coefficients
	// pad is added to the least leading dimension of A, B and C.
	pad [3]int
	// offset moves the first element of A, B and C away from the start of an allocation.
	offset [3]int
	// null passes null for A and B, which are not read.
	null bool
	// nan puts one NaN into the middle of A: it must reach its row of C and no other.
	nan bool
}

func (c gemmCase) String() string {
	s := fmt.Sprintf("M=%d N=%d K=%d alpha=%g beta=%g, ld+%v, offset %v", c.m, c.n, c.k, c.alpha, c.beta, c.pad, c.offset)
	if c.null {
		s += ", A and B null"
	}
	if c.nan {
		s += ", NaN in A"
	}
	return s
}

// readsAB says whether A and B are read at all.
func (c gemmCase) readsAB() bool { return c.alpha != 0 && c.k > 0 }

var (
	pads    = [][3]int{{0, 0, 0}, {1, 2, 3}, {4, 8, 12}, {5, 1, 7}}
	offsets = [][3]int{{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {4, 8, 12}, {0, 0, 1}, {1, 1, 1}, {0, 0, 0}}
)

// gemmCases are the matrix of small problems.
//
// For v the nine extents, (M,N,K) runs through (v[i], v[i+s], v[i+2s]), indices modulo 9, s from 1 to 8. Since 9 is odd, s, 2s and their
// difference all run through 1 to 8: the three extents of a case differ, and each ordered pair of different extents stands once in
// (M,N), once in (M,K) and once in (N,K).
func gemmCases() []gemmCase {
	var cases []gemmCase
	add := func(m, n, k int, c coefficients) {
		i := len(cases)
		cases = append(cases, gemmCase{m: m, n: n, k: k, coefficients: c, pad: pads[i%len(pads)], offset: offsets[i%len(offsets)]})
	}
	v := extents
	for s := 1; s < len(v); s++ {
		for i := range v {
			for _, c := range allCoefficients {
				add(v[i], v[(i+s)%len(v)], v[(i+2*s)%len(v)], c)
			}
		}
	}
	for _, c := range allCoefficients {
		add(65, 129, 0, c)
		add(128, 128, 0, c)
		add(128, 128, 8, c)
		add(256, 384, 64, c)
		add(257, 129, 385, c)
		add(127, 257, 24, c)
		add(128, 256, 31, c)
		add(1, 1, 1, c)
		add(3, 2, 5, c)
		add(1, 1000, 17, c)
		add(1000, 1, 17, c)
		add(129, 127, 1024, c)
	}
	// For tiles of 256 along N: N ends with every remainder by 4 in the last quarter, together with every one of M in each half of 128, and in
	// the third quarter.
	for i, m := range []int{132, 129, 130, 131, 100, 97, 70, 127} {
		add(m, 252+i%4, 16+i, allCoefficients[i%3])
		cases[len(cases)-1].pad = pads[1]
	}
	for i, n := range []int{132, 129, 130, 131} {
		add(70+i, n, 25+i, allCoefficients[i%3])
		cases[len(cases)-1].pad = pads[1]
	}
	for i := range cases {
		if c := &cases[i]; !c.readsAB() {
			c.null = i%2 == 0
			c.offset[0], c.offset[1] = 1, 3 // nor need what is not read be aligned
		}
	}
	for _, c := range allCoefficients[:3] {
		add(100, 65, 129, c)
		cases[len(cases)-1].nan = true
	}
	return cases
}

// quickGEMMs are for a sanitizer, which sees a read that is wrong though no result shows it: behind the end of an operand's allocation, or of
// the padding between its rows. They are made for tiles of up to 256x256x16.
//
// A guard that is off by one makes such a read only where the matrix ends right at the guarded element. So the sums have every length
// from 1 to 16. For each remainder by 4 of the length, M and N end in each quarter of 256. For lengths up to 8, and for the others, M and N
// have every remainder by 4 in each half of 256. Then come whole tiles, and problems that one row, column or k is missing to.
func quickGEMMs() []gemmCase {
	m := []int{66, 127, 100, 65, 255, 252, 193, 254, 36, 1, 62, 3, 132, 129, 130, 131}
	n := []int{1, 2, 63, 36, 130, 131, 132, 129, 124, 65, 66, 127, 252, 254, 255, 193}
	padded := pads[1:]
	var cases []gemmCase
	add := func(m, n, k int, c coefficients) {
		i := len(cases)
		cases = append(cases, gemmCase{m: m, n: n, k: k, coefficients: c, pad: padded[i%len(padded)]})
	}
	for i := range m {
		add(m[i], n[i], i+1, allCoefficients[i%3])
	}
	add(131, 255, 20, coefficients{1, 0}) // a length of 16 has no end in a tile of 16
	add(260, 292, 39, coefficients{1, 1})
	add(255, 256, 16, coefficients{1, 0})
	add(256, 255, 16, coefficients{1, 1})
	add(256, 256, 15, coefficients{1, 0})
	add(256, 256, 16, coefficients{1, 0})
	add(128, 256, 48, coefficients{-2, 0.5})
	for i := len(cases) - 2; i < len(cases); i++ {
		cases[i].pad = pads[0]
	}
	for _, c := range allCoefficients[3:] {
		add(66, 35, 9, c)
		add(129, 5, 0, c)
		cases[len(cases)-1].null = true
	}
	return cases
}

// randomCases are the problems that are checked by an error bound.
func randomCases() []gemmCase {
	cases := []gemmCase{
		{m: 65, n: 129, k: 100}, {m: 127, n: 63, k: 257}, {m: 100, n: 65, k: 1000}, {m: 1, n: 129, k: 4097}, {m: 300, n: 200, k: 2000}, {m: 257, n: 3, k: 1},
	}
	for i := range cases {
		cases[i].coefficients = allCoefficients[i%3]
		cases[i].pad = pads[i%len(pads)]
	}
	return cases
}

// A transposeCase is one problem for a transpose kernel; leading dimensions, batch strides and offsets are rounded up as in gemmCase.
type transposeCase struct {
	m, n, batch int
	// pad is added to the least leading dimension of src and dst, gap to the least batch stride, offset to the address.
	pad, gap, offset [2]int
	// broadcast reads one source matrix for the whole batch: its batch stride is 0.
	broadcast bool
}

func (c transposeCase) String() string {
	s := fmt.Sprintf("M=%d N=%d batch=%d, ld+%v, batch stride+%v, offset %v", c.m, c.n, c.batch, c.pad, c.gap, c.offset)
	if c.broadcast {
		s += ", one source"
	}
	return s
}

// transposeCases are the matrix of small problems: all pairs of extents, then long ones.
func transposeCases() []transposeCase {
	var cases []transposeCase
	add := func(m, n, batch int) {
		i := len(cases)
		pad, offset := pads[i%len(pads)], offsets[i%len(offsets)]
		cases = append(cases, transposeCase{m: m, n: n, batch: batch,
			pad: [2]int{pad[0], pad[1]}, offset: [2]int{offset[0], offset[2]}, gap: [2]int{i % 5, i % 3 * 7}, broadcast: i%11 == 3})
	}
	for i, m := range extents {
		for j, n := range extents {
			add(m, n, 1+(i+2*j)%3)
		}
	}
	for _, long := range []int{4095, 4096, 4097} {
		add(long, 65, 1)
		add(65, long, 2)
		add(1, long, 3)
		add(long, 1, 1)
	}
	add(256, 192, 3)
	add(192, 320, 1)
	return cases
}

// quickTransposes are for a sanitizer, as quickGEMMs are: M ends in each quarter of a tile of 32 and of 64 rows, each with every remainder
// of N by 4. Then come whole tiles, and problems that one row or column is missing to.
func quickTransposes() []transposeCase {
	var cases []transposeCase
	add := func(m, n int) {
		i := len(cases)
		pad := pads[(i+i/4)%len(pads)]
		cases = append(cases, transposeCase{m: m, n: n, batch: 1 + i%3, pad: [2]int{pad[0], pad[1]}, gap: [2]int{i % 2 * 5, 0}, broadcast: i%11 == 4})
	}
	for _, m := range []int{1, 13, 21, 31, 42, 63, 129} {
		for _, n := range []int{130, 1, 63, 36, 2} {
			add(m, n)
		}
	}
	add(64, 128)
	add(64, 63)
	add(63, 64)
	return cases
}
