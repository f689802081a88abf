package sgemm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cutegen/algebra"
	"cutegen/kernels"
)

// Spec is the configuration of one SGEMM kernel.
type Spec struct {
	// Name of the kernel; "" means the name that spells the configuration.
	Name string
	// Ops are NN, NT, TN or TT: whether A and B are stored transposed. N: A is MxK, B is KxN.
	Ops string
	// Tile is (BM,BN,BK).
	Tile algebra.Tuple
	// TA partitions the tile (BM,BK) of A, TB the tile (BN,BK) of B, in vectors along the mode that is contiguous in memory.
	TA, TB kernels.Copy
	// TC maps the grid of threads over (BM,BN), counted in pieces, to the thread.
	TC algebra.Layout
	// RC is the piece of C that a thread computes at each repetition, (rows, columns).
	RC algebra.Tuple
	// VC is the number of adjacent elements of C that one instruction stores: 1 or 4.
	VC int
	// SA maps (m,k,stage) to offsets in shared memory, SB (n,k,stage). They are written and read in vectors of 4 where the vectors are
	// adjacent and aligned there, else in single elements.
	SA, SB algebra.Composed
	// MinBlocks per multiprocessor that the register allocation must allow.
	MinBlocks int
}

// FieldDocs are the fields of a spec, with the first example of kernels/catalogue.
func FieldDocs() []kernels.FieldDoc {
	return []kernels.FieldDoc{
		{Name: "ops", Meaning: "NN, NT, TN or TT; N: A is stored MxK, B KxN; T: transposed", Example: "NN"},
		{Name: "tile", Meaning: "(BM,BN,BK), a block's tile of C and its step along K; extents from 1 to 1024", Example: "(128,128,8)"},
		{Name: "tA", Meaning: "the threads that copy A, a grid over (BM,BK) in vectors along k (ops N.) or m (ops T.)", Example: "(128,2):(2,1)"},
		{Name: "vA", Meaning: "1 or 4 adjacent elements of A a load; 4 needs A aligned to 16 bytes, lda to 4 elements", Example: "4"},
		{Name: "tB", Meaning: "the threads that copy B, a grid over (BN,BK) in vectors along n (ops .N) or k (ops .T)", Example: "(32,8):(1,32)"},
		{Name: "vB", Meaning: "1 or 4 adjacent elements of B a load; 4 needs B aligned to 16 bytes, ldb to 4 elements", Example: "4"},
		{Name: "tC", Meaning: "the computing threads, a grid over (BM,BN) in pieces of rC: coordinate -> thread", Example: "((4,4),(8,2)):((8,64),(1,32))"},
		{Name: "rC", Meaning: "(rows,columns), the piece of C that a thread computes at each repetition of the grid", Example: "(4,4)"},
		{Name: "vC", Meaning: "1 or 4 adjacent elements of C a store; 4 needs C aligned to 16 bytes, ldc to 4 elements", Example: "4"},
		{Name: "sA", Meaning: "A in shared memory, (m,k,stage) -> offset, two stages, or auto; by 4 where adjacent and aligned", Example: "(128,8,2):(1,132,1056)"},
		{Name: "sB", Meaning: "B in shared memory, (n,k,stage) -> offset, two stages, or auto; by 4 where adjacent and aligned", Example: "(128,8,2):(1,128,1024)"},
		kernels.MinBlocksDoc("2"),
	}
}

// Parse reads a Spec from its fields. Errors are *kernels.FieldError.
func Parse(fields kernels.Fields) (Spec, error) {
	r := kernels.Read(fields)
	s := Spec{
		Ops:  r.Text("ops", "NN", "NT", "TN", "TT"),
		Tile: r.Tile("tile", 3),
		TA:   kernels.Copy{Threads: r.Layout("tA"), Vector: r.Vector("vA")},
		TB:   kernels.Copy{Threads: r.Layout("tB"), Vector: r.Vector("vB")},
		TC:   r.Layout("tC"),
		RC:   r.Tile("rC", 2),
		VC:   r.Vector("vC"),
	}
	s.SA = r.Shared("sA", func() (algebra.Composed, error) { return choose(s.operandA()) })
	s.SB = r.Shared("sB", func() (algebra.Composed, error) { return choose(s.operandB()) })
	s.MinBlocks = r.Int("minBlocks", 1, 32)
	return s, r.Done()
}

// choose is the operand's layout with the fewest bank conflicts: rows along m or n, swizzled or padded, in two stages.
func choose(o Operand, err error) (algebra.Composed, error) {
	if err != nil {
		return algebra.Composed{}, err
	}
	plain, err := algebra.ColMajor(o.Copy.Tile)
	if err != nil {
		return algebra.Composed{}, err
	}
	c, err := kernels.ChooseShared("s"+o.Name, plain,
		kernels.SharedUse{Name: fmt.Sprintf("t%ss%s", o.Name, o.Name), Partition: &o.Copy, Write: true, Group: o.Vector},
		kernels.SharedUse{Name: "tCs" + o.Name, Partition: &o.Fragment, Group: o.piece.Value()})
	if err != nil {
		return algebra.Composed{}, err
	}
	// The second stage begins behind the first, where the vectors are aligned and the swizzle begins anew.
	align, err := c.Swizzle.Size()
	if err != nil {
		return algebra.Composed{}, err
	}
	align = max(align, kernels.VectorWidth)
	stage := 0
	shapes, strides := c.Layout.Shape().Leaves(), c.Layout.Stride().Leaves()
	for k := range shapes {
		stage = max(stage, shapes[k].Value()*strides[k].Value())
	}
	stages, err := algebra.MakeLayout(algebra.Int(2), algebra.Int((stage+align-1)/align*align))
	if err != nil {
		return algebra.Composed{}, err
	}
	return c.With(c.Layout.Append(stages))
}

// Fields is the inverse of Parse.
func (s Spec) Fields() kernels.Fields {
	return kernels.Fields{
		"ops": s.Ops, "tile": s.Tile.String(),
		"tA": s.TA.Threads.String(), "vA": strconv.Itoa(s.TA.Vector),
		"tB": s.TB.Threads.String(), "vB": strconv.Itoa(s.TB.Vector),
		"tC": s.TC.String(), "rC": s.RC.String(), "vC": strconv.Itoa(s.VC),
		"sA": s.SA.String(), "sB": s.SB.String(),
		"minBlocks": strconv.Itoa(s.MinBlocks),
	}
}

// SpelledName spells the configuration:
//
//	sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2
//
// is ops NN, tile (128,128,8), tA (128,2):(2,1) in vectors of 4 along k, tB (32,8):(1,32) in vectors of 4 along n, tC of 4x8 lanes in 4x2
// warps with pieces of 4x4 and stores of 4, sA with rows padded by 4, sB compact, and at least 2 blocks on a multiprocessor.
func (s Spec) SpelledName() (string, error) {
	field := func(name string, err error) error { return &kernels.FieldError{Field: name, Err: err} }
	tA, err := s.TA.Token("tA", "mk")
	if err != nil {
		return "", field("tA", err)
	}
	tB, err := s.TB.Token("tB", "nk")
	if err != nil {
		return "", field("tB", err)
	}
	tC, err := s.tokenC()
	if err != nil {
		return "", field("tC", err)
	}
	bm, bn, bk := s.extents()
	sA, err := kernels.SharedToken("sA", s.SA, stages(bm, bk))
	if err != nil {
		return "", field("sA", err)
	}
	sB, err := kernels.SharedToken("sB", s.SB, stages(bn, bk))
	if err != nil {
		return "", field("sB", err)
	}
	return strings.Join([]string{"sgemm", strings.ToLower(s.Ops), fmt.Sprintf("%dx%dx%d", bm, bn, bk),
		tA, tB, tC, sA, sB, fmt.Sprintf("b%d", s.MinBlocks)}, "_"), nil
}

func (s Spec) extents() (bm, bn, bk int) {
	return s.Tile.Mode(0).Value(), s.Tile.Mode(1).Value(), s.Tile.Mode(2).Value()
}

// stages makes the layouts of sA and sB that have a token: two stages of k rows of the tile's extent, each row followed by
// padding.
func stages(extent, bk int) func(pad int) (algebra.Layout, error) {
	return func(pad int) (algebra.Layout, error) {
		return algebra.MakeLayout(algebra.Ints(extent, bk, 2), algebra.Ints(1, extent+pad, (extent+pad)*bk))
	}
}

// warps is the layout of lanes inside warps, both with their second mode fastest:
//
//	lanes (4,8):(8,1), warps (4,2):(2,1)  ->  ((4,4),(8,2)):((8,64),(1,32))
func warps(lm, ln, wm, wn int) (algebra.Layout, error) {
	return algebra.MakeLayout(
		algebra.MakeTuple(algebra.Ints(lm, wm), algebra.Ints(ln, wn)),
		algebra.MakeTuple(algebra.Ints(ln, lm*ln*wn), algebra.Ints(1, lm*ln)))
}

func (s Spec) tokenC() (string, error) {
	shape := s.TC.Shape()
	if shape.Rank() == 2 && shape.Mode(0).Rank() == 2 && shape.Mode(1).Rank() == 2 {
		var n []int
		for _, leaf := range shape.Leaves() {
			n = append(n, leaf.Value())
		}
		if len(n) == 4 {
			if l, err := warps(n[0], n[2], n[1], n[3]); err == nil && l.Equal(s.TC) {
				return fmt.Sprintf("tC%dx%dw%dx%dr%dx%dv%d", n[0], n[2], n[1], n[3], s.RC.Mode(0).Value(), s.RC.Mode(1).Value(), s.VC), nil
			}
		}
	}
	return "", fmt.Errorf("layout %s has no token in the name grammar, which spells lanes in warps, ((lm,wm),(ln,wn)):((ln,lm*ln*wn),(1,lm*ln)): add name: to the spec", s.TC)
}

var name = regexp.MustCompile(`^sgemm_(nn|nt|tn|tt)_(\d{1,4})x(\d{1,4})x(\d{1,4})_([^_]+)_([^_]+)_tC(\d{1,4})x(\d{1,4})w(\d{1,4})x(\d{1,4})r(\d+)x(\d+)v(\d+)_([^_]+)_([^_]+)_b(\d+)$`)

// ParseName is the inverse of SpelledName. A text that only reads like a name, as one with leading zeros, is a *kernels.SpellingError.
func ParseName(text string) (Spec, error) {
	m := name.FindStringSubmatch(text)
	if m == nil {
		return Spec{}, fmt.Errorf("%+q does not spell an sgemm: want sgemm_OPS_BMxBNxBK_tA..._tB..._tC..._sA..._sB..._bN, as sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2", text)
	}
	n := map[int]int{}
	for _, i := range []int{2, 3, 4, 7, 8, 9, 10} {
		var err error
		if n[i], err = strconv.Atoi(m[i]); err != nil || n[i] < 1 {
			return Spec{}, fmt.Errorf("%q: %s is no extent", text, m[i])
		}
	}
	tA, err := kernels.ParseCopy(m[5], "tA", "mk")
	if err != nil {
		return Spec{}, err
	}
	tB, err := kernels.ParseCopy(m[6], "tB", "nk")
	if err != nil {
		return Spec{}, err
	}
	tC, err := warps(n[7], n[8], n[9], n[10])
	if err != nil {
		return Spec{}, err
	}
	sA, err := kernels.ParseShared(m[14], "sA", stages(n[2], n[4]))
	if err != nil {
		return Spec{}, err
	}
	sB, err := kernels.ParseShared(m[15], "sB", stages(n[3], n[4]))
	if err != nil {
		return Spec{}, err
	}
	s, err := Parse(kernels.Fields{
		"ops": strings.ToUpper(m[1]), "tile": fmt.Sprintf("(%s,%s,%s)", m[2], m[3], m[4]),
		"tA": tA.Threads.String(), "vA": strconv.Itoa(tA.Vector),
		"tB": tB.Threads.String(), "vB": strconv.Itoa(tB.Vector),
		"tC": tC.String(), "rC": fmt.Sprintf("(%s,%s)", m[11], m[12]), "vC": m[13],
		"sA": sA.String(), "sB": sB.String(), "minBlocks": m[16],
	})
	if err != nil {
		return Spec{}, err
	}
	return s, kernels.CheckSpelling(text, s.SpelledName)
}
