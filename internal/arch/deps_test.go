package arch

import (
	"fmt"
	"go/parser"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const module = "cutegen"

const (
	cobra         = "github.com/spf13/cobra"
	goInternal    = "github.com/rogpeppe/go-internal"
	goYAML        = "github.com/goccy/go-yaml"
	jennifer      = "github.com/dave/jennifer"
	purego        = "github.com/ebitengine/purego"
	quicktemplate = "github.com/valyala/quicktemplate"
	rapid         = "pgregory.net/rapid"
	term          = "golang.org/x/term"
	testify       = "github.com/stretchr/testify"
)

// mayImport is the table of docs/architecture.md: what the package in a folder may import beside the standard library, folders of the
// module and other modules. "x/..." stands for every folder under x. What is not listed is forbidden. The arrows go one way: change
// the plan, not this table, to make a build pass.
var mayImport = map[string][]string{
	"algebra":      {},
	"algebra/atom": {"algebra"},
	// Tiled products and copies are made of atoms.
	"algebra/tiled": {"algebra", "algebra/atom"},
	// Layouts with sizes known at run time.
	"algebra/dynamic": {"algebra"},
	// Layouts as text of other tools.
	"algebra/notation": {"algebra", "algebra/dynamic"},
	// The table of operations, and the pictures: what the command line and a page in a browser show of the algebra.
	"algebra/operation": {"algebra", "algebra/atom", "algebra/dynamic", "algebra/notation", "algebra/tiled"},
	"draw":              {"algebra"},
	"emit":              {"algebra", "emit/cexpr"},
	"emit/cexpr":        {},
	"emit/formula":      {"algebra", "emit", "emit/cexpr"},
	"emit/bind":         {jennifer},
	"access":            {"algebra"},
	"templates":         {quicktemplate},

	"kernels":           {"algebra", "emit", "access", "templates"},
	"kernels/transpose": {"algebra", "emit", "access", "templates", "kernels"},
	"kernels/sgemm":     {"algebra", "emit", "access", "templates", "kernels"},
	"kernels/catalogue": {"access", "emit/bind", "kernels", "kernels/transpose", "kernels/sgemm", goYAML},
	"kernels/artefact":  {"kernels", "emit/bind"},

	"gpu":                       {purego},
	"sass":                      {},
	"gpu-tests":                 {"kernels", "gpu", "gpu-tests/emulator", "sass"},
	"gpu-tests/emulator":        {},
	"gpu-tests/bindings":        {"gpu", "gpu-tests/bindings/go/..."},
	"gpu-tests/bindings/go/...": {purego},

	"cmd/cutegen": {
		"algebra", "algebra/dynamic", "algebra/notation", "algebra/operation", "draw", "emit", "emit/bind", "emit/formula", "access", "templates", "kernels", "kernels/transpose", "kernels/sgemm",
		"kernels/catalogue", "kernels/artefact", "gpu", "sass", "gpu-tests", "gpu-tests/emulator", "gpu-tests/bindings", cobra, term,
	},
	"internal/arch":   {},
	"internal/cases":  {},
	"internal/golden": {},
}

// testsMayImport is what tests may import beside what their package may.
var testsMayImport = []string{testify, rapid, goInternal, "internal/cases", "internal/golden"}

// pure are the folders whose results depend on their arguments alone.
var pure = []string{"algebra", "algebra/atom", "algebra/tiled", "algebra/dynamic", "algebra/notation", "algebra/operation", "draw", "emit", "emit/cexpr", "emit/formula", "access", "templates",
	"kernels", "kernels/transpose", "kernels/sgemm", "sass"}

// impure are the packages that reach files, processes, the environment, the network, time or chance.
var impure = []string{"io/fs", "io/ioutil", "math/rand", "math/rand/v2", "net", "os", "syscall", "time", "unsafe"}

// forbidden has no place anywhere: quicktemplate renders every text, and there is no cgo.
var forbidden = []string{"C", "html/template", "text/template"}

// refusal says why a file in folder may not import imported, "" if it may.
func refusal(folder, imported string, isTest bool) string {
	rule, ok := ruleOf(folder)
	if !ok {
		return fmt.Sprintf("%s: not in the table of docs/architecture.md: say there, and in mayImport, what it may import", folder)
	}
	if slices.Contains(forbidden, imported) {
		return fmt.Sprintf("%s imports %s, which has no place here", folder, imported)
	}
	inModule := imported == module || strings.HasPrefix(imported, module+"/")
	if first, _, _ := strings.Cut(imported, "/"); !inModule && !strings.Contains(first, ".") {
		if !isTest && slices.Contains(pure, folder) && anyMatches(impure, imported) {
			return fmt.Sprintf("%s imports %s, but its results depend on its arguments alone", folder, imported)
		}
		return ""
	}
	name := strings.TrimPrefix(imported, module+"/")
	allowed := mayImport[rule]
	if isTest {
		// A test outside the package imports it, and what lies in its testdata.
		allowed = slices.Concat(allowed, testsMayImport, []string{folder, folder + "/testdata/..."})
	}
	for _, a := range allowed {
		if matches(a, name) || strings.Contains(a, ".") && strings.HasPrefix(name, a+"/") {
			return ""
		}
	}
	return fmt.Sprintf("%s may not import %s, only the standard library and %q", folder, imported, allowed)
}

// ruleOf returns the key of mayImport that folder falls under.
func ruleOf(folder string) (string, bool) {
	if _, ok := mayImport[folder]; ok {
		return folder, true
	}
	for dir := path.Dir(folder); dir != "."; dir = path.Dir(dir) {
		if _, ok := mayImport[dir+"/..."]; ok {
			return dir + "/...", true
		}
	}
	return "", false
}

// matches tells whether pattern, "x" or "x/...", stands for name.
func matches(pattern, name string) bool {
	under, isTree := strings.CutSuffix(pattern, "...")
	return pattern == name || isTree && strings.HasPrefix(name, under)
}

// anyMatches tells whether name is one of the packages, or is below one.
func anyMatches(packages []string, name string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
}

func TestImports(t *testing.T) {
	for _, f := range goFiles(t, parser.ImportsOnly) {
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			assert.NoError(t, err)
			if why := refusal(f.folder, imported, f.isTest); why != "" {
				t.Error(why)
			}
		}
	}
}

// A rule for a folder that is gone would let another in by its name.
func TestEachRuleHasItsFolder(t *testing.T) {
	folders := map[string]bool{}
	for _, f := range goFiles(t, parser.PackageClauseOnly) {
		folders[f.folder] = true
	}
	for rule, allowed := range mayImport {
		for _, pattern := range append([]string{rule}, allowed...) {
			if strings.Contains(pattern, ".") && !strings.HasSuffix(pattern, "/...") {
				continue // another module
			}
			found := false
			for folder := range folders {
				found = found || matches(pattern, folder)
			}
			assert.True(t, found, "%s: no package in %s", rule, pattern)
		}
	}
	for _, folder := range pure {
		assert.True(t, folders[folder], folder)
	}
}

// Nothing that a package may import may import it.
func TestArrowsGoOneWay(t *testing.T) {
	var reach func(from string, path []string)
	reach = func(from string, path []string) {
		if !assert.NotContains(t, path, from, "a circle") {
			return
		}
		for _, to := range mayImport[from] {
			reach(to, append(path, from))
		}
	}
	for rule := range mayImport {
		reach(rule, nil)
	}
}

func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		folder, imported string
		isTest           bool
		want             string // a part of the refusal, "" if there is none
	}{
		{"algebra", "math/bits", false, ""},
		{"emit", "cutegen/algebra", false, ""},
		{"emit/bind", "github.com/dave/jennifer/jen", false, ""},
		{"gpu-tests/bindings", "cutegen/gpu-tests/bindings/go/k", false, ""},
		{"gpu-tests/bindings/go/k", purego, false, ""},
		{"algebra", testify + "/assert", true, ""},
		{"algebra", "os", true, ""},
		{"algebra", "cutegen/algebra", true, ""},
		{"emit/bind", "cutegen/emit/bind/testdata/golden/k", true, ""},
		{"cmd/cutegen", goInternal + "/testscript", true, ""},
		{"kernels/artefact", "os", false, ""},

		{"algebra", "cutegen/emit", false, "algebra may not import cutegen/emit, only"},
		{"algebra", "cutegen/algebra", false, "may not import"},
		{"algebra", "cutegen", false, "may not import"},
		{"algebra", testify + "/assert", false, "may not import"},
		{"algebra", "cutegen/kernels", true, "may not import"},
		{"emit/bind", "github.com/dave/jenniferx", false, "may not import"},
		{"kernels", "cutegen/kernels/sgemm", false, "may not import"},
		{"kernels/sgemm", "cutegen/kernels/transpose", false, "may not import"},
		{"gpu-tests", "cutegen/gpu-tests/bindings/go/k", false, "may not import"},
		{"gpu-tests/bindings/go/k", "cutegen/gpu", false, "may not import"},
		{"algebra", "os", false, "algebra imports os, but its results"},
		{"emit", "os/exec", false, "but its results"},
		{"kernels/sgemm", "time", false, "but its results"},
		{"cmd/cutegen", "text/template", false, "has no place here"},
		{"cmd/cutegen", "html/template", true, "has no place here"},
		{"gpu", "C", false, "has no place here"},
		{"util", "fmt", false, "util: not in the table"},
		{"algebra/internal", "fmt", false, "not in the table"},
		{".", "fmt", false, "not in the table"},
	} {
		got := refusal(c.folder, c.imported, c.isTest)
		if c.want == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, got, c.want, "%s imports %s", c.folder, c.imported)
		}
	}
}
