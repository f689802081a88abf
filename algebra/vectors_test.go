package algebra

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vector is a line of testdata/vectors.
type vector struct {
	Op     string          `json:"op"`
	Args   []string        `json:"args"`
	Want   json.RawMessage `json:"want"`
	Offset *int            `json:"offset"`
	Error  string          `json:"error"`
	Why    string          `json:"why"`
}

func (v vector) String() string { return v.Op + " " + strings.Join(v.Args, " ") }

func readVectors(t *testing.T, name string) []vector {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "vectors", name))
	require.NoError(t, err)
	defer file.Close()
	var vectors []vector
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v), lines.Text())
		vectors = append(vectors, v)
	}
	require.NoError(t, lines.Err())
	return vectors
}

// tally counts how our answers to one operation compare with the reference's.
type tally struct {
	Same    int // the same text
	Equal   int // the same function on the same size, another text
	Refuse  int // both refuse
	Against int // listed in disagreements, with the reason
}

// disagreements lists every vector that we refuse though the reference answers, or answer though it refuses, or answer
// with another function: our answer, or a part of our error. judge checks ours by the definition.
var disagreements = map[string]string{
	// CuTe C++ answers wrongly: the right side's modes carry into each other.
	"composition ((9),2,(8,5)):((1),360,(45,0)) (8,8):(1,8)":                               "at coordinate (1,1) of (8,8)",
	"composition (1,((1,4),8),6,4):(1,((1,1),4),40,240) ((2,3),12,4):((6,4),17,8)":         "at coordinate ((1,2),3,0) of ((2,3),12,4)",
	"logical_divide (16,2,10):(10,160,1) 20":                                               "at coordinate (12,1) of (20,16)",
	"logical_divide (16,2,3):(3,48,1) 3:1":                                                 "at coordinate (2,10) of (3,32)",
	"logical_divide ((9,8),7,(2,(1))):((56,7),1,(504,(504))) (2)":                          "at coordinate (1,4) of (2,36)",
	"logical_product (4,16):(1,12) ((1,5,(1,2,1)),(1,(6)),1):((1,12,(12,1,60)),(1,(2)),1)": "at coordinate ((0,0,(0,1,0)),(0,(1)),0)",
	"logical_product (4,2):(10,1) ((8,2):(1,8),(2,2):(2,1))":                               "at coordinate (2,1) of (8,2)",
	// CuTe C++ answers wrongly: its stride condition is weak.
	"logical_product ((7,2)):((64,7)) (6:4)": "(((7,2),(2,3))):(((64,7),(4,15)))",
	"blocked_product 48:3 (10,2):(2,1)":      "at coordinate (3,0) of (10,2)",
	// CuTe C++ refuses by its conditions; there is a layout.
	"blocked_product (2,8):(16,1) (16,1):(7,3)": "((2,(2,8)),(8,1)):((16,(104,224)),(1,64))",
	// CuTe C++ cannot pair a tuple with an integer.
	"blocked_product ((4,11,1)):((1,4,52)) 8:1": "(((4,11,1),8)):(((1,4,52),44))",
	"blocked_product (4):(1) 4:3":               "((4,4)):((1,12))",
	"raked_product 2:1 (7):(1)":                 "((7,2)):((2,1))",
	"raked_product 48:1 (1):(1)":                "((1,48)):((0,1))",
	"raked_product 4:8 48:2":                    "(((4,12),4)):(((2,32),8))",
	"raked_product 8:1 (12):(4)":                "((12,8)):((32,1))",
	// The coordinate is outside, which CuTe does not check.
	"local_tile (6,(8,6)):(48,(6,1)) ((3,3):(2,6),_) 32":                                   "got 32 in shape (2,6), allowed is 0 to 11",
	"inner_partition (6,(8,6)):(48,(6,1)) ((3,3):(2,6),_) 32":                              "got 32 in shape (2,6), allowed is 0 to 11",
	"zipped_product (3,1,16):(7,0,4) ((4,2):(1,4))":                                        "at coordinate (3,1) of (4,2)",
	"flat_product ((16)):((16)) (4):(12)":                                                  "at coordinate (3) of (4)",
	"flat_divide (((1,1),4),(1,8,(3,1)),9):(((216,27),216),(27,27,(9,216)),1) (1:2,3,9:1)": "at coordinate (2,2) of (3,8)",
	"tile_to_shape (4,2):(0,4) (12,4) (1,2)":                                               "at coordinate (1,1) of (3,2)",
	"tile_to_shape (7,8,1):(64,8,64) (14,16,8,3) (1,4,3,2)":                                "at coordinate (0,0,3,0) of (2,2,8,3)",
	"tile_to_shape (2,15,2):(1,10,154) (4,120,4) (2,3,1)":                                  "at coordinate (1,1,0) of (2,8,2)",
	// CuTe C++ refuses by its conditions; there is a layout, or the common part is before the refused one.
	"zipped_product (2,1):(24,16) (8,6):(1,32)":                                         "((2,1),(8,(3,2))):((24,16),(1,(56,192)))",
	"max_common_vector (2,5,(1,2,2),2):(400,1,(800,5,10),100) ((1,14),10):((140,1),14)": "1",
	"max_common_layout (2,5,(1,2,2),2):(400,1,(800,5,10),100) ((1,14),10):((140,1),14)": "1:0",
	"max_common_vector (16,16):(16,1) 100:1":                                            "1",
	"max_common_layout (16,16):(16,1) 100:1":                                            "1:0",
	// CuTe C++ counts positions outside the smaller layout.
	"max_common_vector (2):(1) ((2,64,2)):((1,2,2))":   "2",
	"max_common_layout (2):(1) ((2,64,2)):((1,2,2))":   "2:1",
	"max_common_vector (1,1):(1,1) ((16,16)):((1,24))": "1",
	"max_common_layout (1,1):(1,1) ((16,16)):((1,24))": "1:0",
	// CuTe C++ gives the parts to every mode of stride 1, which makes them too many.
	"downcast 8 ((4,1),(2,(1,2)),((1),6)):((24,24),(1,(24,12)),((1),2))": "((4,1),(16,(1,2)),((1),6)):((192,192),(1,(192,96)),((8),16))",
	"downcast 2 (((1),5,2),2):(((1),1,5),18)":                            "(((1),10,2),2):(((2),1,10),36)",
	"recast_layout 32 4 (4,16,1):(1,4,1)":                                "(32,16,1):(1,32,8)",
	"recast_layout 64 16 (1,4,1):(1,1,1)":                                "(1,16,1):(4,1,4)",
	// CuTe C++ answers with an extent of -1.
	"left_inverse (4):(-1)": "stride -1 is negative",
	// CuTe C++ pairs bits that the layout takes elsewhere, or that the domain does not have.
	"layout_o_swizzle (64,2,4):(8,4,1) Sw<3,3,3>":                        "at coordinate (0,1,0) (position 64) the value is 68, not 260",
	"layout_o_swizzle (32,2,2):(4,2,1) Sw<1,4,3>":                        "(32,2,2):(4,2,1)",
	"swizzled_right_inverse_offsets Sw<1,4,3> (32,2,2):(4,2,1)":          byDefinition,
	"swizzled_left_inverse_offsets Sw<1,4,3> (32,2,2):(4,2,1)":           byDefinition,
	"swizzled_right_inverse_offsets Sw<1,4,3> (2,4,16):(64,1,4)":         byDefinition,
	"swizzled_left_inverse_offsets Sw<1,4,3> (2,4,16):(64,1,4)":          byDefinition,
	"swizzled_right_inverse_offsets Sw<1,3,3> (8,8):(8,1)":               byDefinition,
	"swizzled_left_inverse_offsets Sw<1,3,3> (8,8):(8,1)":                byDefinition,
	"layout_o_swizzle (2,4,16):(64,1,4) Sw<1,4,3>":                       "(2,4,16):(64,1,4)",
	"layout_o_swizzle (2,128):(128,1) Sw<3,3,3>":                         "Sw<2,2,3> o 0 o (2,128):(128,1)",
	"layout_o_swizzle (8,8):(8,1) Sw<1,3,3>":                             "(8,8):(8,1)",
	"swizzled_composition_offsets Sw<3,0,3> (8,4):(4,1) ((2,4)):((4,4))": "at coordinate ((1,1)) of ((2,4))",
	// CuTe C++ refuses a pair of bits that the domain does not have, and to merge with a swizzle of no bits.
	"swizzled_right_inverse_offsets Sw<3,0,3> (8,4):(4,1)":     byDefinition,
	"swizzled_left_inverse_offsets Sw<3,0,3> (8,4):(4,1)":      byDefinition,
	"swizzled_right_inverse_offsets Sw<3,0,3> (4,2,4):(8,1,2)": byDefinition,
	"swizzled_left_inverse_offsets Sw<3,0,3> (4,2,4):(8,1,2)":  byDefinition,
	"layout_o_swizzle (8,4):(4,1) Sw<3,0,3>":                   "Sw<2,0,-2> o 0 o (8,4):(4,1)",
	"layout_o_swizzle (64,8):(8,1) Sw<3,4,3>":                  "Sw<2,1,-6> o 0 o (64,8):(8,1)",
	"layout_o_swizzle (4,2,4):(8,1,2) Sw<3,0,3>":               "Sw<2,1,-2> o 0 o (4,2,4):(8,1,2)",
	"composition_swizzles Sw<0,5,3> Sw<3,4,5>":                 "Sw<3,4,5>",
	// pycute's flatten makes a tuple of an integer; CuTe C++'s does not.
	"flatten 4":  "4",
	"flatten 32": "32",
	// pycute dies.
	"swizzle Sw<0,3,0> 1453": "1453",
	"swizzle Sw<0,2,0> 2930": "2930",
}

func TestVectors(t *testing.T) {
	listed := 0
	for _, c := range []struct {
		file string
		want map[string]tally
	}{
		{"pycute.jsonl", map[string]tally{
			"coalesce":         {228, 0, 0, 0},
			"complement":       {290, 0, 9, 0},
			"composed_offsets": {72, 0, 0, 0},
			"composition":      {506, 0, 11, 2},
			"cosize":           {36, 0, 0, 0},
			"crd2crd":          {48, 0, 0, 0},
			"crd2idx":          {72, 0, 0, 0},
			"depth":            {12, 0, 0, 0},
			"elem_scale":       {34, 0, 2, 0},
			"filter":           {108, 0, 0, 0},
			"flatten":          {10, 0, 0, 2},
			"idx2crd":          {72, 0, 0, 0},
			"inner_product":    {27, 0, 0, 0},
			"layout_at":        {72, 0, 0, 0},
			"left_inverse":     {152, 0, 2, 0},
			"logical_divide":   {236, 0, 25, 3},
			"logical_product":  {163, 0, 14, 3},
			"offsets":          {48, 0, 0, 0},
			"product":          {16, 0, 0, 0},
			"rank":             {12, 0, 0, 0},
			"right_inverse":    {157, 0, 0, 0},
			"shape_div":        {67, 0, 10, 0},
			"size":             {24, 0, 0, 0},
			"slice":            {36, 0, 0, 0},
			"slice_and_offset": {48, 0, 0, 0},
			"slice_layout":     {60, 0, 0, 0},
			"swizzle":          {70, 0, 0, 2},
			"tiled_divide":     {51, 0, 9, 0},
			"tiled_product":    {40, 0, 8, 0},
			"zipped_divide":    {81, 0, 15, 0},
			"zipped_product":   {52, 0, 7, 1},
		}},
		{"cute-cpp.jsonl", map[string]tally{
			"append":                         {25, 0, 0, 0},
			"append_to":                      {24, 0, 0, 0},
			"blocked_product":                {62, 5, 7, 4},
			"ceil_div":                       {25, 0, 0, 0},
			"coalesce":                       {40, 0, 0, 0},
			"colex_less":                     {12, 0, 0, 0},
			"compact_col_major":              {19, 0, 0, 0},
			"compact_order":                  {19, 0, 0, 0},
			"compact_row_major":              {15, 0, 0, 0},
			"compatible":                     {34, 0, 0, 0},
			"composition":                    {40, 0, 0, 0},
			"composition_swizzles":           {5, 0, 9, 1},
			"congruent":                      {34, 0, 0, 0},
			"coshape":                        {24, 0, 0, 0},
			"dice":                           {15, 0, 0, 0},
			"domain_distribute":              {40, 0, 0, 0},
			"domain_offset":                  {25, 0, 0, 0},
			"downcast":                       {36, 0, 2, 2},
			"elem_less":                      {12, 0, 0, 0},
			"evenly_divides":                 {34, 0, 0, 0},
			"filter_zeros":                   {23, 0, 0, 0},
			"flat_divide":                    {74, 0, 20, 1},
			"flat_product":                   {34, 0, 3, 1},
			"flatten":                        {23, 0, 0, 0},
			"get":                            {30, 0, 0, 0},
			"get_1d_coord":                   {12, 0, 0, 0},
			"get_flat_coord":                 {12, 0, 0, 0},
			"get_hier_coord":                 {12, 0, 0, 0},
			"group":                          {30, 0, 0, 0},
			"inner_partition":                {36, 0, 13, 1},
			"layout_o_swizzle":               {24, 0, 4, 8},
			"lex_less":                       {12, 0, 0, 0},
			"local_partition":                {25, 0, 0, 0},
			"local_partition_proj":           {25, 0, 0, 0},
			"local_tile":                     {36, 0, 13, 1},
			"local_tile_proj":                {45, 0, 0, 0},
			"logical_divide":                 {5, 0, 0, 0},
			"logical_product":                {8, 0, 0, 0},
			"make_fragment_like":             {20, 0, 0, 0},
			"make_identity_layout":           {11, 0, 0, 0},
			"make_layout_like":               {20, 0, 0, 0},
			"make_layout_right":              {15, 0, 0, 0},
			"make_ordered_layout":            {43, 0, 0, 0},
			"make_swizzle":                   {13, 0, 6, 0},
			"max_alignment":                  {20, 0, 0, 0},
			"max_common_layout":              {40, 0, 0, 4},
			"max_common_vector":              {40, 0, 0, 4},
			"nullspace":                      {40, 0, 0, 0},
			"outer_partition":                {37, 0, 13, 0},
			"prepend":                        {25, 0, 0, 0},
			"prepend_to":                     {24, 0, 0, 0},
			"raked_product":                  {59, 1, 4, 4},
			"recast_layout":                  {40, 0, 8, 2},
			"replace":                        {30, 0, 0, 0},
			"round_up":                       {14, 0, 0, 0},
			"select":                         {30, 0, 0, 0},
			"swizzle_downcast":               {25, 0, 0, 0},
			"swizzle_offsets":                {50, 0, 0, 0},
			"swizzle_upcast":                 {25, 0, 0, 0},
			"swizzled_composition_offsets":   {31, 0, 0, 1},
			"swizzled_downcast":              {38, 0, 0, 0},
			"swizzled_left_inverse_offsets":  {12, 0, 6, 5},
			"swizzled_max_common_vector":     {38, 0, 0, 0},
			"swizzled_recast_layout":         {36, 2, 0, 0},
			"swizzled_right_inverse_offsets": {12, 0, 6, 5},
			"swizzled_slice":                 {37, 0, 0, 0},
			"swizzled_slice_offsets":         {36, 0, 0, 0},
			"swizzled_tile_to_shape":         {38, 0, 0, 0},
			"swizzled_upcast":                {32, 6, 0, 0},
			"swizzled_zipped_divide":         {26, 0, 12, 0},
			"take":                           {30, 0, 0, 0},
			"tensor_slice":                   {17, 0, 0, 0},
			"tile_to_shape":                  {57, 6, 13, 3},
			"tiled_divide":                   {5, 0, 0, 0},
			"tiled_product":                  {31, 0, 2, 0},
			"unflatten":                      {12, 0, 0, 0},
			"upcast":                         {51, 0, 7, 0},
			"weakly_congruent":               {34, 0, 0, 0},
			"zip":                            {15, 0, 0, 0},
			"zipped_divide":                  {5, 0, 0, 0},
			"zipped_product":                 {35, 0, 2, 1},
		}},
		{"cute-cpp-unit.jsonl", map[string]tally{
			"coalesce":          {9, 0, 0, 0},
			"complement":        {36, 0, 0, 0},
			"composition":       {56, 0, 0, 0},
			"domain_distribute": {5, 0, 0, 0},
			"left_inverse":      {25, 0, 0, 1},
			"logical_divide":    {17, 0, 0, 0},
			"logical_product":   {22, 0, 0, 0},
			"nullspace":         {4, 0, 0, 0},
			"right_inverse":     {26, 0, 0, 0},
		}},
	} {
		got := map[string]tally{}
		for _, v := range readVectors(t, c.file) {
			count := got[v.Op]
			answer, err := answerTo(v)
			if ours, ok := disagreements[v.String()]; ok {
				if err != nil {
					require.ErrorContains(t, err, ours, v)
				} else if ours != byDefinition {
					require.Equal(t, ours, answer, v)
				}
				require.Equal(t, err == nil, judge(t, v), v)
				count.Against++
				listed++
			} else {
				switch {
				case err != nil && v.Error != "":
					if slices.Contains(judged, v.Op) {
						require.False(t, judge(t, v), v)
					}
					count.Refuse++
				case err == nil && v.Error == "" && answer == v.want():
					count.Same++
				case err == nil && v.Error == "" && equalFunctions(answer, v.want()):
					count.Equal++
				default:
					assert.Fail(t, "unexpected answer", "%v: %q, %v; reference: %s%s", v, answer, err, v.want(), v.Error)
				}
			}
			got[v.Op] = count
		}
		assert.Equal(t, c.want, got, c.file)
	}
	require.Equal(t, len(disagreements), listed)
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
			"left_inverse":    {22, 8},
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
		for _, v := range readVectors(t, c.file) {
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

// byDefinition stands for an answer that is too long to list: judge proves it.
const byDefinition = "right by the definition"

// judged lists the operations whose refusals judge checks.
var judged = []string{"composition", "complement", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product",
	"zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product", "left_inverse",
	"layout_o_swizzle", "composition_swizzles", "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets", "swizzled_composition_offsets"}

// judge checks our answer to a vector by the definition of its operation, and our refusal by the absence of an answer.
// It tells whether there is one.
func judge(t *testing.T, v vector) bool {
	t.Helper()
	switch v.Op {
	case "flatten", "swizzle", "local_tile", "inner_partition", "max_common_vector", "max_common_layout", "downcast", "recast_layout":
		_, err := answerTo(v)
		return err == nil // the tests of these operations judge them
	case "blocked_product", "raked_product":
		// The same elements as the logical product's, in another order.
		b, ti := layout(t, v.Args[0]), layout(t, v.Args[1])
		answer, err := answerTo(v)
		if err == nil {
			product, err := LogicalProduct(b, ti)
			require.NoError(t, err)
			requireProduct(t, b, ti, product)
			require.ElementsMatch(t, offsets(product), offsets(layout(t, answer)), v)
			return true
		}
		return judgeByMode(t, "logical_product", b, ti)
	case "tile_to_shape":
		shape := tuple(t, v.Args[1])
		block, err := padded(layout(t, v.Args[0]), shape.Rank())
		require.NoError(t, err)
		blocks, err := productEach(block.Shape())
		require.NoError(t, err)
		copies, err := CeilDiv(shape, blocks)
		require.NoError(t, err)
		grid, err := Ordered(copies, tuple(t, v.Args[2]))
		require.NoError(t, err)
		return judgeByMode(t, "logical_product", block, grid)
	case "layout_o_swizzle", "composition_swizzles", "swizzled_right_inverse_offsets", "swizzled_left_inverse_offsets":
		return judgeSwizzled(t, v)
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
func judgeSwizzled(t *testing.T, v vector) bool {
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

// want is the reference's answer in the form of answerTo.
func (v vector) want() string {
	text := string(v.Want)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	if v.Offset != nil {
		text = fmt.Sprintf("(%s,%d)", text, *v.Offset)
	}
	return text
}

// equalFunctions tells whether two texts are layouts of one size with the same offsets, swizzled or not.
func equalFunctions(a, b string) bool {
	la, err := ParseComposed(a)
	if err != nil {
		return false
	}
	lb, err := ParseComposed(b)
	return err == nil && slices.Equal(swizzledOffsets(la), swizzledOffsets(lb))
}

// sizesAt is the shape of coord's profile whose leaves are the sizes of what shape has there.
func sizesAt(coord, shape Tuple) (Tuple, error) {
	if coord.IsLeaf() || shape.IsLeaf() {
		n, err := Product(shape)
		return Int(n), err
	}
	elems := make([]Tuple, coord.Rank())
	for i := range elems {
		var err error
		if elems[i], err = sizesAt(coord.Mode(i), shape.Mode(i)); err != nil {
			return Tuple{}, err
		}
	}
	return MakeTuple(elems...), nil
}

// answerTo runs the operation of a vector. It panics on one that this package does not have.
func answerTo(v vector) (string, error) {
	var failed error
	note := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	tuple := func(i int) Tuple { u, err := ParseTuple(v.Args[i]); note(err); return u }
	layout := func(i int) Layout { l, err := ParseLayout(v.Args[i]); note(err); return l }
	tiler := func(i int) Tiler { u, err := ParseTiler(v.Args[i]); note(err); return u }
	integer := func(i int) int { n, err := strconv.Atoi(v.Args[i]); note(err); return n }
	swizzle := func(i int) Swizzle { s, err := ParseSwizzle(v.Args[i]); note(err); return s }
	swizzled := func(i int) Composed { return Composed{Swizzle: swizzle(i), Layout: layout(i + 1)} }
	give := func(value any, err error) (string, error) {
		note(err)
		return fmt.Sprint(value), failed
	}
	giveSliced := func(l Layout, offset Tuple, err error) (string, error) {
		note(err)
		return fmt.Sprintf("(%v,%v)", l, offset), failed
	}
	giveOffsets := func(size int, at func(int) int) (string, error) {
		texts := make([]string, size)
		for i := range texts {
			texts[i] = strconv.Itoa(at(i))
		}
		return "[" + strings.Join(texts, ",") + "]", failed
	}
	isTrue := map[bool]int{true: 1}

	switch v.Op {
	case "coalesce":
		if len(v.Args) == 2 {
			return give(CoalesceModes(layout(0), tuple(1)))
		}
		return give(Coalesce(layout(0)), nil)
	case "filter":
		if len(v.Args) == 2 {
			return give(FilterModes(layout(0), tuple(1)))
		}
		return give(Filter(layout(0)), nil)
	case "composition":
		return give(CompositionTiler(layout(0), tiler(1)))
	case "complement":
		l := layout(0)
		cotarget := Filter(l).Cosize()
		if len(v.Args) == 2 {
			return give(ComplementShape(l, tuple(1)))
		}
		return give(Complement(l, cotarget))
	case "right_inverse":
		if strings.Contains(v.Args[0], " o ") {
			c, err := ParseComposed(v.Args[0])
			note(err)
			return give(c.RightInverse())
		}
		return give(RightInverse(layout(0)))
	case "logical_divide":
		return give(LogicalDivide(layout(0), tiler(1)))
	case "zipped_divide":
		return give(ZippedDivide(layout(0), tiler(1)))
	case "logical_product":
		return give(LogicalProduct(layout(0), tiler(1)))
	case "blocked_product":
		return give(BlockedProduct(layout(0), layout(1)))
	case "raked_product":
		return give(RakedProduct(layout(0), layout(1)))
	case "local_tile":
		return giveSliced(LocalTile(layout(0), tiler(1), tuple(2)))
	case "local_tile_proj":
		return giveSliced(LocalTileProj(layout(0), tuple(1), tuple(2), tuple(3)))
	case "local_partition", "local_partition_proj":
		proj := keepAll(layout(1))
		if len(v.Args) == 4 {
			proj = tuple(3)
		}
		tv, err := LocalPartitionProj(layout(0), layout(1), proj)
		if note(err); failed != nil {
			return "", failed
		}
		// CuTe gives one thread's part.
		return giveSliced(Slice(tv, MakeTuple(Int(integer(2)), holes(tv.Mode(1)))))
	case "slice_layout":
		l, _, err := Slice(layout(1), tuple(0))
		return give(l, err)
	case "slice_and_offset":
		return giveSliced(Slice(layout(1), tuple(0)))
	case "dice":
		l := layout(1)
		shape, err := Dice(tuple(0), l.Shape())
		note(err)
		stride, err := Dice(tuple(0), l.Stride())
		note(err)
		return give(MakeLayout(shape, stride))
	case "make_identity_layout":
		return give(Identity(tuple(0)))
	case "compact_col_major":
		l, err := ColMajor(tuple(0))
		return give(l.Stride(), err)
	case "compact_row_major":
		l, err := RowMajor(tuple(0))
		return give(l.Stride(), err)
	case "size":
		return give(layout(0).Size(), nil)
	case "cosize":
		return give(layout(0).Cosize(), nil)
	case "rank":
		return give(layout(0).Rank(), nil)
	case "depth":
		return give(layout(0).Depth(), nil)
	case "flatten":
		if strings.Contains(v.Args[0], ":") {
			return give(layout(0).Flatten(), nil)
		}
		return give(Flatten(tuple(0)), nil)
	case "product":
		return give(Product(tuple(0)))
	case "congruent":
		return give(isTrue[Congruent(tuple(0), tuple(1))], nil)
	case "compatible":
		return give(isTrue[Compatible(tuple(0), tuple(1))], nil)
	case "ceil_div":
		return give(CeilDiv(tuple(0), tuple(1)))
	case "crd2idx":
		l, err := ColMajor(tuple(1))
		if len(v.Args) == 3 {
			l, err = MakeLayout(tuple(1), tuple(2))
		}
		note(err)
		return give(l.Index(tuple(0)))
	case "idx2crd":
		if len(v.Args) == 3 {
			l, err := MakeLayout(tuple(1), tuple(2))
			note(err)
			return give(CoordOf(l, integer(0)))
		}
		l, err := ColMajor(tuple(1))
		return give(l.Coord(integer(0)), err)
	case "layout_at":
		if strings.Contains(v.Args[1], "(") {
			return give(layout(0).Index(tuple(1)))
		}
		return give(layout(0).At(integer(1)), nil)
	case "offsets":
		l := layout(0)
		return giveOffsets(l.Size(), l.At)
	case "swizzle":
		s, err := ParseSwizzle(v.Args[0])
		return give(s.Apply(integer(1)), err)
	case "swizzle_offsets":
		s, err := ParseSwizzle(v.Args[0])
		note(err)
		c := Composed{Swizzle: s, Layout: layout(1)}
		return giveOffsets(c.Size(), c.At)
	case "make_swizzle":
		return give(MakeSwizzle(integer(0), integer(1)))
	case "composition_swizzles":
		return give(swizzle(0).Compose(swizzle(1)))
	case "swizzle_upcast":
		return give(swizzle(1).Upcast(integer(0)))
	case "swizzle_downcast":
		return give(swizzle(1).Downcast(integer(0)))
	case "layout_o_swizzle":
		return give(CompositionSwizzle(layout(0), swizzle(1)))
	case "swizzled_upcast":
		return give(swizzled(1).Upcast(integer(0)))
	case "swizzled_downcast":
		return give(swizzled(1).Downcast(integer(0)))
	case "swizzled_recast_layout":
		return give(swizzled(2).Recast(integer(0), integer(1)))
	case "swizzled_zipped_divide":
		c := swizzled(0)
		return give(c.With(ZippedDivide(c.Layout, tiler(2))))
	case "swizzled_tile_to_shape":
		c := swizzled(0)
		return give(c.With(TileToShape(c.Layout, tuple(2))))
	case "swizzled_composition_offsets":
		c, err := swizzled(0).Compose(layout(2))
		note(err)
		return giveOffsets(c.Size(), c.At)
	case "swizzled_right_inverse_offsets":
		c, err := swizzled(0).RightInverse()
		note(err)
		return giveOffsets(c.Size(), c.At)
	case "swizzled_left_inverse_offsets":
		c, err := swizzled(0).LeftInverse()
		note(err)
		return giveOffsets(c.Size(), c.At)
	case "swizzled_slice":
		c, at, err := swizzled(0).Slice(tuple(2))
		note(err)
		return fmt.Sprintf("(%v,%d)", c, at), failed
	case "swizzled_slice_offsets":
		c, at, err := swizzled(0).Slice(tuple(2))
		note(err)
		return giveOffsets(c.Size(), func(i int) int { return at + c.At(i) })
	case "inner_partition":
		return giveSliced(LocalTile(layout(0), tiler(1), tuple(2)))
	case "outer_partition":
		return giveSliced(OuterPartition(layout(0), tiler(1), tuple(2)))
	case "swizzled_max_common_vector":
		return give(swizzled(0).MaxCommonVector(Composed{Layout: layout(2)}))
	case "filter_zeros":
		return give(FilterZeros(layout(0)), nil)
	case "compact_order":
		l, err := Ordered(tuple(0), tuple(1))
		return give(l.Stride(), err)
	case "make_ordered_layout":
		return give(Ordered(tuple(0), tuple(1)))
	case "make_layout_like":
		return give(LayoutLike(layout(0)))
	case "make_fragment_like":
		return give(FragmentLike(layout(0)))
	case "make_layout_right":
		return give(RowMajor(tuple(0)))
	case "domain_offset":
		return giveSliced(DomainOffset(layout(0), tuple(1)))
	case "tensor_slice":
		return giveSliced(Slice(layout(0), tuple(1)))
	case "left_inverse":
		if strings.Contains(v.Args[0], " o ") {
			c, err := ParseComposed(v.Args[0])
			note(err)
			return give(c.LeftInverse())
		}
		return give(LeftInverse(layout(0)))
	case "nullspace":
		return give(Nullspace(layout(0)))
	case "get_hier_coord":
		return give(CoordOf(layout(0), integer(1)))
	case "get_flat_coord":
		coord, err := CoordOf(layout(0), integer(1))
		note(err)
		if layout(0).Depth() == 0 {
			return give(coord, nil)
		}
		sizes, err := productEach(layout(0).Shape())
		note(err)
		return give(Crd2Crd(coord, layout(0).Shape(), sizes))
	case "get_1d_coord":
		coord, err := CoordOf(layout(0), integer(1))
		note(err)
		columns, err := ColMajor(layout(0).Shape())
		note(err)
		return give(columns.Index(coord))
	case "max_common_layout":
		return give(MaxCommonLayout(layout(0), layout(1)))
	case "max_common_vector":
		return give(MaxCommonVector(layout(0), layout(1)))
	case "max_alignment":
		return give(MaxAlignment(layout(0)))
	case "upcast":
		return give(Upcast(layout(1), integer(0)))
	case "downcast":
		return give(Downcast(layout(1), integer(0)))
	case "recast_layout":
		return give(Recast(layout(2), integer(0), integer(1)))
	case "tiled_divide":
		return give(TiledDivide(layout(0), tiler(1)))
	case "flat_divide":
		return give(FlatDivide(layout(0), tiler(1)))
	case "zipped_product":
		return give(ZippedProduct(layout(0), tiler(1)))
	case "tiled_product":
		return give(TiledProduct(layout(0), tiler(1)))
	case "flat_product":
		return give(FlatProduct(layout(0), tiler(1)))
	case "tile_to_shape":
		if len(v.Args) == 3 {
			return give(TileToShapeOrder(layout(0), tuple(1), tuple(2)))
		}
		return give(TileToShape(layout(0), tuple(1)))
	case "domain_distribute":
		return give(DomainDistribute(tuple(0), integer(1)))
	case "inner_product":
		return give(InnerProduct(tuple(0), tuple(1)))
	case "elem_scale":
		return give(ElemScale(tuple(0), tuple(1)))
	case "shape_div":
		return give(ShapeDiv(tuple(0), tuple(1)))
	case "round_up":
		return give(RoundUp(tuple(0), tuple(1)))
	case "weakly_congruent":
		return give(isTrue[WeaklyCongruent(tuple(0), tuple(1))], nil)
	case "evenly_divides":
		return give(isTrue[EvenlyDivides(tuple(0), tuple(1))], nil)
	case "elem_less", "lex_less", "colex_less":
		less := map[string]func(a, b Tuple) (bool, error){"elem_less": ElemLess, "lex_less": LexLess, "colex_less": ColexLess}[v.Op]
		is, err := less(tuple(0), tuple(1))
		return give(isTrue[is], err)
	case "crd2crd":
		// pycute takes the coordinate, the new shape and, where it needs it, the old one.
		if len(v.Args) == 3 {
			return give(Crd2Crd(tuple(0), tuple(2), tuple(1)))
		}
		src, err := sizesAt(tuple(0), tuple(1))
		note(err)
		return give(Crd2Crd(tuple(0), src, tuple(1)))
	case "slice":
		l, err := ColMajor(tuple(1))
		note(err)
		kept, _, err := Slice(l, tuple(0))
		return give(kept.Shape(), err)
	case "get":
		return give(layout(1).Mode(integer(0)), nil)
	case "take":
		return give(layout(2).Take(integer(0), integer(1)))
	case "group":
		return give(layout(2).Group(integer(0), integer(1)))
	case "select":
		var places []int
		for _, p := range tuple(0).Leaves() {
			places = append(places, p.Value())
		}
		return give(layout(1).Select(places...))
	case "replace":
		return give(layout(1).Replace(integer(0), layout(2)))
	case "append":
		return give(layout(0).Append(layout(1)))
	case "prepend":
		return give(layout(0).Prepend(layout(1)))
	case "append_to":
		return give(layout(1).AppendTo(integer(0)))
	case "prepend_to":
		return give(layout(1).PrependTo(integer(0)))
	case "unflatten":
		return give(layout(0).Unflatten(tuple(1)))
	case "zip":
		return give(zip(layout(0), layout(1)))
	case "coshape":
		return give(layout(0).Cosize(), nil)
	case "composed_offsets":
		s, err := ParseSwizzle(v.Args[0])
		note(err)
		c := Composed{s, integer(1), layout(2)}
		return giveOffsets(c.Size(), c.At)
	}
	panic("no operation " + v.Op)
}
