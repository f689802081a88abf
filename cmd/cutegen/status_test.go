package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/emit/bind"
	"cutegen/kernels/catalogue"
)

// The statuses of the launcher ABI stand in three places: in the C header, in the Go package and in the documentation.
func TestStatusesAgree(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	es, err := catalogue.Default()
	require.NoError(t, err)
	ks, err := generate(es)
	require.NoError(t, err)
	for _, s := range bind.Statuses() {
		assert.Contains(t, string(doc), fmt.Sprintf("| %d | `%s` | %s |\n", s.Code, s.Name, s.Meaning))
		for _, k := range ks {
			define := fmt.Sprintf("#define %s %d\n", s.Name, s.Code)
			assert.Contains(t, k.Header, define, k.Manifest.Name)
			assert.Contains(t, k.Source, define, k.Manifest.Name)
		}
	}
}
