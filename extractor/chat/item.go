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

// ToolMessage returns the message of a call.
func ToolMessage(t *session.Tool) session.Message {
	text := t.Name + "(" + t.Input + ")"
	return session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}
}
