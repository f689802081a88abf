package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/gpu"
)

// jobs are what doctor can be asked about.
var jobs = []string{"build", "kernels", "verify", "bench", "compare", "sanitize"}

// gpuJobs are the jobs that run kernels.
var gpuJobs = []string{"verify", "bench", "compare", "sanitize"}

// A probe looks for one thing that some jobs need.
type probe struct {
	name string
	jobs []string
	// look returns what was found, in one line, or why nothing was.
	look func() (string, error)
	// fix is what to do when nothing was.
	fix string
}

func probes() []probe {
	return []probe{
		{"go", []string{"build"}, tool("go", "version"), "install Go 1.26 or later from https://go.dev/dl"},
		{"nvcc", []string{"kernels"}, lookForNVCC, "run `make toolchain`, which unpacks the pinned CUDA 13.0 compiler"},
		{"c++", []string{"kernels"}, tool("c++", "--version"), "install g++: nvcc compiles with it"},
		{"gpu", gpuJobs, lookForGPU, "run on a machine with an NVIDIA H100 or H200 and driver 580 or later; CUDA_VISIBLE_DEVICES chooses one of several"},
		{"cublas", []string{"verify", "bench", "sanitize"}, lookForCuBLAS, "install libcublas.so.13 of CUDA 13, and put its folder into LD_LIBRARY_PATH"},
		{"cuobjdump", []string{"compare"}, tool("cuobjdump", "--version"), "run `make toolchain`, or install the CUDA toolkit"},
		{"compute-sanitizer", []string{"sanitize"}, tool("compute-sanitizer", "--version"), "install the CUDA toolkit's compute-sanitizer"},
	}
}

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [JOB]...",
		Short: "Tell what this machine has, what it lacks, and how to get it",
		Long: `Tell what this machine has, what it lacks, and how to get it. The report is always whole.

Asked about jobs, doctor fails with status 1 where one of them lacks something. The jobs: ` + strings.Join(jobs, ", ") + ".",
		ValidArgs: jobs,
		Args:      cobra.OnlyValidArgs,
		RunE: failing(func(cmd *cobra.Command, asked []string) error {
			findings, missing := diagnose(probes(), asked)
			if err := report(cmd.OutOrStdout(), asJSON, []string{"WHAT", "STATE", "NEEDED FOR", "FOUND"}, findings); err != nil {
				return err
			}
			if !asJSON {
				printFixes(cmd.OutOrStdout(), findings)
			}
			if len(missing) > 0 {
				return fmt.Errorf("missing for %s: %s", strings.Join(asked, ", "), strings.Join(missing, ", "))
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// A finding is what one probe found.
type finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Found is what was found, or why nothing was.
	Found     string   `json:"found"`
	NeededFor []string `json:"needed_for"`
	// Fix is what to do, where OK is false.
	Fix string `json:"fix,omitempty"`
}

func (f finding) cells() []string {
	state := "ok"
	if !f.OK {
		state = "missing"
	}
	return []string{f.Name, state, strings.Join(f.NeededFor, " "), f.Found}
}

// diagnose runs every probe, and names those that failed and that an asked job needs.
func diagnose(probes []probe, asked []string) (findings []finding, missing []string) {
	for _, p := range probes {
		f := finding{Name: p.name, NeededFor: p.jobs}
		found, err := guarded(p.look)
		if err == nil {
			f.OK, f.Found = true, found
		} else {
			f.Found, f.Fix = err.Error(), p.fix
			if slices.ContainsFunc(asked, func(job string) bool { return slices.Contains(p.jobs, job) }) {
				missing = append(missing, p.name)
			}
		}
		findings = append(findings, f)
	}
	return findings, missing
}

// guarded is look with a panic made an error: a broken driver must not cost the rest of the report.
func guarded(look func() (string, error)) (found string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the probe itself failed: %v", r)
		}
	}()
	return look()
}

func printFixes(w io.Writer, findings []finding) {
	heading := "\nTo get what is missing:\n"
	for _, f := range findings {
		if !f.OK {
			fmt.Fprintf(w, "%s  %s: %s\n", heading, f.Name, f.Fix)
			heading = ""
		}
	}
}

// lookForNVCC finds the compiler that make kernels uses: $NVCC, or else the first of CUDA 13.0.
func lookForNVCC() (string, error) {
	if nvcc := os.Getenv("NVCC"); nvcc != "" {
		return versionOf(nvcc, "--version")
	}
	why := errNotFound
	for _, path := range findTools("nvcc") {
		found, err := versionOf(path, "--version")
		if err == nil && strings.HasPrefix(found, "13.0.") {
			return found, nil
		}
		why = cmp.Or(err, fmt.Errorf("want 13.0, found %s", found))
	}
	return "", why
}

func lookForGPU() (string, error) {
	d, err := gpu.Open()
	if err != nil {
		return "", err
	}
	defer d.Close()
	return fmt.Sprintf("%s, compute capability %s, driver %s, CUDA %s", d.Name, d.ComputeCapability, d.Driver, d.CUDA), nil
}

func lookForCuBLAS() (string, error) {
	d, err := gpu.Open()
	if err != nil {
		return "", errors.New("not looked for: it opens only where there is a GPU")
	}
	defer d.Close()
	s, err := d.Stream()
	if err != nil {
		return "", err
	}
	defer s.Destroy()
	b, err := d.OpenBLAS(s)
	if err != nil {
		return "", err
	}
	defer b.Close()
	return b.Version + " at " + b.Path, nil
}

var version = regexp.MustCompile(`\d+\.\d+\.\d+|go1\.\S+`)

// tool probes for a program and its version.
func tool(name string, args ...string) func() (string, error) {
	return func() (string, error) {
		path, err := findTool(name)
		if err != nil {
			return "", err
		}
		return versionOf(path, args...)
	}
}

// versionOf asks a program for its version, and tells it with the program's path.
func versionOf(path string, args ...string) (string, error) {
	out, err := runTool(path, args...)
	if err != nil {
		return "", err
	}
	v := version.FindString(out)
	if v == "" {
		return "", fmt.Errorf("%s %s prints no version", path, strings.Join(args, " "))
	}
	return v + " at " + path, nil
}
