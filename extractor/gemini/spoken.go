package gemini

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// spokenLook is the Gemini CLI as it draws for screen readers: no boxes, no colours that matter,
// no blank lines. Labels say who speaks: "User:  ", "Model:  ", "Success: Shell ls". Finished items
// are printed once, each line as long as it is; below them footer, growing items and composer are
// drawn again with each frame, words wrapped.
var spokenLook = chat.Look{Versions: "0.1-", Begins: spokenBegins, Banner: spokenBanner, Split: spokenSplit, Parse: spoken.Parse, Box: inkcli.InputBox}

const (
	spokenNotice = "You are currently in screen reader-friendly view."
	workspace    = "workspace (/directory)"
)

// spokenBegins reports whether a row may be the footer's first: a notice, its head in newer
// versions, or "~/shop no sandbox (see /docs) auto".
func spokenBegins(text string) bool {
	return spokenHead(text) || chat.Begins(text, "~", "/") && strings.Contains(text, " sandbox")
}

// spokenHead reports whether a row is the first of what is above a frame: a notice, or the footer's
// head.
func spokenHead(text string) bool { return strings.HasPrefix(text, spokenNotice) || text == workspace }

// spokenBanner finds the first footer, with the directory, and an empty composer below it.
func spokenBanner(lines []row.Line) (b chat.Banner, n int) {
	lines = lines[:min(len(lines), 12)]
	at := slices.IndexFunc(lines, spokenComposer)
	if !spokenBegins(lines[0].Text) || at < 0 || !strings.Contains(lines[at].Text, "Type your message or @path/to/file") || slices.ContainsFunc(lines[:at], labelled) {
		return b, 0
	}
	if i := slices.IndexFunc(lines[:at], row.Prefixed("~", "/")); i >= 0 {
		b.Cwd = row.FirstWord(lines[i].Text)
	}
	return b, 1
}

// spokenModes begin the composer: a mode or a sign.
var spokenModes = []string{"YOLO mode ", "Accepting edits ", "Auto-accept edits ", "Plan mode ", "Shell mode ", "> ", "* ", "! "}

// spokenComposer reports whether a row is the first of the composer: what is typed, with the
// cursor.
func spokenComposer(l row.Line) bool {
	return row.HasInverse(l) && row.Starts(l.Text, spokenModes...)
}

// part is what a row begins: its kind, and the state of a tool.
type part struct{ kind, status string }

// The kinds of parts.
const (
	partPrompt    = "User:"
	partReply     = "Model:"
	partTool      = "tool"
	partFrame     = "frame"     // that is drawn again: a footer or a composer, above what still grows
	partCancelled = "cancelled" // says that the user stopped the turn
	partBye       = "bye"       // Gemini takes its leave: its summary follows
)

// spokenLabels begin the items; they say the state of a tool. A tool that runs has a sign instead:
// "⊶ Edit  main.go: old => new".
var spokenLabels = map[string]part{
	partPrompt: {kind: partPrompt}, partReply: {kind: partReply},
	"Success:": {partTool, session.ToolOK}, "Error:": {partTool, session.ToolError}, "Canceled:": {partTool, session.ToolRejected},
	"Executing:": {partTool, session.ToolRunning}, "Pending:": {partTool, session.ToolRunning}, "Confirming:": {partTool, session.ToolRunning},
	"Validating:": {partTool, session.ToolRunning}, "⊶": {partTool, session.ToolRunning}, "⊷": {partTool, session.ToolRunning},
}

// spokenLabel returns the label that a row may begin with.
func spokenLabel(l row.Line) string {
	label, _, _ := strings.Cut(l.Text, " ")
	return label
}

// labelled reports whether a row begins with a label.
func labelled(l row.Line) bool { return spokenLabels[spokenLabel(l)] != part{} }

// partOf returns what a row begins; the zero part if it goes on with what is above.
func partOf(l row.Line) part {
	switch {
	case labelled(l):
		return spokenLabels[spokenLabel(l)]
	case strings.HasPrefix(l.Text, "Agent powering down.") && l.BoldAt(0):
		return part{kind: partBye}
	case spokenStatus(l), spokenComposer(l):
		return part{kind: partFrame}
	case spokenCancelled().MatchString(l.Text):
		return part{kind: partCancelled}
	}
	return part{}
}

var spokenCancelled = lazy.Regexp(`^[ℹ ]*Request cancelled`)

// spokenChrome is what is below the conversation.
var spokenChrome = inkcli.Chrome{Composer: spokenInput, Status: spokenStatus, Dialog: inkcli.Question(lazy.Regexp(` 1\. Allow once$`))}

// spokenRows is how many rows at the end of the screen may be of the composer.
const spokenRows = 12

// spokenSplit parts the screen.
func spokenSplit(s chat.Screen) chat.Split { return spokenChrome.Split(row.Trim(s.Lines)) }

// spokenInput finds the composer at the end of the screen.
func spokenInput(lines []row.Line) (top int, ok bool) {
	from := max(0, len(lines)-spokenRows)
	at := slices.IndexFunc(lines[from:], spokenComposer)
	return from + at, at >= 0
}

// spokenStatus reports whether a row is chrome of the frame: a footer, a spinner, hints, the mode.
func spokenStatus(l row.Line) bool {
	t := strings.TrimSpace(l.Text)
	return spokenBegins(t) || spokenHints().MatchString(t)
}

var spokenHints = lazy.Regexp(`^(YOLO|auto-accept|Shift\+Tab|Initializing)|\(esc to cancel|\? for shortcuts| to toggle\)$`)

// spoken is what the Gemini CLI draws for screen readers.
var spoken = inkcli.CLI{Agent: "gemini", Next: spokenNext, Begins: spokenEnds}

// spokenNext reads what begins at line i and returns how many lines it has.
func spokenNext(p *inkcli.Parser, i int) int {
	l := p.Lines[i]
	switch at := partOf(l); at.kind {
	case partPrompt:
		return spokenPrompt(p, i)
	case partReply:
		return spokenReply(p, i)
	case partTool:
		return spokenTool(p, i, at.status)
	case partBye:
		p.Command = false
		return len(p.Lines) - i
	case partFrame:
		p.Stale = true
		if spokenHead(l.Text) {
			return 1 + row.Run(p.Lines[i+1:], func(l row.Line) bool { return partOf(l) == part{} })
		}
	case partCancelled:
		p.Cancelled(i, i+1)
	default:
		p.Printed(i+1, l.Text)
	}
	return 1
}

// spokenEnds reports whether line k belongs to no item above it.
func spokenEnds(p *inkcli.Parser, k int) bool { return partOf(p.Lines[k]) != part{} }

// inner returns an item's lines without the label and what is between: a number of columns.
func inner(lines []row.Line, label int) []row.Line {
	ls := slices.Clone(lines)
	ls[0] = row.CutLine(ls[0], label, -1)
	ls[0].Cols += label
	return ls
}

// whole is the right margin of items that Gemini has finished: it never wraps their lines.
const whole = -1 << 20

// spokenStyle returns how the next item is drawn.
func spokenStyle(p *inkcli.Parser) markdown.Style {
	style := markdown.Style{Right: whole, CodeTabs: true, Item: spokenItem, Marks: spokenMarks, Heading: spokenHeading}
	if p.Stale {
		style.Right = 0
	}
	return style
}

// spokenPrompt reads what the user typed. What is below a command is what it prints.
func spokenPrompt(p *inkcli.Parser, i int) int {
	end := p.End(i + 1)
	if inkcli.IsSlash(strings.TrimSpace(p.Lines[i].Text[len(partPrompt):])) {
		end = i + 1 + row.Run(p.Lines[i+1:], row.IsWrapped)
	}
	style := spokenStyle(p)
	sign, text := byte('>'), markdown.Prompt(inner(p.Lines[i:end], len(partPrompt)+2), &style)
	if command, ok := strings.CutPrefix(text, "!"); ok {
		sign, text = '!', strings.TrimSpace(command)
	}
	p.Typed(sign, text, i, end)
	return end - i
}

// spokenReply reads what the model said.
func spokenReply(p *inkcli.Parser, i int) int {
	end := p.End(i + 1)
	p.Unsaid(i, end)
	ls := inner(p.Lines[i:end], len(partReply)+2)
	if !p.Stale {
		ls = apart(ls)
	}
	p.AddReply(ls, spokenStyle(p), i, end, partReply)
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

// spokenMarks knows code by the accent's colour, a purple in all of Gemini's own themes.
func spokenMarks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if c := s.Fg; c.B > c.G && c.R > c.G {
		m |= row.MarkCode
	}
	return m
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
			kind := slices.IndexFunc(spokenKinds, func(is func() *regexp.Regexp) bool { return is().MatchString(l.Text) })
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
var spokenKinds = []func() *regexp.Regexp{lazy.Regexp(`^ *([-*+•]|\d+[.)])  `), lazy.Regexp(`^[1-9]\d*( |$)`), lazy.Regexp(`^[┌│├└]`), lazy.Regexp(`^>`)}

// spokenTool reads a call: its name, what it does, and its output up to the next label.
func spokenTool(p *inkcli.Parser, i int, status string) int {
	lines, below := p.Lines[i:p.End(i+1)], 1
	t := inkcli.Named(lines[0], row.Width(spokenLabel(lines[0]))+1)
	t.Status = status
	if t.Name != "" {
		below += spokenGoesOn(t, lines)
	} else { // it has one line: "Edit  main.go → Accepted (+1, -1)"
		t.Name, t.Input, _ = strings.Cut(t.Input, "  ")
		result(t)
	}
	inkcli.Output(t, lines[below:], 0)
	t.Output = strings.TrimSpace(t.Output)
	p.AddCall(t, i, i+len(lines), p.Open(i+len(lines)), "tool")
	return len(lines)
}

// spokenGoesOn adds what else a tool does, which may go on below the line that names it, in the
// same style. It returns how many lines below it takes.
func spokenGoesOn(t *session.Tool, ls []row.Line) (n int) {
	style := ls[0].Runs[len(ls[0].Runs)-1].Style
	n = row.Run(ls[1:], func(l row.Line) bool {
		return style.Fg.Kind != vterm.ColorDefault && len(l.Runs) == 1 && l.Runs[0].Style == style
	})
	for _, l := range ls[1 : 1+n] {
		if !l.Wrapped {
			t.Input += "\n"
		}
		t.Input += l.Text
	}
	t.Input = inkcli.Input(t.Input)
	return n
}
