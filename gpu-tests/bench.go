package gputests

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cutegen/gpu"
)

// DefaultProblems are what Bench and Compare time.
func DefaultProblems() []Problem {
	return []Problem{
		{1024, 1024, 0}, {4096, 4096, 0}, {8192, 8192, 0}, {8191, 8193, 0},
		{1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192}, {4095, 4097, 4093},
	}
}

// problemsOf are the problems of a family.
func (o Options) problemsOf(family string) []Problem {
	all := o.Problems
	if all == nil {
		all = DefaultProblems()
	}
	return slices.DeleteFunc(slices.Clone(all), func(p Problem) bool { return (p.K == 0) != (family == familyTranspose) })
}

// Bench times every kernel on every problem of its family: transposes against a device copy of as many bytes and against cublasSgeam, GEMMs
// against cublasSgemm in FP32. All see the same buffers of normal data. Before it is timed, each result is checked against cuBLAS.
func Bench(ctx context.Context, device *gpu.Device, builds []Build, options Options) (records []Record, err error) {
	transposes, gemms, err := load(builds)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, device, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = r.close(err) }()
	if err := r.openBLAS(); err != nil {
		return nil, err
	}
	t, err := r.newTimer()
	if err != nil {
		return nil, err
	}
	defer t.destroy()
	for _, p := range options.problemsOf(familyTranspose) {
		rs, err := t.benchTransposes(p, transposes)
		records = append(records, rs...)
		if err != nil {
			return records, err
		}
	}
	for _, p := range options.problemsOf(familySGEMM) {
		for _, ops := range []string{"NN", "NT", "TN", "TT"} {
			same := slices.DeleteFunc(slices.Clone(gemms), func(k sgemmKernel) bool { return k.ops != ops })
			rs, err := t.benchGEMMs(p, ops, same)
			records = append(records, rs...)
			if err != nil {
				return records, err
			}
		}
	}
	return records, nil
}

// versus makes a record of a race in units of work a second, from the work of one launch of each side.
func (t *timer) versus(b Build, p Problem, metric string, work float64, own timing, baseline string, baselineWork float64, other timing) Record {
	r := t.stamp(b, p.String(), metric)
	r.Baseline, r.Spread, r.Power = baseline, own.spread, t.power
	r.TimeUS, r.BaselineTimeUS = microseconds(own.median), microseconds(other.median)
	r.Value, r.BaselineValue = rate(work, own.median), rate(baselineWork, other.median)
	r.Ratio = r.Value / r.BaselineValue
	return r
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// rate is work a second, of work in 1e9 or 1e12 units.
func rate(work float64, d time.Duration) float64 { return work / d.Seconds() }

// A transposeBench is the buffers of one transpose problem: sets of them, if one would fit into the L2 cache.
type transposeBench struct {
	arena
	Problem
	sets               int
	ldSrc, ldDst       int
	bytes              int // of one matrix without padding
	copied             int // bytes of the copy that is the baseline
	srcBytes, dstBytes int // from one set to the next
	src, dst           *gpu.Buffer
}

// copyUnit is what the bytes of a device copy are rounded up to: it is slower by far for sizes that are no multiple.
const copyUnit = 64 << 10

func (t *timer) newTransposeBench(p Problem) (*transposeBench, error) {
	b := &transposeBench{Problem: p, ldSrc: roundUp(p.N, widest), ldDst: roundUp(p.M, widest), bytes: 4 * p.M * p.N}
	b.copied = roundUp(b.bytes, copyUnit)
	b.srcBytes = roundUp(max(4*p.M*b.ldSrc, b.copied), copyUnit)
	b.dstBytes = roundUp(max(4*p.N*b.ldDst, b.copied), copyUnit)
	b.sets = setsFor(b.srcBytes+b.dstBytes, t.device.L2Bytes)
	b.src = upload(&b.arena, t.device, normals(1, b.sets*b.srcBytes/4))
	b.dst = b.alloc(t.device, b.sets*b.dstBytes/4)
	return b, b.err
}

// widest is the most elements that a kernel moves at once: leading dimensions are multiples of it.
const widest = 4

// setsFor is the number of sets of buffers to rotate through: one if it does not fit into the cache, else so many that they fill six
// caches.
func setsFor(bytes, cache int) int {
	const mostSets = 4096
	if bytes > cache {
		return 1
	}
	return min((6*cache+bytes-1)/bytes, mostSets)
}

func (b *transposeBench) args(set int) gpu.TransposeArgs {
	return gpu.TransposeArgs{M: int64(b.M), N: int64(b.N), Batch: 1,
		Src: b.src.Ptr() + gpu.DevicePtr(set*b.srcBytes), LDSrc: int64(b.ldSrc), BatchStrideSrc: int64(b.M * b.ldSrc),
		Dst: b.dst.Ptr() + gpu.DevicePtr(set*b.dstBytes), LDDst: int64(b.ldDst), BatchStrideDst: int64(b.N * b.ldDst)}
}

// result runs a contender on the first set and returns what it wrote.
func (b *transposeBench) result(t *timer, c contender) ([]uint32, error) {
	if err := t.stream.Fill(b.dst, poison); err != nil {
		return nil, err
	}
	if err := c.start(0); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	got := make([]uint32, b.dstBytes/4)
	return got, gpu.CopyFrom(got, b.dst)
}

// agree is an error if two results differ in an element.
func (b *transposeBench) agree(name string, got []uint32, baseline string, want []uint32) error {
	d := compare(got, exactly(want), nil)
	p := placement{batch: 1, rows: b.N, cols: b.M, ld: b.ldDst}
	if what := d.report(p, "dst", nil); what != "" {
		return fmt.Errorf("%s on %s is not timed, since it differs from %s: %s", name, b.Problem, baseline, what)
	}
	return nil
}

func (k transposeKernel) contender(b *transposeBench, s *gpu.Stream) contender {
	return contender{k.Name, func(set int) error { return k.launch(b.args(set), s).Err() }}
}

func (t *timer) benchTransposes(p Problem, ks []transposeKernel) ([]Record, error) {
	if len(ks) == 0 {
		return nil, nil
	}
	t.say("%s: preparing", p)
	b, err := t.newTransposeBench(p)
	defer b.free()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	geam := contender{"cublasSgeam", func(set int) error { return t.blas.Transpose(b.args(set)) }}
	copied := contender{"device copy", func(set int) error {
		args := b.args(set)
		return t.stream.Copy(args.Dst, args.Src, b.copied)
	}}
	want, err := b.result(t, geam)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, k := range ks {
		t.say("%s: %s", k.Name, p)
		c := k.contender(b, t.stream)
		got, err := b.result(t, c)
		if err != nil {
			return records, err
		}
		if err := b.agree(k.Name, got, geam.name, want); err != nil {
			return records, err
		}
		times, err := t.race(b.sets, c, copied, geam)
		if err != nil {
			return records, err
		}
		work, copyWork := 2e-9*float64(b.bytes), 2e-9*float64(b.copied)
		records = append(records,
			t.versus(k.Build, p, GBPerSecond, work, times[0], copied.name, copyWork, times[1]),
			t.versus(k.Build, p, GBPerSecond, work, times[0], geam.name, work, times[2]))
	}
	return records, nil
}

// A gemmBench is the buffers of one GEMM problem with given ops.
type gemmBench struct {
	arena
	Problem
	ops                    string
	sets                   int
	lda, ldb, ldc          int
	aBytes, bBytes, cBytes int // from one set to the next
	a, b, c                *gpu.Buffer
	norms                  productNorms
}

func (t *timer) newGEMMBench(p Problem, ops string) (*gemmBench, error) {
	rowsA, colsA := stored(ops[0], p.M, p.K)
	rowsB, colsB := stored(ops[1], p.K, p.N)
	b := &gemmBench{Problem: p, ops: ops, lda: roundUp(colsA, widest), ldb: roundUp(colsB, widest), ldc: roundUp(p.N, widest)}
	const unit = 256
	b.aBytes, b.bBytes, b.cBytes = roundUp(4*rowsA*b.lda, unit), roundUp(4*rowsB*b.ldb, unit), roundUp(4*p.M*b.ldc, unit)
	b.sets = setsFor(b.aBytes+b.bBytes+b.cBytes, t.device.L2Bytes)

	valuesA, valuesB := normals(1, b.sets*b.aBytes/4), normals(2, b.sets*b.bBytes/4)
	b.a, b.b = upload(&b.arena, t.device, valuesA), upload(&b.arena, t.device, valuesB)
	b.c = b.alloc(t.device, b.sets*b.cBytes/4)
	b.norms = productNorms{p.K, storedNorms(ops[0] == 'T', rowsA, b.lda, valuesA), storedNorms(ops[1] == 'N', rowsB, b.ldb, valuesB)}
	return b, b.err
}

// storedNorms are the norms of the columns or rows of a stored matrix.
func storedNorms(columns bool, rows, ld int, values []float32) []float64 {
	if columns {
		return columnNorms(rows, ld, values)
	}
	return rowNorms(rows, ld, values) // the padding makes them larger by a little
}

func (b *gemmBench) args(set int) gpu.SGEMMArgs {
	return gpu.SGEMMArgs{M: int64(b.M), N: int64(b.N), K: int64(b.K), Alpha: 1,
		A: b.a.Ptr() + gpu.DevicePtr(set*b.aBytes), LDA: int64(b.lda), B: b.b.Ptr() + gpu.DevicePtr(set*b.bBytes), LDB: int64(b.ldb),
		C: b.c.Ptr() + gpu.DevicePtr(set*b.cBytes), LDC: int64(b.ldc)}
}

// result runs a contender on the first set and returns C.
func (b *gemmBench) result(t *timer, c contender) ([]float32, error) {
	if err := t.stream.Fill(b.c, poison); err != nil {
		return nil, err
	}
	if err := c.start(0); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	got := make([]float32, b.cBytes/4)
	return got, gpu.CopyFrom(got, b.c)
}

// agree is how far two results are apart, and an error if that is beyond what rounding explains.
func (b *gemmBench) agree(name string, got []float32, baseline string, want []float32) (accuracy, error) {
	a := b.norms.compare(got, want, placement{batch: 1, rows: b.M, cols: b.N, ld: b.ldc})
	if a.wrong > 0 {
		return a, fmt.Errorf("%s on %s is not timed, since it differs from %s: %s", name, b.Problem, baseline, a)
	}
	return a, nil
}

func (k sgemmKernel) contender(b *gemmBench, s *gpu.Stream) contender {
	return contender{k.Name, func(set int) error { return k.launch(b.args(set), s).Err() }}
}

// tera is the work of a GEMM in 1e12 operations, one multiplication and one addition for each product.
func (p Problem) tera() float64 { return 2e-12 * float64(p.M) * float64(p.N) * float64(p.K) }

func (t *timer) benchGEMMs(p Problem, ops string, ks []sgemmKernel) ([]Record, error) {
	if len(ks) == 0 {
		return nil, nil
	}
	t.say("%s %s: preparing", p, ops)
	b, err := t.newGEMMBench(p, ops)
	defer b.free()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", p, ops, err)
	}
	blas := contender{"cublasSgemm", func(set int) error { return t.blas.SGEMM(ops, b.args(set)) }}
	want, err := b.result(t, blas)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, k := range ks {
		t.say("%s: %s", k.Name, p)
		c := k.contender(b, t.stream)
		got, err := b.result(t, c)
		if err != nil {
			return records, err
		}
		apart, err := b.agree(k.Name, got, blas.name, want)
		if err != nil {
			return records, err
		}
		times, err := t.race(b.sets, c, blas)
		if err != nil {
			return records, err
		}
		r := t.versus(k.Build, p, TFLOPS, p.tera(), times[0], blas.name, p.tera(), times[1])
		r.MaxError = apart.absolute
		records = append(records, r)
	}
	return records, nil
}
