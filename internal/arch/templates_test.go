package arch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A template computes nothing: an operator that takes an index apart means that an address was written by hand, where no proof sees it.
// templateProblems finds them in the CUDA of a quicktemplate file and in the Go of its tags, and finds the tags that escape HTML and
// would print << as &lt;&lt;. Comments, strings and <<<launches>>> are no arithmetic. A problem starts with name and the line.
func templateProblems(name, text string) []string {
	var problems []string
	report := func(at int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s:%d: %s", name, 1+strings.Count(text[:at], "\n"), fmt.Sprintf(format, args...)))
	}

	// The CUDA is text with blanks in place of the tags, and of all that is outside functions: for quicktemplate that is comment.
	cuda := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if cuda[i] != '\n' {
				cuda[i] = ' '
			}
		}
	}
	inFunc, until := false, ""
	at := 0
	for at < len(text) {
		open := strings.Index(text[at:], "{%")
		if open < 0 {
			break
		}
		open += at
		length := strings.Index(text[open:], "%}")
		if length < 0 {
			report(open, "the tag is not closed")
			blank(open, len(text))
			break
		}
		end := open + length + len("%}")
		tag := strings.Trim(text[open+len("{%"):end-len("%}")], "- \t\n")
		word := "" // what the tag is
		if fields := strings.Fields(tag); len(fields) > 0 {
			word = fields[0]
		}
		switch {
		case until != "" && word != until:
			// inside {% plain %} no tag is one: its text is CUDA; inside {% comment %} all is blank
			end = open + len("{%")
			if until == "endcomment" {
				blank(at, end)
			}
			at = end
			continue
		case until == "endcomment" || !inFunc:
			blank(at, end)
		default:
			blank(open, end)
		}
		until = ""
		switch word {
		case "plain", "comment":
			until = "end" + word
		case "func":
			inFunc = true
		case "endfunc":
			inFunc = false
		}
		if slices.Contains([]string{"s", "z", "v", "q", "qz", "j", "jz", "u", "uz"}, word) || strings.HasPrefix(word, "=") && word != "=" {
			report(open, "{%%%s %%} escapes: write {%%%s= %%}", word, strings.TrimPrefix(word, "="))
		}
		if word != "import" {
			code := blankLiterals(goLiterals, text[open+len("{%"):end-len("%}")])
			for _, m := range arithmetic.FindAllStringIndex(code, -1) {
				report(open+len("{%")+m[0], "%s in a tag: make the text in package emit", code[m[0]:m[1]])
			}
		}
		at = end
	}
	if !inFunc {
		blank(at, len(text))
	}

	code := blankLiterals(cLiterals, string(cuda))
	for _, m := range arithmetic.FindAllStringIndex(code, -1) {
		report(m[0], "%s in CUDA: make the expression in package emit", code[m[0]:m[1]])
	}
	return problems
}

var (
	arithmetic = regexp.MustCompile(`<<|>>|[/%^]`)
	cLiterals  = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#include[ \t]*<[^>\n]*>|<<<|>>>`)
	goLiterals = regexp.MustCompile("\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|`[^`]*`")
)

// blankLiterals puts blanks in place of what no operator can be in, and leaves lines and offsets as they are.
func blankLiterals(literals *regexp.Regexp, code string) string {
	return literals.ReplaceAllStringFunc(code, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' || r >= 0x80 {
				return r
			}
			return ' '
		}, s)
	})
}

func TestTemplatesComputeNothing(t *testing.T) {
	found := 0
	visit(t, func(name string) {
		if path.Ext(name) != ".qtpl" {
			return
		}
		found++
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Empty(t, templateProblems(name, string(text)))
	})
	assert.NotZero(t, found, "no template was looked at")
}

func TestTemplateProblems(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"printed text": {"{% func f(d *D) %}\nconst int m = {%s= d.Expr %};\n{%d d.N %}{%= g() %}{%v= d %}\n{% endfunc %}", nil},
		"pointers":     {"{% func f() %}\n*(float4*)p = *q * 2 + i - 1;\n#pragma unroll\n{% endfunc %}", nil},
		"comments":     {"{% func f() %}\n// a / b % {%s= d.X %} << 1\n/* a / b\n ^ c */ int i; // x\n{% endfunc %}", nil},
		"include":      {"{% func f() %}\n#include <a/b.h>\n#include <cuda_runtime_api.h>\n{% endfunc %}", nil},
		"launch":       {"{% func f() %}\nk<<<grid, {%d d.Threads %}, 0, stream>>>();\n{% endfunc %}", nil},
		"string":       {"{% func f() %}\nasm(\"[%0], \\\" / \" :: \"l\"(p)); char c = '/';\n{% endfunc %}", nil},
		"plain":        {"{% func f() %}{% plain %}asm(\"{%0,%1}\");\n{% endplain %}{% endfunc %}", nil},
		"prose":        {"What a / b % c means.\n{% func f() %}\nint i;\n{% endfunc %}\nAnd a / b again.\n", nil},
		"comment tag":  {"{% func f() %}{% comment %} a / {%s x %} % b {% endcomment %}int i;{% endfunc %}", nil},
		"tag's string": {"{% func f() %}{%s= g(\"a/b\", 'x', `%`) %}{% endfunc %}", nil},
		"import":       {"{% import \"a/b\" %}\n{% func f() %}{% endfunc %}", nil},
		"comparisons":  {"{% func f() %}if (a < b && c > d || e <= f) x += 1;\n{% if a < b %}{% endif %}{% endfunc %}", nil},

		"division":      {"{% func f() %}\nint m = t / 8;\n{% endfunc %}", []string{"t.qtpl:2: / in CUDA: make the expression in package emit"}},
		"remainder":     {"{% func f() %}\n\nint k = t % 8;\n{% endfunc %}", []string{"t.qtpl:3: % in CUDA"}},
		"shifts":        {"{% func f() %}\nint a = t >> 5;\nint b = t << 2;\n{% endfunc %}", []string{"t.qtpl:2: >> in CUDA", "t.qtpl:3: << in CUDA"}},
		"xor":           {"{% func f() %}x ^= 1;{% endfunc %}", []string{"t.qtpl:1: ^ in CUDA"}},
		"assignment":    {"{% func f() %}\nx /= 2; y <<= 1;\n{% endfunc %}", []string{"t.qtpl:2: / in CUDA", "t.qtpl:2: << in CUDA"}},
		"macro":         {"{% func f() %}\n#define ROW(t) (t / 8)\n{% endfunc %}", []string{"t.qtpl:2: / in CUDA"}},
		"beside a tag":  {"{% func f() %}\nint m = {%s= d.X %} / 8;\n{% endfunc %}", []string{"t.qtpl:2: / in CUDA"}},
		"after comment": {"{% func f() %}\n/* a\n*/ int m = t / 8; // b / c\n{% endfunc %}", []string{"t.qtpl:3: / in CUDA"}},
		"in plain":      {"{% func f() %}{% plain %}\nint m = t / 8;\n{% endplain %}{% endfunc %}", []string{"t.qtpl:2: / in CUDA"}},
		"second func":   {"{% func f() %}{% endfunc %}\na / b\n{% func g() %}\na / b\n{% endfunc %}", []string{"t.qtpl:4: / in CUDA"}},
		"tag divides":   {"{% func f() %}\n{%d d.Threads / 32 %}\n{% endfunc %}", []string{"t.qtpl:2: / in a tag: make the text in package emit"}},
		"loop's tag":    {"{% func f() %}\n{%- for i := 0; i < n%4; i++ -%}\n{%- endfor -%}\n{% endfunc %}", []string{"t.qtpl:2: % in a tag"}},
		"code":          {"{% code\nfunc half(n int) int { return n >> 1 }\n%}\n", []string{"t.qtpl:2: >> in a tag"}},
		"escaping s":    {"{% func f() %}\n{%s d.X %}\n{% endfunc %}", []string{"t.qtpl:2: {%s %} escapes: write {%s= %}"}},
		"escaping v":    {"{% func f() %}{%- v d.X -%}{% endfunc %}", []string{"t.qtpl:1: {%v %} escapes: write {%v= %}"}},
		"escaping call": {"{% func f() %}{%=h g() %}{% endfunc %}", []string{"t.qtpl:1: {%=h %} escapes"}},
		"open tag":      {"{% func f() %}{%s= d.X }", []string{"t.qtpl:1: the tag is not closed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := templateProblems("t.qtpl", c.text)
			require.Len(t, got, len(c.want), "%q", got)
			for i, want := range c.want {
				assert.Contains(t, got[i], want)
			}
		})
	}
}
