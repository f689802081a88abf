package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	gputests "cutegen/gpu-tests"
	"cutegen/kernels"
	"cutegen/kernels/catalogue"
)

func newResults() *cobra.Command {
	var dir string
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "results [SPEC.yaml | NAME]...",
		Short: "Print the recorded results, current or stale",
		Long: `Print what verify, bench and compare recorded, beside the sources as they are generated now of the kernels that spec files state or that
names spell, or else of the default catalogue's: a result is current if it is of the same source, comments apart, and else stale.

With --check nothing is printed, and the status is 1 if one of these kernels that is not experimental has no current verification.`,
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			es, err := entries(args)
			if err != nil {
				return err
			}
			records, err := loadResults(dir)
			if err != nil {
				return badInput(err)
			}
			if check {
				return checkVerified(es, records)
			}
			ks, err := generate(es)
			if err != nil {
				return err
			}
			var manifests []kernels.Manifest
			for _, k := range ks {
				manifests = append(manifests, k.Manifest)
			}
			return printRows(cmd.OutOrStdout(), asJSON, records, manifests)
		}),
	}
	cmd.Flags().StringVar(&dir, "results", filepath.Join("gpu-tests", "results"), "folder of the results files")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	cmd.Flags().BoolVar(&check, "check", false, "fail if a kernel has no current verification")
	cmd.MarkFlagsMutuallyExclusive("json", "check")
	cmd.MarkFlagDirname("results")
	return cmd
}

// loadResults reads every results file of the folder.
func loadResults(dir string) ([]gputests.Record, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var records []gputests.Record
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".jsonl" {
			continue
		}
		rs, err := gputests.Load(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		records = append(records, rs...)
	}
	return records, nil
}

// checkVerified fails for each kernel that ought to be verified and is not.
func checkVerified(es []catalogue.Entry, records []gputests.Record) error {
	var unverified []error
	for _, e := range es {
		if e.Experimental {
			continue
		}
		k, err := e.Generate()
		if err != nil {
			return badInput(err)
		}
		if err := gputests.Unverified(records, k.Manifest); err != nil {
			unverified = append(unverified, err)
		}
	}
	if len(unverified) > 0 {
		return listed("kernels are not verified", unverified)
	}
	return nil
}

// printRows prints records beside the sources that they are measured by.
func printRows(w io.Writer, asJSON bool, records []gputests.Record, manifests []kernels.Manifest) error {
	rows := make([]resultRow, len(records))
	for i, r := range gputests.Rows(records, manifests) {
		rows[i] = resultRow{r}
	}
	return report(w, asJSON, []string{"KERNEL", "PROBLEM", "METRIC", "VALUE", "BASELINE", "RATIO", "STATE"}, rows)
}

type resultRow struct{ gputests.Row }

func (r resultRow) cells() []string {
	value := strconv.FormatFloat(r.Value, 'g', 4, 64)
	if r.Metric == gputests.Failures {
		value += fmt.Sprintf(" of %d", r.Cases)
	}
	baseline, ratio := "-", "-"
	if r.BaselineValue != 0 {
		baseline = strconv.FormatFloat(r.BaselineValue, 'g', 4, 64) + " " + r.Baseline
		ratio = strconv.FormatFloat(r.Ratio, 'f', 3, 64)
	}
	state := "stale"
	if r.Current {
		state = "current"
	}
	return []string{r.Kernel, r.Problem, r.Metric, value, baseline, ratio, state}
}
