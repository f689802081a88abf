package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docProblem says what is wrong with the doc comments of a package's files, "" if one of them, and only one, says what it is for.
func docProblem(files []*ast.File) string {
	var docs []string
	for _, f := range files {
		if f.Doc != nil && f.Doc.Text() != "" { // a comment of directives alone has no text
			docs = append(docs, f.Doc.Text())
		}
	}
	switch {
	case len(docs) == 0:
		return "no doc comment: say in one of its files what the package is for"
	case len(docs) > 1:
		return fmt.Sprintf("%d files have a doc comment: keep one", len(docs))
	}
	start := "Package " + files[0].Name.Name + " "
	if files[0].Name.Name == "main" {
		start = "Command "
	}
	if !strings.HasPrefix(docs[0], start) {
		return fmt.Sprintf("the doc comment starts %.30q: want %q", docs[0], start)
	}
	return ""
}

func TestEveryPackageHasADocComment(t *testing.T) {
	packages := map[string][]*ast.File{}
	for _, f := range goFiles(t, parser.PackageClauseOnly|parser.ParseComments) {
		if !f.isTest {
			packages[f.folder] = append(packages[f.folder], f.File)
		}
	}
	for folder, files := range packages {
		assert.Empty(t, docProblem(files), folder)
	}
}

func TestDocProblem(t *testing.T) {
	for name, c := range map[string]struct {
		sources []string
		want    string
	}{
		"one of two": {[]string{"// Package k is a kernel.\npackage k", "package k"}, ""},
		"command":    {[]string{"// Command k makes kernels.\npackage main"}, ""},
		"none":       {[]string{"package k", "// detached\n\npackage k"}, "no doc comment"},
		"directive":  {[]string{"//go:build linux\npackage k"}, "no doc comment"},
		"two":        {[]string{"// Package k is.\npackage k", "// Package k is.\npackage k"}, "2 files have a doc comment"},
		"other name": {[]string{"// Package kernel is.\npackage k"}, `starts "Package kernel is.\n": want "Package k "`},
		"no command": {[]string{"// Package main is.\npackage main"}, `want "Command "`},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*ast.File
			for _, source := range c.sources {
				f, err := parser.ParseFile(token.NewFileSet(), "k.go", source, parser.PackageClauseOnly|parser.ParseComments)
				require.NoError(t, err)
				files = append(files, f)
			}
			got := docProblem(files)
			if c.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Contains(t, got, c.want)
			}
		})
	}
}
