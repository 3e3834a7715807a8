package claude

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// For screen readers Claude Code draws on the main screen without boxes, glyphs and styles. Labels
// say who speaks: "you: ", "claude: ", "tool: ". All else begins in column 0. A row of a table is a
// sentence: "Step: before. Time: 14 s." The input is the last row and begins with a dollar sign.

// The labels of prompts, replies, thinking and calls.
const (
	youLabel      = "you: "
	claudeLabel   = "claude: "
	thinkingLabel = "thinking: "
	toolLabel     = "tool: "
	failedLabel   = "tool error: "
)

// spokenWelcome says that the mode is on, if it is the first, and the version, the model and the
// folder in rows of their own.
var spokenWelcome = func() chat.Welcome {
	rows := title + `(?P<version>\d+\.\d+\.\d+)\n(?P<model>[^\n]+?)(?: · [^\n]*)?\n(?P<cwd>[~/][^\n]*)\n`
	return chat.Welcome{
		Begins: func(text string) bool { return row.Starts(text, "[Screen Reader Mode: on", title) },
		Titles: []string{title},
		Forms: []chat.Form{
			{Text: lazy.Regexp(`^\[Screen Reader Mode: on[^\n]*\]\n` + rows)},
			{Text: lazy.Regexp(`^` + rows), Mono: true},
		},
	}
}()

// spoken is the look for screen readers.
func spoken() chat.Look {
	return chat.Look{
		Versions: "2.1-",
		Begins:   spokenWelcome.Begins, Banner: spokenWelcome.Banner, Box: spokenBox,
		Clears: func(l row.Line) bool {
			text, ok := strings.CutPrefix(l.Text, youLabel)
			return ok && clearing().MatchString(text)
		},
		Split: spokenSplit, Parse: spokenCells.Parse,
	}
}

var (
	// spokenInput matches the first row of the input. A hard blank follows the sign once something
	// is typed.
	spokenInput = lazy.Regexp(`^[$!](?:\x{a0}|$)`)
	// spokenChoice matches the last row of a dialog.
	spokenChoice = lazy.Regexp(`^(?:Select with numbers \[|Enter text for option ).*: `)
	// spokenMode matches the row between the conversation and the input.
	spokenMode = lazy.Regexp(`\(shift\+tab to cycle\)|esc to interrupt$|^\? for shortcuts|^[a-z ']+ on$| · /effort$`)
	// spokenSpinner matches what is said while a turn runs: "Calculating…".
	spokenSpinner = lazy.Regexp(`^\p{Lu}[\pL'’-]*…(?: \(.*\))?$`)
	// spokenMenu matches a row of the menu of commands and files.
	spokenMenu = lazy.Regexp(`^[/@+]\S+(?: {2,}|$)|^ {12,}\S`)
	// spokenEnd matches what is written below a turn: "Worked for 3s · done 6:59 AM".
	spokenEnd = lazy.Regexp(`^\p{Lu}[\pL'’-]+ for (?:\d+[hms] ?)+(?:$|· )`)
	// spokenStop matches the note that the user stopped a turn.
	spokenStop = lazy.Regexp(`^(?:Interrupted(?: by user)? · |\[Request interrupted by user)`)
)

// maxSpokenChrome is how many rows a spinner and its tip have at most.
const maxSpokenChrome = 8

// spokenSplit finds the input or a dialog, where the cursor is, and goes up over rows of chrome.
func spokenSplit(s chat.Screen) chat.Split {
	lines := s.Lines[:min(s.CursorY+1, len(s.Lines))]
	if len(lines) == 0 {
		return chat.Split{}
	}
	if spokenChoice().MatchString(lines[len(lines)-1].Text + " ") {
		if top := row.Last(lines, row.Prefixed("Permission Required: ")); top >= 0 {
			return chat.Split{OK: true, State: chat.StateAsking, Bottom: len(row.Trim(lines[:top]))}
		}
		if top := row.Last(lines, row.Prefixed("1. ")); top > 0 {
			return chat.Split{OK: true, State: chat.StateAsking, Bottom: len(row.Trim(lines[:top-1]))}
		}
	}
	top := row.Last(lines, row.Matching(spokenInput))
	if top < 0 || top == s.CursorY && lines[top].Text == "$" && s.CursorX > 1 {
		return chat.Split{}
	}
	bottom := len(row.Trim(lines[:top]))
	menu := spokenMenuTop(lines[:bottom])
	covered := menu < bottom // by a menu, which hides whether a turn runs
	bottom = len(row.Trim(lines[:menu]))
	sp := chat.Split{OK: true, State: chat.StateIdle}
	for bottom > 0 && spokenMode().MatchString(lines[bottom-1].Text) {
		if strings.HasSuffix(lines[bottom-1].Text, "esc to interrupt") {
			sp.State = chat.StateBusy
		}
		bottom--
	}
	sp.Bottom = bottom
	if at := spokenSpinnerAt(lines[:bottom]); at >= 0 && (covered || sp.State == chat.StateBusy) {
		sp.Bottom, sp.State = at, chat.StateBusy
	}
	return sp
}

// spokenMenuTop returns the first row of the menu of commands at the end of lines, or their number.
// Rows that are indented are no menu without a command above them.
func spokenMenuTop(lines []row.Line) int {
	n := len(lines)
	for n > 0 && spokenMenu().MatchString(lines[n-1].Text) {
		n--
	}
	return n + row.Run(lines[n:], row.Prefixed(" "))
}

// spokenSpinnerAt returns the row that says that a turn runs, at the end of lines but for a tip
// below it; -1 if there is none.
func spokenSpinnerAt(lines []row.Line) int {
	from := max(0, len(lines)-maxSpokenChrome)
	at := row.Last(lines[from:], row.Matching(spokenSpinner))
	if at < 0 || from+at+1 < len(lines) && !strings.HasPrefix(lines[from+at+1].Text, "Tip: ") {
		return -1
	}
	return from + at
}

// spokenBox is the input: what is typed begins behind the sign and two blanks.
func spokenBox(lines []row.Line) (chat.Box, bool) {
	lines = row.Trim(lines)
	top := row.Last(lines, row.Matching(spokenInput))
	if top < 0 {
		return chat.Box{}, false
	}
	return chat.Box{Rows: lines[top:], Left: 3, Right: -1}, true
}

// labelled returns the mark of a label.
func labelled(labels ...string) *chat.Mark { return &chat.Mark{Signs: labels} }

// spokenCells are what is said and done.
var spokenCells = chat.Cells{Agent: "claude", Cells: []chat.Cell{
	{Begin: labelled(youLabel), When: spokenCommand, Read: readSpokenCommand},
	{Rule: "prompt", Begin: labelled(youLabel), Read: func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
		return chat.Typed(said(lines, youLabel), &markdown.Style{})
	}},
	{Rule: "reply", Begin: labelled(claudeLabel), Read: func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
		return chat.Wrote(session.RoleAssistant, said(lines, claudeLabel), &spokenStyle)
	}},
	{Rule: "thinking", Begin: labelled(thinkingLabel), Read: func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
		return chat.Wrote(session.RoleThinking, said(lines, thinkingLabel), &spokenStyle)
	}},
	{Rule: "call", Begin: labelled(toolLabel, failedLabel), Add: spokenCall},
	{Rule: "group", Begin: &chat.Mark{Row: isSpokenGroup}, Add: spokenGroup},
	{Rule: "interrupted", Begin: &chat.Mark{Row: row.Matching(spokenStop)}, Add: func(p *chat.Parser, first, end int) {
		p.Interrupted(first, end, "interrupted")
	}},
	{Begin: &chat.Mark{Row: row.Matching(spokenEnd)}},
	{Begin: &chat.Mark{Row: row.Prefixed(title)}},
	{Rule: "rest of a reply", Headless: true, Role: session.RoleAssistant, Style: &spokenStyle},
}}

// spokenStyle is how replies are drawn.
var spokenStyle = markdown.Style{
	Marks: func(vterm.Style) row.Mark { return 0 }, Item: item, CodeBlanks: true,
	Code: spokenCode, Table: sentenceTable,
}

// spokenCode returns how many lines from the first are code. A table may follow without a blank
// line.
func spokenCode(ls []markdown.Line) int {
	end := markdown.UntilBlank(ls)
	for k := 1; k < end; k++ {
		if _, n := sentenceTable(ls[k:]); n > 0 {
			return code(append(slices.Clone(ls[:k]), markdown.Line{}))
		}
	}
	return code(ls)
}

// said returns the lines of a message without its label. Its first line keeps what it had room for.
func said(lines []row.Line, label string) []row.Line {
	ls := slices.Clone(lines)
	ls[0] = row.CutLine(ls[0], len(label), -1)
	return ls
}

// spokenCommand reports whether what the user sent is a command.
func spokenCommand(lines []row.Line, _ []chat.Item) bool {
	return commands().MatchString(strings.TrimPrefix(lines[0].Text, youLabel))
}

// readSpokenCommand reads a command, with what it printed. One that clears becomes no item.
func readSpokenCommand(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	text := strings.TrimPrefix(lines[0].Text, youLabel)
	if clearing().MatchString(text) {
		return chat.Item{}, false
	}
	return printed(session.RoleCommand, text, markdown.Verbatim(lines[1:], 0))
}

// isSpokenGroup reports whether a row sums up calls that are done: "Read 2 files (ctrl+o to
// expand)". No label is before it.
func isSpokenGroup(l row.Line) bool {
	if !strings.Contains(l.Text, " (ctrl+o ") {
		return false
	}
	parts, runs := partsOf(l.Text)
	return parts != nil && !runs
}

// spokenGroup reads such a row.
func spokenGroup(p *chat.Parser, first, end int) {
	p.Together(calls(p.Lines[first].Text), first, end, "group")
}

// calls returns the calls that a group's text sums up.
func calls(text string) (items []chat.Item) {
	parts, runs := partsOf(text)
	t := session.Tool{Status: session.ToolOK, Truncated: !runs}
	if runs {
		t.Status = session.ToolRunning
	}
	return partItems(parts, t)
}

// spokenCall reads a call: "tool: Write (notes/todo.md)" and what it printed, or a group that runs
// with its newest command or file below.
func spokenCall(p *chat.Parser, first, end int) {
	lines := p.Lines[first:end]
	label, status := toolLabel, session.ToolOK
	if strings.HasPrefix(lines[0].Text, failedLabel) {
		label, status = failedLabel, session.ToolError
	}
	text := lines[0].Text[len(label):]
	if parts, runs := partsOf(text); parts != nil {
		p.Together(groupItems(text, lines[1:], !runs && status == session.ToolError), first, end, "group")
		return
	}
	n := 1 // number of rows of the call, up to its closing bracket
	for n < len(lines) && strings.Contains(text, " (") && !strings.HasSuffix(lines[n-1].Text, ")") {
		n++
	}
	if n == len(lines) && !strings.HasSuffix(lines[n-1].Text, ")") {
		n = 1
	}
	head := markdown.Prompt(said(lines[:n], label), &markdown.Style{})
	name, input, _ := strings.Cut(head, " (")
	t := &session.Tool{Name: strings.TrimSpace(name), Input: strings.TrimSuffix(input, ")"), Status: status}
	t.Output, t.Truncated = outputText(lines[n:], 0)
	if strings.HasSuffix(t.Output, "…") && !strings.Contains(t.Output, "\n") && status == session.ToolOK {
		t.Output, t.Status = "", session.ToolRunning
	}
	if row.Starts(t.Output, rejections...) {
		t.Status = session.ToolRejected
	}
	p.Add(did(t), first, end, "call")
}

// groupItems returns the calls of a group. below are the rows with its newest command or file.
func groupItems(text string, below []row.Line, failed bool) []chat.Item {
	items := calls(text)
	if hint := markdown.Verbatim(below, 0); hint != "" && len(items) > 0 {
		t := *items[0].Tool
		t.Name, t.Input = hinted(t.Name, hint)
		items = []chat.Item{did(&t)}
	}
	if failed && len(items) == 1 {
		items[0].Tool.Status = session.ToolError
	}
	return items
}

// fieldHead matches the head of a field in a sentence.
var fieldHead = lazy.Regexp(`(?:^|[.!?…]["')\]]* )([^.:!?…]{1,60}): `)

// sentenceTable reads a table whose rows are sentences with the same heads: "Step: before. Time:
// 14 s." Empty cells are left out of them.
func sentenceTable(ls []markdown.Line) (rows [][]markdown.Cell, n int) {
	heads := tableHeads(ls)
	if len(heads) < 2 {
		return nil, 0
	}
	rows = [][]markdown.Cell{cellsOf(heads)}
	for {
		text, k := sentence(ls[n:])
		cells := fields(text, heads)
		if cells == nil {
			return rows, n
		}
		rows = append(rows, cellsOf(cells))
		n += k
	}
}

// tableHeads returns the heads that the sentence in the first lines has in common with one below.
func tableHeads(ls []markdown.Line) []string {
	first, n := sentence(ls)
	heads := fieldHeads(first)
	if len(heads) < 2 || !strings.HasPrefix(first, heads[0]+": ") {
		return nil
	}
	var others []string
	for n < len(ls) {
		text, k := sentence(ls[n:])
		if !strings.HasPrefix(text, heads[0]+": ") {
			break
		}
		others = append(others, fieldHeads(text)...)
		n += k
	}
	return slices.DeleteFunc(heads, func(h string) bool { return !slices.Contains(others, h) })
}

// sentence returns the line that begins the first of ls, with the lines that the agent wrapped, and
// how many they are.
func sentence(ls []markdown.Line) (text string, n int) {
	if len(ls) == 0 || ls[0].Blank() || ls[0].Indent > 0 {
		return "", 0
	}
	lk := markdown.Style{}
	n = 1
	for n < len(ls) && !ls[n].Blank() && lk.SeamOf(&ls[n-1], &ls[n], 0) != markdown.SeamBreak {
		n++
	}
	var parts []string
	for _, l := range lk.Unwrap(ls[:n], 0) {
		parts = append(parts, row.Text(l))
	}
	return strings.Join(parts, " "), n
}

// fieldHeads returns the heads of the fields in a sentence.
func fieldHeads(text string) (heads []string) {
	for _, m := range fieldHead().FindAllStringSubmatch(text, -1) {
		heads = append(heads, m[1])
	}
	return heads
}

// fields parts a sentence at the heads; nil if it does not begin with one of them, or has one only.
func fields(text string, heads []string) []string {
	cells, at, found := make([]string, len(heads)), -1, 0
	rest := text
	for i, h := range heads {
		sign := " " + h + ": "
		if at < 0 {
			sign = sign[1:]
		}
		before, after, ok := strings.Cut(rest, sign)
		if !ok || at < 0 && before != "" {
			continue
		}
		if at >= 0 {
			cells[at] = strings.TrimSuffix(before, ".")
		}
		at, rest = i, after
		found++
	}
	if found < 2 {
		return nil
	}
	cells[at] = strings.TrimSuffix(rest, ".")
	return cells
}

// cellsOf returns texts as a row of a table.
func cellsOf(texts []string) (cells []markdown.Cell) {
	for _, t := range texts {
		cells = append(cells, markdown.Cell{{Text: t, Width: row.Width(t)}})
	}
	return cells
}
