package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's folder, seen from this one.
const root = "../.."

// visit calls f with each file of the module, by its slash-separated path in the module. Left out are folders that begin with a dot, what
// git ignores, and what a user generated into the checkout.
func visit(t *testing.T, f func(name string)) {
	t.Helper()
	n := 0
	visitUnder(t, root, func(name string) { n++; f(name) })
	require.Greater(t, n, 50, "this is not the module's folder")
}

// committed is the generated folder that belongs to the module.
const committed = "gpu-tests/bindings"

func visitUnder(t *testing.T, root string, f func(name string)) {
	t.Helper()
	ignored := ignoredBy(root)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || ignored[name] || name != committed && isGenerated(p)):
			return filepath.SkipDir
		case d.Type().IsRegular() && !ignored[name]:
			f(name)
		}
		return nil
	})
	require.NoError(t, err)
}

// ignoredBy are the files and folders below root that git ignores; without git, what make builds.
func ignoredBy(root string) map[string]bool {
	ignored := map[string]bool{"bin": true, "build": true}
	list := exec.Command("git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return ignored
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[strings.TrimSuffix(name, "/")] = true
	}
	return ignored
}

// isGenerated tells a folder into which cutegen generated.
func isGenerated(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "catalogue.json"))
	return err == nil
}

func TestVisitLeavesOutWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.go", "p/b.go", "gpu-tests/bindings/catalogue.json", "gpu-tests/bindings/go/k/k.go",
		".git-less/c.go", "build/k/k.go", "mine/catalogue.json", "mine/go/k/k.go", "p/ignored/d.go", "p/x.tmp",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	ours := []string{"a.go", "p/b.go", "gpu-tests/bindings/catalogue.json", "gpu-tests/bindings/go/k/k.go"}
	visited := func() (names []string) {
		visitUnder(t, dir, func(name string) { names = append(names, name) })
		return names
	}
	// No repository, no git's word.
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	require.ElementsMatch(t, append(ours, "p/ignored/d.go", "p/x.tmp"), visited())

	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("not run: needs git")
	}
	require.NoError(t, exec.Command("git", "init", "-q", dir).Run())
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.tmp\n/p/ignored/\n/.gitignore\n"), 0o666))
	require.ElementsMatch(t, ours, visited())
}

// A goFile is a parsed file of a package of the module.
type goFile struct {
	folder string // "." for the module's own
	*ast.File
	isTest bool
}

// goFiles parses the module's files of Go as far as mode says; those under testdata belong to no package.
func goFiles(t *testing.T, mode parser.Mode) []goFile {
	t.Helper()
	var files []goFile
	visit(t, func(name string) {
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, mode)
		require.NoError(t, err)
		files = append(files, goFile{path.Dir(name), f, strings.HasSuffix(name, "_test.go")})
	})
	return files
}
