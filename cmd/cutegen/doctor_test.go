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

// program writes a program of the given name that prints a line, and returns its folder and path.
func program(t *testing.T, name, prints string) (dir, path string) {
	dir = t.TempDir()
	path = filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+prints+"'\n"), 0o777))
	return dir, path
}

func TestToolTellsVersionAndPath(t *testing.T) {
	dir, path := program(t, "compute-sanitizer", "Version 2025.3.1.0 (build 1)")
	t.Setenv("PATH", dir)
	found, err := tool("compute-sanitizer", "--version")()
	require.NoError(t, err)
	assert.Equal(t, "2025.3.1 at "+path, found)

	dir, path = program(t, "silent", "what?")
	t.Setenv("PATH", dir)
	_, err = tool("silent", "--version")()
	assert.EqualError(t, err, path+" --version prints no version")

	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho no >&2; exit 7\n"), 0o777))
	_, err = tool("silent", "--version")()
	assert.EqualError(t, err, path+" --version: exit status 7: no")

	_, err = tool("no-such-tool", "--version")()
	assert.ErrorContains(t, err, "not in PATH, /usr/local/cuda/bin, .toolchain/")
}

// As in the Makefile: a compiler of another version is passed over, unless NVCC asks for it.
func TestNVCCIsOfCUDA13(t *testing.T) {
	installed := toolDirs
	t.Cleanup(func() { toolDirs = installed })
	toolDirs = nil
	t.Setenv("NVCC", "")
	oldDir, oldPath := program(t, "nvcc", "release 12.9, V12.9.41")
	t.Setenv("PATH", oldDir)
	_, err := lookForNVCC()
	assert.EqualError(t, err, "want 13.0, found 12.9.41 at "+oldPath)

	newDir, newPath := program(t, "nvcc", "release 13.0, V13.0.88")
	toolDirs = []string{newDir}
	found, err := lookForNVCC()
	require.NoError(t, err)
	assert.Equal(t, "13.0.88 at "+newPath, found)

	t.Setenv("NVCC", oldPath)
	found, err = lookForNVCC()
	require.NoError(t, err)
	assert.Equal(t, "12.9.41 at "+oldPath, found)
}
