package emit

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutants are faults in the rules of fold.go and in the printer, one at a time: the side condition, the result, or the operator.
var mutants = []struct {
	name, file, old, new string
}{
	{"rule 1: r may be c", "fold.go", "		if hi < c {\n			return q\n", "		if hi <= c {\n			return q\n"},
	{"rule 1: r may be negative", "fold.go", "if lo, hi := r.Range(); lo >= 0 {\n		if hi < c", "if lo, hi := r.Range(); lo >= -c {\n		if hi < c"},
	{"rule 2: r may be c", "fold.go", "	if hi < c {\n		return x\n", "	if hi <= c {\n		return x\n"},
	{"rule 2: one multiple too many", "fold.go", "return Add(x, Const(-(lo / c * c)))", "return Add(x, Const(-(lo/c*c + c)))"},
	{"rule 3: a sum for a product", "fold.go", "return Div(a.x, a.c*c)", "return Div(a.x, a.c+c)"},
	{"rule 4: any modulus", "fold.go", "if a, ok := single(x); ok && a.kind == remainder && a.c%c == 0 {", "if a, ok := single(x); ok && a.kind == remainder {"},
	{"rule 5: any modulus", "fold.go", "case a.kind == remainder && a.c%c == 0:", "case a.kind == remainder && a.c > c:"},
	{"rule 5: the modulus stays", "fold.go", "return Mod(Div(a.x, c), a.c/c)", "return Mod(Div(a.x, c), a.c)"},
	{"rule 6: r may be g", "fold.go", "lo >= 0 && hi < g && len(y.terms) > 0", "lo >= 0 && hi <= g && len(y.terms) > 0"},
	{"rule 6: the divisor stays", "fold.go", "return Div(y, c/g)", "return Div(y, c)"},
	{"rule 7: the modulus stays", "fold.go", "return Scale(g, Mod(y, c/g))", "return Scale(g, Mod(y, c))"},
	{"rule 8: any coefficient", "fold.go", "switch scale := Scale(low.coef*c, q);", "switch scale := Scale(low.coef, q);"},
	{"rule 9: any coefficient", "fold.go", "high.atom.kind == remainder && high.coef == low.coef*c &&", "high.atom.kind == remainder &&"},
	{"rule 9: any dividend", "fold.go", "high.coef == low.coef*c && high.atom.x.Equal(q)", "high.coef == low.coef*c"},
	{"rule 9: the high modulus alone", "fold.go", "joined = Mod(x, c*high.atom.c)", "joined = Mod(x, high.atom.c)"},
	{"rule 10: one common bit", "fold.go", "case possible(x)&possible(y) == 0:", "case possible(x)&possible(y) <= 1:"},
	{"rule 11: a bit that y has", "fold.go", "possible(r)&(possible(rest)|possible(y)) == 0", "possible(r)&possible(rest) == 0"},
	{"rule 11: a bit that the rest has", "fold.go", "possible(r)&(possible(rest)|possible(y)) == 0", "possible(r)&possible(y) == 0"},
	{"rule 11: bits of the constant that y has", "fold.go", "apart := x.k &^ int(possible(terms)|possible(y))", "apart := x.k &^ int(possible(terms))"},
	{"bits: a quotient's are not shifted", "fold.go", "return possible(a.x) >> bits.TrailingZeros(uint(a.c)) & all", "return possible(a.x) & all"},
	{"bits: a remainder's are one short", "fold.go", "return possible(a.x) & uint(a.c-1)", "return possible(a.x) & uint(a.c-2)"},
	{"bits: an exclusive or has one side's", "fold.go", "return (possible(a.x) | possible(a.y)) & all", "return possible(a.x) & all"},
	{"bits: one zero too many", "fold.go", "return all &^ (uint(g&-g) - 1)", "return all &^ (uint(g&-g)*2 - 1)"},
	{"multiples: rounded up", "fold.go", "q.k = (x.k - r.k) / c", "q.k = (x.k-r.k)/c + 1"},
	{"range: a bit short", "fold.go", "lo: 0, hi: 1<<bits.Len(uint(max(xh, yh))) - 1})", "lo: 0, hi: max(xh, yh)})"},
	{"range: a remainder is below c - 1", "fold.go", "lo: 0, hi: c - 1})", "lo: 0, hi: c - 2})"},
	{"swizzle: the fields swapped", "offset.go", "from, to := s.Base+s.Shift, s.Base\n", "from, to := s.Base, s.Base+s.Shift\n"},
	{"offset: the modes from the last", "offset.go", "ci, c = Mod(c, n), Div(c, n)", "ci, c = Div(c, n), Mod(c, n)"},
	{"print: a bare sum under a shift", "print.go", `return fmt.Sprintf("%s >> %d", p.sum(a.x, precUnary)`, `return fmt.Sprintf("%s >> %d", p.sum(a.x, precXor)`},
	{"print: a bare sum under a division", "print.go", `return fmt.Sprintf("%s / %d", p.sum(a.x, precMul)`, `return fmt.Sprintf("%s / %d", p.sum(a.x, precXor)`},
	{"print: a bare sum under a remainder", "print.go", `return fmt.Sprintf("%s %% %d", p.sum(a.x, precUnary)`, `return fmt.Sprintf("%s %% %d", p.sum(a.x, precXor)`},
	{"print: a bare sum under a mask", "print.go", `return fmt.Sprintf("%s & %d", p.sum(a.x, precUnary)`, `return fmt.Sprintf("%s & %d", p.sum(a.x, precXor)`},
	{"print: a mask that is the modulus", "print.go", "a.c-1), precAnd", "a.c), precAnd"},
	{"print: a bare exclusive or in a sum", "print.go", `" ^ " + p.sum(a.y, precUnary), precXor`, `" ^ " + p.sum(a.y, precUnary), precUnary`},
	{"print: a product of a bare sum", "print.go", `return printer{}.sum(g, precMul) + " * " + factor, precMul`, `return printer{}.sum(g, precXor) + " * " + factor, precMul`},
	{"print: a difference of a bare sum", "print.go", "			need = precMul\n", "			need = precXor\n"},
	{"print: no 64 bits", "print.go", `		factor = "(long long)" + sym`, `		factor = sym`},
}

// Each mutant is refused by this package's tests: the rules', the proofs' or the printer's. MUTANTS=1 runs them (make mutants), as each
// compiles the package anew; without it the test sees that the mutants are still faults of the source.
func TestMutants(t *testing.T) {
	folder := t.TempDir()
	for i, m := range mutants {
		text, err := os.ReadFile(m.file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), m.old), "%s: %s has its text once", m.name, m.file)
		if os.Getenv("MUTANTS") == "" {
			continue
		}
		mutant := filepath.Join(folder, fmt.Sprintf("%d.go", i))
		require.NoError(t, os.WriteFile(mutant, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o644))
		path, err := filepath.Abs(m.file)
		require.NoError(t, err)
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutant}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o644))
		cmd := exec.Command("go", "test", "-overlay", filepath.Join(folder, "overlay.json"), "-timeout", "60s", ".")
		cmd.Env = append(os.Environ(), "MUTANTS=")
		out, err := cmd.CombinedOutput()
		require.NotContains(t, string(out), "[build failed]", m.name)
		if err == nil {
			t.Errorf("%s: no test notices", m.name)
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(string(out), "--- FAIL: "), "\n")
		t.Logf("%s: %s", m.name, first)
	}
	t.Logf("%d mutants", len(mutants))
}
