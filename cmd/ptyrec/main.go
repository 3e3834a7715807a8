// Command ptyrec records terminal sessions and reads the conversations of coding agents out of
// them.
package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/process"
)

func main() {
	process.BeHost()
	os.Exit(execute(asAgentapi(os.Args)))
}

// execute runs one command line on the process's own streams and returns its exit status.
func execute(args []string) int {
	cobra.EnableCommandSorting = false // the help has the order of root.go
	a := factory.New(cli.Streams())
	defer a.Close()
	root := newRootCmd(a)
	root.SetArgs(args)
	begun := false
	beforeRun(root, func() { begun = true })
	var unknown error
	page := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if unknown = cli.UnknownCommand(cmd); unknown == nil {
			page(cmd, args)
		}
	})
	cmd, err := root.ExecuteC()
	if err == nil {
		err = unknown
	}
	if err != nil && !begun {
		err = failure.Usage(err)
	}
	if f := (*failure.Error)(nil); errors.As(err, &f) && f.Misuse && f.Hint == "" {
		f.Hint = cli.HelpHint(cmd)
	}
	return cli.Report(a.IO.Err, err)
}

// beforeRun makes each command call note when it begins: an error that comes sooner is about the
// command line.
func beforeRun(cmd *cobra.Command, note func()) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			note()
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		beforeRun(c, note)
	}
}
