package cli

import (
	"path/filepath"
	"slices"
	"strings"
)

// EditsOnTerminal reports whether an editor's command line starts one that edits on the terminal:
// without one it hangs, or fails in words of its own.
func EditsOnTerminal(command string) bool {
	words := strings.Fields(command)
	editors := []string{"vi", "vim", "nvim", "view", "elvis", "nano", "pico", "joe", "jed", "mcedit", "micro", "ne", "hx", "helix", "kak", "emacs"}
	return len(words) > 0 && slices.Contains(editors, filepath.Base(words[0]))
}
