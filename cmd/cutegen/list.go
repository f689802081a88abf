package main

import "github.com/spf13/cobra"

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "list [SPEC.yaml | NAME]...",
		Short:             "List kernels",
		Long:              "List the kernels that spec files state or that names spell, or else those of the default catalogue.",
		ValidArgsFunction: completeKernels,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			es, err := entries(args)
			if err != nil {
				return err
			}
			rows := make([]listRow, len(es))
			for i, e := range es {
				rows[i] = listRow{e.Name, e.Family, e.Experimental}
			}
			return report(cmd.OutOrStdout(), asJSON, []string{"KERNEL", "FAMILY", "EXPERIMENTAL"}, rows)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

type listRow struct {
	Name         string `json:"name"`
	Family       string `json:"family"`
	Experimental bool   `json:"experimental"`
}

func (r listRow) cells() []string {
	experimental := "no"
	if r.Experimental {
		experimental = "yes"
	}
	return []string{r.Name, r.Family, experimental}
}
