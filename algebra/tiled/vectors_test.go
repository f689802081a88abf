package tiled

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/atom"
	"cutegen/internal/cases"
)

// elementBits are the C++ types of the rows.
var elementBits = map[string]int{"half_t": 16, "float": 32, "int8_t": 8}

// copyAtom reads Copy_Atom<SM75_U32x4_LDSM_N,half_t>. CuTe's DefaultCopy moves one element.
func copyAtom(t *testing.T, text string) CopyAtom {
	t.Helper()
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "Copy_Atom<"), ">")
	comma := strings.LastIndex(inner, ",")
	name, bits := inner[:comma], elementBits[inner[comma+1:]]
	require.NotZero(t, bits, text)
	if name == "DefaultCopy" {
		name = fmt.Sprintf("UniversalCopy<uint%d_t>", bits)
	}
	name = strings.Replace(name, "<uint128_t>", "<cute::uint128_t>", 1)
	a, err := atom.CopyByName(name)
	require.NoError(t, err)
	c, err := MakeCopyAtom(a, bits)
	require.NoError(t, err)
	return c
}

// mmaAtoms are all atoms by name: to make the list for each row would take seconds.
var mmaAtoms = func() map[string]atom.MMA {
	atoms := map[string]atom.MMA{}
	for _, a := range atom.All() {
		atoms[a.Name] = a
	}
	return atoms
}()

func mmaOf(t *testing.T, args []string) MMA {
	t.Helper()
	a, ok := mmaAtoms[args[0]]
	require.True(t, ok, args[0])
	permutation, err := algebra.ParseTiler(args[2])
	require.NoError(t, err)
	m, err := MakeMMA(a, algebra.MustLayout(args[1]), permutation)
	require.NoError(t, err)
	return m
}

func smemOf(t *testing.T, name, bits string) atom.Smem {
	t.Helper()
	for _, s := range atom.Smems() {
		if s.Name == name && strconv.Itoa(s.Bits) == bits {
			return s
		}
	}
	require.Fail(t, "no shared-memory atom", "%s of %s bits", name, bits)
	return atom.Smem{}
}

// answerTo is our answer to a row.
func answerTo(t *testing.T, v cases.Case) (string, error) {
	t.Helper()
	text := func(l fmt.Stringer, err error) (string, error) { return l.String(), err }
	part := func(l algebra.Layout, at algebra.Tuple, err error) (string, error) {
		return fmt.Sprintf("(%v,%v)", l, at), err
	}
	number := func(i int) int {
		n, err := strconv.Atoi(v.Args[i])
		require.NoError(t, err)
		return n
	}
	if what, ok := strings.CutPrefix(v.Op, "tiled_mma_"); ok {
		m := mmaOf(t, v.Args)
		switch what {
		case "thr_layout":
			return m.Threads.String(), nil
		case "tile_shape":
			return m.TileShape().String(), nil
		case "layoutA_TV":
			return text(m.LayoutATV())
		case "layoutB_TV":
			return text(m.LayoutBTV())
		case "layoutC_TV":
			return text(m.LayoutCTV())
		}
		thread, err := m.Slice(number(4))
		if err != nil {
			return "", err
		}
		tensor := algebra.MustLayout(v.Args[3])
		switch what {
		case "partition_A":
			return part(thread.PartitionA(tensor))
		case "partition_B":
			return part(thread.PartitionB(tensor))
		case "partition_C":
			return part(thread.PartitionC(tensor))
		case "partition_fragment_A":
			return text(thread.PartitionFragmentA(tensor))
		case "partition_fragment_B":
			return text(thread.PartitionFragmentB(tensor))
		case "partition_fragment_C":
			return text(thread.PartitionFragmentC(tensor))
		}
	}
	if v.Op == "tile_smem_atom" {
		c := smemOf(t, v.Args[0], v.Args[1]).Elements()
		shape, err := algebra.ParseTuple(v.Args[2])
		require.NoError(t, err)
		return text(c.With(algebra.TileToShape(c.Layout, shape)))
	}
	a := copyAtom(t, v.Args[0])
	var c Copy
	var err error
	var what string
	rest := v.Args[3:]
	switch {
	case strings.HasPrefix(v.Op, "tiled_copy_C_atom_"):
		c, err = MakeCopyCAtom(a, mmaOf(t, v.Args[1:]))
		what, rest = strings.TrimPrefix(v.Op, "tiled_copy_C_atom_"), v.Args[4:]
	case strings.HasPrefix(v.Op, "tiled_copy_A_"):
		c, err = MakeCopyA(a, mmaOf(t, v.Args[1:]))
		what, rest = strings.TrimPrefix(v.Op, "tiled_copy_A_"), v.Args[4:]
	case strings.HasPrefix(v.Op, "tiled_copy_B_"):
		c, err = MakeCopyB(a, mmaOf(t, v.Args[1:]))
		what, rest = strings.TrimPrefix(v.Op, "tiled_copy_B_"), v.Args[4:]
	case strings.HasPrefix(v.Op, "tiled_copy_C_"):
		c, err = MakeCopyC(a, mmaOf(t, v.Args[1:]))
		what, rest = strings.TrimPrefix(v.Op, "tiled_copy_C_"), v.Args[4:]
	case strings.HasPrefix(v.Op, "tiled_copy_"):
		c, err = MakeCopy(a, algebra.MustLayout(v.Args[1]), algebra.MustLayout(v.Args[2]))
		what = strings.TrimPrefix(v.Op, "tiled_copy_")
	default:
		c, err = MakeCotiledCopy(a, algebra.MustLayout(v.Args[1]), algebra.MustLayout(v.Args[2]))
		what = strings.TrimPrefix(v.Op, "cotiled_copy_")
	}
	if err != nil {
		return "", err
	}
	switch what {
	case "tiler":
		return fmt.Sprint(c.Tiler), nil
	case "layoutTV":
		return c.TV.String(), nil
	case "layoutS_TV":
		return text(c.LayoutSTV())
	case "layoutD_TV":
		return text(c.LayoutDTV())
	case "retile":
		return text(c.Retile(algebra.MustLayout(rest[0])))
	}
	n, err := strconv.Atoi(rest[1])
	require.NoError(t, err)
	thread, err := c.Slice(n)
	if err != nil {
		return "", err
	}
	tensor := algebra.MustLayout(rest[0])
	switch what {
	case "partition_S":
		return part(thread.PartitionS(tensor))
	case "partition_D":
		return part(thread.PartitionD(tensor))
	}
	require.Fail(t, "no operation", v.Op)
	return "", nil
}

// tally counts how our answers compare with CuTe's.
type tally struct {
	Same    int // the same text
	Refuse  int // both refuse
	Against int // another answer, or a refusal: see disagreement
}

func TestVectors(t *testing.T) {
	for _, c := range []struct {
		file string
		want tally
	}{
		{"cute-cpp.jsonl", tally{619, 3, 22}},
		{"cute-cpp-more.jsonl", tally{352, 0, 2}},
	} {
		got := tally{}
		for _, v := range cases.Read(t, filepath.Join("testdata", c.file)) {
			answer, err := answerTo(t, v)
			reason, against := disagreement(t, v)
			switch {
			case against:
				got.Against++
				if reason != "" {
					require.ErrorContains(t, err, reason, v)
					break
				}
				require.NoError(t, err, v)
				m := mmaOf(t, v.Args)
				require.Equal(t, m.tileSize(0)*m.tileSize(1), algebra.MustLayout(answer).Cosize(), v)
			case err != nil && v.Error != "":
				got.Refuse++
			case err == nil && v.Error == "" && answer == v.Answer():
				got.Same++
			default:
				assert.Fail(t, "unexpected answer", "%v: %q, %v; CuTe: %s%s", v, answer, err, v.Answer(), v.Error)
			}
		}
		assert.Equal(t, c.want, got, c.file)
	}
}

// disagreement tells whether CuTe's answer to a row is not ours, and a part of our error; "" if we answer.
func disagreement(t *testing.T, v cases.Case) (reason string, ok bool) {
	t.Helper()
	if !strings.HasPrefix(v.Op, "tiled_mma_") {
		return "", false
	}
	m := mmaOf(t, v.Args)
	switch {
	case v.Op == "tiled_mma_layoutC_TV" && algebra.MustLayout(v.Answer()).Cosize() > m.tileSize(0)*m.tileSize(1):
		// Threads along K have partial sums of one tile. CuTe places all but the first behind the tile.
		require.Greater(t, m.Threads.Mode(3).Size(), 1, v)
		return "", true
	case len(v.Args) == 5:
		// CuTe wraps a thread that does not take part.
		thread, err := strconv.Atoi(v.Args[4])
		require.NoError(t, err)
		return "allowed is 0 to ", thread >= m.Size()
	}
	return "", false
}
