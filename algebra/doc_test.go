package algebra_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cutegen/algebra"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The package comment is a course, so what it says is checked: operations with their results, grids, and strips of memory.

// taught is the functions that the package comment evaluates. Methods need no table.
var taught = map[string]any{
	"Bijective":              algebra.Bijective,
	"BlockedProduct":         algebra.BlockedProduct,
	"CeilDiv":                algebra.CeilDiv,
	"CeilDivLayout":          algebra.CeilDivLayout,
	"Coalesce":               algebra.Coalesce,
	"CoalesceModes":          algebra.CoalesceModes,
	"ColMajor":               algebra.ColMajor,
	"ColexLess":              algebra.ColexLess,
	"CompactColMajor":        algebra.CompactColMajor,
	"CompactRowMajor":        algebra.CompactRowMajor,
	"Compatible":             algebra.Compatible,
	"Complement":             algebra.Complement,
	"ComplementShape":        algebra.ComplementShape,
	"Composition":            algebra.Composition,
	"CompositionSwizzle":     algebra.CompositionSwizzle,
	"CompositionSwizzled":    algebra.CompositionSwizzled,
	"CompositionTiler":       algebra.CompositionTiler,
	"Concat":                 algebra.Concat,
	"Congruent":              algebra.Congruent,
	"CoordOf":                algebra.CoordOf,
	"Coshape":                algebra.Coshape,
	"Crd2Crd":                algebra.Crd2Crd,
	"Dice":                   algebra.Dice,
	"DomainDistribute":       algebra.DomainDistribute,
	"DomainOffset":           algebra.DomainOffset,
	"Dot":                    algebra.Dot,
	"Downcast":               algebra.Downcast,
	"ElemLess":               algebra.ElemLess,
	"ElemScale":              algebra.ElemScale,
	"EvenlyDivides":          algebra.EvenlyDivides,
	"Filter":                 algebra.Filter,
	"FilterModes":            algebra.FilterModes,
	"FilterZeros":            algebra.FilterZeros,
	"FlatDivide":             algebra.FlatDivide,
	"FlatProduct":            algebra.FlatProduct,
	"Flatten":                algebra.Flatten,
	"FragmentLike":           algebra.FragmentLike,
	"Identity":               algebra.Identity,
	"Injective":              algebra.Injective,
	"InnerProduct":           algebra.InnerProduct,
	"LayoutLike":             algebra.LayoutLike,
	"LeftInverse":            algebra.LeftInverse,
	"LexLess":                algebra.LexLess,
	"LocalPartition":         algebra.LocalPartition,
	"LocalPartitionProj":     algebra.LocalPartitionProj,
	"LocalTile":              algebra.LocalTile,
	"LocalTileProj":          algebra.LocalTileProj,
	"LogicalDivide":          algebra.LogicalDivide,
	"LogicalProduct":         algebra.LogicalProduct,
	"LogicalProductSwizzled": algebra.LogicalProductSwizzled,
	"MakeLayout":             algebra.MakeLayout,
	"MakeSwizzle":            algebra.MakeSwizzle,
	"MaxAlignment":           algebra.MaxAlignment,
	"MaxCommonLayout":        algebra.MaxCommonLayout,
	"MaxCommonVector":        algebra.MaxCommonVector,
	"Nullspace":              algebra.Nullspace,
	"Ordered":                algebra.Ordered,
	"OuterPartition":         algebra.OuterPartition,
	"PartitionTV":            algebra.PartitionTV,
	"PartitionTVProj":        algebra.PartitionTVProj,
	"PrefixProduct":          algebra.PrefixProduct,
	"Product":                algebra.Product,
	"ProductEach":            algebra.ProductEach,
	"ProductLike":            algebra.ProductLike,
	"RakedProduct":           algebra.RakedProduct,
	"Recast":                 algebra.Recast,
	"RightInverse":           algebra.RightInverse,
	"RoundUp":                algebra.RoundUp,
	"RowMajor":               algebra.RowMajor,
	"ShapeDiv":               algebra.ShapeDiv,
	"Slice":                  algebra.Slice,
	"Surjective":             algebra.Surjective,
	"TileToShape":            algebra.TileToShape,
	"TileToShapeOrder":       algebra.TileToShapeOrder,
	"TiledDivide":            algebra.TiledDivide,
	"TiledProduct":           algebra.TiledProduct,
	"TupleMax":               algebra.TupleMax,
	"Upcast":                 algebra.Upcast,
	"WeaklyCongruent":        algebra.WeaklyCongruent,
	"ZippedDivide":           algebra.ZippedDivide,
	"ZippedProduct":          algebra.ZippedProduct,
}

// statement is a line of the course: a call, and what it gives. The call may follow its receiver.
var statement = regexp.MustCompile(`^(?:(\S.*?)\.)?([A-Z]\w*)\((.*?)\) (=|holds$|fails:|is refused:) ?(.*)$`)

// comments is the lines of the comments in files.
func comments(t *testing.T, names ...string) []string {
	t.Helper()
	var lines []string
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range file.Comments {
			lines = append(lines, strings.Split(group.Text(), "\n")...)
		}
	}
	return lines
}

// TestPackageComment evaluates every statement of the package comment, those of the claims and of the swizzled layouts.
func TestPackageComment(t *testing.T) {
	checked := 0
	for _, line := range comments(t, "doc.go", "claim.go", "composed.go", "composed_inverse.go") {
		line, code := strings.CutPrefix(line, "\t")
		s := statement.FindStringSubmatch(line)
		if !code || s == nil || s[4] == "" {
			continue
		}
		checked++
		got, err := evaluate(t, s[1], s[2], arguments(s[3]))
		if s[4] == "is refused:" {
			if assert.Error(t, err, line) {
				assert.Contains(t, err.Error(), s[5], line)
			}
			continue
		}
		want := s[5]
		if s[4] == "holds" {
			want = s[4]
		}
		if assert.NoError(t, err, line) {
			assert.Equal(t, want, got, line)
		}
	}
	assert.Greater(t, checked, 170)
}

// TestAnotherModule: the README's program runs in a module of its own with the README's lines in its go.mod, which the package comment
// repeats. It needs no other module: there is no proxy here, and no go.sum.
func TestAnotherModule(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("```\n(require cutegen(?s:.*?))```\n\n```go\n((?s:.*?))```\n").FindStringSubmatch(string(readme))
	require.NotNil(t, block)
	lines := strings.TrimSpace(block[1])
	assert.Contains(t, strings.Join(comments(t, "doc.go"), "\n"), "\t"+strings.ReplaceAll(lines, "\n\n", "\n\n\t"))

	folder := t.TempDir()
	checkout := strings.Replace(lines, "../cutegen", strconv.Quote(root), 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.com/app\n\ngo 1.26.0\n\n"+checkout+"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(block[2]), 0o644))
	run := exec.Command("go", "run", ".")
	run.Dir = folder
	run.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	_, printed, _ := strings.Cut(block[2], "fmt.Println(r, err) // ")
	assert.Equal(t, strings.SplitAfter(printed, "\n")[0], string(out))
}

// arguments splits a list at the commas outside of all brackets.
func arguments(list string) []string {
	var args []string
	depth, begin := 0, 0
	for i, r := range list {
		switch {
		case strings.ContainsRune("(<", r):
			depth++
		case strings.ContainsRune(")>", r):
			depth--
		case r == ',' && depth == 0:
			args = append(args, strings.TrimSpace(list[begin:i]))
			begin = i + 1
		}
	}
	if last := strings.TrimSpace(list[begin:]); last != "" {
		args = append(args, last)
	}
	return args
}

// evaluate calls the function, or the method of the receiver, with its arguments read from texts. Several results stand
// beside an " at ".
func evaluate(t *testing.T, receiver, name string, args []string) (string, error) {
	t.Helper()
	call := reflect.ValueOf(taught[name])
	if receiver != "" {
		call = reflect.ValueOf(object(t, receiver)).MethodByName(name)
	}
	require.True(t, call.IsValid(), "no %s", name)
	in := make([]reflect.Value, len(args))
	for i, text := range args {
		typ := call.Type().In(min(i, call.Type().NumIn()-1))
		if call.Type().IsVariadic() && i >= call.Type().NumIn()-1 {
			typ = typ.Elem()
		}
		in[i] = reflect.ValueOf(read(t, text, typ))
	}
	var texts []string
	for _, out := range call.Call(in) {
		if out.Type() == reflect.TypeFor[error]() {
			if !out.IsNil() {
				return "", out.Interface().(error)
			}
			continue
		}
		if counter, ok := out.Interface().(*algebra.Counterexample); ok && counter == nil {
			return "holds", nil
		}
		texts = append(texts, fmt.Sprint(out.Interface()))
	}
	return strings.Join(texts, " at "), nil
}

// object is a value of the algebra, of the type that its text has.
func object(t *testing.T, text string) any {
	t.Helper()
	switch {
	case strings.Contains(text, " o "):
		return read(t, text, reflect.TypeFor[algebra.Composed]())
	case strings.Contains(text, "Sw<"):
		return read(t, text, reflect.TypeFor[algebra.Swizzle]())
	case strings.Contains(text, ":"):
		return read(t, text, reflect.TypeFor[algebra.Layout]())
	}
	return read(t, text, reflect.TypeFor[algebra.Tuple]())
}

func read(t *testing.T, text string, typ reflect.Type) any {
	t.Helper()
	var v any
	var err error
	switch typ {
	case reflect.TypeFor[int]():
		v, err = strconv.Atoi(text)
	case reflect.TypeFor[algebra.Tuple]():
		v, err = algebra.ParseTuple(text)
	case reflect.TypeFor[algebra.Layout]():
		v, err = algebra.ParseLayout(text)
	case reflect.TypeFor[algebra.Tiler]():
		v, err = algebra.ParseTiler(text)
	case reflect.TypeFor[algebra.Swizzle]():
		v, err = algebra.ParseSwizzle(text)
	case reflect.TypeFor[algebra.Composed]():
		v, err = algebra.ParseComposed(text)
	default:
		require.Fail(t, "no reader", "%v", typ)
	}
	require.NoError(t, err, text)
	return v
}

// TestPackageCommentGrids: a layout alone on a line, then its grid, and the strip of its memory if there is one.
func TestPackageCommentGrids(t *testing.T) {
	grids, strips := 0, 0
	lines := comments(t, "doc.go")
	for i, line := range lines {
		text, code := strings.CutPrefix(line, "\t")
		if tv, err := algebra.ParseLayout(text); code && err == nil && tv.HasBasis() {
			grids++
			for row, want := range dealt(t, tv) {
				assert.Equal(t, want, strings.Fields(lines[i+2+row]), "row %d of %s", row, text)
			}
			continue
		}
		c, err := algebra.ParseComposed(text)
		if !code || err != nil || c.Layout.Rank() != 2 {
			continue
		}
		grids++
		rows, columns := c.Layout.Mode(0).Size(), c.Layout.Mode(1).Size()
		i += 2 // a line is left free
		owner := map[int]string{}
		for row := range rows {
			var want []string
			for column := range columns {
				offset, err := c.Index(algebra.Ints(row, column))
				require.NoError(t, err)
				want = append(want, strconv.Itoa(offset))
				owner[offset] = fmt.Sprintf("%d%d", row, column)
			}
			assert.Equal(t, want, strings.Fields(lines[i]), "row %d of %s", row, text)
			i++
		}
		if !strings.HasPrefix(lines[i+1], "\tmemory ") {
			continue
		}
		strips++
		var want []string
		for offset := range c.Cosize() {
			place := "--"
			if at, ok := owner[offset]; ok {
				place = at
			}
			want = append(want, place)
		}
		assert.Equal(t, want, strings.Fields(lines[i+1])[1:], "memory of %s", text)
	}
	assert.Equal(t, 16, grids)
	assert.Equal(t, 2, strips)
}

// dealt is the tile, in rows, that a (thread, value) layout of coordinates deals out: T3V1 at the place of thread 3's value 1.
func dealt(t *testing.T, tv algebra.Layout) [][]string {
	t.Helper()
	components, err := tv.Components()
	require.NoError(t, err)
	rows := make([][]string, components[0].Cosize())
	for row := range rows {
		rows[row] = make([]string, components[1].Cosize())
	}
	for thread := range tv.Mode(0).Size() {
		for value := range tv.Mode(1).Size() {
			at := algebra.Ints(thread, value)
			row, err := components[0].Index(at)
			require.NoError(t, err)
			column, err := components[1].Index(at)
			require.NoError(t, err)
			require.Empty(t, rows[row][column], "two of %v", tv)
			rows[row][column] = fmt.Sprintf("T%dV%d", thread, value)
		}
	}
	return rows
}

// TestPackageCommentPositions: the tables of positions and offsets.
func TestPackageCommentPositions(t *testing.T) {
	tables := 0
	lines := comments(t, "doc.go")
	for i, line := range lines {
		positions, table := strings.CutPrefix(line, "\tposition ")
		if !table {
			continue
		}
		tables++
		positions, layout, _ := strings.Cut(positions, " of ")
		l := algebra.MustLayout(layout)
		var want []string
		for k, position := range strings.Fields(positions) {
			require.Equal(t, strconv.Itoa(k), position)
			want = append(want, strconv.Itoa(l.At(k)))
		}
		assert.Equal(t, want, strings.Fields(lines[i+1])[1:], layout)
	}
	assert.Equal(t, 2, tables)
}

// TestCompositionByHand: where the conditions of the package comment hold, its rule gives the composition. One mode of b and a of three.
func TestCompositionByHand(t *testing.T) {
	holds := 0
	for _, a := range []string{"(4,6,8):(1,10,100)", "(6,4,5):(8,1,60)", "(2,3,2):(50,1,9)", "(5,8):(1,7)"} {
		left := algebra.MustLayout(a)
		modes := left.Modes()
		for n := 1; n <= 24; n++ {
			for d := 1; d <= 24; d++ {
				// take walks n steps of d through the modes, and tells whether the divisions that are asked for leave no rest.
				var take func(modes []algebra.Layout, n, d int) ([]string, []string, bool)
				take = func(modes []algebra.Layout, n, d int) (shape, stride []string, even bool) {
					s, e := modes[0].Size(), modes[0].At(1)
					step := strconv.Itoa(d * e)
					switch {
					case len(modes) == 1 || (n-1)*d < s && d < s:
						return []string{strconv.Itoa(n)}, []string{step}, true
					case d >= s:
						if d%s != 0 {
							return nil, nil, false
						}
						return take(modes[1:], n, d/s)
					case s%d != 0 || n*d%s != 0:
						return nil, nil, false
					}
					shape, stride, even = take(modes[1:], n*d/s, 1)
					return append([]string{strconv.Itoa(s / d)}, shape...), append([]string{step}, stride...), even
				}
				shape, stride, even := take(modes, n, d)
				if !even {
					continue
				}
				holds++
				byHand := algebra.MustLayout("(" + strings.Join(shape, ",") + "):(" + strings.Join(stride, ",") + ")")
				got, err := algebra.Composition(left, algebra.MustLayout(fmt.Sprintf("%d:%d", n, d)))
				require.NoError(t, err, "%s o %d:%d", a, n, d)
				require.True(t, algebra.Coalesce(byHand).Equal(algebra.Coalesce(got)), "%s o %d:%d = %v, by hand %v", a, n, d, got, byHand)
			}
		}
	}
	assert.Greater(t, holds, 300)
}

// TestPackageCommentBanks: in which banks the vectors of a swizzled tile are.
func TestPackageCommentBanks(t *testing.T) {
	lines := comments(t, "doc.go")
	head := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "\tbanks ") })
	require.Positive(t, head)
	c := composed(t, "Sw<3,2,3> o 0 o (8,32):(32,1)")
	var want [8][8]string
	for row := range 8 {
		for vector := range 8 {
			for element := range 4 {
				offset, err := c.Index(algebra.Ints(row, 4*vector+element))
				require.NoError(t, err)
				require.Equal(t, element, offset%4)
				want[offset/32][offset%32/4] = fmt.Sprintf("%d%d", row, vector)
			}
		}
	}
	for row := range 8 {
		fields := strings.Fields(lines[head+1+row])
		assert.Equal(t, []string{"row", strconv.Itoa(row)}, fields[:2])
		assert.Equal(t, want[row][:], fields[2:])
	}
}

// recipe is a line of the table of swizzles: the tile, the bytes of an element and of a vector, and the rows from lane to lane.
var recipe = regexp.MustCompile(`^\t(Sw<.* o 0 o \S+) +(\d+) +(\d+) +(\d+)$`)

// TestPackageCommentRecipe: the swizzles in the table are what the recipe gives; under them the lanes that are served together ask for
// all banks once, by columns and by rows, and without them some bank twice.
func TestPackageCommentRecipe(t *testing.T) {
	log2 := func(n int) int { return bits.Len(uint(n)) - 1 }
	checked := 0
	for _, line := range comments(t, "doc.go") {
		s := recipe.FindStringSubmatch(line)
		if s == nil {
			continue
		}
		checked++
		c := composed(t, s[1])
		var of [3]int
		for k := range of {
			of[k], _ = strconv.Atoi(s[2+k])
		}
		element, vector, apart := of[0], of[1], of[2]
		together := 128 / vector
		down, across := algebra.Ints(apart, 0), algebra.Ints(0, vector/element)

		step, err := c.Layout.Index(down)
		require.NoError(t, err)
		base, beyond := log2(vector/element), max(log2(step), log2(128/element))
		assert.Equal(t, algebra.Swizzle{Bits: log2(together) - (beyond - log2(step)), Base: base, Shift: beyond - base}, c.Swizzle, line)

		slots := func(c algebra.Composed, step algebra.Tuple) map[int]bool {
			slots := map[int]bool{}
			for lane := range together {
				at, err := algebra.ElemScale(algebra.Ints(lane, lane), step)
				require.NoError(t, err)
				offset, err := c.Index(at)
				require.NoError(t, err, line)
				require.Zero(t, offset*element%vector, "a vector is aligned")
				slots[offset*element%128/vector] = true
			}
			return slots
		}
		assert.Len(t, slots(c, down), together, line)
		assert.Less(t, len(slots(algebra.Composed{Layout: c.Layout}, down)), together, line)
		if size := c.Layout.Mode(1).Size() * element; size >= 128 {
			assert.Len(t, slots(c, across), together, line)
		}
	}
	assert.Equal(t, 6, checked)
}

func composed(t *testing.T, text string) algebra.Composed {
	t.Helper()
	return read(t, text, reflect.TypeFor[algebra.Composed]()).(algebra.Composed)
}

// TestPackageCommentOwners: the two grids of threads in the package comment are what the partitions beside them give.
func TestPackageCommentOwners(t *testing.T) {
	tile, err := algebra.Identity(algebra.Ints(8, 8))
	require.NoError(t, err)
	threads := algebra.MustLayout("(2,4):(4,1)")
	local, err := algebra.LocalPartition(tile, threads)
	require.NoError(t, err)
	blocks, err := algebra.PartitionTV(tile, threads, algebra.Ints(4, 2))
	require.NoError(t, err)
	for owners, partition := range map[string]algebra.Layout{
		"((2,4),(4,2)):((4,0),(1,0))": local,
		"((4,2),(2,4)):((0,4),(0,1))": blocks,
	} {
		owner := algebra.MustLayout(owners)
		for i := range partition.Size() {
			place, err := partition.Value(algebra.Int(i))
			require.NoError(t, err)
			thread, err := owner.Index(place)
			require.NoError(t, err)
			require.Equal(t, i%8, thread, "%v at %v", partition, place)
		}
	}
}

// strip is a line that draws which offsets a layout or a copy of it picks.
var strip = regexp.MustCompile(`^\t\S+ +([0-9.]*\.\.[0-9.]*)( |$)`)

// TestPackageCommentShifts: the tilings of offsets that are drawn for the complement.
func TestPackageCommentShifts(t *testing.T) {
	var drawn []string
	for _, line := range comments(t, "doc.go") {
		if s := strip.FindStringSubmatch(line); s != nil {
			drawn = append(drawn, s[1])
		}
	}
	var want []string
	for _, c := range []struct {
		layout string
		n      int
		shifts []int // all, or those that are drawn
	}{{"4:1", 16, []int{0}}, {"4:2", 16, []int{0, 1, 8, 9}}, {"(2,2):(1,5)", 10, []int{0, 2}}} {
		l := algebra.MustLayout(c.layout)
		shifts, err := algebra.Complement(l, c.n)
		require.NoError(t, err)
		for k, shift := range c.shifts {
			require.Equal(t, shifts.At(k), shift, c.layout)
			strip := []byte(strings.Repeat(".", c.n))
			for i := range l.Size() {
				strip[shift+l.At(i)] = byte('0' + i)
			}
			want = append(want, string(strip))
		}
	}
	assert.Equal(t, want, drawn)
}
