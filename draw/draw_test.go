package draw_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/draw"
	"cutegen/internal/golden"
)

var wide = draw.Options{Width: 100, Rows: 16, Grids: 3}

func composed(t *testing.T, text string) algebra.Composed {
	t.Helper()
	if l, err := algebra.ParseLayout(text); err == nil {
		return algebra.Composed{Layout: l}
	}
	c, err := algebra.ParseComposed(text)
	require.NoError(t, err)
	return c
}

func TestGrids(t *testing.T) {
	for name, text := range map[string]string{
		"row":      "(9):(3)",
		"integer":  "7:2",
		"empty":    "():()",
		"matrix":   "(4,6):(6,1)",
		"nested":   "(4,(2,4)):(2,(1,8))",
		"deep":     "((2,2,2),(3,2)):((1,6,24),(2,12))",
		"rank3":    "(2,3,5):(1,2,7)",
		"negative": "(3,4):(-4,1)",
		"basis":    "(3,(2,2)):(1@0,(1@1,4@1))",
		"swizzled": "Sw<1,0,2> o 0 o (4,4):(4,1)",
		"cut":      "(40,128):(1,40)",
		"cutRow":   "1000000:1",
		"huge":     "(1000000000,1000000000):(1,1000000000)",
	} {
		t.Run(name, func(t *testing.T) {
			got := draw.Grid(composed(t, text), wide)
			requireFits(t, got, wide.Width)
			golden.Equal(t, filepath.Join("testdata", "golden", "grid_"+name+".txt"), got)
		})
	}
}

// requireFits: no line is wider than the terminal.
func requireFits(t *testing.T, picture string, width int) {
	t.Helper()
	for line := range strings.Lines(picture) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
	}
}

func TestTheWidthIsMeasured(t *testing.T) {
	c := composed(t, "(3,(4,8)):(1,(100,1000))")
	for width := 32; width < 200; width++ {
		got := draw.Grid(c, draw.Options{Width: width, Rows: 16, Grids: 3})
		_, grid, _ := strings.Cut(got, "\n")
		requireFits(t, grid, width)
		memory, err := draw.Memory(c, draw.Options{Width: max(width, 72), Rows: 16})
		require.NoError(t, err)
		requireFits(t, memory, max(width, 72))
	}
}

func TestMemory(t *testing.T) {
	for name, text := range map[string]string{
		"gaps":     "(2,4):(1,6)",
		"aliases":  "(3,4):(1,2)",
		"negative": "5:-2",
		"far":      "(4,3):(1,1000)",
		"swizzled": "Sw<2,0,3> o 0 o (3,5):(8,1)",
		"cut":      "(7,90):(1,8)",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := draw.Memory(composed(t, text), wide)
			require.NoError(t, err)
			requireFits(t, got, wide.Width)
			golden.Equal(t, filepath.Join("testdata", "golden", "memory_"+name+".txt"), got)
		})
	}
	_, err := draw.Memory(composed(t, "(4,8):(1@0,1@1)"), wide)
	require.EqualError(t, err, "memory of (4,8):(1@0,1@1): its values are coordinates, allowed are plain strides")
	_, err = draw.Memory(composed(t, "1048577:1"), wide)
	require.ErrorContains(t, err, "size 1048577, allowed is at most 1048576")
}

func TestTiles(t *testing.T) {
	for name, c := range map[string][2]string{
		"blocks":  {"(6,8):(8,1)", "(3,4)"},
		"strided": {"(4,6):(6,1)", "(2:2,3)"},
		"rounded": {"10:1", "4"},
		"line":    {"(4,4):(1,4)", "8:1"},
	} {
		t.Run(name, func(t *testing.T) {
			tiler, err := algebra.ParseTiler(c[1])
			require.NoError(t, err)
			got, err := draw.Tiles(composed(t, c[0]), tiler, wide)
			require.NoError(t, err)
			golden.Equal(t, filepath.Join("testdata", "golden", "tiles_"+name+".txt"), got)
		})
	}
	_, err := draw.Tiles(composed(t, "(4,6):(6,1)"), algebra.Ints(2, 3, 5), wide)
	require.ErrorContains(t, err, "the tiler has rank 3, allowed is at most 2")
}

func TestTV(t *testing.T) {
	for name, c := range map[string][2]string{
		"mma":    {"((4,8),(2,2)):((32,1),(16,8))", "(16,8)"},
		"basis":  {"((2,4),(1,4)):((4@1,1@0),(0,1@1))", "()"},
		"shared": {"(4,2):(0,1)", "(2,2)"},
	} {
		t.Run(name, func(t *testing.T) {
			shape, err := algebra.ParseTuple(c[1])
			require.NoError(t, err)
			got, err := draw.TV(composed(t, c[0]).Layout, shape, wide)
			require.NoError(t, err)
			golden.Equal(t, filepath.Join("testdata", "golden", "tv_"+name+".txt"), got)
		})
	}
	for text, want := range map[string]string{
		"8:1":         "(thread, value) layout 8:1: rank 1, allowed are 2 and more",
		"(4,4):(1,4)": "(thread, value) layout (4,4):(1,4): thread 3, value 3: ",
	} {
		_, err := draw.TV(composed(t, text).Layout, algebra.Ints(3, 5), wide)
		require.ErrorContains(t, err, want)
	}
}

// Colours only colour: without them the picture is the same.
func TestColor(t *testing.T) {
	o := wide
	o.Color = true
	c := composed(t, "(2,3):(3,1)")
	got := draw.Grid(c, o)
	golden.Equal(t, filepath.Join("testdata", "golden", "color.txt"), got)
	for strings.Contains(got, "\x1b") {
		before, rest, _ := strings.Cut(got, "\x1b")
		_, after, _ := strings.Cut(rest, "m")
		got = before + after
	}
	require.Equal(t, draw.Grid(c, wide), got)
}

func TestBanks(t *testing.T) {
	lanes := [][][]int{{{0}, {1, 2}, nil, {31}}, {{3}, nil, nil, nil}, {{4}, nil, nil, nil}}
	require.Equal(t, `
     0  1  2  3
  ┌─────────────┐
0 │  0 1+    31 │
1 │  3          │
2 │  4          │
  └─────────────┘
`, draw.Banks(lanes, draw.Options{Width: 80, Rows: 8}))
	// In two parts where the banks do not fit, and no more rows than there is room for.
	require.Equal(t, `
     0  1
  ┌───────┐
0 │  0 1+ │
1 │  3    │
  └───────┘

     2  3
  ┌───────┐
0 │    31 │
1 │       │
  └───────┘
not shown: 1 more wavefronts
`, draw.Banks(lanes, draw.Options{Width: 12, Rows: 2}))
	require.Contains(t, draw.Banks(lanes, draw.Options{Width: 80, Rows: 8, Color: true}), "\x1b[48;5;226m\x1b[38;5;16m 31\x1b[0m")
}
