package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// colours returns the style for stdout: colours on a terminal only, and never with NO_COLOR
// (no-color.org).
func (a *app) colours() cli.Style {
	return cli.Style(isTerminal(a.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

// width returns the columns of stdout: $COLUMNS, else the terminal's; 0 if nothing limits it.
func (a *app) width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !isTerminal(a.stdout) {
		return 0
	}
	return terminalWidth(a.stdout)
}

// terminalWidth returns the columns of the terminal f; 80 if it does not say.
func terminalWidth(f *os.File) int {
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil || cols < 1 {
		return 80
	}
	return cols
}
