package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// The default size of a window, in cells.
const (
	defaultCols = 80
	defaultRows = 24
)

// WindowSize returns the size, in cells, of the first of files that is a terminal, or 80x24 if none
// is.
func WindowSize(files ...*os.File) (cols, rows int) {
	for _, f := range files {
		if ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && ws.Col > 0 && ws.Row > 0 {
			return int(ws.Col), int(ws.Row)
		}
	}
	return defaultCols, defaultRows
}
