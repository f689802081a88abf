package bind

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/internal/golden"
)

// example is of the ABI of an SGEMM launcher. launch_test.go imports and runs its golden.
func example() Binding {
	return Binding{
		Name: "sgemm_example",
		Doc:  "C = alpha A B + beta C, all row-major.\n\n\ttile: (128,128,8)\n\tsA: Sw<1,4,5> o 0 o (128,8,2):(1,128,1024)",
		Params: []Param{
			{"M", "long long", "rows of C"},
			{"N", "long long", "columns of C"},
			{"K", "long long", "columns of A, rows of B"},
			{"alpha", "float", "scales A B"},
			{"A", "const float *", "the M x K matrix"},
			{"lda", "long long", "leading dimension of A"},
			{"B", "const float *", "the K x N matrix"},
			{"ldb", "long long", "leading dimension of B"},
			{"beta", "float", "scales C; with 0 C is not read"},
			{"C", "float *", "the M x N matrix, read and written"},
			{"ldc", "long long", "leading dimension of C"},
			{"stream", "cudaStream_t", "the stream to launch on, 0 for the default"},
		},
		SourceHash: "0123456789abcdef",
	}
}

func TestSourceGolden(t *testing.T) {
	got, err := Source(example())
	require.NoError(t, err)
	golden.Equal(t, filepath.Join("testdata", "golden", "sgemm_example", "sgemm_example.go"), got)
}

func TestSourceIsGeneratedFormattedAndRepeatable(t *testing.T) {
	b := Binding{Name: "transpose_example", Doc: "dst[n][m] = src[m][n].", Params: []Param{
		{"M", "long long", "rows of src"}, {"src", "const float *", ""}, {"batch_stride_src", "long long", ""},
		{"alpha", "float", ""}, {"stream", "cudaStream_t", ""},
	}}
	got, err := Source(b)
	require.NoError(t, err)
	again, err := Source(b)
	require.NoError(t, err)
	assert.Equal(t, got, again)

	formatted, err := format.Source([]byte(got))
	require.NoError(t, err)
	assert.Equal(t, string(formatted), got)

	file, err := parser.ParseFile(token.NewFileSet(), "transpose_example.go", got, parser.ParseComments)
	require.NoError(t, err)
	assert.True(t, ast.IsGenerated(file))
	assert.Equal(t, "transpose_example", file.Name.Name)
	assert.Contains(t, got, "Launch(M int64, src uintptr, batchStrideSrc int64, alpha float32, stream uintptr) error {")
}

func TestSourceRefusesNames(t *testing.T) {
	for _, c := range []struct{ name, why string }{
		{"", `bind: kernel name "": want letters, digits and underscores, a letter first`},
		{"2sgemm", "a letter first"},
		{"_sgemm", "a letter first"},
		{"sgemm-128", "want letters, digits"},
		{"../sgemm", "want letters, digits"},
		{"sgemmß", "want letters, digits"},
		{"func", "a Go keyword cannot name a package"},
		{"main", "the go command treats"},
		{"testdata", "the go command treats"},
		{"sgemm_test", "_test.go for a test"},
		{"sgemm_arm64", "build sgemm_arm64.go only for the system"},
		{"sgemm_windows", "build sgemm_windows.go only for the system"},
	} {
		b := example()
		b.Name = c.name
		_, err := Source(b)
		assert.ErrorContains(t, err, c.why)
		assert.ErrorContains(t, err, `"`+c.name+`"`)
	}
	for _, name := range []string{"arm64", "sgemm_arm65", "sgemm_test_nn", "transpose_f32_64x64_tS16x16n4_b4", "S"} {
		b := example()
		b.Name = name
		_, err := Source(b)
		assert.NoError(t, err, name)
	}
}

func TestSourceRefusesParams(t *testing.T) {
	for _, c := range []struct {
		params []Param
		want   string
	}{
		{[]Param{{"M", "long long", ""}, {"n", "int", ""}},
			`bind: kernel k: parameter 2, "n": no Go type for the C type "int"; want long long, float, a pointer or cudaStream_t`},
		{[]Param{{"x", "double", ""}}, `no Go type for the C type "double"`},
		{[]Param{{"x", "", ""}}, `no Go type for the C type ""`},
		{[]Param{{"type", "float", ""}}, `parameter 1, "type": "type" cannot name a parameter of Launch`},
		{[]Param{{"kernel", "float", ""}}, `"kernel" cannot name`},
		{[]Param{{"", "float", ""}}, `"" cannot name`},
		{[]Param{{"ld_src", "long long", ""}, {"ldSrc", "long long", ""}},
			`parameter 2, "ldSrc": its Go name "ldSrc" is also that of "ld_src"`},
	} {
		_, err := Source(Binding{Name: "k", Params: c.params})
		assert.ErrorContains(t, err, c.want)
	}
}
