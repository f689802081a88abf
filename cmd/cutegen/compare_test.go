package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	gputests "cutegen/gpu-tests"
	"cutegen/sass"
)

// dump is what cuobjdump -sass -res-usage prints of one kernel of package sass's tests.
func dump(t *testing.T, name string) string {
	text := ""
	for _, ext := range []string{".res-usage", ".sass"} {
		part, err := os.ReadFile(filepath.Join("..", "..", "sass", "testdata", name+ext))
		require.NoError(t, err)
		text += string(part)
	}
	return text
}

func TestCodeOfCountsTheMainLoop(t *testing.T) {
	text := dump(t, "dot")
	code, err := codeOf(text)
	require.NoError(t, err)
	kernel, err := sass.Parse(text)
	require.NoError(t, err)
	loop := kernel.MainLoop()
	require.NotEmpty(t, loop)
	require.Less(t, len(loop), len(kernel.Code))
	total := 0
	for _, n := range code.Instructions {
		total += n
	}
	assert.Equal(t, len(loop), total)
	assert.Positive(t, code.Instructions["FFMA"])
	assert.Positive(t, code.Registers)

	_, err = codeOf("cuobjdump fatal: no such file")
	assert.ErrorContains(t, err, "resource usage of 0 kernels")
}

func TestCodesStandBesideTheirTwins(t *testing.T) {
	r := codeRow{
		Kernel: "derived", Code: gputests.Code{Registers: 30, Instructions: map[string]int{"FFMA": 8, "LDS": 2}},
		Twin: "handwritten", TwinCode: gputests.Code{Registers: 32, Instructions: map[string]int{"FFMA": 8, "IMAD": 5}},
	}
	cells := r.cells()
	assert.Equal(t, []string{"derived", "30/32", "0/320", "8/8", "0/5"}, cells[:5]) // 5 beside 8 are 320 beside 512; FFMA and IMAD are the first classes
	assert.Len(t, cells, 3+len(sass.Classes()))
	r.TwinCode.Instructions = map[string]int{"IMAD": 5, "LEA": 2, "LDS": 3}
	assert.Equal(t, "0/7", r.cells()[2]) // without multiply-adds they are all

	record := gputests.Record{Kernel: "derived"}
	addCode(&record, []codeRow{{Kernel: "other"}, r})
	assert.Equal(t, r.Code, *record.Code)
	assert.Equal(t, r.TwinCode, *record.BaselineCode)
}
