package prompt

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Echo detects whether a screen shows only what was typed, because a terminal echoes input before
// the program reads it. Its zero value assumes that nothing was typed.
type Echo struct {
	typed string // letters and digits of the input
}

// maxTyped is how much input is remembered, in bytes.
const maxTyped = 64 << 10

// Typed adds the input among entries of the log.
func (e *Echo) Typed(entries []*session.Entry) {
	for _, entry := range entries {
		if text, ok := entry.Data["text"].(string); ok && entry.Event == session.EventInput {
			e.typed += letters(text)
			e.typed = e.typed[max(0, len(e.typed)-maxTyped):]
		}
	}
}

// Shows reports whether the rows of a screen contain text and all of it was typed.
func (e *Echo) Shows(rows []string) bool {
	shown := letters(strings.Join(rows, ""))
	return shown != "" && strings.Contains(e.typed, shown)
}
