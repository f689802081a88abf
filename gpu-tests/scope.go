package gputests

import "fmt"

// A scope is how much Verify does.
type scope struct {
	// watched is for a run under a sanitizer, which sees what leaves an allocation and what was never written: each matrix ends where its
	// allocation ends, and nothing but its elements is written to it and read back. Refusals, which launch nothing, are left out.
	watched    bool
	transposes []transposeCase
	gemms      []gemmCase
	randoms    []gemmCase
	// widest adds to each GEMM's cases the one with as many tiles as a grid has.
	widest bool
	// repeats is how often one problem is launched again: a race shows as an error that comes and goes.
	repeats         int
	repeatTranspose transposeCase
	repeatGEMM      gemmCase
	// Large problems: extents of transposes, and GEMMs that are checked by freivalds and, with random data, against cuBLAS.
	largeTransposes []transposeCase
	largeGEMMs      []gemmCase
}

func fullScope() scope {
	return scope{
		transposes:      transposeCases(),
		gemms:           gemmCases(),
		randoms:         randomCases(),
		widest:          true,
		repeats:         50,
		repeatTranspose: transposeCase{m: 1031, n: 773, batch: 1, pad: [2]int{3, 2}},
		repeatGEMM:      gemmCase{m: 515, n: 389, k: 263, coefficients: coefficients{1, 0}, pad: [3]int{1, 2, 3}},
		largeTransposes: []transposeCase{{m: 4096, n: 4096, batch: 1}, {m: 8191, n: 8193, batch: 1}},
		largeGEMMs: []gemmCase{
			{m: 4096, n: 4096, k: 4096, coefficients: coefficients{1, 0}},
			{m: 1000, n: 3000, k: 500, coefficients: coefficients{-2, 1}},
		},
	}
}

// quickScope is what a kernel under a sanitizer gets through in seconds.
func quickScope() scope {
	return scope{watched: true, transposes: quickTransposes(), gemms: quickGEMMs()}
}

// margin is the number of poisoned elements on each side of a matrix.
func (s scope) margin() int {
	if s.watched {
		return 0
	}
	return guard
}

// A check is one record that Verify makes for each kernel.
type check struct{ problem, metric string }

const (
	argumentsProblem = "arguments"
	edgesProblem     = "edges"
	randomProblem    = "random"
)

// checks lists the records of a family.
func (s scope) checks(family string) []check {
	var checks []check
	failures := func(problem string) { checks = append(checks, check{problem, Failures}) }
	bounded := func(problem string) { checks = append(checks, check{problem, ErrorOverBound}) }
	switch family {
	case familyTranspose:
		failures(argumentsProblem)
		failures(edgesProblem)
		if s.repeats > 0 {
			failures(s.repeated(s.repeatTranspose.problem()))
		}
		for _, c := range s.largeTransposes {
			failures(c.problem())
		}
	case familySGEMM:
		failures(argumentsProblem)
		failures(edgesProblem)
		if len(s.randoms) > 0 {
			bounded(randomProblem)
		}
		if s.repeats > 0 {
			failures(s.repeated(s.repeatGEMM.problem()))
		}
		for _, c := range s.largeGEMMs {
			failures(c.problem())
			bounded(c.problem())
		}
	}
	return checks
}

func (s scope) repeated(problem string) string {
	return fmt.Sprintf("%s, %d launches", problem, s.repeats)
}

// problem names the extents, as records do.
func (c transposeCase) problem() string { return Problem{c.m, c.n, 0}.String() }
func (c gemmCase) problem() string      { return Problem{c.m, c.n, c.k}.String() }

// A Problem is the extents of a transpose (K = 0) or of a GEMM.
type Problem struct{ M, N, K int }

// String is "4096x4096" or "4096x4096x4096".
func (p Problem) String() string {
	if p.K == 0 {
		return fmt.Sprintf("%dx%d", p.M, p.N)
	}
	return fmt.Sprintf("%dx%dx%d", p.M, p.N, p.K)
}
