package gputests

import (
	"fmt"
	"math"
	"slices"

	"cutegen/gpu"
)

func (v *verifier) verifyGEMMs(ks []sgemmKernel) error {
	v.say("computing references")
	edges, randoms := prepare(v.gemms, exactData), prepare(v.randoms, normalData)
	for _, p := range randoms {
		p.magnitude = p.data.magnitude()
	}
	for _, k := range ks {
		if !v.watched {
			if err := v.gemmArguments(k); err != nil {
				return err
			}
		}
		cases := edges
		if v.widest && gridCounts(k.Manifest, "y", "along N") {
			cases = slices.Concat(edges, prepare([]gemmCase{widestGEMM(k.Manifest)}, exactData))
		}
		if err := each(v, k.Build, edgesProblem, cases, func(p *preparedGEMM) (string, error) { return v.gemmOnce(k, p) }); err != nil {
			return err
		}
		if len(randoms) > 0 {
			if err := v.randomGEMMs(k, randoms); err != nil {
				return err
			}
		}
	}
	if v.repeats > 0 {
		repeat := prepare([]gemmCase{v.repeatGEMM}, exactData)[0]
		for _, k := range ks {
			err := each(v, k.Build, v.repeated(repeat.problem()), launches(v.repeats), func(launch) (string, error) { return v.gemmOnce(k, repeat) })
			if err != nil {
				return err
			}
		}
	}
	for _, c := range v.largeGEMMs {
		if err := v.largeGEMM(c, fittingAll(ks)); err != nil {
			return err
		}
	}
	return nil
}

// A preparedGEMM is a case with its data and its result, which every kernel shares, whatever its ops.
type preparedGEMM struct {
	gemmCase
	data gemmData
	// want is the reference, magnitude |A| |B| where the case has a bound.
	want, magnitude []float64
}

// exactData are integers for which every result is exact.
func exactData(c gemmCase, seed uint64) gemmData {
	limit := exactLimit(c.k)
	d := gemmData{m: c.m, n: c.n, k: c.k, alpha: c.alpha, beta: c.beta,
		a: integers(seed, c.m*c.k, limit), b: integers(seed+1, c.k*c.n, limit), c: integers(seed+2, c.m*c.n, mostC)}
	if c.nan {
		d.a[c.m/2*c.k+c.k/2] = float32(math.NaN())
	}
	return d
}

// normalData are of the normal distribution N(0,1).
func normalData(c gemmCase, seed uint64) gemmData {
	return gemmData{m: c.m, n: c.n, k: c.k, alpha: c.alpha, beta: c.beta,
		a: normals(seed, c.m*c.k), b: normals(seed+1, c.k*c.n), c: normals(seed+2, c.m*c.n)}
}

// prepare computes the references, on all cores.
func prepare(cases []gemmCase, data func(c gemmCase, seed uint64) gemmData) []*preparedGEMM {
	ps := make([]*preparedGEMM, len(cases))
	for i, c := range cases {
		p := &preparedGEMM{gemmCase: c, data: data(c, uint64(3*i))}
		p.want = p.data.reference()
		ps[i] = p
	}
	return ps
}

// place puts A, B and C into allocations, by the kernel's ops and demands. What is not read need not be aligned.
func (c gemmCase) place(k sgemmKernel, guard int) (a, b, out placement) {
	side := func(i, rows, cols int, pointer, ld string) placement {
		d := k.demands
		if i < 2 && !c.readsAB() {
			d = demands{}
		}
		return placement{batch: 1, rows: rows, cols: cols, before: guard, after: guard,
			ld: d.fit(ld, max(1, cols)+c.pad[i]), offset: d.fit(pointer, c.offset[i])}
	}
	rowsA, colsA := stored(k.ops[0], c.m, c.k)
	rowsB, colsB := stored(k.ops[1], c.k, c.n)
	return side(0, rowsA, colsA, "A", "lda"), side(1, rowsB, colsB, "B", "ldb"), side(2, c.m, c.n, "C", "ldc")
}

func (c gemmCase) args(a, b, out placement, baseA, baseB, baseC gpu.DevicePtr) gpu.SGEMMArgs {
	args := gpu.SGEMMArgs{
		M: int64(c.m), N: int64(c.n), K: int64(c.k), Alpha: c.alpha, Beta: c.beta,
		A: a.pointer(baseA), LDA: int64(a.ld), B: b.pointer(baseB), LDB: int64(b.ld), C: out.pointer(baseC), LDC: int64(out.ld),
	}
	if c.null {
		args.A, args.B = 0, 0
	}
	return args
}

// operand is the allocation of a rows x cols matrix that is stored as op says.
func operand(p placement, op byte, values []float32, rows, cols int) []uint32 {
	w := p.poisoned()
	for i := range rows {
		for j := range cols {
			at := p.at(0, i, j)
			if op == 'T' {
				at = p.at(0, j, i)
			}
			w[at] = math.Float32bits(values[i*cols+j])
		}
	}
	return w
}

// output is the allocation of C before the launch: poison where beta is 0 too, since C is not read then.
func (p *preparedGEMM) output(at placement) []uint32 {
	if p.beta == 0 {
		return at.poisoned()
	}
	return operand(at, 'N', p.data.c, p.m, p.n)
}

// launchGEMM launches the kernel on the case and returns the allocation of C after it. What it says is wrong is the status, or a write to A or
// B.
func (v *verifier) launchGEMM(k sgemmKernel, p *preparedGEMM) (got []uint32, at placement, what string, err error) {
	a, b, out := p.place(k, v.margin())
	wordsA, wordsB := a.poisoned(), b.poisoned()
	if p.readsAB() { // else they are NaN throughout
		wordsA, wordsB = operand(a, k.ops[0], p.data.a, p.m, p.k), operand(b, k.ops[1], p.data.b, p.k, p.n)
	}
	var arena arena
	defer arena.free()
	bufferA, bufferB, bufferC := v.put(&arena, a, wordsA), v.put(&arena, b, wordsB), v.put(&arena, out, p.output(out))
	if arena.err != nil {
		return nil, out, "", arena.err
	}
	if status := k.launch(p.args(a, b, out, bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr()), v.stream); status != gpu.OK {
		return nil, out, fmt.Sprintf("the launcher returned %s, want CUTEGEN_OK", status.Name()), nil
	}
	if err := v.stream.Wait(); err != nil {
		return nil, out, "", err
	}
	if got, err = v.get(bufferC, out); err != nil {
		return nil, out, "", err
	}
	for _, input := range []struct {
		name   string
		buffer *gpu.Buffer
		words  []uint32
		at     placement
	}{{"A", bufferA, wordsA, a}, {"B", bufferB, wordsB, b}} {
		after, err := v.get(input.buffer, input.at)
		if err != nil {
			return nil, out, "", err
		}
		if what := written(after, input.words, input.at, input.name); what != "" {
			return got, out, what, nil
		}
	}
	return got, out, "", nil
}

// gemmOnce checks one small case with exact data: C bit for bit, guards and padding, and that A and B are as they were.
func (v *verifier) gemmOnce(k sgemmKernel, p *preparedGEMM) (string, error) {
	got, at, what, err := v.launchGEMM(k, p)
	if what != "" || err != nil {
		return what, err
	}
	return p.wrong(k.Build, at, got), nil
}

// wrong says what is wrong with C as the kernel left it, or "". The data are exact.
func (p *preparedGEMM) wrong(b Build, at placement, got []uint32) string {
	want := at.poisoned()
	for i := range p.m {
		for j := range p.n {
			want[at.at(0, i, j)] = math.Float32bits(float32(p.want[i*p.n+j]))
		}
	}
	return compare(got, exactly(want), sameFloat).report(at, "C", tileMN(b))
}

// written says which words of an input are not as they were, or "".
func written(after, before []uint32, at placement, name string) string {
	if d := compare(after, exactly(before), nil); d.wrong > 0 {
		return name + " was written: " + d.report(at, name, nil)
	}
	return ""
}

// tileMN is the tile of C.
func tileMN(b Build) []int {
	if len(b.Launch.Tile) < 2 {
		return nil
	}
	return b.Launch.Tile[:2]
}

// randomGEMMs checks the cases with random data by their bounds.
func (v *verifier) randomGEMMs(k sgemmKernel, ps []*preparedGEMM) error {
	v.say("%s: %s, %d cases", k.Name, randomProblem, len(ps))
	var worst accuracy
	failed := 0
	for _, p := range ps {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		got, at, what, err := v.launchGEMM(k, p)
		if err != nil {
			return fmt.Errorf("%s, %s, %s: %w", k.Name, randomProblem, p, err)
		}
		var a accuracy
		if what == "" {
			a = p.accuracy(got, at)
			what = a.String()
			if what == "" {
				want := func(position int) uint32 {
					if at.inside(position) {
						return got[position]
					}
					return poison
				}
				what = compare(got, want, nil).report(at, "C", nil)
			}
		}
		if what != "" {
			failed++
			v.fail(k.Build, randomProblem, p, what, failed)
			a.relative = math.MaxFloat64
		}
		worst.join(a)
	}
	v.recordAccuracy(k.Build, randomProblem, "float64 in Go", worst, len(ps))
	return nil
}

func (v *verifier) recordAccuracy(b Build, problem, baseline string, a accuracy, cases int) {
	r := v.stamp(b, problem, ErrorOverBound)
	r.Value, r.MaxError, r.Baseline, r.Cases = a.relative, a.absolute, baseline, cases
	v.report.Records = append(v.report.Records, r)
}

// accuracy compares C with the reference by the bound.
func (p *preparedGEMM) accuracy(got []uint32, at placement) accuracy {
	var a accuracy
	for i := range p.m {
		for j := range p.n {
			e := i*p.n + j
			bound := gemmBound(p.k, p.alpha, p.beta, p.magnitude[e], float64(p.data.c[e]))
			a.add(math.Float32frombits(got[at.at(0, i, j)]), p.want[e], bound, func() string { return fmt.Sprintf("C(%d,%d)", i, j) })
		}
	}
	return a
}

// gemmArguments checks that each bad argument gets its status and that nothing is launched.
func (v *verifier) gemmArguments(k sgemmKernel) error {
	c := sgemmBase
	data := exactData(c, 0)
	a, b, out := c.place(k, v.margin())
	var arena arena
	defer arena.free()
	bufferA := upload(&arena, v.device, operand(a, k.ops[0], data.a, c.m, c.k))
	bufferB := upload(&arena, v.device, operand(b, k.ops[1], data.b, c.k, c.n))
	bufferC := upload(&arena, v.device, out.poisoned())
	if arena.err != nil {
		return arena.err
	}
	return each(v, k.Build, argumentsProblem, sgemmArguments(k.Manifest, k.ops), func(change argumentCase[gpu.SGEMMArgs]) (string, error) {
		args := c.args(a, b, out, bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr())
		change.change(&args)
		return v.refused(k.launch(args, v.stream), change.want, bufferC, out, "C")
	})
}

// largeOperands are the stored forms of A and B on the GPU, which the kernels of a large problem share.
type largeOperands struct {
	arena
	v    *verifier
	data gemmData
	a, b map[byte]*gpu.Buffer
}

// get returns A and B stored as ops say, uploaded at the first time.
func (l *largeOperands) get(ops string, a, b placement) (bufferA, bufferB *gpu.Buffer, err error) {
	if l.a[ops[0]] == nil {
		l.a[ops[0]] = upload(&l.arena, l.v.device, operand(a, ops[0], l.data.a, l.data.m, l.data.k))
	}
	if l.b[ops[1]] == nil {
		l.b[ops[1]] = upload(&l.arena, l.v.device, operand(b, ops[1], l.data.b, l.data.k, l.data.n))
	}
	return l.a[ops[0]], l.b[ops[1]], l.err
}

// fittingAll gives every kernel the demands of all of them together, so that they can share buffers.
func fittingAll(ks []sgemmKernel) []sgemmKernel {
	all := demands{}
	for _, k := range ks {
		all.join(k.demands)
	}
	fitting := slices.Clone(ks)
	for i := range fitting {
		fitting[i].demands = all
	}
	return fitting
}

// largeGEMM checks every kernel on one large problem: integers by freivalds, and normal data against cuBLAS.
func (v *verifier) largeGEMM(c gemmCase, ks []sgemmKernel) error {
	if err := v.openBLAS(); err != nil {
		return err
	}
	if err := v.largeExact(c, ks); err != nil {
		return err
	}
	c.coefficients = coefficients{1, 0}
	return v.largeRandom(c, ks)
}

// largeExact checks C = alpha A B + beta C on integers.
func (v *verifier) largeExact(c gemmCase, ks []sgemmKernel) error {
	v.say("%s: integers", c.problem())
	data := exactData(c, 1)
	check := newFreivalds(data, 5)
	operands := largeOperands{v: v, data: data, a: map[byte]*gpu.Buffer{}, b: map[byte]*gpu.Buffer{}}
	defer operands.free()
	_, _, out := c.place(ks[0], v.margin())
	before := (&preparedGEMM{gemmCase: c, data: data}).output(out)
	bufferC := operands.alloc(v.device, out.size())
	got := make([]uint32, out.size())
	for _, k := range ks {
		a, b, _ := c.place(k, v.margin())
		bufferA, bufferB, err := operands.get(k.ops, a, b)
		if err != nil {
			return err
		}
		err = each(v, k.Build, c.problem(), []gemmCase{c}, func(c gemmCase) (string, error) {
			if err := gpu.CopyTo(bufferC, before); err != nil {
				return "", err
			}
			if status := k.launch(c.args(a, b, out, bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr()), v.stream); status != gpu.OK {
				return fmt.Sprintf("the launcher returned %s, want CUTEGEN_OK", status.Name()), nil
			}
			if err := gpu.CopyFrom(got, bufferC); err != nil {
				return "", err
			}
			return v.largeDifference(check, data, got, out), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// largeDifference says which rows are wrong, and of the first of them, computed again, which element.
func (v *verifier) largeDifference(check freivalds, d gemmData, got []uint32, out placement) string {
	outside := func(position int) uint32 {
		if out.inside(position) {
			return got[position]
		}
		return poison
	}
	if what := compare(got, outside, nil).report(out, "C", nil); what != "" {
		return what
	}
	values := make([]float32, len(got))
	for i, w := range got {
		values[i] = math.Float32frombits(w)
	}
	rows := check.wrongRows(values[out.start():], out.ld)
	if len(rows) == 0 {
		return ""
	}
	i := rows[0]
	one := gemmData{m: 1, n: d.n, k: d.k, alpha: d.alpha, beta: d.beta, a: d.a[i*d.k : (i+1)*d.k], b: d.b, c: d.c[i*d.n : (i+1)*d.n]}
	for j, want := range one.reference() {
		if g := values[out.at(0, i, j)]; float64(g) != want {
			return fmt.Sprintf("%d of %d rows wrong; the first is at C(%d,%d): got %v (%#08x), want %v", len(rows), d.m, i, j, g, math.Float32bits(g), want)
		}
	}
	return fmt.Sprintf("%d of %d rows wrong, the first is row %d", len(rows), d.m, i)
}

// largeRandom checks C = A B on normal data against cuBLAS: both are within the bound of the exact result, so within two of each other.
func (v *verifier) largeRandom(c gemmCase, ks []sgemmKernel) error {
	v.say("%s: random data", c.problem())
	data := normalData(c, 7)
	norms := newProductNorms(data)
	operands := largeOperands{v: v, data: data, a: map[byte]*gpu.Buffer{}, b: map[byte]*gpu.Buffer{}}
	defer operands.free()
	_, _, out := c.place(ks[0], v.margin())
	bufferC := operands.alloc(v.device, out.size())
	// cuBLAS computes with the ops of the first kernel; the product is the same with any.
	a, b, _ := c.place(ks[0], v.margin())
	bufferA, bufferB, err := operands.get(ks[0].ops, a, b)
	if err != nil {
		return err
	}
	if err := v.stream.Fill(bufferC, poison); err != nil {
		return err
	}
	if err := v.blas.SGEMM(ks[0].ops, c.args(a, b, out, bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr())); err != nil {
		return err
	}
	want, got := make([]float32, out.size()), make([]float32, out.size())
	if err := gpu.CopyFrom(want, bufferC); err != nil {
		return err
	}
	for _, k := range ks {
		v.say("%s: %s, random data against cuBLAS", k.Name, c.problem())
		if err := v.ctx.Err(); err != nil {
			return err
		}
		a, b, _ := c.place(k, v.margin())
		bufferA, bufferB, err := operands.get(k.ops, a, b)
		if err != nil {
			return err
		}
		if err := v.stream.Fill(bufferC, poison); err != nil {
			return err
		}
		var worst accuracy
		if status := k.launch(c.args(a, b, out, bufferA.Ptr(), bufferB.Ptr(), bufferC.Ptr()), v.stream); status != gpu.OK {
			worst = accuracy{relative: math.MaxFloat64}
			v.fail(k.Build, c.problem(), c, "the launcher returned "+status.Name()+", want CUTEGEN_OK", 1)
		} else {
			if err := gpu.CopyFrom(got, bufferC); err != nil {
				return fmt.Errorf("%s, %s: %w", k.Name, c, err)
			}
			if worst = norms.compare(got, want, out); worst.wrong > 0 {
				v.fail(k.Build, c.problem(), c, "against cuBLAS: "+worst.String(), 1)
			}
		}
		v.recordAccuracy(k.Build, c.problem(), "cuBLAS "+v.blas.Version, worst, 1)
	}
	return nil
}

// productNorms bound sum |a| |b| for every element of a product A B.
type productNorms struct {
	k          int
	rows, cols []float64
}

func newProductNorms(d gemmData) productNorms {
	return productNorms{d.k, rowNorms(d.m, d.k, d.a), columnNorms(d.k, d.n, d.b)}
}

// compare is how far two fp32 products may be apart, each within its bound.
func (n productNorms) compare(got, want []float32, out placement) accuracy {
	parts := make([]accuracy, out.rows)
	parallel(out.rows, func(from, to int) {
		for i := from; i < to; i++ {
			for j := range out.cols {
				at := out.at(0, i, j)
				bound := 2 * gemmBound(n.k, 1, 0, n.rows[i]*n.cols[j], 0)
				parts[i].add(got[at], float64(want[at]), bound, func() string { return fmt.Sprintf("C(%d,%d)", i, j) })
			}
		}
	})
	var whole accuracy
	for _, p := range parts {
		whole.join(p)
	}
	return whole
}
