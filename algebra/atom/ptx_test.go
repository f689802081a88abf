package atom

import (
	"testing"

	"cutegen/algebra"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is where the PTX ISA says that value i of a lane is: row and column of the matrix.
type place func(lane, i int) (row, column int)

// choose is "first if condition, else second".
func choose(condition bool, first, second int) int {
	if condition {
		return first
	}
	return second
}

// The formulas of the PTX ISA 9.7.14.5, word for word: groupID = lane / 4, threadID_in_group = lane % 4. B is K x N there.
func TestFragmentsAreThoseOfThePTXISA(t *testing.T) {
	for _, c := range []struct {
		atom    string
		section string
		a, b, c place
	}{
		{
			atom: "SM70_8x8x4_F16F16F16F16_TN", section: "PTX ISA 9.7.14.5.1",
			a: func(lane, i int) (int, int) { return choose(lane < 16, lane%4, lane%4+4), i },
			b: func(lane, i int) (int, int) { return i, choose(lane < 16, lane%4, lane%4+4) },
			c: func(lane, i int) (int, int) { return choose(lane < 16, lane%4, lane%4+4), i },
		},
		{
			atom: "SM70_8x8x4_F32F16F16F32_NT", section: "PTX ISA 9.7.14.5.1",
			a: func(lane, i int) (int, int) { return choose(lane < 16, i%4, i%4+4), lane % 4 },
			b: func(lane, i int) (int, int) { return lane % 4, choose(lane < 16, i%4, i%4+4) },
			c: func(lane, i int) (int, int) {
				x := lane&1 + i&2
				return choose(lane < 16, x, x+4), i&4 + lane&2 + i&1
			},
		},
		{
			atom: "SM80_8x8x16_S32S8S8S32_TN", section: "PTX ISA 9.7.14.5.3",
			a: func(lane, i int) (int, int) { return lane / 4, lane%4*4 + i },
			b: func(lane, i int) (int, int) { return lane%4*4 + i, lane / 4 },
			c: func(lane, i int) (int, int) { return lane / 4, lane%4*2 + i },
		},
		{
			atom: "SM80_16x8x8_F32TF32TF32F32_TN", section: "PTX ISA 9.7.14.5.7",
			a: func(lane, i int) (int, int) {
				return choose(i == 0 || i == 2, lane/4, lane/4+8), choose(i < 2, lane%4, lane%4+4)
			},
			b: func(lane, i int) (int, int) { return choose(i == 0, lane%4, lane%4+4), lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM80_16x8x16_F32F16F16F32_TN", section: "PTX ISA 9.7.14.5.8",
			a: func(lane, i int) (int, int) {
				return choose(i < 2 || 4 <= i && i < 6, lane/4, lane/4+8), choose(i < 4, lane%4*2+i&1, lane%4*2+i&1+8)
			},
			b: func(lane, i int) (int, int) { return choose(i < 2, lane%4*2+i&1, lane%4*2+i&1+8), lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM90_16x8x16_F64F64F64F64_TN", section: "PTX ISA 9.7.14.5.8",
			a: func(lane, i int) (int, int) {
				return choose(i%2 == 0, lane/4, lane/4+8), choose(i%2 == 0, i*2+lane%4, i*2-2+lane%4)
			},
			b: func(lane, i int) (int, int) { return lane%4 + i*4, lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM80_16x8x16_S32S8S8S32_TN", section: "PTX ISA 9.7.14.5.9",
			a: func(lane, i int) (int, int) { return choose(i < 4, lane/4, lane/4+8), lane%4*4 + i&3 },
			b: func(lane, i int) (int, int) { return lane%4*4 + i, lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM89_16x8x32_F32E4M3E5M2F32_TN", section: "PTX ISA 9.7.14.5.10",
			a: func(lane, i int) (int, int) {
				return choose(i < 4 || 8 <= i && i < 12, lane/4, lane/4+8), choose(i < 8, lane%4*4+i&3, lane%4*4+i&3+16)
			},
			b: func(lane, i int) (int, int) { return choose(i < 4, lane%4*4+i&3, lane%4*4+i&3+16), lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM80_16x8x64_S32S4U4S32_TN", section: "PTX ISA 9.7.14.5.11",
			a: func(lane, i int) (int, int) {
				return choose(i < 8 || 16 <= i && i < 24, lane/4, lane/4+8), choose(i < 16, lane%4*8+i&7, lane%4*8+i&7+32)
			},
			b: func(lane, i int) (int, int) { return choose(i < 8, lane%4*8+i&7, lane%4*8+i&7+32), lane / 4 },
			c: accumulator16x8,
		},
		{
			atom: "SM80_16x8x128_S32U1U1S32_TN_XORPOPC", section: "PTX ISA 9.7.14.5.12",
			a: func(lane, i int) (int, int) { return choose(i < 32, lane/4, lane/4+8), lane%4*32 + i&31 },
			b: func(lane, i int) (int, int) { return lane%4*32 + i, lane / 4 },
			c: accumulator16x8,
		},
	} {
		m, err := ByName(c.atom)
		require.NoError(t, err)
		assert.Equal(t, c.section, m.Section, c.atom)
		transposed := func(lane, i int) (int, int) { k, n := c.b(lane, i); return n, k }
		placed(t, c.atom+" A", m.ThrID, m.A, m.M, c.a)
		placed(t, c.atom+" B", m.ThrID, m.B, m.N, transposed)
		placed(t, c.atom+" C", m.ThrID, m.C, m.M, c.c)
	}
}

func accumulator16x8(lane, i int) (int, int) {
	return choose(i < 2, lane/4, lane/4+8), lane%4*2 + i&1
}

// placed checks a layout over a column-major tile of so many rows.
func placed(t *testing.T, what string, lanes, l algebra.Layout, rows int, want place) {
	t.Helper()
	for thread := range l.Mode(0).Size() {
		for i := range l.Mode(1).Size() {
			row, column := want(lanes.At(thread), i)
			at, err := l.Index(algebra.Ints(thread, i))
			require.NoError(t, err)
			require.Equal(t, row+column*rows, at, "%s: thread %d, value %d", what, thread, i)
		}
	}
}

// The figures of the PTX ISA 9.7.15.5.1.1: warp w has rows 16w to 16w+15, laid out as by mma.sync.
func TestWarpgroupFragmentsAreThoseOfThePTXISA(t *testing.T) {
	for _, c := range []struct {
		atom   string
		packed int // values of A in a register
	}{
		{"SM90_64x96x16_F32F16F16_RS", 2}, {"SM90_64x8x8_F32TF32TF32_RS_TN", 1}, {"SM90_64x256x32_S32S8U8_RS_TN", 4},
	} {
		m, err := ByName(c.atom)
		require.NoError(t, err)
		fragment := func(packed int) place {
			return func(thread, i int) (int, int) {
				warp, lane, register := thread/32, thread%32, i/packed
				return 16*warp + lane/4 + 8*(register%2), 4*packed*(register/2) + packed*(lane%4) + i%packed
			}
		}
		placed(t, c.atom+" A", m.ThrID, m.A, m.M, fragment(c.packed))
		placed(t, c.atom+" D", m.ThrID, m.C, m.M, fragment(2))
	}
}

// ldmatrix gives lane l the values 2*(l%4) and 2*(l%4)+1 of row l/4, with .trans of column l/4; register r is matrix r. The address
// of row l%8 of matrix l/8 comes from lane l (PTX ISA 9.7.14.5.15). movmatrix transposes one matrix (9.7.14.5.17).
func TestMatrixFragmentsAreThoseOfThePTXISA(t *testing.T) {
	bit := func(matrix, row, column, bit int) int { return matrix*1024 + row*128 + column*16 + bit }
	byRow := func(lane, v int) int { return bit(v/32, lane/4, lane%4*2+v/16%2, v%16) }
	byColumn := func(lane, v int) int { return bit(v/32, lane%4*2+v/16%2, lane/4, v%16) }
	for _, c := range []struct {
		name      string
		matrices  int
		registers func(lane, v int) int
	}{
		{"SM75_U32x1_LDSM_N", 1, byRow}, {"SM75_U32x2_LDSM_N", 2, byRow}, {"SM75_U32x4_LDSM_N", 4, byRow},
		{"SM75_U16x2_LDSM_T", 1, byColumn}, {"SM75_U16x4_LDSM_T", 2, byColumn}, {"SM75_U16x8_LDSM_T", 4, byColumn},
		{"SM90_U32x4_STSM_N", 4, byRow}, {"SM90_U16x4_STSM_T", 2, byColumn},
		{"SM75_U32x1_MOVM_T", 1, byColumn},
	} {
		atom, err := CopyByName(c.name)
		require.NoError(t, err)
		memory, registers := atom.Src, atom.Dst
		if atom.Arch == "sm_90" {
			memory, registers = registers, memory
		}
		require.Equal(t, 32*c.matrices, registers.Mode(1).Size(), c.name)
		for lane := range 32 {
			for v := range registers.Mode(1).Size() {
				at, err := registers.Index(algebra.Ints(lane, v))
				require.NoError(t, err)
				require.Equal(t, c.registers(lane, v), at, "%s: lane %d, bit %d", c.name, lane, v)
			}
			if c.name == "SM75_U32x1_MOVM_T" || lane >= 8*c.matrices {
				continue
			}
			at, err := memory.Index(algebra.Ints(lane, 5))
			require.NoError(t, err)
			require.Equal(t, bit(lane/8, lane%8, 0, 5), at, "%s: address of lane %d", c.name, lane)
		}
	}
}
