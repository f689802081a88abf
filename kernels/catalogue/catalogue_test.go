package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
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
		{"unknown field", "vD: 4", "vD: 4\n  vE: 4", "spec.yaml:7:7: vE: is no field of this family, whose fields are tile, tS, vS, tD, vD, sT, minBlocks"},
		{"twice", "vD: 4", "vD: 4\n  vD: 4", "spec.yaml:7:3: "},
		{"not one value", "vD: 4", "vD: {a: 4}", "spec.yaml:6:7: field vD: want one value"},
		{"vector", "vD: 4", "vD: 3", `spec.yaml:6:7: vD: got "3", want one of 1, 4`},
		{"layout", "(16,16):(16,1)", "(16,16):(16", "spec.yaml:3:7: tS: "},
		{"rank", "(64,64)\n", "(64,64,2)\n", "spec.yaml:2:9: tile: got (64,64,2), want a shape of 2 integers from 1 to 1024"},
		{"basis", "(64,64):(64,1)", "(64,64):(1@0,1@1)", "spec.yaml:7:7: sT: "},
		{"negative", "(16,16):(16,1)", "(16,16):(16,-1)", "spec.yaml:3:7: tS: layout (16,16):(16,-1) has the negative stride -1"},
		{"experimental", "vD: 4", "vD: 4\n  experimental: maybe", `spec.yaml:7:17: experimental: got "maybe"`},
		{"name", "vD: 4", "vD: 4\n  name: 4x4", `spec.yaml:7:9: name: got "4x4", want transpose_ and then letters, digits and underscores, at most 128 in all`},
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

// What the parser accepts and no kernel can be is refused when it is generated, still with the field's position.
func TestRefusalsHavePositions(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"does not cover", "(16,16):(16,1)", "(24,10):(10,1)", "spec.yaml:3:7: tS: "},
		{"threads differ", "(8,32):(1,8)", "(8,16):(1,8)", "spec.yaml:5:7: tD: layout (8,16):(1,8) has 128 threads"},
		{"shape", "(64,64):(64,1)", "(64,32):(32,1)", "spec.yaml:7:7: sT: layout"},
		{"shared memory", "(64,64):(64,1)", "(64,64):(640,1)", "spec.yaml:2:9: tile: the layouts need"},
		{"huge stride", "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(73201365371863299,1)", "spec.yaml:2:9: tile: the layouts need 4611686018427387901 elements"},
		{"aliasing", "Sw<3,2,6> o 0 o (64,64):(64,1)", "(64,64):(32,1)", "spec.yaml:1:3: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, good, c.from)
			text := strings.Replace(good, c.from, c.to, 1)
			text = strings.Replace(text, "minBlocks: 4", "minBlocks: 4\n  name: transpose_named", 1)
			entries, err := parse("spec.yaml", []byte(text))
			require.NoError(t, err)
			_, err = entries[0].Generate()
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "got  %s\nwant %s", err, c.want)
			t.Log(err)
		})
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
		"sgemm_nn_128x128x8_tA128x2k4_tB32x8n4_tC4x8w4x2r4x4v4_sAp4_sBp0_b99",
	} {
		_, err := ParseName(name)
		assert.Error(t, err, name)
	}
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
