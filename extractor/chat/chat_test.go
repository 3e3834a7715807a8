package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
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
		{"the cursor on the only character", "⟦v|a⟧", "a"},
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
		return Cell{Rule: role, Begin: &Mark{Signs: []string{sign}}, Role: role, Style: plain}
	}
	c := Cells{Agent: "one", Cells: []Cell{
		said(session.RoleUser, "> "), said(session.RoleAssistant, "* "),
		{Begin: &Mark{Signs: []string{"# "}}},
		{Rule: "call", Begin: &Mark{Signs: []string{"@ "}}, Read: func([]row.Line, []Item) (Item, bool) {
			return Called(&session.Tool{Name: "Read", Status: session.ToolRunning}), true
		}},
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
		{"* so\n* on", "assistant so, assistant on"},
		{"* so\n# chrome\n~  on", "assistant so, rest of assistant on"},
		{"* so\n+* on", "assistant so* on"},
		{"@ Read\n* so", "open tool Read(), assistant so"},
	} {
		lines := rowtest.Dump(t, 40, strings.ReplaceAll(tt.dump, "~", ""))
		for i, s := range strings.Split(tt.dump, "\n") {
			lines[i].Lost = strings.HasPrefix(s, "~")
		}
		var got []string
		for _, it := range c.Parse(lines) {
			s := it.Role + " " + strings.ReplaceAll(it.Text, "\n", "|")
			if it.Open && it.Tool != nil {
				s = "open " + s
			}
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

// TestCellsWithoutItem reads cells that become no item: the one above ends where it did, or has
// their first lines.
func TestCellsWithoutItem(t *testing.T) {
	for own, end := range map[int]int{0: 1, 2: 4} {
		c := Cells{Cells: []Cell{
			{Begin: &Mark{Signs: []string{"* "}}, Role: session.RoleAssistant, Style: plain},
			{Begin: &Mark{Signs: []string{"! "}}, Read: func([]row.Line, []Item) (Item, bool) { return Item{End: own}, false }},
		}}
		if items := c.Parse(rowtest.Dump(t, 40, "* so\n\n! one\n  two\n  three")); len(items) != 1 || items[0].End != end {
			t.Errorf("%d lines more: items %+v", own, items)
		}
	}
}

// TestPrompt reads what the user typed as it is, not as Markdown that the agent has drawn.
func TestPrompt(t *testing.T) {
	c := Cells{Cells: []Cell{{Role: session.RoleUser, Style: plain}}}
	if items := c.Parse(rowtest.Dump(t, 40, "  * one\n  * two")); len(items) != 1 || items[0].Markdown != "* one\n* two" {
		t.Errorf("items %+v", items)
	}
}

// TestSpins knows the characters of spinners.
func TestSpins(t *testing.T) {
	for sign, want := range map[rune]bool{'⠋': true, '⣷': true, '●': false, '缓': false} {
		if Spins(sign) != want {
			t.Errorf("%c: %v", sign, !want)
		}
	}
}

// TestLastLines returns as many rows as were asked for, from the last one up.
func TestLastLines(t *testing.T) {
	got := LastLines(rowtest.Plain(20, "first", "│ second │", "", "third"), 2)
	if strings.Join(got, ", ") != "third, second" {
		t.Errorf("%q", got)
	}
}

// TestFigures reads rows of figures: a label tells them apart, and what is in another group is no
// figure, nor is a number that nothing can have used.
func TestFigures(t *testing.T) {
	u := Usage{Row: lazy.Regexp(`^(?P<label>[a-z]+|)(\d)?: (?P<input>` + Figure + `)$`)}
	for row, want := range map[string]string{"main2: 1.2k": "main 1200 true", "main: 3": "main 3 true",
		"main: 99999999999999999999": "main 0 false"} {
		used, key, ok := u.Figures(u.Row().FindStringSubmatch(row))
		if got := fmt.Sprint(key, " ", used.Input, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
}

// TestBoxOfNothing finds the lower rule of an input box right below the upper one.
func TestBoxOfNothing(t *testing.T) {
	lines := rowtest.Plain(20, "────", "  status")
	if b := BoxOf(lines, 2, row.Prefixed("─")); len(b.Rows) > 0 || b.Text() != "" {
		t.Errorf("got %q", b.Text())
	}
}
