package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/gpu"
	gputests "cutegen/gpu-tests"
	"cutegen/sass"
)

func newCompare() *cobra.Command {
	var f gpuFlags
	var problems []string
	var codeOnly bool
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Compare built kernels with their handwritten twins",
		Long: `Compare each built kernel with the handwritten kernel of the same tiling: the time of each on the GPU, the registers of a thread, and
the machine instructions of each class in the main loop, or in the whole kernel where it has no loop. A ratio is the derived kernel's time
over the twin's; 10/12 is 10 in the derived kernel and 12 in the twin. INTEGER is those of integer arithmetic (IMAD, IADD3, LEA, LOP3, SHF), in a
main loop beside 512 multiply-adds.

Without a GPU, or without cuobjdump, the status is 3.`,
		Args: cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			ps, err := parseProblems(problems)
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			if codeOnly {
				_, codes, err := f.pairs()
				if err != nil {
					return err
				}
				return printCodes(cmd.OutOrStdout(), f.asJSON, codes)
			}
			return onGPU(func(device *gpu.Device) error {
				pairs, codes, err := f.pairs()
				if err != nil {
					return err
				}
				options, done := f.options()
				options.Problems = ps
				records, err := gputests.Compare(cmd.Context(), device, pairs, options)
				done()
				for i := range records {
					addCode(&records[i], codes)
				}
				builds := make([]gputests.Build, len(pairs))
				for i, p := range pairs {
					builds[i] = p.Derived
				}
				if err := f.finish(cmd, records, builds, err); err != nil || f.asJSON {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout())
				return printCodes(cmd.OutOrStdout(), false, codes)
			})
		}),
	}
	f.add(cmd)
	addProblems(cmd, &problems)
	cmd.Flags().BoolVar(&codeOnly, "code", false, "only registers and instructions, which needs no GPU")
	cmd.MarkFlagsMutuallyExclusive("code", "results")
	cmd.MarkFlagsMutuallyExclusive("code", "problem")
	return cmd
}

// pairs are the chosen kernels that have a twin, at least one, and their code.
func (f *gpuFlags) pairs() ([]gputests.Pair, []codeRow, error) {
	builds, err := f.builds()
	if err != nil {
		return nil, nil, err
	}
	var pairs []gputests.Pair
	for _, b := range builds {
		if b.Twin == "" {
			continue
		}
		twin := gputests.Build{Manifest: b.Manifest, Library: filepath.Join(f.build, "twins", b.Twin+".so")}
		twin.Name, twin.SourceHash = b.Twin, ""
		pairs = append(pairs, gputests.Pair{Derived: b, Twin: twin})
	}
	if len(pairs) == 0 {
		return nil, nil, badInput(fmt.Errorf("%s: none of the %d chosen kernels has a handwritten twin", f.kernelsDir(), len(builds)))
	}
	codes, err := f.codes(pairs)
	return pairs, codes, err
}

// A codeRow is the machine code of a kernel beside that of its twin.
type codeRow struct {
	Kernel   string        `json:"kernel"`
	Code     gputests.Code `json:"code"`
	Twin     string        `json:"twin"`
	TwinCode gputests.Code `json:"twin_code"`
}

func printCodes(w io.Writer, asJSON bool, codes []codeRow) error {
	header := []string{"KERNEL/TWIN", "REGISTERS", "INTEGER"}
	for _, class := range sass.Classes() {
		header = append(header, string(class))
	}
	return report(w, asJSON, header, codes)
}

func (r codeRow) cells() []string {
	cells := []string{r.Kernel, fmt.Sprintf("%d/%d", r.Code.Registers, r.TwinCode.Registers), integer(r.Code) + "/" + integer(r.TwinCode)}
	for _, class := range sass.Classes() {
		own, twin := r.Code.Instructions[string(class)], r.TwinCode.Instructions[string(class)]
		cells = append(cells, fmt.Sprintf("%d/%d", own, twin))
	}
	return cells
}

// integer counts the instructions of integer arithmetic, beside 512 multiply-adds where there are any: main loops do more or less of
// the work in one trip.
func integer(c gputests.Code) string {
	n := 0
	for _, class := range sass.IntegerClasses() {
		n += c.Instructions[string(class)]
	}
	if ffma := c.Instructions[string(sass.FFMA)]; ffma > 0 {
		return fmt.Sprintf("%.3g", float64(n)*512/float64(ffma))
	}
	return fmt.Sprint(n)
}

// codes disassembles both sides of each pair.
func (f *gpuFlags) codes(pairs []gputests.Pair) ([]codeRow, error) {
	cuobjdump, err := findTool("cuobjdump")
	if err != nil {
		return nil, failure{3, fmt.Errorf("cuobjdump: %w (cutegen doctor compare)", err)}
	}
	rows := make([]codeRow, len(pairs))
	for i, p := range pairs {
		if err := checkAge(cubinOf(p.Derived.Library), filepath.Join(f.kernelsDir(), p.Derived.Name+".cu")); err != nil {
			return nil, badInput(fmt.Errorf("%w (%s)", err, f.advice()))
		}
		own, err := disassemble(cuobjdump, p.Derived.Library)
		if err != nil {
			return nil, err
		}
		twin, err := disassemble(cuobjdump, p.Twin.Library)
		if err != nil {
			return nil, err
		}
		rows[i] = codeRow{p.Derived.Name, own, p.Twin.Name, twin}
	}
	return rows, nil
}

// disassemble describes the code of the cubin beside a library.
func disassemble(cuobjdump, library string) (gputests.Code, error) {
	text, err := runTool(cuobjdump, "-sass", "-res-usage", cubinOf(library))
	if err != nil {
		return gputests.Code{}, err
	}
	return codeOf(text)
}

func cubinOf(library string) string { return strings.TrimSuffix(library, ".so") + ".cubin" }

// checkAge refuses a cubin that was built before its source was written: unlike a library, it does not tell its source.
func checkAge(cubin, source string) error {
	c, err := os.Stat(cubin)
	if err != nil {
		return err
	}
	s, err := os.Stat(source)
	if err != nil {
		return err
	}
	if c.ModTime().Before(s.ModTime()) {
		return fmt.Errorf("%s is older than %s", cubin, source)
	}
	return nil
}

// codeOf counts the main loop of the one kernel in the text, or the whole kernel where it has no loop.
func codeOf(text string) (gputests.Code, error) {
	resources, err := sass.ParseResources(text)
	if err != nil {
		return gputests.Code{}, err
	}
	kernel, err := sass.Parse(text)
	if err != nil {
		return gputests.Code{}, err
	}
	code := kernel.MainLoop()
	if code == nil {
		code = kernel.Code
	}
	instructions := map[string]int{}
	for class, n := range sass.Count(code).ByClass {
		instructions[string(class)] = n
	}
	return gputests.Code{Registers: resources.Registers, Instructions: instructions}, nil
}

// addCode puts the code of the record's kernel and twin into it.
func addCode(r *gputests.Record, codes []codeRow) {
	for _, c := range codes {
		if c.Kernel == r.Kernel {
			r.Code, r.BaselineCode = &c.Code, &c.TwinCode
		}
	}
}
