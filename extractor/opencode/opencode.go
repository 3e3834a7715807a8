// Package opencode reads opencode, and Kilo, which descends from it.
package opencode

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Agent returns opencode (opentui: on the alternate screen, each cell painted). A welcome with a
// logo and the version in the last row; then blocks below each other: prompts and tool output are
// right of a thick bar in column 2 on a panel with its own colour, replies from column 5 on without
// a panel, a "▣" line ends each turn; below is the input box with its own bar, which ends with
// "╹▀▀▀".
func Agent() *chat.Agent { return agent("opencode", "opencode", "1.0-", &welcome) }

// Kilo returns Kilo CLI, which draws like opencode but for its logo.
func Kilo() *chat.Agent { return agent("kilo", "Kilo CLI", "7.7-", &kiloWelcome) }

// agent returns an agent that draws like opencode.
func agent(name, title, versions string, w *chat.Welcome) *chat.Agent {
	c := cells(&standard)
	return &chat.Agent{
		Name: name, Title: title, Usage: usage,
		Resume: chat.ResumedBy(name, []string{"--session", chat.ResumeID}, `ses_[0-9A-Za-z]{10,60}`,
			name+` (?:-s|--session) `, "--session", "-s"),
		Send: &chat.Sending{Interrupt: []string{"\x1b", "\x1b"}, Typed: true, Completes: true,
			Folds: []string{"[Pasted ~"}},
		Looks: []chat.Look{{
			Versions: versions,
			Begins:   w.Begins, Banner: w.Banner, Split: split, Box: inputBox,
			Parse: func(lines []row.Line) []chat.Item { return parse(c, lines) },
		}},
	}
}

// usage is shown below the prompt: the cost, and the size of the last request's context.
var usage = []chat.Usage{{
	Row:  lazy.Regexp(`\s(?P<total>` + chat.Figure + `) \(\d+%\)(?: · \$(?P<cost>[\d.]+))?(?:\s|$)`),
	Last: true,
}}

const (
	logo   = "█▀▀█ █▀▀█ █▀▀█ █▀▀▄"
	kilo   = "██  ██ ██🬺🬏   ██  ██"
	bar    = "  ┃"
	ending = "     ▣" // of a turn
	left   = 5        // column at which text begins
	right  = 3        // columns that text leaves free at the right
)

// welcome extends from the logo's second row to the last row, which contains the directory and the
// version; the model is between them.
var welcome, kiloWelcome = welcomeOf(logo, "Build"), welcomeOf(kilo, "Code ")

// welcomeOf returns the welcome with a logo and the name of the mode that it begins in.
func welcomeOf(logo, mode string) chat.Welcome {
	return chat.Welcome{
		Most:   2000,
		Begins: func(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), logo) },
		Titles: []string{logo},
		Forms: []chat.Form{{Text: lazy.Regexp(`^.*\n(?:.*\n)*?(?: *┃  ` + mode + ` · (?P<model>.*)\n(?:.*\n)*?)? ` +
			`*(?P<cwd>\S+)(?: .*)? (?P<version>\d+\.\d+\.\d+)\n`)}},
	}
}

// cells are the blocks of a conversation.
func cells(t *theme) *chat.Cells {
	call := chat.First(t.call)
	rows, style := t.replyRows, t.style()
	panel := chat.Mark{Col: 2, Signs: []string{"┃"}}
	return &chat.Cells{Agent: "opencode", Ended: ended, Cells: []chat.Cell{
		{Begin: &logoTop, Rows: logoRows},
		{Rule: "tool", Begin: &panel, When: chat.First(toolBar), Rows: panelRows, Read: readPanel},
		{Rule: "notice", Begin: &panel, When: t.notice, Rows: panelRows, Role: session.RoleSystem, Style: panelStyle},
		{Rule: "user", Begin: &panel, Rows: panelRows, Read: readPrompt},
		{Begin: &chat.Mark{Text: chrome().MatchString}, Rows: func([]row.Line) int { return 1 }},
		{Rule: "call", When: call, Rows: t.callRows, Read: readCall},
		{Rule: "reply", Headless: true, When: chat.First(row.Filled), Rows: rows, Role: session.RoleAssistant, Style: style},
		{Rule: "reply", When: chat.First(row.Filled), Rows: rows, Role: session.RoleAssistant, Style: style},
	}}
}

// parse parses the items in lines. No row continues the previous one, even if the terminal says so:
// a frame that was painted for a wider window wraps, and the next one is painted over it.
func parse(c *chat.Cells, lines []row.Line) []chat.Item {
	if t := themeOf(lines); t != standard {
		c = cells(&t)
	}
	lines = slices.Clone(lines)
	for i := range lines {
		if unpainted(lines, i) {
			lines[i].Lost = true
		}
		if next := row.SkipBlank(lines, i+1); running(lines[i]) && next < len(lines) && lines[next].Lost {
			lines[i] = row.Line{Row: &vterm.Row{}} // the turn continued out of sight
		}
		if lines[i].Wrapped {
			r := *lines[i].Row
			r.Wrapped = false
			lines[i].Row = &r
		}
	}
	return c.Parse(lines)
}

// ended reports whether a row below a reply shows that the reply is complete. Any row does except
// that of its turn, which has no time while the reply is written.
func ended(l row.Line) bool { return l.Text != "" && !running(l) }

// took matches how long a turn took, or that it was interrupted, at the end of the row below it.
var took = lazy.Regexp(` · ([0-9.hms ]+|interrupted)$`)

// running reports whether a row is that of a running turn, which has no time yet.
func running(l row.Line) bool {
	return strings.HasPrefix(l.Text, ending) && !took().MatchString(l.Text)
}

// unpainted reports whether the rows above line i belong to a reply that was not painted yet when
// they left the window: blocks are separated by one blank row, never more.
func unpainted(lines []row.Line, i int) bool {
	if row.Indent(lines[i].Text) != left {
		return false
	}
	above := row.LastAbove(lines[:i], row.Prefixed(bar, ending), row.Filled)
	return above >= 0 && above < i-2
}

// chrome matches the end of a turn, the row of a call whose input is still written, in grey or not,
// the one of a model that thinks, the one that says how long it thought, with what it thought
// folded up or not, and the keys that lead to a subagent.
var chrome = lazy.Regexp(`^     (?:▣|[⠁-⣿] (?:Thinking\b|[A-Z][a-z]+ing [a-z ]+(?:…|\.\.\.)$)|` +
	`~ [A-Z][a-z]+ing\b.*(?:…|\.\.\.)$|[+-] Thought: ` +
	`.*\d(?:ms|[smh])$|(?:ctrl|alt|shift)\+\S+(?: \S+)? view subagents$)`)

var logoTop = chat.Mark{Text: func(text string) bool { return welcome.Begins(text) || kiloWelcome.Begins(text) }}

// logoRow matches a row of the logo, or a blank one.
var logoRow = lazy.Regexp(`^[█▀▄🬀-🬻 ]*$`)

// logoRows returns the number of rows of the welcome, or of one that was wiped before the
// conversation began.
func logoRows(lines []row.Line) int {
	return max(welcome.Rows(lines), kiloWelcome.Rows(lines), row.Run(lines, row.Matching(logoRow)))
}

// replyRows returns the number of rows of a reply: text from column 5 on, or blank.
func (t *theme) replyRows(lines []row.Line) int {
	return row.Run(lines, func(l row.Line) bool {
		return l.Text == "" || row.Indent(l.Text) >= left && !chrome().MatchString(l.Text) && !t.call(l)
	})
}

// spinner is before a call that runs; signs are the signs before other calls that have no panel: a
// file read or written, a search, a page, a command, any other tool, a subagent. below are the rows
// below a call that belong to it: its input goes on, or what the subagent does or has done.
var (
	spinner = lazy.Regexp(`^[⠁-⣿] `)
	signs   = lazy.Regexp(`^(?:[→←✱⚙%◇◈$] |│ (\S+ Task — ))`)
	below   = lazy.Regexp(`^     (?:  |[└↳] )`)
)

// call reports whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go",
// "← Edit main.go", in grey.
func (t *theme) call(l row.Line) bool {
	text, ok := strings.CutPrefix(l.Text, "     ")
	return ok && (spinner().MatchString(text) || t.subdued(l.StyleAt(left)) && signs().MatchString(text))
}

// callRows returns the number of rows of a call without a panel. An error is below it in red.
func (t *theme) callRows(lines []row.Line) int {
	n := 1 + row.Run(lines[1:], func(l row.Line) bool {
		return below().MatchString(l.Text) && t.subdued(l.StyleAt(row.Indent(l.Text)))
	})
	return n + row.Run(lines[n:], red)
}

// red reports whether a row is red.
func red(l row.Line) bool { return row.Red(l.StyleAt(row.Indent(l.Text)).Fg) }

// readCall parses a call without a panel: a sign, the tool's name and its input.
func readCall(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	n := row.Run(lines, row.Not(red))
	t := toolOf(joined(lines[:n], " "))
	if t.Output = joined(lines[n:], "\n"); t.Output != "" {
		t.Status = session.ToolError
	}
	return chat.Called(t), true
}

// joined returns the texts of rows with a separator between them.
func joined(lines []row.Line, sep string) string {
	var texts []string
	for _, l := range lines {
		texts = append(texts, strings.TrimSpace(l.Text))
	}
	return strings.Join(texts, sep)
}

// toolOf parses a tool call: "$ ls", "→ Read main.go". It is running if a spinner precedes it.
func toolOf(call string) *session.Tool {
	t := &session.Tool{Status: session.ToolOK}
	if spinner().MatchString(call) {
		t.Status, call = session.ToolRunning, spinner().ReplaceAllString(call, "")
	}
	if command, shell := strings.CutPrefix(call, "$ "); shell {
		t.Name, t.Input = "Bash", command
	} else {
		t.Name, t.Input, _ = strings.Cut(signs().ReplaceAllString(call, "$1"), " ")
	}
	return t
}

// panelStyle describes how text is drawn on a panel.
var panelStyle = &markdown.Style{Left: left, Right: right, Seam: seam}

// readPrompt parses a prompt, without what has another background below it: the names of files, and
// that the prompt is queued.
func readPrompt(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	badge := func(l row.Line) bool { return l.StyleAt(left).Bg != l.StyleAt(left-1).Bg }
	return chat.Typed(slices.DeleteFunc(slices.Clone(lines), badge), panelStyle)
}

// toolBar reports whether a row's bar has the colour of the background.
func toolBar(l row.Line) bool { return l.StyleAt(2).Fg == l.StyleAt(0).Bg }

// panelRows returns the number of rows right of bars of the same kind.
func panelRows(lines []row.Line) int {
	tool := toolBar(lines[0])
	return row.Run(lines, func(l row.Line) bool { return strings.HasPrefix(l.Text, bar) && toolBar(l) == tool })
}

// Texts in panels: title is the model's description of a command; fold says that the output is
// folded, or can be; begun is a beginning of a panel that is unlikely in output.
var (
	title = lazy.Regexp(`^(?:# |([⠁-⣿] ))(?:.+\n)+\n(\$ )`)
	fold  = lazy.Regexp(`\n*…?\n*Click to (expand|collapse)$`)
	begun = lazy.Regexp(`^(?:[$#]|[⠁-⣿]) `)
)

// readPanel parses a tool's block: a command, maybe below its title, with its output; otherwise the
// title says what was done. A block that begins without its blank row is the rest of the one above,
// whose end was not in the window, or its action was shown while it ran.
func readPanel(lines []row.Line, earlier []chat.Item) (chat.Item, bool) {
	text := markdown.Prompt(lines, panelStyle)
	note := fold().FindString(text)
	folded := strings.HasSuffix(note, "expand")
	text = strings.TrimSuffix(text, note)
	cut := strings.TrimSpace(strings.TrimPrefix(lines[0].Text, bar)) != ""
	if it := chat.Last(earlier); cut && it.Rule == "opencode tool" {
		it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+text, "\n")
		it.Tool.Truncated, it.Tool.Status, it.Open = folded, session.ToolOK, false
		return chat.Item{End: len(lines)}, false
	}
	if cut && !begun().MatchString(text) {
		return chat.Called(&session.Tool{Name: "Bash", Output: text, Truncated: folded, Status: session.ToolOK}), true
	}
	head, output, _ := strings.Cut(strings.TrimPrefix(title().ReplaceAllString(text, "$1$2"), "# "), "\n\n")
	t := toolOf(head)
	t.Output, t.Truncated = strings.Trim(output, "\n"), folded
	if t.Status == session.ToolRunning && t.Name != "Bash" { // only commands are shown while they run
		t.Name, t.Input = "Bash", strings.TrimSpace(t.Name+" "+t.Input)
	}
	return chat.Called(t), true
}

// parted matches the end of a line and the word below it if they may be one word that was cut after
// a mark: in a path, an address or a file's name, or after a hyphen that is not a dash. cjkParted
// matches Chinese or Japanese that was cut after its punctuation.
var (
	parted    = lazy.Regexp(`(?:[/\\(\[{] \S+|[\pL\p{Nd}](?:- \S+|[.?] [\p{Ll}\p{Nd}]\S*))$`)
	cjkParted = lazy.Regexp(`[，。、；：！？] [\p{Han}\p{Hiragana}\p{Katakana}]\S*$`)
)

// seam returns how lines were wrapped. In text, a painted blank shows it, at the end of a row, or
// at the start of the next one if the row is full; without one, the row was cut after a mark. In
// the cells of tables, nothing shows it.
func seam(a, b *markdown.Line, hang int) (markdown.Seam, bool) {
	free := a.Room - a.Width
	switch word := row.FirstWord(b.Text); {
	case a.Spaced && row.Width(unit(word)) < free:
		return markdown.SeamBreak, true // a blank written by the author
	case a.Spaced:
		return markdown.SeamSpace, true
	case cjkParted().MatchString(a.Text + " " + word):
		return markdown.SeamNone, row.Width(word) >= free
	case a.Cell:
		return cutSeam(a, b, hang)
	case free < row.Width(string(row.FirstRune(word))) && b.Indent == hang && endsInCut(a):
		if oneWord(a, b, row.FirstRune(word)) {
			return markdown.SeamNone, true
		}
		return markdown.SeamBreak, true
	case free < row.Width(string(row.FirstRune(word))):
		return markdown.SeamNone, b.Indent == hang && !apart(a, b, hang)
	case isCut(a, b):
		return markdown.SeamNone, true
	}
	return markdown.SeamBreak, a.Bare
}

// apart reports whether a full line and the one below it are separate words, which the author has
// put on two lines: a word that fits on a line is never cut between letters.
func apart(a, b *markdown.Line, hang int) bool {
	last, word := row.LastWord(a.Text), row.FirstWord(b.Text)
	return words().MatchString(last+" "+word) && !markdown.Unspaced(a, b) && row.Width(last+word) <= a.Room-hang
}

// words matches two words, or the two parts of one.
var words = lazy.Regexp(`[\pL\pM\p{Nd}] \pL\S*$`)

// cuts are the marks after which the renderer wraps a line (OpenTUI's word wrap). It also wraps
// between Chinese or Japanese and ASCII.
const cuts = `/\()[]{}.,;:!?-`

// endsInCut reports whether a line ends with a mark after which lines are wrapped.
func endsInCut(l *markdown.Line) bool { return strings.Contains(cuts, l.Text[len(l.Text)-1:]) }

// unit returns the beginning of a word that is never wrapped.
func unit(word string) string {
	above := rune(0)
	for i, r := range word {
		if asian(above) && ascii(r) || ascii(above) && asian(r) {
			return word[:i]
		}
		if strings.ContainsRune(cuts, r) {
			return word[:i+1]
		}
		above = r
	}
	return word
}

// asian reports whether a character belongs to Chinese, Japanese or Korean; ascii whether it
// belongs to a word in ASCII.
func asian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
func ascii(r rune) bool { return r < unicode.MaxASCII && (markdown.WordRune(r) || r == '_') }

// isCut reports whether a line was cut after a mark, or between two scripts: what is below had no
// room, and probably belongs to the same word.
func isCut(a, b *markdown.Line) bool {
	word := row.FirstWord(b.Text)
	return row.Width(unit(word)) > a.Room-a.Width && oneWord(a, b, row.FirstRune(word))
}

// oneWord reports whether a line and the one below it, which begins with next, may be parts of one
// word that was cut after a mark: a mark that does not end a phrase, or both parts have a colour.
func oneWord(a, b *markdown.Line, next rune) bool {
	last, size := utf8.DecodeLastRuneInString(a.Text)
	word := row.LastWord(a.Text)
	before, _ := utf8.DecodeLastRuneInString(word[:len(word)-size])
	switch end := a.StyleOf(len(a.Text) - 1); {
	case !strings.ContainsRune(cuts, last):
		return asian(last) && ascii(next) || ascii(last) && asian(next)
	case end.Fg == b.First().Fg && !row.Plain(end.Fg):
		return true
	case strings.ContainsRune(`([{/\`, last):
		return true
	case last == '-':
		return word != "-" && word != "--" || unicode.IsDigit(next)
	case last == '.' && !unicode.IsUpper(next):
		return true
	case last == ',':
		return unicode.IsDigit(before) && unicode.IsDigit(next)
	case markdown.WordRune(next):
		return inner().MatchString(word[:len(word)-size]) && !strings.ContainsRune(")]}", last) && !unicode.IsUpper(next)
	}
	return !strings.ContainsRune(`"'“‘(`, next)
}

// inner matches a mark that occurs within words only in names, addresses and code.
var inner = lazy.Regexp(`[\pL\pN][./_:@=][\pL\pN/]`)

// cutSeam returns the seam for a word that was cut after a mark, if no blank is painted.
func cutSeam(a, b *markdown.Line, _ int) (markdown.Seam, bool) {
	if !parted().MatchString(a.Text + " " + row.FirstWord(b.Text)) {
		return 0, false
	}
	return markdown.CutBehind(a, b, `/\([{.?-`, 2)
}
