package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A path of the machine that made a file is wrong on every other. Generated files and recorded results are where one slips in.
func TestNoFileNamesTheMachine(t *testing.T) {
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	visit(t, func(name string) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.False(t, namesPath(text, here), "%s names %s", name, here)
	})
}

// namesPath tells whether path, or a file below it, stands in text. /a/b does not stand in /a/bc, nor in x/a/b.
func namesPath(text []byte, path string) bool {
	return regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(path) + `($|[^\w-])`).Match(text)
}

func TestNamesPath(t *testing.T) {
	for text, want := range map[string]bool{
		"":                            false,
		"/home/a/other":               false,
		"/home/a/src2/x, a/src/":      false,
		"x/home/a/src, ./home/a/src":  false,
		"//line /home/a/src/x.qtpl:1": true,
		"in /home/a/src":              true,
		"/home/a/src2 /home/a/src.":   true,
		"\n/home/a/src\n":             true,
	} {
		assert.Equal(t, want, namesPath([]byte(text), "/home/a/src"), text)
	}
}
