package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
	"cutegen/algebra/notation"
	"cutegen/algebra/operation"
)

func newLayout() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "layout",
		Short: "The layout algebra: operations, questions and pictures",
		Long: `The operations of CuTe's layout algebra, questions about layouts, and pictures of them.

Operations have CuTe's names, with dashes or underscores. Layouts are written in CuTe's notation, quoted for the shell:

  (4,(2,4)):(2,(1,8))                a layout, shape:stride
  Sw<2,3,3> o 0 o (8,64):(64,1)      a swizzled layout
  (4,8):(1@0,1@1)                    a layout whose values are coordinates
  (4:1,_,8)                          a tiler: layouts, extents, and _ for a mode that is left as it is
  (8*m,K):(lda,1)                    names are sizes known at run time; --where m=4,K=8 gives them values

A wrong text is shown with a caret under the fault. The exit status is 2 for it and for what an operation refuses, and 1 for a
claim of check that does not hold.`,
		Example: `  cutegen layout logical-divide '(8,6):(1,8)' '(4,3)'
  cutegen layout composition '(6,2):(8,2)' '(4,3):(3,1)' --as cpp
  cutegen layout eval '(4,(2,4)):(2,(1,8))' '(3,5)'
  cutegen layout check injective '(4,2):(1,2)'
  cutegen layout show 'Sw<1,0,2> o 0 o (4,4):(4,1)'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("no operation %q%s: see cutegen layout ops", args[0], meant(args[0], cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	const questions = "questions"
	cmd.AddGroup(&cobra.Group{ID: questions, Title: "Questions and pictures:"})
	for _, c := range []*cobra.Command{newEval(), newCheck(), newShow(), newBatch(), newOps()} {
		c.GroupID = questions
		cmd.AddCommand(c)
	}
	all := operation.All()
	for _, o := range all {
		if !cmd.ContainsGroup(o.Group) {
			cmd.AddGroup(&cobra.Group{ID: o.Group, Title: o.Group + ":"})
		}
	}
	width := 0 // of the meanings
	for _, o := range all {
		width = max(width, len(o.Meaning))
	}
	for _, o := range all {
		cmd.AddCommand(newOperation(o, width))
	}
	return cmd
}

// shorter are the names that an operation has beside CuTe's.
var shorter = map[string]string{"composition": "compose"}

// newOperation is the command of an operation; meanings are padded to a width, so that the examples stand in a column.
func newOperation(o operation.Operation, width int) *cobra.Command {
	var asJSON bool
	var as string
	var values map[string]int
	name := dashed(o.Name)
	var params strings.Builder
	for _, p := range o.Params {
		fmt.Fprintf(&params, "  %-14s %v\n", p.Name, p.Kind)
	}
	cmd := &cobra.Command{
		Use:     name + " " + o.Usage(),
		Short:   fmt.Sprintf("%-*s  %s", width, o.Meaning, strings.Join(o.Example, "  ")),
		Long:    fmt.Sprintf("%s (CuTe's %s).\n\n%s", o.Meaning, o.Name, strings.TrimSuffix(params.String(), "\n")),
		Example: "  cutegen layout " + name + quoted(o.Example),
		GroupID: o.Group,
		RunE: failing(func(cmd *cobra.Command, args []string) error {
			args, err := o.Where(args, values)
			if err != nil {
				return badLayout(err)
			}
			got, err := o.Run(args...)
			if err != nil {
				return badLayout(err, o.Symbols(args)...)
			}
			if asJSON {
				row := operation.Row{Op: o.Name, Args: trimmed(args), Got: got}
				_, err = cmd.OutOrStdout().Write(append(row.AppendJSON(nil), '\n'))
				return err
			}
			return printValue(cmd.OutOrStdout(), got, as)
		}),
	}
	addJSON(cmd, &asJSON)
	addWhere(cmd, &values)
	cmd.Flags().StringVar(&as, "as", "", "write the answer as "+strings.Join(notations(), "; "))
	cmd.MarkFlagsMutuallyExclusive("as", "json")
	if o.Name != name {
		cmd.Aliases = append(cmd.Aliases, o.Name)
	}
	if s := shorter[o.Name]; s != "" {
		cmd.Aliases = append(cmd.Aliases, s)
	}
	return cmd
}

// printValue prints in CuTe's notation, or in the named one.
func printValue(w io.Writer, v operation.Value, as string) error {
	if as == "" {
		_, err := fmt.Fprintln(w, v)
		return err
	}
	n, err := notation.Find(as)
	if err != nil {
		return badInput(fmt.Errorf("--as: %w", err))
	}
	text, err := operation.Write(n, v)
	if err != nil {
		return badLayout(err)
	}
	_, err = fmt.Fprintln(w, text)
	return err
}

// notations lists the values of --as.
func notations() []string {
	var list []string
	for _, n := range notation.All() {
		list = append(list, fmt.Sprintf("%s (%s)", n.Name, n.Meaning))
	}
	return list
}

// meant is the hint at the few subcommands whose names are near the one that there is not, or hold it; "" if none or many do.
func meant(name string, of *cobra.Command) string {
	name = dashed(name)
	of.SuggestionsMinimumDistance = 2
	names := of.SuggestionsFor(name)
	for _, c := range of.Commands() {
		if len(name) > 2 && strings.Contains(c.Name(), name) && !slices.Contains(names, c.Name()) {
			names = append(names, c.Name())
		}
	}
	if len(names) == 0 || len(names) > 8 {
		return ""
	}
	return " (near: " + strings.Join(names, ", ") + ")"
}

func addJSON(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON objects, one a line")
}

func addWhere(cmd *cobra.Command, values *map[string]int) {
	cmd.Flags().StringToIntVar(values, "where", nil, "values of sizes known at run time, as `M=128,K=8`")
	cmd.Flags().Lookup("where").DefValue = "" // which the help does not show
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// quoted writes arguments for a shell.
func quoted(args []string) string {
	var b strings.Builder
	for _, a := range args {
		if strings.Trim(a, "0123456789-") == "" {
			b.WriteString(" " + a)
		} else {
			b.WriteString(" '" + a + "'")
		}
	}
	return b.String()
}

// badLayout is an error of an argument or an operation. A syntax error brings its picture, and what depends on the values of symbols the
// option that gives them.
func badLayout(err error, symbols ...string) error {
	if errors.Is(err, dynamic.ErrUndecided) && len(symbols) > 0 {
		err = fmt.Errorf("%w\n  --where %s=8 gives %s", err, strings.Join(symbols, "=8,"), map[bool]string{true: "it a value", false: "them values"}[len(symbols) == 1])
	}
	var fault *algebra.SyntaxError
	if errors.As(err, &fault) {
		err = fmt.Errorf("%w\n  %s", err, strings.ReplaceAll(fault.Picture(), "\n", "\n  "))
		if strings.ContainsFunc(fault.Text, fullWidth) {
			err = fmt.Errorf("%w\n  it has full-width characters, such as （ ， ： ４, where ( , : 4 are allowed", err)
		}
	}
	return badInput(err)
}

// fullWidth tells the forms of ASCII characters that an input method for Chinese or Japanese writes.
func fullWidth(r rune) bool { return '\uff01' <= r && r <= '\uff5e' }

// negatives makes arguments of negative numbers: a space, which the notation ignores, hides the minus from the parser of flags.
func negatives(args []string) []string {
	if len(args) == 0 || args[0] != "layout" && args[0] != "swizzle" {
		return args
	}
	hidden := slices.Clone(args)
	for i, a := range hidden {
		if len(a) > 1 && a[0] == '-' && '0' <= a[1] && a[1] <= '9' {
			hidden[i] = " " + a
		}
	}
	return hidden
}

func trimmed(args []string) []string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = strings.TrimSpace(a)
	}
	return texts
}

func newBatch() *cobra.Command {
	return &cobra.Command{
		Use:   "batch",
		Short: "Answer JSON questions on stdin, one a line",
		Long: `Answer questions on stdin, JSON objects {"op","args"}, one a line, in order: {"op","args","got"}, or {"op","args","error"} where the
operation refuses, the arguments are wrong or the line is none. got is a text or a list of offsets; "offset" stands beside it where
the operation moves the pointer, too. Other fields are passed over. What is answered is written before the next line is waited for.`,
		Example: `  echo '{"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]}' | cutegen layout batch`,
		Args:    cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			return operation.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
		}),
	}
}

func newOps() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ops",
		Short: "List the operations, each with an example and its result",
		Args:  cobra.NoArgs,
		RunE: failing(func(cmd *cobra.Command, _ []string) error {
			var rows []opRow
			for _, o := range operation.All() {
				got, err := o.Run(o.Example...)
				if err != nil {
					return fmt.Errorf("example of %s: %w", o.Name, err)
				}
				rows = append(rows, opRow{o.Name, o.Group, o.Usage(), o.Meaning, o.Example, fmt.Sprint(got)})
			}
			return report(cmd.OutOrStdout(), asJSON, []string{"OPERATION", "ARGUMENTS", "MEANING", "EXAMPLE", "RESULT"}, rows)
		}),
	}
	addJSON(cmd, &asJSON)
	return cmd
}

type opRow struct {
	Name    string   `json:"op"`
	Group   string   `json:"group"`
	Usage   string   `json:"usage"`
	Meaning string   `json:"meaning"`
	Example []string `json:"args"`
	Result  string   `json:"got"`
}

func (r opRow) cells() []string {
	result := r.Result
	if len(result) > 60 {
		result = result[:57] + "..."
	}
	return []string{dashed(r.Name), r.Usage, r.Meaning, strings.Join(r.Example, "  "), result}
}

// isTerminal is for a command's output that is no file.
func isTerminal(w io.Writer, check func(fd int) bool) bool {
	f, ok := w.(*os.File)
	return ok && check(int(f.Fd()))
}
