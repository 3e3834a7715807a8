package extractor

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// shellPrompt knows what the prompt of the recording's shell looks like.
type shellPrompt struct {
	learned string
}

var usualPrompt = regexp.MustCompile(`^(\[?[\w.-]+@[\w.-]+[: ][^$#%>❯]{0,80}[$#%>❯]|➜  \S+( git:\(\S+\)( ✗)?)?|[❯$#%]) `)

func (p *shellPrompt) known() bool { return p.learned != "" }

// learn looks at the row that the cursor stands on while all is quiet.
func (p *shellPrompt) learn(row *vterm.Row, cursorX int) {
	if m := usualPrompt.FindString(row.Text + " "); m != "" && len(strings.TrimSpace(m)) == len(row.Text) {
		p.learned = m
	}
}

// match parts a row into prompt and command.
func (p *shellPrompt) match(row *vterm.Row) (command string, ok bool) {
	m := usualPrompt.FindString(row.Text + " ")
	if m == "" {
		return "", false
	}
	return strings.TrimSpace((row.Text + " ")[len(m):]), true
}

// waits tells whether the shell waits for a command on the row.
func (p *shellPrompt) waits(row *vterm.Row, cursorX int) bool {
	command, ok := p.match(row)
	return ok && command == "" && cursorX > 0
}

// parseShell reads commands and their output off shell lines.
func parseShell(lines []Line, p *shellPrompt) []Item {
	var items []Item
	for i, l := range lines {
		if command, ok := p.match(l.Row); ok {
			items = append(items, Item{Message: session.Message{Role: session.RoleShell, Text: command}, First: i, End: i + 1, Rule: "shell prompt"})
			continue
		}
		if len(items) > 0 {
			it := &items[len(items)-1]
			it.Output += l.Text + "\n"
			it.End = i + 1
		}
	}
	kept := items[:0]
	for _, it := range items {
		it.Output = strings.TrimSpace(it.Output)
		if it.Text != "" {
			kept = append(kept, it)
		}
	}
	return kept
}
