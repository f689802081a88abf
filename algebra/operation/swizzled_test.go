package operation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

// What is cut out of a swizzled layout has its values: those of what is cut out of the layout below, offset included, swizzled.
func TestPartsOfSwizzledLayouts(t *testing.T) {
	const mma, load = "SM80_16x8x16_F32F16F16F32_TN|(2,2,1):(1,2,4)|(32,32,16)", "Copy_Atom<UniversalCopy<uint128_t>,half_t>|(16,8):(8,1)|(1,8):(1,1)"
	questions := []struct{ op, args string }{
		{"local_tile", "%s|(32,16)|(%d,_)"}, {"local_tile", "%s|(32,16)|(_,_)"},
		{"inner_partition", "%s|(8:2,16)|(_,%d)"}, {"outer_partition", "%s|(32,16)|(%d,3)"},
		{"local_tile_proj", "%s|(32,8,16)|(%d,0,_)|(1,X,1)"},
		{"local_partition", "%s|(8,4):(4,1)|%d"}, {"local_partition_proj", "%s|(8,2,4):(8,4,1)|%d|(1,X,1)"},
		{"tensor_slice", "%s|(%d,_)"}, {"tensor_slice", "%s|(_,_)"},
		{"tiled_mma_partition_A", mma + "|%s|%d"}, {"tiled_mma_partition_C", mma + "|%s|%d"},
		{"tiled_copy_partition_S", load + "|%s|%d"}, {"tiled_copy_partition_D", load + "|%s|%d"},
		{"partition_tv", "%s|(8,4):(4,1)|(1,4)"}, {"filter", "%s"},
	}
	random := rand.New(rand.NewPCG(1, 2))
	layouts := []string{"(64,64):(64,1)", "(64,64):(1,64)", "(64,(8,8)):(72,(1,8))", "((8,8),64):((64,512),1)", "(64,(32,2)):(0,(1,64))"}
	plain := 0
	for _, q := range questions {
		for range 60 {
			s := algebra.Swizzle{Bits: random.IntN(4), Base: random.IntN(4)}
			s.Shift = max(s.Bits, 1) + random.IntN(3)
			offset, layout := random.IntN(3)*random.IntN(200), layouts[random.IntN(len(layouts))]
			swizzled := fmt.Sprintf("%v o %d o %s", s, offset, layout)
			ask := func(layout string) Value {
				args := strings.Split(strings.Replace(q.args, "%s", layout, 1), "|")
				for i := range args {
					args[i] = strings.Replace(args[i], "%d", fmt.Sprint(offset%2), 1)
				}
				row := Answer(q.op, args)
				require.Empty(t, row.Error, "%s %v", q.op, args)
				return row.Got
			}
			got, below := parted(ask(swizzled)), parted(ask(layout))
			require.Equal(t, below.layout.Size(), got.layout.Size(), "%s of %s", q.op, swizzled)
			for i := range below.layout.Size() {
				want := s.Apply(offset + below.offset + below.layout.At(i))
				require.Equal(t, want, got.offset+got.layout.At(i), "%s of %s = %v at %d", q.op, swizzled, got, i)
			}
			if got.layout.Swizzle.Bits == 0 && s.Bits > 0 {
				plain++
			}
		}
	}
	require.NotZero(t, plain, "no part decayed to a plain layout")
}

// parted is an answer as a swizzled layout and an offset.
func parted(v Value) (p struct {
	layout algebra.Composed
	offset int
}) {
	if s, ok := v.(Sliced); ok {
		v, p.offset = s.Layout, s.Offset.Value()
	}
	p.layout = composedOf(v)
	return p
}

// What CuTe keeps swizzled where nothing is fixed, what decays, and what has symbols.
func TestPartsOfSwizzledLayoutsAsTexts(t *testing.T) {
	const s = "Sw<3,3,3> o 0 o (128,64):(64,1)"
	for _, c := range []struct{ op, args, want string }{
		{"local_tile", s + "|(32,64)|(1,_)", "Sw<3,3,3> o 0 o (32,64,1):(64,1,0) at offset 2048"},
		{"local_tile", s + "|(32,64)|(_,_)", "Sw<3,3,3> o 0 o (32,64,4,1):(64,1,2048,0) at offset 0"},
		{"local_partition", s + "|(8,32):(32,1)|33", "(16,2):(512,32) at offset 73"},
		{"slice_layout", "(3,_)|" + s, "((8,4,2)):((1,-8,32))"},
		{"tiled_mma_partition_A", "SM80_16x8x16_F32F16F16F32_TN|(2,2,1):(1,2,4)|(32,32,16)|" + s + "|26",
			"((2,2,2),4,4):((1,512,8),2048,-16) at offset 436"},
		{"tiled_mma_partition_fragment_A", "SM80_16x8x16_F32F16F16F32_TN|(2,2,1):(1,2,4)|(32,32,16)|" + s + "|26",
			"((2,2,2),4,4):((1,2,4),32,8)"},
		{"make_layout_like", "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)"},
		{"local_tile", "Sw<3,3,3> o 8 o (M,64):(64,1)|(32,64)|(bx,_)", "Sw<3,3,3> o 2048*bx+8 o (32,64,1):(64,1,0) at offset 0"},
		{"local_partition", "Sw<3,3,3> o 0 o (M,64):(64,1)|(8,32):(32,1)|5", "Sw<3,3,3> o 5 o (ceil(M/8),2):(512,32) at offset 0"},
		{"slice_layout", "(_,k)|Sw<3,3,3> o 0 o (M,64):(64,1)", "Sw<3,3,3> o k o (M):(64)"},
		{"smem_atom", "GMMA_K_SW128|float", "major K, raw Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1), in_elements Sw<3,2,3> o 0 o (8,32):(32,1)"},
	} {
		row := Answer(c.op, strings.Split(c.args, "|"))
		require.Empty(t, row.Error, c)
		require.Equal(t, c.want, fmt.Sprint(row.Got), c)
	}
	for _, c := range []struct{ op, args, want string }{
		{"local_partition", s + "|" + s + "|5", "local_partition: THREADS is " + s + ", a swizzled layout, allowed is a layout"},
		{"get_1d_coord", s + "|5", "get_1d_coord: LAYOUT is " + s + ", a swizzled layout, allowed is a layout"},
		{"nullspace", "Swizzle(2,3,3) o x o (M,4):(4,1)", "nullspace: LAYOUT is Swizzle(2,3,3) o x o (M,4):(4,1), a swizzled layout, allowed is a layout"},
		{"layout_at", "(M,4):(1,4)|Sw<3,3,3>", "layout_at: COORD is Sw<3,3,3>, a swizzle, allowed is a tuple"},
		{"local_tile", "Sw<3,3,3> o 0 o (8,64):(-64,1)|(8,64)|(_,0)", "offsets before the swizzle from -448, allowed are 0 to 2^62-1"},
		{"smem_atom", "GMMA_K_SW128|flot", `type "flot", allowed are CuTe's names, such as half_t, float and int8_t, or a number of bits`},
	} {
		require.Contains(t, Answer(c.op, strings.Split(c.args, "|")).Error, c.want, c)
	}
	claim, err := FindClaim("covers")
	require.NoError(t, err)
	_, err = claim.Check("(4,4):(1,4)", "Sw<3,3,3>")
	require.EqualError(t, err, "covers: N is Sw<3,3,3>, a swizzle, allowed is an integer")
}
