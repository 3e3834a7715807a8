package notify

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// title begins the text of notifications.
const title = "ptyrec"

// sequence returns the sequence that makes a terminal show a notice, or "": a bell, and OSC 9
// (iTerm2, Windows Terminal, kitty, WezTerm, Ghostty) or OSC 777 (rxvt-unicode, foot).
func (o Options) sequence(n Notice, environ []string) string {
	text := n.Words()
	if n.Text != "" {
		text += ": " + printable.Clip(n.Text, 120)
	}
	var b strings.Builder
	switch o.osc(environ) {
	case OSC9:
		b.WriteString(Message(text, false))
	case OSC777:
		b.WriteString("\x1b]777;notify;" + title + ";" + strings.ReplaceAll(printable.Line(text), ";", ",") + "\x07")
	}
	if o.Bell {
		b.WriteString("\x07")
	}
	return b.String()
}

// Message returns the sequence that makes a terminal show text as a notification (OSC 9) outside of
// the screen, and ring its bell if ring is set.
func Message(text string, ring bool) string {
	message := "\x1b]9;" + title + ": " + printable.Line(text) + "\x07"
	if ring {
		message += "\x07"
	}
	return message
}

// osc returns the kind of sequence that the terminal supports.
func (o Options) osc(environ []string) string {
	if o.OSC != OSCAuto {
		return o.OSC
	}
	term := variable(environ, "TERM")
	if slices.ContainsFunc([]string{"rxvt", "foot"}, func(name string) bool { return strings.HasPrefix(term, name) }) {
		return OSC777
	}
	return OSC9
}

// variable returns the value of a variable; the last one counts.
func variable(environ []string, name string) string {
	for _, v := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
