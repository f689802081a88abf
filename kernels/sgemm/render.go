package sgemm

import (
	"fmt"
	"slices"

	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/kernels"
	"cutegen/templates"
)

// Generate runs the whole flow for one spec: plan, proofs, expressions, source.
func Generate(s Spec) (*kernels.Kernel, error) {
	p, err := NewPlan(s)
	if err != nil {
		return nil, err
	}
	proofs, err := p.Prove()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return p.render(proofs)
}

// moves are one operand's instructions: global loads, shared stores, fragment loads.
type moves struct {
	load kernels.GlobalMove
	put  kernels.SharedMove
	get  emit.Hoisted
	// matrix and step: the addresses, and the advance by one k tile.
	matrix kernels.Matrix
	step   emit.Expr
}

// moves splits the operand's accesses; origin is the block's first row, k0 the first k of the tile that is loaded.
func (o *Operand) moves(origin, k0 emit.Expr, extents [2]emit.Expr) (moves, error) {
	var m moves
	var err error
	n := lower(o.Name)
	rows, cols := o.stored()
	m.matrix = kernels.Matrix{LD: kernels.LD("ld"+n, rows, cols), Contiguous: o.Contiguous, Extents: extents}
	if m.load, err = m.matrix.Move(&o.Copy, o.Vector, kernels.Thread{
		Pointer: "g" + o.Name, Coord: [2]string{n + "r", n + "k"},
		Origin: [2]emit.Expr{origin, {}}, Moving: [2]emit.Expr{{}, k0},
	}); err != nil {
		return m, err
	}
	if m.put, err = kernels.MoveShared(o.Put, "put"+o.Name); err != nil {
		return m, err
	}
	if m.get, err = emit.Hoist(emit.Var("t", 0, o.Get.Threads()-1), o.Get.Offset); err != nil {
		return m, err
	}
	_, bk := o.tile()
	m.step = m.matrix.Address([]emit.Expr{emit.Const(0), emit.Const(bk)})
	return m, m.step.Fits32(false)
}

// tile is the extents of one tile of the operand, (BM,BK) or (BN,BK).
func (o *Operand) tile() (extent, bk int) {
	return o.Buffer.Tile.Mode(0).Value(), o.Buffer.Tile.Mode(1).Value()
}

// stored is the rows and columns of one tile as memory has them.
func (o *Operand) stored() (rows, cols int) {
	extent, bk := o.tile()
	if o.Contiguous == 1 {
		return extent, bk
	}
	return bk, extent
}

func lower(name string) string { return string(name[0] + 'a' - 'A') }

// lines declares the thread's first coordinates in the operand and its pointer there.
func (o *Operand) lines(m moves) []templates.Line {
	ls := kernels.Declare(m.load)
	ls[0].Comment = fmt.Sprintf("t%s %s, value 0 of thread t is at (%s,%s).", o.Name, o.Copy.TV, m.load.Coord[0], m.load.Coord[1])
	return append(ls, templates.Line{Decl: fmt.Sprintf("const float* g%s = %s + (%s);", o.Name, o.Name, m.load.Base.Wide())})
}

// bases declares the base pointers of one access to shared memory in the given stage.
func (o *Operand) bases(ctype, prefix string, bases []emit.Expr, stage emit.Expr) []templates.Line {
	var staged []emit.Expr
	for _, b := range bases {
		staged = append(staged, emit.Add(b, emit.Scale(o.Stage, stage)))
	}
	return kernels.DeclareBases(ctype, prefix+o.Name, o.Buffer.Name, staged)
}

// fragments are the loads of one operand for k step k, from the split of the addresses over (value, k): the k steps from..to-1 use the
// same bases and lie step elements apart.
func (o *Operand) fragments(h emit.Hoisted, from, step int) []templates.Vec {
	_, bk := o.tile()
	values := len(h.Of) / bk
	k := emit.Var("k", 0, bk-1)
	var vecs []templates.Vec
	for i := 0; i < values; i += o.Get.Vector {
		v := i + values*from
		at := emit.Add(emit.Scale(step, k), emit.Const(h.Delta[v][0]-step*from))
		vecs = append(vecs, templates.Vec{Reg: i, Width: o.Get.Vector, Addr: emit.Plus(fmt.Sprintf("get%s%d", o.Name, h.Of[v]), at)})
	}
	return vecs
}

// stride returns how far k step k lies from k step k-1 for every value of the operand, and whether it is one constant from one set of
// bases.
func (o *Operand) stride(h emit.Hoisted, k int) (int, bool) {
	_, bk := o.tile()
	values := len(h.Of) / bk
	step := h.Delta[values*k][0] - h.Delta[values*(k-1)][0]
	for i := range values {
		v, w := i+values*k, i+values*(k-1)
		if h.Of[v] != h.Of[w] || h.Delta[v][0]-h.Delta[w][0] != step {
			return 0, false
		}
	}
	return step, true
}

// steps cuts the k steps of a tile into runs in which both operands' addresses are one base plus a multiple of k.
func (p *Plan) steps(a, b emit.Hoisted, bk int) []templates.KSteps {
	var runs []templates.KSteps
	for from := 0; from < bk; {
		to := from + 1
		var stepA, stepB int
		for ; to < bk; to++ {
			sa, okA := p.A.stride(a, to)
			sb, okB := p.B.stride(b, to)
			if !okA || !okB || to > from+1 && (sa != stepA || sb != stepB) {
				break
			}
			stepA, stepB = sa, sb
		}
		runs = append(runs, templates.KSteps{
			From: from, To: to,
			A: p.A.fragments(a, from, stepA), B: p.B.fragments(b, from, stepB),
		})
		from = to
	}
	return runs
}

// multiplies is the order of the multiply-adds: row by row, every other row backwards, so that each shares one operand with the one
// before it and the register cache serves it (measured: 66.1 against 59.1 TFLOP/s from registers on an H200).
func (p *Plan) multiplies() [][]templates.FMA {
	const perLine = 4
	rows, cols := p.RC.Mode(0).Size(), p.RC.Mode(1).Size()
	var lines [][]templates.FMA
	for i := range rows {
		var row []templates.FMA
		for j := range cols {
			if i%2 == 1 {
				j = cols - 1 - j
			}
			row = append(row, templates.FMA{C: p.RC.At(i + rows*j), A: i, B: j})
		}
		for line := range slices.Chunk(row, perLine) {
			lines = append(lines, line)
		}
	}
	return lines
}

func (p *Plan) render(proofs []kernels.Proof) (*kernels.Kernel, error) {
	s := p.Spec
	bm, bn, bk := s.extents()
	origin, err := kernels.BlockOrigin(algebra.Ints(bm, bn), emit.Var("blockIdx.x", 0, kernels.MostBlocks(bm)), emit.Var("blockIdx.y", 0, kernels.MostBlocks(bn)))
	if err != nil {
		return nil, err
	}
	m0, n0 := emit.Named("m0", origin[0]), emit.Named("n0", origin[1])
	M, N, K := kernels.Extent("M", bm), kernels.Extent("N", bn), kernels.Extent("K", bk)
	tiles := emit.CeilDiv(K, bk)
	_, mostTiles := tiles.Range()
	kt := emit.Var("kt", 0, mostTiles-1)
	k0 := emit.Named("k0", emit.Scale(bk, kt))
	a, err := p.A.moves(m0, k0, [2]emit.Expr{M, K})
	if err != nil {
		return nil, err
	}
	b, err := p.B.moves(n0, k0, [2]emit.Expr{N, K})
	if err != nil {
		return nil, err
	}
	c := kernels.Matrix{LD: kernels.LD("ldc", bm, bn), Contiguous: 1, Extents: [2]emit.Expr{M, N}}
	out, err := c.Move(&p.TC, s.VC, kernels.Thread{Pointer: "gC", Rows: "float* const", Coord: [2]string{"cm", "cn"}, Origin: [2]emit.Expr{m0, n0}})
	if err != nil {
		return nil, err
	}
	proofs = append(proofs, kernels.Proof{Name: "expressions equal their layouts",
		Domain: a.load.Points + a.put.Points + a.get.Points + b.load.Points + b.put.Points + b.get.Points + out.Points})

	lines := append(kernels.DeclareThread(p.TC.Threads()),
		templates.Line{Comment: fmt.Sprintf("The block's tile of C: local_tile(mC, (%d,%d), (blockIdx.x,blockIdx.y)) starts at (m0,n0).", bm, bn),
			Decl: fmt.Sprintf("const int m0 = %s;", origin[0])},
		templates.Line{Decl: fmt.Sprintf("const int n0 = %s;", origin[1])})
	lines = append(lines, p.A.lines(a)...)
	lines = append(lines, p.B.lines(b)...)
	outLines := kernels.Declare(out)
	outLines[0].Comment = fmt.Sprintf("tC %s, accumulator 0 of thread t is at (%s,%s).", p.TC.TV, out.Coord[0], out.Coord[1])
	outLines = append(outLines, templates.Line{Decl: fmt.Sprintf("float* const gC = C + (%s);", out.Base.Wide())})
	outLines = append(outLines, out.Rows...)

	stage := emit.Var("stage", 0, 1)
	next := emit.Add(kt, emit.Const(1))
	flat := func(h emit.Hoisted) []emit.Expr {
		var es []emit.Expr
		for _, base := range h.Base {
			es = append(es, base[0])
		}
		return es
	}
	doc := p.layouts()
	counts := kernels.CountAll(p.A.Load, p.A.Put, p.A.Get, p.B.Load, p.B.Put, p.B.Get, p.Out)
	unit, alignment := p.unit(doc, proofs, counts)
	data := &templates.Gemm{
		Unit: unit,
		Moves: templates.Moves{
			Load4:  p.A.Load.Vector == 4 || p.B.Load.Vector == 4,
			Put4:   p.A.Put.Vector == 4 || p.B.Put.Vector == 4,
			Get4:   p.A.Get.Vector == 4 || p.B.Get.Vector == 4,
			Store4: p.Out.Vector == 4, Update4: p.Out.Vector == 4,
		},
		SharedA: p.A.Buffer.Elems, SharedB: p.B.Buffer.Elems,
		RegsA: p.A.Copy.Values(), RegsB: p.B.Copy.Values(),
		FragA: p.RC.Mode(0).Size(), FragB: p.RC.Mode(1).Size(), Acc: p.RC.Size(),
		Coordinates: lines,
		Inside:      fmt.Sprintf("%s <= M && %s <= N", emit.Add(m0, emit.Const(bm)), emit.Add(n0, emit.Const(bn))),
		InsideK:     fmt.Sprintf("%s <= K", emit.Add(k0, emit.Const(bk))),
		Tiles:       tiles.String(),
		Next:        next.String(),
		Stage:       emit.Mod(kt, 2).String(), NextStage: emit.Mod(next, 2).String(),
		NextK: emit.Scale(bk, next).String(),
		LoadA: a.load.Vecs, LoadB: b.load.Vecs, PutA: a.put.Vecs, PutB: b.put.Vecs,
		StepA: a.step.String(), StepB: b.step.String(),
		PutBases:       append(p.A.bases("float*", "put", a.put.Bases, stage), p.B.bases("float*", "put", b.put.Bases, stage)...),
		GetBases:       append(p.A.bases("const float*", "get", flat(a.get), stage), p.B.bases("const float*", "get", flat(b.get), stage)...),
		LoadAComment:   "tAgA " + p.A.Copy.TV.String(),
		LoadBComment:   "tBgB " + p.B.Copy.TV.String(),
		PutAComment:    "tAsA " + p.A.Put.Offset.String(),
		PutBComment:    "tBsB " + p.B.Put.Offset.String(),
		GetAComment:    "tCsA " + p.A.Get.Offset.String(),
		GetBComment:    "tCsB " + p.B.Get.Offset.String(),
		AccComment:     "tCrC " + p.RC.String(),
		Steps:          p.steps(a.get, b.get, bk),
		Rows:           p.multiplies(),
		Out:            out.Vecs,
		OutCoordinates: outLines,
	}
	source := templates.GemmSource(data)
	return &kernels.Kernel{
		Source: source,
		Header: templates.Header(&unit),
		Manifest: kernels.Manifest{
			Name: p.Name, Family: "sgemm", Twin: p.twin(), Spec: s.Fields(),
			Params: kernels.Params(unit.Signature), Layouts: doc,
			Launch: kernels.Launch{
				Threads: unit.Threads, Tile: []int{bm, bn, bk}, Grid: "x: tiles along M, y: tiles along N",
				SharedBytes: (p.A.Buffer.Elems + p.B.Buffer.Elems) * kernels.FloatBytes, MinBlocks: unit.MinBlocks,
			},
			Alignment: alignment, Proofs: proofs, Counts: counts, SourceHash: kernels.Hash(source),
		},
	}, nil
}

func (p *Plan) layouts() []kernels.NamedLayout {
	s := p.Spec
	bm, bn, bk := s.extents()
	stored := func(o Operand, rows string) string {
		if o.Contiguous == 1 {
			return fmt.Sprintf("(%s,K):(ld%s,1)", rows, lower(o.Name))
		}
		return fmt.Sprintf("(%s,K):(1,ld%s)", rows, lower(o.Name))
	}
	return []kernels.NamedLayout{
		{Name: "mA", Layout: stored(p.A, "M"), Doc: "A by coordinates (m,k)"},
		{Name: "mB", Layout: stored(p.B, "N"), Doc: "B by coordinates (n,k)"},
		{Name: "mC", Layout: "(M,N):(ldc,1)", Doc: "C by coordinates (m,n)"},
		{Name: "gA", Layout: fmt.Sprintf("(%d,%d):(1@0,1@1)", bm, bk), Doc: "one k tile of A, by coordinates"},
		{Name: "gB", Layout: fmt.Sprintf("(%d,%d):(1@0,1@1)", bn, bk), Doc: "one k tile of B, by coordinates"},
		{Name: "gC", Layout: fmt.Sprintf("(%d,%d):(1@0,1@1)", bm, bn), Doc: "the block's tile of C, by coordinates"},
		{Name: "sA", Layout: s.SA.String(), Doc: fmt.Sprintf("(m,k,stage) -> offset, %d elements (cosize)", p.A.Buffer.Elems)},
		{Name: "sB", Layout: s.SB.String(), Doc: fmt.Sprintf("(n,k,stage) -> offset, %d elements (cosize)", p.B.Buffer.Elems)},
		{Name: "tA", Layout: p.A.Copy.TV.String(), Doc: fmt.Sprintf("copy: (thread,value) -> (m,k), threads %s, vectors of %d", s.TA.Threads, s.TA.Vector)},
		{Name: "tB", Layout: p.B.Copy.TV.String(), Doc: fmt.Sprintf("copy: (thread,value) -> (n,k), threads %s, vectors of %d", s.TB.Threads, s.TB.Vector)},
		{Name: "tC", Layout: p.TC.TV.String(), Doc: fmt.Sprintf("compute: (thread,accumulator) -> (m,n), threads %s, pieces of %s", s.TC, s.RC)},
		{Name: "tAsA", Layout: p.A.Put.Offset.String(), Doc: "(thread,value) -> offset in sA, written"},
		{Name: "tBsB", Layout: p.B.Put.Offset.String(), Doc: "(thread,value) -> offset in sB, written"},
		{Name: "tCsA", Layout: p.A.Get.Offset.String(), Doc: "(thread,(value,k)) -> offset in sA, read"},
		{Name: "tCsB", Layout: p.B.Get.Offset.String(), Doc: "(thread,(value,k)) -> offset in sB, read"},
		{Name: "tCrC", Layout: p.RC.String(), Doc: "(row,column) of a thread's values -> accumulator"},
	}
}

// unit is the launcher. A and B are looked at only where they are read: K > 0 and alpha != 0.
func (p *Plan) unit(doc []kernels.NamedLayout, proofs []kernels.Proof, counts []kernels.Count) (templates.Unit, []kernels.Alignment) {
	s := p.Spec
	bm, bn, bk := s.extents()
	columns := func(o Operand, rows string) string {
		if o.Contiguous == 1 {
			return "K"
		}
		return rows
	}
	columnsA, columnsB := columns(p.A, "M"), columns(p.B, "N")
	rowsA, colsA := p.A.stored()
	rowsB, colsB := p.B.stored()
	const used = "K > 0 && alpha != 0.0f"
	shape := func(o Operand, rows string) string {
		if o.Contiguous == 1 {
			return rows + " x K"
		}
		return "K x " + rows
	}
	u := templates.Unit{
		Name:    p.Name,
		Title:   fmt.Sprintf("C = alpha A B + beta C, fp32, row-major; A is stored %s, B is stored %s; any M, N, K.", shape(p.A, "M"), storedB(p.B)),
		Layouts: kernels.LayoutComments(doc), Notes: kernels.Notes(proofs, counts),
		Threads: p.TC.Threads(), MinBlocks: s.MinBlocks,
		GridX: emit.CeilDiv(kernels.Extent("M", bm), bm).String(), GridY: emit.CeilDiv(kernels.Extent("N", bn), bn).String(), GridZ: "1",
		Args: "(int)M, (int)N, alpha == 0.0f ? 0 : (int)K, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc",
		Signature: []templates.Param{
			{Type: "long long ", Name: "M", Doc: "rows of C, >= 0"},
			{Type: "long long ", Name: "N", Doc: "columns of C, >= 0"},
			{Type: "long long ", Name: "K", Doc: "length of the sums, >= 0; if 0, A and B are not read"},
			{Type: "float ", Name: "alpha", Doc: "factor of the product; if 0, A and B are not read"},
			{Type: "const float* ", Name: "A", Doc: "stored row-major, " + shape(p.A, "M")},
			{Type: "long long ", Name: "lda", Doc: fmt.Sprintf("elements from one stored row of A to the next, >= max(1, %s)", columnsA)},
			{Type: "const float* ", Name: "B", Doc: "stored row-major, " + storedB(p.B)},
			{Type: "long long ", Name: "ldb", Doc: fmt.Sprintf("elements from one stored row of B to the next, >= max(1, %s)", columnsB)},
			{Type: "float ", Name: "beta", Doc: "factor of C; if 0, C is not read"},
			{Type: "float* ", Name: "C", Doc: "M x N, row-major; must not overlap A or B"},
			{Type: "long long ", Name: "ldc", Doc: "elements from one row of C to the next, >= max(1, N)"},
			{Type: "cudaStream_t ", Name: "stream", Doc: "the stream to launch on"},
		},
	}
	u.Checks = []templates.Check{
		{Cond: "M < 0 || N < 0 || K < 0 || lda < 0 || ldb < 0 || ldc < 0", Status: "CUTEGEN_NEGATIVE_SIZE"},
		{Cond: fmt.Sprintf("lda < 1 || lda < %s || ldb < 1 || ldb < %s || ldc < 1 || ldc < N", columnsA, columnsB), Status: "CUTEGEN_LEADING_DIMENSION"},
		{Cond: "M == 0 || N == 0", Status: "CUTEGEN_OK"},
		{Cond: "C == 0 || " + used + " && (A == 0 || B == 0)", Status: "CUTEGEN_NULL_POINTER"},
	}
	var alignment []kernels.Alignment
	for _, o := range []struct {
		pointer, ld, when string
		vector            int
	}{
		{"A", "lda", used + " && ", s.TA.Vector},
		{"B", "ldb", used + " && ", s.TB.Vector},
		{"C", "ldc", "", s.VC},
	} {
		as := append(kernels.Aligned(o.pointer, o.vector*kernels.FloatBytes, "bytes"), kernels.Aligned(o.ld, o.vector, "elements")...)
		for _, a := range as {
			u.Checks = append(u.Checks, templates.Check{Cond: o.when + kernels.Misaligned(a), Status: "CUTEGEN_MISALIGNED"})
		}
		alignment = append(alignment, as...)
	}
	u.Checks = append(u.Checks,
		templates.Check{Cond: fmt.Sprintf("M > %d || N > %d || K > %d || lda > %d || ldb > %d || ldc > %d",
			kernels.MostExtent(bm), kernels.MostExtent(bn), kernels.MostExtent(bk),
			kernels.MostLD(rowsA, colsA), kernels.MostLD(rowsB, colsB), kernels.MostLD(bm, bn)), Status: "CUTEGEN_REACH"},
		templates.Check{Cond: fmt.Sprintf("%s > %d", emit.CeilDiv(kernels.Extent("N", bn), bn), kernels.MostGridYZ), Status: "CUTEGEN_GRID_LIMIT"})
	return u, alignment
}

func storedB(b Operand) string {
	if b.Contiguous == 1 {
		return "N x K"
	}
	return "K x N"
}

// twin names the handwritten kernel of the same tiling, "" if there is none.
func (p *Plan) twin() string {
	s := p.Spec
	if !s.Tile.Equal(algebra.Ints(128, 128, 8)) || p.TC.Threads() != 256 || s.TA.Vector != s.TB.Vector || s.TA.Vector != s.VC || s.SA.Swizzle.Bits > 0 {
		return ""
	}
	return fmt.Sprintf("sgemm_%s_v%d", lowerOps(s.Ops), s.VC)
}

func lowerOps(ops string) string { return lower(ops[:1]) + lower(ops[1:]) }
