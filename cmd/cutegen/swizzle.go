package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/access"
	"cutegen/algebra"
)

func newSwizzle() *cobra.Command {
	var asJSON bool
	var writes, reads []string
	var elemBytes, vector int
	cmd := &cobra.Command{
		Use:   "swizzle TILE --write TV --read TV",
		Short: "Choose the layout of a shared-memory tile: the swizzle or padding without bank conflicts",
		Long: `Choose the layout of a tile of shared memory. TILE is its layout, coordinates to offsets in elements; if it has a swizzle, that is counted
too. Each access is a layout of (thread, value) to coordinates of the tile, as cutegen explain prints tS and tA, or to positions, which count them
colexicographically, as tiled copies do: in a tile of 64 rows, 1 or 1@0 is the next row, 64 or 1@1 the next column. Values that lie side by side are moved together, up to 16 bytes: the
widest vectors that TILE allows, or --vector.

Every Swizzle<B,M,S> that keeps the vectors is tried, and every padding; of those with the fewest wavefronts the smallest is printed. Linear
algebra over bits says whether any layout is free of conflicts. ldmatrix and stmatrix move 16 bytes a lane, as vectors of 16 bytes do.`,
		Example: `  cutegen swizzle '(32,32):(32,1)' --write '(32,32):(32,1)' --read '(32,32):(1,32)'
  cutegen swizzle '(64,64):(64,1)' --write '((16,16),(4,4)):((256,1),(64,16))' --read '((16,16),(4,4)):((4,256),(64,1))'
  cutegen swizzle '(64,64):(64,1)' --bytes 2 --write '((8,16),(8,4)):((512,1),(64,16))' --read '((16,2),(8,4,4)):((1,512),(64,1024,16))'`,
		Args: cobra.ExactArgs(1),
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			tile, err := algebra.ParseComposed(args[0])
			if err != nil {
				return badLayout(err)
			}
			var uses []access.Use
			add := func(name string, texts []string) error {
				for i, text := range texts {
					coord, err := algebra.ParseLayout(text)
					if err != nil {
						return badLayout(fmt.Errorf("--%s: %w", name, err))
					}
					u := access.Use{Name: name, Write: name == "write", Coord: coord, Vector: vector}
					if len(texts) > 1 {
						u.Name = fmt.Sprint(name, i+1)
					}
					if vector == 0 {
						u.Vector = access.WidestVector(tile, coord, elemBytes)
					}
					uses = append(uses, u)
				}
				return nil
			}
			if err := add("write", writes); err != nil {
				return err
			}
			if err := add("read", reads); err != nil {
				return err
			}
			if len(uses) == 0 {
				return badInput(fmt.Errorf("no access is given: want --write TV, --read TV or both"))
			}
			advice, err := access.Advise("TILE", tile, elemBytes, uses...)
			if err != nil {
				return badInput(err)
			}
			return reportAdvice(cmd.OutOrStdout(), asJSON, uses, elemBytes, advice)
		}),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&writes, "write", nil, "a layout of (thread, value) that writes the tile; may be repeated")
	flags.StringArrayVar(&reads, "read", nil, "a layout of (thread, value) that reads the tile; may be repeated")
	flags.IntVar(&elemBytes, "bytes", 4, "size of an element")
	flags.IntVar(&vector, "vector", 0, "values of one instruction; 0 is the most that lie side by side")
	addJSON(cmd, &asJSON)
	return cmd
}

// choiceRow is one layout of the tile.
type choiceRow struct {
	Choice     string      `json:"choice"`
	Layout     string      `json:"layout"`
	Elems      int         `json:"elements"`
	Wavefronts int         `json:"wavefronts"`
	Ideal      int         `json:"ideal"`
	Accesses   []accessRow `json:"accesses"`
}

// accessRow is what one instruction of a warp takes.
type accessRow struct {
	Name       string  `json:"name"`
	Vector     int     `json:"vector"`
	Wavefronts float64 `json:"wavefronts"`
	Ideal      float64 `json:"ideal"`
}

func (r choiceRow) cells() []string {
	cells := []string{r.Choice, r.Layout, fmt.Sprint(r.Elems)}
	for _, a := range r.Accesses {
		cells = append(cells, fmt.Sprintf("%.4g of %.4g", a.Wavefronts, a.Ideal))
	}
	return append(cells, fmt.Sprintf("%d of %d", r.Wavefronts, r.Ideal))
}

// adviceRow is all of the advice.
type adviceRow struct {
	Choices    []choiceRow `json:"choices"`
	Bases      []int       `json:"linear_bases,omitempty"`
	Why        string      `json:"linear_why,omitempty"`
	Impossible bool        `json:"linear_impossible"`
}

func (adviceRow) cells() []string { return nil }

func reportAdvice(w io.Writer, asJSON bool, uses []access.Use, elemBytes int, advice access.Advice) error {
	header := []string{"CHOICE", "LAYOUT", "ELEMENTS"}
	for _, u := range uses {
		header = append(header, strings.ToUpper(fmt.Sprintf("%s, %d bytes", u.Name, u.Vector*elemBytes)))
	}
	header = append(header, "WAVEFRONTS")
	var rows []choiceRow
	for _, c := range []struct {
		name string
		access.Choice
	}{{"given", advice.Given}, {"plain", advice.Plain}, {"swizzle", advice.Swizzled}, {"padding", advice.Padded}} {
		if c.name == "given" && c.Layout.Swizzle.Bits == 0 {
			continue
		}
		r := choiceRow{Choice: c.name, Layout: c.Layout.String(), Elems: c.Elems, Wavefronts: c.Wavefronts, Ideal: c.Ideal}
		for i, u := range uses {
			r.Accesses = append(r.Accesses, accessRow{u.Name, u.Vector, c.Counts[i].Value, c.Counts[i].Ideal})
		}
		rows = append(rows, r)
	}
	if asJSON {
		return report(w, true, nil, []adviceRow{{rows, advice.Linear.Bases, advice.Linear.Why, advice.Linear.Impossible}})
	}
	if err := report(w, false, header, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, verdict(advice))
	return err
}

// verdict is the advice in a sentence.
func verdict(a access.Advice) string {
	switch {
	case a.Given.Free():
		return "No bank conflicts as it is."
	case a.Plain.Free():
		return "No bank conflicts without the swizzle."
	case a.Swizzled.Free():
		return fmt.Sprintf("No bank conflicts with %v.", a.Swizzled.Layout.Swizzle)
	case a.Padded.Free():
		return fmt.Sprintf("No swizzle is free of bank conflicts; a padding of %d elements is.", a.Padded.Elems-a.Plain.Elems)
	case a.Linear.Bases != nil:
		return fmt.Sprintf("No swizzle and no padding is free of bank conflicts, but a linear layout is: positions 1, 2, 4, ... at offsets %v, others at the exclusive or of theirs.", a.Linear.Bases)
	case a.Linear.Impossible:
		return fmt.Sprintf("No swizzle, no padding and no linear layout is free of bank conflicts: %s.", a.Linear.Why)
	}
	return fmt.Sprintf("No swizzle and no padding is free of bank conflicts. Of linear layouts nothing is known: %s.", a.Linear.Why)
}
