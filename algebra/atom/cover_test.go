package atom

import (
	"fmt"
	"strings"
	"testing"

	"cutegen/algebra"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bijection says why l is no bijection onto 0 to n-1, "" if it is one.
func bijection(l algebra.Layout, n int) string {
	seen := make([]bool, n)
	for i := range l.Size() {
		switch at := l.At(i); {
		case at < 0 || at >= n:
			return fmt.Sprintf("%s: position %d is at %d, outside 0 to %d", l, i, at, n-1)
		case seen[at]:
			return fmt.Sprintf("%s: position %d is at %d a second time", l, i, at)
		default:
			seen[at] = true
		}
	}
	if l.Size() < n {
		return fmt.Sprintf("%s: %d positions for %d places", l, l.Size(), n)
	}
	return ""
}

func TestBijection(t *testing.T) {
	for text, want := range map[string]string{
		"((4,8),(2,2)):((32,1),(16,8))": "",
		"((4,8),(2,2)):((33,1),(16,8))": "outside 0 to 127",
		"((4,8),(2,2)):((32,1),(16,7))": "a second time",
		"((4,8),(2,2)):((32,1),(8,8))":  "a second time",
		"((4,8),2):((32,1),16)":         "64 positions for 128 places",
	} {
		got := bijection(algebra.MustLayout(text), 128)
		if want == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, got, want)
		}
	}
}

// Each element of the three tiles has a place. Of C each has one thread and value; A and B are named by several threads only
// where all of them name everything (stride 0).
func TestEachMMACoversItsTile(t *testing.T) {
	atoms := All()
	assert.Equal(t, 462, len(atoms))
	for _, m := range atoms {
		assert.Empty(t, bijection(algebra.Filter(m.A), m.M*m.K), "%s A", m.Name)
		assert.Empty(t, bijection(algebra.Filter(m.B), m.N*m.K), "%s B", m.Name)
		assert.Empty(t, bijection(m.C, m.M*m.N), "%s C", m.Name)
		for _, l := range []algebra.Layout{m.A, m.B, m.C} {
			assert.Equal(t, m.ThrID.Size(), l.Mode(0).Size(), m.Name)
		}
	}
}

// What a thread holds fills its registers: the fragments of mma.sync and wgmma are whole 32-bit registers.
func TestFragmentsFillRegisters(t *testing.T) {
	for _, m := range All() {
		if !strings.HasPrefix(m.Instruction, "mma.sync") && !strings.HasPrefix(m.Instruction, "wgmma") {
			continue
		}
		for _, o := range []struct {
			l algebra.Layout
			t Type
		}{{m.A, m.TypeA}, {m.B, m.TypeB}, {m.C, m.TypeC}} {
			assert.Zero(t, o.l.Mode(1).Size()*o.t.Bits%32, "%s %s", m.Name, o.l)
		}
	}
}

// Both sides of a copy name every bit once, but for lanes whose address is not looked at, and for what is copied to
// several places.
func TestEachCopyMovesEveryBit(t *testing.T) {
	copies := Copies()
	assert.Equal(t, 192, len(copies))
	for _, c := range copies {
		assert.Empty(t, bijection(algebra.Filter(c.Src), c.Src.Cosize()), "%s source", c.Name)
		assert.Empty(t, bijection(algebra.Filter(c.Dst), c.Dst.Cosize()), "%s destination", c.Name)
		if strings.Contains(c.Instruction, "warpx") {
			assert.Less(t, c.Src.Cosize(), c.Dst.Cosize(), c.Name)
		} else {
			assert.Equal(t, c.Src.Cosize(), c.Dst.Cosize(), c.Name)
		}
		assert.True(t, c.Ref.Equal(c.Src) || c.Ref.Equal(c.Dst), c.Name)
		for _, l := range []algebra.Layout{c.Src, c.Dst} {
			assert.Equal(t, c.ThrID.Size(), l.Mode(0).Size(), c.Name)
		}
	}
}

// The registers of ldmatrix and stmatrix are a bijection onto the bits as they stand.
func TestMatrixRegistersAreABijection(t *testing.T) {
	found := 0
	for _, c := range Copies() {
		registers, load, store := c.Dst, strings.HasPrefix(c.Instruction, "ldmatrix"), strings.HasPrefix(c.Instruction, "stmatrix")
		if store {
			registers = c.Src
		}
		if load || store {
			found++
			assert.Empty(t, bijection(registers, registers.Size()), c.Name)
		}
	}
	assert.Equal(t, 21, found)
}

// The pieces of the swizzle in one column of an atom lie in different groups of banks, so that a column of pieces is read
// without conflicts; and counted in bytes or in elements, an element is in the same place.
func TestSmemSwizzles(t *testing.T) {
	for _, s := range Smems() {
		elements := s.Elements()
		require.NoError(t, elements.Validate())
		require.Equal(t, s.Layout.Size(), elements.Cosize(), "%s %d", s.Name, s.Bits)
		piece := 8 << s.Swizzle.Base / s.Bits // elements
		lines, length := s.Layout.Mode(0), s.Layout.Mode(1)
		if s.Major == MajorMN {
			lines, length = length, lines
		}
		for at := 0; at < length.Size(); at += piece {
			groups := map[int]bool{}
			for line := range lines.Size() {
				offset := elements.Swizzle.Apply(lines.At(line) + length.At(at))
				groups[offset/piece%(1024/(8<<s.Swizzle.Base))] = true
				if s.Bits >= 8 {
					bytes := s.Bits / 8
					assert.Equal(t, s.Swizzle.Apply((lines.At(line)+length.At(at))*bytes), offset*bytes, s.Name)
				}
			}
			assert.Len(t, groups, min(lines.Size(), 1024/(8<<s.Swizzle.Base)), "%s, %d bits, column %d", s.Name, s.Bits, at)
		}
	}
	assert.Len(t, Smems(), 36)
}

// No two values share a place, no lane is beyond 127 and no column beyond 511.
func TestTMEMPlaces(t *testing.T) {
	for _, r := range records(t) {
		if r.Kind != "tmem_frag" {
			continue
		}
		f := fragmentOf(t, r)
		l, err := f.Layout()
		require.NoError(t, err)
		lane := 65536 * 32 / f.ValueBits
		require.LessOrEqual(t, l.Cosize()%lane*f.ValueBits, 512*32, "%+v", f)
		var seen [128][1024]bool // lanes, and 16-bit halves of columns
		for i := range l.Size() {
			at := l.At(i)
			place := &seen[at/lane][at%lane]
			if *place {
				require.Fail(t, "two values in a place", "%+v: %d", f, at)
			}
			*place = true
		}
	}
}

func TestTMEMRefuses(t *testing.T) {
	good := TMEM{ValueBits: 32, StorageBits: 32, SMs: 1, Alloc: Interleaved, M: 64, N: 32, RestM: 1, RestN: 1}
	_, err := good.Layout()
	require.NoError(t, err)
	for _, c := range []struct {
		change func(*TMEM)
		want   string
	}{
		{func(f *TMEM) { f.ValueBits = 8 }, "got 8-bit values in 32 bits; allowed is 16 in 16, 16 in 32 and 32 in 32"},
		{func(f *TMEM) { f.StorageBits = 16 }, "got 32-bit values in 16 bits"},
		{func(f *TMEM) { f.N = 260 }, "got N 260 and 1 x 1 tiles; allowed is a multiple of 8 up to 256"},
		{func(f *TMEM) { f.N = 31 }, "got N 31"},
		{func(f *TMEM) { f.RestN = 0 }, "got N 32 and 1 x 0 tiles"},
		{func(f *TMEM) { f.M = 32 }, "got M 32 by 1 SMs, Interleaved; allowed is 128 Interleaved"},
		{func(f *TMEM) { f.Alloc = Duplicated }, "got M 64 by 1 SMs, Duplicated"},
		{func(f *TMEM) { f.Alloc = NonInterleaved; f.SMs = 2 }, "got M 64 by 2 SMs, NonInterleaved"},
		{func(f *TMEM) { f.Alloc = "" }, "got M 64 by 1 SMs, ; allowed"},
		{func(f *TMEM) { f.M = 128 }, ""},
		{func(f *TMEM) { f.M, f.SMs = 128, 3 }, "got M 128 by 3 SMs"},
		{func(f *TMEM) { f.M, f.SMs, f.N = 32, 2, 8 }, ""},
		{func(f *TMEM) { f.RestM = 3 }, "got 3 x 1 tiles; allowed is an even number"},
		{func(f *TMEM) { f.RestM, f.RestN = 16, 2 }, ""},
		{func(f *TMEM) { f.RestM, f.RestN = 17, 2 }, "got 17 x 2 tiles, which take 544 columns; allowed is 512"},
		{func(f *TMEM) { f.Alloc, f.RestM = NonInterleaved, 17 }, "got 17 x 1 tiles, which take 544 columns"},
		{func(f *TMEM) { f.RestM, f.RestN = 1<<32, 1<<32 }, "got N 32 and 4294967296 x 4294967296 tiles; allowed"},
	} {
		f := good
		c.change(&f)
		_, err := f.Layout()
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, c.want, "%+v", f)
	}
}

func TestByNameRefuses(t *testing.T) {
	_, err := ByName("SM80_16x8x16_F32F16F16F32_NT")
	assert.EqualError(t, err, `no MMA atom "SM80_16x8x16_F32F16F16F32_NT" among 462; the nearest is "SM80_16x8x16_F32F16F16F32_TN"`)
	_, err = CopyByName("SM75_U32x3_LDSM_N")
	assert.ErrorContains(t, err, `no copy atom "SM75_U32x3_LDSM_N" among 192; the nearest is "SM75_U32x`)
	_, err = ByName("")
	assert.ErrorContains(t, err, `no MMA atom ""`)
	_, err = ByName(strings.Repeat("x", 1<<20))
	assert.Error(t, err)

	c, err := CopyByName("SM75_U16x8_LDSM_T")
	require.NoError(t, err)
	assert.Equal(t, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", c.Instruction)
}
