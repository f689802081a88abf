package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"cutegen/gpu"
	gputests "cutegen/gpu-tests"
	"cutegen/kernels"
	"cutegen/kernels/artefact"
)

// gpuFlags are what verify, bench and compare share.
type gpuFlags struct {
	build, results, only string
	asJSON               bool
}

func (f *gpuFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.build, "build", "build", "the BUILD folder of make kernels: kernels and twins are below it")
	flags.StringVar(&f.results, "results", "", "folder to record into; without it nothing is recorded")
	flags.StringVar(&f.only, "only", "", "only the kernels whose names match the pattern, as 'transpose_*'")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object a line")
	cmd.MarkFlagDirname("build")
	cmd.MarkFlagDirname("results")
}

func (f *gpuFlags) kernelsDir() string { return filepath.Join(f.build, "kernels") }

// check refuses flags that are wrong whatever the machine has.
func (f *gpuFlags) check() error {
	if _, err := path.Match(f.only, ""); err != nil {
		return badInput(fmt.Errorf("--only %q: %w", f.only, err))
	}
	return nil
}

// builds are the built kernels that the flags choose, at least one.
func (f *gpuFlags) builds() ([]gputests.Build, error) {
	manifests, err := f.manifests(f.advice())
	if err != nil {
		return nil, err
	}
	var builds []gputests.Build
	for _, m := range manifests {
		library := filepath.Join(f.kernelsDir(), m.Name+".so")
		if _, err := os.Stat(library); err != nil {
			return nil, badInput(fmt.Errorf("%w (%s)", err, f.advice()))
		}
		builds = append(builds, gputests.Build{Manifest: m, Library: library})
	}
	return builds, nil
}

// manifests are those of the generated kernels that the flags choose, at least one. Where the folder holds none, advice says how to fill it.
func (f *gpuFlags) manifests(advice string) ([]kernels.Manifest, error) {
	dir := f.kernelsDir()
	all, err := artefact.Read(dir)
	if err != nil {
		return nil, badInput(fmt.Errorf("%w (%s)", err, advice))
	}
	var chosen []kernels.Manifest
	for _, m := range all {
		if match, _ := path.Match(f.only, m.Name); f.only == "" || match {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return nil, badInput(fmt.Errorf("%s: none of its %d kernels matches %q", dir, len(all), f.only))
	}
	return chosen, nil
}

// advice is how to build what is missing. Without SPEC, make kernels replaces what the folder holds by the default catalogue.
func (f *gpuFlags) advice() string {
	return fmt.Sprintf("make kernels BUILD=%s builds the default catalogue there, with SPEC=FILE.yaml the kernels of a spec file instead", f.build)
}

// onGPU opens the GPU, and runs on it.
func onGPU(run func(*gpu.Device) error) error {
	device, err := gpu.Open()
	if errors.Is(err, gpu.ErrNoGPU) {
		return failure{3, err}
	}
	if err != nil {
		return err
	}
	return errors.Join(run(device), device.Close())
}

// options of a run on the GPU. On a terminal its progress is one line that the next overwrites.
func (f *gpuFlags) options() (options gputests.Options, done func()) {
	options.Command = strings.Join(os.Args, " ")
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return options, func() {}
	}
	const clearLine = "\r\x1b[K"
	options.Progress = func(line string) { fmt.Fprint(os.Stderr, clearLine, line) }
	return options, func() { fmt.Fprint(os.Stderr, clearLine) }
}

// finish records and prints what a run of cmd found, and returns err, which may have stopped it on the way.
func (f *gpuFlags) finish(cmd *cobra.Command, records []gputests.Record, builds []gputests.Build, err error) error {
	if f.results != "" && len(records) > 0 {
		err = errors.Join(err, gputests.Update(filepath.Join(f.results, cmd.Name()+".jsonl"), records))
	}
	manifests := make([]kernels.Manifest, len(builds))
	for i, b := range builds {
		manifests[i] = b.Manifest
	}
	return errors.Join(err, printRows(cmd.OutOrStdout(), f.asJSON, records, manifests))
}
