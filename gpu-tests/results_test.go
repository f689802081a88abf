package gputests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/kernels"
)

func result(kernel, problem, metric, hash string, value float64) Record {
	return Record{Kernel: kernel, Family: familySGEMM, Problem: problem, Metric: metric, Value: value, SourceHash: hash,
		Baseline: "cuBLAS 13.1.0", BaselineValue: 51.25, Ratio: 0.75, MaxError: 1e-6, Device: "NVIDIA H200", Cases: 7, TimeUS: 3.5,
		Code: &Code{Registers: 128, Instructions: map[string]int{"FFMA": 512, "LDS.128": 32}}, Date: "2026-12-01"}
}

func TestResultsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "bench.jsonl")
	records, err := Load(path)
	require.NoError(t, err)
	assert.Empty(t, records, "no file, no records")

	a, b := result("b", "4096x4096x4096", TFLOPS, "1", 40), result("a", "4096x4096x4096", TFLOPS, "2", 30)
	require.NoError(t, Update(path, []Record{a, b}))
	records, err = Load(path)
	require.NoError(t, err)
	assert.Equal(t, []Record{b, a}, records)

	// A second run of kernel a, and of a new problem: b stays as it was.
	again, other := result("a", "4096x4096x4096", TFLOPS, "3", 33), result("a", "512x512x512", TFLOPS, "3", 9)
	require.NoError(t, Update(path, []Record{again, other}))
	records, err = Load(path)
	require.NoError(t, err)
	assert.Equal(t, []Record{again, other, a}, records)

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left beside it")
}

func TestMergeKeepsOtherBaselines(t *testing.T) {
	copied, geam := result("t", "4096x4096", GBPerSecond, "1", 3900), result("t", "4096x4096", GBPerSecond, "1", 3900)
	copied.Baseline = "device copy"
	assert.Len(t, Merge([]Record{copied}, []Record{geam}), 2)
	assert.Len(t, Merge([]Record{copied, geam}, []Record{geam}), 2)
}

func TestUpdateLeavesTheOldFileOnAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"kernel\":\"a\"}\n{\"kernel\":\n"), 0o666))
	err := Update(path, []Record{result("b", "edges", Failures, "1", 0)})
	assert.ErrorContains(t, err, path+":2: ")
	_, err = Load(path)
	assert.ErrorContains(t, err, path+":2: ")

	require.NoError(t, os.WriteFile(path, []byte("{\"kernel\":\"a\",\"colour\":1}\n"), 0o666))
	_, err = Load(path)
	assert.ErrorContains(t, err, `unknown field "colour"`)
}

func TestRowsAreCurrentOrStale(t *testing.T) {
	records := []Record{result("a", "edges", Failures, "1", 0), result("b", "edges", Failures, "1", 0), result("gone", "edges", Failures, "1", 0), {Kernel: "c"}}
	rows := Rows(records, []kernels.Manifest{{Name: "a", SourceHash: "1"}, {Name: "b", SourceHash: "2"}, {Name: "c"}})
	var current []bool
	for _, r := range rows {
		current = append(current, r.Current)
	}
	assert.Equal(t, []bool{true, false, false, false}, current, "no hash is no current hash")

	line, err := json.Marshal(rows[0])
	require.NoError(t, err)
	for _, key := range []string{"kernel", "family", "problem", "metric", "value", "baseline", "baseline_value", "ratio", "max_error", "device", "current"} {
		assert.Contains(t, string(line), `"`+key+`":`)
	}
	assert.True(t, strings.HasPrefix(string(line), `{"kernel":"a","family":"sgemm","problem":"edges","metric":"failures","value":0,`), string(line))
}

func TestUnverified(t *testing.T) {
	m := kernels.Manifest{Name: "k", Family: familySGEMM, SourceHash: "1"}
	var records []Record
	for _, c := range fullScope().checks(familySGEMM) {
		r := result("k", c.problem, c.metric, "1", 0)
		if c.metric == ErrorOverBound {
			r.Value = 1
		}
		records = append(records, r)
	}
	require.Len(t, records, 8)
	require.NoError(t, Unverified(records, m))

	change := func(i int, f func(*Record)) []Record {
		changed := append([]Record(nil), records...)
		f(&changed[i])
		return changed
	}
	assert.EqualError(t, Unverified(records[1:], m), "kernel k of source 1 is not verified: arguments: no record")
	assert.ErrorContains(t, Unverified(change(1, func(r *Record) { r.SourceHash = "0" }), m), "edges: the record is of source 0")
	assert.ErrorContains(t, Unverified(change(1, func(r *Record) { r.Value = 2 }), m), "edges: 2 of 7 cases failed")
	assert.ErrorContains(t, Unverified(change(2, func(r *Record) { r.Value = 1.25 }), m), "random: the error is 1.25 times its bound")
	assert.ErrorContains(t, Unverified(change(0, func(r *Record) { r.Kernel = "other" }), m), "arguments: no record")
	assert.ErrorContains(t, Unverified(nil, m), "arguments: no record; edges: no record; random: no record; 515x389x263, 50 launches: no record; 4096x4096x4096: no record; ")
	m.Family = "reduce"
	assert.EqualError(t, Unverified(records, m), `kernel k: there are no tests for the family "reduce"`)
}

// A line is one record: what follows it, an empty line, or a record of no kernel is refused with its place.
func TestLoadRefusesLinesThatAreNotOneRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.jsonl")
	for _, c := range []struct{ text, want string }{
		{`{"kernel":"x"}{"kernel":"y"}`, "verify.jsonl:1: want one record with a kernel's name on the line"},
		{`{"kernel":"x"} trailing`, "verify.jsonl:1: want one record"},
		{"{\"kernel\":\"x\"}\n{}", "verify.jsonl:2: want one record"},
		{"{\"kernel\":\"x\"}\n\n", "verify.jsonl:2: no record: EOF"},
		{"null", "verify.jsonl:1: want one record"},
	} {
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		_, err := Load(path)
		assert.ErrorContains(t, err, c.want)
	}
	require.NoError(t, os.WriteFile(path, []byte("{\"kernel\":\"x\"}\n{\"kernel\":\"y\"}\n"), 0o644))
	records, err := Load(path)
	require.NoError(t, err)
	assert.Len(t, records, 2)
}
