package cli

import (
	"path/filepath"
	"slices"
	"strings"
)

// EditsOnTerminal reports whether the command line of an editor starts one that runs on the
// terminal. Such an editor hangs or fails without a terminal.
func EditsOnTerminal(command string) bool {
	words := strings.Fields(command)
	editors := []string{"vi", "vim", "nvim", "view", "elvis", "nano", "pico", "joe", "jed", "mcedit", "micro", "ne",
		"hx", "helix", "kak", "emacs"}
	return len(words) > 0 && slices.Contains(editors, filepath.Base(words[0]))
}
