package codex

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// tool parses a tool call: "• Ran ls", "• Explored", "• Edited main.go (+1 -1)", "• Called
// server.tool({})".
func tool(p *chat.Parser, i, end int) {
	ls := p.Lines[i:end]
	title := titleOf(ls[0])
	switch above := p.Above(); {
	case exploration().MatchString(title):
		p.Together(explored(ls, state(ls[0], title)), i, end, "explored")
		return
	case title == "Change Approved" && above.Rule == changeRule: // it was shown before
		above.End = end
		return
	case change(ls[0], title):
		p.Add(changed(ls, title), i, end, "change")
		return
	}
	head, out := parts(ls)
	t := &session.Tool{Name: title, Status: state(ls[0], title)}
	if t.Input = input(head, 2+row.Width(title)+1); t.Input == "" { // before 0.42 a long command is below
		t.Input, out = input(out, 4), nil
	}
	t.Output, t.Truncated = output(out)
	if strings.HasPrefix(title, "Exited (") { // "• Exited (status 1) ls"
		t.Name, t.Status = "Ran", session.ToolError
	}
	if wasRejected(p, end, t) {
		return
	}
	if above := p.Above(); strings.HasPrefix(t.Name, "Searched") && underWay().MatchString(above.Text) { // the same call
		i, p.Items = above.First, p.Items[:len(p.Items)-1]
	}
	p.Add(chat.Did(t), i, end, strings.ToLower(t.Name))
}

var (
	exploration = lazy.Regexp(`^Explor(?:ing|ed)(?: · \d+ nonzero exits?)?$`)
	underWay    = lazy.Regexp(`^(?:Brows|Search)ing the web$`)
)

// searched parses a web search: "🌐 Searched: sync.Map" (0.47).
func searched(ls []row.Line, _ []chat.Item) (chat.Item, bool) {
	_, query, _ := strings.Cut(markdown.Prompt(ls, &markdown.Style{}), ": ")
	return chat.Did(&session.Tool{Name: "Searched", Input: query, Status: session.ToolOK}), true
}

// parts splits a call's lines into the head, with its continuation lines ("  │ "), and the output,
// which begins with "  └ ".
func parts(ls []row.Line) (head, out []row.Line) {
	n := 1 + row.Run(ls[1:], row.Not(row.Prefixed("  └")))
	if n == len(ls) { // no output, or one without a corner
		n = 1 + row.Run(ls[1:], row.Prefixed("  │"))
	}
	return ls[:n], ownLines(ls[n:])
}

// show matches what Codex writes under an output, or a blank line.
var show = lazy.Regexp(`^ *(?:\+ Show .*)?$`)

// ownLines removes Codex's note under an output: "    + Show details".
func ownLines(ls []row.Line) []row.Line { return ls[:1+row.Last(ls, row.Not(row.Matching(show)))] }

// input returns a command: the first line from a column on, the others after "  │ ".
func input(head []row.Line, from int) string {
	lk := markdown.Style{Left: 4}
	ls := lk.Lines(head)
	for i := range min(1, len(ls)) {
		ls[i] = ls[i].From(from - lk.Left)
	}
	var out []string
	for _, l := range lk.Unwrap(ls, 0) {
		t := row.Text(l)
		if strings.HasPrefix(t, "… +") {
			t = "…"
		}
		out = append(out, t)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// omitted matches a row that replaces hidden rows.
var omitted = lazy.Regexp(`^ *(?:… \+|\+ \d+ lines? \(.* to expand\)$)`)

// output returns the output of a call, as far as it is shown.
func output(ls []row.Line) (out string, truncated bool) {
	truncated = slices.ContainsFunc(ls, row.Matching(omitted))
	if out = markdown.Verbatim(ls, 4); out == "(no output)" {
		out = ""
	}
	return out, truncated
}

// state returns a call's state from its bullet: green or red when it is finished.
func state(l row.Line, title string) string {
	return chat.Status(l.StyleAt(0).Fg, strings.HasSuffix(title, "ing"))
}

// failedCall matches the text after a failed call.
var failedCall = lazy.Regexp(` \(exit \d+\)$`)

// monoVerb matches a row that begins with a verb, for sessions without colours.
var monoVerb = lazy.Regexp(`^  [└ ] (?:Read|List|Search|Run) `)

// explored parses the calls that a cell groups: "  └ Read main.go, go.mod", "    List src".
func explored(ls []row.Line, status string) (calls []chat.Item) {
	// a verb has a colour
	unnamed := func(l row.Line) bool { return !coloured(l.StyleAt(4)) && !monoVerb().MatchString(l.Text) }
	for ls = ls[1+row.Run(ls[1:], unnamed):]; len(ls) > 0; {
		n := 1 + row.Run(ls[1:], unnamed)
		name := row.FirstWord(row.CutLine(ls[0], 4, -1).Text)
		for _, in := range chat.Inputs(name, input(ownLines(ls[:n]), 4+len(name)+1)) {
			t := &session.Tool{Name: name, Input: in, Status: status}
			if m := failedCall().FindStringIndex(in); m != nil {
				t.Input, t.Status = in[:m[0]], session.ToolError
			}
			calls = append(calls, chat.Did(t))
		}
		ls = ls[n:]
	}
	return calls
}

const changeRule = "codex change"

// changed parses a change to files with its diff.
func changed(ls []row.Line, title string) chat.Item {
	path, _, _ := strings.Cut(input(ls[:1], 2+len(title)+1), " (+")
	return chat.Did(&session.Tool{Name: title, Input: path, Output: diff(ownLines(ls[1:])), Status: session.ToolOK})
}

// diff returns a diff with its line numbers. It joins lines that were cut at the edge.
func diff(ls []row.Line) string {
	lk := markdown.Style{Left: 4}
	tl := lk.Lines(ls)
	at := cmp.Or(len(diffSign().FindString(markdown.Verbatim(ls, lk.Left))), math.MaxInt) // the column behind the signs
	out := []string{""}
	for i := range tl {
		l := &tl[i]
		if l.Indent >= at {
			out[len(out)-1] += row.Text(row.Cut(l.Spans, at, l.Width))
			continue
		}
		out = append(out, l.Text)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// diffSign matches the first changed line of a diff, up to its sign.
var diffSign = lazy.Regexp(`(?m)^ *\d+ +[+-]`)

// decision matches the user's decision on a command.
var decision = lazy.Regexp(`(?s)^You (?:did not approve codex|canceled the request|denied codex) to run (.*)`)

// wasRejected reports whether a call is the one that the user has just rejected. Codex then shows
// it as failed, and for a moment as running.
func wasRejected(p *chat.Parser, end int, t *session.Tool) bool {
	above := p.Above()
	if above.Rule != "codex rejected" || above.Tool.Input != t.Input || t.Status == session.ToolOK {
		return false
	}
	above.Tool.Output, above.End = t.Output, end
	return true
}

// failed parses the notice that a change to files failed. It belongs to the change that was shown
// before.
func failed(p *chat.Parser, ls []row.Line, end int) bool {
	above := p.Above()
	if above.Rule != changeRule || !strings.HasPrefix(ls[0].Text, "✘ Failed to apply patch") {
		return false
	}
	why, _ := output(ls[1:])
	above.Tool.Status, above.End = session.ToolError, end
	above.Tool.Output = strings.Trim(above.Tool.Output+"\n"+why, "\n")
	return true
}
