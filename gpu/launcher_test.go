package gpu

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLaunchersGetEachArgument(t *testing.T) {
	library := filepath.Join(fake(t), "launchers.so")
	_, s := device(t)

	transpose, err := LoadTranspose(library, "echo_transpose", "0123456789abcdef")
	require.NoError(t, err)
	args := TransposeArgs{M: 3 << 40, N: 5, Batch: 7, Src: 0x1000, LDSrc: 11, BatchStrideSrc: 13, Dst: 0x2000, LDDst: 17, BatchStrideDst: 19 << 40}
	assert.Equal(t, Misaligned, transpose(args, s))
	args.LDDst++
	assert.Equal(t, Status(9), transpose(args, s))

	sgemm, err := LoadSGEMM(library, "echo_sgemm", "")
	require.NoError(t, err)
	g := SGEMMArgs{M: 3 << 40, N: 5, K: 7, Alpha: 1.5, A: 0x1000, LDA: 11, B: 0x2000, LDB: 13, Beta: -0.25, C: 0x3000, LDC: 17 << 40}
	assert.Equal(t, Overlap, sgemm(g, s))
	g.Beta = 0.25
	assert.Equal(t, Status(700), sgemm(g, s))

	_, err = LoadSGEMM(library, "no_such_kernel", "")
	assert.ErrorContains(t, err, "launchers.so has no no_such_kernel")
	_, err = LoadTranspose(library, "echo_transpose", "fedcba9876543210")
	assert.EqualError(t, err, "kernel echo_transpose: "+library+" is built from source 0123456789abcdef, not from fedcba9876543210: build it again")
	_, err = LoadSGEMM(library, "echo_sgemm", "0123456789abcdef")
	assert.ErrorContains(t, err, "launchers.so has no echo_sgemm_source")
	_, err = LoadSGEMM(filepath.Join(t.TempDir(), "no_such_kernel.so"), "no_such_kernel", "")
	assert.ErrorContains(t, err, "kernel no_such_kernel: ")
	assert.ErrorContains(t, err, "no_such_kernel.so: cannot open shared object file")
}

func TestStatusesAreThoseOfTheABI(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "architecture.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| (-?\\d+) \\| `(CUTEGEN_\\w+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, len(statuses))
	for _, row := range rows {
		code, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		assert.Equal(t, row[2], Status(code).Name())
		assert.EqualError(t, Status(code), row[3]+" ("+row[2]+")")
	}
	assert.EqualError(t, Status(9), "cudaError_t 9")
	assert.EqualError(t, Status(-8), "unknown status -8")
	assert.NoError(t, OK.Err())
	assert.ErrorIs(t, Reach.Err(), Reach)
}
