package transpose

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/internal/golden"
	"cutegen/kernels"
)

const (
	swizzled = "transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4"
	padded   = "transpose_f32_32x32_tS8x32n1_tD32x8m1_sTp1_b8"
)

func plan(t *testing.T, name string) *Plan {
	t.Helper()
	s, err := ParseName(name)
	require.NoError(t, err)
	p, err := NewPlan(s)
	require.NoError(t, err)
	return p
}

// The emitted CUDA, as a person has read it: vectors under a swizzle, and single elements with padding.
func TestGolden(t *testing.T) {
	for _, name := range []string{swizzled, padded} {
		s, err := ParseName(name)
		require.NoError(t, err)
		k, err := Generate(s)
		require.NoError(t, err)
		golden.Equal(t, filepath.Join("testdata", "golden", name+".cu"), k.Source)
		golden.Equal(t, filepath.Join("testdata", "golden", name+".h"), k.Header)
	}
}

// What the three layouts of shared memory are about: a column of 32 costs 32 wavefronts, or 1.
func TestBankConflicts(t *testing.T) {
	for _, c := range []struct {
		name     string
		put, get float64
	}{
		{"transpose_f32_32x32_tS8x32n1_tD32x8m1_sTp0_b8", 1, 32},
		{padded, 1, 1},
		{"transpose_f32_32x32_tS8x32n1_tD32x8m1_sTsw5x0x5_b8", 1, 1},
		{"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTp0_b4", 4, 8},
		{"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTp1_b4", 2, 1},
		{swizzled, 4, 1},
	} {
		p := plan(t, c.name)
		assert.Equal(t, c.put, p.Put.Count().Value, c.name)
		assert.Equal(t, c.get, p.Get.Count().Value, c.name)
		assert.Equal(t, p.Load.Count().Ideal, p.Load.Count().Value, c.name)
		assert.Equal(t, p.Store.Count().Ideal, p.Store.Count().Value, c.name)
	}
}

// Each part of a plan, changed behind the others' backs, is refused with the layout and the coordinate.
func TestProofsRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Plan)
		want   string
	}{
		{"nothing", func(*Plan) {}, ""},
		{"the buffer is one element short", func(p *Plan) {
			p.Buffer.Elems--
			p.Put.Tensor, p.Get.Tensor = p.Buffer, p.Buffer
		}, "access tSsT: thread 248, value 15 at coordinate (63,35) has offset 4095 by layout Sw<3,2,6> o 0 o ((16,16),((1,4),(4,1))):((4,64),((0,1),(1024,0))), but sT has 4095 elements: it needs the cosize, 4096"},
		{"the reader's layout", func(p *Plan) {
			l := algebra.Composed{Swizzle: algebra.Swizzle{Bits: 3, Base: 2, Shift: 7}, Layout: p.Spec.ST.Layout}
			var err error
			p.Get, err = p.TD.Shared("tDsT", p.Buffer, l, false, 1)
			require.NoError(t, err)
		}, "access tDsT: thread 1, value 0 wants coordinate (4,0) at offset 256 of sT"},
		{"the store's partition", func(p *Plan) {
			td, err := kernels.NewPartition("tD", p.Spec.Tile, algebra.MustLayout("(8,32):(32,1)"), algebra.Ints(4, 1))
			require.NoError(t, err)
			p.Store, err = td.Global("tDgD", "gD", 0, true, 4)
			require.NoError(t, err)
		}, "accesses tDsT and tDgD hand registers over, but register 0 of thread 1 is coordinate (4,0) in the first"},
		{"a thread layout that covers half", func(p *Plan) {
			p.Load.Coord = algebra.MustLayout("((16,16),((1,4),(4,1))):((256,1),((0,64),(8,0)))")
		}, "access tSgS: coordinate (8,0) of gS is touched twice"},
		{"vectors on rows of 65", func(p *Plan) {
			var err error
			l := algebra.Composed{Layout: algebra.MustLayout("(64,64):(65,1)")}
			p.Buffer.Elems = l.Cosize()
			p.Put, err = p.TS.Shared("tSsT", p.Buffer, l, true, 4)
			require.NoError(t, err)
		}, "access tSsT: the vector of 4 at coordinate (1,0) (thread 16, value 0) starts at offset 65"},
		{"no barrier is needed where a thread reads its own", func(p *Plan) { p.Get, p.Store = p.Put, p.Load }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(t, swizzled)
			c.change(p)
			proofs, err := p.Prove()
			if c.want == "" {
				require.NoError(t, err)
				assert.Len(t, proofs, 9)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestSpecErrors(t *testing.T) {
	good, err := ParseName(swizzled)
	require.NoError(t, err)
	for _, c := range []struct{ field, value, want string }{
		{"tS", "(24,10):(10,1)", "tS: partition"},
		{"tS", "(16,16):(16,2)", "tS: layout (16,16):(16,2) has no token"},
		{"tD", "(8,16):(1,8)", "tD: layout (8,16):(1,8) has 128 threads and tS (16,16):(16,1) has 256"},
		{"sT", "(32,64):(64,1)", "sT: layout (32,64):(64,1) has no token"},
		{"minBlocks", "0", `minBlocks: got "0", want an integer from 1 to 32`},
	} {
		f := good.Fields()
		f[c.field] = c.value
		s, err := Parse(f)
		if err == nil {
			_, err = Generate(s)
		}
		require.ErrorContains(t, err, c.want)
		var field *kernels.FieldError
		require.ErrorAs(t, err, &field)
		assert.Equal(t, c.field, field.Field)
	}
}

// With five base pointers and more, none has the name of a move: putT4 is a pointer, put4 a function.
func TestBasePointersHaveNamesOfTheirOwn(t *testing.T) {
	s, err := Parse(kernels.Fields{
		"tile": "(32,32)", "tS": "(4,(2,2,2)):(2,(8,1,16))", "vS": "4", "tD": "((2,2),(2,2,2)):((4,16),(1,8,2))", "vD": "4",
		"sT": "Sw<4,3,5> o 4 o (32,32):(32,1)", "minBlocks": "1",
	})
	require.NoError(t, err)
	s.Name = "transpose_named"
	k, err := Generate(s)
	require.NoError(t, err)
	assert.Contains(t, k.Source, "float* const putT4 = sT")
	assert.NotContains(t, k.Source, "float* const put4 ")
}

// auto is the layout of the kernels that were chosen by hand, and free of conflicts.
func TestAuto(t *testing.T) {
	for name, want := range map[string]string{
		swizzled: "Sw<3,2,6> o 0 o (64,64):(64,1)",
		padded:   "Sw<5,0,5> o 0 o (32,32):(32,1)",
	} {
		s, err := ParseName(name)
		require.NoError(t, err)
		f := s.Fields()
		f["sT"] = kernels.Auto
		s, err = Parse(f)
		require.NoError(t, err)
		assert.Equal(t, want, s.ST.String())
		p, err := NewPlan(s)
		require.NoError(t, err)
		assert.Equal(t, p.Put.Count().Ideal, p.Put.Count().Value)
		assert.Equal(t, p.Get.Count().Ideal, p.Get.Count().Value)
	}
	// What is wrong with the fields that it is made of is theirs.
	f := plan(t, swizzled).Spec.Fields()
	f["sT"], f["tD"] = kernels.Auto, "(8,31):(1,8)"
	_, err := Parse(f)
	var field *kernels.FieldError
	require.ErrorAs(t, err, &field)
	assert.Equal(t, "tD", field.Field)
	f["tD"], f["tile"] = "(8,32):(1,8)", "(1024,1024)"
	_, err = Parse(f)
	assert.ErrorContains(t, err, "sT: shared memory needs 1048576 floats (the cosize), more than the 12288 floats")
}
