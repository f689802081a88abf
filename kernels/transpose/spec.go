package transpose

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cutegen/algebra"
	"cutegen/kernels"
)

// Spec is the configuration of one transpose kernel. All layouts are over the source's coordinates (m, n).
type Spec struct {
	// Name of the kernel; "" means the name that spells the configuration.
	Name string
	// Tile is (TM,TN).
	Tile algebra.Tuple
	// TS partitions the tile for loading, in vectors along n; TD for storing, in vectors along m.
	TS, TD kernels.Copy
	// ST maps tile coordinates (m,n) to offsets in shared memory. It is written in vectors of 4 where TS has them and they are adjacent and
	// aligned there, else in single elements, and read in single elements.
	ST algebra.Composed
	// MinBlocks per multiprocessor that the register allocation must allow.
	MinBlocks int
}

// FieldDocs are the fields of a spec, with the example of kernels/catalogue.
func FieldDocs() []kernels.FieldDoc {
	return []kernels.FieldDoc{
		{Name: "tile", Meaning: "(TM,TN), the part of the source that a block does; extents from 1 to 1024", Example: "(64,64)"},
		{Name: "tS", Meaning: "the loading threads, a grid over the tile in vectors along n: coordinate -> thread", Example: "(16,16):(16,1)"},
		{Name: "vS", Meaning: "1 or 4 adjacent elements a load; 4 needs src aligned to 16 bytes, its strides to 4 elements", Example: "4"},
		{Name: "tD", Meaning: "the storing threads, a grid over the tile in vectors along m: coordinate -> thread", Example: "(8,32):(1,8)"},
		{Name: "vD", Meaning: "1 or 4 adjacent elements a store; 4 needs dst aligned to 16 bytes, its strides to 4 elements", Example: "4"},
		{Name: "sT", Meaning: "shared memory, (m,n) -> offset, or auto; written by 4 where a vector is adjacent and aligned in it", Example: "Sw<3,2,6> o 0 o (64,64):(64,1)"},
		kernels.MinBlocksDoc("4"),
	}
}

// Parse reads a Spec from its fields. Errors are *kernels.FieldError.
func Parse(fields kernels.Fields) (Spec, error) {
	r := kernels.Read(fields)
	s := Spec{
		Tile: r.Tile("tile", 2),
		TS:   kernels.Copy{Threads: r.Layout("tS"), Vector: r.Vector("vS")},
		TD:   kernels.Copy{Threads: r.Layout("tD"), Vector: r.Vector("vD")},
	}
	s.ST = r.Shared("sT", s.chooseST)
	s.MinBlocks = r.Int("minBlocks", 1, 32)
	return s, r.Done()
}

// chooseST is the layout of shared memory with the fewest bank conflicts: rows of the tile, swizzled or padded.
func (s Spec) chooseST() (algebra.Composed, error) {
	tS, tD, err := s.partitions()
	if err != nil {
		return algebra.Composed{}, err
	}
	plain, err := rows(s.Tile)(0)
	if err != nil {
		return algebra.Composed{}, err
	}
	return kernels.ChooseShared("sT", plain,
		kernels.SharedUse{Name: "tSsT", Partition: &tS, Write: true, Group: s.TS.Vector},
		kernels.SharedUse{Name: "tDsT", Partition: &tD, Group: 1})
}

// partitions are tS and tD on the tile. Errors are *kernels.FieldError.
func (s Spec) partitions() (tS, tD kernels.Partition, err error) {
	if tS, err = kernels.NewPartition("tS", s.Tile, s.TS.Threads, algebra.Ints(1, s.TS.Vector)); err != nil {
		return tS, tD, &kernels.FieldError{Field: "tS", Err: err}
	}
	if tD, err = kernels.NewPartition("tD", s.Tile, s.TD.Threads, algebra.Ints(s.TD.Vector, 1)); err != nil {
		return tS, tD, &kernels.FieldError{Field: "tD", Err: err}
	}
	return tS, tD, nil
}

// Fields is the inverse of Parse.
func (s Spec) Fields() kernels.Fields {
	return kernels.Fields{
		"tile": s.Tile.String(),
		"tS":   s.TS.Threads.String(), "vS": strconv.Itoa(s.TS.Vector),
		"tD": s.TD.Threads.String(), "vD": strconv.Itoa(s.TD.Vector),
		"sT":        s.ST.String(),
		"minBlocks": strconv.Itoa(s.MinBlocks),
	}
}

// SpelledName spells the configuration:
//
//	transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4
//
// is tile (64,64), tS (16,16):(16,1) in vectors of 4, tD (8,32):(1,8) in vectors of 4, sT under Sw<3,2,6>, and at least 4 blocks on a
// multiprocessor.
func (s Spec) SpelledName() (string, error) {
	tS, err := s.TS.Token("tS", "mn")
	if err != nil {
		return "", &kernels.FieldError{Field: "tS", Err: err}
	}
	tD, err := s.TD.Token("tD", "mn")
	if err != nil {
		return "", &kernels.FieldError{Field: "tD", Err: err}
	}
	sT, err := kernels.SharedToken("sT", s.ST, rows(s.Tile))
	if err != nil {
		return "", &kernels.FieldError{Field: "sT", Err: err}
	}
	return strings.Join([]string{"transpose_f32", extents(s.Tile), tS, tD, sT, fmt.Sprintf("b%d", s.MinBlocks)}, "_"), nil
}

func extents(tile algebra.Tuple) string {
	return fmt.Sprintf("%dx%d", tile.Mode(0).Value(), tile.Mode(1).Value())
}

// rows makes the layouts of sT that have a token: rows of the tile, each followed by padding.
func rows(tile algebra.Tuple) func(pad int) (algebra.Layout, error) {
	return func(pad int) (algebra.Layout, error) {
		return algebra.MakeLayout(tile, algebra.Ints(tile.Mode(1).Value()+pad, 1))
	}
}

var name = regexp.MustCompile(`^transpose_f32_(\d+)x(\d+)_([^_]+)_([^_]+)_([^_]+)_b(\d+)$`)

// ParseName is the inverse of SpelledName. A text that only reads like a name, as one with leading zeros, is a *kernels.SpellingError.
func ParseName(text string) (Spec, error) {
	m := name.FindStringSubmatch(text)
	if m == nil {
		return Spec{}, fmt.Errorf("%+q does not spell a transpose: want transpose_f32_TMxTN_tS..._tD..._sT..._bN, as transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4", text)
	}
	fields := kernels.Fields{"tile": fmt.Sprintf("(%s,%s)", m[1], m[2]), "minBlocks": m[6]}
	tile, err := algebra.ParseTuple(fields["tile"])
	if err != nil {
		return Spec{}, err
	}
	tS, err := kernels.ParseCopy(m[3], "tS", "mn")
	if err != nil {
		return Spec{}, err
	}
	tD, err := kernels.ParseCopy(m[4], "tD", "mn")
	if err != nil {
		return Spec{}, err
	}
	sT, err := kernels.ParseShared(m[5], "sT", rows(tile))
	if err != nil {
		return Spec{}, err
	}
	fields["tS"], fields["vS"] = tS.Threads.String(), strconv.Itoa(tS.Vector)
	fields["tD"], fields["vD"] = tD.Threads.String(), strconv.Itoa(tD.Vector)
	fields["sT"] = sT.String()
	s, err := Parse(fields)
	if err != nil {
		return Spec{}, err
	}
	return s, kernels.CheckSpelling(text, s.SpelledName)
}
