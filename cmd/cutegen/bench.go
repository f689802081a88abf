package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/gpu"
	gputests "cutegen/gpu-tests"
)

func newBench() *cobra.Command {
	var f gpuFlags
	var problems []string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Time built kernels on the GPU against cuBLAS and a device copy",
		Long: `Time built kernels on the GPU: transposes against a device copy of as many bytes and against cublasSgeam, GEMMs against cublasSgemm
without TF32. A result that differs from cuBLAS's is not timed.

Without a GPU the status is 3.`,
		Args: cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			ps, err := parseProblems(problems)
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			return onGPU(func(device *gpu.Device) error {
				builds, err := f.builds()
				if err != nil {
					return err
				}
				options, done := f.options()
				options.Problems = ps
				records, err := gputests.Bench(cmd.Context(), device, builds, options)
				done()
				return f.finish(cmd, records, builds, err)
			})
		}),
	}
	f.add(cmd)
	addProblems(cmd, &problems)
	return cmd
}

func addProblems(cmd *cobra.Command, problems *[]string) {
	defaults := make([]string, len(gputests.DefaultProblems()))
	for i, p := range gputests.DefaultProblems() {
		defaults[i] = p.String()
	}
	cmd.Flags().StringSliceVar(problems, "problem", defaults, "extents to time: MxN of a transpose, MxNxK of a GEMM")
}

// parseProblems reads extents as Problem.String prints them.
func parseProblems(texts []string) ([]gputests.Problem, error) {
	const most = 1 << 16
	var problems []gputests.Problem
	for _, text := range texts {
		extents := strings.Split(text, "x")
		if len(extents) != 2 && len(extents) != 3 {
			return nil, badInput(fmt.Errorf("--problem %q: want MxN or MxNxK, as 4096x4096", text))
		}
		var n [3]int
		for i, e := range extents {
			v, err := strconv.Atoi(e)
			if err != nil || v < 1 || v > most {
				return nil, badInput(fmt.Errorf("--problem %q: %q is not an extent from 1 to %d", text, e, most))
			}
			n[i] = v
		}
		problems = append(problems, gputests.Problem{M: n[0], N: n[1], K: n[2]})
	}
	return problems, nil
}
