package render

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// Terminal formats entries for a terminal. It removes control characters from them.
type Terminal struct {
	Width    int  // columns; 0: lines are not wrapped
	Color    bool // use SGR sequences
	Tools    bool // show tool input and output, not only the names of tools
	Thinking bool
	Events   bool
}

// SGR parameters (ECMA-48, 8.3.117).
const (
	sgrBold   = "1"
	sgrDim    = "2"
	sgrItalic = "3"
	sgrLine   = "4"
	sgrStrike = "9"
	sgrRed    = "31"
	sgrGreen  = "32"
	sgrYellow = "33"
	sgrBlue   = "34"
	sgrPurple = "35"
	sgrCyan   = "36"
)

// roleColors are the colours of the speakers.
var roleColors = map[string]string{
	session.RoleUser: "1;32", session.RoleAssistant: "1;35", session.RoleTool: sgrCyan, session.RoleThinking: sgrDim,
	session.RoleCommand: sgrBlue, session.RoleShell: sgrYellow, session.RoleSystem: sgrDim,
}

func (t *Terminal) paint(code, text string) string {
	if !t.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[m"
}

// Head returns the lines above a session's conversation.
func (t *Terminal) Head(s *session.Session, more ...[2]string) string {
	var b strings.Builder
	b.WriteString(t.paint(sgrYellow, "session "+printable.Text(s.ID)) + "\n")
	facts := []fact{{name: "Title", value: titleOf(s)}}
	for _, f := range factsOf(s)[1:] {
		facts = append(facts, fact{name: f.name, value: localTimes(f, s)})
	}
	for _, m := range more {
		facts = append(facts, fact{name: m[0], value: printable.Line(m[1])})
	}
	for _, f := range facts {
		b.WriteString(t.wrap(fmt.Sprintf("%-9s", f.name+":")+f.value, strings.Repeat(" ", 9)) + "\n")
	}
	return b.String()
}

// localTimes returns a fact's value with its times converted to the local time zone.
func localTimes(f fact, s *session.Session) string {
	const local = "Mon 2006-01-02 15:04:05"
	switch f.name {
	case "Started":
		return s.StartedAt.Local().Format(local)
	case "Ended":
		return s.EndedAt.Local().Format(local) + strings.TrimPrefix(f.value, s.EndedAt.UTC().Format(date))
	}
	return f.value
}

// Entry returns one entry with an empty line above it, or "" if the entry is not shown.
func (t *Terminal) Entry(e *session.Entry) string {
	if e.Type == session.TypeEvent {
		return t.event(e)
	}
	if e.Role == session.RoleThinking && !t.Thinking {
		return ""
	}
	speaker := e.Role
	if e.Role == session.RoleAssistant && e.Agent != "" {
		speaker = e.Agent
	}
	head := t.paint(sgrDim, fmt.Sprintf("#%d ", e.Seq)) + t.paint(roleColors[e.Role], printable.Line(speaker))
	if e.Role == session.RoleTool {
		return "\n" + t.tool(head, e)
	}
	head += t.paint(sgrDim, " "+e.At.Local().Format(clock))
	if e.Cwd != "" {
		head += t.paint(sgrDim, " "+printable.Line(e.Cwd))
	}
	blocks := []string{head}
	for _, block := range t.blocks(e) {
		if block = strings.Trim(block, "\n"); block != "" {
			blocks = append(blocks, indentBy(block, "  "))
		}
	}
	return "\n" + strings.Join(blocks, "\n") + "\n"
}

// Lines formats output as it is shown below the command of a shell message.
func (t *Terminal) Lines(text string) string { return indentBy(t.plain(text), "  ") + "\n" }

// Status returns a line about how a message's command ended, or "" if it ended normally.
func (t *Terminal) Status(e *session.Entry) string {
	status := statusText(e)
	if status == "" {
		return ""
	}
	return indentBy(t.paint(sgrDim, status), "  ") + "\n"
}

// blocks returns the parts below a message's head.
func (t *Terminal) blocks(e *session.Entry) []string {
	var out []string
	switch e.Role {
	case session.RoleAssistant, session.RoleThinking:
		out = append(out, t.markdown(printable.Text(firstOf(e.Markdown, e.Text))))
	case session.RoleShell:
		out = append(out, t.paint(sgrBold, "$ "+printable.Text(e.Text)), t.plain(e.Output))
	case session.RoleSystem:
		out = append(out, t.paintLines(sgrDim, t.plain(e.Text)))
	default:
		out = append(out, t.plain(e.Text), t.plain(e.Output))
	}
	if status := statusText(e); status != "" {
		out = append(out, t.paint(sgrDim, status))
	}
	return out
}

// tool returns a tool call, on one line or completely.
func (t *Terminal) tool(head string, e *session.Entry) string {
	title, input := toolTitle(e)
	line := head + " " + title
	if status := toolStatus(e); status != "" {
		line += " " + t.paint(sgrRed, "("+status+")")
	}
	if t.Width > 0 {
		line = ansi.Truncate(line, t.Width, "…")
	}
	if !t.Tools {
		return line + "\n"
	}
	for _, part := range []string{input, toolOutput(e)} {
		if part = strings.TrimRight(printable.Text(part), "\n"); part != "" {
			line += "\n" + indentBy(t.diff(t.wrap(part, "")), "  "+t.paint(sgrDim, "│")+" ")
		}
	}
	if e.Tool != nil && e.Tool.Truncated {
		line += "\n  " + t.paint(sgrDim, "(the screen showed no more of it)")
	}
	return line + "\n"
}

// diff colours the lines that a diff adds and removes. Agents number such lines.
func (t *Terminal) diff(text string) string {
	lines := strings.Split(text, "\n")
	signs := diffSigns(lines)
	for i, line := range lines {
		switch signs[i] {
		case '+':
			lines[i] = t.paint(sgrGreen, line)
		case '-':
			lines[i] = t.paint(sgrRed, line)
		}
	}
	return strings.Join(lines, "\n")
}

// loud are the events that are shown even without events, because they separate conversations.
var loud = map[string]bool{session.EventNewSession: true, session.EventClear: true, session.EventInterrupted: true}

func (t *Terminal) event(e *session.Entry) string {
	text := eventText(e)
	if text == "" && t.Events {
		text = e.At.UTC().Format(clock) + " " + e.Event
	}
	text = strings.Replace(text, e.At.UTC().Format(clock), e.At.Local().Format(clock), 1)
	if text == "" || !t.Events && !loud[e.Event] {
		return ""
	}
	if t.Width > 0 {
		text = ansi.Truncate(text, max(1, t.Width-6), "…")
	}
	return "\n" + t.paint(sgrDim, "── "+text+" ──") + "\n"
}

// plain returns text with its line breaks.
func (t *Terminal) plain(text string) string {
	return t.wrap(strings.TrimRight(printable.Text(text), "\n"), "")
}

// paintLines colours each line separately, because a pager resets colours at the end of a line.
func (t *Terminal) paintLines(code, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = t.paint(code, line)
	}
	return strings.Join(lines, "\n")
}

// margin is the total indentation of messages, in columns.
const margin = 4

// wrap breaks lines between words. Continuation lines get the prefix.
func (t *Terminal) wrap(text, prefix string) string {
	text = untabbed(text)
	if t.Width == 0 {
		return text
	}
	width := max(10, t.Width-margin-ansi.StringWidth(prefix))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if ansi.StringWidth(line) > width {
			lines[i] = strings.Join(evenStyles(strings.Split(ansi.Wrap(line, width, ""), "\n")), "\n"+prefix)
		}
	}
	return strings.Join(lines, "\n")
}

// evenStyles ends each line's open styles at its end, and starts them again on the next line.
func evenStyles(lines []string) []string {
	open := ""
	for i, line := range lines {
		line = open + line
		if open = openStyles(line); open != "" {
			line += "\x1b[m"
		}
		lines[i] = line
	}
	return lines
}

// openStyles returns the styles that are on at the end of a line.
func openStyles(line string) (open string) {
	for {
		at := strings.Index(line, "\x1b[")
		if at < 0 {
			return open
		}
		line = line[at:]
		end := strings.IndexByte(line, 'm') + 1
		if open += line[:end]; line[:end] == "\x1b[m" {
			open = ""
		}
		line = line[end:]
	}
}

// indentBy puts prefix before each line, and removes spaces at the ends of lines.
func indentBy(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(lines, "\n")
}

// untabbed replaces tabs, whose width is unknown, by spaces.
func untabbed(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
