package claude

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Since 2.1.60 calls that only look, and later all but edits, collapse: while they run one line
// says so, with the newest call's command or file behind a corner (`● Reading 2 files, running 1
// shell command…`); when they are done the line is all that is left (`Read 2 files, ran 1 shell
// command (ctrl+o to expand)`). Each call is an item; of a running group only the one whose input
// is shown, of one that is done all, without their input. What they printed is folded away, so they
// are truncated.

// verbs are the words with which a group's parts begin, and the tool for each.
var verbs = map[string]string{
	"reading": "Read", "read": "Read", "running": "Bash", "ran": "Bash", "listing": "List", "listed": "List",
	"searching": "Search", "searched": "Search", "finding": "Search", "found": "Search", "editing": "Update",
	"edited": "Update", "writing": "Write", "wrote": "Write",
	"created": "Write", "creating": "Write", "fetching": "Fetch", "fetched": "Fetch", "calling": "Call",
	"called": "Call", "querying": "Call", "queried": "Call", "used": "Call", "using": "Call",
	"recalling": "Recall", "recalled": "Recall", "loading": "Skill", "loaded": "Skill", "updated": "Update",
	"updating": "Update", "made": "Call", "making": "Call", "launched": "Task", "launching": "Task",
	"deleted": "Delete", "removed": "Delete", "committed": "Bash", "pushed": "Bash", "merged": "Bash", "rebased": "Bash",
	"checked": "Bash", "opened": "Bash",
	"thought": "", "thinking": "",
}

// Each part of a group's line is a verb, a number and a noun ("searched for 1 pattern", "thought
// for 3s"), or an MCP server that was called ("called shop 2 times").
var (
	countPart  = lazy.Regexp(`^(?:and )?(\w+)(?: \S+){0,2}? (\d+)[hms]*(?: |$)`)
	groupMore  = lazy.Regexp(`^ {2,}[^ ⎿]`) // a row on which it goes on
	serverPart = lazy.Regexp(`^(?:and )?(?i:call|quer)\w+ (\S+)(?: (\d+) times)?$`)
)

// groupPart is a part of a group's line: a number of calls of one kind.
type groupPart struct {
	tool  string // "" for thinking
	count string
	input string // name of the MCP server that was called, else ""
}

// groupParts parses a group's first line, and reports whether the calls are running. It returns nil
// if the line does not belong to a group.
func groupParts(lines []row.Line) (parts []groupPart, runs bool) {
	text := behindSign(lines[0].Text)
	goesOn := row.Run(lines[1:], func(l row.Line) bool { return l.Wrapped || groupMore().MatchString(l.Text) })
	for _, l := range lines[1 : 1+goesOn] {
		text += " " + strings.TrimSpace(l.Text)
	}
	return partsOf(text)
}

// partsOf parses the text of a group, as groupParts does.
func partsOf(text string) (parts []groupPart, runs bool) {
	text, _, _ = strings.Cut(text, " (ctrl+")
	counts, _, _ := strings.Cut(text, " · ")
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(counts), "…"), ", ") {
		if m := serverPart().FindStringSubmatch(part); m != nil {
			parts = append(parts, groupPart{"Call", cmp.Or(m[2], "1"), m[1]})
			continue
		}
		m := countPart().FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		tool, ok := verbs[strings.ToLower(m[1])]
		if !ok {
			return nil, false
		}
		parts = append(parts, groupPart{tool: tool, count: m[2]})
	}
	return parts, strings.HasSuffix(text, "…")
}

// group returns the calls of the group in the first line. If it is running, it returns only the
// call that the hint after its corner shows; the others were shown before or come later.
func group(lines []row.Line, out claudeResult) (items []chat.Item) {
	parts, runs := groupParts(lines)
	described := parts == nil
	if described { // a description that the model gave
		verb, _, _ := strings.Cut(strings.ToLower(behindSign(lines[0].Text)), " ")
		parts = []groupPart{{tool: cmp.Or(verbs[verb], "Bash"), count: "1"}}
	}
	t := session.Tool{Status: session.ToolOK}
	if runs || described && runsBelow(lines) {
		t.Status = session.ToolRunning
	}
	t.Truncated = t.Status == session.ToolOK
	items = partItems(parts, t)
	thought := strings.Join(strings.Fields(out.text), " ")
	switch {
	case thought == "", out.stopped:
	case len(items) == 0: // `Thought for 3s`, as far as it is shown
		return []chat.Item{chat.Said(session.RoleThinking, thought, thought)}
	case row.Starts(out.text, rejections...):
		last := items[len(items)-1].Tool
		last.Status, last.Output, last.Truncated = session.ToolRejected, out.text, false
	case hookSays().MatchString(out.text):
	default:
		t.Name, t.Input = hinted(items[0].Tool.Name, out.text)
		items = []chat.Item{did(&t)}
	}
	if len(items) == 1 && strings.Contains(lines[0].Text, " failed") {
		items[0].Tool.Status = session.ToolError
	}
	return items
}

// partItems returns the calls of a group's parts, each like t.
func partItems(parts []groupPart, t session.Tool) (items []chat.Item) {
	for _, part := range parts {
		n, _ := strconv.Atoi(part.count) // digits
		for range min(n, 200) {
			if t := t; part.tool != "" {
				t.Name, t.Input = part.tool, part.input
				items = append(items, did(&t))
			}
		}
	}
	return items
}

// hookSays matches a hook's message: "PostToolUse:Bash says: Lint ran".
var hookSays = lazy.Regexp(`^[A-Z]\w+(?::\S+)? says: `)

// elapsed matches how long a command has been running, after the command: "(6s)", "(1m 2s · 3
// lines)".
var elapsed = lazy.Regexp(` \((?:\d+[hms] ?)+(?:· [^()]*)?\)$`)

// hinted returns the call that a running group shows: a command, or the input of another call.
func hinted(name, hint string) (tool, input string) {
	if command, ok := strings.CutPrefix(hint, "$ "); ok {
		return "Bash", elapsed().ReplaceAllString(command, "")
	}
	if name == "Bash" && !strings.Contains(hint, " ") {
		return "Read", hint // the head describes one call of several, the hint is another one's file
	}
	return name, hint
}

// unmarked reports whether the first line is a call without a marker: a group of finished calls,
// grey from column 2 on, with "1 failed" in red; or a call whose blinking marker is hidden at the
// moment.
func unmarked(lines []row.Line, _ []chat.Item) bool {
	l := lines[0]
	if row.Indent(l.Text) != 2 {
		return false
	}
	faint := func(s vterm.Style) bool { return row.Grey(s) || row.Red(s.Fg) }
	if row.Grey(l.Runs[0].Style) || l.All(faint) {
		if parts, _ := groupParts(lines); parts != nil {
			return true
		}
	}
	if l.BoldAt(2) {
		name, rest := header(l)
		return rest != "" && names[name]
	}
	return runsBelow(lines)
}

// noHints are beginnings of grey texts after a corner that are neither a command nor a file.
var noHints = slices.Concat(rejections, []string{"Tip: "})

// runsBelow reports whether the first line describes a running call, whose command or file follows
// a grey corner below it.
func runsBelow(lines []row.Line) bool {
	for _, l := range lines[1:min(len(lines), 6)] {
		if sign := corner().FindString(l.Text); sign != "" {
			text := l.Text[len(sign):]
			return row.Grey(l.StyleAt(row.Width(sign))) && !row.Starts(text, noHints...) && !hookSays().MatchString(text)
		}
		if !strings.HasPrefix(l.Text, " ") {
			return false
		}
	}
	return false
}
