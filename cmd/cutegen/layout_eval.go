package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/algebra"
	"cutegen/algebra/operation"
)

func newEval() *cobra.Command {
	var asJSON, byOffset bool
	var values map[string]int
	cmd := &cobra.Command{
		Use:   "eval LAYOUT [COORD|POSITION|OFFSET...]",
		Short: "Where coordinates are, which coordinates are at an offset, or all about a layout",
		Long: `Without coordinates: the layout's size, cosize, rank, depth, coalesced form and offsets, and whether it is injective (no two coordinates
share an offset, or else the first two that do), contiguous (no gaps) and bijective (compact: 0 to size-1, each once).

With coordinates, or positions 0, 1, ... which count them colexicographically: their offsets. With --offsets the numbers are offsets, and
all coordinates there are listed.

Names are sizes known at run time: what is said of the layout holds for all their values, or is undecided. --where gives them values.`,
		Example: `  cutegen layout eval '(8,7):(1,9)'
  cutegen layout eval '(4,(2,4)):(2,(1,8))' '(3,5)' '(3,(1,2))' 23
  cutegen layout eval --offsets '(4,(2,4)):(2,(1,8))' 23
  cutegen layout eval '(M,K):(lda,1)' '(i,4)'
  cutegen layout eval '(M,K):(K,1)' --where M=4,K=8`,
		Args: cobra.MinimumNArgs(1),
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			args, err := operation.WhereLayout(args, values)
			if err != nil {
				return badLayout(err)
			}
			if len(args) == 1 && !byOffset {
				facts, err := operation.Facts(args[0])
				if err != nil {
					return badLayout(err)
				}
				return reportFacts(cmd, asJSON, facts)
			}
			if !byOffset && operation.HasSymbols(args[0], args[1:]...) {
				return evalSymbols(cmd, asJSON, args)
			}
			layout, err := operation.ParseLayout(args[0])
			if err != nil {
				return badLayout(err, operation.SymbolsOf(args[0])...)
			}
			var rows []pointRow
			for _, arg := range args[1:] {
				at, err := algebra.ParseTuple(arg)
				if err != nil {
					return badLayout(err)
				}
				var points []operation.Point
				if byOffset {
					points, err = operation.PointsWith(layout, at)
				} else {
					points = make([]operation.Point, 1)
					points[0], err = operation.PointAt(layout, at)
				}
				if err != nil {
					return badLayout(err)
				}
				for _, p := range points {
					rows = append(rows, pointRow{p.Coord.String(), p.Position, p.Value.String()})
				}
			}
			return report(cmd.OutOrStdout(), asJSON, []string{"COORDINATE", "POSITION", "OFFSET"}, rows)
		}),
	}
	addJSON(cmd, &asJSON)
	addWhere(cmd, &values)
	cmd.Flags().BoolVar(&byOffset, "offsets", false, "the numbers are offsets")
	return cmd
}

// evalSymbols lists the coordinates of a layout where one of them has a symbol.
func evalSymbols(cmd *cobra.Command, asJSON bool, args []string) error {
	var rows []symbolRow
	for _, coord := range args[1:] {
		p, err := operation.PointAtSymbols(args[0], coord)
		if err != nil {
			return badLayout(err, operation.SymbolsOf(args[0], coord)...)
		}
		rows = append(rows, symbolRow(p))
	}
	return report(cmd.OutOrStdout(), asJSON, []string{"COORDINATE", "POSITION", "OFFSET"}, rows)
}

type symbolRow struct {
	Coord    string `json:"coordinate"`
	Position string `json:"position"`
	Value    string `json:"offset"`
}

func (r symbolRow) cells() []string { return []string{r.Coord, r.Position, r.Value} }

type pointRow struct {
	Coord    string `json:"coordinate"`
	Position int    `json:"position"`
	Value    string `json:"offset"`
}

func (r pointRow) cells() []string { return []string{r.Coord, fmt.Sprint(r.Position), r.Value} }

// reportFacts prints one JSON object, or a line for each fact.
func reportFacts(cmd *cobra.Command, asJSON bool, facts []operation.Fact) error {
	if asJSON {
		row := map[string]string{}
		for _, f := range facts {
			row[f.Name] = f.Is
		}
		return report(cmd.OutOrStdout(), true, nil, []factRow{row})
	}
	for _, f := range facts {
		name := f.Name
		if name == "coalesce" {
			name = "coalesced"
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-14s %s\n", strings.ReplaceAll(name, "_", " "), f.Is); err != nil {
			return err
		}
	}
	return nil
}

type factRow map[string]string

func (factRow) cells() []string { return nil }

func newCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check CLAIM ARGUMENT...",
		Short: "Check a claim; the exit status is 1 if it does not hold",
		Long: `Check a claim. "true" is printed if it holds; otherwise the first counter-example is the error, and the exit status is 1.
It is 2 if the arguments are wrong, or too large to be decided. With names for sizes it must hold for all their values.`,
		Example: `  cutegen layout check equal '(2,(1,6)):(1,(6,2))' 12:1
  cutegen layout check injective '(4,2):(1,2)'
  cutegen layout check bijective '(M,K):(K,1)'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("no claim %q%s: see cutegen layout check --help", args[0], meant(args[0], cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range operation.Claims() {
		cmd.AddCommand(newClaim(c))
	}
	return cmd
}

func newClaim(c operation.Claim) *cobra.Command {
	var asJSON bool
	var values map[string]int
	name := dashed(c.Name)
	cmd := &cobra.Command{
		Use:     name + " " + c.Usage(),
		Short:   c.Meaning,
		Example: "  cutegen layout check " + name + quoted(c.Example),
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			args, err := c.Where(args, values)
			if err != nil {
				return badLayout(err)
			}
			counter, err := c.Check(args...)
			if err != nil {
				return badLayout(err, c.Symbols(args)...)
			}
			row := checkRow{c.Name, trimmed(args), counter == "", counter}
			if asJSON {
				err = report(cmd.OutOrStdout(), true, nil, []checkRow{row})
			} else if row.Holds {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "true")
			}
			if err != nil || row.Holds {
				return err
			}
			return fmt.Errorf("not %s: %s", strings.ReplaceAll(name, "-", " "), counter)
		}),
	}
	if c.Name != name {
		cmd.Aliases = []string{c.Name}
	}
	addJSON(cmd, &asJSON)
	addWhere(cmd, &values)
	return cmd
}

type checkRow struct {
	Claim   string   `json:"claim"`
	Args    []string `json:"args"`
	Holds   bool     `json:"holds"`
	Counter string   `json:"counterexample,omitempty"`
}

func (checkRow) cells() []string { return nil }
