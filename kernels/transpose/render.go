package transpose

import (
	"fmt"

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

func (p *Plan) render(proofs []kernels.Proof) (*kernels.Kernel, error) {
	tile := p.Spec.Tile
	tm, tn := tile.Mode(0).Value(), tile.Mode(1).Value()
	blocks, err := kernels.BlockOrigin(tile, emit.Var("blockIdx.x", 0, kernels.MostBlocks(tm)), emit.Var("blockIdx.y", 0, kernels.MostBlocks(tn)))
	if err != nil {
		return nil, err
	}
	m0, n0 := emit.Named("m0", blocks[0]), emit.Named("n0", blocks[1])
	origin := [2]emit.Expr{m0, n0}
	M, N := kernels.Extent("M", tm), kernels.Extent("N", tn)
	z := emit.Var("blockIdx.z", 0, kernels.MostGridYZ)

	src := kernels.Matrix{LD: kernels.LD("ld_src", tm, tn), Contiguous: 1, Extents: [2]emit.Expr{M, N}}
	dst := kernels.Matrix{LD: kernels.LD("ld_dst", tn, tm), Contiguous: 0, Extents: [2]emit.Expr{M, N}}
	load, err := src.Move(&p.TS, p.Spec.TS.Vector, kernels.Thread{Pointer: "gS", Coord: [2]string{"sm", "sn"}, Origin: origin})
	if err != nil {
		return nil, err
	}
	store, err := dst.Move(&p.TD, p.Spec.TD.Vector, kernels.Thread{Pointer: "gD", Coord: [2]string{"dm", "dn"}, Origin: origin})
	if err != nil {
		return nil, err
	}
	put, err := kernels.MoveShared(p.Put, "putT")
	if err != nil {
		return nil, err
	}
	get, err := kernels.MoveShared(p.Get, "getT")
	if err != nil {
		return nil, err
	}
	proofs = append(proofs, kernels.Proof{Name: "expressions equal their layouts", Domain: load.Points + store.Points + put.Points + get.Points})

	lines := append(kernels.DeclareThread(p.TS.Threads()),
		templates.Line{Comment: fmt.Sprintf("The block's tile: local_tile(mS, %s, (blockIdx.x,blockIdx.y)) starts at (m0,n0).", tile),
			Decl: fmt.Sprintf("const int m0 = %s;", blocks[0])},
		templates.Line{Decl: fmt.Sprintf("const int n0 = %s;", blocks[1])})
	for _, side := range []struct {
		partition *kernels.Partition
		move      kernels.GlobalMove
		stride    string
		pointer   string
	}{
		{&p.TS, load, "batch_stride_src", "const float* const gS = src + (%s);"},
		{&p.TD, store, "batch_stride_dst", "float* const gD = dst + pinned(%s);"},
	} {
		ls := kernels.Declare(side.move)
		ls[0].Comment = fmt.Sprintf("%s %s, value 0 of thread t is at (%s,%s).", side.partition.Name, side.partition.TV, side.move.Coord[0], side.move.Coord[1])
		offset := emit.Add(emit.Mul(z, kernels.Stride(side.stride)), side.move.Base)
		lines = append(append(lines, ls...), templates.Line{Decl: fmt.Sprintf(side.pointer, offset.Wide())})
	}
	puts := kernels.DeclareBases("float*", "putT", "sT", put.Bases)
	puts[0].Comment = "tSsT " + p.Put.Offset.String()
	gets := kernels.DeclareBases("const float*", "getT", "sT", get.Bases)
	gets[0].Comment = "tDsT " + p.Get.Offset.String()
	lines = append(append(lines, puts...), gets...)

	doc := []kernels.NamedLayout{
		{Name: "mS", Layout: "(M,N):(ld_src,1)", Doc: "the source matrix; batch b starts at b * batch_stride_src"},
		{Name: "mD", Layout: "(M,N):(1,ld_dst)", Doc: "the destination, by the source's coordinates"},
		{Name: "gS", Layout: fmt.Sprintf("%s:(1@0,1@1)", tile), Doc: "one block's tile, by coordinates"},
		{Name: "sT", Layout: p.Spec.ST.String(), Doc: fmt.Sprintf("the tile in shared memory, %d elements (cosize)", p.Buffer.Elems)},
		{Name: "tS", Layout: p.TS.TV.String(), Doc: fmt.Sprintf("load: (thread,value) -> (m,n), threads %s, vectors of %d", p.Spec.TS.Threads, p.Spec.TS.Vector)},
		{Name: "tD", Layout: p.TD.TV.String(), Doc: fmt.Sprintf("store: (thread,value) -> (m,n), threads %s, vectors of %d", p.Spec.TD.Threads, p.Spec.TD.Vector)},
		{Name: "tSsT", Layout: p.Put.Offset.String(), Doc: "(thread,value) -> offset in sT, written"},
		{Name: "tDsT", Layout: p.Get.Offset.String(), Doc: "(thread,value) -> offset in sT, read"},
	}
	counts := kernels.CountAll(p.Load, p.Put, p.Get, p.Store)

	unit := templates.Unit{
		Name:      p.Name,
		Title:     "dst[b][n][m] = src[b][m][n], fp32, row-major, any M, N and batch.",
		Layouts:   kernels.LayoutComments(doc),
		Notes:     kernels.Notes(proofs, counts),
		Threads:   p.TS.Threads(),
		MinBlocks: p.Spec.MinBlocks,
		GridX:     emit.CeilDiv(M, tm).String(), GridY: emit.CeilDiv(N, tn).String(), GridZ: "batch",
		Args: "(int)M, (int)N, src, (int)ld_src, batch_stride_src, dst, (int)ld_dst, batch_stride_dst",
		Signature: []templates.Param{
			{Type: "long long ", Name: "M", Doc: "rows of src, >= 0"},
			{Type: "long long ", Name: "N", Doc: "columns of src, >= 0"},
			{Type: "long long ", Name: "batch", Doc: "number of matrices, >= 0"},
			{Type: "const float* ", Name: "src", Doc: "batch matrices of M x N, row-major"},
			{Type: "long long ", Name: "ld_src", Doc: "elements from one row of src to the next, >= max(1, N)"},
			{Type: "long long ", Name: "batch_stride_src", Doc: "elements from one matrix of src to the next, >= 0"},
			{Type: "float* ", Name: "dst", Doc: "batch matrices of N x M, row-major"},
			{Type: "long long ", Name: "ld_dst", Doc: "elements from one row of dst to the next, >= max(1, M)"},
			{Type: "long long ", Name: "batch_stride_dst", Doc: "elements from one matrix of dst to the next, at least one matrix if batch > 1"},
			{Type: "cudaStream_t ", Name: "stream", Doc: "the stream to launch on"},
		},
	}
	// A matrix that is one row high needs no leading dimension, nor a batch of one its stride: only what is used is checked.
	var alignment []kernels.Alignment
	unit.Checks = []templates.Check{
		{Cond: "M < 0 || N < 0 || batch < 0 || ld_src < 0 || ld_dst < 0 || batch_stride_src < 0 || batch_stride_dst < 0", Status: "CUTEGEN_NEGATIVE_SIZE"},
		{Cond: "ld_src < 1 || ld_src < N || ld_dst < 1 || ld_dst < M", Status: "CUTEGEN_LEADING_DIMENSION"},
		{Cond: "M == 0 || N == 0 || batch == 0", Status: "CUTEGEN_OK"},
		{Cond: "src == 0 || dst == 0", Status: "CUTEGEN_NULL_POINTER"},
	}
	for _, o := range []struct {
		vector                int
		pointer, ld, batching string
	}{
		{p.Spec.TS.Vector, "src", "ld_src", "batch_stride_src"},
		{p.Spec.TD.Vector, "dst", "ld_dst", "batch_stride_dst"},
	} {
		alignment = append(alignment, kernels.Aligned(o.pointer, o.vector*kernels.FloatBytes, "bytes")...)
		alignment = append(alignment, kernels.Aligned(o.ld, o.vector, "elements")...)
		alignment = append(alignment, kernels.Aligned(o.batching, o.vector, "elements")...)
	}
	for _, a := range alignment {
		cond := kernels.Misaligned(a)
		if a.Param == "batch_stride_src" || a.Param == "batch_stride_dst" {
			cond = "batch > 1 && " + cond
		}
		unit.Checks = append(unit.Checks, templates.Check{Cond: cond, Status: "CUTEGEN_MISALIGNED"})
	}
	unit.Checks = append(unit.Checks,
		templates.Check{Cond: fmt.Sprintf("M > %d || N > %d || ld_src > %d || ld_dst > %d",
			kernels.MostExtent(tm), kernels.MostExtent(tn), kernels.MostLD(tm, tn), kernels.MostLD(tn, tm)), Status: "CUTEGEN_REACH"},
		templates.Check{Cond: fmt.Sprintf("%s > %d || batch > %d", emit.CeilDiv(N, tn), kernels.MostGridYZ, kernels.MostGridYZ), Status: "CUTEGEN_GRID_LIMIT"},
		templates.Check{Cond: "batch > 1 && batch_stride_dst < (N - 1) * ld_dst + M", Status: "CUTEGEN_OVERLAP"},
	)

	data := &templates.Transpose{
		Unit: unit,
		Moves: templates.Moves{
			Load4: p.Load.Vector == 4, Put4: p.Put.Vector == 4, Get4: p.Get.Vector == 4, Store4: p.Store.Vector == 4,
			Pinned: true,
		},
		SharedElems: p.Buffer.Elems, LoadRegs: p.TS.Values(), StoreRegs: p.TD.Values(),
		Coordinates: lines,
		Inside:      fmt.Sprintf("%s <= M && %s <= N", emit.Add(m0, emit.Const(tm)), emit.Add(n0, emit.Const(tn))),
		Load:        load.Vecs, Put: put.Vecs, Get: get.Vecs, Store: store.Vecs,
		LoadComment:  "tSgS: along the rows of the source.",
		PutComment:   "tSsT: the tile into shared memory.",
		GetComment:   "tDsT: its columns out of shared memory.",
		StoreComment: "tDgD: along the rows of the destination.",
	}
	source := templates.TransposeSource(data)
	return &kernels.Kernel{
		Source: source,
		Header: templates.Header(&unit),
		Manifest: kernels.Manifest{
			Name: p.Name, Family: "transpose", Twin: p.twin(), Spec: p.Spec.Fields(),
			Params: kernels.Params(unit.Signature), Layouts: doc,
			Launch: kernels.Launch{
				Threads: unit.Threads, Tile: []int{tm, tn}, Grid: "x: row tiles, y: column tiles, z: batch",
				SharedBytes: p.Buffer.Elems * kernels.FloatBytes, MinBlocks: unit.MinBlocks,
			},
			Alignment: alignment, Proofs: proofs, Counts: counts, SourceHash: kernels.Hash(source),
		},
	}, nil
}

// twin names the handwritten kernel of the same tiling, "" if there is none.
func (p *Plan) twin() string {
	smem := map[bool]string{true: "swizzled", false: "padded"}[p.Spec.ST.Swizzle.Bits > 0]
	if l, err := algebra.RowMajor(p.Spec.Tile); err == nil && smem == "padded" && l.Equal(p.Spec.ST.Layout) {
		smem = "none"
	}
	switch v := p.Spec.TS.Vector; {
	case v != p.Spec.TD.Vector || p.TS.Threads() != 256:
		return ""
	case v == 4 && p.Spec.Tile.Equal(algebra.Ints(64, 64)), v == 1 && p.Spec.Tile.Equal(algebra.Ints(32, 32)):
		return fmt.Sprintf("transpose_%s_v%d", smem, v)
	}
	return ""
}
