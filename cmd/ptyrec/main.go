// Command ptyrec records terminal sessions and reads the conversations of coding agents out of them.
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(execute(os.Args[1:]))
}

// execute runs one command line on the process's own streams and returns its exit status.
func execute(args []string) int {
	a := newApp()
	defer a.close()
	root := newRootCmd(a)
	root.SetArgs(args)
	begun := false
	beforeRun(root, func() { begun = true })
	err := root.Execute()
	if err != nil && !begun {
		err = usageError(err)
	}
	return a.report(err)
}

// beforeRun makes each command call note when it begins: an error that comes sooner is about the command line.
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
