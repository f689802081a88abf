package gputests

import (
	"fmt"

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

// limit makes the cases on both sides of a limit: the first value beyond it is refused, and the last one within gets as far as the next
// check, which refuses what the change spoils beside. So no launcher launches either, whatever it thinks of the limit.
func limit[Args any](name string, last, first int, refused, next gpu.Status, change func(a *Args, value int64)) []argumentCase[Args] {
	return []argumentCase[Args]{
		{fmt.Sprintf("%s = %d, the last within the limit", name, last), next, func(a *Args) { change(a, int64(last)) }},
		{fmt.Sprintf("%s = %d, the first beyond the limit", name, first), refused, func(a *Args) { change(a, int64(first)) }},
	}
}

// A parameter is a launcher's parameter of type long long or pointer.
type parameter[Args, T any] struct {
	name  string
	field func(*Args) *T
}

// broken makes the cases in which a parameter breaks its alignment, by each power of two below it.
func broken[Args any, T ~int64 | ~uintptr](ps []parameter[Args, T], unit string, multiple func(param string) int) []argumentCase[Args] {
	var cases []argumentCase[Args]
	for _, p := range ps {
		for by := 1; by < multiple(p.name); by *= 2 {
			name := fmt.Sprintf("%s misaligned by %d %s", p.name, by, unit)
			cases = append(cases, argumentCase[Args]{name, gpu.Misaligned, func(a *Args) { *p.field(a) += T(by) }})
		}
	}
	return cases
}

// misaligned breaks every alignment. That of a pointer is never less than an element.
func misaligned[Args any](d demands, pointers []parameter[Args, gpu.DevicePtr], sizes []parameter[Args, int64]) []argumentCase[Args] {
	return append(
		broken(pointers, "bytes", func(param string) int { return kernels.FloatBytes * max(1, d[param]) }),
		broken(sizes, "elements", func(param string) int { return d[param] })...)
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

// transposeArguments provoke every status, each limit from both sides.
func transposeArguments(m kernels.Manifest) []argumentCase[gpu.TransposeArgs] {
	type Args = gpu.TransposeArgs
	var cases []argumentCase[Args]
	for _, p := range transposePointers {
		cases = append(cases, set(p.name+" null", gpu.NullPointer, p.field, 0))
	}
	for _, p := range transposeSizes {
		cases = append(cases, set(p.name+" = -1", gpu.NegativeSize, p.field, -1))
	}
	for _, p := range transposeSizes[:3] {
		cases = append(cases, argumentCase[Args]{p.name + " = 0, all null", gpu.OK, func(a *Args) { *p.field(a), a.Src, a.Dst = 0, 0, 0 }})
	}
	d := demandsOf(m)
	cases = append(cases,
		argumentCase[Args]{"ld_src = N - 1", gpu.LeadingDimension, func(a *Args) { a.LDSrc = a.N - 1 }},
		argumentCase[Args]{"ld_dst = M - 1", gpu.LeadingDimension, func(a *Args) { a.LDDst = a.M - 1 }},
		argumentCase[Args]{"N = 0 and ld_src = 0", gpu.LeadingDimension, func(a *Args) { a.N, a.LDSrc = 0, 0 }},
		argumentCase[Args]{"N = 0 and ld_src = 1", gpu.OK, func(a *Args) { a.N, a.LDSrc = 0, 1 }},
		argumentCase[Args]{"M = 0 and ld_dst = 0", gpu.LeadingDimension, func(a *Args) { a.M, a.LDDst = 0, 0 }},
		argumentCase[Args]{"M = 0 and ld_dst = 1", gpu.OK, func(a *Args) { a.M, a.LDDst = 0, 1 }},
		argumentCase[Args]{"M = 2^33", gpu.Reach, func(a *Args) { a.M, a.LDDst, a.Batch = far, far, 1 }},
		argumentCase[Args]{"ld_src = 2^33", gpu.Reach, func(a *Args) { a.LDSrc, a.Batch = far, 1 }},
		argumentCase[Args]{"ld_dst = 2^33", gpu.Reach, func(a *Args) { a.LDDst, a.Batch = far, 1 }},
		argumentCase[Args]{"batch_stride_dst = 0", gpu.Overlap, func(a *Args) { a.BatchStrideDst = 0 }},
		// With 21 rows one element less than a matrix is a multiple of 4, since ld_dst is one: no check of the alignment refuses it.
		argumentCase[Args]{"M = 21 and batch_stride_dst one element short of a matrix", gpu.Overlap, func(a *Args) {
			a.M, a.BatchStrideDst = 21, (a.N-1)*a.LDDst+21-1
		}},
	)
	cases = append(cases, misaligned(d, transposePointers, transposeSizes)...)

	// What is within a limit is refused for matrices that overlap. The extents have no limit of their own: each is the length of a row.
	tileM, tileN := m.Launch.Tile[0], m.Launch.Tile[1]
	last, first := d.around("ld_src", kernels.MostLD(tileM, tileN))
	cases = append(cases, limit("ld_src", last, first, gpu.Reach, gpu.Overlap, func(a *Args, ld int64) { a.LDSrc, a.BatchStrideDst = ld, 0 })...)
	last, first = d.around("ld_dst", kernels.MostLD(tileN, tileM))
	cases = append(cases, limit("ld_dst", last, first, gpu.Reach, gpu.Overlap, func(a *Args, ld int64) { a.LDDst, a.BatchStrideDst = ld, 0 })...)
	if gridCounts(m, "y", "column tiles") {
		most := kernels.MostGridYZ * tileN
		cases = append(cases, limit("N", most, most+1, gpu.GridLimit, gpu.Overlap, func(a *Args, n int64) {
			a.N, a.LDSrc, a.BatchStrideDst = n, int64(roundUp(int(n), 8)), 0
		})...)
	}
	if gridCounts(m, "z", "batch") {
		most := kernels.MostGridYZ
		cases = append(cases, limit("batch", most, most+1, gpu.GridLimit, gpu.Overlap, func(a *Args, batch int64) {
			a.Batch, a.BatchStrideDst = batch, 0
		})...)
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

// sgemmArguments provoke every status but CUTEGEN_OVERLAP, each limit from both sides; widestGEMM is within that of the grid.
func sgemmArguments(m kernels.Manifest, ops string) []argumentCase[gpu.SGEMMArgs] {
	type Args = gpu.SGEMMArgs
	M, N, K, lda, ldb, ldc := sgemmSizes[0], sgemmSizes[1], sgemmSizes[2], sgemmSizes[3], sgemmSizes[4], sgemmSizes[5]
	operands, operandLDs := sgemmPointers[:2], sgemmSizes[3:5]
	var cases []argumentCase[Args]
	for _, p := range sgemmPointers {
		cases = append(cases, set(p.name+" null", gpu.NullPointer, p.field, 0))
	}
	for _, p := range sgemmSizes {
		cases = append(cases, set(p.name+" = -1", gpu.NegativeSize, p.field, -1))
	}
	for _, p := range sgemmSizes[:2] {
		cases = append(cases, argumentCase[Args]{p.name + " = 0, all null", gpu.OK, func(a *Args) { *p.field(a), a.A, a.B, a.C = 0, 0, 0, 0 }})
	}

	// A, B and C: the extent that is the length of a stored row, and its leading dimension.
	rows := []struct{ extent, ld sgemmSize }{{K, lda}, {N, ldb}, {N, ldc}}
	if ops[0] == 'T' {
		rows[0].extent = M
	}
	if ops[1] == 'T' {
		rows[1].extent = K
	}
	for _, r := range rows {
		extent, ld := r.extent, r.ld
		cases = append(cases,
			argumentCase[Args]{ld.name + " = " + extent.name + " - 1", gpu.LeadingDimension, func(a *Args) { *ld.field(a) = *extent.field(a) - 1 }},
			argumentCase[Args]{extent.name + " = 0 and " + ld.name + " = 0", gpu.LeadingDimension, func(a *Args) { *extent.field(a), *ld.field(a) = 0, 0 }},
			set(ld.name+" = 2^33", gpu.Reach, ld.field, far))
		if extent.name != K.name { // an empty sum is no empty problem
			cases = append(cases,
				argumentCase[Args]{extent.name + " = 0 and " + ld.name + " = 1", gpu.OK, func(a *Args) { *extent.field(a), *ld.field(a) = 0, 1 }})
		}
	}
	for _, extent := range []sgemmSize{M, K} {
		cases = append(cases, argumentCase[Args]{extent.name + " = 2^33", gpu.Reach, func(a *Args) {
			*extent.field(a) = far
			for _, r := range rows {
				if r.extent.name == extent.name {
					*r.ld.field(a) = far
				}
			}
		}})
	}

	d := demandsOf(m)
	cases = append(cases, misaligned(d, sgemmPointers, sgemmSizes)...)
	// The shortest sum that there is reads A and B as well.
	shortest := misaligned(d, operands, operandLDs)
	for _, p := range operands {
		shortest = append(shortest, set(p.name+" null", gpu.NullPointer, p.field, 0))
	}
	for _, c := range shortest {
		cases = append(cases, argumentCase[Args]{"K = 1, " + c.name, c.want, func(a *Args) { a.K = 1; c.change(a) }})
	}

	// What is within a limit is refused for its tiles along N, one more than a grid has.
	tileM, tileN, tileK := m.Launch.Tile[0], m.Launch.Tile[1], m.Launch.Tile[2]
	n := kernels.MostGridYZ*tileN + 1
	ldn := roundUp(n, 8)
	if !gridCounts(m, "y", "along N") || ldn > kernels.MostLD(tileM, tileN) {
		return cases
	}
	wide := func(a *Args) {
		a.N, a.LDC = int64(n), int64(ldn)
		if ops[1] == 'N' {
			a.LDB = a.LDC
		}
	}
	cases = append(cases, argumentCase[Args]{"65536 tiles along N", gpu.GridLimit, wide})
	reach := func(p sgemmSize, last, first int) {
		cases = append(cases, limit(p.name, last, first, gpu.Reach, gpu.GridLimit, func(a *Args, value int64) {
			wide(a)
			*p.field(a) = value
		})...)
	}
	// A and B are not read, so no alignment hides where their limits are.
	rowsA, colsA := stored(ops[0], tileM, tileK)
	rowsB, colsB := stored(ops[1], tileK, tileN)
	for i, most := range []int{kernels.MostLD(rowsA, colsA), kernels.MostLD(rowsB, colsB)} {
		cases = append(cases, limit("alpha = 0, "+operandLDs[i].name, most, most+1, gpu.Reach, gpu.GridLimit, func(a *Args, ld int64) {
			wide(a)
			a.Alpha, *operandLDs[i].field(a) = 0, ld
		})...)
	}
	last, first := d.around(ldc.name, kernels.MostLD(tileM, tileN))
	reach(ldc, last, first)
	// An extent that is the length of a row has no limit of its own: its leading dimension is refused before.
	if ops[0] == 'N' {
		reach(M, kernels.MostExtent(tileM), kernels.MostExtent(tileM)+1)
	}
	if ops == "TN" {
		reach(K, kernels.MostExtent(tileK), kernels.MostExtent(tileK)+1)
	}
	return cases
}

// widestGEMM has as many tiles along N as a grid can have. It reads neither A nor B.
func widestGEMM(m kernels.Manifest) gemmCase {
	return gemmCase{m: 1, n: kernels.MostGridYZ * m.Launch.Tile[1], coefficients: coefficients{1, 0}, null: true}
}
