package tiled_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/atom"
	"cutegen/algebra/tiled"
)

// TestPackageComment: the warps, the accumulators and the partition that the package comment shows.
func TestPackageComment(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	doc := string(text)
	find := func(pattern string) []string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(doc)
		require.NotNil(t, found, pattern)
		return found[1:]
	}
	instruction, err := atom.ByName("SM80_16x8x16_F32F16F16F32_TN")
	require.NoError(t, err)
	atoms, err := algebra.ParseLayout(strings.ReplaceAll(find(`AtomLayout (\S+)`)[0], " ", ""))
	require.NoError(t, err)
	product, err := tiled.MakeMMA(instruction, atoms, algebra.MakeTuple())
	require.NoError(t, err)

	tensor, err := algebra.Identity(algebra.Ints(128, 64))
	require.NoError(t, err)
	corners := map[string]string{"0..15 ": "(0,0) (0,8)", "16..31": "(16,0) (16,8)"}
	for _, rows := range []string{"0..15 ", "16..31"} {
		var begin []string
		for _, warp := range strings.Fields(strings.ReplaceAll(find(rows + ` +(warp \d +warp \d)`)[0], "warp", "")) {
			var w int
			_, err := fmt.Sscan(warp, &w)
			require.NoError(t, err)
			thread, err := product.Slice(32 * w)
			require.NoError(t, err)
			_, at, err := thread.PartitionC(tensor)
			require.NoError(t, err)
			begin = append(begin, at.String())
		}
		require.Equal(t, corners[rows], strings.Join(begin, " "))
	}

	thread, err := product.Slice(69)
	require.NoError(t, err)
	part, at, err := thread.PartitionC(tensor)
	require.NoError(t, err)
	require.Equal(t, []string{part.String() + " at " + at.String()}, find(`by thread 69 = (.*)`))
	for i, place := range strings.Fields(find(`is at +(.*)`)[0]) {
		value, err := part.Value(algebra.Int(i))
		require.NoError(t, err)
		sum := algebra.Ints(at.Mode(0).Value()+value.Mode(0).Value(), at.Mode(1).Value()+value.Mode(1).Value())
		require.Equal(t, place, sum.String(), i)
	}
}
