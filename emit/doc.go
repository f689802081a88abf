// Package emit turns layouts into index expressions of CUDA C++.
//
// An [Expr] is an integer expression over named variables with known ranges. It is made in one way only: a layout is applied to
// symbolic coordinates ([Offset], [Coordinates]), and folds while it is made:
//
//	layout (2,128):(4,132), coordinate t in [0,256)
//
//	t mod 2, t / 2          colexicographic: the first mode runs fastest
//	4*(t mod 2) + 132*(t/2)
//	(t & 1) * 4 + (t >> 1) * 132          as printed
//
// What folds is stated by the numbered rules in fold.go, each with its proof. Nothing that was folded is trusted: [Prove] evaluates
// an expression at every point of its variables' ranges and compares it with the layout's own value there.
//
// An unrolled access has one address for each (thread, value). [Hoist] splits them into the fewest thread-dependent base
// expressions such that each address is one of the bases plus a constant, which the hardware's base + immediate addressing takes.
// For a linear layout that is one base; an XOR swizzle needs more, and how many is decided by looking at every thread.
package emit
