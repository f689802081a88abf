package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
	"cutegen/kernels/artefact"
	"cutegen/kernels/catalogue"
)

func TestGenWritesEveryKernelOfTheCatalogue(t *testing.T) {
	dir := t.TempDir()
	out, err := run("gen", "-o", dir)
	require.NoError(t, err)
	assert.Empty(t, out)
	manifests, err := artefact.Read(dir)
	require.NoError(t, err)

	es, err := catalogue.Default()
	require.NoError(t, err)
	require.Len(t, manifests, len(es))
	for i, e := range es {
		assert.Equal(t, e.Name, manifests[i].Name)
		source, err := os.ReadFile(filepath.Join(dir, e.Name+".cu"))
		require.NoError(t, err)
		assert.Equal(t, manifests[i].SourceHash, kernels.Hash(string(source)))
		for _, file := range []string{e.Name + ".h", filepath.Join("go", e.Name, e.Name+".go")} {
			assert.FileExists(t, filepath.Join(dir, file))
		}
	}
}
