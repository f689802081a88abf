package algebra

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/internal/cases"
)

// TestVectorsByDefinition: our answers to the recorded questions are right by the definition, and refusals are for want of an answer.
// How they compare with the references' answers is counted in algebra/operation.
func TestVectorsByDefinition(t *testing.T) {
	right, refused := 0, 0
	for _, path := range []string{"testdata/vectors/pycute.jsonl", "testdata/vectors/cute-cpp.jsonl", "testdata/vectors/cute-cpp-unit.jsonl",
		"dynamic/testdata/vectors/cute-cpp-unit-dynamic.jsonl"} {
		for _, v := range cases.Read(t, path) {
			text := v.String()
			toShape := v.Op == "complement" && len(v.Args) == 2 && v.Args[1][0] == '('
			if !slices.Contains(judged, v.Op) || strings.Contains(text, "@") || strings.Contains(text, " o ") || toShape {
				continue // the judge knows plain strides, and cotargets that are integers
			}
			if judge(t, v) {
				right++
			} else {
				refused++
			}
		}
	}
	assert.Equal(t, []int{2281, 176}, []int{right, refused})
}

// TestWrongVectors: where a reference is wrong, ours is right by the definition, or refused rightly.
func TestWrongVectors(t *testing.T) {
	type verdict struct{ Right, Refused int }
	for _, c := range []struct {
		file string
		want map[string]verdict
	}{
		{"pycute-wrong.jsonl", map[string]verdict{
			"complement":      {0, 13},
			"composition":     {7, 37},
			"left_inverse":    {24, 6},
			"logical_divide":  {6, 41},
			"logical_product": {3, 11},
			"tiled_divide":    {0, 7},
			"tiled_product":   {0, 1},
			"zipped_divide":   {1, 9},
			"zipped_product":  {0, 1},
		}},
		{"cpp-wrong.jsonl", map[string]verdict{
			"blocked_product":                {0, 2},
			"composition":                    {0, 26},
			"logical_divide":                 {0, 8},
			"swizzled_right_inverse_offsets": {2, 0},
		}},
	} {
		got := map[string]verdict{}
		for _, v := range cases.Read(t, "testdata/vectors/"+c.file) {
			require.NotEmpty(t, v.Why)
			count := got[v.Op]
			if judge(t, v) {
				count.Right++
			} else {
				count.Refused++
			}
			got[v.Op] = count
		}
		assert.Equal(t, c.want, got, c.file)
	}
}

// judged lists the operations that judge knows.
var judged = []string{"composition", "complement", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product",
	"zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product", "left_inverse",
	"layout_o_swizzle", "composition_swizzles", "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets", "swizzled_composition_offsets", "product_by_swizzled_offsets"}

// judge checks our answer to a vector by the definition of its operation, and our refusal by the absence of an answer.
// It tells whether there is one.
func judge(t *testing.T, v cases.Case) bool {
	t.Helper()
	switch v.Op {
	case "blocked_product", "raked_product":
		// The same elements as the logical product's, in another order.
		b, ti := layout(t, v.Args[0]), layout(t, v.Args[1])
		op := BlockedProduct
		if v.Op == "raked_product" {
			op = RakedProduct
		}
		answer, err := op(b, ti)
		if err == nil {
			product, err := LogicalProduct(b, ti)
			require.NoError(t, err)
			requireProduct(t, b, ti, product)
			require.ElementsMatch(t, offsets(product), offsets(answer), v)
			return true
		}
		return judgeByMode(t, "logical_product", b, ti)
	case "tile_to_shape":
		shape := tuple(t, v.Args[1])
		block, err := padded(layout(t, v.Args[0]), shape.Rank())
		require.NoError(t, err)
		blocks, err := ProductEach(block.Shape())
		require.NoError(t, err)
		copies, err := CeilDiv(shape, blocks)
		require.NoError(t, err)
		grid, err := Ordered(copies, tuple(t, v.Args[2]))
		require.NoError(t, err)
		return judgeByMode(t, "logical_product", block, grid)
	case "layout_o_swizzle", "composition_swizzles", "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets":
		return judgeSwizzled(t, v)
	case "product_by_swizzled_offsets":
		block, by := layout(t, v.Args[0]), Composed{Swizzle: swizzleOf(t, v.Args[1]), Layout: layout(t, v.Args[2])}
		got, err := LogicalProductSwizzled(block, by)
		require.NoError(t, err, v)
		require.Equal(t, repeated(t, block, by), swizzledOffsets(got), v)
		return true
	case "swizzled_composition_offsets":
		return judgeByMode(t, "composition", layout(t, v.Args[1]), tiler(t, v.Args[2]))
	case "left_inverse":
		l := layout(t, v.Args[0])
		inverse, err := LeftInverse(l)
		if err != nil {
			requireNoLeftInverse(t, l, err)
			return false
		}
		requireLeftInverse(t, l, inverse)
		return true
	case "complement":
		l := layout(t, v.Args[0])
		cotarget := Filter(l).Cosize()
		if len(v.Args) == 2 {
			n, err := strconv.Atoi(v.Args[1])
			require.NoError(t, err)
			cotarget = n
		}
		c, err := Complement(l, cotarget)
		if err != nil {
			requireNoComplement(t, l, err)
			return false
		}
		requireComplement(t, l, cotarget, c)
		return true
	}
	return judgeByMode(t, v.Op, layout(t, v.Args[0]), tiler(t, v.Args[1]))
}

// judgeSwizzled judges a swizzle that is moved behind a layout, or the absence of one: every swizzle of the first 14 bits
// is tried.
func judgeSwizzled(t *testing.T, v cases.Case) bool {
	t.Helper()
	var got Composed
	var refusal error
	var from, to []int // what the swizzle has to do
	switch v.Op {
	case "layout_o_swizzle":
		l, s := layout(t, v.Args[0]), swizzleOf(t, v.Args[1])
		got, refusal = CompositionSwizzle(l, s)
		for i, at := range offsets(l) {
			from, to = append(from, at), append(to, offset(l, swizzled(s, i)))
		}
	case "composition_swizzles":
		s, u := swizzleOf(t, v.Args[0]), swizzleOf(t, v.Args[1])
		var both Swizzle
		both, refusal = s.Compose(u)
		line, err := MakeLayout(Int(1<<14), Int(1))
		require.NoError(t, err)
		got = Composed{Swizzle: both, Layout: line}
		for i := range 1 << 14 {
			from, to = append(from, i), append(to, swizzled(s, swizzled(u, i)))
		}
	case "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets":
		s, l := swizzleOf(t, v.Args[0]), layout(t, v.Args[1])
		c := Composed{Swizzle: s, Layout: l}
		var inverse Layout
		var err error
		if v.Op == "swizzled_right_inverse_offsets" {
			inverse, err = RightInverse(l)
			got, refusal = c.RightInverse()
		} else {
			inverse, err = LeftInverse(l)
			got, refusal = c.LeftInverse()
		}
		require.NoError(t, err)
		for i, at := range offsets(inverse) {
			from, to = append(from, at), append(to, offset(inverse, swizzled(s, i)))
		}
	}
	if refusal != nil {
		require.Empty(t, swizzlesOf(from, to), "%v: %v", v, refusal)
		return false
	}
	require.Equal(t, to, swizzledOffsets(got), v)
	switch v.Op {
	case "swizzled_right_inverse_offsets":
		requireSwizzledRightInverse(t, Composed{Swizzle: swizzleOf(t, v.Args[0]), Layout: layout(t, v.Args[1])}, got)
	case "swizzled_left_inverse_offsets":
		requireSwizzledLeftInverse(t, Composed{Swizzle: swizzleOf(t, v.Args[0]), Layout: layout(t, v.Args[1])}, got)
	}
	return true
}

// judgeByMode judges composition, divides and products, by a tuple of tilers mode by mode.
func judgeByMode(t *testing.T, op string, l Layout, by Tiler) bool {
	t.Helper()
	if tilers, ok := byMode(by); ok {
		right := true
		for i, ti := range tilers {
			right = judgeByMode(t, op, l.Mode(i), ti) && right
		}
		return right
	}
	operand, ok, err := whole(by, ColMajor)
	require.NoError(t, err)
	if !ok {
		// _ takes the mode as it is; what zips needs it cut already.
		return op == "composition" || strings.HasPrefix(op, "logical_") || l.Rank() == 2
	}
	switch op {
	case "composition":
		got, err := Composition(l, operand)
		if err != nil {
			require.GreaterOrEqual(t, refusalOf(operand.Shape(), composed(l, operand)), 0, "%v o %v: %v", l, operand, err)
			return false
		}
		requireComposition(t, l, operand, got)
	case "logical_divide", "zipped_divide", "tiled_divide", "flat_divide":
		got, err := LogicalDivide(l, operand)
		if err != nil {
			requireNoDivide(t, l, operand, err)
			return false
		}
		requireDivide(t, l, operand, got)
	case "logical_product", "zipped_product", "tiled_product", "flat_product":
		got, err := LogicalProduct(l, operand)
		if err != nil {
			free, noComplement := Complement(l, l.Size()*operand.Cosize())
			if noComplement != nil {
				requireNoComplement(t, l, noComplement)
				return false
			}
			return judgeByMode(t, "composition", free, operand)
		}
		requireProduct(t, l, operand, got)
	default:
		require.Fail(t, "no judge", op)
	}
	return true
}

// requireNoDivide: the refusal is right. The tiler has no complement, or leaves a position uncovered, or the layout has
// no layout in that order.
func requireNoDivide(t *testing.T, l, tile Layout, refusal error) {
	t.Helper()
	shifts, err := Complement(tile, l.Size())
	if err != nil {
		requireNoComplement(t, tile, err)
		return
	}
	if gap, ok := requireComplement(t, tile, l.Size(), shifts); ok {
		require.ErrorContains(t, refusal, "no shifts of the tile cover "+l.position(gap))
		return
	}
	both, err := Concat(tile, shifts)
	require.NoError(t, err)
	require.GreaterOrEqual(t, refusalOf(both.Shape(), composed(l, both)), 0, "%v by %v: %v", l, tile, refusal)
}
