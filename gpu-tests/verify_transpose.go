package gputests

import (
	"fmt"

	"cutegen/gpu"
)

func (v *verifier) verifyTransposes(ks []transposeKernel) error {
	for _, k := range ks {
		if !v.watched {
			if err := v.transposeArguments(k); err != nil {
				return err
			}
		}
		if err := each(v, k.Build, edgesProblem, v.transposes, func(c transposeCase) (string, error) { return v.transposeOnce(k, c) }); err != nil {
			return err
		}
		if v.repeats > 0 {
			if err := v.repeatTransposes(k); err != nil {
				return err
			}
		}
	}
	for _, c := range v.largeTransposes {
		if err := v.largeTranspose(c, ks); err != nil {
			return err
		}
	}
	return nil
}

// place puts the case's matrices into allocations, by the kernel's demands.
func (c transposeCase) place(d demands, guard int) (src, dst placement) {
	side := func(i, rows, cols int, pointer, ld, stride string) placement {
		p := placement{batch: c.batch, rows: rows, cols: cols, before: guard, after: guard}
		p.ld = d.fit(ld, cols+c.pad[i])
		p.stride = c.gap[i]
		if c.batch > 1 { // else it is not used, and may be anything
			p.stride = d.fit(stride, (rows-1)*p.ld+cols+c.gap[i])
		}
		p.offset = d.fit(pointer, c.offset[i])
		return p
	}
	src = side(0, c.m, c.n, "src", "ld_src", "batch_stride_src")
	if c.broadcast {
		src.batch, src.stride = 1, 0
	}
	return src, side(1, c.n, c.m, "dst", "ld_dst", "batch_stride_dst")
}

func (c transposeCase) args(src, dst placement, baseSrc, baseDst gpu.DevicePtr) gpu.TransposeArgs {
	return gpu.TransposeArgs{
		M: int64(c.m), N: int64(c.n), Batch: int64(c.batch),
		Src: src.pointer(baseSrc), LDSrc: int64(src.ld), BatchStrideSrc: int64(src.stride),
		Dst: dst.pointer(baseDst), LDDst: int64(dst.ld), BatchStrideDst: int64(dst.stride),
	}
}

// source is the allocation of src: the elements in order are the pattern.
func (c transposeCase) source(p placement) []uint32 {
	w := p.poisoned()
	for b := range p.batch {
		for i := range p.rows {
			row := w[p.at(b, i, 0):]
			for j := range p.cols {
				row[j] = pattern((b*p.rows+i)*p.cols + j)
			}
		}
	}
	return w
}

// wanted is the allocation of dst after the transpose.
func (c transposeCase) wanted(p placement) []uint32 {
	w := p.poisoned()
	for b := range p.batch {
		matrix := b
		if c.broadcast {
			matrix = 0
		}
		for n := range c.n {
			row := w[p.at(b, n, 0):]
			for m := range c.m {
				row[m] = pattern((matrix*c.m+m)*c.n + n)
			}
		}
	}
	return w
}

// transposeOnce checks one small case: the output bit for bit, guards and padding, and that the source is as it was.
func (v *verifier) transposeOnce(k transposeKernel, c transposeCase) (string, error) {
	src, dst := c.place(k.demands, v.margin())
	source := c.source(src)
	var arena arena
	defer arena.free()
	bufferSrc, bufferDst := v.put(&arena, src, source), v.put(&arena, dst, dst.poisoned())
	if arena.err != nil {
		return "", arena.err
	}
	if status := k.launch(c.args(src, dst, bufferSrc.Ptr(), bufferDst.Ptr()), v.stream); status != gpu.OK {
		return fmt.Sprintf("the launcher returned %s, want CUTEGEN_OK", status.Name()), nil
	}
	if err := v.stream.Wait(); err != nil {
		return "", err
	}
	got, err := v.get(bufferDst, dst)
	if err != nil {
		return "", err
	}
	after, err := v.get(bufferSrc, src)
	if err != nil {
		return "", err
	}
	return c.wrong(k.Build, src, dst, source, after, got), nil
}

// wrong says what is wrong with dst as the kernel left it, or with the source after it, or "".
func (c transposeCase) wrong(b Build, src, dst placement, source, after, got []uint32) string {
	if what := compare(got, exactly(c.wanted(dst)), nil).report(dst, "dst", reversed(b.Launch.Tile)); what != "" {
		return what
	}
	return written(after, source, src, "src")
}

// reversed is the tile as the output has it.
func reversed(tile []int) []int {
	if len(tile) != 2 {
		return nil
	}
	return []int{tile[1], tile[0]}
}

// transposeArguments checks that each bad argument gets its status and that nothing is launched.
func (v *verifier) transposeArguments(k transposeKernel) error {
	c := transposeBase
	src, dst := c.place(k.demands, v.margin())
	var arena arena
	defer arena.free()
	bufferSrc, bufferDst := upload(&arena, v.device, c.source(src)), upload(&arena, v.device, dst.poisoned())
	if arena.err != nil {
		return arena.err
	}
	return each(v, k.Build, argumentsProblem, transposeArguments(k.Manifest), func(a argumentCase[gpu.TransposeArgs]) (string, error) {
		args := c.args(src, dst, bufferSrc.Ptr(), bufferDst.Ptr())
		a.change(&args)
		return v.refused(k.launch(args, v.stream), a.want, bufferDst, dst, "dst")
	})
}

// refused says what is wrong with a launch that must have returned want without writing to the poisoned output.
func (v *verifier) refused(got, want gpu.Status, output *gpu.Buffer, p placement, name string) (string, error) {
	if err := v.stream.Wait(); err != nil {
		return "", err
	}
	after := make([]uint32, p.size())
	if err := gpu.CopyFrom(after, output); err != nil {
		return "", err
	}
	if what := refusal(got, want, after, p, name); what != "" {
		return what, v.stream.Fill(output, poison)
	}
	return "", nil
}

// refusal says what is wrong with a status that should be want, and with the words of the poisoned output after it, or "".
func refusal(got, want gpu.Status, after []uint32, p placement, name string) string {
	if got != want {
		return fmt.Sprintf("the launcher returned %s, want %s", got.Name(), want.Name())
	}
	if what := compare(after, untouched, nil).report(p, name, nil); what != "" {
		return "the launcher returned " + got.Name() + " and launched all the same: " + what
	}
	return ""
}

// A launch is one of many of the same problem.
type launch int

func (l launch) String() string { return fmt.Sprintf("launch %d", int(l)) }

func launches(n int) []launch {
	all := make([]launch, n)
	for i := range all {
		all[i] = launch(i)
	}
	return all
}

// repeatTransposes launches one problem again and again.
func (v *verifier) repeatTransposes(k transposeKernel) error {
	c := v.repeatTranspose
	src, dst := c.place(k.demands, v.margin())
	var arena arena
	defer arena.free()
	bufferSrc, bufferDst := upload(&arena, v.device, c.source(src)), arena.alloc(v.device, dst.size())
	if arena.err != nil {
		return arena.err
	}
	want, got := c.wanted(dst), make([]uint32, dst.size())
	return each(v, k.Build, v.repeated(c.problem()), launches(v.repeats), func(launch) (string, error) {
		if err := v.stream.Fill(bufferDst, poison); err != nil {
			return "", err
		}
		if status := k.launch(c.args(src, dst, bufferSrc.Ptr(), bufferDst.Ptr()), v.stream); status != gpu.OK {
			return fmt.Sprintf("the launcher returned %s, want CUTEGEN_OK", status.Name()), nil
		}
		if err := gpu.CopyFrom(got, bufferDst); err != nil {
			return "", err
		}
		return compare(got, exactly(want), nil).report(dst, "dst", reversed(k.Launch.Tile)), nil
	})
}

// largeTranspose checks every kernel on one large problem, from one upload of the source. The leading dimensions fit every
// kernel.
func (v *verifier) largeTranspose(c transposeCase, ks []transposeKernel) error {
	all := demands{}
	for _, k := range ks {
		all.join(k.demands)
	}
	src, dst := c.place(all, v.margin())
	var arena arena
	defer arena.free()
	bufferSrc, bufferDst := upload(&arena, v.device, c.source(src)), arena.alloc(v.device, dst.size())
	if arena.err != nil {
		return arena.err
	}
	got := make([]uint32, dst.size())
	for _, k := range ks {
		err := each(v, k.Build, c.problem(), []transposeCase{c}, func(c transposeCase) (string, error) {
			if err := v.stream.Fill(bufferDst, poison); err != nil {
				return "", err
			}
			if status := k.launch(c.args(src, dst, bufferSrc.Ptr(), bufferDst.Ptr()), v.stream); status != gpu.OK {
				return fmt.Sprintf("the launcher returned %s, want CUTEGEN_OK", status.Name()), nil
			}
			if err := gpu.CopyFrom(got, bufferDst); err != nil {
				return "", err
			}
			return compare(got, c.wantedAt(dst), nil).report(dst, "dst", reversed(k.Launch.Tile)), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wantedAt is wanted for a batch of one, without the allocation.
func (c transposeCase) wantedAt(p placement) func(position int) uint32 {
	return func(position int) uint32 {
		if !p.inside(position) {
			return poison
		}
		from := position - p.start()
		return pattern(from%p.ld*c.n + from/p.ld)
	}
}
