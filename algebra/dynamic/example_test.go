package dynamic_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"cutegen/algebra/dynamic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A matrix of run-time extents in tiles of 128 by 8. With M = 300 it has 3 tiles of rows, the last one for 44 rows.
func ExampleZippedDivide() {
	tile, err := dynamic.ParseTiler("(128,8)")
	if err != nil {
		fmt.Println(err)
		return
	}
	tiles, err := dynamic.ZippedDivide(dynamic.MustParse("(M,K):(lda,1)"), tile)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tiles)
	fmt.Println(tiles.With(map[string]dynamic.Int{"M": dynamic.Const(300), "K": dynamic.Const(16), "lda": dynamic.Const(20)}))
	// Output:
	// ((128,8),(ceil(M/128),ceil(K/8))):((lda,1),(128*lda,8))
	// ((128,8),(3,2)):((20,1),(2560,8)) <nil>
}

// taught is the functions that the package comment evaluates. Methods need no table.
var taught = map[string]any{
	"Coalesce":       dynamic.Coalesce,
	"Complement":     dynamic.Complement,
	"Composition":    dynamic.Composition,
	"LocalTile":      dynamic.LocalTile,
	"LogicalProduct": dynamic.LogicalProduct,
	"RightInverse":   dynamic.RightInverse,
	"TileToShape":    dynamic.TileToShape,
	"ZippedDivide":   dynamic.ZippedDivide,
}

// readers read the arguments.
var readers = map[reflect.Type]any{
	reflect.TypeFor[dynamic.Int]():    dynamic.ParseInt,
	reflect.TypeFor[dynamic.Coord]():  dynamic.ParseCoord,
	reflect.TypeFor[dynamic.Shape]():  dynamic.ParseShape,
	reflect.TypeFor[dynamic.Layout](): dynamic.Parse,
	reflect.TypeFor[dynamic.Tiler]():  dynamic.ParseTiler,
}

// TestPackageComment evaluates the statements of the package comment: a call, which may follow its receiver, and what it
// gives.
func TestPackageComment(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	statement := regexp.MustCompile(`^\t(?:(\S.*?)\.)?([A-Z]\w*)\((.*?)\) (=|is refused:) (.*)$`)
	checked := 0
	for line := range strings.Lines(file.Doc.Text()) {
		s := statement.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if s == nil {
			continue
		}
		checked++
		call := reflect.ValueOf(taught[s[2]])
		if s[1] != "" {
			call = reflect.ValueOf(dynamic.MustParse(s[1])).MethodByName(s[2])
		}
		require.True(t, call.IsValid(), line)
		var in []reflect.Value
		for i, text := range arguments(s[3]) {
			read := reflect.ValueOf(readers[call.Type().In(i)]).Call([]reflect.Value{reflect.ValueOf(text)})
			require.True(t, read[1].IsNil(), line)
			in = append(in, read[0])
		}
		var texts []string
		var refusal error
		for _, out := range call.Call(in) {
			if err, ok := out.Interface().(error); ok {
				refusal = err
			} else if out.Type() != reflect.TypeFor[error]() {
				texts = append(texts, fmt.Sprint(out.Interface()))
			}
		}
		if s[4] == "is refused:" {
			assert.ErrorContains(t, refusal, s[5], line)
			assert.ErrorIs(t, refusal, dynamic.ErrUndecided, line)
			continue
		}
		if assert.NoError(t, refusal, line) {
			assert.Equal(t, s[5], strings.Join(texts, " at "), line)
		}
	}
	assert.Equal(t, 16, checked)
}

// arguments splits a list at the commas outside of all parentheses.
func arguments(list string) []string {
	var args []string
	depth, begin := 0, 0
	for i, r := range list {
		switch {
		case r == '(':
			depth++
		case r == ')':
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

// A block with gaps that no copy fills, in a mode of known size: its third copy would stand on the first one at shift 24.
func TestLogicalProductOfGaps(t *testing.T) {
	l := dynamic.MustParse("((2,4,2),M):((1,3,24),lda)")
	for tiler, want := range map[string]string{
		"(4:1,_)": "(((2,4,2),(2,2)),M):(((1,3,24),(12,48)),lda)",
		"(3:1,_)": "composition (2,3):(12,48) o 3:1 has no layout",
	} {
		by, err := dynamic.ParseTiler(tiler)
		require.NoError(t, err)
		got, err := dynamic.LogicalProduct(l, by)
		text := got.String()
		if err != nil {
			text = err.Error()
		}
		assert.Contains(t, text, want)
	}
}
