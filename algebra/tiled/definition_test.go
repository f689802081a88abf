package tiled

import (
	"fmt"
	"testing"

	"cutegen/algebra"
	"cutegen/algebra/atom"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// products are tiled MMAs of every kind: one thread, a quad pair with gaps in its lanes, warps, a warpgroup; atoms in either
// order, along K, nested; permutations that repeat and that reorder.
var products = [][]string{
	{"UniversalFMA<float>", "(3,5,1):(5,1,0)", "_"},
	{"UniversalFMA<float>", "(4,2,3):(6,1,2)", "(8,(2,3):(3,1),_)"},
	{"SM70_8x8x4_F32F16F16F32_NT", "(2,2,1):(1,2,0)", "(32,_,_)"},
	{"SM75_16x8x8_F32F16F16F32_TN", "(1,3,1):(0,1,0)", "_"},
	{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(2,1,0)", "(_,(8,2,2):(1,16,8),_)"},
	{"SM80_16x8x16_F32F16F16F32_TN", "((2,2),1,2):((1,4),0,2)", "(_,_,(2,4,2,2):(1,4,2,16))"},
	{"SM80_16x8x8_F32TF32TF32F32_TN", "(1,2,1):(0,1,0)", "((4,4):(1,4),_,24)"},
	{"SM90_64x8x8_F32TF32TF32_RS_TN", "(2,1,1):(1,0,0)", "_"},
}

// coords lists the coordinates (i,j) that a part of an identity has, in order.
func coords(t *testing.T, l algebra.Layout, at algebra.Tuple) [][2]int {
	t.Helper()
	list := make([][2]int, l.Size())
	for i := range list {
		value, err := l.Value(algebra.Int(i))
		require.NoError(t, err)
		list[i] = sum(value, at)
	}
	return list
}

// sum adds coordinates; a leaf is the zero coordinate.
func sum(a, b algebra.Tuple) (s [2]int) {
	for _, c := range []algebra.Tuple{a, b} {
		for k := range s {
			if !c.IsLeaf() && k < c.Rank() {
				s[k] += c.Mode(k).Value()
			}
		}
	}
	return s
}

func identity(t *testing.T, m, n int) algebra.Layout {
	t.Helper()
	l, err := algebra.Identity(algebra.Ints(m, n))
	require.NoError(t, err)
	return l
}

// lanes lists a thread for each place in Threads.
func lanes(t *testing.T, m MMA) []ThrMMA {
	t.Helper()
	seen := map[[4]int]bool{}
	var list []ThrMMA
	for id := range m.Size() {
		thr, err := m.Slice(id)
		require.NoError(t, err)
		place := [4]int{thr.V, thr.M, thr.N, thr.K}
		if !seen[place] {
			seen[place] = true
			list = append(list, thr)
		}
	}
	require.Len(t, list, m.Threads.Size())
	return list
}

// The accumulators of all threads are each element of a tensor once; of threads along K, once for each.
func TestPartitionCCoversTheTensorOnce(t *testing.T) {
	for _, args := range products {
		m := mmaOf(t, args)
		rows, columns := 2*m.tileSize(0), 3*m.tileSize(1)
		holders := map[[2]int]int{}
		for _, thr := range lanes(t, m) {
			part, at, err := thr.PartitionC(identity(t, rows, columns))
			require.NoError(t, err)
			shape, err := m.PartitionShapeC(algebra.Ints(rows, columns))
			require.NoError(t, err)
			require.Equal(t, shape.String(), part.Shape().String())
			for _, c := range coords(t, part, at) {
				holders[c]++
			}
		}
		require.Len(t, holders, rows*columns, "%v", args)
		for c, n := range holders {
			require.Equal(t, m.Threads.Mode(3).Size(), n, "%v at %v", args, c)
			require.True(t, c[0] >= 0 && c[0] < rows && c[1] >= 0 && c[1] < columns, "%v at %v", args, c)
		}
	}
}

// The (thread, value) layouts are the partitions of one tile.
func TestLayoutTVIsThePartitionOfATile(t *testing.T) {
	for _, args := range products {
		m := mmaOf(t, args)
		for _, o := range []operand{m.a(), m.b(), m.c()} {
			tv, err := m.layoutTV(o)
			require.NoError(t, err)
			tile, err := algebra.ColMajor(algebra.Ints(m.tileSize(o.rows), m.tileSize(o.cols)))
			require.NoError(t, err)
			require.Equal(t, m.Size(), tv.Mode(0).Size(), "%v %s", args, o.name)
			for id := range m.Size() {
				thr, err := m.Slice(id)
				require.NoError(t, err)
				part, at, err := thr.partition(tile, o)
				require.NoError(t, err)
				require.Equal(t, part.Size(), tv.Mode(1).Size())
				for v := range part.Size() {
					want, err := tv.Index(algebra.Ints(id, v))
					require.NoError(t, err)
					require.Equal(t, want, at.Value()+part.At(v), "%v %s: thread %d, value %d", args, o.name, id, v)
				}
			}
		}
	}
}

// The fragments line up: what an instruction multiplies are the rows of A and the columns of B at which its accumulators are,
// over one run of K.
func TestFragmentsLineUp(t *testing.T) {
	for _, args := range products {
		m := mmaOf(t, args)
		sizes := []int{m.Atom.M, m.Atom.N, m.Atom.K}
		// For the mode, the atom, its repetition and the row in the atom: the coordinate in the tensor.
		place := map[string]int{}
		extents := []int{2 * m.tileSize(0), 2 * m.tileSize(1), 2 * m.tileSize(2)}
		for _, thr := range lanes(t, m) {
			atoms := []int{thr.M, thr.N, thr.K}
			for _, o := range []operand{m.a(), m.b(), m.c()} {
				part, at, err := thr.partition(identity(t, extents[o.rows], extents[o.cols]), o)
				require.NoError(t, err)
				values := part.Mode(0).Size()
				for i, c := range coords(t, part, at) {
					element, err := o.layout.Index(algebra.Ints(thr.V, i%values))
					require.NoError(t, err)
					inAtom := []int{element % sizes[o.rows], element / sizes[o.rows]}
					rest := i / values
					repetition := []int{rest % part.Mode(1).Size(), rest / part.Mode(1).Size()}
					for k, mode := range []int{o.rows, o.cols} {
						key := fmt.Sprint(mode, atoms[mode], repetition[k], inAtom[k])
						first, ok := place[key]
						if !ok {
							place[key] = c[k]
						} else {
							require.Equal(t, first, c[k], "%v %s %s", args, o.name, key)
						}
					}
				}
			}
		}
		require.Len(t, place, extents[0]+extents[1]+extents[2], "%v", args)
	}
}

// copies lists a copy for each kind of instruction.
func copies(t *testing.T) []Copy {
	t.Helper()
	m := mmaOf(t, []string{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(2,1,0)", "(32,(8,2,2):(1,16,8),16)"})
	var list []Copy
	add := func(c Copy, err error) {
		require.NoError(t, err)
		list = append(list, c)
	}
	half := func(name string) CopyAtom { return copyAtom(t, "Copy_Atom<"+name+",half_t>") }
	add(MakeCopy(half("UniversalCopy<uint32_t>"), algebra.MustLayout("(3,5):(5,1)"), algebra.MustLayout("(2,3):(1,2)")))
	add(MakeCopy(half("UniversalCopy<uint128_t>"), algebra.MustLayout("((2,4),8):((1,16),2)"), algebra.MustLayout("(2,8):(8,1)")))
	add(MakeCopy(half("SM75_U32x2_LDSM_N"), algebra.MustLayout("(16,4):(1,16)"), algebra.MustLayout("(1,8):(1,1)")))
	add(MakeCopyA(half("SM75_U32x4_LDSM_N"), m))
	add(MakeCopyB(half("SM75_U32x4_LDSM_N"), m))
	add(MakeCopyB(half("SM75_U16x4_LDSM_T"), m))
	add(MakeCopyC(half("SM90_U32x4_STSM_N"), m))
	add(MakeCopyC(half("UniversalCopy<uint32_t>"), m))
	add(MakeCopyS(half("UniversalCopy<uint16_t>"), list[3]))
	add(MakeCopyD(half("UniversalCopy<uint32_t>"), list[4]))
	return list
}

// What an instruction takes from an element of its data at the sources, it gives to the same coordinate at the destinations.
func TestPartitionsNameTheSameCoordinates(t *testing.T) {
	for _, c := range copies(t) {
		shape, err := c.TileShape()
		require.NoError(t, err)
		tensor := identity(t, 2*shape.Mode(0).Value(), 3*shape.Mode(1).Value())
		named := map[string][2]int{}
		reached := map[[2]int]bool{}
		each := func(side algebra.Layout, partition func(ThrCopy) (algebra.Layout, algebra.Tuple, error), visit func(key string, at [2]int)) {
			threads := side.Mode(0).Size()
			for id := range c.Size() {
				thr, err := c.Slice(id)
				require.NoError(t, err)
				part, at, err := partition(thr)
				require.NoError(t, err)
				values := side.Mode(1).Size()
				for i, coord := range coords(t, part, at) {
					element, err := side.Index(algebra.Ints(id%threads, i%values))
					require.NoError(t, err)
					visit(fmt.Sprint(id/threads, i/values, element), coord)
				}
			}
		}
		each(c.Atom.Src, func(thr ThrCopy) (algebra.Layout, algebra.Tuple, error) { return thr.PartitionS(tensor) },
			func(key string, at [2]int) {
				if first, ok := named[key]; ok {
					require.Equal(t, first, at, "%s %v: %s", c.Atom.Name, c.TV, key)
				}
				named[key] = at
				reached[at] = true
			})
		require.Len(t, reached, tensor.Size(), "%s %v", c.Atom.Name, c.TV)
		each(c.Atom.Dst, func(thr ThrCopy) (algebra.Layout, algebra.Tuple, error) { return thr.PartitionD(tensor) },
			func(key string, at [2]int) { require.Equal(t, named[key], at, "%s %v: %s", c.Atom.Name, c.TV, key) })
	}
}

// Copies by MakeCopy give each element of the tile to one thread, once.
func TestMakeCopyCoversTheTileOnce(t *testing.T) {
	for _, c := range copies(t)[:3] {
		for _, layoutTV := range []func() (algebra.Layout, error){c.LayoutDTV, func() (algebra.Layout, error) { return c.TV, nil }} {
			tv, err := layoutTV()
			require.NoError(t, err)
			seen := map[int]bool{}
			for i := range tv.Size() {
				require.False(t, seen[tv.At(i)], "%s %v", c.Atom.Name, tv)
				seen[tv.At(i)] = true
			}
			shape, err := c.TileShape()
			require.NoError(t, err)
			require.Len(t, seen, shape.Mode(0).Value()*shape.Mode(1).Value())
		}
	}
}

// A retiled fragment has, at each coordinate, what the copy's own partition has there.
func TestRetileIsThePartition(t *testing.T) {
	for _, args := range [][]string{
		{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(2,1,0)", "(32,(8,2,2):(1,16,8),16)"},
		{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(1,2,0)", "(32,32,32)"},
		{"SM80_16x8x16_F32F16F16F32_TN", "(4,1,1):(1,0,0)", "(64,16,16)"},
	} {
		m := mmaOf(t, args)
		for _, c := range []struct {
			o      operand
			atom   string
			source bool // the registers are the sources
		}{
			{m.a(), "SM75_U32x4_LDSM_N", false}, {m.a(), "SM75_U16x8_LDSM_T", false}, {m.b(), "SM75_U32x4_LDSM_N", false},
			{m.b(), "SM75_U32x2_LDSM_N", false}, {m.c(), "SM90_U32x4_STSM_N", true}, {m.c(), "UniversalCopy<uint32_t>", true},
		} {
			copy, err := copyOf(copyAtom(t, "Copy_Atom<"+c.atom+",half_t>"), m, c.o)
			require.NoError(t, err)
			tensor := identity(t, 2*m.tileSize(c.o.rows), 3*m.tileSize(c.o.cols))
			for id := range m.Size() {
				thr, err := m.Slice(id)
				require.NoError(t, err)
				fragment, at, err := thr.partition(tensor, c.o)
				require.NoError(t, err)
				retiled, err := copy.Retile(fragment)
				require.NoError(t, err, "%v %s %s", args, c.o.name, c.atom)
				thrCopy, err := copy.Slice(id)
				require.NoError(t, err)
				part, begin, err := thrCopy.PartitionD(tensor)
				if c.source {
					part, begin, err = thrCopy.PartitionS(tensor)
				}
				require.NoError(t, err)
				require.Equal(t, part.Shape().String(), retiled.Shape().String())
				require.Equal(t, coords(t, part, begin), coords(t, retiled, at), "%v %s %s thread %d", args, c.o.name, c.atom, id)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	mma := func(name, atoms, permutation string) error {
		a, err := atom.ByName(name)
		require.NoError(t, err)
		tiler, err := algebra.ParseTiler(permutation)
		require.NoError(t, err)
		_, err = MakeMMA(a, algebra.MustLayout(atoms), tiler)
		return err
	}
	const m80 = "SM80_16x8x16_F32F16F16F32_TN"
	assert.ErrorContains(t, mma(m80, "(2,1,1,1):(1,0,0,0)", "_"), "the atoms have rank 4, allowed is at most 3")
	assert.ErrorContains(t, mma(m80, "(2,2,1):(1,1,0)", "_"), "by atoms (2,2,1):(1,1,0)")
	assert.ErrorContains(t, mma(m80, "(2,2,1):(1,1,0)", "_"), "meet")
	assert.ErrorContains(t, mma(m80, "2:1", "(1,2,3,4)"), "permutation (1,2,3,4) has rank 4, allowed is at most 3")
	assert.ErrorContains(t, mma(m80, "2:1", "((2,2),_,_)"), "permutation of mode 0: got (2,2), allowed are integers of at least 1, layouts and _")
	assert.ErrorContains(t, mma(m80, "2:1", "32"), "permutation 32: allowed are tuples and _")

	m := mmaOf(t, []string{m80, "(2,2,1):(1,2,0)", "_"})
	_, err := m.Slice(128)
	assert.EqualError(t, err, "thread 128 of tiled "+m80+" by threads (32,2,2,1):(1,32,64,0): allowed is 0 to 127")
	thr, err := m.Slice(127)
	require.NoError(t, err)
	_, _, err = thr.PartitionC(algebra.MustLayout("64:1"))
	assert.EqualError(t, err, "C of tiled "+m80+": tensor 64:1: rank 1, allowed is at least 2")
	ss := mmaOf(t, []string{"SM90_64x64x16_F32F16F16_SS", "(2,1,1):(1,0,0)", "_"})
	_, err = ThrMMA{MMA: ss}.PartitionFragmentA(algebra.MustLayout("(128,64):(1,128)"))
	assert.ErrorContains(t, err, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 does not hold it in registers")

	ldsm, err := atom.CopyByName("SM75_U32x4_LDSM_N")
	require.NoError(t, err)
	_, err = MakeCopyAtom(ldsm, 64)
	assert.ErrorContains(t, err, "copy atom SM75_U32x4_LDSM_N of 64-bit elements: ")
	a, err := MakeCopyAtom(ldsm, 16)
	require.NoError(t, err)
	for _, c := range []struct{ thr, val, want string }{
		{"(16,1):(1,1)", "(1,8):(1,1)", "16 threads, allowed are multiples of the atom's 32"},
		{"(32,1):(1,1)", "(1,4):(1,1)", "4 values, allowed are multiples of the atom's 8"},
		{"(32,2):(1,31)", "(1,8):(1,1)", "coordinates (31,0) and (0,1) are both thread 31"},
		{"(32,2):(1,33)", "(1,8):(1,1)", "thread 64 at coordinate (31,1), allowed is a bijection onto 0 to 63"},
		{"(32,1):(1,1)", "(2,4):(1,1)", "coordinates (1,0) and (0,1) are both value 1"},
	} {
		_, err := MakeCopy(a, algebra.MustLayout(c.thr), algebra.MustLayout(c.val))
		assert.ErrorContains(t, err, c.want)
	}
	_, err = MakeCopyTV(a, algebra.MustLayout("(32,8):(8,1)"), algebra.Ints(15, 17))
	assert.ErrorContains(t, err, "indices from 0 to 255, allowed is 0 to 254")
	_, err = MakeCopyTV(a, algebra.MustLayout("(32,8):(8,1)"), algebra.Ints(16, 16))
	assert.NoError(t, err)
	c, err := MakeCopyB(a, mmaOf(t, []string{m80, "(2,2,1):(1,2,0)", "(32,32,16)"}))
	require.NoError(t, err)
	_, err = c.Slice(128)
	assert.ErrorContains(t, err, "thread 128 of tiled copy SM75_U32x4_LDSM_N")
	_, err = c.Retile(algebra.MustLayout("(4,4):(1,4)"))
	assert.ErrorContains(t, err, "rank 2, allowed is at least 3")
	_, err = c.Retile(algebra.MustLayout("(3,4,4):(1,3,12)"))
	assert.ErrorContains(t, err, "3 values in mode 0, allowed are divisors of 8")
	_, err = MakeCotiledCopy(a, algebra.MustLayout("(32,8):(8,1)"), algebra.MustLayout("(16,15):(1,16)"))
	assert.ErrorContains(t, err, "offset 240 at (thread,value) (30,0) is at no coordinate of the data")
}
