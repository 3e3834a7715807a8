package main

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// style colours words, or leaves them alone if colours are off.
type style bool

// colours returns the style for stdout: colours on a terminal only, and never with NO_COLOR
// (no-color.org).
func (a *app) colours() style {
	return style(isTerminal(a.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

// SGR parameters (ECMA-48, 8.3.117).
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	purple = "35"
	cyan   = "36"
	match  = "1;31" // as grep's
)

func (s style) paint(code, text string) string {
	if !s || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[m"
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
