package codex

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// tool reads a tool call: "• Ran ls", "• Explored", "• Edited main.go (+1 -1)", "• Called
// server.tool({})".
func (p *parser) tool(i int, ls []row.Line) {
	title := codexTitle(ls[0])
	switch {
	case title == "Explored" || title == "Exploring":
		p.explored(i, ls, title)
		return
	case title == "Change Approved" && p.approved(i+len(ls)):
		return
	case codexChange(ls[0], title):
		p.change(i, ls, title)
		return
	}
	head, out := parts(ls)
	t := session.Tool{Name: title, Status: state(ls[0], title)}
	if t.Input = codexInput(head, 2+row.Width(title)+1); t.Input == "" && len(out) > 0 { // before 0.42 a long command is below
		t.Input, out = codexInput(out, 4), nil
	}
	t.Output, t.Truncated = output(out)
	if strings.HasPrefix(title, "Exited (") { // "• Exited (status 1) ls"
		t.Name, t.Status = "Ran", session.ToolError
	}
	if !p.wasRejected(i+len(ls), t) {
		p.addTool(i, ls, t, "codex "+strings.ToLower(t.Name))
	}
}

func (p *parser) addTool(i int, ls []row.Line, t session.Tool, rule string) {
	text := strings.TrimSpace(t.Name + " " + t.Input)
	first := i
	if n := len(p.items) - 1; n >= 0 && t.Name == "Searched the web" && p.items[n].Text == "Browsing the web" { // the same call, under way
		first, p.items = p.items[n].First, p.items[:n]
	}
	it := chat.Said(session.RoleTool, text, text)
	it.Tool, it.Open = &t, t.Status == session.ToolRunning
	it.First, it.End, it.Rule = first, i+len(ls), rule
	p.add(it)
}

// parts parts a call's lines: the head with the lines that go on with it ("  │ "), and the
// output, which begins with "  └ ".
func parts(ls []row.Line) (head, out []row.Line) {
	n := 1 + chat.Run(ls[1:], func(l row.Line) bool { return !strings.HasPrefix(l.Text, "  └") })
	if n == len(ls) { // no output, or one without a corner
		n = 1 + chat.Run(ls[1:], func(l row.Line) bool { return strings.HasPrefix(l.Text, "  │") })
	}
	return ls[:n], ownLines(ls[n:])
}

// ownLines drops what Codex writes under an output: "    + Show details".
func ownLines(ls []row.Line) []row.Line {
	ls = row.Trim(ls)
	if n := len(ls); n > 0 && strings.HasPrefix(strings.TrimSpace(ls[n-1].Text), "+ Show ") {
		return row.Trim(ls[:n-1])
	}
	return ls
}

// codexInput is a command: the first line from a column on, the others behind "  │ ".
func codexInput(head []row.Line, from int) string {
	lk := markdown.Style{Left: 4}
	first := indent(head[0], from)
	ls := append([]row.Line{first}, head[1:]...)
	tl := lk.Lines(ls)
	if len(tl) == 0 {
		return ""
	}
	tl[0].Room = head[0].Cols - from
	var out []string
	for k, l := range lk.Unwrap(tl, 0) {
		t := row.Text(l)
		if k > 0 && strings.HasPrefix(t, "… +") {
			t = "…"
		}
		out = append(out, t)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// indent is a line's part from a column on, moved to column 4.
func indent(l row.Line, from int) row.Line {
	c := row.CutLine(l, from, -1)
	r := &vterm.Row{Text: "    " + c.Text}
	r.Runs = append(r.Runs, vterm.Run{Text: "    ", Width: 4})
	for _, run := range c.Runs {
		run.Col += 4
		r.Runs = append(r.Runs, run)
	}
	return row.Line{Row: r, Cols: c.Cols + 4}
}

// output is what a call printed, as far as it is shown.
func output(ls []row.Line) (out string, truncated bool) {
	truncated = slices.ContainsFunc(ls, func(l row.Line) bool { return strings.HasPrefix(strings.TrimSpace(l.Text), "… +") })
	if out = markdown.Verbatim(ls, 4); out == "(no output)" {
		out = ""
	}
	return out, truncated
}

// state reads a call's state off its bullet: green or red when it is done.
func state(l row.Line, title string) string {
	switch fg := l.StyleAt(0).Fg; {
	case color(fg, 1):
		return session.ToolError
	case strings.HasSuffix(title, "ing"):
		return session.ToolRunning
	}
	return session.ToolOK
}

// color reports whether a colour is one of the eight of the terminal, plain or bright.
func color(c vterm.Color, n uint8) bool {
	return c.Kind == vterm.ColorPalette && (c.Palette == n || c.Palette == n+8)
}

// explored reads the calls that a cell has gathered: "  └ Read main.go, go.mod", "    List src".
func (p *parser) explored(i int, ls []row.Line, title string) {
	status := session.ToolOK
	if title == "Exploring" {
		status = session.ToolRunning
	}
	calls := 0
	unnamed := func(l row.Line) bool { return !codexVerb(l) }
	for n := 1 + chat.Run(ls[1:], unnamed); n < len(ls); {
		end := n + 1 + chat.Run(ls[n+1:], unnamed)
		verb, _, _ := strings.Cut(strings.TrimSpace(row.CutLine(ls[n], 4, -1).Text), " ")
		input := codexInput(ownLines(ls[n:end]), 4+len(verb)+1)
		names := []string{input}
		if verb == "Read" {
			names = strings.Split(input, ", ")
		}
		for _, name := range names {
			p.addTool(i, ls, session.Tool{Name: verb, Input: name, Status: status}, "codex explored")
			if calls++; calls > 1 { // the lines are those of the first
				it := &p.items[len(p.items)-1]
				it.First = it.End
			}
		}
		n = end
	}
}

// codexVerb reports whether a line of an exploration names a call: its verb has a colour.
func codexVerb(l row.Line) bool {
	return (strings.HasPrefix(l.Text, "  └ ") || strings.HasPrefix(l.Text, "    ")) && l.StyleAt(4).Fg.Kind != vterm.ColorDefault
}

const changeRule = "codex change"

// change reads a change to files with its diff.
func (p *parser) change(i int, ls []row.Line, title string) {
	n := 1 + chat.Run(ls[1:], func(l row.Line) bool { return l.Text != "" && !strings.HasPrefix(l.Text, "    ") })
	input := codexInput(ls[:n], 2+len(title)+1)
	if at := strings.LastIndex(input, " (+"); at > 0 {
		input = input[:at]
	}
	diff := ownLines(ls[n:])
	t := session.Tool{Name: title, Input: input, Output: codexDiff(diff), Status: session.ToolOK}
	p.addTool(i, ls, t, changeRule)
}

// approved reads the notice that a change was approved, which was shown before.
func (p *parser) approved(end int) bool {
	n := len(p.items) - 1
	if n < 0 || p.items[n].Rule != changeRule {
		return false
	}
	p.items[n].End = end
	return true
}

// codexDiff is a diff with its line numbers; lines that were cut at the edge are put together.
func codexDiff(ls []row.Line) string {
	lk := markdown.Style{Left: 4}
	tl := lk.Lines(ls)
	at := diffColumn(tl)
	var out []string
	for i := range tl {
		l := &tl[i]
		if n := len(out); n > 0 && at > 0 && !l.Blank() && l.Indent >= at {
			out[n-1] += row.Text(row.Cut(l.Spans, at, l.Width))
			continue
		}
		out = append(out, l.Text)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// diffSign is a line of a diff up to its sign.
var diffSign = regexp.MustCompile(`^ *\d+ +[+-]`)

// diffColumn is the column behind the signs of a diff, 0 where it has none.
func diffColumn(ls []markdown.Line) int {
	for i := range ls {
		if m := diffSign.FindString(ls[i].Text); m != "" {
			return len(m)
		}
	}
	return 0
}

const rejectedRule = "codex rejected"

// decision is what the user decided on a command.
var decision = regexp.MustCompile(`(?s)^You (?:did not approve codex|canceled the request|denied codex) to run (.*)`)

// rejected reads the decision that a call must not be made: there is nothing else of it.
func (p *parser) rejected(i int, ls []row.Line, text string) bool {
	m := decision.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	p.addTool(i, ls, session.Tool{Name: "Run", Input: strings.TrimSpace(m[1]), Status: session.ToolRejected}, rejectedRule)
	return true
}

// wasRejected reports whether a call is the one that the user has just forbidden: Codex shows it as
// failed then, and for a moment as running.
func (p *parser) wasRejected(end int, t session.Tool) bool {
	n := len(p.items) - 1
	if n < 0 || t.Status != session.ToolError && t.Status != session.ToolRunning || p.items[n].Rule != rejectedRule || p.items[n].Tool.Input != t.Input {
		return false
	}
	p.items[n].Tool.Output, p.items[n].End = t.Output, end
	return true
}

// failed reads the notice that a change to files went wrong: it is part of the change shown before.
func (p *parser) failed(ls []row.Line, end int) bool {
	n := len(p.items) - 1
	if n < 0 || p.items[n].Rule != changeRule {
		return false
	}
	it := &p.items[n]
	why, _ := output(ls[1:])
	it.Tool.Status = session.ToolError
	it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+why, "\n")
	it.End = end
	return true
}
