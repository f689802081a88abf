package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	gputests "cutegen/gpu-tests"
)

func TestParseProblems(t *testing.T) {
	var texts []string
	for _, p := range gputests.DefaultProblems() {
		texts = append(texts, p.String())
	}
	ps, err := parseProblems(texts)
	require.NoError(t, err)
	assert.Equal(t, gputests.DefaultProblems(), ps)

	for text, want := range map[string]string{
		"":         `--problem "": want MxN or MxNxK`,
		"4096":     `--problem "4096": want MxN or MxNxK`,
		"1x2x3x4":  `--problem "1x2x3x4": want MxN or MxNxK`,
		"1xx3":     `"" is not an extent from 1 to 65536`,
		"0x5":      `"0" is not an extent`,
		"5x-1x2":   `"-1" is not an extent`,
		"1x65537":  `"65537" is not an extent`,
		"1x2x9e99": `"9e99" is not an extent`,
	} {
		_, err := parseProblems([]string{"1x65536", text})
		assert.ErrorContains(t, err, want)
		assert.Equal(t, 2, exitCode(err))
	}
}
