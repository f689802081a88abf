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
		Use:   "explain NAME | SPEC.yaml",
		Short: "Explain a kernel: its layouts, accesses, proofs, predicted transactions and bank maps",
		Long: `Explain one kernel, by the name that spells it or by the spec file that states it alone: the layouts that it is made of, its accesses to memory
with the transactions that the hardware will make of them, what was proved before its source was printed, and for each access to shared memory
the map of one warp's instruction: a row is a wavefront, a column a bank, a cell the lane that the bank serves.`,
		Example: `  cutegen explain transpose_f32_64x64_tS16x16n4_tD8x32m4_sTsw3x2x6_b4
  cutegen explain --warp 1 --instruction 2 mine.yaml`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			es, err := entries(args)
			if err != nil {
				return err
			}
			if len(es) != 1 {
				return badInput(fmt.Errorf("%s states %d kernels, want one", args[0], len(es)))
			}
			ks, err := generate(es)
			if err != nil {
				return err
			}
			accesses, err := es[0].Accesses()
			if err != nil {
				return badInput(err)
			}
			w := cmd.OutOrStdout()
			o := draw.Options{Width: terminalWidth(w), Rows: 64}
			if o.Color, err = colored(color, w); err != nil {
				return badInput(err)
			}
			e := newExplanation(ks[0].Manifest, accesses)
			for i, a := range accesses {
				if a.Tensor.Space != access.Shared {
					continue
				}
				if a.Threads() <= warp*32 || a.Values() <= instruction*a.Vector || warp < 0 || instruction < 0 {
					return badInput(fmt.Errorf("warp %d, instruction %d: %s has %d warps and %d instructions of each",
						warp, instruction, a.Name, (a.Threads()+31)/32, a.Values()/a.Vector))
				}
				if e.Accesses[i].wavefronts, err = a.Wavefronts(warp, instruction*a.Vector); err != nil {
					return badInput(err)
				}
				for _, f := range e.Accesses[i].wavefronts {
					e.Accesses[i].Banks = append(e.Accesses[i].Banks, f[:])
				}
			}
			if asJSON {
				return report(w, true, nil, []explanation{e})
			}
			return e.print(w, o, warp, instruction)
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
	Banks      [][][]int `json:"banks,omitempty"`
	wavefronts []access.Wavefront
}

func newExplanation(m kernels.Manifest, accesses []*access.Access) explanation {
	e := explanation{Name: m.Name, Family: m.Family, Layouts: m.Layouts, Proofs: m.Proofs, Launch: m.Launch}
	for _, a := range accesses {
		c := a.Count()
		e.Accesses = append(e.Accesses, accessLine{Name: a.Name, Tensor: a.Tensor.Name, Write: a.Write, Bytes: a.Vector * a.Tensor.ElemBytes,
			Instructions: a.Values() / a.Vector, Coord: a.Coord.String(), Offset: a.Offset.String(), Unit: c.Unit, Value: c.Value, Ideal: c.Ideal})
	}
	return e
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
		if a.wavefronts != nil {
			fmt.Fprintf(&b, "\n%s, instruction %d of warp %d: wavefronts by banks\n%s", a.Name, instruction, warp, draw.Banks(a.Banks, o))
		}
	}
	_, errWrite := io.WriteString(w, b.String())
	return errors.Join(err, errWrite)
}
