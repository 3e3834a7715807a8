package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Parser collects the items that are read off conversation lines, top to bottom.
type Parser struct {
	Agent string // begins the names of the rules
	Lines []row.Line
	Items []Item
}

// Add appends an item that the lines [first, end) tell, and returns it.
func (p *Parser) Add(it Item, first, end int, rule string) *Item {
	it.First, it.End, it.Rule = first, end, p.Agent+" "+rule
	p.Items = append(p.Items, it)
	return p.Above()
}

// Say appends a message.
func (p *Parser) Say(role, text, md string, first, end int, rule string) *Item {
	return p.Add(Said(role, text, md), first, end, rule)
}

// Together appends items that the lines [first, end) tell together: the first of them has the
// lines.
func (p *Parser) Together(items []Item, first, end int, rule string) {
	for _, it := range items {
		p.Add(it, first, end, rule)
		first = end
	}
}

// Above returns the item that was read last; an empty one before the first.
func (p *Parser) Above() *Item { return Last(p.Items) }

// Last returns the last of items, or an empty one if there are no items.
func Last(items []Item) *Item {
	if len(items) == 0 {
		return &Item{}
	}
	return &items[len(items)-1]
}

// Interrupted appends that the user stopped the agent: what it said or did last is not whole.
func (p *Parser) Interrupted(first, end int, rule string) {
	it := p.Above()
	it.Partial = it.Partial || it.Open || it.said()
	p.Add(Item{Event: session.EventInterrupted}, first, end, rule)
}

// said reports whether an item is what the model said or thought.
func (it *Item) said() bool {
	return it.Role == session.RoleAssistant || it.Role == session.RoleThinking
}

// Until counts the lines up to the first one but that of index 0 for which ends holds, without the
// blank ones above that.
func Until(lines []row.Line, ends func(k int) bool) int {
	for k := 1; k < len(lines); k++ {
		if ends(k) {
			lines = lines[:k]
		}
	}
	return len(row.Trim(lines))
}

// Said returns the item of a message.
func Said(role, text, md string) Item {
	return Item{Message: session.Message{Role: role, Text: text, Markdown: md}}
}

// Typed returns the item of what the user typed, drawn in a style; ok is false if it is nothing.
func Typed(lines []row.Line, lk *markdown.Style) (it Item, ok bool) {
	text := markdown.Prompt(lines, lk)
	return Said(session.RoleUser, text, text), text != ""
}

// Wrote returns the item of what the model wrote in a role; ok is false if it is nothing.
func Wrote(role string, lines []row.Line, lk *markdown.Style) (it Item, ok bool) {
	text, md := markdown.Render(lines, lk)
	return Said(role, text, md), text != ""
}

// Status returns the status of a call whose sign has a colour.
func Status(sign vterm.Color, runs bool) string {
	switch {
	case row.Red(sign):
		return session.ToolError
	case runs:
		return session.ToolRunning
	}
	return session.ToolOK
}

// Inputs parts the input of calls that are shown together: files that are read.
func Inputs(name, input string) []string {
	if name == "Read" {
		return strings.Split(input, ", ")
	}
	return []string{input}
}

// Called returns the item of a call. It may change while the tool runs.
func Called(t *session.Tool) Item {
	it := Said(session.RoleTool, t.Name+"("+t.Input+")", t.Name+"("+t.Input+")")
	it.Tool, it.Open = t, t.Status == session.ToolRunning
	return it
}

// Did returns the item of a call whose input is behind its name. It may change while the tool runs.
func Did(t *session.Tool) Item {
	it := Called(t)
	it.Text = strings.TrimSpace(t.Name + " " + t.Input)
	it.Markdown = it.Text
	return it
}

// Spins reports whether a sign is one of a spinner's: a Braille pattern (U+2800 to U+28FF).
func Spins(sign rune) bool { return sign>>8 == 0x28 }

// AtMargin reports whether a row begins in column 2, as the text of replies does, in its colour.
func AtMargin(l row.Line) bool {
	return row.Indent(l.Text) == 2 && row.Plain(l.StyleAt(2).Fg) && !l.DimAt(2)
}
