package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra/operation"
)

// The command answers the recorded questions as operation.Batch does, whose answers are accounted for there.
func TestLayoutBatch(t *testing.T) {
	var questions []byte
	for _, path := range []string{
		"testdata/vectors/pycute.jsonl", "testdata/vectors/cute-cpp.jsonl", "testdata/vectors/cute-cpp-unit.jsonl",
		"testdata/vectors/pycute-wrong.jsonl", "testdata/vectors/cpp-wrong.jsonl", "tiled/testdata/cute-cpp.jsonl",
		"dynamic/testdata/vectors/cute-cpp-unit-dynamic.jsonl",
	} {
		lines, err := os.ReadFile("../../algebra/" + path)
		require.NoError(t, err)
		questions = append(questions, lines...)
	}
	var got, want bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"layout", "batch"})
	root.SetIn(bytes.NewReader(questions))
	root.SetOut(&got)
	require.NoError(t, root.Execute())
	require.NoError(t, operation.Batch(bytes.NewReader(questions), &want))
	require.Equal(t, bytes.Count(questions, []byte("\n")), bytes.Count(got.Bytes(), []byte("\n")))
	require.True(t, bytes.Equal(want.Bytes(), got.Bytes()))
}

// The README's counts of recorded answers are those of their account.
func TestREADMECountsTheRecordedAnswers(t *testing.T) {
	account, err := os.ReadFile("../../algebra/operation/testdata/vectors.txt")
	require.NoError(t, err)
	_, all, ok := strings.Cut(string(account), "\nall ")
	require.True(t, ok)
	var lines, same, equal int
	_, err = fmt.Sscan(all, &lines, &same, &equal)
	require.NoError(t, err)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), fmt.Sprintf("of %d,%03d recorded ones none of ours is\nwrong, %d are the same function in another form", lines/1000, lines%1000, equal))
}
