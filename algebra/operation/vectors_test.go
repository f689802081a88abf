package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/internal/cases"
	"cutegen/internal/golden"
)

// recorded are the files of questions with the references' answers, in the order of the account. Some stand in two places: package
// tiled and package dynamic ask a part in their own ways, too.
var recorded = []struct {
	name  string
	paths []string
}{
	{"pycute", []string{"../testdata/vectors/pycute.jsonl"}},
	{"cute-cpp", []string{"../testdata/vectors/cute-cpp.jsonl", "../tiled/testdata/cute-cpp.jsonl"}},
	{"cute-cpp-more", []string{"../tiled/testdata/cute-cpp-more.jsonl"}},
	{"cute-cpp-unit", []string{"../testdata/vectors/cute-cpp-unit.jsonl", "../dynamic/testdata/vectors/cute-cpp-unit-dynamic.jsonl"}},
	{"pycute-wrong", []string{"../testdata/vectors/pycute-wrong.jsonl"}},
	{"cpp-wrong", []string{"../testdata/vectors/cpp-wrong.jsonl"}},
}

// An outcome is how our answer stands to the reference's.
type outcome int

const (
	same     outcome = iota // the same text
	equal                   // the same function, or the same facts, in another form: the account has the reason
	refused                 // both refuse
	answered                // the reference errs or refuses; ours is right: an exclusion has the reason
	declined                // the reference errs; we refuse: an exclusion has the reason
	outcomes
)

// An account counts the outcomes of each operation of each file, and the reasons of those that are not the same.
type account struct {
	files   map[string]map[string]*[outcomes]int
	reasons [outcomes]map[string]int
}

func (a *account) add(file, op string, o outcome, reason string) {
	if a.files[file] == nil {
		a.files[file] = map[string]*[outcomes]int{}
	}
	if a.files[file][op] == nil {
		a.files[file][op] = &[outcomes]int{}
	}
	a.files[file][op][o]++
	if reason != "" {
		if a.reasons[o] == nil {
			a.reasons[o] = map[string]int{}
		}
		a.reasons[o][reason]++
	}
}

func (a *account) total(of ...string) (sum [outcomes]int, lines int) {
	for _, file := range of {
		for _, counts := range a.files[file] {
			for o, n := range counts {
				sum[o] += n
				lines += n
			}
		}
	}
	return sum, lines
}

// String is a table: a line for each file, the reasons, and a line for each operation of each file.
func (a *account) String() string {
	names := []string{}
	for _, r := range recorded {
		names = append(names, r.name)
	}
	names = append(names, "atoms")
	var b strings.Builder
	row := func(name string, lines int, counts [outcomes]int) {
		fmt.Fprintf(&b, "%-48s %6d %6d %6d %8d %9d %9d\n", name, lines, counts[same], counts[equal], counts[refused], counts[answered], counts[declined])
	}
	head := func(title string) {
		fmt.Fprintf(&b, "%-48s %6s %6s %6s %8s %9s %9s\n", title, "LINES", "SAME", "EQUAL", "REFUSED", "ANSWERED", "DECLINED")
	}
	b.WriteString(`How the answers of a batch stand to the recorded ones. Where pycute and CuTe C++ differ, CuTe C++'s is the recorded one.

SAME      the same text
EQUAL     the same function, another form
REFUSED   both refuse
ANSWERED  the reference refuses, or its answer is wrong; ours is right
DECLINED  the reference's answer is wrong; we refuse, with the reason

`)
	head("FILE")
	for _, name := range names {
		sum, lines := a.total(name)
		row(name, lines, sum)
	}
	sum, lines := a.total(names...)
	row("all", lines, sum)
	for _, part := range []struct {
		o     outcome
		title string
	}{{equal, "EQUAL, and not SAME, since"}, {answered, "ANSWERED, since"}, {declined, "DECLINED, since"}} {
		fmt.Fprintf(&b, "\n%s\n", part.title)
		for _, reason := range slices.Sorted(maps.Keys(a.reasons[part.o])) {
			fmt.Fprintf(&b, "%6d  %s\n", a.reasons[part.o][reason], reason)
		}
	}
	for _, name := range names {
		b.WriteString("\n")
		head(name)
		for _, op := range slices.Sorted(maps.Keys(a.files[name])) {
			lines := 0
			for _, n := range a.files[name][op] {
				lines += n
			}
			row("  "+op, lines, *a.files[name][op])
		}
	}
	return b.String()
}

// An exclusion is a reason for answers that are not the reference's, with the questions: our answer, or a part of our error.
type exclusion struct {
	reason string
	cases  map[string]string
}

// byDefinition stands for an answer that is too long to list: the tests of package algebra prove it.
const byDefinition = "right by the definition"

// exclusions lists every question that we decline though the reference answers, or answer though it refuses, or answer with another
// function. The tests of package algebra judge ours by the definition.
var exclusions = []exclusion{
	{"CuTe C++ answers wrongly: the right side's modes carry into each other", map[string]string{
		"composition ((9),2,(8,5)):((1),360,(45,0)) (8,8):(1,8)":                               "at coordinate (1,1) of (8,8)",
		"composition (1,((1,4),8),6,4):(1,((1,1),4),40,240) ((2,3),12,4):((6,4),17,8)":         "at coordinate ((1,2),3,0) of ((2,3),12,4)",
		"logical_divide (16,2,10):(10,160,1) 20":                                               "at coordinate (12,1) of (20,16)",
		"logical_divide (16,2,3):(3,48,1) 3:1":                                                 "at coordinate (2,10) of (3,32)",
		"logical_divide ((9,8),7,(2,(1))):((56,7),1,(504,(504))) (2)":                          "at coordinate (1,4) of (2,36)",
		"logical_product (4,16):(1,12) ((1,5,(1,2,1)),(1,(6)),1):((1,12,(12,1,60)),(1,(2)),1)": "at coordinate ((0,0,(0,1,0)),(0,(1)),0)",
		"logical_product (4,2):(10,1) ((8,2):(1,8),(2,2):(2,1))":                               "at coordinate (2,1) of (8,2)",
	}},
	{"CuTe C++ answers wrongly: its conditions pass what has no layout", map[string]string{
		"logical_product ((7,2)):((64,7)) (6:4)":                                               "(((7,2),(2,3))):(((64,7),(4,15)))",
		"blocked_product 48:3 (10,2):(2,1)":                                                    "at coordinate (3,0) of (10,2)",
		"zipped_product (3,1,16):(7,0,4) ((4,2):(1,4))":                                        "at coordinate (3,1) of (4,2)",
		"flat_product ((16)):((16)) (4):(12)":                                                  "at coordinate (3) of (4)",
		"flat_divide (((1,1),4),(1,8,(3,1)),9):(((216,27),216),(27,27,(9,216)),1) (1:2,3,9:1)": "at coordinate (2,2) of (3,8)",
		"tile_to_shape (4,2):(0,4) (12,4) (1,2)":                                               "at coordinate (1,1) of (3,2)",
		"tile_to_shape (7,8,1):(64,8,64) (14,16,8,3) (1,4,3,2)":                                "at coordinate (0,0,3,0) of (2,2,8,3)",
		"tile_to_shape (2,15,2):(1,10,154) (4,120,4) (2,3,1)":                                  "at coordinate (1,1,0) of (2,8,2)",
	}},
	{"the reference refuses by its conditions; there is an answer", map[string]string{
		"blocked_product (2,8):(16,1) (16,1):(7,3)":                                         "((2,(2,8)),(8,1)):((16,(104,224)),(1,64))",
		"zipped_product (2,1):(24,16) (8,6):(1,32)":                                         "((2,1),(8,(3,2))):((24,16),(1,(56,192)))",
		"max_common_vector (2,5,(1,2,2),2):(400,1,(800,5,10),100) ((1,14),10):((140,1),14)": "1",
		"max_common_layout (2,5,(1,2,2),2):(400,1,(800,5,10),100) ((1,14),10):((140,1),14)": "1:0",
		"max_common_vector (16,16):(16,1) 100:1":                                            "1",
		"max_common_layout (16,16):(16,1) 100:1":                                            "1:0",
	}},
	{"CuTe C++ cannot pair a tuple with an integer", map[string]string{
		"blocked_product ((4,11,1)):((1,4,52)) 8:1": "(((4,11,1),8)):(((1,4,52),44))",
		"blocked_product (4):(1) 4:3":               "((4,4)):((1,12))",
		"raked_product 2:1 (7):(1)":                 "((7,2)):((2,1))",
		"raked_product 48:1 (1):(1)":                "((1,48)):((0,1))",
		"raked_product 4:8 48:2":                    "(((4,12),4)):(((2,32),8))",
		"raked_product 8:1 (12):(4)":                "((12,8)):((32,1))",
	}},
	{"a layout before a swizzle has no text; composition of the layout and the swizzled right side is the same, see TestAnswers", map[string]string{
		"composition (8,8):(8,1) o Sw<2,0,-3> o 0 (8,8):(8,1)":                 "got 'o', allowed is the end",
		"composition Sw<2,0,3> o 0 o (8,8):(8,1) o Sw<2,0,-3> o 0 (8,8):(8,1)": "got 'o', allowed is the end",
	}},
	{"CuTe C++ does not check that a coordinate is inside", map[string]string{
		"local_tile (6,(8,6)):(48,(6,1)) ((3,3):(2,6),_) 32":      "got 32 in shape (2,6), allowed is 0 to 11",
		"inner_partition (6,(8,6)):(48,(6,1)) ((3,3):(2,6),_) 32": "got 32 in shape (2,6), allowed is 0 to 11",
	}},
	{"CuTe C++ counts positions outside the smaller layout", map[string]string{
		"max_common_vector (2):(1) ((2,64,2)):((1,2,2))":   "2",
		"max_common_layout (2):(1) ((2,64,2)):((1,2,2))":   "2:1",
		"max_common_vector (1,1):(1,1) ((16,16)):((1,24))": "1",
		"max_common_layout (1,1):(1,1) ((16,16)):((1,24))": "1:0",
	}},
	{"CuTe C++ gives the parts to every mode of stride 1, which makes them too many", map[string]string{
		"downcast 8 ((4,1),(2,(1,2)),((1),6)):((24,24),(1,(24,12)),((1),2))": "((4,1),(16,(1,2)),((1),6)):((192,192),(1,(192,96)),((8),16))",
		"downcast 2 (((1),5,2),2):(((1),1,5),18)":                            "(((1),10,2),2):(((2),1,10),36)",
		"recast_layout 32 4 (4,16,1):(1,4,1)":                                "(32,16,1):(1,32,8)",
		"recast_layout 64 16 (1,4,1):(1,1,1)":                                "(1,16,1):(4,1,4)",
	}},
	{"CuTe C++ answers with an extent of -1", map[string]string{
		"left_inverse (4):(-1)": "stride -1 is negative",
	}},
	{"CuTe C++ pairs bits that the layout takes elsewhere, or that the domain does not have", map[string]string{
		"layout_o_swizzle (64,2,4):(8,4,1) Sw<3,3,3>":                        "at coordinate (0,1,0) (position 64) the value is 68, not 260",
		"layout_o_swizzle (32,2,2):(4,2,1) Sw<1,4,3>":                        "(32,2,2):(4,2,1)",
		"swizzled_right_inverse_offsets Sw<1,4,3> (32,2,2):(4,2,1)":          byDefinition,
		"swizzled_left_inverse_offsets Sw<1,4,3> (32,2,2):(4,2,1)":           byDefinition,
		"swizzled_right_inverse_offsets Sw<1,4,3> (2,4,16):(64,1,4)":         byDefinition,
		"swizzled_left_inverse_offsets Sw<1,4,3> (2,4,16):(64,1,4)":          byDefinition,
		"swizzled_right_inverse_offsets Sw<3,4,3> (64,8):(8,1)":              byDefinition,
		"swizzled_left_inverse_offsets Sw<3,4,3> (64,8):(8,1)":               byDefinition,
		"swizzled_right_inverse_offsets Sw<1,3,3> (8,8):(8,1)":               byDefinition,
		"swizzled_left_inverse_offsets Sw<1,3,3> (8,8):(8,1)":                byDefinition,
		"layout_o_swizzle (2,4,16):(64,1,4) Sw<1,4,3>":                       "(2,4,16):(64,1,4)",
		"layout_o_swizzle (2,128):(128,1) Sw<3,3,3>":                         "Sw<2,2,3> o 0 o (2,128):(128,1)",
		"layout_o_swizzle (8,8):(8,1) Sw<1,3,3>":                             "(8,8):(8,1)",
		"swizzled_composition_offsets Sw<3,0,3> (8,4):(4,1) ((2,4)):((4,4))": "at coordinate ((1,1)) of ((2,4))",
	}},
	{"CuTe C++ refuses a pair of bits that the domain does not have, and to merge with a swizzle of no bits", map[string]string{
		"swizzled_right_inverse_offsets Sw<3,0,3> (8,4):(4,1)":     byDefinition,
		"swizzled_left_inverse_offsets Sw<3,0,3> (8,4):(4,1)":      byDefinition,
		"swizzled_right_inverse_offsets Sw<3,0,3> (4,2,4):(8,1,2)": byDefinition,
		"swizzled_left_inverse_offsets Sw<3,0,3> (4,2,4):(8,1,2)":  byDefinition,
		"layout_o_swizzle (8,4):(4,1) Sw<3,0,3>":                   "Sw<2,0,-2> o 0 o (8,4):(4,1)",
		"layout_o_swizzle (64,8):(8,1) Sw<3,4,3>":                  "Sw<2,1,-6> o 0 o (64,8):(8,1)",
		"layout_o_swizzle (4,2,4):(8,1,2) Sw<3,0,3>":               "Sw<2,1,-2> o 0 o (4,2,4):(8,1,2)",
		"composition_swizzles Sw<0,5,3> Sw<3,4,5>":                 "Sw<3,4,5>",
	}},
	{"CuTe C++ looks for the bits of the swizzle at coordinates that have the numbers of offsets", map[string]string{
		"product_by_swizzled_offsets 8:1 Sw<1,2,1> (4,8):(8,1)":         byDefinition,
		"product_by_swizzled_offsets 8:1 Sw<2,4,3> (4,128,2):(256,2,1)": byDefinition,
		"product_by_swizzled_offsets 8:1 Sw<3,2,3> (4,4,32):(32,128,1)": byDefinition,
	}},
	{"CuTe C++ refuses there, since the bits that it finds are no swizzle's", map[string]string{
		"product_by_swizzled_offsets 2:1 Sw<3,0,3> (4,2,4):(8,4,1)":   byDefinition,
		"product_by_swizzled_offsets 8:1 Sw<3,0,3> (16,2):(1,16)":     byDefinition,
		"product_by_swizzled_offsets 4:1 Sw<3,3,3> (64,4):(1,64)":     byDefinition,
		"product_by_swizzled_offsets 2:1 Sw<3,3,3> (64,4):(4,1)":      byDefinition,
		"product_by_swizzled_offsets 2:1 Sw<2,3,3> (4,32):(1,4)":      byDefinition,
		"product_by_swizzled_offsets 4:1 Sw<3,3,3> (2,32,4):(1,2,64)": byDefinition,
	}},
	{"pycute's flatten makes a tuple of an integer; CuTe C++'s does not", map[string]string{
		"flatten 4":  "4",
		"flatten 32": "32",
	}},
	{"pycute dies", map[string]string{
		"swizzle Sw<0,3,0> 1453": "1453",
		"swizzle Sw<0,2,0> 2930": "2930",
	}},
}

// exclusionOf finds a question's.
func exclusionOf(question string) (reason, ours string) {
	for _, e := range exclusions {
		if ours, ok := e.cases[question]; ok {
			return e.reason, ours
		}
	}
	return "", ""
}

// TestVectors asks every recorded question in a batch and accounts for each answer. The account is testdata/vectors.txt.
func TestVectors(t *testing.T) {
	a := account{files: map[string]map[string]*[outcomes]int{}}
	used := map[string]bool{}
	for _, r := range recorded {
		list := cases.Read(t, r.paths...)
		answers := inBatch(t, list)
		for i, c := range list {
			ours := answers[i]
			o, reason := compare(t, c, ours)
			used[c.String()] = used[c.String()] || reason != ""
			a.add(r.name, c.Op, o, reason)
		}
	}
	for _, e := range exclusions {
		for question := range e.cases {
			assert.True(t, used[question], "%s: it is no exclusion", question)
		}
	}
	addAtoms(t, &a)
	t.Log("\n" + a.String())
	golden.Equal(t, "testdata/vectors.txt", a.String())
	all := []string{}
	for name := range a.files {
		all = append(all, name)
	}
	sum, lines := a.total(all...)
	assert.Less(t, 100*sum[equal], 3*lines)
}

// An answer is a line that a batch writes.
type answer struct {
	Op     string          `json:"op"`
	Args   []string        `json:"args"`
	Got    json.RawMessage `json:"got"`
	Offset json.RawMessage `json:"offset"`
	Error  string          `json:"error"`
}

// text is the answer in the form of cases.Case.Answer.
func (a answer) text() string { return cases.Case{Want: a.Got, Offset: a.Offset}.Answer() }

// inBatch asks the questions as the command does.
func inBatch(t *testing.T, list []cases.Case) []answer {
	t.Helper()
	var questions, lines bytes.Buffer
	encoder := json.NewEncoder(&questions)
	for _, c := range list {
		require.NoError(t, encoder.Encode(c))
	}
	require.NoError(t, Batch(&questions, &lines))
	var answers []answer
	for line := range strings.Lines(lines.String()) {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		answers = append(answers, a)
	}
	require.Len(t, answers, len(list))
	for i, c := range list {
		require.Equal(t, c.String(), cases.Case{Op: answers[i].Op, Args: answers[i].Args}.String())
	}
	return answers
}

// compare judges one answer, and gives the reason if it is not the same.
func compare(t *testing.T, c cases.Case, ours answer) (outcome, string) {
	t.Helper()
	isWrong := c.Why != ""
	switch {
	case isWrong && ours.Error == "":
		requireRight(t, c, ours.text())
		return answered, c.Why
	case isWrong:
		require.True(t, slices.ContainsFunc(refusals, func(why string) bool { return strings.Contains(ours.Error, why) }), "%v: %s", c, ours.Error)
		return declined, c.Why
	case ours.Error != "" && c.Error != "":
		return refused, ""
	case ours.Error == "" && c.Error == "" && ours.text() == c.Answer():
		return same, ""
	}
	if reason, want := exclusionOf(c.String()); reason != "" {
		if ours.Error != "" {
			require.Contains(t, ours.Error, want, c)
			return declined, reason
		}
		if want == byDefinition {
			requireRight(t, c, ours.text())
		} else {
			require.Equal(t, want, ours.text(), c)
		}
		return answered, reason
	}
	return otherForm(t, c, ours)
}

// otherForm judges an answer that is not the same text and not listed: the same function in one of the forms that are known.
func otherForm(t *testing.T, c cases.Case, ours answer) (outcome, string) {
	t.Helper()
	question := fmt.Sprintf("%v: %s%s; reference: %s%s", c, ours.text(), ours.Error, c.Answer(), c.Error)
	isMMA := strings.HasPrefix(c.Op, "tiled_mma_")
	switch {
	case isMMA && c.Error == "" && strings.Contains(ours.Error, "allowed is 0 to "):
		return declined, "CuTe C++ wraps a thread that does not take part"
	case c.Error != "" && ours.Error == "":
		requireRight(t, c, ours.text())
		return answered, "the reference refuses by its conditions; there is an answer"
	case ours.Error != "":
		require.Fail(t, "unexpected answer", question)
	case c.Op == "tiled_mma_layoutC_TV": // judged in package tiled
		return answered, "CuTe C++ places the partial sums of threads along K behind the tile"
	case c.Op == "right_inverse" && c.Raw != nil:
		requireRight(t, c, ours.text())
		require.Greater(t, parsed(t, ours.text()).Size(), parsed(t, c.Answer()).Size(), question)
		return answered, "CuTe C++, which is not told some strides, inverts a part of the layout"
	}
	x, y := parsed(t, ours.text()), parsed(t, c.Answer())
	require.Equal(t, valuesOf(y), valuesOf(x), question)
	unwrapped := single.ReplaceAllString(c.Answer(), "$1")
	switch {
	case c.Raw != nil:
		return equal, "CuTe C++, which is not told some integers, keeps modes apart"
	case strings.HasPrefix(c.Answer(), "Sw<0,"):
		return equal, "CuTe C++ keeps a swizzle of no bits"
	case unwrapped == single.ReplaceAllString(ours.text(), "$1"):
		return equal, "CuTe C++ keeps a tuple of one, (4) for 4"
	}
	require.Fail(t, "unexpected form", question)
	return equal, ""
}

// single is a tuple of one integer.
var single = regexp.MustCompile(`\((\d+)\)`)

// refusals are the reasons why we decline a question to which a reference gives a wrong answer.
var refusals = []string{
	"has no layout: at coordinate",
	"it is not injective: coordinate",
	"interleave: stride",
	"is no multiple of stride",
	"no layout finds offset",
	"no shifts of the tile cover coordinate",
}

// requireRight judges an answer by the definition of its operation.
func requireRight(t *testing.T, c cases.Case, got string) {
	t.Helper()
	if rightByMode(t, c, got) {
		return
	}
	arg := func(i int) algebra.Composed { return parsed(t, c.Args[i]) }
	switch c.Op {
	case "composition", "right_inverse":
		claim, err := FindClaim(c.Op)
		require.NoError(t, err)
		layouts := []string{parsed(t, c.Args[0]).String(), got}
		if len(c.Args) == 2 {
			layouts = slices.Insert(layouts, 1, parsed(t, c.Args[1]).String())
		}
		counter, err := claim.Check(layouts...)
		require.NoError(t, err, c)
		require.Empty(t, counter, c)
	case "left_inverse": // of what shares an offset, one position
		l := arg(0)
		r, err := algebra.ParseLayout(got) // below 0 in gaps
		require.NoError(t, err, c)
		for i := range l.Size() {
			require.Equal(t, l.At(i), l.At(r.At(l.At(i))), c)
		}
	case "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets", "product_by_swizzled_offsets":
		requireRightOffsets(t, c, got)
	case "logical_divide", "zipped_divide", "tiled_divide":
		// The tile at each of its shifts, which reach every position; those of a last tile that is cut may be outside.
		l, tile, parts := arg(0), arg(1), parsed(t, got)
		shifts, err := algebra.Complement(tile.Layout, l.Size())
		require.NoError(t, err, c)
		reached := map[int]bool{}
		for i := range parts.Size() {
			at := tile.At(i%tile.Size()) + shifts.At(i/tile.Size())
			require.Equal(t, l.At(at), parts.At(i), c)
			reached[at] = true
		}
		for i := range l.Size() {
			require.True(t, reached[i], "%v: %d", c, i)
		}
	case "logical_product", "zipped_product", "tiled_product":
		l, tiler, all := arg(0), arg(1), parsed(t, got)
		shifts, err := algebra.Complement(l.Layout, l.Size()*tiler.Cosize())
		require.NoError(t, err, c)
		require.Equal(t, l.Size()*tiler.Size(), all.Size(), c)
		for i := range all.Size() {
			require.Equal(t, l.At(i%l.Size())+shifts.At(tiler.At(i/l.Size())), all.At(i), c)
		}
	default:
		require.Fail(t, "no definition", c.Op)
	}
}

// rightByMode judges a composition, divide or product by a tuple of tilers mode by mode, and tells whether it is one.
func rightByMode(t *testing.T, c cases.Case, got string) bool {
	t.Helper()
	form, name, _ := strings.Cut(c.Op, "_")
	part := c.Op // what is asked of a mode
	switch {
	case name == "divide" || name == "product":
		part = "logical_" + name
	case c.Op != "composition":
		return false
	}
	by, err := algebra.ParseTiler(c.Args[1])
	require.NoError(t, err, c)
	var tilers []algebra.Tiler
	switch by := by.(type) {
	case algebra.Layout:
		return false
	case algebra.Tile:
		tilers = by
	case algebra.Tuple:
		if by.IsLeaf() {
			return false
		}
		for i := range by.Rank() {
			tilers = append(tilers, by.Mode(i))
		}
	}
	l, all := parsed(t, c.Args[0]).Layout, parsed(t, got).Layout
	for i, tiler := range tilers {
		var mode algebra.Layout
		if form == "zipped" {
			mode, err = algebra.Concat(all.Mode(0).Mode(i), all.Mode(1).Mode(i))
			require.NoError(t, err, c)
		} else {
			mode = all.Mode(i)
		}
		requireRight(t, cases.Case{Op: part, Args: []string{l.Mode(i).String(), fmt.Sprint(tiler)}}, mode.String())
	}
	return true
}

// requireRightOffsets judges an answer that is a list.
func requireRightOffsets(t *testing.T, c cases.Case, got string) {
	t.Helper()
	var list Offsets
	require.NoError(t, json.Unmarshal([]byte(got), &list))
	switch c.Op {
	case "swizzled_right_inverse_offsets":
		l := parsed(t, c.Args[0]+" o 0 o "+c.Args[1])
		for i, at := range list {
			require.Equal(t, i, l.At(at), c)
		}
	case "swizzled_left_inverse_offsets":
		l := parsed(t, c.Args[0]+" o 0 o "+c.Args[1])
		for i := range l.Size() {
			require.Equal(t, l.At(i), l.At(list[l.At(i)]), c)
		}
	case "product_by_swizzled_offsets":
		l, tiler := parsed(t, c.Args[0]), parsed(t, c.Args[1]+" o 0 o "+c.Args[2])
		shifts, err := algebra.Complement(l.Layout, l.Size()*tiler.Cosize())
		require.NoError(t, err, c)
		require.Len(t, list, l.Size()*tiler.Size(), c)
		for i, at := range list {
			require.Equal(t, l.At(i%l.Size())+shifts.At(tiler.At(i/l.Size())), at, c)
		}
	}
}

// parsed reads a layout, swizzled or not; n is n:1.
func parsed(t *testing.T, text string) algebra.Composed {
	t.Helper()
	if n, err := strconv.Atoi(text); err == nil {
		text = fmt.Sprintf("%d:1", n)
	}
	c, err := algebra.ParseComposed(text)
	require.NoError(t, err)
	return c
}

func valuesOf(c algebra.Composed) []int {
	list := make([]int, c.Size())
	for i := range list {
		list[i] = c.At(i)
	}
	return list
}

// atomExclusions are the records that say something else than the instruction does.
var atomExclusions = map[string]string{
	"SM61_DP2A":         "CuTe C++ says that dp2a's B has 16-bit values; they have 8",
	"SM75_U32x1_MOVM_T": "CuTe C++ says that movmatrix leaves the matrix as it is; it transposes",
}

// addAtoms asks for every recorded atom, and compares the facts that the record has.
func addAtoms(t *testing.T, a *account) {
	t.Helper()
	var questions []cases.Case
	records := cases.ReadAs[map[string]any](t, "../atom/testdata/atoms.jsonl")
	for _, record := range records {
		op, fields := record["kind"].(string), []string{"atom"}
		switch op {
		case "mma", "copy":
			op += "_atom"
		case "smem_atom":
			fields = []string{"atom", "bits"}
		case "tmem_frag":
			fields = []string{"value", "storage", "sms", "alloc", "shape"}
		}
		q := cases.Case{Op: op}
		for _, f := range fields {
			q.Args = append(q.Args, fmt.Sprint(record[f]))
		}
		questions = append(questions, q)
	}
	for i, ours := range inBatch(t, questions) {
		require.Empty(t, ours.Error, questions[i])
		facts := map[string]string{}
		if json.Unmarshal(ours.Got, &facts) != nil {
			facts["layout"] = ours.text()
		}
		o, reason, compared := same, "", 0
		for name, is := range facts {
			want, ok := records[i][name]
			if !ok {
				continue
			}
			compared++
			theirs := fmt.Sprint(want)
			switch {
			case is == theirs || o == answered:
			case atomExclusions[questions[i].Args[0]] != "":
				o, reason = answered, atomExclusions[questions[i].Args[0]]
			default: // a tuple of one, ((16,8)) for (16,8) is no layout as it stands
				x, y := parsed(t, is), parsed(t, strings.Replace(theirs, "((16,8))", "(16,8)", 1))
				require.Equal(t, valuesOf(x), valuesOf(y), "%v: %s", questions[i], name)
				o, reason = equal, "CuTe C++ keeps a tuple of one, (4) for 4"
			}
		}
		require.GreaterOrEqual(t, compared, 1, questions[i])
		a.add("atoms", questions[i].Op, o, reason)
	}
}
