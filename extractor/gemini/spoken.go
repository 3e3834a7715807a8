package gemini

import (
	"regexp"
	"slices"
	"strconv"
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
	workspace    = "workspace (/directory)"
)

// spokenBegins reports whether a row may be the footer's first: a notice, its head in newer
// versions, or "~/shop no sandbox (see /docs) auto".
func spokenBegins(text string) bool {
	return strings.HasPrefix(text, spokenNotice) || text == workspace || chat.IsPath(text) && strings.Contains(text, " sandbox")
}

// spokenBanner finds the first footer, with the directory, and an empty composer below it.
func spokenBanner(lines []row.Line) (b chat.Banner, n int) {
	lines = lines[:min(len(lines), 12)]
	at := slices.IndexFunc(lines, spokenComposer)
	if !spokenBegins(lines[0].Text) || at < 0 || !strings.Contains(lines[at].Text, "Type your message or @path/to/file") || slices.ContainsFunc(lines[:at], labelled) {
		return b, 0
	}
	if i := slices.IndexFunc(lines[:at], func(l row.Line) bool { return chat.IsPath(l.Text) }); i >= 0 {
		b.Cwd = row.FirstWord(lines[i].Text)
	}
	return b, 1
}

// spokenModes begin the composer: a mode or a sign.
var spokenModes = []string{"YOLO mode ", "Accepting edits ", "Auto-accept edits ", "Plan mode ", "Shell mode ", "> ", "* ", "! "}

// spokenComposer reports whether a row is the first of the composer: what is typed, with the
// cursor.
func spokenComposer(l row.Line) bool {
	return row.HasInverse(l.Row) && row.Starts(l.Text, spokenModes...)
}

// spokenLabels begin the items; what follows them says the state of a tool.
var spokenLabels = map[string]string{
	"User": "", "Model": "",
	"Success": session.ToolOK, "Error": session.ToolError, "Canceled": session.ToolRejected,
	"Executing": session.ToolRunning, "Pending": session.ToolRunning, "Confirming": session.ToolRunning, "Validating": session.ToolRunning,
}

// spokenLabel is the label that a row begins with, or "".
func spokenLabel(t string) string {
	name, _, _ := strings.Cut(t, ":")
	if _, known := spokenLabels[name]; !known || !strings.HasPrefix(t[len(name):]+" ", ": ") {
		return ""
	}
	return name
}

// labelled reports whether a row begins with a label.
func labelled(l row.Line) bool { return spokenLabel(l.Text) != "" }

// spokenSplit finds the composer at the end of the screen and the status above it.
func spokenSplit(s chat.Screen) chat.Split {
	lines := row.Trim(s.Lines)
	top := max(0, len(lines)-12)
	at := slices.IndexFunc(lines[top:], spokenComposer)
	if at < 0 {
		if slices.ContainsFunc(lines[top:], func(l row.Line) bool { return strings.HasSuffix(l.Text, " 1. Allow once") }) {
			return chat.Split{OK: true, Bottom: len(lines), State: chat.StateAsking}
		}
		return chat.Split{}
	}
	sp := chat.Split{OK: true, State: chat.StateIdle, Bottom: top + at}
	for sp.Bottom > 0 && spokenStatus(lines[sp.Bottom-1]) {
		if sp.Bottom--; strings.Contains(lines[sp.Bottom].Text, "(esc to cancel") {
			sp.State = chat.StateBusy
		}
	}
	return sp
}

// spokenStatus reports whether a row is chrome of the frame: a footer, a spinner, hints, the mode.
func spokenStatus(l row.Line) bool {
	t := strings.TrimSpace(l.Text)
	return spokenBegins(t) || spokenHints.MatchString(t)
}

var spokenHints = regexp.MustCompile(`^(YOLO|auto-accept|Shift\+Tab|Initializing)|\(esc to cancel|\? for shortcuts| to toggle\)$`)

// spokenParse reads the items off conversation lines.
func spokenParse(lines []row.Line, last bool) []chat.Item {
	p := &spokenParser{cLI.NewParser(lines, last)}
	return p.Read(p.next)
}

// spokenParser reads items as inkcli.Parser does.
type spokenParser struct{ *inkcli.Parser }

func (p *spokenParser) next(i int) int {
	l := p.Lines[i]
	switch label := spokenLabel(l.Text); {
	case label == "User":
		return p.prompt(i)
	case label == "Model":
		return p.reply(i)
	case label != "":
		return p.tool(i, spokenLabels[label])
	case spokenRuns(l):
		return p.tool(i, session.ToolRunning)
	case spokenBye(l):
		p.Command = false
		return len(p.Lines) - i
	case p.block(i) > 0:
		p.Stale = true
		return p.block(i)
	case spokenCancelled(l):
		p.Cancelled(i, i+1)
	default:
		p.Printed(i+1, l.Text)
	}
	return 1
}

// block counts the rows of a notice, a footer or a composer in the middle of a frame, above what
// still grows.
func (p *spokenParser) block(i int) int {
	l := p.Lines[i]
	switch {
	case strings.HasPrefix(l.Text, spokenNotice), l.Text == workspace:
		return 1 + row.Run(p.Lines[i+1:], func(l row.Line) bool { return !labelled(l) && !spokenStatus(l) && !spokenComposer(l) })
	case spokenStatus(l), spokenComposer(l):
		return 1
	}
	return 0
}

// until returns the end of an item that began above line i.
func (p *spokenParser) until(i int) int {
	return p.UntilOne(i, func(i int, l row.Line) bool {
		return labelled(l) || spokenRuns(l) || spokenBye(l) || p.block(i) > 0 || spokenCancelled(l)
	})
}

// spokenRuns reports whether a row names a tool that runs: "⊶ Edit  main.go: old => new".
func spokenRuns(l row.Line) bool { return chat.Begins(l.Text, "⊶ ", "⊷ ") }

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
	ls := slices.Clone(p.Lines[i:end])
	ls[0] = row.CutLine(ls[0], label, -1)
	ls[0].Cols += label
	return ls
}

// seam returns the seam of a finished item's lines, which Gemini never wraps.
func (p *spokenParser) seam(_, _ *markdown.Line) (markdown.Seam, bool) {
	return markdown.SeamBreak, !p.Stale
}

// prompt reads what the user typed. What is below a command is what it prints.
func (p *spokenParser) prompt(i int) int {
	end := p.until(i + 1)
	if inkcli.IsSlash(strings.TrimSpace(p.Lines[i].Text[len("User:"):])) {
		end = i + 1 + row.Run(p.Lines[i+1:], func(l row.Line) bool { return l.Wrapped })
	}
	sign, text := byte('>'), markdown.Prompt(p.inner(i, end, len("User:  ")), &markdown.Style{Seam: p.seam})
	if command, ok := strings.CutPrefix(text, "!"); ok {
		sign, text = '!', strings.TrimSpace(command)
	}
	p.Typed(sign, text, i, end)
	return end - i
}

// reply reads what the model said.
func (p *spokenParser) reply(i int) int {
	end := p.until(i + 1)
	p.Unsaid(i, end)
	ls := p.inner(i, end, len("Model:  "))
	if !p.Stale {
		ls = apart(ls)
	}
	text, md := markdown.Render(ls, &markdown.Style{
		Marks: spokenMarks, Seam: p.seam, Item: spokenItem, Gutter: spokenGutter, CodeTabs: true, Heading: spokenHeading,
		Quote: func(l *markdown.Line) (int, bool) { return min(2, len(l.Text)), row.Starts(l.Text, "> ") },
	})
	p.AddReply(text, md, i, end, "Model:")
	return end - i
}

// spokenHeading knows a heading by its one colour, a blue in all of Gemini's own themes.
func spokenHeading(l *markdown.Line) int {
	c := l.First().Fg
	if c.B > c.G && c.G > c.R && !strings.Contains(l.Text, "://") && l.All(func(s vterm.Style) bool { return s.Fg == c }) {
		return 2
	}
	return 0
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
	above := -1
	for _, l := range ls {
		if !l.Wrapped {
			kind := slices.IndexFunc(spokenKinds, func(is *regexp.Regexp) bool { return is.MatchString(l.Text) })
			if kind != above || kind < 0 {
				out = append(out, row.Line{Row: &vterm.Row{}, Cols: l.Cols})
			}
			above = kind
		}
		out = append(out, l)
	}
	return out
}

// spokenKinds are the beginnings of lines that are no text: of lists, code, tables and quotes.
var spokenKinds = []*regexp.Regexp{regexp.MustCompile(`^ *([-*+•]|\d+[.)])  `), regexp.MustCompile(`^[1-9]\d*( |$)`), regexp.MustCompile(`^[┌│├└]`), regexp.MustCompile(`^>`)}

// spokenGutter reads a code line's number: a blank follows it, no point.
func spokenGutter(l *markdown.Line) (width, n int) {
	number, _, _ := strings.Cut(l.Text, " ")
	n, _ = strconv.Atoi(number)
	return len(number) + 1, n
}

// spokenMarks knows code by the accent's colour, a purple in all of Gemini's own themes.
func spokenMarks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if c := s.Fg; c.B > c.G && c.R > c.G {
		m |= row.MarkCode
	}
	return m
}

// tool reads a call: its name, what it does, and its output up to the next label.
func (p *spokenParser) tool(i int, status string) int {
	end := p.until(i + 1)
	l := p.Lines[i]
	from := row.Width(row.FirstWord(l.Text)) + 1
	t, out := &session.Tool{Status: status}, i+1
	if l.BoldAt(from) {
		out += spokenNamed(t, p.Lines[i:end], from)
	} else { // it has one line: "Edit  main.go → Accepted (+1, -1)"
		name, desc, _ := strings.Cut(strings.TrimSpace(row.CutLine(l, from, -1).Text), "  ")
		t.Name = name
		result(t, desc)
	}
	printed(t, p.Lines[out:end], 0)
	t.Output = strings.TrimSpace(t.Output)
	p.AddCall(t, i, end, p.Open(end), "tool")
	return end - i
}

// spokenNamed reads a tool's name, in bold from a column on, and what it does, which may go on
// below. It returns how many lines below it takes.
func spokenNamed(t *session.Tool, ls []row.Line, from int) (n int) {
	var desc string
	t.Name, desc = inkcli.Named(ls[0], from)
	style := ls[0].Runs[len(ls[0].Runs)-1].Style
	n = row.Run(ls[1:], func(l row.Line) bool {
		return style.Fg.Kind != vterm.ColorDefault && len(l.Runs) == 1 && l.Runs[0].Style == style
	})
	for _, l := range ls[1 : 1+n] {
		if !l.Wrapped {
			desc += "\n"
		}
		desc += l.Text
	}
	t.Input = inkcli.Input(desc)
	return n
}
