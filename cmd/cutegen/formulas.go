package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/algebra"
	"cutegen/emit"
	"cutegen/emit/formula"
	"cutegen/sass"
	"cutegen/templates"
)

func newFormulas() *cobra.Command {
	var asJSON, code, markdown bool
	cmd := &cobra.Command{
		Use:   "formulas",
		Short: "Show index formulas as a hand writes them beside those that are derived from layouts",
		Long: `Show the index arithmetic that kernels have in common twice: as a hand writes it, and derived from the layout that it means. Both are
proved to be the layout's value at every coordinate. The operators in each text are counted; --code compiles both and counts the machine
instructions of integer arithmetic too: IMAD, IADD3, LEA, LOP3 and SHF, in all copies of unrolled loops.

The status is 1 if a proof fails or a derived index has more operators or instructions than its handwritten one. --code needs no GPU; without
nvcc or cuobjdump the status is 3.`,
		Args: cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			formulas, err := formula.Table()
			if err != nil {
				return err
			}
			var rows []formulaRow
			for _, f := range formulas {
				d, err := formula.Derive(f)
				if err != nil {
					return err
				}
				rows = append(rows, formulaRow{Name: f.Name, Task: f.Task, Hand: f.Hand, From: f.From, Layout: f.Layout.String(), Derived: d.C,
					Points: d.Points, HandOps: d.HandOps, Ops: d.Ops, formula: d})
			}
			if code {
				if err := addInstructions(cmd.Context(), rows); err != nil {
					return err
				}
			}
			w := cmd.OutOrStdout()
			switch {
			case markdown:
				err = formulasMarkdown(w, rows)
			case asJSON:
				err = report(w, true, nil, rows)
			default:
				err = formulasText(w, rows)
			}
			return errors.Join(err, dearer(rows))
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&code, "code", false, "compile both, and count machine instructions")
	flags.BoolVar(&markdown, "markdown", false, "print a Markdown table")
	addJSON(cmd, &asJSON)
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

// formulaRow is a formula and what was derived.
type formulaRow struct {
	Name    string `json:"name"`
	Task    string `json:"task"`
	Hand    string `json:"hand"`
	From    string `json:"from"`
	Layout  string `json:"layout"`
	Derived string `json:"derived"`
	Points  int    `json:"points"`
	HandOps int    `json:"hand_operators"`
	Ops     int    `json:"operators"`
	// HandCode and Code are the instructions of integer arithmetic, if they were counted.
	HandCode *int `json:"hand_instructions,omitempty"`
	Code     *int `json:"instructions,omitempty"`
	formula  formula.Derived
}

func (formulaRow) cells() []string { return nil }

// counts are the numbers of a row, by hand and derived.
func (r formulaRow) counts() string {
	text := fmt.Sprintf("%d points; operators %d by hand, %d derived", r.Points, r.HandOps, r.Ops)
	if r.Code != nil {
		text += fmt.Sprintf("; integer instructions %d by hand, %d derived", *r.HandCode, *r.Code)
	}
	return text
}

func formulasText(w io.Writer, rows []formulaRow) error {
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n  by hand  %s\n  layout   %s\n           = %s\n  derived  %s\n  equal at %s\n",
			r.Name, r.Task, r.Hand, r.From, r.Layout, r.Derived, r.counts())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func formulasMarkdown(w io.Writer, rows []formulaRow) error {
	var b strings.Builder
	b.WriteString("| index | by hand | layout | derived | equal at |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s: `%s` | `%s` | `%s` | `%s` | %s |\n", r.Name, r.Task, r.Hand, r.Layout, r.Derived, r.counts())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// dearer are the derived indices that cost more than the handwritten ones.
func dearer(rows []formulaRow) error {
	var errs []error
	for _, r := range rows {
		if r.Ops > r.HandOps || r.Code != nil && *r.Code > *r.HandCode {
			errs = append(errs, fmt.Errorf("%s: the derived index costs more: %s", r.Name, r.counts()))
		}
	}
	return errors.Join(errs...)
}

// addInstructions compiles each row's two expressions, a kernel each, and counts.
func addInstructions(ctx context.Context, rows []formulaRow) error {
	nvcc, err := findTool("nvcc")
	if err != nil {
		return failure{3, fmt.Errorf("nvcc: %w (make toolchain unpacks it)", err)}
	}
	cuobjdump, err := findTool("cuobjdump")
	if err != nil {
		return failure{3, fmt.Errorf("cuobjdump: %w (make toolchain unpacks it)", err)}
	}
	var all []templates.Formula
	for i, r := range rows {
		for side, value := range []string{r.Hand, r.Derived} {
			k, err := formulaKernel(r.formula, value)
			if err != nil {
				return err
			}
			k.Name, k.Comment = formulaName(i, side), r.Name
			all = append(all, k)
		}
	}
	folder, err := os.MkdirTemp("", "cutegen-formulas-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source, cubin := filepath.Join(folder, "formulas.cu"), filepath.Join(folder, "formulas.cubin")
	if err := os.WriteFile(source, []byte(templates.Formulas(all)), 0o644); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, nvcc, "-std=c++17", "-O3", "-arch=sm_90a", "-cubin", source, "-o", cubin).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", nvcc, err, out)
	}
	for i := range rows {
		var counts [2]int
		for side := range counts {
			text, err := runTool(cuobjdump, "-sass", "-fun", formulaName(i, side), cubin)
			if err != nil {
				return err
			}
			k, err := sass.Parse(text)
			if err != nil {
				return err
			}
			counts[side] = sass.Count(k.Code).Integer()
		}
		rows[i].HandCode, rows[i].Code = &counts[0], &counts[1]
	}
	return nil
}

func formulaName(i, side int) string {
	return fmt.Sprintf("%s%d", [...]string{"hand", "derived"}[side], i)
}

// formulaKernel stores value for every copy of the unrolled loops' body. t is the thread, pid the block; other coordinates are
// parameters.
func formulaKernel(f formula.Derived, value string) (templates.Formula, error) {
	k := templates.Formula{Value: value}
	var extents []int
	var loops []emit.Expr
	for _, v := range f.Vars {
		switch {
		case v.Unrolled:
			k.Loops = append(k.Loops, templates.Loop{Var: v.Name, Extent: v.Extent})
			extents, loops = append(extents, v.Extent), append(loops, emit.Var(v.Name, 0, v.Extent-1))
		case v.Name == "t":
			k.Decls = append(k.Decls, "const int t = threadIdx.x;")
		case v.Name == "pid":
			k.Decls = append(k.Decls, "const int pid = blockIdx.x;")
		default:
			k.Params = append(k.Params, v.Name)
		}
	}
	if len(loops) == 0 {
		k.At = "0"
		return k, nil
	}
	copies, err := algebra.ColMajor(algebra.Ints(extents...))
	if err != nil {
		return k, err
	}
	at, err := emit.Offset(algebra.Composed{Layout: copies}, loops...)
	k.At = at.String()
	return k, err
}
