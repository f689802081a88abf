package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	gputests "cutegen/gpu-tests"
	"cutegen/internal/golden"
	"cutegen/kernels"
	"cutegen/kernels/catalogue"
)

// The README's table of results is what the recorded results say: the figures at 4096 and 8192, and the time over the twin's.
func TestREADMEShowsTheRecordedResults(t *testing.T) {
	bench, err := gputests.Load(filepath.Join("..", "..", "gpu-tests", "results", "bench.jsonl"))
	require.NoError(t, err)
	compare, err := gputests.Load(filepath.Join("..", "..", "gpu-tests", "results", "compare.jsonl"))
	require.NoError(t, err)
	find := func(rs []gputests.Record, kernel, problem, baseline string) (gputests.Record, bool) {
		for _, r := range rs {
			if r.Kernel == kernel && r.Problem == problem && strings.HasPrefix(r.Baseline, baseline) {
				return r, true
			}
		}
		return gputests.Record{}, false
	}
	entries, err := catalogue.Default()
	require.NoError(t, err)
	table := "| kernel | 4096 | 8192 | time / twin's, 4096 |\n| --- | --- | --- | --- |\n"
	for _, e := range entries {
		baseline, extents, what := "device copy", "%dx%[1]d", "a device copy"
		if e.Family == "sgemm" {
			baseline, extents, what = "cublasSgemm", "%dx%[1]dx%[1]d", "cuBLAS"
		}
		row := "| `" + e.Name + "`"
		if e.Experimental {
			row += " (experimental)"
		}
		for _, n := range []int{4096, 8192} {
			r, ok := find(bench, e.Name, fmt.Sprintf(extents, n), baseline)
			require.True(t, ok, "no figure of %s at %d: make bench", e.Name, n)
			row += fmt.Sprintf(" | %.4g %s, %.1f %% of %s", r.Value, r.Metric, 100*r.Ratio, what)
		}
		twin := "-"
		if r, ok := find(compare, e.Name, fmt.Sprintf(extents, 4096), ""); ok {
			twin = fmt.Sprintf("%.3f", r.Ratio)
		}
		table += row + " | " + twin + " |\n"
	}

	goldenPart(t, "<!-- results: go test ./cmd/cutegen -run README -update -->\n", table, "<!-- end of results -->")
}

// The README's table of fields is what the families say of them.
func TestREADMEShowsTheFields(t *testing.T) {
	table := "| field | of | meaning | as |\n| --- | --- | --- | --- |\n"
	row := func(of string, f kernels.FieldDoc) {
		table += fmt.Sprintf("| %s | %s | %s | `%s` |\n", f.Name, of, f.Meaning, f.Example)
	}
	for _, f := range kernels.CommonFields() {
		row("all", f)
	}
	for _, family := range catalogue.Families() {
		for _, f := range catalogue.FieldDocs(family)[len(kernels.CommonFields()):] {
			row(family, f)
		}
	}
	goldenPart(t, "<!-- fields: go test ./cmd/cutegen -run README -update -->\n", table, "<!-- end of fields -->")
}

// goldenPart compares what stands in the README from begin to end, or writes it.
func goldenPart(t *testing.T, begin, part, end string) {
	path := filepath.Join("..", "..", "README.md")
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(readme), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	golden.Equal(t, path, before+begin+part+end+after)
}

// The README's example is a spec file, and the CUDA that it shows is the CUDA that the spec gives.
func TestREADMEShowsTheGeneratedCUDA(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	block := func(language string) string {
		_, rest, ok := strings.Cut(string(readme), "```"+language+"\n")
		require.True(t, ok)
		text, _, ok := strings.Cut(rest, "```")
		require.True(t, ok)
		return text
	}
	spec := filepath.Join(t.TempDir(), "spec.yaml")
	require.NoError(t, os.WriteFile(spec, []byte(block("yaml")), 0o644))
	entries, err := catalogue.Load(spec)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Contains(t, string(readme), "gen -o - "+entries[0].Name)
	k, err := entries[0].Generate()
	require.NoError(t, err)
	for line := range strings.Lines(block("c")) {
		assert.True(t, strings.Contains(k.Source, line), "the generated CUDA has no line %q", line)
	}
}

// The README's commands on layouts print what the README shows.
func TestREADMEShowsTheLayoutCommands(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	want, got, commands := "", "", 0
	for _, part := range strings.Split(string(readme), "```console\n")[1:] {
		block, _, ok := strings.Cut(part, "```")
		require.True(t, ok)
		want += block
	}
	for line := range strings.Lines(want) {
		command, ok := strings.CutPrefix(line, "$ cutegen ")
		if !ok {
			continue
		}
		commands++
		// Every second part between quotes is an argument with its spaces.
		var args []string
		for i, part := range strings.Split(strings.TrimSpace(command), "'") {
			if i%2 == 1 {
				args = append(args, part)
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		var out strings.Builder
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(&out)
		if err := root.Execute(); err != nil {
			fmt.Fprintf(&out, "cutegen: %v\n", err)
		}
		got += line + out.String()
	}
	assert.Equal(t, 10, commands)
	assert.Equal(t, want, got)
}
