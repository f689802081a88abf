package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/kernels"
	"cutegen/kernels/artefact"
	"cutegen/kernels/catalogue"
)

func newGen() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "gen [SPEC.yaml | NAME]...",
		Short: "Generate kernels: CUDA, header, manifest and Go package",
		Long: `Generate the kernels that spec files state or that names spell, or else those of the default catalogue.

The folder then holds exactly these kernels: files of kernels that an earlier gen left there are removed, and files that would not
change are not touched. All or nothing is written.`,
		Example: `  cutegen gen                        the default catalogue, into build/kernels
  cutegen gen -o out mine.yaml       the kernels of a spec file, into out
  cutegen gen -o - NAME              one kernel's CUDA, to the terminal`,
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			ks, err := generate(args)
			if err != nil {
				return err
			}
			if dir == "-" {
				return printSources(cmd.OutOrStdout(), ks)
			}
			return artefact.Write(dir, ks)
		}),
	}
	cmd.Flags().StringVarP(&dir, "output", "o", filepath.Join("build", "kernels"), "folder to write, or - to print the CUDA")
	cmd.MarkFlagDirname("output")
	return cmd
}

// entries are the kernels that args name: spec files and kernel names, or without any the default catalogue.
func entries(args []string) ([]catalogue.Entry, error) {
	if len(args) == 0 {
		return catalogue.Default()
	}
	var all []catalogue.Entry
	for _, arg := range args {
		if isSpec(arg) {
			es, err := catalogue.Load(arg)
			if err != nil {
				return nil, badInput(err)
			}
			all = append(all, es...)
			continue
		}
		e, err := catalogue.ParseName(arg)
		if err != nil {
			return nil, badInput(err)
		}
		all = append(all, e)
	}
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.Name] {
			return nil, badInput(fmt.Errorf("kernel %s is asked for twice", e.Name))
		}
		seen[e.Name] = true
	}
	return all, nil
}

// isSpec tells a spec file from a kernel's name, which is a C identifier.
func isSpec(arg string) bool { return strings.ContainsAny(arg, "./"+string(os.PathSeparator)) }

func generate(args []string) ([]*kernels.Kernel, error) {
	es, err := entries(args)
	if err != nil {
		return nil, err
	}
	ks := make([]*kernels.Kernel, len(es))
	for i, e := range es {
		if ks[i], err = e.Generate(); err != nil {
			return nil, badInput(err)
		}
	}
	return ks, nil
}

func printSources(w io.Writer, ks []*kernels.Kernel) error {
	for _, k := range ks {
		if _, err := io.WriteString(w, k.Source); err != nil {
			return err
		}
	}
	return nil
}

// completeKernels offers the default catalogue's names, and the shell its files.
func completeKernels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	es, err := catalogue.Default()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Name
	}
	return names, cobra.ShellCompDirectiveDefault
}
