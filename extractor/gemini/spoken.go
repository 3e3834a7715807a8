package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// geminiSpoken is the Gemini CLI as it draws for screen readers: no boxes, no colours that matter,
// no blank lines. Labels say who speaks: "User:  ", "Model:  ", "Success: Shell ls". Finished items
// are printed once, each line as long as it is; below them footer, growing items and composer are
// drawn again with each frame, words wrapped.
var spokenLook = chat.Look{Versions: "0.1-", Begins: spokenBegins, Banner: spokenBanner, Split: spokenSplit, Parse: spokenParse, Box: inkcli.InputBox}

const (
	spokenNotice = "You are currently in screen reader-friendly view."
	spokenHint   = "Type your message or @path/to/file"
)

// spokenBegins reports whether a row may be the footer's first.
func spokenBegins(text string) bool {
	return strings.HasPrefix(text, spokenNotice) || text == "workspace (/directory)" || (text[0] == '~' || text[0] == '/') && strings.Contains(text, " sandbox")
}

// spokenBanner finds the first footer, with an empty composer below it.
func spokenBanner(lines []row.Line) (b chat.Banner, n int) {
	if lines[0].Text == "" || !spokenBegins(lines[0].Text) {
		return b, 0
	}
	for i := 1; i < len(lines) && i < 12; i++ {
		if spokenComposer(lines[i]) && strings.Contains(lines[i].Text, spokenHint) {
			return chat.Banner{Cwd: spokenCwd(lines[:i])}, 1
		}
		if spokenLabel(lines[i].Text) != "" {
			break
		}
	}
	return b, 0
}

// spokenCwd reads the directory off the footer.
func spokenCwd(lines []row.Line) string {
	for _, l := range lines {
		if t := l.Text; strings.HasPrefix(t, "~") || strings.HasPrefix(t, "/") {
			return row.FirstWord(t)
		}
	}
	return ""
}

// spokenFooter reports whether a row is the footer's first: "workspace (/directory)", or "~/shop no
// sandbox (see /docs) auto".
func spokenFooter(l row.Line) bool {
	t := l.Text
	return t == "workspace (/directory)" || (strings.HasPrefix(t, "~") || strings.HasPrefix(t, "/")) && strings.Contains(t, " sandbox")
}

// spokenComposer reports whether a row is the first of the composer: a mode or a sign, then what is
// typed, with the cursor.
func spokenComposer(l row.Line) bool {
	if !row.HasInverse(l.Row) {
		return false
	}
	for _, p := range []string{"YOLO mode ", "Accepting edits ", "Auto-accept edits ", "Plan mode ", "Shell mode ", "> ", "* ", "! "} {
		if strings.HasPrefix(l.Text+" ", p) {
			return true
		}
	}
	return false
}

// spokenLabels begin the items; what follows them says the state of a tool.
var spokenLabels = map[string]string{
	"User": "", "Model": "",
	"Success": session.ToolOK, "Error": session.ToolError, "Canceled": session.ToolRejected,
	"Executing": session.ToolRunning, "Pending": session.ToolRunning, "Confirming": session.ToolRunning, "Validating": session.ToolRunning,
}

// spokenLabel is the label that a row begins with, or "".
func spokenLabel(t string) string {
	name, rest, ok := strings.Cut(t, ":")
	if !ok || rest != "" && rest[0] != ' ' {
		return ""
	}
	if _, ok := spokenLabels[name]; !ok {
		return ""
	}
	return name
}

// spokenSplit finds the composer at the end of the screen and the status above it.
func spokenSplit(s chat.Screen) chat.Split {
	lines := row.Trim(s.Lines)
	at := len(lines) - 1
	for at >= 0 && at > len(lines)-12 && !spokenComposer(lines[at]) {
		at--
	}
	if at < 0 || !spokenComposer(lines[at]) {
		for _, l := range lines[max(0, len(lines)-12):] {
			if t := strings.TrimSpace(l.Text); strings.HasPrefix(t, "● 1. Allow once") || strings.HasPrefix(t, "Radio button checked 1. Allow once") {
				return chat.Split{OK: true, Bottom: len(lines), State: chat.StateAsking}
			}
		}
		return chat.Split{}
	}
	sp := chat.Split{OK: true, State: chat.StateIdle}
	for at > 0 && spokenStatus(lines[at-1]) {
		if at--; strings.Contains(lines[at].Text, "(esc to cancel") {
			sp.State = chat.StateBusy
		}
	}
	sp.Bottom = at
	return sp
}

// spokenStatus reports whether a row is chrome of the frame: footer, spinner, hints, the mode.
func spokenStatus(l row.Line) bool {
	t := strings.TrimSpace(l.Text)
	switch {
	case spokenFooter(l), strings.Contains(t, "(esc to cancel"), strings.Contains(t, "? for shortcuts"), strings.HasPrefix(t, spokenNotice):
		return true
	case strings.HasPrefix(t, "YOLO"), strings.HasSuffix(t, " to toggle)"), strings.HasPrefix(t, "auto-accept"), strings.HasPrefix(t, "Shift+Tab"), strings.HasPrefix(t, "Initializing"):
		return true
	}
	return false
}

// spokenParse reads the items off conversation lines.
func spokenParse(lines []row.Line, last bool) []chat.Item {
	p := &spokenParser{inkcli.Parser{CLI: cLI, Lines: lines, Last: last, Command: -1}}
	return p.Read(p.next)
}

// spokenParser reads items as inkParser does.
type spokenParser struct{ inkcli.Parser }

func (p *spokenParser) next(i int) int {
	l := p.Lines[i]
	switch label := spokenLabel(l.Text); {
	case label == "User":
		end := p.until(i + 1)
		if inkcli.IsSlash(strings.TrimSpace(l.Text[len("User:"):])) { // what is below is what it prints
			for end = i + 1; end < len(p.Lines) && p.Lines[end].Wrapped; end++ {
			}
		}
		text := markdown.Prompt(p.inner(i, end, len("User:  ")), &markdown.Style{Seam: p.seam})
		sign := byte('>')
		if strings.HasPrefix(text, "!") {
			sign, text = '!', strings.TrimSpace(text[1:])
		}
		p.Typed(sign, text, i, end)
		return end - i
	case label == "Model":
		return p.reply(i)
	case label != "":
		return p.tool(i, spokenLabels[label])
	case spokenRuns(l):
		return p.tool(i, session.ToolRunning)
	case spokenBye(l):
		p.Command = -1
		return len(p.Lines) - i
	case spokenComposer(l):
		p.Stale = true
		return 1
	case p.block(i) > 0:
		p.Stale = true
		return p.block(i)
	case spokenCancelled(l):
		if n := len(p.Items); n > 0 && p.Items[n-1].Role == session.RoleAssistant {
			p.Items[n-1].Partial = true
		}
		p.Add(chat.Item{Event: session.EventInterrupted, First: i, End: i + 1, Rule: "gemini cancelled"})
		return 1
	case p.Command >= 0:
		p.Output(i+1, l.Text)
	}
	return 1
}

// block counts the rows of a notice or footer in the middle of a frame, above what still grows.
func (p *spokenParser) block(i int) int {
	n := 0
	if strings.HasPrefix(p.Lines[i].Text, spokenNotice) {
		n++
		for n < 4 && i+n < len(p.Lines) && !spokenFooter(p.Lines[i+n]) && spokenLabel(p.Lines[i+n].Text) == "" {
			n++
		}
	}
	if i+n >= len(p.Lines) || !spokenFooter(p.Lines[i+n]) {
		if n == 0 && spokenStatus(p.Lines[i]) {
			return 1
		}
		return n
	}
	if p.Lines[i+n].Text != "workspace (/directory)" {
		return n + 1
	}
	for n++; i+n < len(p.Lines) && spokenLabel(p.Lines[i+n].Text) == "" && !spokenStatus(p.Lines[i+n]) && n < 10; n++ {
		if strings.Contains(p.Lines[i+n].Text, " /model") {
			return min(n+2, len(p.Lines)-i) // the model's name
		}
	}
	return n
}

// until returns the end of an item that began above line i.
func (p *spokenParser) until(i int) int {
	return p.UntilOne(i, func(i int, l row.Line) bool {
		return spokenLabel(l.Text) != "" || spokenRuns(l) || spokenBye(l) || spokenComposer(l) || p.block(i) > 0 || spokenCancelled(l)
	})
}

// spokenRuns reports whether a row names a tool that runs: "⊶ Edit  main.go: old => new".
func spokenRuns(l row.Line) bool {
	return strings.HasPrefix(l.Text, "⊶ ") || strings.HasPrefix(l.Text, "⊷ ")
}

// spokenBye reports whether Gemini takes its leave: its summary follows.
func spokenBye(l row.Line) bool {
	return strings.HasPrefix(l.Text, "Agent powering down.") && l.BoldAt(0)
}

// spokenCancelled reports whether a row says that the user stopped the turn.
func spokenCancelled(l row.Line) bool {
	return strings.HasPrefix(strings.TrimLeft(l.Text, "ℹ "), "Request cancelled")
}

// inner is an item's lines without the label.
func (p *spokenParser) inner(i, end, label int) []row.Line {
	ls := append([]row.Line(nil), p.Lines[i:end]...)
	ls[0] = row.CutLine(ls[0], label, -1)
	ls[0].Cols += label
	return ls
}

// seam returns the seam of a finished item's lines, which Gemini never wraps.
func (p *spokenParser) seam(_, _ *markdown.Line) (markdown.Seam, bool) {
	return markdown.SeamBreak, !p.Stale
}

// reply reads what the model said.
func (p *spokenParser) reply(i int) int {
	end := p.until(i + 1)
	p.Unsaid(i, end)
	ls := p.inner(i, end, len("Model:  "))
	if !p.Stale {
		ls = apart(ls)
	}
	lk := &markdown.Style{Marks: spokenMarks, Seam: p.seam, Item: spokenItem, Gutter: spokenGutter, CodeTabs: true}
	lk.Heading = func(l *markdown.Line) int {
		if c := l.First().Fg; c.Kind != vterm.ColorRGB || c.B <= c.G || c.G <= c.R || strings.Contains(l.Text, "://") || !l.All(func(s vterm.Style) bool { return s.Fg == c }) {
			return 0
		}
		return 2
	}
	lk.Quote = func(l *markdown.Line) (int, bool) {
		if strings.HasPrefix(l.Text, "> ") {
			return 2, true
		}
		return 1, l.Text == ">"
	}
	text, md := markdown.Render(ls, lk)
	p.Asked()
	if text != "" {
		p.Add(chat.Item{Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, First: i, End: end, Open: p.Open(end), Rule: "gemini Model:"})
	}
	return end - i
}

// spokenItem reads a list item: two blanks follow its marker.
func spokenItem(l *markdown.Line) (markdown.Item, bool) {
	if !strings.Contains(l.Text[:min(len(l.Text), 12)], "  ") {
		return markdown.Item{}, false
	}
	return markdown.ListItem(l)
}

// apart puts back the blank lines between paragraphs, lists, code, tables and quotes.
func apart(ls []row.Line) []row.Line {
	out := make([]row.Line, 0, 2*len(ls))
	var above spokenKind
	for i, l := range ls {
		if l.Wrapped && i > 0 {
			out = append(out, l)
			continue
		}
		kind := spokenKindOf(l)
		if i > 0 && (kind != above || kind == spokenText) {
			out = append(out, row.Line{Row: &vterm.Row{}, Cols: l.Cols})
		}
		out = append(out, l)
		above = kind
	}
	return out
}

// spokenKind is what a line of a reply belongs to.
type spokenKind uint8

const (
	spokenText spokenKind = iota
	spokenList
	spokenCode
	spokenTable
	spokenQuote
)

func spokenKindOf(l row.Line) spokenKind {
	tl := markdown.Line{Spans: row.Spans(l.Row, 0, -1, row.PlainMarks)}
	tl.Measure()
	if _, ok := spokenItem(&tl); ok {
		return spokenList
	}
	if _, _, ok := spokenGutter(&tl); ok {
		return spokenCode
	}
	switch row.FirstRune(l.Text) {
	case '┌', '│', '├', '└':
		return spokenTable
	case '>':
		return spokenQuote
	}
	return spokenText
}

// spokenGutter reads a code line's number: a blank follows it, no point.
func spokenGutter(l *markdown.Line) (width, n int, ok bool) {
	i := 0
	for i < len(l.Text) && i < 6 && l.Text[i] >= '0' && l.Text[i] <= '9' {
		n = n*10 + int(l.Text[i]-'0')
		i++
	}
	if i == 0 || l.Text[0] == '0' || i < len(l.Text) && l.Text[i] != ' ' {
		return 0, 0, false
	}
	return i + 1, n, true
}

// spokenMarks knows code by the accent's colour, a purple in all of Gemini's own themes.
func spokenMarks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if c := s.Fg; c.Kind == vterm.ColorRGB && c.B > c.G && c.R > c.G {
		m |= row.MarkCode
	}
	return m
}

// tool reads a call: its name, what it does, and its output up to the next label.
func (p *spokenParser) tool(i int, status string) int {
	end := p.until(i + 1)
	l := p.Lines[i]
	from := strings.Index(l.Text, ":") + 2
	if spokenRuns(l) {
		from = 2
	}
	t, out := &session.Tool{Status: status}, i+1
	if l.BoldAt(from) {
		out += spokenNamed(t, p.Lines[i:end], from)
	} else {
		spokenDense(t, row.CutLine(l, from, -1).Text)
	}
	rest, truncated := inkcli.ToolOutput(p.Lines[out:end])
	t.Output = strings.TrimSpace(t.Output + rest)
	t.Truncated = truncated
	if p.Command >= 0 && t.Name == "Shell Command" {
		c := p.Command
		p.Output(end, t.Output)
		p.Command, p.Items[c].Open = -1, status == session.ToolRunning
		return end - i
	}
	p.Asked()
	text := strings.TrimSpace(t.Name + " " + t.Input)
	p.Add(chat.Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: status == session.ToolRunning || p.Open(end), Rule: "gemini tool"})
	return end - i
}

// spokenNamed reads a tool's name, in bold from a column on, and what it does, which may go on
// below. It returns how many lines below it takes.
func spokenNamed(t *session.Tool, ls []row.Line, from int) (n int) {
	l := ls[0]
	var desc string
	t.Name, desc = inkcli.Named(l, from)
	style := l.Runs[len(l.Runs)-1].Style
	for _, r := range ls[1:] {
		if style.Fg.Kind == vterm.ColorDefault || len(r.Runs) != 1 || r.Runs[0].Style != style {
			break
		}
		if !r.Wrapped {
			desc += "\n"
		}
		desc += r.Text
		n++
	}
	t.Input = inkcli.Input(desc)
	return n
}

// spokenDense reads a tool that has one line: "Edit  main.go → Accepted (+1, -1)".
func spokenDense(t *session.Tool, text string) {
	var result string
	t.Name, t.Input, _ = strings.Cut(strings.TrimSpace(text), "  ")
	t.Input, result, _ = strings.Cut(strings.TrimSpace(t.Input), " → ")
	if result != "" {
		t.Output = result + "\n"
	}
	if path, change, ok := strings.Cut(t.Input, ": "); ok && t.Status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path
	}
}
