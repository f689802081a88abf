package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	gputests "cutegen/gpu-tests"
	"cutegen/gpu-tests/emulator"
)

func newEmulate() *cobra.Command {
	f := gpuFlags{}
	cmd := &cobra.Command{
		Use:   "emulate [SPEC.yaml | NAME]...",
		Short: "Run generated kernels on this machine's CPU, under sanitizers",
		Long: `Run the kernels that spec files state or that names spell, or else those generated under BUILD, on this machine's CPU: the C++ compiler compiles each .cu as it is, under AddressSanitizer and
UndefinedBehaviorSanitizer, and every small odd problem and every bad argument is checked against the references in Go, with the threads
between two barriers from the first to the last and from the last to the first. It needs neither a GPU nor CUDA, and tells nothing of speed.

Without a C++ compiler the status is 3, with a wrong result 1.`,
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			sources, err := f.sources(args)
			if err != nil {
				return err
			}
			options, done := f.options()
			found, err := gputests.Emulate(cmd.Context(), sources, options)
			done()
			if errors.Is(err, emulator.ErrNoCompiler) {
				return failure{3, err}
			}
			if err != nil {
				return err
			}
			if len(found.Failures) > 0 {
				return listed("failures", found.Failures)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "kernels: %d, failures: 0\n", len(sources))
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.build, "build", "build", "the BUILD folder of make: kernels is below it")
	flags.StringVar(&f.only, "only", "", "only the kernels whose names match the pattern, as 'transpose_*'")
	cmd.MarkFlagDirname("build")
	return cmd
}

// sources are the kernels that are asked for, or those generated under BUILD; at least one that the flags choose.
func (f *gpuFlags) sources(args []string) ([]gputests.Source, error) {
	if len(args) > 0 {
		es, err := entries(args)
		if err != nil {
			return nil, err
		}
		ks, err := generate(es)
		if err != nil {
			return nil, err
		}
		var sources []gputests.Source
		for _, k := range ks {
			if match, _ := path.Match(f.only, k.Manifest.Name); f.only == "" || match {
				sources = append(sources, gputests.Source{Manifest: k.Manifest, CUDA: []byte(k.Source)})
			}
		}
		if len(sources) == 0 {
			return nil, badInput(fmt.Errorf("none of the %d kernels matches %q", len(ks), f.only))
		}
		return sources, nil
	}
	manifests, err := f.manifests("make generates the default catalogue there")
	if err != nil {
		return nil, err
	}
	var sources []gputests.Source
	for _, m := range manifests {
		cuda, err := os.ReadFile(filepath.Join(f.kernelsDir(), m.Name+".cu"))
		if err != nil {
			return nil, badInput(err)
		}
		sources = append(sources, gputests.Source{Manifest: m, CUDA: cuda})
	}
	return sources, nil
}
