package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// IsVersion reports whether a word is three numbers with dots between.
func IsVersion(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3
}

// Said returns the item of a message.
func Said(role, text, md string) Item {
	return Item{Message: session.Message{Role: role, Text: text, Markdown: md}}
}

// Called returns the item of a call. It may change while the tool runs.
func Called(t *session.Tool) Item {
	it := Said(session.RoleTool, t.Name+"("+t.Input+")", t.Name+"("+t.Input+")")
	it.Tool, it.Open = t, t.Status == session.ToolRunning
	return it
}
