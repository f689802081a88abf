package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"cutegen/gpu"
	gputests "cutegen/gpu-tests"
	"cutegen/gpu-tests/bindings"
)

func newVerify() *cobra.Command {
	var f gpuFlags
	var small bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify built kernels on the GPU against references in Go and cuBLAS",
		Long: `Verify built kernels on the GPU: transposes and small-integer products bit for bit against references in Go, random products within
a derived bound, and large ones by a randomised product check and against cuBLAS. The refusals of each launcher are checked too.

Without a GPU the status is 3, with a wrong result 1.`,
		Args: cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return onGPU(func(device *gpu.Device) error {
				builds, err := f.builds()
				if err != nil {
					return err
				}
				options, done := f.options()
				options.Quick = small
				found, err := gputests.Verify(cmd.Context(), device, builds, options)
				done()
				if err := f.finish(cmd, found.Records, builds, err); err != nil {
					return err
				}
				if len(found.Failures) > 0 {
					return listed("failures", found.Failures)
				}
				if err := f.verifyBindings(device, builds); err != nil {
					return err
				}
				if !f.asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "kernels: %d, failures: 0\n", len(builds))
				}
				return nil
			})
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&small, "small", false, "only a few small odd sizes, for a run under a sanitizer; records nothing")
	return cmd
}

// verifyBindings launches the kernels that have a committed Go package through it, if they are among the builds.
func (f *gpuFlags) verifyBindings(device *gpu.Device, builds []gputests.Build) error {
	for _, name := range bindings.Names {
		if !slices.ContainsFunc(builds, func(b gputests.Build) bool { return b.Name == name }) {
			return nil
		}
	}
	return bindings.Verify(device, f.kernelsDir())
}
