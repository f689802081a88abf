package operation

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

	"cutegen/algebra"
)

// vector is a line of algebra/testdata/vectors.
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
	file, err := os.Open(filepath.Join("..", "testdata", "vectors", name))
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
// with another function: our answer, or a part of our error. The tests of package algebra judge ours by the definition.
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
	"swizzled_right_inverse_offsets Sw<3,4,3> (64,8):(8,1)":              byDefinition,
	"swizzled_left_inverse_offsets Sw<3,4,3> (64,8):(8,1)":               byDefinition,
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
	// CuTe C++ looks for the bits of the swizzle at coordinates that have the numbers of offsets.
	"product_by_swizzled_offsets 8:1 Sw<1,2,1> (4,8):(8,1)":         byDefinition,
	"product_by_swizzled_offsets 8:1 Sw<2,4,3> (4,128,2):(256,2,1)": byDefinition,
	"product_by_swizzled_offsets 8:1 Sw<3,2,3> (4,4,32):(32,128,1)": byDefinition,
	// CuTe C++ refuses there, since the bits that it finds are not a swizzle's.
	"product_by_swizzled_offsets 2:1 Sw<3,0,3> (4,2,4):(8,4,1)":   byDefinition,
	"product_by_swizzled_offsets 8:1 Sw<3,0,3> (16,2):(1,16)":     byDefinition,
	"product_by_swizzled_offsets 4:1 Sw<3,3,3> (64,4):(1,64)":     byDefinition,
	"product_by_swizzled_offsets 2:1 Sw<3,3,3> (64,4):(4,1)":      byDefinition,
	"product_by_swizzled_offsets 2:1 Sw<2,3,3> (4,32):(1,4)":      byDefinition,
	"product_by_swizzled_offsets 4:1 Sw<3,3,3> (2,32,4):(1,2,64)": byDefinition,
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
			"prefix_product":   {53, 0, 0, 0},
			"product":          {16, 0, 0, 0},
			"rank":             {12, 0, 0, 0},
			"right_inverse":    {157, 0, 0, 0},
			"shape_div":        {67, 0, 10, 0},
			"size":             {24, 0, 0, 0},
			"slice":            {36, 0, 0, 0},
			"slice_and_offset": {48, 0, 0, 0},
			"slice_layout":     {60, 0, 0, 0},
			"swizzle":          {70, 0, 0, 2},
			"swizzle_size":     {10, 0, 0, 0},
			"tiled_divide":     {51, 0, 9, 0},
			"tiled_product":    {40, 0, 8, 0},
			"tuple_max":        {7, 0, 0, 0},
			"zipped_divide":    {81, 0, 15, 0},
			"zipped_product":   {52, 0, 7, 1},
		}},
		{"cute-cpp.jsonl", map[string]tally{
			"append":                         {25, 0, 0, 0},
			"append_to":                      {24, 0, 0, 0},
			"blocked_product":                {62, 5, 7, 4},
			"ceil_div":                       {39, 0, 1, 0},
			"coalesce":                       {40, 0, 0, 0},
			"colex_less":                     {12, 0, 0, 0},
			"compact_col_major":              {25, 0, 0, 0},
			"compact_order":                  {19, 0, 0, 0},
			"compact_row_major":              {24, 0, 0, 0},
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
			"product_by_swizzled_offsets":    {6, 0, 0, 9},
			"raked_product":                  {59, 1, 4, 4},
			"recast_layout":                  {40, 0, 8, 2},
			"replace":                        {30, 0, 0, 0},
			"round_up":                       {14, 0, 0, 0},
			"select":                         {30, 0, 0, 0},
			"swizzle_downcast":               {25, 0, 0, 0},
			"swizzle_offsets":                {50, 0, 0, 0},
			"swizzle_upcast":                 {25, 0, 0, 0},
			"swizzled_composition_offsets":   {36, 0, 0, 1},
			"swizzled_downcast":              {38, 0, 0, 0},
			"swizzled_left_inverse_offsets":  {24, 0, 6, 6},
			"swizzled_max_common_vector":     {38, 0, 0, 0},
			"swizzled_recast_layout":         {36, 2, 0, 0},
			"swizzled_right_inverse_offsets": {24, 0, 6, 6},
			"swizzled_slice":                 {37, 0, 0, 0},
			"swizzled_slice_offsets":         {37, 0, 0, 0},
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
			answer, err := answerTo(t, v)
			if ours, ok := disagreements[v.String()]; ok {
				if err != nil {
					require.ErrorContains(t, err, ours, v)
				} else if ours != byDefinition {
					require.Equal(t, ours, answer, v)
				}
				count.Against++
				listed++
			} else {
				switch {
				case err != nil && v.Error != "":
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

// byDefinition stands for an answer that is too long to list: the tests of package algebra prove it.
const byDefinition = "right by the definition"

// answerTo runs the operation of a vector; an answer with an offset is (answer,offset).
func answerTo(t *testing.T, v vector) (string, error) {
	t.Helper()
	o, err := Find(v.Op)
	require.NoError(t, err)
	got, err := o.Run(v.Args...)
	if err != nil {
		return "", err
	}
	if s, ok := got.(Sliced); ok {
		require.True(t, v.Offset != nil || v.Error != "", v)
		return fmt.Sprintf("(%v,%v)", s.Layout, s.Offset), nil
	}
	return Text(got), nil
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
	la, err := algebra.ParseComposed(a)
	if err != nil {
		return false
	}
	lb, err := algebra.ParseComposed(b)
	return err == nil && slices.Equal(listed(la), listed(lb))
}

func listed(c algebra.Composed) []int {
	list := make([]int, c.Size())
	for i := range list {
		list[i] = c.At(i)
	}
	return list
}
