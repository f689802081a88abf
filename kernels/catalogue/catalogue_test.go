package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
)

// Every name of the default catalogue is parsed back to a kernel with the same source.
func TestDefaultNamesSpellTheirKernels(t *testing.T) {
	entries, err := Default()
	require.NoError(t, err)
	require.Len(t, entries, 13)
	for _, e := range entries {
		fromFile, err := e.Generate()
		require.NoError(t, err)
		assert.Equal(t, e.Name, fromFile.Manifest.Name)
		assert.Equal(t, kernels.Hash(fromFile.Source), fromFile.Manifest.SourceHash)
		assert.Contains(t, fromFile.Source, "\nextern \"C\" const char* "+e.Name+"_source() { return \""+fromFile.Manifest.SourceHash+"\"; }\n")
		parsed, err := ParseName(e.Name)
		require.NoError(t, err)
		fromName, err := parsed.Generate()
		require.NoError(t, err)
		assert.Equal(t, fromFile, fromName, e.Name)
	}
}

// Each kernel's spec in its manifest is a spec file's entry that gives the same kernel again.
func TestManifestSpecIsASpec(t *testing.T) {
	entries, err := Default()
	require.NoError(t, err)
	for _, e := range entries {
		k, err := e.Generate()
		require.NoError(t, err)
		var again Entry
		fields := map[string]string{"family": e.Family}
		for f, v := range k.Manifest.Spec {
			fields[f] = v
		}
		require.NoError(t, again.fields(fields))
		k2, err := again.Generate()
		require.NoError(t, err)
		assert.Equal(t, k.Source, k2.Source)
	}
}

const good = `- family: transpose
  tile: (64,64)
  tS: (16,16):(16,1)
  vS: 4
  tD: (8,32):(1,8)
  vD: 4
  sT: Sw<3,2,6> o 0 o (64,64):(64,1)
  minBlocks: 4
`

func TestFileErrorsHavePositions(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"syntax", "vS: 4", "vS: [4", "spec.yaml:5:3: "},
		{"no list", good, "family: transpose\n", "spec.yaml:1:7: want a list of mappings"},
		{"empty", good, "", "spec.yaml:1:1: no kernels"},
		{"unknown family", "family: transpose", "family: transport", `spec.yaml:1:11: family: got "transport", want transpose or sgemm`},
		{"missing", "  vD: 4\n", "", "spec.yaml:1:3: vD: is missing"},
		{"unknown field", "vD: 4", "vD: 4\n  vE: 4", "spec.yaml:7:3: vE: is no field of this family, whose fields are family, name, experimental, tile, tS, vS, tD, vD, sT, minBlocks"},
		{"misspelled field", "vD: 4", "vd: 4", "spec.yaml:6:3: vd: is no field of this family"},
		{"twice", "vD: 4", "vD: 4\n  vD: 4", "spec.yaml:7:3: "},
		{"not one value", "vD: 4", "vD: {a: 4}", "spec.yaml:6:7: field vD: want one value, as vD: 4"},
		{"no name", "vD: 4", "vD: 4\n  name:", "spec.yaml:7:8: field name: want one value, as name: transpose_mine"},
		{"null name", "vD: 4", "vD: 4\n  name: null", "spec.yaml:7:9: field name: want one value, as name: transpose_mine"},
		{"no field, no value", "vD: 4", "vD: 4\n  vE:", "spec.yaml:7:6: field vE: want one value"},
		{"vector", "vD: 4", "vD: 3", `spec.yaml:6:7: vD: got "3", want one of 1, 4`},
		{"layout", "(16,16):(16,1)", "(16,16):(16", "spec.yaml:3:7: tS: "},
		{"rank", "(64,64)\n", "(64,64,2)\n", "spec.yaml:2:9: tile: got (64,64,2), want a shape of 2 integers from 1 to 1024"},
		{"basis", "(64,64):(64,1)", "(64,64):(1@0,1@1)", "spec.yaml:7:7: sT: "},
		{"negative", "(16,16):(16,1)", "(16,16):(16,-1)", "spec.yaml:3:7: tS: layout (16,16):(16,-1) has the negative stride -1"},
		{"experimental", "vD: 4", "vD: 4\n  experimental: maybe", `spec.yaml:7:17: experimental: got "maybe"`},
		{"name", "vD: 4", "vD: 4\n  name: 4x4", `spec.yaml:7:9: name: got "4x4", want transpose_ and then letters, digits and underscores, at most 128 in all`},
		{"family alone", "vD: 4", "vD: 4\n  name: transpose_", `spec.yaml:7:9: name: got "transpose_", want transpose_ and then letters`},
		{"another spec's name", "vD: 4", "vD: 4\n  name: transpose_f32_32x32_tS8x32n1_tD32x8m1_sTp1_b8", `spec.yaml:7:9: name: got "transpose_f32_32x32_tS8x32n1_tD32x8m1_sTp1_b8", which spells another configuration: take another name, or leave the field out`},
		{"its name misspelled", "vD: 4", "vD: 4\n  name: transpose_f32_064x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4", `spec.yaml:7:9: name: "transpose_f32_064x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4" is not how a name spells its configuration: want transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4`},
		{"no token, a spec's name", "(16,16):(16,1)", "(16,(4,4)):(16,(4,1))\n  name: transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4", `spec.yaml:4:9: name: got`},
		{"wide digits", "minBlocks: 4", "minBlocks: ４", `spec.yaml:8:14: minBlocks: got "\uff14", want an integer from 1 to 32`},
		{"wide digits in a name", "vD: 4", "vD: 4\n  name: transpose_４", `spec.yaml:7:9: name: got "transpose_\uff14", want transpose_ and`},
		{"a word of C", "vD: 4", "vD: 4\n  name: float", `spec.yaml:7:9: name: got "float", want transpose_`},
		{"another family's name", "vD: 4", "vD: 4\n  name: sgemm_a", `spec.yaml:7:9: name: got "sgemm_a", want transpose_`},
		{"long name", "vD: 4", "vD: 4\n  name: transpose_" + strings.Repeat("a", 119), `spec.yaml:7:9: name: got "transpose_aaa`},
		{"device name", "vD: 4", "vD: 4\n  name: transpose_a_kernel", `spec.yaml:7:9: name: got "transpose_a_kernel", which is what kernel transpose_a is called on the device`},
		{"stamp's name", "vD: 4", "vD: 4\n  name: transpose_a_source", `spec.yaml:7:9: name: got "transpose_a_source", by which the library of kernel transpose_a tells its source`},
		{"no Go package", "vD: 4", "vD: 4\n  name: transpose_windows", `spec.yaml:7:9: name: bind: kernel name "transpose_windows": the go command`},
		{"no fields", good, "- {}", "spec.yaml:1:3: family: is missing"},
		{"empty value", "vD: 4", "vD:", "spec.yaml:6:6: field vD: want one value"},
		{"tag", "vD: 4", "vD: !!int 4", "spec.yaml:6:7: field vD: want one value"},
		{"anchor", "vD: 4", "vD: &v 4", "spec.yaml:6:7: field vD: want one value"},
		{"alias", "vD: 4", "vD: *v", "spec.yaml:6:7: field vD: want one value"},
		{"two documents", good, good + "---\n---\n" + good, "spec.yaml:10:1: a second document"},
		{"same name", good, good + good, "spec.yaml:9:3: kernel transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4 is stated already at spec.yaml:1:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, good, c.from)
			_, err := parse("spec.yaml", []byte(strings.Replace(good, c.from, c.to, 1)))
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "got  %s\nwant %s", err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// What would keep the YAML parser busy for minutes, or take gigabytes, is refused before it starts.
func TestParseIsQuick(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"brackets", strings.Repeat("[", 1<<19)},
		{"braces", "- " + strings.Repeat("{a: ", 1<<18)},
		{"brackets over entries", strings.Repeat("- [\n", 1<<18)},
		{"aliases", "- a: " + strings.Repeat("*a ", 1<<18)},
		{"entries in one line", strings.Repeat("- ", 1<<19)},
		{"one mapping", strings.Repeat("k: v\n", 1<<17)},
		{"documents", strings.Repeat("---\n- a: b\n", 1<<16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("spec.yaml", []byte(c.text))
			require.Error(t, err)
			assert.Regexp(t, `^spec\.yaml:\d+:\d+: (one kernel goes on|a second document)`, err.Error())
		})
	}
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "%s  name: transpose_k%d\n# kernel %d\n", good, i, i)
	}
	entries, err := parse("spec.yaml", []byte(many.String()))
	require.NoError(t, err)
	assert.Len(t, entries, 500)
}

// A long layout may be quoted, or stand on lines of its own.
func TestFileValues(t *testing.T) {
	for _, value := range []string{`"(8,32):(1,8)"`, `'(8,32):(1,8)'`, "|\n    (8,32):(1,8)", ">-\n    (8,32):\n    (1,8)"} {
		entries, err := parse("spec.yaml", []byte(strings.Replace(good, "(8,32):(1,8)", value, 1)))
		require.NoError(t, err, value)
		assert.Equal(t, "transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4", entries[0].Name)
	}
}

const product = `- family: sgemm
  ops: NN
  tile: (128,128,8)
  tA: (128,2):(2,1)
  vA: 4
  tB: (32,8):(1,32)
  vB: 4
  tC: ((4,4),(8,2)):((8,64),(1,32))
  rC: (4,4)
  vC: 4
  sA: (128,8,2):(1,132,1056)
  sB: (128,8,2):(1,128,1024)
  minBlocks: 2
`

// What no kernel can be is refused with the position of the field at fault, whether or not the layouts have a name: that is asked for last.
func TestRefusalsHavePositions(t *testing.T) {
	for _, c := range []struct{ name, spec, from, to, want string }{
		{"does not cover", good, "(16,16):(16,1)", "(24,10):(10,1)", "spec.yaml:3:7: tS: partition"},
		{"too many threads", good, "(16,16):(16,1)", "(128,16):(16,1)", "spec.yaml:3:7: tS: layout (128,16):(16,1) of threads"},
		{"thread twice", good, "(16,16):(16,1)", "(16,16):(16,2)", "spec.yaml:3:7: tS: partition"},
		{"threads differ", good, "(8,32):(1,8)", "(8,16):(1,8)", "spec.yaml:5:7: tD: layout (8,16):(1,8) has 128 threads"},
		{"shape", good, "(64,64):(64,1)", "(64,32):(32,1)", "spec.yaml:7:7: sT: layout"},
		{"shared memory", good, "(64,64):(64,1)", "(64,64):(640,1)", "spec.yaml:7:7: sT: shared memory needs 40"},
		{"huge stride", good, "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(73201365371863299,1)", "spec.yaml:7:7: sT: shared memory needs 4611686018427387901 floats"},
		{"aliasing", good, "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(32,1)", "spec.yaml:7:7: sT: race on sT"},
		{"blocks", good, "minBlocks: 4", "minBlocks: 9", "spec.yaml:8:14: minBlocks: 9 blocks of 256 threads"},
		{"aliasing in A", product, "(1,132,1056)", "(1,64,1056)", "spec.yaml:11:7: sA: race on sA"},
		{"aliasing in B", product, "(1,128,1024)", "(1,64,1024)", "spec.yaml:12:7: sB: race on sB"},
		{"stages meet", product, "(1,128,1024)", "(1,128,512)", "spec.yaml:12:7: sB: race on sB"},
		{"stages under a swizzle", product, "(128,8,2):(1,128,1024)", "Sw<2,3,6> o 0 o (128,8,2):(1,128,1032)", "spec.yaml:12:7: sB: layout"},
		{"shared memory of B", product, "(1,128,1024)", "(1,1280,10240)", "spec.yaml:12:7: sB: shared memory needs"},
		{"too many computing threads", product, "((4,4),(8,2)):((8,64),(1,32))", "((8,8),(8,2)):((8,128),(1,64))", "spec.yaml:8:7: tC: layout ((8,8),(8,2)):((8,128),(1,64)) of threads"},
		{"pieces of other stores", product, "rC: (4,4)", "rC: (4,2)", "spec.yaml:10:7: vC: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, c.spec, c.from)
			text := strings.Replace(c.spec, c.from, c.to, 1)
			family, _, _ := strings.Cut(strings.TrimPrefix(text, "- family: "), "\n")
			for _, text := range []string{text, text + "  name: " + family + "_named\n"} {
				entries, err := parse("spec.yaml", []byte(text))
				if err == nil {
					_, err = entries[0].Generate()
				}
				require.Error(t, err)
				assert.True(t, strings.HasPrefix(err.Error(), c.want), "got  %s\nwant %s", err, c.want)
			}
		})
	}

	// Nothing is wrong but that it has no name.
	_, err := parse("spec.yaml", []byte(strings.Replace(good, "(16,16):(16,1)", "(16,(4,4)):(16,(1,4))", 1)))
	assert.EqualError(t, err, "spec.yaml:3:7: tS: layout (16,(4,4)):(16,(1,4)) has no token in the name grammar, which spells (a,b):(1,a) and (a,b):(b,1): add name: to the spec")
	// Where there is no file, the name is the position.
	e, err := ParseName("transpose_f32_64x64_tS16x16n4_tD8x16m4_sTsw3x2x6_b4")
	require.NoError(t, err)
	_, err = e.Generate()
	assert.ErrorContains(t, err, "transpose_f32_64x64_tS16x16n4_tD8x16m4_sTsw3x2x6_b4: tD: layout (8,16):(1,8) has 128 threads")
}

// A layout that only just has no vectors is told, with its position; one that is not for vectors is not.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ spec, from, to, want string }{
		{good, "", "", ""},
		{good, "(16,16):(16,1)\n  vS: 4", "(8,32):(32,1)\n  vS: 1", ""},
		{good, "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(1,64)",
			"spec.yaml:7:7: sT: access tSsT has bank conflicts: an instruction of a warp takes 16 wavefronts, where 1 would do"},
		{good, "Sw<3,2,6> o 0 o (64,64):(64,1)", "auto", "spec.yaml:7:7: sT: auto is Sw<3,2,6> o 0 o (64,64):(64,1)"},
		{good, "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(65,1)",
			"spec.yaml:7:7: sT: moves single elements, not vectors of 4: access tSsT: the vector of 4 at coordinate (1,0) (thread 16, value 0) starts at offset 65"},
		{good, "Sw<3,2,6>", "Sw<3,0,6>", "spec.yaml:7:7: sT: moves single elements, not vectors of 4: access tSsT: the vector of 4 at coordinate (1,0)"},
		{product, "", "", ""},
		{product, "(1,132,1056)", "(1,129,1032)", "spec.yaml:11:7: sA: moves single elements, not vectors of 4: access tCsA: the vector of 4 at coordinate (0,1)"},
		{product, "(1,128,1024)", "(1,128,1025)", "spec.yaml:12:7: sB: moves single elements, not vectors of 4: access tBsB: the second stage starts at offset 1025"},
		{product, "rC: (4,4)", "rC: (2,4)", ""},
		{product, "(128,8,2):(1,132,1056)", "auto", "spec.yaml:11:7: sA: auto is Sw<1,4,5> o 0 o (128,8,2):(1,128,1024)"},
		{product, "(1,132,1056)", "(1,128,1024)",
			"spec.yaml:11:7: sA: access tAsA has bank conflicts: an instruction of a warp takes 2 wavefronts, where 1 would do"},
	} {
		text := strings.Replace(c.spec, c.from, c.to, 1)
		family, _, _ := strings.Cut(strings.TrimPrefix(text, "- family: "), "\n")
		entries, err := parse("spec.yaml", []byte(text+"  name: "+family+"_named\n"))
		require.NoError(t, err, text)
		notes, err := entries[0].Notes()
		require.NoError(t, err, text)
		if c.want == "" {
			assert.Empty(t, notes, text)
			continue
		}
		require.NotEmpty(t, notes, text)
		assert.True(t, strings.HasPrefix(notes[0].Error(), c.want), "got  %s\nwant %s", notes[0], c.want)
	}
}

// The descriptions are of the fields that a spec has, and their examples are a kernel.
func TestFieldDocs(t *testing.T) {
	for _, family := range Families() {
		fields := kernels.Fields{}
		for _, f := range FieldDocs(family) {
			fields[f.Name] = f.Example
			assert.NotEmpty(t, f.Meaning, f.Name)
		}
		fields["family"], fields["name"] = family, family+"_example"
		var e Entry
		require.NoError(t, e.fields(fields), family)
		k, err := e.Generate()
		require.NoError(t, err, family)
		for name, value := range k.Manifest.Spec {
			assert.Equal(t, fields[name], value, "%s of %s", name, family)
		}
		assert.Len(t, fields, len(k.Manifest.Spec)+len(kernels.CommonFields()), family)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.yaml")
	require.NoError(t, os.WriteFile(path, []byte(good), 0o644))
	entries, err := Load(path)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4", entries[0].Name)
	_, err = Load(path + "x")
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<20+1), 0o644))
	_, err = Load(path)
	assert.EqualError(t, err, path+": more than the 1048576 bytes of a spec file")
	_, err = Load("/dev/zero") // a size of 0, and no end
	assert.EqualError(t, err, "/dev/zero: more than the 1048576 bytes of a spec file")
}

func TestParseNameErrors(t *testing.T) {
	for _, name := range []string{
		"", "conv", "transpose_", "sgemm_nn", "transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6",
		"transpose_f32_64x64_tS16x16k4_tD8x32m4_sTsw3x2x6_b4",
		"transpose_f32_64x64_tS99999999999999999999x16n4_tD8x32m4_sTsw3x2x6_b4",
		"transpose_f32_99999999999999999999x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4",
		"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw99x2x6_b4",
		"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTp64_b4",
		"sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b99",
	} {
		_, err := ParseName(name)
		assert.Error(t, err, name)
	}
}

// Every other spelling of a name's numbers is refused with the one that is meant.
func TestParseNameRefusesOtherSpellings(t *testing.T) {
	digits := regexp.MustCompile(`\d+`)
	for _, name := range []string{
		"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTp0_b4", "transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4",
		"sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b2",
	} {
		_, err := ParseName(name)
		require.NoError(t, err)
		for _, at := range digits.FindAllStringIndex(name, -1) {
			other := name[:at[0]] + "0" + name[at[0]:]
			_, err := ParseName(other)
			assert.EqualError(t, err, fmt.Sprintf("%q is not how a name spells its configuration: want %s", other, name))
		}
	}
	_, err := ParseName("transpose_f32_64x64_tS16x16n4_tD8x32m3_sTsw3x2x6_b4")
	assert.EqualError(t, err, `"transpose_f32_64x64_tS16x16n4_tD8x32m3_sTsw3x2x6_b4": vD: got "3", want one of 1, 4`)
	_, err = ParseName("transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw0x2x6_b4")
	assert.EqualError(t, err, `"transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw0x2x6_b4" is not how a name spells its configuration: want transpose_f32_64x64_tS16x16n4_tD8x32m4_sTp0_b4`)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("- family: sgemm\n  ops: NN"))
	f.Add([]byte("a: &x [*x]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := parse("spec.yaml", text); err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "spec.yaml:"), err.Error())
		}
	})
}
