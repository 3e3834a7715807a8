// Command ptyrec records terminal sessions and extracts the conversations of coding agents.
package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/root"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/process"
)

// agentapiName is the name of the program that `ptyrec agentapi` can replace.
const agentapiName = "agentapi"

func main() {
	process.BeHost()
	os.Exit(execute(asAgentapi(os.Args)))
}

// execute runs one command line on the process's own streams and returns its exit status.
func execute(args []string) int {
	cobra.EnableCommandSorting = false // keep the order of root.go in the help
	a := factory.New(cli.Streams())
	defer a.Close()
	top := root.New(a)
	top.SetArgs(args)
	begun := false
	beforeRun(top, func() { begun = true })
	var unknown error
	page := top.HelpFunc()
	top.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if unknown = cli.UnknownCommand(cmd); unknown == nil {
			page(cmd, args)
		}
	})
	cmd, err := top.ExecuteC()
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

// beforeRun makes each command call note when it begins: an earlier error is a usage error.
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

// asAgentapi returns the arguments for ptyrec. If it is called through a link named agentapi, it
// adds the subcommand.
func asAgentapi(args []string) []string {
	if filepath.Base(args[0]) == agentapiName {
		return append([]string{agentapiName}, args[1:]...)
	}
	return args[1:]
}
