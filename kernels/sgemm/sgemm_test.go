package sgemm

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/access"
	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/internal/golden"
	"cutegen/kernels"
)

const (
	nn       = "sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2"
	swizzled = "sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAsw1x4x5_sBp0_b2"
	scalar   = "sgemm_tt_64x32x4_tA8x4m1_tB32x1n1_tC4x8w1x1r4x4v1_sAp1_sBp3_b1"
	// Two k tiles' rows under Sw<2,3,6> need four bases.
	deep = "sgemm_nn_128x128x16_tA64x4k4_tB32x8n4_tC4x8w4x2r4x4v4_sAsw2x3x6_sBp0_b1"
)

func plan(t *testing.T, name string) *Plan {
	t.Helper()
	s, err := ParseName(name)
	require.NoError(t, err)
	p, err := NewPlan(s)
	require.NoError(t, err)
	return p
}

func TestGolden(t *testing.T) {
	for _, name := range []string{nn, swizzled, scalar} {
		s, err := ParseName(name)
		require.NoError(t, err)
		k, err := Generate(s)
		require.NoError(t, err)
		assert.Equal(t, name, k.Manifest.Name)
		golden.Equal(t, filepath.Join("testdata", "golden", name+".cu"), k.Source)
		golden.Equal(t, filepath.Join("testdata", "golden", name+".h"), k.Header)
	}
}

// The k steps of a tile form one run where the layout is linear in k, and one for each pattern of an XOR.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		runs [][2]int
	}{
		{nn, [][2]int{{0, 8}}},
		{swizzled, [][2]int{{0, 4}, {4, 8}}},
		{deep, [][2]int{{0, 4}, {4, 8}, {8, 12}, {12, 16}}},
	} {
		p := plan(t, c.name)
		_, _, bk := p.Spec.extents()
		thread := emit.Var("t", 0, p.TC.Threads()-1)
		a, err := emit.Hoist(thread, p.A.Get.Offset)
		require.NoError(t, err)
		b, err := emit.Hoist(thread, p.B.Get.Offset)
		require.NoError(t, err)
		var runs [][2]int
		for _, s := range p.steps(a, b, bk) {
			runs = append(runs, [2]int{s.From, s.To})
		}
		assert.Equal(t, c.runs, runs, c.name)
	}
}

// Every accumulator is multiplied once a k step, and neighbours in the order share an operand.
func TestMultipliesAreASnake(t *testing.T) {
	p := plan(t, nn)
	seen := map[int]bool{}
	var last [2]int
	for _, line := range p.multiplies() {
		for _, f := range line {
			if len(seen) > 0 {
				assert.True(t, f.A == last[0] || f.B == last[1], "%v after %v", f, last)
			}
			last = [2]int{f.A, f.B}
			assert.Equal(t, p.RC.At(f.A+p.RC.Mode(0).Size()*f.B), f.C)
			seen[f.C] = true
		}
	}
	assert.Len(t, seen, 64)
}

func TestBankConflicts(t *testing.T) {
	for _, name := range []string{nn, swizzled, deep} {
		p := plan(t, name)
		for _, o := range []Operand{p.A, p.B} {
			for _, c := range []struct{ value, ideal float64 }{
				{o.Put.Count().Value, o.Put.Count().Ideal},
				{o.Get.Count().Value, o.Get.Count().Ideal},
				{o.Load.Count().Value, o.Load.Count().Ideal},
			} {
				assert.Equal(t, c.ideal, c.value, "%s %s", name, o.Name)
			}
		}
	}
	// Without padding the transposing store of A meets its banks twice.
	p := plan(t, "sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp0_sBp0_b2")
	assert.Equal(t, 2.0, p.A.Put.Count().Value)
}

func TestProofsRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Plan)
		want   string
	}{
		{"nothing", func(*Plan) {}, ""},
		{"sA is one element short", func(p *Plan) {
			p.A.Buffer.Elems--
			p.A.Put.Tensor, p.A.Get.Tensor = p.A.Buffer, p.A.Buffer
		}, "access tAsA: thread 255, value 3 at coordinate (127,7), stage base 1056, has offset 2107 by layout"},
		{"the stages overlap", func(p *Plan) { p.B.Stage = 512 }, "layout (128,8,2):(1,128,1024) of sB: element 0 of the tile is at offset 0 in stage 0 and 1024 in stage 1, but the stages are 512 apart"},
		{"the fragments' layout", func(p *Plan) {
			var err error
			l := algebra.Composed{Layout: algebra.MustLayout("(128,8):(1,128)")}
			p.A.Get, err = p.A.Fragment.Shared("tCsA", p.A.Buffer, l, false, 4)
			require.NoError(t, err)
		}, "access tCsA: thread 0, value 8 reads coordinate (0,1) at offset 128 of sA"},
		{"the accumulators' order", func(p *Plan) { p.RC = algebra.MustLayout("((4,2),(4,2)):((1,16),(4,32))") },
			"thread 0, accumulator (0,1): layout"},
		{"C's threads", func(p *Plan) {
			var err error
			p.TC, err = kernels.NewPartition("tC", algebra.Ints(128, 128), algebra.MustLayout("(16,16):(16,1)"), algebra.Ints(4, 4))
			require.NoError(t, err)
		}, "but the operands give row"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(t, nn)
			c.change(p)
			proofs, err := p.Prove()
			if c.want == "" {
				require.NoError(t, err)
				assert.Len(t, proofs, 16)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A barrier less, and the second stage is overwritten while it is read; with one stage no barrier helps.
func TestProgramNeedsItsBarriers(t *testing.T) {
	p := plan(t, nn)
	prog := p.program(&p.A, &p.B)
	n, err := prog.Check()
	require.NoError(t, err)
	assert.Equal(t, 5*(2*1024+2*16384), n)
	for i, s := range prog {
		if !s.Barrier || i == len(prog)-1 {
			continue
		}
		cut := append(append(prog[:0:0], prog[:i]...), prog[i+1:]...)
		_, err := cut.Check()
		assert.ErrorContains(t, err, "race on s", "without the barrier at step %d", i)
	}
	p.A.Stage = 0
	_, err = p.program(&p.A, &p.B).Check()
	assert.ErrorContains(t, err, "race on sA")
}

// A fragment is read in vectors where its pieces and the stages are whole vectors, else one by one, and each register once. A piece of 2 is
// adjacent too, but no instruction moves 2; a stage of 1025 elements has aligned vectors in stage 0 only.
func TestFragmentsFillTheirRegisters(t *testing.T) {
	for _, c := range []struct {
		rC, sA   string
		get, put int // elements of one instruction on sA
	}{
		{"(4,4)", "(64,4,2):(1,64,256)", 4, 4},
		{"(8,2)", "(64,4,2):(1,64,256)", 4, 4},
		{"(2,4)", "(64,4,2):(1,64,256)", 1, 4},
		{"(1,4)", "(64,4,2):(1,64,256)", 1, 4},
		{"(4,4)", "(64,4,2):(1,64,260)", 4, 4},
		{"(4,4)", "(64,4,2):(1,64,257)", 1, 1},
		{"(4,4)", "(64,4,2):(1,64,258)", 1, 1},
		{"(4,4)", "(64,4,2):(1,65,260)", 1, 1},
	} {
		s, err := Parse(kernels.Fields{
			"ops": "TN", "tile": "(64,32,4)", "tA": "(16,1):(1,16)", "vA": "4", "tB": "(16,1):(1,16)", "vB": "1",
			"tC": "(4,4):(4,1)", "rC": c.rC, "vC": "1", "sA": c.sA, "sB": "(32,4,2):(1,32,128)", "minBlocks": "1",
		})
		require.NoError(t, err)
		s.Name = "named"
		p, err := NewPlan(s)
		require.NoError(t, err)
		_, err = p.Prove()
		require.NoError(t, err)
		assert.Equal(t, c.get, p.A.Get.Vector, "%v", c)
		assert.Equal(t, c.put, p.A.Put.Vector, "%v", c)
		for _, o := range []Operand{p.A, p.B} {
			h, err := emit.Hoist(emit.Var("t", 0, o.Get.Threads()-1), o.Get.Offset)
			require.NoError(t, err)
			registers := 0
			for _, v := range o.fragments(h, 0, 0) {
				assert.Contains(t, []int{1, kernels.VectorWidth}, v.Width)
				assert.Equal(t, registers, v.Reg)
				registers += v.Width
			}
			assert.Equal(t, o.Get.Values()/4, registers, "%v, %s: one k step", c, o.Name)
		}
	}
}

// A swizzle that reaches into the bits of the stage would not let the stages be one base apart.
func TestSwizzleAcrossStages(t *testing.T) {
	s, err := ParseName(swizzled)
	require.NoError(t, err)
	s.SA.Swizzle.Shift = 6
	_, err = Generate(s)
	assert.ErrorContains(t, err, "layout Sw<1,4,6> o 0 o (128,8,2):(1,128,1024) of sA: element 0 of the tile is at offset 0 in stage 0 and 1040 in stage 1")
}

// A block of one thread needs no thread index, and nvcc warns of a variable that nobody reads.
func TestBlockOfOneThread(t *testing.T) {
	s, err := ParseName("sgemm_nn_3x6x8_tA1x1m1_tB1x1n1_tC1x1w1x1r3x2v1_sAp0_sBp0_b1")
	require.NoError(t, err)
	k, err := Generate(s)
	require.NoError(t, err)
	assert.NotContains(t, k.Source, "threadIdx")
}

func TestSpecErrors(t *testing.T) {
	good, err := ParseName(nn)
	require.NoError(t, err)
	for _, c := range []struct{ field, value, want string }{
		{"ops", "NX", `ops: got "NX", want one of NN, NT, TN, TT`},
		{"tA", "(96,2):(2,1)", "the first uncovered coordinate is (96,0)"},
		{"tB", "(16,8):(1,16)", "tB: partition"},
		{"tC", "(16,16):(16,2)", "tC: layout (16,16):(16,2) has no token"},
		{"sA", "(128,8):(1,132)", "sA: layout (128,8):(1,132) has no token"},
		{"rC", "(4,4,4)", "rC: got (4,4,4), want a shape of 2 integers"},
		{"rC", "(3,4)", "tC: on sA: partition"},
	} {
		f := good.Fields()
		f[c.field] = c.value
		s, err := Parse(f)
		if err == nil {
			_, err = Generate(s)
		}
		require.ErrorContains(t, err, c.want, c.field)
		var field *kernels.FieldError
		require.ErrorAs(t, err, &field)
	}
	s := good
	s.Name = "own"
	s.SA.Layout = algebra.MustLayout("(128,8):(1,132)")
	_, err = Generate(s)
	assert.EqualError(t, err, "sA: layout (128,8):(1,132) has shape (128,8), want (128,8,2): the tile in two stages")
	for _, huge := range []string{"(128,8,2):(1,132,2305843009213693952)", "(1024,1024,2):(1,1024,1048576)", "(1024,1024,2):(0,0,1)"} {
		s.SA.Layout = algebra.MustLayout(huge)
		_, err = NewPlan(s)
		assert.ErrorContains(t, err, "sA: shared memory needs ", huge)
	}
}

// auto is the layout that was found by hand, in two stages, and free of conflicts: for k that does not divide the banks too.
func TestAuto(t *testing.T) {
	for _, c := range []struct{ ops, tile, tA, tB, tC, wantA, wantB string }{
		{"NN", "(128,128,8)", "(128,2):(2,1)", "(32,8):(1,32)", "((4,4),(8,2)):((8,64),(1,32))",
			"Sw<1,4,5> o 0 o (128,8,2):(1,128,1024)", "(128,8,2):(1,128,1024)"},
		{"NT", "(128,256,16)", "(64,4):(4,1)", "(64,4):(4,1)", "((4,4),(8,2)):((8,64),(1,32))",
			"Sw<2,3,6> o 0 o (128,16,2):(1,128,2048)", "Sw<2,3,7> o 0 o (256,16,2):(1,256,4096)"},
		{"NN", "(96,96,8)", "(96,2):(2,1)", "(24,8):(1,24)", "((4,2),(8,3)):((8,96),(1,32))",
			"Sw<1,4,3> o 0 o (96,8,2):(1,96,768)", "(96,8,2):(1,96,768)"},
	} {
		s, err := Parse(kernels.Fields{"ops": c.ops, "tile": c.tile, "tA": c.tA, "vA": "4", "tB": c.tB, "vB": "4", "tC": c.tC, "rC": "(4,4)", "vC": "4",
			"sA": kernels.Auto, "sB": kernels.Auto, "minBlocks": "1"})
		require.NoError(t, err)
		assert.Equal(t, c.wantA, s.SA.String())
		assert.Equal(t, c.wantB, s.SB.String())
		s.Name = "sgemm_auto"
		p, err := NewPlan(s)
		require.NoError(t, err)
		_, err = p.Prove()
		require.NoError(t, err)
		for _, a := range []*access.Access{p.A.Put, p.A.Get, p.B.Put, p.B.Get} {
			assert.Equal(t, a.Count().Ideal, a.Count().Value, "%s of %s", a.Name, c.tile)
		}
	}
	s, err := ParseName(nn)
	require.NoError(t, err)
	f := s.Fields()
	f["sA"], f["tA"] = kernels.Auto, "(127,2):(2,1)"
	_, err = Parse(f)
	var field *kernels.FieldError
	require.ErrorAs(t, err, &field)
	assert.Equal(t, "tA", field.Field)
}
