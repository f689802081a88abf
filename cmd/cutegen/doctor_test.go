package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiagnoseReportsEveryProbe(t *testing.T) {
	ps := []probe{
		{"nvcc", []string{"kernels"}, func() (string, error) { return "13.0.88", nil }, "unused"},
		{"driver", []string{"verify", "bench"}, func() (string, error) { panic("broken library") }, "mend it"},
		{"gpu", []string{"verify"}, func() (string, error) { return "", errors.New("no device") }, "buy one"},
	}
	findings, missing := diagnose(ps, []string{"kernels", "bench"})
	assert.Equal(t, []finding{
		{"nvcc", true, "13.0.88", []string{"kernels"}, ""},
		{"driver", false, "the probe itself failed: broken library", []string{"verify", "bench"}, "mend it"},
		{"gpu", false, "no device", []string{"verify"}, "buy one"},
	}, findings)
	assert.Equal(t, []string{"driver"}, missing, "bench needs no gpu here, and nobody asked about verify")

	_, missing = diagnose(ps, nil)
	assert.Empty(t, missing)

	var out strings.Builder
	printFixes(&out, findings)
	assert.Equal(t, "\nTo get what is missing:\n  driver: mend it\n  gpu: buy one\n", out.String())
}

func TestEachProbeServesAJobAndHasAFix(t *testing.T) {
	served := map[string]bool{}
	for _, p := range probes() {
		assert.NotEmpty(t, p.fix, p.name)
		assert.Subset(t, jobs, p.jobs, p.name)
		for _, job := range p.jobs {
			served[job] = true
		}
	}
	for _, job := range jobs {
		assert.True(t, served[job], job)
	}
}

func TestToolIsNVCCThenThePath(t *testing.T) {
	script := func(prints string) (dir, path string) {
		dir = t.TempDir()
		path = filepath.Join(dir, "nvcc")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+prints+"'\n"), 0o777))
		return dir, path
	}
	dir, inPath := script("release 12.9, V12.9.41")
	t.Setenv("PATH", dir)
	t.Setenv("NVCC", "")
	found, err := tool("nvcc", "--version")()
	require.NoError(t, err)
	assert.Equal(t, "12.9.41 at "+inPath, found)

	_, mine := script("release 13.0, V13.0.88")
	t.Setenv("NVCC", mine)
	found, err = tool("nvcc", "--version")()
	require.NoError(t, err)
	assert.Equal(t, "13.0.88 at "+mine, found)

	_, silent := script("what?")
	t.Setenv("NVCC", silent)
	_, err = tool("nvcc", "--version")()
	assert.EqualError(t, err, silent+" --version prints no version")

	_, err = tool("no-such-tool", "--version")()
	assert.ErrorContains(t, err, "not in PATH, /usr/local/cuda/bin, .toolchain/")
}
