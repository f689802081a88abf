package artefact

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
)

func kernel(name, body string) *kernels.Kernel {
	source := generated + "\nextern \"C\" int " + name + "(long long M, cudaStream_t stream) { " + body + " }\n"
	return &kernels.Kernel{
		Source: source,
		Header: generated + "\nint " + name + "(long long M, cudaStream_t stream);\n",
		Manifest: kernels.Manifest{
			Name:       name,
			Family:     "transpose",
			Spec:       map[string]string{"vector": "4", "smem": "swizzled"},
			Params:     []kernels.Param{{Name: "M", Type: "long long", Doc: "rows"}, {Name: "stream", Type: "cudaStream_t", Doc: "stream"}},
			Layouts:    []kernels.NamedLayout{{Name: "sA", Layout: "Sw<2,3,3> o 0 o (8,32):(32,1)", Doc: "shared"}},
			SourceHash: kernels.Hash(source),
		},
	}
}

// contents returns the text of every file below dir.
func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(text)
		return err
	}))
	return files
}

func names(files map[string]string) []string {
	var list []string
	for name := range files {
		list = append(list, name)
	}
	return list
}

func TestWriteThenRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "build", "kernels")
	b, a := kernel("t_b", "return 0;"), kernel("t_a", "return 1;")
	require.NoError(t, Write(dir, []*kernels.Kernel{b, a}))

	files := contents(t, dir)
	assert.ElementsMatch(t, []string{
		"t_b.cu", "t_b.h", "t_b.json", "go/t_b/t_b.go",
		"t_a.cu", "t_a.h", "t_a.json", "go/t_a/t_a.go", "catalogue.json",
	}, names(files))
	assert.Equal(t, a.Source, files["t_a.cu"])
	assert.Equal(t, b.Header, files["t_b.h"])
	assert.Contains(t, files["t_b.json"], `"layout": "Sw<2,3,3> o 0 o (8,32):(32,1)"`)
	assert.Contains(t, files["go/t_b/t_b.go"], `// Package t_b launches the CUDA kernel t_b.
// It is of the family transpose, with the spec
//
//	smem: swizzled
//	vector: 4
package t_b
`)
	assert.Contains(t, files["go/t_b/t_b.go"], `const SourceHash = "`+b.Manifest.SourceHash+`"`)

	manifests, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, []kernels.Manifest{b.Manifest, a.Manifest}, manifests)
}

// A Write that is killed has already listed what it wrote, and the next one goes on.
func TestWriteListsFirst(t *testing.T) {
	files, err := render([]*kernels.Kernel{kernel("t_a", "")})
	require.NoError(t, err)
	assert.Equal(t, "catalogue.json", files[0].name)

	dir := t.TempDir()
	require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_a", "return 0;")}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalogue.json"), []byte(files[0].text), 0o666))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "generate again")
	require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_a", "return 2;")}))
	_, err = Read(dir)
	assert.NoError(t, err)
}

func TestWriteOfNoKernels(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Write(dir, nil))
	assert.Equal(t, map[string]string{"catalogue.json": "[]\n"}, contents(t, dir))
	manifests, err := Read(dir)
	require.NoError(t, err)
	assert.Empty(t, manifests)
}

func TestWriteTouchesOnlyWhatChanged(t *testing.T) {
	dir := t.TempDir()
	a, b := kernel("t_a", "return 0;"), kernel("t_b", "return 0;")
	require.NoError(t, Write(dir, []*kernels.Kernel{a, b}))
	past := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for name := range contents(t, dir) {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), past, past))
	}
	touched := func() []string {
		var list []string
		for name := range contents(t, dir) {
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			if !info.ModTime().Equal(past) {
				list = append(list, name)
			}
		}
		return list
	}

	require.NoError(t, Write(dir, []*kernels.Kernel{a, b}))
	assert.Empty(t, touched())

	// A comment changes the .cu but not the hash in the other files.
	commented := kernel("t_b", "return 0; /* why */")
	require.NoError(t, Write(dir, []*kernels.Kernel{a, commented}))
	assert.Equal(t, []string{"t_b.cu"}, touched())

	require.NoError(t, Write(dir, []*kernels.Kernel{a, kernel("t_b", "return 1;")}))
	assert.ElementsMatch(t, []string{"t_b.cu", "t_b.json", "go/t_b/t_b.go", "catalogue.json"}, touched())
}

func TestWriteRemovesOnlyWhatItWrote(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_a", ""), kernel("t_b", ""), kernel("t_c", "")}))
	for _, file := range []string{"t_a.so", "t_a.cubin", "t_c.so", "t_mine.cu", "t_mine.so", "go/t_b/extra.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("mine"), 0o666))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "t_b.h"))) // already gone: no error

	require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_c", "")}))
	assert.ElementsMatch(t, []string{
		"t_c.cu", "t_c.h", "t_c.json", "go/t_c/t_c.go", "catalogue.json", "t_c.so", "t_mine.cu", "t_mine.so", "go/t_b/extra.go",
	}, names(contents(t, dir)))
	assert.NoDirExists(t, filepath.Join(dir, "go", "t_a"))
}

func TestWriteStaysInItsFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "kernels")
	require.NoError(t, os.Mkdir(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "mine.cu"), nil, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalogue.json"), []byte(`[{"name": "../mine", "source_hash": "0"}]`), 0o666))

	assert.ErrorContains(t, Write(dir, nil), "../mine.cu: path escapes")
	assert.FileExists(t, filepath.Join(parent, "mine.cu"))
}

// What a person wrote is neither overwritten nor removed, whether or not the list names its kernel.
func TestWriteKeepsWhatItDidNotWrite(t *testing.T) {
	a, old := kernel("t_a", "return 0;"), kernel("t_old", "")
	const (
		unlisted = "not a file that cutegen wrote: catalogue.json does not list the kernel; move it away, or choose another folder"
		unmarked = `not a file that cutegen wrote: it does not begin with "// Code generated by cutegen. DO NOT EDIT."; move`
	)
	for _, c := range []struct {
		name       string
		before     []*kernels.Kernel // what an earlier Write left
		remove     string            // and somebody removed
		file, text string            // what somebody wrote then
		want       string
	}{
		{"no list", nil, "catalogue.json", "t_a.cu", "// mine\n", unlisted},
		{"generated, but no list", nil, "catalogue.json", "t_a.cu", generated + "\n// copied\n", unlisted},
		{"not listed", []*kernels.Kernel{old}, "", "t_a.h", "/* mine */\n", unlisted},
		{"not listed, a folder of Go", []*kernels.Kernel{old}, "", "go/t_a/t_a.go", "package t_a\n", unlisted},
		{"listed, by hand", []*kernels.Kernel{a, old}, "", "t_a.cu", "// mine\n", unmarked},
		{"listed and stale, by hand", []*kernels.Kernel{a, old}, "", "t_old.cu", "// mine\n", unmarked},
		{"listed, no manifest", []*kernels.Kernel{a, old}, "", "t_old.json", `{"name": "mine"}`, "it is not the kernel's manifest; move"},
		{"another list", nil, "", "catalogue.json", `[{"name": "Quercus robur", "latin": true}]`, `catalogue.json: not a list of kernels: json: unknown field "latin"`},
		{"another list of names", nil, "", "catalogue.json", `[{"name": "Quercus robur"}]`, "catalogue.json: not a list of kernels: one has no name or no source_hash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, Write(dir, c.before))
			if c.remove != "" {
				require.NoError(t, os.Remove(filepath.Join(dir, c.remove)))
			}
			file := filepath.Join(dir, c.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o666))
			before := contents(t, dir)
			err := Write(dir, []*kernels.Kernel{kernel("t_a", "return 1;"), kernel("t_b", "")})
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, c.file)
			assert.Equal(t, before, contents(t, dir))
		})
	}

	// Without the list, what would not change is in nobody's way.
	dir := t.TempDir()
	require.NoError(t, Write(dir, []*kernels.Kernel{a}))
	require.NoError(t, os.Remove(filepath.Join(dir, "catalogue.json")))
	require.NoError(t, Write(dir, []*kernels.Kernel{a}))
}

func TestWriteFailsWhole(t *testing.T) {
	good := kernel("t_a", "return 1;")
	badHash := kernel("t_b", "")
	badHash.Manifest.SourceHash = "0000"
	badType := kernel("t_b", "")
	badType.Manifest.Params[0].Type = "int"
	for _, c := range []struct {
		kernels []*kernels.Kernel
		want    string
	}{
		{[]*kernels.Kernel{good, badHash}, `kernel t_b: the manifest's source hash is "0000", the source's is "`},
		{[]*kernels.Kernel{good, badType}, `kernel t_b: parameter 1, "M": no Go type for the C type "int"`},
		{[]*kernels.Kernel{good, kernel("t/b", "")}, `kernel name "t/b"`},
		{[]*kernels.Kernel{good, kernel("t_a", "")}, "two kernels would both write t_a.cu"},
		{[]*kernels.Kernel{good, kernel("catalogue", "")}, "two kernels would both write catalogue.json"},
		// t_dir.h is a folder: found only when the files of t_a already lie beside their places.
		{[]*kernels.Kernel{good, kernel("t_dir", "")}, "t_dir.h: is a directory"},
	} {
		dir := t.TempDir()
		require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_a", "return 0;"), kernel("t_old", "")}))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "t_dir.h"), 0o777))
		before := contents(t, dir)
		assert.ErrorContains(t, Write(dir, c.kernels), c.want)
		assert.Equal(t, before, contents(t, dir), c.want)
	}
}

func TestReadFails(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(filepath.Join(dir, "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Read(dir)
	assert.ErrorContains(t, err, "catalogue.json: no such file")

	k := kernel("t_a", "return 0;")
	require.NoError(t, Write(dir, []*kernels.Kernel{k}))
	manifest := filepath.Join(dir, "t_a.json")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(manifest, text[:20], 0o666))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "t_a.json: unexpected end of JSON input")
	require.NoError(t, os.WriteFile(manifest, text, 0o666))

	require.NoError(t, Write(dir, []*kernels.Kernel{kernel("t_a", "return 1;")}))
	require.NoError(t, os.WriteFile(manifest, text, 0o666))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "holds kernel t_a of source "+k.Manifest.SourceHash)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalogue.json"), []byte("{}"), 0o666))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "catalogue.json: not a list of kernels: json: cannot unmarshal object")
}
