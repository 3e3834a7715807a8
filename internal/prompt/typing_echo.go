package prompt

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Echo finds out whether a screen shows no more than what was typed: a terminal echoes that before
// the program reads it. Its zero value knows of nothing typed.
type Echo struct {
	typed string // the letters and digits that viewers typed
}

// maxTyped is how much of what was typed is remembered, in bytes.
const maxTyped = 64 << 10

// Typed takes entries of the log into account.
func (e *Echo) Typed(entries []*session.Entry) {
	for _, entry := range entries {
		if text, ok := entry.Data["text"].(string); ok && entry.Event == session.EventInput {
			e.typed += letters(text)
			e.typed = e.typed[max(0, len(e.typed)-maxTyped):]
		}
	}
}

// Shows reports whether the rows of a screen hold something, and all of it was typed.
func (e *Echo) Shows(rows []string) bool {
	shown := letters(strings.Join(rows, ""))
	return shown != "" && strings.Contains(e.typed, shown)
}
