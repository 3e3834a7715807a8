package render

import (
	"html"
	"io"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// writeMarkdown writes a transcript as Markdown: the session as front matter, a heading for each
// speaker, tool calls and thinking folded in <details>, and events as one line in italics.
func writeMarkdown(w io.Writer, t *session.Transcript) error {
	var b strings.Builder
	b.WriteString(frontMatter(&t.Session))
	b.WriteString("\n# " + escape(headingOf(&t.Session)) + "\n")
	speaker := ""
	for _, e := range t.Entries {
		if e.Type == session.TypeEvent {
			if text := eventText(e); text != "" {
				b.WriteString("\n*" + escape(text) + "*\n")
				speaker = "" // repeat the heading for what follows
			}
			continue
		}
		if now := speakerOf(e, &t.Session); now != speaker {
			b.WriteString("\n## " + now + "\n")
			speaker = now
		}
		b.WriteString("\n" + markdownOf(e))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// frontMatter returns the session as YAML, which programs for notes and web pages parse. Strings
// are quoted as in JSON, of which YAML is a superset.
func frontMatter(s *session.Session) string {
	var b strings.Builder
	b.WriteString("---\n")
	line := func(name string, value any) {
		var text strings.Builder
		_ = newEncoder(&text).Encode(value) // strings and numbers cannot fail
		b.WriteString(name + ": " + text.String())
	}
	line("title", titleOf(s))
	for _, f := range []struct{ name, value string }{{"session", s.ID}, {"command", strings.Join(s.Command, " ")},
		{"folder", s.Cwd}} {
		if f.value != "" {
			line(f.name, printable.Text(f.value))
		}
	}
	if len(s.Agents) > 0 {
		agents := make([]string, len(s.Agents))
		for i, a := range s.Agents {
			agents[i] = agentOf(a.Name, a.Version, a.Model)
		}
		line("agents", agents)
	}
	if !s.StartedAt.IsZero() {
		b.WriteString("started: " + s.StartedAt.UTC().Format(time.RFC3339) + "\n")
	}
	if s.EndedAt != nil {
		b.WriteString("ended: " + s.EndedAt.UTC().Format(time.RFC3339) + "\n")
	}
	if s.ExitCode != nil {
		line("exit_status", *s.ExitCode)
	}
	return b.String() + "---\n"
}

// speakerOf returns the heading above an entry. Tool calls and thinking belong to the assistant.
func speakerOf(e *session.Entry, s *session.Session) string { return escape(speakerName(e, s)) }

func speakerName(e *session.Entry, s *session.Session) string {
	switch e.Role {
	case session.RoleUser:
		return "User"
	case session.RoleShell:
		return "Shell"
	case session.RoleCommand:
		return "Command"
	case session.RoleSystem:
		return "System"
	}
	if len(s.Agents) > 1 && e.Agent != "" {
		return "Assistant (" + printable.Line(e.Agent) + ")"
	}
	return "Assistant"
}

// markdownOf returns one message, including its last line end.
func markdownOf(e *session.Entry) string {
	var blocks []string
	switch e.Role {
	case session.RoleTool:
		blocks = append(blocks, toolFold(e))
	case session.RoleThinking:
		blocks = append(blocks, fold("Thinking", body(e)))
	case session.RoleShell:
		blocks = append(blocks, fence("console", "$ "+e.Text+"\n"+e.Output))
	case session.RoleCommand:
		blocks = append(blocks, codeSpan(printable.Line(e.Text)))
		if e.Output != "" {
			blocks = append(blocks, fence("text", e.Output))
		}
	case session.RoleSystem:
		blocks = append(blocks, fence("text", e.Text))
	default:
		blocks = append(blocks, body(e))
	}
	if status := statusText(e); status != "" {
		blocks = append(blocks, "*"+status+"*")
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

func toolFold(e *session.Entry) string {
	title, input := toolTitle(e)
	var parts []string
	if input != "" {
		parts = append(parts, fence("text", input))
	}
	if output := toolOutput(e); output != "" {
		parts = append(parts, fence("text", output))
	}
	if e.Tool != nil && e.Tool.Truncated {
		parts = append(parts, "*(the screen showed no more of it)*")
	}
	if len(parts) == 0 {
		parts = append(parts, "*(no output)*")
	}
	if status := toolStatus(e); status != "" {
		title += " (" + status + ")"
	}
	return fold(title, strings.Join(parts, "\n\n"))
}

// fold hides content behind a summary. The empty lines make Markdown of the content inside the HTML
// element.
func fold(summary, content string) string {
	return "<details>\n<summary>" + html.EscapeString(summary) + "</summary>\n\n" + content + "\n\n</details>"
}

// fence puts text in a code block whose fence is longer than any in the text.
func fence(language, text string) string {
	text = strings.TrimRight(printable.Text(text), "\n")
	mark := strings.Repeat("`", max(3, longestRun(text)+1))
	return mark + language + "\n" + text + "\n" + mark
}

// codeSpan puts text in a code span whose delimiter is longer than any run of backticks in the
// text.
func codeSpan(text string) string {
	mark := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		return mark + " " + text + " " + mark
	}
	return mark + text + mark
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) (longest int) {
	run := 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// escape makes text literal in a line of Markdown, but not at its beginning. A & is escaped only
// where a character reference would begin (CommonMark 6.2), and a > needs no escape inside a line.
func escape(text string) string {
	return escaper.Replace(reference().ReplaceAllString(text, "&amp;$1"))
}

var (
	reference = lazy.Regexp(`&(#?[0-9A-Za-z]+;)`)
	escaper   = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;")
)

// lowered is by how many levels a message's headings are lowered, to rank below the speaker's.
const lowered = 2

// body returns a message's own Markdown such that it cannot affect the rest of the document: its
// headings are lowered, and a code block that it leaves open is closed.
func body(e *session.Entry) string {
	text := e.Markdown
	if text == "" {
		text = e.Text
	}
	lines := strings.Split(strings.TrimRight(printable.Text(text), "\n"), "\n")
	open := "" // fence of the open code block
	for i, line := range lines {
		mark := fenceOf(line)
		switch {
		case open == "" && mark != "":
			open = mark
		case open != "" && closes(line, mark, open):
			open = ""
		case open == "" && isHeading(line):
			level := min(6, headingLevel(line)+lowered)
			lines[i] = strings.Repeat("#", level) + unlinked(strings.TrimLeft(line, "#"))
		case open == "":
			lines[i] = unlinked(line)
		}
	}
	if open != "" {
		lines = append(lines, open)
	}
	return strings.Join(lines, "\n")
}

// fenceOf returns the run of backticks or tildes that opens or closes a code block in a line.
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	for _, char := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, char)
		if n := len(text) - len(rest); n >= 3 && (char == "~" || !strings.Contains(rest, "`")) {
			return text[:n]
		}
	}
	return ""
}

// closes reports whether a line with the fence mark closes the code block that open opened.
func closes(line, mark, open string) bool {
	return strings.HasPrefix(mark, open) && strings.TrimSpace(line) == mark
}

func isHeading(line string) bool {
	n := headingLevel(line)
	return n >= 1 && n <= 6 && (len(line) == n || line[n] == ' ')
}

func headingLevel(line string) int { return len(line) - len(strings.TrimLeft(line, "#")) }
