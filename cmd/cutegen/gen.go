package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

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
change are not touched. All or nothing is written, and a file that gen did not write is never overwritten.
Notes on stderr say what layout auto chose, and why a kernel that is asked for has bank conflicts or moves single elements where its layout is
for vectors.

A spec file is YAML: a list of kernels, each a mapping of these fields. kernels/catalogue/default.yaml is one.
` + fieldTables(),
		Example: `  cutegen gen                        the default catalogue, into build/kernels
  cutegen gen -o out mine.yaml       the kernels of a spec file, into out (make kernels SPEC=mine.yaml compiles them too)
  cutegen gen -o - NAME              one kernel's CUDA, to the terminal`,
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return badInput(errors.New("the folder to write (-o) is empty: want a path, or - to print the CUDA"))
			}
			es, err := entries(args)
			if err != nil {
				return err
			}
			ks, err := generate(es)
			if err != nil {
				return err
			}
			if len(args) > 0 && !cmd.Flags().Changed("output") {
				return badInput(fmt.Errorf("say where to with -o: a folder, or - for the CUDA alone; %s is the default catalogue's", dir))
			}
			if len(args) > 0 { // the default catalogue is as it is meant
				if err := printNotes(cmd.ErrOrStderr(), es); err != nil {
					return err
				}
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

// fieldTables are the fields of a spec: those of every kernel, and those of each family.
func fieldTables() string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	print := func(title string, fields []kernels.FieldDoc) {
		fmt.Fprintf(table, "\n%s:\n", title)
		for _, f := range fields {
			fmt.Fprintf(table, "  %s\t%s\n", f.Name, f.Meaning)
		}
	}
	print("every kernel", kernels.CommonFields())
	for _, family := range catalogue.Families() {
		print("family: "+family, catalogue.FieldDocs(family)[len(kernels.CommonFields()):])
	}
	table.Flush()
	return strings.TrimSuffix(b.String(), "\n")
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

func generate(es []catalogue.Entry) ([]*kernels.Kernel, error) {
	ks := make([]*kernels.Kernel, len(es))
	for i, e := range es {
		var err error
		if ks[i], err = e.Generate(); err != nil {
			return nil, badInput(err)
		}
	}
	return ks, nil
}

// printNotes says what is not wrong with the kernels, but may not be meant.
func printNotes(w io.Writer, es []catalogue.Entry) error {
	for _, e := range es {
		notes, err := e.Notes()
		if err != nil {
			return badInput(err)
		}
		for _, n := range notes {
			fmt.Fprintf(w, "cutegen: note: %v\n", n)
		}
	}
	return nil
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
