package atom

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cutegen/algebra"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record is a line of testdata/atoms.jsonl.
type record struct {
	Kind    string `json:"kind"`
	Atom    string `json:"atom"`
	Arch    string `json:"arch"`
	Shape   string `json:"shape_mnk"`
	Threads int    `json:"threads"`
	ThrID   string `json:"thr_id"`

	A     string `json:"A"`
	B     string `json:"B"`
	C     string `json:"C"`
	BitsA int    `json:"bits_a"`
	BitsB int    `json:"bits_b"`
	BitsC int    `json:"bits_c"`

	Src string `json:"src_bits"`
	Dst string `json:"dst_bits"`
	Ref string `json:"ref_bits"`

	Major    string `json:"major"`
	Bits     int    `json:"bits"`
	Raw      string `json:"raw"`
	Elements string `json:"in_elements"`

	Value     string `json:"value"`
	Storage   string `json:"storage"`
	SMs       int    `json:"sms"`
	Alloc     string `json:"alloc"`
	FragShape string `json:"shape"`
	Layout    string `json:"layout"`
}

func records(t *testing.T) []record {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "atoms.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	var list []record
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r), lines.Text())
		list = append(list, r)
	}
	require.NoError(t, lines.Err())
	return list
}

// An answer is how one record compares with ours.
type answer string

const (
	same    answer = "same"    // every text
	equal   answer = "equal"   // the same functions on the same sizes, another text
	against answer = "against" // another function or type: listed in disagreements
)

// equals lists the records whose text is not ours, and why. All are equal as functions.
var equals = map[string]string{
	"SM80_8x8x32_S32S4S4S32_TN":           wrapped,
	"SM80_8x8x32_S32S4S4S32_TN_SATURATE":  wrapped,
	"SM80_16x8x32_S32S4S4S32_TN":          wrapped,
	"SM80_16x8x32_S32S4S4S32_TN_SATURATE": wrapped,
	"SM80_8x8x32_S32S4U4S32_TN":           wrapped,
	"SM80_8x8x32_S32S4U4S32_TN_SATURATE":  wrapped,
	"SM80_16x8x32_S32S4U4S32_TN":          wrapped,
	"SM80_16x8x32_S32S4U4S32_TN_SATURATE": wrapped,
	"SM80_8x8x32_S32U4S4S32_TN":           wrapped,
	"SM80_8x8x32_S32U4S4S32_TN_SATURATE":  wrapped,
	"SM80_16x8x32_S32U4S4S32_TN":          wrapped,
	"SM80_16x8x32_S32U4S4S32_TN_SATURATE": wrapped,
	"SM80_8x8x32_S32U4U4S32_TN":           wrapped,
	"SM80_16x8x32_S32U4U4S32_TN_SATURATE": wrapped,
	"SM80_16x8x128_S32U1U1S32_TN_ANDPOPC": "the stride of A's values is ((16,8)) where the shape is (32,2): no layout as it stands",
}

const wrapped = "one mode of eight 4-bit values is (8) instead of 8"

// disagreements lists the records that say something else than the instruction does, and why.
var disagreements = map[string]string{
	"SM61_DP2A": "B is said to have 16-bit values; dp2a multiplies 16-bit values of a by 8-bit values of b (PTX ISA 9.7.1.24)",
	"SM75_U32x1_MOVM_T": "the destination is said to be the source's layout; movmatrix transposes: a lane gets values of one " +
		"column (PTX ISA 9.7.14.5.17)",
}

// sameOrEqual compares a layout of ours with a text. The one text that is no layout is mended first: see equals.
func sameOrEqual(t *testing.T, what string, ours algebra.Layout, text string) answer {
	t.Helper()
	if ours.String() == text {
		return same
	}
	theirs, err := algebra.ParseLayout(strings.Replace(text, "((16,8))", "(16,8)", 1))
	require.NoError(t, err, what)
	if ours.Size() != theirs.Size() || ours.Rank() != theirs.Rank() {
		return against
	}
	for i := range ours.Rank() {
		if !algebra.Coalesce(ours.Mode(i)).Equal(algebra.Coalesce(theirs.Mode(i))) {
			return against
		}
	}
	return equal
}

func worst(answers ...answer) answer {
	result := same
	for _, a := range answers {
		if a == against || result == same {
			result = a
		}
	}
	return result
}

func named[T any](t *testing.T, atoms map[string]T, name string) T {
	t.Helper()
	a, ok := atoms[name]
	require.True(t, ok, "no atom %s", name)
	return a
}

// targets lists, for an architecture as CuTe's headers name it, the targets that its instructions need.
var targets = map[string][]string{
	"any":       {""},
	"sm50":      {"sm_50"},
	"sm61":      {"sm_61"},
	"sm70":      {"sm_70"},
	"sm75":      {"sm_75"},
	"sm80":      {"sm_80"},
	"sm89":      {"sm_89"},
	"sm90":      {"sm_90"},
	"sm90_gmma": {"sm_90a"},
	"sm100":     {"sm_100", "sm_100a", "sm_103a"},
	"sm120":     {"sm_120a"},
}

func compareMMA(t *testing.T, mmas map[string]MMA, r record) answer {
	m := named(t, mmas, r.Atom)
	assert.Contains(t, targets[r.Arch], m.Arch, r.Atom)
	assert.Equal(t, r.Shape, algebra.Ints(m.M, m.N, m.K).String(), r.Atom)
	assert.Equal(t, r.Threads, m.ThrID.Size(), r.Atom)
	assert.Equal(t, r.ThrID, m.ThrID.String(), r.Atom)
	assert.Equal(t, r.BitsA, m.TypeA.Bits, r.Atom)
	assert.Equal(t, r.BitsC, m.TypeC.Bits, r.Atom)
	assert.Equal(t, r.BitsC, m.TypeD.Bits, r.Atom)
	result := worst(sameOrEqual(t, r.Atom, m.A, r.A), sameOrEqual(t, r.Atom, m.B, r.B), sameOrEqual(t, r.Atom, m.C, r.C))
	if r.BitsB != m.TypeB.Bits {
		return against
	}
	return result
}

func compareCopy(t *testing.T, copies map[string]Copy, r record) answer {
	c := named(t, copies, r.Atom)
	assert.Contains(t, targets[r.Arch], c.Arch, r.Atom)
	assert.Equal(t, r.Threads, c.ThrID.Size(), r.Atom)
	assert.Equal(t, r.ThrID, c.ThrID.String(), r.Atom)
	return worst(sameOrEqual(t, r.Atom, c.Src, r.Src), sameOrEqual(t, r.Atom, c.Dst, r.Dst), sameOrEqual(t, r.Atom, c.Ref, r.Ref))
}

func compareSmem(t *testing.T, r record) answer {
	for _, s := range Smems() {
		if s.Name != r.Atom || s.Bits != r.Bits {
			continue
		}
		assert.Equal(t, r.Major, string(s.Major), r.Atom)
		if r.Raw != fmt.Sprintf("%s o smem_ptr[%db](unset) o %s", s.Swizzle, s.Bits, s.Layout) {
			return against
		}
		if r.Elements != "" && r.Elements != s.Elements().String() {
			return against
		}
		return same
	}
	require.Fail(t, "no such atom", "%s of %d bits", r.Atom, r.Bits)
	return against
}

// fragmentOf is what a record of a Tensor Memory fragment asks for.
func fragmentOf(t *testing.T, r record) TMEM {
	t.Helper()
	bits := map[string]int{"float": 32, "half_t": 16, "uint32_t": 32}
	shape, err := algebra.ParseTuple(r.FragShape)
	require.NoError(t, err)
	return TMEM{
		ValueBits: bits[r.Value], StorageBits: bits[r.Storage], SMs: r.SMs, Alloc: Alloc(r.Alloc),
		M: shape.Mode(0).Mode(0).Value(), N: shape.Mode(0).Mode(1).Value(),
		RestM: shape.Mode(1).Value(), RestN: shape.Mode(2).Value(),
	}
}

func compareTMEM(t *testing.T, r record) answer {
	f := fragmentOf(t, r)
	l, err := f.Layout()
	require.NoError(t, err)
	return sameOrEqual(t, fmt.Sprint(f), l, r.Layout)
}

// Every atom that was recorded is reproduced; what is not the same text is listed with the reason, and counted.
func TestReference(t *testing.T) {
	mmas, copies := map[string]MMA{}, map[string]Copy{}
	for _, m := range All() {
		require.NotContains(t, mmas, m.Name, "two atoms of one name")
		mmas[m.Name] = m
	}
	for _, c := range Copies() {
		require.NotContains(t, copies, c.Name, "two atoms of one name")
		copies[c.Name] = c
	}
	got := map[string]map[answer]int{}
	for _, r := range records(t) {
		var a answer
		switch r.Kind {
		case "mma":
			a = compareMMA(t, mmas, r)
		case "copy":
			a = compareCopy(t, copies, r)
		case "smem_atom":
			a = compareSmem(t, r)
		case "tmem_frag":
			a = compareTMEM(t, r)
		default:
			require.Fail(t, "unknown kind", r.Kind)
		}
		if got[r.Kind] == nil {
			got[r.Kind] = map[answer]int{}
		}
		got[r.Kind][a]++
		switch a {
		case same:
			assert.NotContains(t, equals, r.Atom)
			assert.NotContains(t, disagreements, r.Atom)
		case equal:
			assert.Contains(t, equals, r.Atom)
		case against:
			assert.Contains(t, disagreements, r.Atom, "%+v", r)
		}
	}
	assert.Equal(t, map[string]map[answer]int{
		"mma":       {same: 312, equal: 15, against: 1},
		"copy":      {same: 146, against: 1},
		"smem_atom": {same: 36},
		"tmem_frag": {same: 168},
	}, got)
}
