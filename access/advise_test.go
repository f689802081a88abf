package access

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

func use(name, coord string, vector int) Use {
	return Use{Name: name, Write: name == "write", Coord: algebra.MustLayout(coord), Vector: vector}
}

// Answers that are known from the literature, by tiles as kernels have them. Positions count down the columns: row + rows*column.
func TestAdviseKnown(t *testing.T) {
	for _, c := range []struct {
		name             string
		tile             string
		elemBytes        int
		write, read      Use
		plain            float64 // wavefronts of one read
		swizzled, padded string
	}{
		// A warp writes a row of 32 and reads a column.
		{"fp32, by rows and columns", "(32,32):(32,1)", 4,
			use("write", "(32,32):(32,1)", 1), use("read", "(32,32):(1,32)", 1),
			32, "Sw<5,0,5> o 0 o (32,32):(32,1)", "(32,32):(33,1)"},
		// 256 threads write rows as vectors of 4 and read blocks of 4x4, as vectors too.
		{"fp32, blocks of 4x4", "(64,64):(64,1)", 4,
			use("write", "((16,16),(4,4)):((256,1),(64,16))", 4), use("read", "((16,16),(4,4)):((4,256),(64,1))", 4),
			32, "Sw<3,2,6> o 0 o (64,64):(64,1)", "((4,16),64):((64,260),1)"},
		{"fp16, blocks of 8x8", "(64,64):(64,1)", 2,
			use("write", "((8,8),(8,8)):((512,1),(64,8))", 8), use("read", "((8,8),(8,8)):((8,512),(64,1))", 8),
			32, "Sw<3,3,6> o 0 o (64,64):(64,1)", "((8,8),64):((64,520),1)"},
		{"int8, blocks of 16x16", "(128,128):(128,1)", 1,
			use("write", "((8,8),(16,16)):((2048,1),(128,8))", 16), use("read", "((8,8),(16,16)):((16,2048),(128,1))", 16),
			32, "Sw<3,4,7> o 0 o (128,128):(128,1)", "((16,8),128):((128,2064),1)"},
		// cp.async of 16 bytes a lane, ldmatrix.x4 of 16x16.
		{"fp16, ldmatrix", "(64,64):(64,1)", 2,
			use("write", "((8,16),(8,4)):((512,1),(64,16))", 8), use("read", "((16,2),(8,4,4)):((1,512),(64,1024,16))", 8),
			32, "Sw<3,3,3> o 0 o (64,64):(64,1)", "(64,64):(72,1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			advice, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout(c.tile)}, c.elemBytes, c.write, c.read)
			require.NoError(t, err)
			ideal := float64(c.read.Vector * c.elemBytes / 4)
			assert.Equal(t, Counts{"wavefronts", c.plain, ideal}, advice.Plain.Counts[1])
			assert.Equal(t, c.swizzled, advice.Swizzled.Layout.String())
			assert.True(t, advice.Swizzled.Free())
			assert.Equal(t, advice.Plain.Elems, advice.Swizzled.Elems)
			for _, count := range advice.Swizzled.Counts {
				assert.Equal(t, Counts{"wavefronts", ideal, ideal}, count)
			}
			assert.Equal(t, c.padded, advice.Padded.Layout.String())
			assert.True(t, advice.Padded.Free())
			assert.NotNil(t, advice.Linear.Bases)
		})
	}
}

// randomUse is a linear use of a tile of 2^width elements: the bits of thread and value are bits of the position, or sums of two.
func randomUse(r *rand.Rand, name string, width, threadBits, valueBits, vector int) Use {
	order := r.Perm(width)
	var shape, stride []algebra.Tuple
	for k := range threadBits + valueBits {
		shape, stride = append(shape, algebra.Int(2)), append(stride, algebra.Int(1<<order[k]))
	}
	// The bits that are left over join another.
	for _, bit := range order[threadBits+valueBits:] {
		k := r.IntN(threadBits)
		stride[k] = algebra.Int(stride[k].Value() | 1<<bit)
	}
	mode := func(from, to int) algebra.Layout {
		l, err := algebra.MakeLayout(algebra.MakeTuple(shape[from:to]...), algebra.MakeTuple(stride[from:to]...))
		if err != nil {
			panic(err)
		}
		return l
	}
	tv, err := algebra.Concat(mode(0, threadBits), mode(threadBits, threadBits+valueBits))
	if err != nil {
		panic(err)
	}
	return Use{Name: name, Coord: tv, Vector: vector}
}

// under counts the uses in the linear layout of the bases.
func under(bases []int, elemBytes int, uses []Use) Choice {
	c := chooser{elemBytes: elemBytes}
	for _, u := range uses {
		a := &Access{Tensor: Tensor{ElemBytes: elemBytes}, Coord: u.Coord, Vector: u.Vector}
		p := a.points(u.Coord.At, u.Coord.At)
		c.uses = append(c.uses, p.phases())
	}
	return c.choice(algebra.Composed{}, 0, func(position int) int {
		offset := 0
		for k, b := range bases {
			offset ^= b * (position >> k & 1)
		}
		return offset
	})
}

// Two accesses without vectors always have a linear layout without conflicts, and it is what linear says: counted, it has none.
func TestLinearTwoUses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		elemBytes := 1 << r.IntN(5)
		width := 5 + r.IntN(6)
		uses := []Use{randomUse(r, "write", width, 5, width-5, 1), randomUse(r, "read", width, 5, width-5, 1)}
		l := linear(1<<width, elemBytes, uses)
		require.NotNil(t, l.Bases, "%v %v", uses, l.Why)
		seen := map[int]bool{}
		for p := range 1 << width {
			o := 0
			for k, b := range l.Bases {
				o ^= b * (p >> k & 1)
			}
			require.Less(t, o, 1<<width)
			require.False(t, seen[o], "%v is no bijection", l.Bases)
			seen[o] = true
		}
		c := under(l.Bases, elemBytes, uses)
		require.True(t, c.Free(), "%v: bases %v, %d bytes, %+v", uses, l.Bases, elemBytes, c)
	}
}

// Of three accesses that are given, linear finds a layout exactly when some choice of the segment bits has no conflict: every one of
// them is counted. And no swizzle is better than what linear says.
func TestLinearThreeUses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	impossible, better := 0, 0
	for range 80 {
		width := 6 + r.IntN(2)
		uses := []Use{randomUse(r, "a", width, 5, 0, 1), randomUse(r, "b", width, 5, width-5, 1), randomUse(r, "c", width, 5, width-5, 1)}
		l := linear(1<<width, 4, uses)
		free := false
		for first := 1; first < 1<<width && !free; first++ {
			if width == 6 {
				free = under(bases(nil, nil, []int{first}, width), 4, uses).Free()
				continue
			}
			for second := first + 1; second < 1<<width && !free; second++ {
				free = under(bases(nil, nil, []int{first, second}, width), 4, uses).Free()
			}
		}
		require.Equal(t, free, l.Bases != nil, "%v: %+v", uses, l)
		require.Equal(t, !free, l.Impossible)
		if !free {
			impossible++
		}
		advice, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout([]string{"64:1", "128:1"}[width-6])}, 4, uses...)
		require.NoError(t, err)
		require.False(t, !free && advice.Swizzled.Free(), "a swizzle is linear: %v", advice.Swizzled)
		if free && !advice.Swizzled.Free() {
			better++
		}
	}
	require.Positive(t, impossible)
	require.Positive(t, better, "no case tells linear layouts from swizzles")
}

// Two positions meet in a bank if they differ by the one vector above the banks. The lanes of the first differ in any bits but 5, of
// the second in any but 0, of the third in both or neither of these: there is no vector that none of them differ by.
func TestAdviseImpossible(t *testing.T) {
	three := []Use{
		use("a", "(32,2):(1,32)", 1),
		use("b", "(32,2):(2,1)", 1),
		use("c", "((2,16),1):((33,2),0)", 1),
	}
	advice, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout("64:1")}, 4, three...)
	require.NoError(t, err)
	assert.True(t, advice.Linear.Impossible)
	assert.Equal(t, "every choice of the bits above the banks puts two lanes of some access in one bank", advice.Linear.Why)
	assert.False(t, advice.Swizzled.Free())
	assert.False(t, advice.Padded.Free())
	two, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout("64:1")}, 4, three[:2]...)
	require.NoError(t, err)
	assert.NotNil(t, two.Linear.Bases, "without the third there is a layout")
	assert.True(t, two.Swizzled.Free())

	// Vectors along rows and vectors along columns: no layout has both side by side.
	_, err = Advise("sT", algebra.Composed{Layout: algebra.MustLayout("(32,32):(32,1)")}, 4,
		use("write", "((8,32),4):((128,1),32)", 4), use("read", "((8,32),4):((4,32),1)", 4))
	assert.EqualError(t, err, "access read: values 0 and 1 of thread 0 are one vector of 4, but lie at offsets 0 and 32 by layout "+
		"(32,32):(32,1): use vectors of 1, or a layout whose value mode has stride 1")
	l := linear(1024, 4, []Use{use("write", "((8,32),4):((128,1),32)", 4), use("read", "((8,32),4):((4,32),1)", 4)})
	assert.True(t, l.Impossible)
	assert.Equal(t, "the vectors of write and read hold different neighbours: no layout has both side by side", l.Why)
}

func TestAdviseRefuses(t *testing.T) {
	rows := use("write", "(32,32):(32,1)", 1)
	for _, c := range []struct {
		tile      string
		elemBytes int
		uses      []Use
		want      string
	}{
		{"(32,32):(32,1)", 4, nil, "layout of sT: no access is given"},
		{"(32,32):(32,1)", 3, []Use{rows}, "layout of sT: elements of 3 bytes, allowed are 1, 2, 4, 8 and 16"},
		{"(32,31):(32,1)", 4, []Use{rows}, "access write: thread 31, value 0 lies outside the tile (32,31) of sT: (0,31), by layout (32,32):(32,1)"},
		{"(32,32):(31,1)", 4, []Use{rows}, "layout of sT: (32,32):(31,1) puts (1,0) and (0,31) at offset 31"},
		{"(32,32):(1@0,1@1)", 4, []Use{rows}, "layout of sT: (32,32):(1@0,1@1) has coordinates as values, allowed are plain strides"},
		{"(32,32):(-32,1)", 4, []Use{rows}, "offsets before the swizzle from -992, allowed are 0 to 2^62-1"},
		{"(1024,1024):(1024,1)", 4, []Use{rows}, "the tile and its accesses have more than 131072 elements, allowed are that many"},
		{"(32,32):(32,1)", 4, []Use{use("write", "1024:1", 1)}, "layout of sT: access write: 1024:1 has rank 1, allowed are the modes (thread, value)"},
		{"(32,32):(32,1)", 4, []Use{use("write", "(32,32):(1@0,1@2)", 1)}, "layout of sT: access write: "},
		{"(32,32):(32,1)", 4, []Use{use("write", "(32,32):(32,1)", 5)}, "32 values per thread do not divide into vectors of 5"},
	} {
		_, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout(c.tile)}, c.elemBytes, c.uses...)
		assert.ErrorContains(t, err, c.want)
	}
	// No power of two: counted all the same, and the bits say why they do not.
	advice, err := Advise("sT", algebra.Composed{Layout: algebra.MustLayout("(32,24):(24,1)")}, 4, use("write", "(24,32):(32,1)", 1), use("read", "(32,24):(1,32)", 1))
	require.NoError(t, err)
	assert.Equal(t, "((4,8),24):((24,97),1)", advice.Padded.Layout.String())
	assert.Equal(t, 8.0, advice.Plain.Counts[1].Value)
	assert.Equal(t, "the tile has 768 elements, which is no power of two", advice.Linear.Why)
}

func TestWidestVector(t *testing.T) {
	for _, c := range []struct {
		tile, coord string
		elemBytes   int
		want        int
	}{
		{"(64,64):(64,1)", "((16,16),(4,4)):((256,1),(64,16))", 4, 4},
		{"(64,64):(64,1)", "((16,16),(4,4)):((256,1),(64,16))", 8, 2}, // 16 bytes
		{"(64,64):(66,1)", "((16,16),(4,4)):((256,1),(64,16))", 4, 2}, // rows begin at multiples of 2
		{"(64,64):(65,1)", "((16,16),(4,4)):((256,1),(64,16))", 4, 1},
		{"(64,64):(1,64)", "((16,16),(4,4)):((256,1),(64,16))", 4, 1}, // not side by side
		{"12:1", "(4,3):(3,1)", 4, 1},                                 // three values
		{"12:1", "12:1", 4, 1},                                        // no modes of thread and value
		{"(64,64):(1@0,1@1)", "((16,16),(4,4)):((256,1),(64,16))", 4, 1},
	} {
		assert.Equal(t, c.want, WidestVector(algebra.Composed{Layout: algebra.MustLayout(c.tile)}, algebra.MustLayout(c.coord), c.elemBytes), "%s", c.tile)
	}
}

// Coordinates are positions by another name, and a swizzle that is given is counted beside the best.
func TestAdviseGiven(t *testing.T) {
	tile, err := algebra.ParseComposed("Sw<5,0,5> o 0 o (32,32):(32,1)")
	require.NoError(t, err)
	advice, err := Advise("sT", tile, 4, use("write", "(32,32):(1@1,1@0)", 1), use("read", "(32,32):(1@0,1@1)", 1), use("diagonal", "(32,1):(33,0)", 1))
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1, 32}, []float64{advice.Given.Counts[0].Value, advice.Given.Counts[1].Value, advice.Given.Counts[2].Value})
	assert.Equal(t, []float64{1, 32, 1}, []float64{advice.Plain.Counts[0].Value, advice.Plain.Counts[1].Value, advice.Plain.Counts[2].Value})
	same, err := Advise("sT", tile, 4, use("write", "(32,32):(32,1)", 1), use("read", "(32,32):(1,32)", 1), use("diagonal", "(32,1):(33,0)", 1))
	require.NoError(t, err)
	assert.Equal(t, same, advice)
	_, err = Advise("sT", tile, 4, use("write", "((8,32),4):((128,1),32)", 4))
	assert.ErrorContains(t, err, "the vector of 4 at coordinate (1,0) (thread 8, value 0) starts at offset 33 by layout Sw<5,0,5> o 0 o (32,32):(32,1)")
	tile.Offset = 1
	_, err = Advise("sT", tile, 4, use("read", "(32,32):(1,32)", 1))
	assert.EqualError(t, err, "layout of sT: Sw<5,0,5> o 1 o (32,32):(32,1) begins at 1, allowed is 0")
}
