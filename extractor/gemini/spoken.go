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
var spokenLook = chat.Look{Versions: "0.1-", Begins: spokenBegins, Banner: spokenBanner, Split: spokenSplit,
	Parse: spokenParse, Box: inkcli.InputBox}

const (
	spokenNotice = "You are currently in screen reader-friendly view."
	workspace    = "workspace (/directory)"
)

// spokenBegins reports whether a row may be the first of the footer: a notice, or in newer versions
// its head, or "~/shop no sandbox (see /docs) auto".
func spokenBegins(text string) bool {
	return spokenHead(text) || row.Starts(text, "~", "/") && strings.Contains(text, " sandbox")
}

// spokenHead reports whether a row is the first of what is above a frame: a notice, or the footer's
// head.
func spokenHead(text string) bool { return row.Starts(text, spokenNotice, workspace) }

// spokenBanner finds the first footer, with the directory, and an empty composer below it.
func spokenBanner(lines []row.Line) (b chat.Banner, n int) {
	lines = lines[:min(len(lines), 12)]
	at := slices.IndexFunc(lines, spokenComposer)
	if !spokenBegins(lines[0].Text) || at < 0 ||
		!strings.Contains(lines[at].Text, "Type your message or @path/to/file") || slices.ContainsFunc(lines[:at], labelled) {
		return b, 0
	}
	if i := slices.IndexFunc(lines[:at], row.Prefixed("~", "/")); i >= 0 {
		b.Cwd = row.FirstWord(lines[i].Text)
	}
	return b, 1
}

// spokenModes are beginnings of the composer: a mode or a sign.
var spokenModes = []string{"YOLO mode ", "Accepting edits ", "Auto-accept edits ", "Plan mode ", "Shell mode ", "> ",
	"* ", "! "}

// spokenComposer reports whether a row is the first of the composer: the input, with the cursor.
func spokenComposer(l row.Line) bool {
	return row.HasInverse(l) && row.Starts(l.Text, spokenModes...)
}

// The labels before prompts and replies.
const (
	userLabel  = "User:"
	modelLabel = "Model:"
)

// toolLabels are the labels for the states of a tool. A running tool has a sign instead: "⊶ Edit
// main.go: old => new".
var toolLabels = map[string]string{
	"Success:": session.ToolOK, "Error:": session.ToolError, "Canceled:": session.ToolRejected,
	"Executing:": session.ToolRunning, "Pending:": session.ToolRunning, "Confirming:": session.ToolRunning,
	"Validating:": session.ToolRunning, "⊶": session.ToolRunning, "⊷": session.ToolRunning,
}

// The marks of messages and calls.
var (
	user    = chat.Mark{Signs: []string{userLabel + " "}}
	model   = chat.Mark{Signs: []string{modelLabel + " "}}
	tool    = chat.Mark{Row: func(l row.Line) bool { return toolLabels[row.FirstWord(l.Text)] != "" }}
	goodbye = chat.Mark{Row: func(l row.Line) bool {
		return strings.HasPrefix(l.Text, "Agent powering down.") &&
			l.BoldAt(0)
	}}
)

// labelled reports whether an item begins on a row.
func labelled(l row.Line) bool { return user.On(l) || model.On(l) || tool.On(l) }

// spokenParse parses the items in conversation lines.
var spokenParse = inkcli.Parse("gemini", []chat.Cell{
	{Begin: &user, When: chat.First(isCommand), Rows: commandRows, Add: spokenPrompt},
	{Begin: &user, Through: through, Add: spokenPrompt},
	{Begin: &model, Through: through, Add: spokenReply},
	{Begin: &tool, Through: through, Add: inkcli.Call(spokenTool)},
	{Begin: &goodbye, Rows: func(lines []row.Line) int { return len(lines) }, Add: inkcli.Part}, // its summary follows
	{Begin: &chat.Mark{Text: spokenHead}, Through: through},
	{Begin: &chat.Mark{Text: spokenStatus}, Rows: oneRow},
	{Begin: &chat.Mark{Row: spokenComposer}, Rows: oneRow},
	{Begin: &chat.Mark{Row: row.Matching(cancelled)}, Rows: oneRow, Add: inkcli.Cancelled},
})

// through is a Cell.Through for items that continue below rows that were never on the screen.
func through(row.Line) bool { return true }

// oneRow is a Cell.Rows for chrome of one row.
func oneRow([]row.Line) int { return 1 }

var cancelled = lazy.Regexp(`^[ℹ ]*Request cancelled`)

// spokenChrome is what is below the conversation.
var spokenChrome = inkcli.Chrome{Composer: spokenInput, Status: func(l row.Line) bool { return spokenStatus(l.Text) },
	Dialog: inkcli.Question(lazy.Regexp(` 1\. Allow once$`))}

// spokenRows is the maximum number of rows of the composer at the end of the screen.
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
func spokenStatus(text string) bool {
	text = strings.TrimSpace(text)
	return spokenBegins(text) || spokenHints().MatchString(text)
}

var spokenHints = lazy.Regexp(`^(?:YOLO|auto-accept|Shift\+Tab|Initializing)|\(esc to cancel|\? for shortcuts$| to ` +
	`toggle\)$`)

// inner returns an item's lines without the label and the given number of columns after it.
func inner(lines []row.Line, label int) []row.Line {
	ls := slices.Clone(lines)
	ls[0] = row.CutLine(ls[0], label, -1)
	ls[0].Cols += label
	return ls
}

// whole is the right margin of finished items, whose lines Gemini never wraps.
const whole = -1 << 20

// spokenStyle returns how the item that begins at a line is drawn. grows reports whether it is
// incomplete, because chrome is above it.
func spokenStyle(p *chat.Parser, first int) (style markdown.Style, grows bool) {
	grows = slices.ContainsFunc(p.Lines[p.Above().End:first], row.Filled)
	style = markdown.Style{CodeTabs: true, Item: spokenItem, Marks: spokenMarks, Heading: spokenHeading}
	if !grows {
		style.Right = whole
	}
	return style, grows
}

// isCommand reports whether a prompt is a command.
func isCommand(l row.Line) bool { return inkcli.IsSlash(strings.TrimSpace(l.Text[len(userLabel):])) }

// commandRows returns the number of rows of a command. Its output is below them.
func commandRows(lines []row.Line) int { return 1 + row.Run(lines[1:], row.IsWrapped) }

// spokenPrompt parses what the user typed.
func spokenPrompt(p *chat.Parser, first, end int) {
	style, _ := spokenStyle(p, first)
	sign, text := byte('>'), markdown.Prompt(inner(p.Lines[first:end], len(userLabel)+2), &style)
	if command, ok := strings.CutPrefix(text, "!"); ok {
		sign, text = '!', strings.TrimSpace(command)
	}
	inkcli.Typed(p, sign, text, first, end)
}

// spokenReply parses a reply.
func spokenReply(p *chat.Parser, first, end int) {
	style, grows := spokenStyle(p, first)
	ls := inner(p.Lines[first:end], len(modelLabel)+2)
	if !grows {
		ls = apart(ls)
	}
	inkcli.AddReply(p, inkcli.Reply(ls, style, vterm.Color{}, false), first, end)
}

// spokenHeading recognises a heading by its colour, a blue in all of Gemini's own themes.
func spokenHeading(l *markdown.Line) int {
	c := l.First().Fg
	if c.B > c.G && c.G > c.R && !strings.Contains(l.Text, "://") && l.All(func(s vterm.Style) bool { return s.Fg == c }) {
		return 2
	}
	return 0
}

// spokenMarks recognises code by the accent colour, a purple in all of Gemini's own themes.
func spokenMarks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if c := s.Fg; c.B > c.G && c.R > c.G {
		m |= row.MarkCode
	}
	return m
}

// spokenItem parses a list item, whose marker is followed by two blanks.
func spokenItem(l *markdown.Line) (markdown.Item, bool) {
	if !strings.Contains(l.Text[:min(len(l.Text), 12)], "  ") {
		return markdown.Item{}, false
	}
	return markdown.ListItem(l)
}

// apart restores the blank lines between paragraphs, lists, code, tables and quotes.
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
var spokenKinds = []func() *regexp.Regexp{lazy.Regexp(`^ *([-*+•]|\d+[.)])  `), lazy.Regexp(`^[1-9]\d*( |$)`),
	lazy.Regexp(`^[┌│├└]`), lazy.Regexp(`^>`)}

// spokenTool parses a call: its name, its input, and its output up to the next label. The input may
// continue on the next line, in the same style.
func spokenTool(lines []row.Line) *session.Tool {
	label, below := row.FirstWord(lines[0].Text), 1
	t := inkcli.Named(lines[0], row.Width(label)+1)
	t.Status = toolLabels[label]
	if t.Name != "" {
		below += row.Run(lines[1:], inkcli.DrawnIn(lines[0].Runs[len(lines[0].Runs)-1].Style))
		_, input, _ := strings.Cut(markdown.Verbatim(lines[:below], 0), t.Name)
		t.Input = inkcli.Input(strings.TrimSpace(input))
	} else { // it has one line: "Edit  main.go → Accepted (+1, -1)"
		t.Name, t.Input, _ = strings.Cut(t.Input, "  ")
		cutResult(t)
	}
	inkcli.Output(t, lines[below:], 0)
	t.Output = strings.TrimSpace(t.Output)
	return t
}
