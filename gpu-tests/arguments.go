package gputests

import (
	"math"

	"cutegen/gpu"
	"cutegen/kernels"
)

// far is an extent or leading dimension that no 32-bit integer holds; a multiple of any alignment.
const far = 1 << 33

// An argumentCase changes one argument of a valid problem, and says what the launcher must return. In none of them may it launch.
type argumentCase[Args any] struct {
	name   string
	want   gpu.Status
	change func(*Args)
}

func (c argumentCase[Args]) String() string { return c.name }

// set makes the case that sets one argument, found by its field.
func set[Args, T any](name string, want gpu.Status, field func(*Args) *T, value T) argumentCase[Args] {
	return argumentCase[Args]{name, want, func(a *Args) { *field(a) = value }}
}

// A parameter is a launcher's parameter of type long long or pointer.
type parameter[Args, T any] struct {
	name  string
	field func(*Args) *T
}

// broken makes, for each parameter of which the kernel demands an alignment, the case in which it breaks it by one element.
func broken[Args any, T ~int64 | ~uintptr](d demands, ps []parameter[Args, T], element T) []argumentCase[Args] {
	var cases []argumentCase[Args]
	for _, p := range ps {
		if d[p.name] > 1 {
			cases = append(cases, argumentCase[Args]{p.name + " misaligned by one element", gpu.Misaligned, func(a *Args) { *p.field(a) += element }})
		}
	}
	return cases
}

type (
	transposeSize    = parameter[gpu.TransposeArgs, int64]
	transposePointer = parameter[gpu.TransposeArgs, gpu.DevicePtr]
	sgemmSize        = parameter[gpu.SGEMMArgs, int64]
	sgemmPointer     = parameter[gpu.SGEMMArgs, gpu.DevicePtr]
)

var transposePointers = []transposePointer{
	{"src", func(a *gpu.TransposeArgs) *gpu.DevicePtr { return &a.Src }},
	{"dst", func(a *gpu.TransposeArgs) *gpu.DevicePtr { return &a.Dst }},
}

var transposeSizes = []transposeSize{
	{"M", func(a *gpu.TransposeArgs) *int64 { return &a.M }},
	{"N", func(a *gpu.TransposeArgs) *int64 { return &a.N }},
	{"batch", func(a *gpu.TransposeArgs) *int64 { return &a.Batch }},
	{"ld_src", func(a *gpu.TransposeArgs) *int64 { return &a.LDSrc }},
	{"batch_stride_src", func(a *gpu.TransposeArgs) *int64 { return &a.BatchStrideSrc }},
	{"ld_dst", func(a *gpu.TransposeArgs) *int64 { return &a.LDDst }},
	{"batch_stride_dst", func(a *gpu.TransposeArgs) *int64 { return &a.BatchStrideDst }},
}

// The valid problem that the cases change: M = 24, N = 40, two matrices, everything a multiple of 8.
var transposeBase = transposeCase{m: 24, n: 40, batch: 2, pad: [2]int{8, 8}, gap: [2]int{16, 16}}

// transposeArguments provoke every status.
func transposeArguments(m kernels.Manifest) []argumentCase[gpu.TransposeArgs] {
	type Args = gpu.TransposeArgs
	var cases []argumentCase[Args]
	for _, p := range transposePointers {
		cases = append(cases, set(p.name+" null", gpu.NullPointer, p.field, 0))
	}
	for _, p := range transposeSizes {
		cases = append(cases, set(p.name+" = -1", gpu.NegativeSize, p.field, -1))
	}
	cases = append(cases,
		argumentCase[Args]{"ld_src < N", gpu.LeadingDimension, func(a *Args) { a.LDSrc = a.N - 8 }},
		argumentCase[Args]{"ld_dst < M", gpu.LeadingDimension, func(a *Args) { a.LDDst = a.M - 8 }},
		argumentCase[Args]{"M = 2^33", gpu.Reach, func(a *Args) { a.M, a.LDDst, a.Batch = far, far, 1 }},
		argumentCase[Args]{"ld_src = 2^33", gpu.Reach, func(a *Args) { a.LDSrc, a.Batch = far, 1 }},
		argumentCase[Args]{"ld_dst = 2^33", gpu.Reach, func(a *Args) { a.LDDst, a.Batch = far, 1 }},
		argumentCase[Args]{"batch_stride_dst one vector short of a matrix", gpu.Overlap, func(a *Args) { a.BatchStrideDst = (a.N-1)*a.LDDst + a.M - 8 }},
		argumentCase[Args]{"batch_stride_dst = 0", gpu.Overlap, func(a *Args) { a.BatchStrideDst = 0 }},
	)
	d := demandsOf(m)
	cases = append(cases, broken(d, transposePointers, kernels.FloatBytes)...)
	cases = append(cases, broken(d, transposeSizes, 1)...)
	if gridCounts(m, "y", "column tiles") {
		n := int64(kernels.MostGridYZ*m.Launch.Tile[1] + 8)
		cases = append(cases, argumentCase[Args]{"65536 column tiles", gpu.GridLimit, func(a *Args) { a.M, a.N, a.LDSrc, a.Batch = 1, n, n, 1 }})
	}
	if gridCounts(m, "z", "batch") {
		cases = append(cases, set("batch = 65536", gpu.GridLimit, func(a *Args) *int64 { return &a.Batch }, kernels.MostGridYZ+1))
	}
	for _, p := range transposeSizes[:3] {
		cases = append(cases, argumentCase[Args]{p.name + " = 0, all null", gpu.OK, func(a *Args) { *p.field(a), a.Src, a.Dst = 0, 0, 0 }})
	}
	return cases
}

var sgemmPointers = []sgemmPointer{
	{"A", func(a *gpu.SGEMMArgs) *gpu.DevicePtr { return &a.A }},
	{"B", func(a *gpu.SGEMMArgs) *gpu.DevicePtr { return &a.B }},
	{"C", func(a *gpu.SGEMMArgs) *gpu.DevicePtr { return &a.C }},
}

var sgemmSizes = []sgemmSize{
	{"M", func(a *gpu.SGEMMArgs) *int64 { return &a.M }},
	{"N", func(a *gpu.SGEMMArgs) *int64 { return &a.N }},
	{"K", func(a *gpu.SGEMMArgs) *int64 { return &a.K }},
	{"lda", func(a *gpu.SGEMMArgs) *int64 { return &a.LDA }},
	{"ldb", func(a *gpu.SGEMMArgs) *int64 { return &a.LDB }},
	{"ldc", func(a *gpu.SGEMMArgs) *int64 { return &a.LDC }},
}

// The valid problem that the cases change: three extents, everything a multiple of 8.
var sgemmBase = gemmCase{m: 24, n: 40, k: 16, coefficients: coefficients{1, 0}, pad: [3]int{8, 8, 8}}

// sgemmArguments provoke every status that the family has.
func sgemmArguments(m kernels.Manifest, ops string) []argumentCase[gpu.SGEMMArgs] {
	type Args = gpu.SGEMMArgs
	var cases []argumentCase[Args]
	for _, p := range sgemmPointers {
		cases = append(cases, set(p.name+" null", gpu.NullPointer, p.field, 0))
	}
	for _, p := range sgemmSizes {
		cases = append(cases, set(p.name+" = -1", gpu.NegativeSize, p.field, -1))
	}
	base := sgemmBase
	_, colsA := stored(ops[0], base.m, base.k)
	_, colsB := stored(ops[1], base.k, base.n)
	cases = append(cases,
		argumentCase[Args]{"lda less than the row", gpu.LeadingDimension, func(a *Args) { a.LDA = int64(colsA - 8) }},
		argumentCase[Args]{"ldb less than the row", gpu.LeadingDimension, func(a *Args) { a.LDB = int64(colsB - 8) }},
		argumentCase[Args]{"ldc < N", gpu.LeadingDimension, func(a *Args) { a.LDC = a.N - 8 }},
		argumentCase[Args]{"K = 0 and lda = 0", gpu.LeadingDimension, func(a *Args) { a.K, a.LDA = 0, 0 }},
		argumentCase[Args]{"lda = 2^33", gpu.Reach, func(a *Args) { a.LDA = far }},
		argumentCase[Args]{"ldb = 2^33", gpu.Reach, func(a *Args) { a.LDB = far }},
		argumentCase[Args]{"ldc = 2^33", gpu.Reach, func(a *Args) { a.LDC = far }},
	)
	// The extent with the leading dimensions that it needs.
	reachM, reachK := argumentCase[Args]{"M = 2^33", gpu.Reach, func(a *Args) { a.M = far }}, argumentCase[Args]{"K = 2^33", gpu.Reach, nil}
	if ops[0] == 'T' {
		reachM.change = func(a *Args) { a.M, a.LDA = far, far }
	}
	reachK.change = func(a *Args) {
		a.K = far
		if ops[0] == 'N' {
			a.LDA = far
		}
		if ops[1] == 'T' {
			a.LDB = far
		}
	}
	cases = append(cases, reachM, reachK)
	d := demandsOf(m)
	cases = append(cases, broken(d, sgemmPointers, kernels.FloatBytes)...)
	cases = append(cases, broken(d, sgemmSizes, 1)...)
	// The extent needs a leading dimension as large, which must not be refused itself: the offsets in a tile of C fit.
	if n := int64(kernels.MostGridYZ*m.Launch.Tile[1] + 8); gridCounts(m, "y", "along N") && int64(m.Launch.Tile[0])*n < math.MaxInt32-n {
		cases = append(cases, argumentCase[Args]{"65536 tiles along N", gpu.GridLimit, func(a *Args) {
			a.N, a.LDC = n, n
			if ops[1] == 'N' {
				a.LDB = n
			}
		}})
	}
	for _, p := range sgemmSizes[:2] {
		cases = append(cases, argumentCase[Args]{p.name + " = 0, all null", gpu.OK, func(a *Args) { *p.field(a), a.A, a.B, a.C = 0, 0, 0, 0 }})
	}
	return cases
}
