package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	gputests "cutegen/gpu-tests"
	"cutegen/kernels/catalogue"
)

// run is the command line with what it prints on stdout.
func run(args ...string) (stdout string, err error) {
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	err = root.Execute()
	return out.String(), err
}

func TestResultsTellCurrentFromStale(t *testing.T) {
	es, err := catalogue.Default()
	require.NoError(t, err)
	ks, err := generate(es)
	require.NoError(t, err)
	a, b := ks[0].Manifest, ks[len(ks)-1].Manifest
	dir := t.TempDir()
	require.NoError(t, gputests.Update(filepath.Join(dir, "verify.jsonl"), []gputests.Record{
		{Kernel: a.Name, Family: a.Family, Problem: "edges", Metric: gputests.Failures, Cases: 214, Device: "H200", SourceHash: a.SourceHash},
		{Kernel: b.Name, Family: b.Family, Problem: "edges", Metric: gputests.Failures, Value: 3, Cases: 77, SourceHash: "0123456789abcdef"},
	}))
	require.NoError(t, gputests.Update(filepath.Join(dir, "bench.jsonl"), []gputests.Record{
		{Kernel: a.Name, Family: a.Family, Problem: "4096x4096", Metric: gputests.GBPerSecond, Value: 3600, Baseline: "copy", BaselineValue: 4000,
			Ratio: 0.9, SourceHash: a.SourceHash},
	}))

	table, err := run("results", "--results", dir)
	require.NoError(t, err)
	var rows [][]string
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Fields(line))
	}
	assert.ElementsMatch(t, [][]string{
		{"KERNEL", "PROBLEM", "METRIC", "VALUE", "BASELINE", "RATIO", "STATE"},
		{a.Name, "4096x4096", "GB/s", "3600", "4000", "copy", "0.900", "current"},
		{a.Name, "edges", "failures", "0", "of", "214", "-", "-", "current"},
		{b.Name, "edges", "failures", "3", "of", "77", "-", "-", "stale"},
	}, rows)

	lines, err := run("results", "--results", dir, "--json")
	require.NoError(t, err)
	assert.Contains(t, lines, `{"kernel":"`+a.Name+`","family":"transpose","problem":"4096x4096","metric":"GB/s","value":3600,`+
		`"baseline":"copy","baseline_value":4000,"ratio":0.9,"max_error":0,`)
	assert.Equal(t, 3, strings.Count(lines, "\n"))
	assert.Equal(t, 2, strings.Count(lines, `"current":true}`+"\n"))
	assert.Equal(t, 1, strings.Count(lines, `"current":false}`+"\n"))

	out, err := run("results", "--results", dir, "--check")
	assert.Empty(t, out)
	assert.Equal(t, 1, exitCode(err))
	for _, k := range ks {
		assert.ErrorContains(t, err, k.Manifest.Name)
	}
	assert.ErrorContains(t, err, "edges: the record is of source 0123456789abcdef")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "bench.jsonl"), []byte("{\"kernel\":\"x\"}\n{\"nonsense\":1}\n"), 0o666))
	_, err = run("results", "--results", dir)
	assert.ErrorContains(t, err, "bench.jsonl:2: ")
	assert.Equal(t, 2, exitCode(err))
}

// The folder is a name, not a pattern, and one that is not there holds no results that could be taken for all there are.
func TestResultsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]*")
	_, err := run("results", "--results", dir)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, 2, exitCode(err))

	require.NoError(t, gputests.Update(filepath.Join(dir, "verify.jsonl"), []gputests.Record{{Kernel: "k"}}))
	out, err := run("results", "--results", dir, "--json")
	require.NoError(t, err)
	assert.Contains(t, out, `{"kernel":"k",`)
}

// The results of a spec file's kernels are measured by that file.
func TestResultsOfASpecFile(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "mine.yaml")
	require.NoError(t, os.WriteFile(spec, []byte(`- family: transpose
  name: transpose_mine
  tile: (32,64)
  tS: (4,64):(64,1)
  vS: 1
  tD: (32,8):(1,32)
  vD: 1
  sT: (32,64):(65,1)
  minBlocks: 2
`), 0o666))
	es, err := catalogue.Load(spec)
	require.NoError(t, err)
	ks, err := generate(es)
	require.NoError(t, err)
	m := ks[0].Manifest
	require.NoError(t, gputests.Update(filepath.Join(dir, "bench.jsonl"), []gputests.Record{
		{Kernel: m.Name, Family: m.Family, Problem: "5x6", Metric: gputests.GBPerSecond, Value: 3600, SourceHash: m.SourceHash},
	}))
	out, err := run("results", "--results", dir, spec)
	require.NoError(t, err)
	assert.Regexp(t, `transpose_mine +5x6 .* current\n$`, out)
	out, err = run("results", "--results", dir)
	require.NoError(t, err)
	assert.Regexp(t, `transpose_mine +5x6 .* stale\n$`, out)
	_, err = run("results", "--check", "--results", dir, spec)
	assert.ErrorContains(t, err, "1 kernels are not verified:\n  kernel transpose_mine of source "+m.SourceHash+" is not verified")
}
