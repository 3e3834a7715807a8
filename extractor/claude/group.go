package claude

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
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

// collapsed reports whether line i is a group of calls that are done: grey from column 2 on, with
// "1 failed" in red.
func (p *parser) collapsed(i int) bool {
	l := p.Lines[i]
	return row.Indent(l.Text) == 2 && allText(l.Row, func(s vterm.Style) bool { return row.Grey(s) || row.Red(s.Fg) }) && p.collapsedText(i) != ""
}

// collapsedText is a group's line without what is no word of it; empty where line i is none.
func (p *parser) collapsedText(i int) string {
	t, _ := cutGlyph(p.Lines[i].Text, dot, record)
	for k := i + 1; k < len(p.Lines); k++ {
		l := p.Lines[k]
		if _, ok := corner(l); ok || row.Indent(l.Text) < 2 && !l.Wrapped {
			break
		}
		t += " " + strings.TrimSpace(l.Text)
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
		if server, ok := claudeServer(w[1:]); ok && chat.Begins(verb, "call", "quer") {
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

// claudeServer reads the name of an MCP server that was called. The number of calls follows it if
// there are more than one: "Called shop", "calling shop 2 times".
func claudeServer(words []string) (name string, ok bool) {
	if n := len(words); words[n-1] == "times" {
		words = words[:max(0, n-2)]
	}
	if len(words) != 1 {
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
	end := p.Until(i+1, p.starts)
	text := p.collapsedText(i)
	parts := claudeParts(text)
	if parts == nil {
		parts = []claudePart{{tool: kind(p.Lines[i].Text), n: 1}}
	}
	hint, end, stopped := p.result(end, end)
	status := session.ToolOK
	if strings.HasSuffix(text, "…") || p.runningGroup(i) {
		status = session.ToolRunning
	}
	if stopped {
		hint.text = ""
	}
	items := groupCalls(parts, hint.text, status)
	if len(items) == 1 && strings.Contains(p.Lines[i].Text, " failed") {
		items[0].Tool.Status = session.ToolError
	}
	if thought := strings.Join(strings.Fields(hint.text), " "); len(items) == 0 && thought != "" { // `Thought for 3s`, as far as it is shown
		p.Say(session.RoleThinking, thought, thought, i, end, "thinking")
	}
	p.Together(items, i, end, "group")
	if stopped {
		p.Add(chat.Item{Event: session.EventInterrupted}, end, end, "interrupted group")
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

// groupCalls makes the calls of a group. The hint of a running group shows one call; the others
// were shown before or come later. They are made when the group is done.
func groupCalls(parts []claudePart, hint, status string) (calls []chat.Item) {
	for _, part := range parts {
		for range min(part.n, 200) {
			if part.tool != "" {
				calls = append(calls, did(&session.Tool{Name: part.tool, Input: part.input, Status: status}))
			}
		}
	}
	if hint != "" && len(calls) > 0 {
		return []chat.Item{did(hinted(calls[0].Tool.Name, hint, status))}
	}
	return calls
}

// hinted is the call that a running group shows: a command, or what another call was given.
func hinted(name, hint, status string) *session.Tool {
	input, isCommand := strings.CutPrefix(hint, "$ ")
	switch {
	case isCommand:
		name, input = "Bash", elapsed.ReplaceAllString(input, "")
	case name == "Bash" && !strings.Contains(input, " "):
		name = "Read" // the head describes one call of several, the hint is another one's file
	}
	return &session.Tool{Name: name, Input: input, Status: status}
}

// did returns the item of a call.
func did(t *session.Tool) chat.Item {
	it := chat.Called(t)
	if t.Input == "" {
		it.Text = t.Name
	}
	it.Markdown = "`" + strings.ReplaceAll(it.Text, "`", "'") + "`"
	return it
}
