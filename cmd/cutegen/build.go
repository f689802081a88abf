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
	flags.StringVar(&f.build, "build", "build", "folder that make kernels filled: kernels and twins are below it")
	flags.StringVar(&f.results, "results", "", "folder to record into; without it nothing is recorded")
	flags.StringVar(&f.only, "only", "", "only the kernels whose names match the pattern, as 'transpose_*'")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object a line")
	cmd.MarkFlagDirname("build")
	cmd.MarkFlagDirname("results")
}

func (f *gpuFlags) kernelsDir() string { return filepath.Join(f.build, "kernels") }

// builds are the built kernels that the flags choose, at least one.
func (f *gpuFlags) builds() ([]gputests.Build, error) {
	dir := f.kernelsDir()
	manifests, err := artefact.Read(dir)
	if err != nil {
		return nil, badInput(fmt.Errorf("%w (make kernels fills it)", err))
	}
	var builds []gputests.Build
	for _, m := range manifests {
		if f.only != "" {
			match, err := path.Match(f.only, m.Name)
			if err != nil {
				return nil, badInput(fmt.Errorf("--only %q: %w", f.only, err))
			}
			if !match {
				continue
			}
		}
		b := gputests.Build{Manifest: m, Library: filepath.Join(dir, m.Name+".so")}
		if err := checkAge(b.Library, filepath.Join(dir, m.Name+".cu")); err != nil {
			return nil, badInput(err)
		}
		builds = append(builds, b)
	}
	if len(builds) == 0 {
		return nil, badInput(fmt.Errorf("%s: none of its %d kernels matches %q", dir, len(manifests), f.only))
	}
	return builds, nil
}

// checkAge refuses a library that was built before its source was written: its results would be recorded for another source.
func checkAge(library, source string) error {
	l, err := os.Stat(library)
	if err != nil {
		return fmt.Errorf("%w (make kernels builds it)", err)
	}
	s, err := os.Stat(source)
	if err != nil {
		return err
	}
	if l.ModTime().Before(s.ModTime()) {
		return fmt.Errorf("%s is older than %s: run make kernels", library, source)
	}
	return nil
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
