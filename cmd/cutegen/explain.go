package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"cutegen/access"
	"cutegen/draw"
	"cutegen/kernels"
)

func newExplain() *cobra.Command {
	var asJSON bool
	var color string
	var warp, instruction int
	cmd := &cobra.Command{
		Use:   "explain {SPEC.yaml | NAME}...",
		Short: "Explain kernels: their layouts, accesses, proofs, predicted transactions and bank maps",
		Long: `Explain the kernels that spec files state or that names spell: the layouts that a kernel is made of, its accesses to memory with the
transactions that the hardware will make of them, what was proved before its source was printed, and for each access to shared memory
the map of one warp's instruction: a row is a wavefront, a column a bank, a cell the lane that the bank serves.`,
		Example: `  cutegen explain transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4
  cutegen explain --warp 1 --instruction 2 mine.yaml`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			es, err := entries(args)
			if err != nil {
				return err
			}
			ks, err := generate(es)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			o := draw.Options{Width: terminalWidth(w), Rows: 64}
			if o.Color, err = colored(color, w); err != nil {
				return badInput(err)
			}
			var all []explanation
			for i, entry := range es {
				accesses, err := entry.Accesses()
				if err != nil {
					return badInput(err)
				}
				e, err := newExplanation(ks[i].Manifest, accesses, warp, instruction)
				if err != nil {
					return badInput(err)
				}
				all = append(all, e)
			}
			if asJSON {
				return report(w, true, nil, all)
			}
			for i, e := range all {
				if i > 0 {
					fmt.Fprintln(w)
				}
				if err := e.print(w, o, warp, instruction); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&warp, "warp", 0, "the warp whose bank maps are shown")
	flags.IntVar(&instruction, "instruction", 0, "the instruction of each access whose bank map is shown")
	flags.StringVar(&color, "color", "auto", "auto, always or never; auto is on a terminal, unless NO_COLOR is set")
	addJSON(cmd, &asJSON)
	return cmd
}

// explanation is all that is said of a kernel.
type explanation struct {
	Name     string                `json:"name"`
	Family   string                `json:"family"`
	Layouts  []kernels.NamedLayout `json:"layouts"`
	Accesses []accessLine          `json:"accesses"`
	Proofs   []kernels.Proof       `json:"proofs"`
	Launch   kernels.Launch        `json:"launch"`
}

func (explanation) cells() []string { return nil }

// accessLine is one access of all threads.
type accessLine struct {
	Name         string  `json:"name"`
	Tensor       string  `json:"tensor"`
	Write        bool    `json:"write"`
	Bytes        int     `json:"bytes"` // of one instruction of a thread
	Instructions int     `json:"instructions"`
	Coord        string  `json:"coord"`
	Offset       string  `json:"offset"`
	Unit         string  `json:"unit"`
	Value        float64 `json:"value"`
	Ideal        float64 `json:"ideal"`
	// Banks are the lanes of each bank, by wavefront; of shared memory only.
	Banks [][][]int `json:"banks,omitempty"`
}

func newExplanation(m kernels.Manifest, accesses []*access.Access, warp, instruction int) (explanation, error) {
	e := explanation{Name: m.Name, Family: m.Family, Layouts: m.Layouts, Proofs: m.Proofs, Launch: m.Launch}
	for _, a := range accesses {
		c := a.Count()
		line := accessLine{Name: a.Name, Tensor: a.Tensor.Name, Write: a.Write, Bytes: a.Vector * a.Tensor.ElemBytes,
			Instructions: a.Values() / a.Vector, Coord: a.Coord.String(), Offset: a.Offset.String(), Unit: c.Unit, Value: c.Value, Ideal: c.Ideal}
		if a.Tensor.Space == access.Shared {
			if a.Threads() <= warp*32 || line.Instructions <= instruction || warp < 0 || instruction < 0 {
				return e, fmt.Errorf("warp %d, instruction %d: %s of %s has %d warps and %d instructions of each",
					warp, instruction, a.Name, m.Name, (a.Threads()+31)/32, line.Instructions)
			}
			wavefronts, err := a.Wavefronts(warp, instruction*a.Vector)
			if err != nil {
				return e, err
			}
			for _, f := range wavefronts {
				line.Banks = append(line.Banks, f[:])
			}
		}
		e.Accesses = append(e.Accesses, line)
	}
	return e, nil
}

func (e explanation) print(w io.Writer, o draw.Options, warp, instruction int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\nblocks of %d threads, %d bytes of shared memory\n\nLAYOUT\n", e.Name, e.Launch.Threads, e.Launch.SharedBytes)
	for _, l := range e.Layouts {
		fmt.Fprintf(t, "%s\t%s\n\t    %s\n", l.Name, l.Layout, l.Doc)
	}
	fmt.Fprint(t, "\n")
	err := t.Flush()
	fmt.Fprint(t, "ACCESS\tTENSOR\tDIRECTION\tBYTES\tINSTRUCTIONS\tEACH, BY A WARP\tAT BEST\n")
	for _, a := range e.Accesses {
		direction := "reads"
		if a.Write {
			direction = "writes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s %.4g\t%.4g\n", a.Name, a.Tensor, direction, a.Bytes, a.Instructions, a.Unit, a.Value, a.Ideal)
	}
	fmt.Fprint(t, "\n")
	err = errors.Join(err, t.Flush())
	fmt.Fprint(t, "PROVED\tPOINTS\n")
	for _, p := range e.Proofs {
		fmt.Fprintf(t, "%s\t%d\n", p.Name, p.Domain)
	}
	err = errors.Join(err, t.Flush())
	var b strings.Builder
	for _, a := range e.Accesses {
		if a.Banks != nil {
			fmt.Fprintf(&b, "\n%s, instruction %d of warp %d: wavefronts by banks\n%s", a.Name, instruction, warp, draw.Banks(a.Banks, o))
		}
	}
	_, errWrite := io.WriteString(w, b.String())
	return errors.Join(err, errWrite)
}
