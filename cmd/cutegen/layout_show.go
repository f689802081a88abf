package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"cutegen/algebra"
	"cutegen/algebra/operation"
	"cutegen/draw"
)

func newShow() *cobra.Command {
	var memory, tv, all, asJSON bool
	var tiles, tile, color string
	var values map[string]int
	o := draw.Options{}
	cmd := &cobra.Command{
		Use:   "show LAYOUT",
		Short: "Draw a layout: a grid of offsets, its memory, its tiles, its threads and values",
		Long: `Draw a layout as a grid of offsets: mode 0 down, mode 1 across, one grid for each coordinate of the other modes. Lines part the inner
modes of a nested mode; colours run with the offset.

A picture needs integers: --where gives names values.

A line is never longer than the terminal is wide (120 columns where there is no terminal), and what does not fit is left out with a note.`,
		Example: `  cutegen layout show '(4,(2,4)):(2,(1,8))'
  cutegen layout show --memory '(2,4):(1,6)'
  cutegen layout show --tiles '(3,4)' '(6,8):(8,1)'
  cutegen layout show --tv --tile '(16,8)' '((4,8),(2,2)):((32,1),(16,8))'
  cutegen layout show '(M,K):(K,1)' --where M=4,K=8`,
		Args: cobra.ExactArgs(1),
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			args, err := operation.WhereLayout(args, values)
			if err != nil {
				return badLayout(err)
			}
			v, err := operation.ParseLayout(args[0])
			if err != nil {
				return badLayout(err, operation.SymbolsOf(args[0])...)
			}
			if o.Color, err = colored(color, cmd.OutOrStdout()); err != nil {
				return badInput(err)
			}
			o.Color = o.Color && !asJSON
			if o.Width == 0 {
				o.Width = terminalWidth(cmd.OutOrStdout())
			}
			if o.Width < 32 || o.Rows < 1 {
				return badInput(fmt.Errorf("%d columns and %d rows, allowed are at least 32 and 1", o.Width, o.Rows))
			}
			o.Grids = 4
			if all {
				o.Rows, o.Grids = math.MaxInt, math.MaxInt
			}
			picture, err := picture(v, memory, tv, tiles, tile, o)
			if err != nil {
				return badLayout(err)
			}
			if asJSON {
				return report(cmd.OutOrStdout(), true, nil, []pictureRow{{fmt.Sprint(v), strings.Split(strings.TrimSuffix(picture, "\n"), "\n")}})
			}
			_, err = io.WriteString(cmd.OutOrStdout(), picture)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&memory, "memory", false, "what lies at each offset, with gaps and shared offsets")
	flags.StringVar(&tiles, "tiles", "", "part the tiles of this tiler")
	flags.BoolVar(&tv, "tv", false, "the tile that a (thread, value) layout deals out, with each element's thread and value")
	flags.StringVar(&tile, "tile", "()", "shape of the tile of --tv; () is the smallest")
	flags.StringVar(&color, "color", "auto", "auto, always or never; auto is on a terminal, unless NO_COLOR is set")
	flags.IntVar(&o.Width, "width", 0, "columns; 0 is the terminal's width")
	flags.IntVar(&o.Rows, "rows", 64, "most rows of a grid")
	flags.BoolVar(&all, "all", false, "all rows and grids")
	addJSON(cmd, &asJSON)
	addWhere(cmd, &values)
	cmd.MarkFlagsMutuallyExclusive("memory", "tiles", "tv")
	return cmd
}

// pictureRow is a picture without colours, a line each.
type pictureRow struct {
	Layout string   `json:"layout"`
	Lines  []string `json:"picture"`
}

func (pictureRow) cells() []string { return nil }

func picture(v operation.Value, memory, tv bool, tiles, tile string, o draw.Options) (string, error) {
	c, isSwizzled := v.(algebra.Composed)
	if !isSwizzled {
		c.Layout = v.(algebra.Layout)
	}
	switch {
	case memory:
		return draw.Memory(c, o)
	case tiles != "":
		t, err := algebra.ParseTiler(tiles)
		if err != nil {
			return "", err
		}
		return draw.Tiles(c, t, o)
	case tv:
		if isSwizzled {
			return "", fmt.Errorf("(thread, value) layout %v: it is swizzled, allowed are plain layouts", v)
		}
		shape, err := algebra.ParseTuple(tile)
		if err != nil {
			return "", err
		}
		return draw.TV(c.Layout, shape, o)
	}
	if o.Rows == math.MaxInt && c.Size() > operation.MostOffsets {
		return "", fmt.Errorf("all of %v: size %d, allowed is at most %d", v, c.Size(), operation.MostOffsets)
	}
	return draw.Grid(c, o), nil
}

// colored tells whether to colour what goes to w.
func colored(when string, w io.Writer) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w, term.IsTerminal), nil
	}
	return false, fmt.Errorf("color %q, allowed are auto, always and never", when)
}

func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns >= 32 {
			return columns
		}
	}
	return 120
}
