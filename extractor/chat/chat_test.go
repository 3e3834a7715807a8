package chat

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

var plain = &markdown.Style{Left: 2}

func TestBoxText(t *testing.T) {
	for _, tt := range []struct{ name, dump, want string }{
		{"rows", "one\n\n  two  ", "one\n\n  two"},
		{"a hint", "⟦d|Try \"fix it\"⟧", ""},
		{"behind a hint", "x⟦d| Try⟧", "x"},
		{"the cursor on a hint", "⟦v|T⟧⟦d|ry it⟧", ""},
		{"two characters in inverse", "⟦v|Tr⟧⟦d|y it⟧", "Tr"},
		{"the cursor behind what is typed", "b⟦v|a⟧⟦d| hint⟧", "ba"},
		{"blanks between", "b ⟦v| ⟧⟦d| hint⟧", "b"},
		{"the cursor, and grey blanks", "⟦v|x⟧⟦d|  ⟧", "x"},
		{"a folded paste", "see ⟦d|[Pasted text #1 +9 lines]⟧", "see [Pasted text #1 +9 lines]"},
		{"a hint in the colour of text", "Type your message or @path/to/file", ""},
	} {
		if got := (Box{Rows: rowtest.Dump(t, 40, tt.dump), Right: -1}).Text(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestInterrupted tells a look that the user stopped the agent: what was under way is partial.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		it   Item
		want bool
	}{
		{Said(session.RoleUser, "go", "go"), false},
		{Said(session.RoleAssistant, "so", "so"), true},
		{Said(session.RoleThinking, "hm", "hm"), true},
		{Called(&session.Tool{Name: "Read", Status: session.ToolOK}), false},
		{Called(&session.Tool{Name: "Read", Status: session.ToolRunning}), true},
		{Item{Message: session.Message{Role: session.RoleShell, Partial: true}}, true},
	} {
		p := Parser{Items: []Item{tt.it}}
		p.Interrupted(1, 2, "stopped")
		if got := p.Items[0].Partial; got != tt.want {
			t.Errorf("%s %s: partial %v, want %v", tt.it.Role, tt.it.Text, got, tt.want)
		}
	}
}

// TestCellsGoOn reads cells that rows are missing from: a reply goes on below them, and nothing
// else does.
func TestCellsGoOn(t *testing.T) {
	said := func(role, sign string) Cell {
		return Cell{Rule: role, Begin: Mark{Signs: []string{sign}}, Role: role, Style: plain}
	}
	c := Cells{Agent: "one", Cells: []Cell{
		said(session.RoleUser, "> "), said(session.RoleAssistant, "* "),
		{Rule: "rest", Headless: true, Role: session.RoleAssistant, Style: plain},
	}}
	for _, tt := range []struct {
		dump string // ~ begins a row above which others are missing
		want string
	}{
		{"* so\n\n~  on", "assistant so||on"},
		{"* so\n~  on\n~  and on", "assistant so|on|and on"},
		{"> go\n~  on", "user go, rest of assistant on"},
		{"~  on\n~  and on", "rest of assistant on|and on"},
		{"* so\n> go\n~  on", "assistant so, user go, rest of assistant on"},
	} {
		lines := rowtest.Dump(t, 40, strings.ReplaceAll(tt.dump, "~", ""))
		for i, s := range strings.Split(tt.dump, "\n") {
			lines[i].Lost = strings.HasPrefix(s, "~")
		}
		var got []string
		for _, it := range c.Parse(lines, true) {
			s := it.Role + " " + strings.ReplaceAll(it.Text, "\n", "|")
			if it.Headless {
				s = "rest of " + s
			}
			got = append(got, s)
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.dump, got, tt.want)
		}
	}
}
