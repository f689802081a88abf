package gputests

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"cutegen/gpu"
	"cutegen/gpu-tests/emulator"
	"cutegen/kernels"
)

// A Source is a generated kernel: its manifest, and its .cu.
type Source struct {
	kernels.Manifest
	CUDA []byte
}

// mostEmulated is how long one launch may take: far longer than any takes that is right.
const mostEmulated = time.Minute

// Emulate runs every kernel without a GPU, on the problems that Options.Quick has for a sanitizer and with every bad argument, each problem
// in both orders of the threads, under the host's sanitizers (see package emulator). The report has no records: nothing ran on a GPU. The error
// is for what stopped the run.
func Emulate(ctx context.Context, sources []Source, options Options) (Report, error) {
	dir, err := os.MkdirTemp("", "cutegen")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(dir)
	var say sync.Mutex
	progress := options.Progress
	if progress != nil {
		options.Progress = func(line string) {
			say.Lock()
			defer say.Unlock()
			progress(line)
		}
	}
	reports, errs := make([]Report, len(sources)), make([]error, len(sources))
	parallel(len(sources), func(from, to int) {
		for i := from; i < to; i++ {
			reports[i], errs[i] = emulate(ctx, sources[i], dir, options)
		}
	})
	var whole Report
	for i := range sources {
		whole.Failures = append(whole.Failures, reports[i].Failures...)
		if errs[i] != nil {
			return whole, fmt.Errorf("%s: %w", sources[i].Name, errs[i])
		}
	}
	return whole, nil
}

// An emulation is one kernel on this machine.
type emulation struct {
	Build
	demands
	program  *emulator.Program
	ctx      context.Context
	failures []Failure
}

func emulate(ctx context.Context, s Source, dir string, options Options) (report Report, err error) {
	r := run{ctx: ctx, options: options}
	r.say("%s: compiling for this machine", s.Name)
	program, err := emulator.Compile(ctx, s.CUDA, s.Name, dir)
	if err != nil {
		return Report{}, err
	}
	defer func() {
		if e := program.Close(); err == nil {
			err = e
		}
	}()
	e := emulation{Build: Build{Manifest: s.Manifest}, demands: demandsOf(s.Manifest), program: program, ctx: ctx}
	r.say("%s: running", s.Name)
	switch s.Family {
	case familyTranspose:
		err = e.transposes()
	case familySGEMM:
		err = e.gemms()
	default:
		err = fmt.Errorf("there are no tests for the family %q", s.Family)
	}
	return Report{Failures: e.failures}, err
}

// emulated runs check on the cases of a problem, each in the orders, and keeps the first failures.
func emulated[C fmt.Stringer](e *emulation, problem string, cases []C, orders []emulator.Order, check func(C, emulator.Order) string) error {
	failed := 0
	for _, c := range cases {
		for _, order := range orders {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			what := check(c, order)
			if what == "" {
				continue
			}
			if failed++; failed <= mostFailures {
				e.failures = append(e.failures, Failure{e.Name, problem, fmt.Sprintf("%s, threads %s", c, order), what})
			}
		}
	}
	return nil
}

var bothOrders = []emulator.Order{emulator.Forwards, emulator.Backwards}

// launch runs the launcher. What it says is wrong is what a sanitizer found.
func (e *emulation) launch(order emulator.Order, memories [][]uint32, args ...any) (status gpu.Status, what string) {
	ctx, cancel := context.WithTimeout(e.ctx, mostEmulated)
	defer cancel()
	got, err := e.program.Launch(ctx, order, memories, args...)
	if err != nil {
		return 0, err.Error()
	}
	return gpu.Status(got), ""
}

// base is the address of a memory.
func base(memory int) gpu.DevicePtr { return gpu.DevicePtr(emulator.Address(memory, 0)) }

func (e *emulation) transpose(order emulator.Order, memories [][]uint32, a gpu.TransposeArgs) (gpu.Status, string) {
	return e.launch(order, memories, a.M, a.N, a.Batch, uint64(a.Src), a.LDSrc, a.BatchStrideSrc, uint64(a.Dst), a.LDDst, a.BatchStrideDst)
}

func (e *emulation) gemm(order emulator.Order, memories [][]uint32, a gpu.SGEMMArgs) (gpu.Status, string) {
	return e.launch(order, memories, a.M, a.N, a.K, a.Alpha, uint64(a.A), a.LDA, uint64(a.B), a.LDB, a.Beta, uint64(a.C), a.LDC)
}

func (e *emulation) transposes() error {
	scope := quickScope()
	src, dst := transposeBase.place(e.demands, 0)
	err := emulated(e, argumentsProblem, transposeArguments(e.Manifest), bothOrders[:1], func(a argumentCase[gpu.TransposeArgs], order emulator.Order) string {
		after := dst.poisoned()
		args := transposeBase.args(src, dst, base(0), base(1))
		a.change(&args)
		status, what := e.transpose(order, [][]uint32{transposeBase.source(src), after}, args)
		if what != "" {
			return what
		}
		return refusal(status, a.want, after, dst, "dst")
	})
	if err != nil {
		return err
	}
	return emulated(e, edgesProblem, scope.transposes, bothOrders, func(c transposeCase, order emulator.Order) string {
		src, dst := c.place(e.demands, 0)
		source, got := c.source(src), dst.poisoned()
		after := slices.Clone(source)
		status, what := e.transpose(order, [][]uint32{after, got}, c.args(src, dst, base(0), base(1)))
		if what == "" && status != gpu.OK {
			what = refusal(status, gpu.OK, got, dst, "dst")
		}
		if what != "" {
			return what
		}
		return c.wrong(e.Build, src, dst, source, after, got)
	})
}

func (e *emulation) gemms() error {
	ops, err := e.ops()
	if err != nil {
		return err
	}
	k := sgemmKernel{Build: e.Build, demands: e.demands, ops: ops}
	data := exactData(sgemmBase, 0)
	a, b, out := sgemmBase.place(k, 0)
	wordsA, wordsB := operand(a, ops[0], data.a, sgemmBase.m, sgemmBase.k), operand(b, ops[1], data.b, sgemmBase.k, sgemmBase.n)
	err = emulated(e, argumentsProblem, sgemmArguments(e.Manifest, ops), bothOrders[:1], func(c argumentCase[gpu.SGEMMArgs], order emulator.Order) string {
		after := out.poisoned()
		args := sgemmBase.args(a, b, out, base(0), base(1), base(2))
		c.change(&args)
		status, what := e.gemm(order, [][]uint32{slices.Clone(wordsA), slices.Clone(wordsB), after}, args)
		if what != "" {
			return what
		}
		return refusal(status, c.want, after, out, "C")
	})
	if err != nil {
		return err
	}
	return emulated(e, edgesProblem, prepare(quickScope().gemms, exactData), bothOrders, func(p *preparedGEMM, order emulator.Order) string {
		a, b, out := p.place(k, 0)
		wordsA, wordsB := a.poisoned(), b.poisoned()
		if p.readsAB() {
			wordsA, wordsB = operand(a, ops[0], p.data.a, p.m, p.k), operand(b, ops[1], p.data.b, p.k, p.n)
		}
		afterA, afterB, got := slices.Clone(wordsA), slices.Clone(wordsB), p.output(out)
		status, what := e.gemm(order, [][]uint32{afterA, afterB, got}, p.args(a, b, out, base(0), base(1), base(2)))
		if what == "" && status != gpu.OK {
			what = refusal(status, gpu.OK, got, out, "C")
		}
		if what == "" {
			what = written(afterA, wordsA, a, "A")
		}
		if what == "" {
			what = written(afterB, wordsB, b, "B")
		}
		if what != "" {
			return what
		}
		return p.wrong(e.Build, out, got)
	})
}
