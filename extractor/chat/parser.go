package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Parser collects the items in conversation lines, from top to bottom.
type Parser struct {
	Agent string // prefix of the rules' names
	Lines []row.Line
	Items []Item
}

// Add appends an item for the lines [first, end), and returns it.
func (p *Parser) Add(it Item, first, end int, rule string) *Item {
	it.First, it.End, it.Rule = first, end, p.Agent+" "+rule
	p.Items = append(p.Items, it)
	return p.Above()
}

// Say appends a message.
func (p *Parser) Say(role, text, md string, first, end int, rule string) *Item {
	return p.Add(Said(role, text, md), first, end, rule)
}

// Together appends several items for the lines [first, end). The first of them gets the lines.
func (p *Parser) Together(items []Item, first, end int, rule string) {
	for _, it := range items {
		p.Add(it, first, end, rule)
		first = end
	}
}

// Above returns the last item, or an empty one if there is none.
func (p *Parser) Above() *Item { return Last(p.Items) }

// Last returns the last of items, or an empty one if there is none.
func Last(items []Item) *Item {
	if len(items) == 0 {
		return &Item{}
	}
	return &items[len(items)-1]
}

// Interrupted appends an interruption. It marks the last reply or call as interrupted.
func (p *Parser) Interrupted(first, end int, rule string) {
	it := p.Above()
	it.Partial = it.Partial || it.Open || it.said()
	p.Add(Item{Event: session.EventInterrupted}, first, end, rule)
}

// said reports whether an item is a reply or thinking.
func (it *Item) said() bool {
	return it.Role == session.RoleAssistant || it.Role == session.RoleThinking
}

// Until returns the number of lines before the first one, from index 1 on, for which ends returns
// true, without blank lines at the end.
func Until(lines []row.Line, ends func(k int) bool) int {
	for k := 1; k < len(lines); k++ {
		if ends(k) {
			lines = lines[:k]
		}
	}
	return len(row.Trim(lines))
}

// Said returns an item for a message.
func Said(role, text, md string) Item {
	return Item{Message: session.Message{Role: role, Text: text, Markdown: md}}
}

// Typed returns an item for a prompt that is drawn in a style. ok is false if it is empty.
func Typed(lines []row.Line, lk *markdown.Style) (it Item, ok bool) {
	text := markdown.Prompt(lines, lk)
	return Said(session.RoleUser, text, text), text != ""
}

// Wrote returns an item for the model's text in a role. ok is false if it is empty.
func Wrote(role string, lines []row.Line, lk *markdown.Style) (it Item, ok bool) {
	text, md := markdown.Render(lines, lk)
	return Said(role, text, md), text != ""
}

// Status returns the status of a call from the colour of its sign.
func Status(sign vterm.Color, runs bool) string {
	switch {
	case row.Red(sign):
		return session.ToolError
	case runs:
		return session.ToolRunning
	}
	return session.ToolOK
}

// Inputs returns the inputs of calls that the agent shows as one: for Read, one for each file.
func Inputs(name, input string) []string {
	if name == "Read" {
		return strings.Split(input, ", ")
	}
	return []string{input}
}

// Called returns an item for a call. It is open while the tool runs.
func Called(t *session.Tool) Item {
	it := Said(session.RoleTool, t.Name+"("+t.Input+")", t.Name+"("+t.Input+")")
	it.Tool, it.Open = t, t.Status == session.ToolRunning
	return it
}

// Did returns an item for a call whose input follows its name. It is open while the tool runs.
func Did(t *session.Tool) Item {
	it := Called(t)
	it.Text = strings.TrimSpace(t.Name + " " + t.Input)
	it.Markdown = it.Text
	return it
}

// Spins reports whether a sign belongs to a spinner: a Braille pattern (U+2800 to U+28FF).
func Spins(sign rune) bool { return sign>>8 == 0x28 }

// AtMargin reports whether a row begins in column 2 in the colour of replies, as their text does.
func AtMargin(l row.Line) bool {
	return row.Indent(l.Text) == 2 && row.Plain(l.StyleAt(2).Fg) && !l.DimAt(2)
}
