package gputests

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"cutegen/gpu"
)

// Options of a run on the GPU.
type Options struct {
	// Command is the command line, for the records.
	Command string
	// Progress, if not nil, is told what is being done, a line at a time.
	Progress func(string)
	// Quick lets Verify do only small problems, in allocations without guards and with unwritten padding: what a sanitizer can watch. It leaves
	// no records, which would replace those of the whole.
	Quick bool
	// Problems are the extents that Bench and Compare time; nil means DefaultProblems. Each kernel gets those of its family.
	Problems []Problem
}

// A Failure is one case that a kernel got wrong.
type Failure struct {
	Kernel, Problem, Case string
	// What was wrong: the status, or the number of wrong elements and the first of them with its bits.
	What string
}

func (f Failure) Error() string {
	return fmt.Sprintf("%s, %s, %s: %s", f.Kernel, f.Problem, f.Case, f.What)
}

// A Report is what Verify found.
type Report struct {
	// Records has one record for each check of each kernel, failed or not.
	Records []Record
	// Failures has at most mostFailures of each check.
	Failures []Failure
}

const mostFailures = 5

// Verify runs every check on every kernel. The error is for what stopped the run: a kernel that went astray in memory takes the
// context with it, and the error names it. Failures are in the report, which holds what was found until then.
func Verify(ctx context.Context, device *gpu.Device, builds []Build, options Options) (Report, error) {
	s := fullScope()
	if options.Quick {
		s = quickScope()
	}
	report, err := verify(ctx, device, builds, options, s)
	if options.Quick {
		report.Records = nil
	}
	return report, err
}

func verify(ctx context.Context, device *gpu.Device, builds []Build, options Options, s scope) (report Report, err error) {
	transposes, gemms, err := load(builds)
	if err != nil {
		return Report{}, err
	}
	r, err := newRun(ctx, device, options)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = r.close(err) }()
	v := &verifier{run: r, scope: s}
	if len(transposes) > 0 {
		if err := v.verifyTransposes(transposes); err != nil {
			return v.report, err
		}
	}
	if len(gemms) > 0 {
		if err := v.verifyGEMMs(gemms); err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

// A verifier is one call of Verify.
type verifier struct {
	*run
	scope
	report Report
}

// each runs the cases of one check on one kernel and records how many failed. check says what is wrong, or "".
func each[C fmt.Stringer](v *verifier, b Build, problem string, cases []C, check func(C) (string, error)) error {
	v.say("%s: %s, %d cases", b.Name, problem, len(cases))
	failed := 0
	for _, c := range cases {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		what, err := check(c)
		if err != nil {
			return fmt.Errorf("%s, %s, %s: %w", b.Name, problem, c, err)
		}
		if what != "" {
			failed++
			v.fail(b, problem, c, what, failed)
		}
	}
	r := v.stamp(b, problem, Failures)
	r.Value, r.Cases = float64(failed), len(cases)
	v.report.Records = append(v.report.Records, r)
	return nil
}

// fail reports the failed-th failure of a check.
func (v *verifier) fail(b Build, problem string, c fmt.Stringer, what string, failed int) {
	f := Failure{b.Name, problem, c.String(), what}
	if failed <= mostFailures {
		v.report.Failures = append(v.report.Failures, f)
		v.say("FAILED %s", f.Error())
	}
}

// An accuracy is how far the elements of a product are from what they should be.
type accuracy struct {
	// relative is the largest error over its bound, absolute the largest error.
	relative, absolute float64
	// wrong elements are beyond their bound; first describes the first of them.
	wrong int
	first string
}

// add counts one element. An error that is no number is beyond any bound.
func (a *accuracy) add(got float32, want, bound float64, where func() string) {
	err := math.Abs(float64(got) - want)
	relative := err / bound
	switch {
	case err == 0:
		relative = 0
	case math.IsNaN(relative) || math.IsInf(relative, 0):
		err, relative = math.MaxFloat64, math.MaxFloat64
	}
	a.absolute, a.relative = max(a.absolute, err), max(a.relative, relative)
	if relative > 1 {
		if a.wrong++; a.wrong == 1 {
			a.first = fmt.Sprintf("%s: got %v (%#08x), want %v within %.3g", where(), got, math.Float32bits(got), want, bound)
		}
	}
}

// join adds the elements of b behind those of a.
func (a *accuracy) join(b accuracy) {
	if a.wrong == 0 {
		a.first = b.first
	}
	a.wrong += b.wrong
	a.absolute, a.relative = max(a.absolute, b.absolute), max(a.relative, b.relative)
}

func (a accuracy) String() string {
	if a.wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%d elements beyond their bound; the first is %s", a.wrong, a.first)
}

// A difference counts the words of an allocation that are not what they should be.
type difference struct {
	wrong, first int
	got, want    uint32
}

// compare finds the words of got that differ from what want says and that same, if not nil, does not excuse.
func compare(got []uint32, want func(position int) uint32, same func(got, want uint32) bool) difference {
	const chunk = 1 << 16
	parts := make([]difference, (len(got)+chunk-1)/chunk)
	parallel(len(parts), func(from, to int) {
		for part := from; part < to; part++ {
			d := &parts[part]
			for i := part * chunk; i < min((part+1)*chunk, len(got)); i++ {
				w := want(i)
				if got[i] == w || same != nil && same(got[i], w) {
					continue
				}
				if d.wrong++; d.wrong == 1 {
					d.first, d.got, d.want = i, got[i], w
				}
			}
		}
	})
	var whole difference
	for _, d := range parts {
		if whole.wrong == 0 {
			whole = d
		} else {
			whole.wrong += d.wrong
		}
	}
	return whole
}

// exactly wants these words.
func exactly(words []uint32) func(position int) uint32 {
	return func(position int) uint32 { return words[position] }
}

// untouched wants poison.
func untouched(int) uint32 { return poison }

// report describes a difference in the allocation of the matrix name, or is "". tile is the kernel's tile of the output.
func (d difference) report(p placement, name string, tile []int) string {
	if d.wrong == 0 {
		return ""
	}
	hint := ""
	if from := d.first - p.start(); p.batch == 1 && len(tile) == 2 && p.inside(d.first) {
		i, j := from/p.ld, from%p.ld
		hint = fmt.Sprintf(", in block (%d,%d) at (%d,%d)", i/tile[0], j/tile[1], i%tile[0], j%tile[1])
	}
	was := ""
	if d.got == poison {
		was = " (never written)"
	}
	if d.want == poison {
		was = " (must not be written)"
	}
	return fmt.Sprintf("%d elements wrong; the first is %s%s: got %#08x = %v, want %#08x = %v%s", d.wrong, p.locate(name, d.first), hint,
		d.got, math.Float32frombits(d.got), d.want, math.Float32frombits(d.want), was)
}

// sameFloat excuses 0 for -0, and for a NaN any NaN that is not the poison.
func sameFloat(got, want uint32) bool {
	g, w := math.Float32frombits(got), math.Float32frombits(want)
	return g == w || g != g && w != w && got != poison
}

// A run is what every use of the GPU shares: the device, a stream, cuBLAS, and what records say about them.
type run struct {
	ctx     context.Context
	device  *gpu.Device
	stream  *gpu.Stream
	blas    *gpu.BLAS // nil until openBLAS
	options Options
	date    string
}

func newRun(ctx context.Context, device *gpu.Device, options Options) (*run, error) {
	stream, err := device.Stream()
	if err != nil {
		return nil, err
	}
	return &run{ctx: ctx, device: device, stream: stream, options: options, date: time.Now().UTC().Format(time.DateOnly)}, nil
}

// close ends the run. After an error the context may be lost, and that what is said then fails is no news.
func (r *run) close(err error) error {
	if r.blas != nil {
		if e := r.blas.Close(); err == nil {
			err = e
		}
	}
	if e := r.stream.Destroy(); err == nil {
		err = e
	}
	return err
}

func (r *run) say(format string, args ...any) {
	if r.options.Progress != nil {
		r.options.Progress(fmt.Sprintf(format, args...))
	}
}

// stamp begins a record.
func (r *run) stamp(b Build, problem, metric string) Record {
	record := Record{
		Kernel: b.Name, Family: b.Family, Problem: problem, Metric: metric,
		SourceHash: b.SourceHash, Device: r.device.Name, Driver: r.device.Driver, CUDA: r.device.CUDA,
		Command: r.options.Command, Date: r.date,
	}
	if r.blas != nil {
		record.CUBLAS = r.blas.Version
	}
	return record
}

// openBLAS opens cuBLAS, once, and makes sure that its SGEMM is one of FP32: TF32 has 10 bits of fraction, the data here 12.
func (r *run) openBLAS() error {
	if r.blas != nil {
		return nil
	}
	r.say("opening cuBLAS")
	blas, err := r.device.OpenBLAS(r.stream)
	if err != nil {
		return err
	}
	r.blas = blas
	const n = 128
	a, identity := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i] = 1 + float32(i%4096)*0x1p-12
	}
	for i := range n {
		identity[i*n+i] = 1
	}
	var arena arena
	defer arena.free()
	args := gpu.SGEMMArgs{M: n, N: n, K: n, Alpha: 1, LDA: n, LDB: n, LDC: n}
	bufferA, bufferB, bufferC := upload(&arena, r.device, a), upload(&arena, r.device, identity), upload(&arena, r.device, make([]uint32, n*n))
	if arena.err != nil {
		return arena.err
	}
	args.A, args.B, args.C = bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr()
	if err := blas.SGEMM("NN", args); err != nil {
		return err
	}
	got := make([]float32, n*n)
	if err := gpu.CopyFrom(got, bufferC); err != nil {
		return err
	}
	for i, v := range got {
		if v != a[i] {
			return fmt.Errorf("%s (%s) is no FP32 baseline: it computes %v * 1 = %v", strings.TrimSuffix(blas.Path, ".so"), blas.Version, a[i], v)
		}
	}
	return nil
}

// put makes a buffer of the words of an allocation. In a watched scope, what is not an element of a matrix stays unwritten.
func (v *verifier) put(a *arena, p placement, words []uint32) *gpu.Buffer {
	if !v.watched {
		return upload(a, v.device, words)
	}
	b := a.alloc(v.device, len(words))
	if a.err == nil {
		a.err = p.rowwise(func(from, to int) error { return gpu.CopyToAt(b, from, words[from:to]) })
	}
	return b
}

// get reads an allocation back. In a watched scope, what is not an element of a matrix is poison.
func (v *verifier) get(b *gpu.Buffer, p placement) ([]uint32, error) {
	words := p.poisoned()
	if !v.watched {
		return words, gpu.CopyFrom(words, b)
	}
	return words, p.rowwise(func(from, to int) error { return gpu.CopyFromAt(words[from:to], b, from) })
}

// An arena is the buffers of one case. Its first error sticks.
type arena struct {
	buffers []*gpu.Buffer
	err     error
}

// alloc allocates n elements.
func (a *arena) alloc(d *gpu.Device, n int) *gpu.Buffer {
	if a.err != nil {
		return nil
	}
	b, err := d.Alloc(4 * n)
	if err != nil {
		a.err = err
		return nil
	}
	a.buffers = append(a.buffers, b)
	return b
}

// upload makes a buffer of the values.
func upload[T ~uint32 | ~float32](a *arena, d *gpu.Device, values []T) *gpu.Buffer {
	b := a.alloc(d, len(values))
	if a.err == nil {
		a.err = gpu.CopyTo(b, values)
	}
	return b
}

// free gives everything back. A failure shows in the next call on the device too.
func (a *arena) free() {
	for _, b := range a.buffers {
		if err := b.Free(); err != nil && a.err == nil {
			a.err = err
		}
	}
	a.buffers = nil
}
