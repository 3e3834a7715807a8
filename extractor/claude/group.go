package claude

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// Since 2.1.60 calls that only look, and later all but edits, collapse: while they run one line
// says so, with the newest call's command or file behind a corner (`● Reading 2 files, running 1
// shell command…`); when they are done the line is all that is left (`Read 2 files, ran 1 shell
// command (ctrl+o to expand)`). Each call is an item; of a running group only the one whose input
// is shown, of one that is done all, without their input.

// verbs are the words that a group's parts begin with, and the call each means.
var verbs = map[string]string{
	"reading": "Read", "read": "Read", "running": "Bash", "ran": "Bash", "listing": "List", "listed": "List",
	"searching": "Search", "searched": "Search", "finding": "Search", "found": "Search", "editing": "Update", "edited": "Update", "writing": "Write", "wrote": "Write",
	"created": "Write", "creating": "Write", "fetching": "Fetch", "fetched": "Fetch", "calling": "Call", "called": "Call", "querying": "Call", "queried": "Call", "used": "Call", "using": "Call",
	"recalling": "Recall", "recalled": "Recall", "loading": "Skill", "loaded": "Skill", "updated": "Update", "updating": "Update", "made": "Call", "making": "Call", "launched": "Task", "launching": "Task",
	"deleted": "Delete", "removed": "Delete", "committed": "Bash", "pushed": "Bash", "merged": "Bash", "rebased": "Bash", "checked": "Bash", "opened": "Bash",
	"thought": "", "thinking": "",
}

// claudePart is one part of a group's line: so many calls of a kind.
type claudePart struct {
	tool  string // "": thinking
	n     int
	input string // the MCP server that was called, else ""
}

// collapsed reports whether line i is a group of calls that are done: grey, from column 2 on.
func (p *parser) collapsed(i int) bool {
	l := p.lines[i]
	return row.Indent(l.Text) == 2 && allText(l.Row, greyOrRed) && claudeParts(p.collapsedText(i)) != nil
}

// collapsedText is a group's line without what is no word of it; empty where line i is none.
func (p *parser) collapsedText(i int) string {
	t := p.lines[i].Text
	if rest, ok := cutGlyph(t, dot, record); ok {
		t = rest
	}
	for k := i + 1; k < len(p.lines) && p.lines[k].Text != "" && !strings.Contains(t, "(ctrl+"); k++ {
		if row.Indent(p.lines[k].Text) < 2 && !p.lines[k].Wrapped {
			break
		}
		if _, ok := corner(p.lines[k]); ok {
			break
		}
		t += " " + strings.TrimSpace(p.lines[k].Text)
	}
	t, _, _ = strings.Cut(strings.TrimSpace(t), " (ctrl+")
	if claudeParts(t) == nil {
		return ""
	}
	return t
}

// claudeParts parts a group's line; nil where it is none: each part is a verb, a number and a noun.
func claudeParts(s string) []claudePart {
	s, _, _ = strings.Cut(s, " · ")
	s = strings.TrimSuffix(strings.TrimSpace(s), "…")
	var parts []claudePart
	for _, part := range strings.Split(s, ", ") {
		part = strings.TrimPrefix(part, "and ")
		w := strings.Fields(part)
		if len(w) < 2 {
			return nil
		}
		verb := strings.ToLower(w[0])
		if server, ok := claudeServer(w[1:]); ok && calls[verb] {
			parts = append(parts, claudePart{"Call", max(1, count(w[2:])), server})
			continue
		}
		tool, ok := verbs[verb]
		n := count(w[1:])
		if !ok || n < 0 {
			return nil
		}
		parts = append(parts, claudePart{tool: tool, n: n})
	}
	return parts
}

// calls are the verbs before the name of an MCP server. The number of calls follows the name
// if there are more than one: "Called shop", "calling shop 2 times".
var calls = map[string]bool{"calling": true, "called": true, "querying": true, "queried": true}

// claudeServer reads the name of an MCP server that was called.
func claudeServer(words []string) (name string, ok bool) {
	if n := len(words); n >= 3 && words[n-1] == "times" {
		words = words[:n-2]
	}
	if len(words) != 1 || words[0][0] <= '9' {
		return "", false
	}
	return words[0], true
}

// count reads the number among the words behind a verb: "2 files", "for 1 pattern", "for 3s",
// "slack 2 times".
func count(words []string) int {
	for _, w := range words[:min(3, len(words))] {
		if n, err := strconv.Atoi(strings.TrimRight(w, "hms")); err == nil {
			return n
		}
	}
	return -1
}

// group reads a group of calls, running or done.
func (p *parser) group(i int) int {
	end := p.run(i+1, p.filled)
	text := p.collapsedText(i)
	parts := claudeParts(text)
	if parts == nil {
		parts = []claudePart{{tool: kind(p.lines[i].Text), n: 1}}
	}
	hint, end, stopped := p.result(end, end)
	status := session.ToolOK
	running := hint.text != "" || strings.HasSuffix(text, "…") || p.runningGroup(i)
	if running {
		status = session.ToolRunning
	}
	if stopped {
		hint.text = ""
	}
	tools := claudeTools(parts, hint.text, status)
	if len(tools) == 1 && strings.Contains(p.lines[i].Text, " failed") {
		tools[0].Status = session.ToolError
	}
	first := i
	for _, t := range tools {
		it := p.add(toolMessage(t), first, end, "group")
		it.Open = running
		first = end // the others have no lines of their own
	}
	if thought := strings.Join(strings.Fields(hint.text), " "); len(tools) == 0 && thought != "" { // `Thought for 3s`, as far as it is shown
		p.add(session.Message{Role: session.RoleThinking, Text: thought, Markdown: thought}, i, end, "thinking")
	}
	if stopped {
		p.event(session.EventInterrupted, end, end, "interrupted group")
	}
	return end
}

// kind guesses the call from the description that the model gave it.
func kind(s string) string {
	rest, _ := cutGlyph(strings.TrimSpace(s), dot, record)
	verb, _, _ := strings.Cut(strings.ToLower(rest), " ")
	return cmp.Or(verbs[verb], "Bash")
}

// elapsed is how long a command has been running, behind it: "(6s)", "(1m 2s · 3 lines)".
var elapsed = regexp.MustCompile(` \((?:\d+[hms] ?)+(?:· [^()]*)?\)$`)

// claudeTools makes the calls of a group. The hint of a running group shows one call; the others
// were shown before or come later. They are made when the group is done.
func claudeTools(parts []claudePart, hint, status string) []*session.Tool {
	command, isCommand := strings.CutPrefix(hint, "$ ")
	if isCommand {
		command = elapsed.ReplaceAllString(command, "")
	}
	var tools []*session.Tool
	for _, part := range parts {
		if part.tool == "" {
			continue
		}
		if hint != "" && len(parts) == 1 {
			return []*session.Tool{hinted(part.tool, command, isCommand, status)}
		}
		for range min(part.n, 200) {
			tools = append(tools, &session.Tool{Name: part.tool, Input: part.input, Status: status})
		}
	}
	if hint != "" && len(tools) > 0 {
		return []*session.Tool{hinted(tools[0].Name, command, isCommand, status)}
	}
	return tools
}

// hinted is the call that a running group shows.
func hinted(name, input string, isCommand bool, status string) *session.Tool {
	switch {
	case isCommand:
		name = "Bash"
	case name == "Bash" && !strings.Contains(input, " "):
		name = "Read" // the head describes one call of several, the hint is another one's file
	}
	return &session.Tool{Name: name, Input: input, Status: status}
}

func toolMessage(t *session.Tool) session.Message {
	text := t.Name
	if t.Input != "" {
		text += "(" + t.Input + ")"
	}
	return session.Message{Role: session.RoleTool, Text: text, Markdown: "`" + strings.ReplaceAll(text, "`", "'") + "`", Tool: t}
}
