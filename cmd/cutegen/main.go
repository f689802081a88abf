// Command cutegen is a compiler from CuTe layouts to plain CUDA C++: it generates kernels, and on a machine with a GPU verifies and
// times them.
//
// An error is one line on stderr, and so is a note. The exit status is 0 when all went well, 1 when a check or a command failed, 2 when the command line,
// a spec file or a kernel's name was wrong, and 3 when there is no GPU or no tool that the command needs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	root := newRoot()
	root.SetArgs(negatives(os.Args[1:]))
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "cutegen: %s\n", message(err))
	}
	os.Exit(exitCode(err))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:     "cutegen",
		Short:   "A compiler from CuTe layouts to plain CUDA C++",
		Version: commit(),
		Long: `cutegen is a compiler from CuTe layouts to plain CUDA C++.

Exit status:
  0  all went well
  1  a check failed, or the command did
  2  the command line, a spec file or a kernel's name is wrong
  3  there is no GPU, or no tool that the command needs`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newGen(), newList(), newLayout(), newExplain(), newSwizzle(), newFormulas(), newEmulate(), newVerify(), newBench(), newCompare(), newResults(), newDoctor())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() { // cobra's own, which take a wrong argument for a question
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				_, _, err := root.Find(args)
				return err
			}
		case "completion":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return fmt.Errorf("no completion for %q: want bash, fish, powershell or zsh", args[0])
				}
				return nil
			}
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// commit is the version of the source that the program was built from.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// message is the text of an error that is a file's without the system call that failed: "spec.yaml: no such file or directory".
func message(err error) string {
	var file *fs.PathError
	if errors.As(err, &file) {
		return strings.Replace(err.Error(), file.Error(), fmt.Sprintf("%s: %v", file.Path, file.Err), 1)
	}
	return err.Error()
}

// A failure is an error of a command, with its exit status. Any other error that reaches main is cobra's: the command line was wrong.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

func badInput(err error) error { return failure{2, err} }

func exitCode(err error) int {
	var f failure
	switch {
	case err == nil:
		return 0
	case errors.As(err, &f):
		return f.status
	}
	return 2
}

// failing makes an error of run that has no exit status yet a failure of status 1.
func failing(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if err == nil || errors.As(err, new(failure)) {
			return err
		}
		return failure{1, err}
	}
}

// listed is one error that lists several, a line each.
func listed[E error](what string, errs []E) error {
	text := fmt.Sprintf("%d %s:", len(errs), what)
	for _, err := range errs {
		text += "\n  " + err.Error()
	}
	return errors.New(text)
}
