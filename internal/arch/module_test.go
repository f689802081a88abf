package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's folder, seen from this one.
const root = "../.."

// visit calls f with each file of the module, by its slash-separated path in the module. Left out are folders that begin with a dot,
// and what is built.
func visit(t *testing.T, f func(name string)) {
	t.Helper()
	n := 0
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
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || name == "bin" || name == "build"):
			return filepath.SkipDir
		case d.Type().IsRegular():
			n++
			f(name)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, n, 50, "this is not the module's folder")
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
