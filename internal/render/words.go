package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// Shared by Markdown and text: the words for a session, its events and its messages.

// clock and date are the layouts of times, in UTC.
const (
	clock = "15:04:05"
	date  = "2006-01-02 15:04:05 UTC"
)

// fact is one line about a session.
type fact struct{ name, value string }

// titleOf returns a session's title, or a substitute if it has none.
func titleOf(s *session.Session) string {
	switch {
	case s.Title != "":
		return printable.Line(s.Title)
	case len(s.Command) > 0:
		return printable.Line(strings.Join(s.Command, " "))
	}
	return "Session"
}

// headingSize is the maximum length of a heading, in characters: a title is the whole first line of
// a prompt.
const headingSize = 200

func headingOf(s *session.Session) string {
	title := []rune(titleOf(s))
	if len(title) > headingSize {
		return string(title[:headingSize-1]) + "…"
	}
	return string(title)
}

func factsOf(s *session.Session) (facts []fact) {
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{name, printable.Line(value)})
		}
	}
	add("Session", s.ID)
	add("Command", strings.Join(s.Command, " "))
	add("Folder", s.Cwd)
	for _, a := range s.Agents {
		add("Agent", agentOf(a.Name, a.Version, a.Model))
	}
	if !s.StartedAt.IsZero() {
		add("Started", s.StartedAt.UTC().Format(date))
	}
	if s.EndedAt != nil {
		add("Ended", endOf(s))
	}
	if s.Source != nil {
		add("Source", s.Source.Agent+"'s own log "+s.Source.ID+", no recording")
	}
	if s.Cols > 0 && s.Rows > 0 {
		add("Window", fmt.Sprintf("%dx%d", s.Cols, s.Rows))
	}
	return facts
}

func endOf(s *session.Session) string {
	text := s.EndedAt.UTC().Format(date)
	if took := s.EndedAt.Sub(s.StartedAt); !s.StartedAt.IsZero() && took >= 0 {
		text += ", after " + took.Round(time.Second).String()
	}
	if s.ExitCode != nil {
		text += fmt.Sprintf(", exit status %d", *s.ExitCode)
	}
	return text
}

// agentOf names an agent, such as: claude 2.1.197, Opus 4.8.
func agentOf(name, version, model string) string {
	text := strings.TrimSpace(name + " " + version)
	if model != "" {
		text += ", " + model
	}
	return printable.Line(text)
}

// quiet are the events that are not shown because they tell a reader of the conversation nothing.
var quiet = map[string]bool{session.EventBusy: true, session.EventIdle: true, session.EventScreenRefresh: true}

// eventText describes an event in words. It is empty if the event is not shown.
func eventText(e *session.Entry) string {
	if quiet[e.Event] {
		return ""
	}
	agent := e.Agent
	if agent == "" {
		agent = "the agent"
	}
	text := eventWords(e, agent)
	if e.Event == session.EventImported {
		text = "the imported recording says: " + text
	}
	return printable.Line(e.At.UTC().Format(clock) + " " + text)
}

// eventWords describes an event of an agent, or the one that was imported, in words.
func eventWords(e *session.Entry, agent string) (text string) {
	data := func(name string) string {
		if v, ok := e.Data[name]; ok {
			return fmt.Sprint(v)
		}
		return ""
	}
	name := e.Event
	if name == session.EventImported {
		name = data("event")
	}
	switch name {
	case session.EventNewSession:
		text = startText(agentOf(agent, data("version"), data("model")), data("cwd"))
	case session.EventCLIExit:
		text = agent + " was left"
	case session.EventClear:
		text = "the conversation was cleared"
	case session.EventInterrupted:
		text = agent + " was interrupted"
	case session.EventAsking:
		text = agent + " asks for approval"
	case session.EventGrant:
		text = data("by") + " took control"
		if data("kind") == "agent" {
			text = data("by") + " let programs type"
		}
	case session.EventRevoke:
		text = "control ended: " + data("reason")
	case session.EventInput:
		text = data("by") + " typed " + strconv.Quote(data("text"))
		if data("secret") != "" {
			text = data("by") + " typed what the screen did not show"
		}
	case session.EventResize:
		text = "the window is now " + data("cols") + "x" + data("rows")
	case session.EventExit:
		text = "the command ended with exit status " + data("status")
	default:
		text = e.Event
	}
	return text
}

// startText describes the start of an agent, in a folder if that is known.
func startText(agent, cwd string) string {
	if cwd == "" {
		return agent + " started"
	}
	return agent + " started in " + cwd
}

// longRun is the minimum duration of a command to be mentioned, in seconds.
const longRun = 10

// statusText describes how a message ended, if that is unusual.
func statusText(e *session.Entry) string {
	switch e.Status {
	case session.StatusPartial:
		return "(not finished)"
	case session.StatusStreaming:
		return "(still being written)"
	}
	var parts []string
	if e.ExitStatus != nil && *e.ExitStatus != 0 {
		parts = append(parts, fmt.Sprintf("exit status %d", *e.ExitStatus))
	}
	if e.Duration != nil && *e.Duration >= longRun {
		parts = append(parts, "after "+time.Duration(*e.Duration*float64(time.Second)).Round(time.Second).String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// toolTitle describes a tool call in one line. rest is the whole input if the line does not contain
// it.
func toolTitle(e *session.Entry) (title, rest string) {
	if e.Tool == nil || e.Tool.Name == "" {
		return shorten(printable.Line(e.Text)), ""
	}
	if e.Tool.Input == "" {
		return printable.Line(e.Tool.Name), ""
	}
	first, _, more := strings.Cut(strings.TrimSpace(e.Tool.Input), "\n")
	whole := printable.Line(e.Tool.Name + ": " + first)
	if more {
		whole += " …"
	}
	if title = shorten(whole); title != whole || more {
		rest = e.Tool.Input
	}
	return title, rest
}

// toolStatus describes how a tool call ended, or returns "" if it succeeded.
func toolStatus(e *session.Entry) string {
	if e.Tool == nil || e.Tool.Status == session.ToolOK {
		return ""
	}
	return printable.Line(e.Tool.Status)
}

// toolOutput returns the part of a tool's output that was on the screen.
func toolOutput(e *session.Entry) string {
	if e.Tool == nil {
		return e.Output
	}
	return e.Tool.Output
}

// numberedLine matches a line of a changed file as agents show it: its number, maybe a sign, and
// the line. hunk matches the start of a hunk in a unified diff.
var (
	numberedLine = lazy.Regexp(`^ *([0-9]+)(?:( +)([+-])| |$)`)
	hunk         = lazy.Regexp(`(?m)^@@ .* @@`)
)

// diffSigns returns, for each line of a text, whether a diff adds (+) or removes (-) it, else 0. If
// the text is not a diff, all are 0.
func diffSigns(lines []string) []byte {
	if hunk().MatchString(strings.Join(lines, "\n")) {
		signs := make([]byte, len(lines))
		for i, line := range lines {
			if !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ") {
				signs[i] = signOf(line)
			}
		}
		return signs
	}
	return numberedSigns(lines)
}

// numberedSigns reads the signs that follow line numbers. A sign further to the right than others
// belongs to the text. The listing of a file may have signs, too, for example in a list; it is not
// a diff if there is no plus sign and the numbers increase.
func numberedSigns(lines []string) []byte {
	signs := make([]byte, len(lines))
	found := make([][]string, len(lines))
	gap, column := math.MaxInt, math.MaxInt
	for i, line := range lines {
		if m := numberedLine().FindStringSubmatch(line); m != nil {
			found[i] = m
			if m[3] != "" {
				gap, column = min(gap, len(m[2])), min(column, len(m[0]))
			}
		}
	}
	isDiff, last := false, -1
	for i, m := range found {
		if m == nil {
			continue
		}
		if m[3] != "" && (len(m[2]) == gap || len(m[0]) == column) {
			signs[i] = m[3][0]
		}
		n, _ := strconv.Atoi(m[1])
		isDiff = isDiff || signs[i] == '+' || n <= last
		last = n
	}
	if !isDiff {
		clear(signs)
	}
	return signs
}

func signOf(line string) byte {
	if line != "" && (line[0] == '+' || line[0] == '-') {
		return line[0]
	}
	return 0
}

const titleSize = 100 // in characters

func shorten(text string) string {
	if r := []rune(text); len(r) > titleSize {
		return string(r[:titleSize-1]) + "…"
	}
	return text
}
