package algebra_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// headers is the functions of CuTe's headers and what they are here: names of this package and of those beside it, or a dash and the
// reason why there is none. A C++ name stands once for each header; its overloads are the Go names.
const headers = `
int_tuple.hpp
ceil_div             CeilDiv
colex_geq            - not ColexLess
colex_gtr            - ColexLess, its arguments exchanged
colex_leq            - not ColexLess, its arguments exchanged
colex_less           ColexLess
compatible           Compatible
congruent            Congruent
depth                Tuple.Depth
elem_geq             - not ElemLess, which is what CuTe's is; it is not "each element is at least"
elem_gtr             - ElemLess, its arguments exchanged
elem_leq             - not ElemLess, its arguments exchanged
elem_less            ElemLess
elem_scale           ElemScale
evenly_divides       EvenlyDivides
fill_int_tuple_from  - fills a C++ type; MakeTuple takes a slice
filter_zeros         FilterZeros
gcd                  - no operation takes the gcd of a tuple
get                  Tuple.Mode
inner_product        InnerProduct
lex_geq              - not LexLess
lex_gtr              - LexLess, its arguments exchanged
lex_leq              - not LexLess, its arguments exchanged
lex_less             LexLess
make_int_tuple       MakeTuple, Ints
make_int_tuple_from  MakeTuple
max                  TupleMax
min                  - no operation takes the least leaf of a tuple
product              Product
product_each         ProductEach
product_like         ProductLike
rank                 Tuple.Rank
round_up             RoundUp
shape                - the shape of a tuple is the tuple
shape_div            ShapeDiv
size                 Product
sum                  - InnerProduct with ones
to_array             Tuple.Leaves
weakly_congruent     WeaklyCongruent

stride.hpp
compact_col_major    CompactColMajor, ColMajor
compact_major        CompactColMajor, CompactRowMajor
compact_order        Ordered
compact_row_major    CompactRowMajor, RowMajor
crd2crd              Crd2Crd
crd2idx              Layout.Index, Layout.Value
idx2crd              Layout.Coord, CoordOf
make_coord_iterator  - a loop over Layout.Size with Layout.Coord

layout.hpp
append               Layout.Append, Layout.AppendTo, Tuple.Append
blocked_product      BlockedProduct
ceil_div             CeilDivLayout
coalesce             Coalesce, CoalesceModes
complement           Complement, ComplementShape
composition          Composition, CompositionTiler
coprofile            Coshape
coshape              Coshape
cosize               Layout.Cosize
crd2idx              Layout.Index
depth                Layout.Depth
dice                 Dice
domain_distribute    DomainDistribute
domain_offset        DomainOffset
downcast             Downcast
filter               Filter, FilterModes
filter_zeros         FilterZeros
flat_divide          FlatDivide
flat_product         FlatProduct
flatten              Layout.Flatten, Flatten
get                  Layout.Mode
group                Layout.Group, Tuple.Group
layout               - the layout of a layout is the layout
left_inverse         LeftInverse
logical_divide       LogicalDivide
logical_product      LogicalProduct
make_coord           MakeTuple, Ints
make_fragment_like   FragmentLike
make_identity_layout Identity
make_layout          MakeLayout, Concat, ColMajor, RowMajor
make_layout_like     LayoutLike
make_ordered_layout  Ordered
make_shape           MakeTuple, Ints
make_step            MakeTuple
make_stride          MakeTuple, Ints, Basis
make_tile            Tile
max_alignment        MaxAlignment
max_common_layout    MaxCommonLayout
max_common_vector    MaxCommonVector
nullspace            Nullspace
prepend              Layout.Prepend, Layout.PrependTo, Tuple.Prepend
print                Layout.String
raked_product        RakedProduct
rank                 Layout.Rank
recast_layout        Recast
replace              Layout.Replace, Tuple.Replace
right_inverse        RightInverse
select               Layout.Select, Tuple.Select
shape                Layout.Shape
size                 Layout.Size
slice                Slice
slice_and_offset     Slice
stride               Layout.Stride
take                 Layout.Take, Tuple.Take
tile_to_shape        TileToShape, TileToShapeOrder
tile_unzip           - ZippedDivide and ZippedProduct do it
tiled_divide         TiledDivide
tiled_product        TiledProduct
transform_layout     - a loop over Layout.Modes, and Concat
unflatten            Layout.Unflatten, Tuple.Unflatten
upcast               Upcast
zip                  - BlockedProduct and RakedProduct do it
zipped_divide        ZippedDivide
zipped_product       ZippedProduct

swizzle.hpp
composition          Swizzle.Compose
downcast             Swizzle.Downcast
make_mixed_bits      - C++ keeps the bits that are known in types; package emit of this module folds expressions
make_swizzle         MakeSwizzle
max_alignment        Composed.MaxAlignment
print                Swizzle.String
safe_div             - of mixed bits
shiftl               - of mixed bits
shiftr               - of mixed bits
to_mixed_bits        - of mixed bits
upcast               Swizzle.Upcast

swizzle_layout.hpp
composition          CompositionSwizzle, CompositionSwizzled, Swizzle.Compose
cosize               Composed.Cosize
downcast             Composed.Downcast
get_nonswizzle_portion  Composed.Layout
get_swizzle_portion  Composed.Swizzle
left_inverse         Composed.LeftInverse
logical_product      LogicalProductSwizzled
make_fragment_like   FragmentLike
make_layout          - Concat of layouts, then Composed.With
max_alignment        Composed.MaxAlignment
max_common_layout    Composed.MaxCommonLayout
max_common_vector    Composed.MaxCommonVector
recast_layout        Composed.Recast
right_inverse        Composed.RightInverse
slice_and_offset     Composed.Slice
upcast               Composed.Upcast

layout_composed.hpp
append               Composed.With
blocked_product      Composed.With
coalesce             Composed.Coalesce, Composed.With
complement           Composed.Complement
composition          Composed.Compose, CompositionSwizzled
cosize               Composed.Cosize
depth                Layout.Depth
domain_offset        Composed.DomainOffset
downcast             Composed.Downcast
filter               Composed.With
flat_divide          Composed.With
flat_product         Composed.With
flatten              Composed.With
get                  Composed.With
group                Composed.With
layout               Composed.Layout
left_inverse         Composed.LeftInverse
logical_divide       Composed.With
logical_product      Composed.With
make_composed_layout Composed, ParseComposed
max_alignment        Composed.MaxAlignment
nullspace            - Nullspace of Composed.Layout: a swizzle is a bijection
print                Composed.String
raked_product        Composed.With
rank                 Layout.Rank
recast_layout        Composed.Recast
right_inverse        Composed.RightInverse
shape                Layout.Shape
size                 Composed.Size
slice                Composed.Slice
slice_and_offset     Composed.Slice
stride               - a swizzled layout has none
take                 Composed.With
tile_to_shape        Composed.With
tile_unzip           - as in layout.hpp
tiled_divide         Composed.With
tiled_product        Composed.With
upcast               Composed.Upcast
zip                  - as in layout.hpp
zipped_divide        Composed.With
zipped_product       Composed.With

tensor_impl.hpp
domain_offset        DomainOffset
group_modes          Layout.Group
inner_partition      LocalTile
local_partition      LocalPartition, LocalPartitionProj
local_tile           LocalTile, LocalTileProj
make_coord_tensor    Identity
make_identity_tensor Identity
make_tensor          - a layout knows no pointer
make_tensor_like     LayoutLike
outer_partition      OuterPartition
recast               Recast
tensor               - a layout knows no pointer

copy_atom.hpp
get_layoutD_TV       tiled.Copy.LayoutDTV
get_layoutS_TV       tiled.Copy.LayoutSTV
get_slice            tiled.Copy.Slice
get_thread_slice     tiled.Copy.Slice
make_cotiled_copy    tiled.MakeCotiledCopy
make_tiled_copy      tiled.MakeCopy, tiled.MakeCopyTV
make_tiled_copy_A    tiled.MakeCopyA
make_tiled_copy_B    tiled.MakeCopyB
make_tiled_copy_C    tiled.MakeCopyC
make_tiled_copy_C_atom  tiled.MakeCopyCAtom
make_tiled_copy_D    tiled.MakeCopyD
make_tiled_copy_S    tiled.MakeCopyS
partition_D          tiled.ThrCopy.PartitionD
partition_S          tiled.ThrCopy.PartitionS
retile               tiled.Copy.Retile
retile_D             tiled.Copy.Retile
retile_S             tiled.Copy.Retile
tidfrg_D             tiled.Copy.TidfrgD
tidfrg_S             tiled.Copy.TidfrgS
tile2thrfrg          - Copy.TidfrgS and Copy.TidfrgD do it
tile_size            tiled.Copy.TileShape

mma_atom.hpp
get_layoutA_TV       tiled.MMA.LayoutATV
get_layoutB_TV       tiled.MMA.LayoutBTV
get_layoutC_TV       tiled.MMA.LayoutCTV
get_slice            tiled.MMA.Slice
get_thr_layout_vmnk  - the atoms' threads and places are in MMA
get_thread_slice     tiled.MMA.Slice
make_fragment_A      - FragmentLike of a partition
make_fragment_B      - FragmentLike of a partition
make_fragment_C      - FragmentLike of a partition
make_tiled_mma       tiled.MakeMMA
partition_A          tiled.ThrMMA.PartitionA
partition_B          tiled.ThrMMA.PartitionB
partition_C          tiled.ThrMMA.PartitionC
partition_fragment_A tiled.ThrMMA.PartitionFragmentA
partition_fragment_B tiled.ThrMMA.PartitionFragmentB
partition_fragment_C tiled.ThrMMA.PartitionFragmentC
partition_shape_A    tiled.MMA.PartitionShapeA
partition_shape_B    tiled.MMA.PartitionShapeB
partition_shape_C    tiled.MMA.PartitionShapeC
permutation_mnk      - a field of MMA
thrfrg_A             tiled.MMA.ThrfrgA
thrfrg_B             tiled.MMA.ThrfrgB
thrfrg_C             tiled.MMA.ThrfrgC
tile_size            tiled.MMA.TileShape
tile_size_mnk        tiled.MMA.TileShape
`

// ours is what is here and in none of these headers, and why.
const ours = `
Bijective            a question with a witness
Injective            a question with a witness
Surjective           a question with a witness
Composed.Bijective   a question with a witness
Composed.Injective   a question with a witness
Composed.Surjective  a question with a witness
Counterexample.String  a question with a witness
Composed.At          CuTe's operator() of a position
Layout.At            CuTe's operator() of a position
Composed.Index       CuTe's operator()
Composed.Part        of CuTe's local_tile and the partitions, what slice does then to a tensor of a swizzled layout
Swizzle.Apply        CuTe's operator()
Composed.Validate    CuTe's static_assert
Swizzle.Validate     CuTe's static_assert
Swizzle.Size         pycute's
PrefixProduct        pycute's
Layout.Equal         CuTe's operator==
Tuple.Equal          CuTe's operator==
Tuple.Value          CuTe's conversion to an integer
Int                  CuTe's Int and int
Tuple.BasisPath      CuTe's ScaledBasis
Tuple.IsLeaf         CuTe's is_integral
Tuple.IsUnderscore   CuTe's is_underscore
Tuple.String         CuTe's print
Tile.String          CuTe's print
Layout.Modes         a list of CuTe's get<i>
Layout.HasBasis      CuTe's is_scaled_basis of some stride
Layout.Component     a layout of coordinates, component by component
Layout.Components    a layout of coordinates, component by component
Dot                  coordinates to offsets, where CuTe composes with a tensor's layout
PartitionTV          CuTe's raked_product, right_inverse and with_shape of a copy, and its tidfrg, in one
PartitionTVProj      CuTe's raked_product, right_inverse and with_shape of a copy, and its tidfrg, in one
MustLayout           text
ParseLayout          text
ParseSwizzle         text
ParseTiler           text
ParseTuple           text
Printable            text
SyntaxError.Error    text
SyntaxError.Picture  text
`

// exported lists the functions, methods, types and fields that a package of this module exports, as they are called from there.
func exported(t *testing.T, folder string) (names, functions []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				called := d.Name.Name
				if d.Recv != nil {
					of := d.Recv.List[0].Type
					if pointer, ok := of.(*ast.StarExpr); ok {
						of = pointer.X
					}
					called = of.(*ast.Ident).Name + "." + called
				}
				if ast.IsExported(d.Name.Name) && ast.IsExported(called) {
					functions = append(functions, called)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					typ, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					names = append(names, typ.Name.Name)
					if fields, ok := typ.Type.(*ast.StructType); ok {
						for _, f := range fields.Fields.List {
							for _, n := range f.Names {
								names = append(names, typ.Name.Name+"."+n.Name)
							}
						}
					}
				}
			}
		}
	}
	return append(names, functions...), functions
}

// TestHeaders: what the table names exists, and what exists is named.
func TestHeaders(t *testing.T) {
	names, functions := exported(t, ".")
	tiled, _ := exported(t, "tiled")
	for _, n := range tiled {
		names = append(names, "tiled."+n)
	}
	named := map[string]bool{}
	type tally struct{ Here, None int }
	count := map[string]tally{}
	header, seen := "", ""
	for line := range strings.Lines(headers) {
		cute, here, ok := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case cute == "":
			continue
		case !ok:
			header, seen = cute, ""
			continue
		}
		assert.Less(t, seen, cute, "%s is sorted, each name once", header)
		seen = cute
		n := count[header]
		here = strings.TrimSpace(here)
		if why, none := strings.CutPrefix(here, "- "); none {
			assert.NotEmpty(t, why, line)
			n.None++
		} else {
			n.Here++
			for _, name := range strings.Split(here, ", ") {
				assert.Contains(t, names, name, "%s: %s", header, cute)
				named[name] = true
			}
		}
		count[header] = n
	}
	assert.Equal(t, map[string]tally{
		"int_tuple.hpp":       {24, 14},
		"stride.hpp":          {7, 1},
		"layout.hpp":          {60, 4},
		"swizzle.hpp":         {6, 5},
		"swizzle_layout.hpp":  {15, 1},
		"layout_composed.hpp": {37, 4},
		"tensor_impl.hpp":     {10, 2},
		"copy_atom.hpp":       {20, 1},
		"mma_atom.hpp":        {20, 5},
	}, count)

	for line := range strings.Lines(strings.TrimSpace(ours)) {
		name, why, ok := strings.Cut(strings.TrimSpace(line), " ")
		assert.True(t, ok && strings.TrimSpace(why) != "", line)
		assert.Contains(t, functions, name)
		assert.False(t, named[name], "%s is a header's too", name)
		named[name] = true
	}
	for _, f := range functions {
		assert.True(t, named[f], "%s: say in headers which function of CuTe it is, or in ours why it is none", f)
	}
}

// TestPackageCommentIsComplete: the package comment shows each function that is a header's.
func TestPackageCommentIsComplete(t *testing.T) {
	_, functions := exported(t, ".")
	doc := strings.Join(comments(t, "doc.go"), "\n")
	for _, f := range functions {
		of, method, isMethod := strings.Cut(f, ".")
		if isMethod && (of == "Tuple" || slices.Contains([]string{"String", "Rank", "Depth", "Mode", "Shape", "Stride"}, method)) {
			continue // a tuple has what a layout has
		}
		shown := strings.Contains(doc, "["+f+"]") || strings.Contains(doc, "."+method+"(") && isMethod || strings.Contains(doc, f+"(")
		assert.True(t, shown || strings.Contains(ours, "\n"+f+" "), "%s: the package comment does not show it", f)
	}
}
