// Command ptyrec records terminal sessions and reads the conversations of coding agents out of them.
package main

import (
	"os"

	"github.com/ptyrec/ptyrec/recorder"
)

func main() {
	if os.Args[0] == recorder.LeaderName {
		os.Exit(recorder.Lead())
	}
	os.Exit(execute(os.Args[1:]))
}

// execute runs one command line on the process's own streams and returns its exit status.
func execute(args []string) int {
	a := newApp()
	defer a.close()
	root := newRootCmd(a)
	root.SetArgs(args)
	err := root.Execute()
	if err != nil && !a.started {
		err = usageError(err)
	}
	return a.report(err)
}
