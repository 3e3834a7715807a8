package agentlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// Facts describe the conversation in a log.
type Facts struct {
	ID      string // the agent's id; may contain any characters
	Cwd     string // folder in which it began
	Title   string
	Version string // version of the agent
	Model   string // the first model
	First   time.Time
	Last    time.Time // zero, like First, if the log has no plausible time
	Broken  int       // number of documents that are not JSON
	Long    int       // number of documents that were too long
}

// Sink receives the contents of a log, in the log's order. An error of a function ends the reading.
type Sink struct {
	// Entry receives an entry. Its Seq is its order among the others. A tool call is passed on when
	// its result has arrived. An entry with the Seq and ID of an earlier one replaces that one.
	// Otherwise IDs are unique, even if the log uses an id twice; Sum identifies copies.
	Entry func(e *session.Entry, cwd string) error
	Usage func(u session.Usage) error // may be called again with the same key; the last one counts
	Seen  func(n int) error           // called often, with the number of bytes read
}

// writer converts what a reader finds to entries. Its methods do nothing after an error.
type writer struct {
	agent string
	path  string // path of the log
	facts Facts
	sink  Sink
	now   time.Time // time of the current document, or of the last one with a plausible time
	cwd   string
	seq   int
	calls map[string]*session.Entry // calls without a result, by id
	side  string                    // the subagent whose log is read; empty for the main one
	said  map[uint64]saying         // entries that were passed on, by key
	ran   *session.Entry            // the last command, which may still print output
	print []byte                    // output of ran
	err   error
}

func newWriter(l *Log, sink Sink) *writer {
	if sink.Usage == nil {
		sink.Usage = func(session.Usage) error { return nil }
	}
	if sink.Seen == nil {
		sink.Seen = func(int) error { return nil }
	}
	return &writer{agent: l.Agent, path: l.Path, sink: sink, calls: map[string]*session.Entry{}, said: map[uint64]saying{}}
}

// earliest is before any agent had a log. Clocks that are not set show earlier times.
var earliest = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

// at sets the time of the current document. An implausible time is ignored.
func (w *writer) at(t time.Time) {
	if t.Before(earliest) || t.After(time.Now().Add(24*time.Hour)) {
		return
	}
	w.now = t.UTC()
	if w.facts.First.IsZero() || t.Before(w.facts.First) {
		w.facts.First = w.now
	}
	if t.After(w.facts.Last) {
		w.facts.Last = w.now
	}
}

// in sets the folder of the current document.
func (w *writer) in(cwd string) {
	if cwd != "" {
		w.cwd = clean(cwd)
		w.facts.Cwd = cmp.Or(w.facts.Cwd, w.cwd)
	}
}

// is sets facts about the conversation. Facts that are already set stay.
func (w *writer) is(id, version, model string) {
	w.facts.ID = cmp.Or(w.facts.ID, id)
	w.facts.Version = cmp.Or(w.facts.Version, clean(version))
	if model != "<synthetic>" {
		w.facts.Model = cmp.Or(w.facts.Model, clean(model))
	}
}

// decode decodes a document. Members of an unexpected type are ignored.
func (w *writer) decode(doc []byte, to any) bool {
	err := json.Unmarshal(doc, to)
	if other := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &other) {
		w.facts.Broken++
		return false
	}
	return true
}

// entry returns a new entry. key is the log's name for it, or empty if it has none.
func (w *writer) entry(key, typ string) *session.Entry {
	w.seq++
	if key == "" {
		key = w.own(fmt.Sprintf("%s#%d", w.side, w.seq))
	}
	e := &session.Entry{ID: fmt.Sprintf(keyFormat, digest(w.agent, key)), Seq: w.seq, Type: typ, Agent: w.agent,
		Conversation: 1, At: w.now}
	if typ == session.TypeMessage {
		e.Status = session.StatusComplete
	}
	if w.side != "" {
		e.Data = map[string]any{"subagent": w.side}
	}
	return e
}

// own returns a key that no other log has, for what has no name in the log.
func (w *writer) own(key string) string { return w.conversation() + "\x00" + key }

// conversation returns the id of the conversation, unique for the agent.
func (w *writer) conversation() string { return cmp.Or(w.facts.ID, filepath.Base(w.path)) }

// saying is an entry that was passed on.
type saying struct {
	words uint64 // digest of speaker, text and time
	seq   int
}

// put passes on an entry with a unique id. An entry with the key and the Seq of an earlier one
// replaces that one. An entry with the key, the time and the words of an earlier one is a copy, and
// replaces it. Otherwise it is a new entry, even if the log uses a key twice.
func (w *writer) put(e *session.Entry) {
	if w.err != nil {
		return
	}
	key, words := keyOf(e), wordsOf(e)
	old, known := w.said[key]
	if known && old.seq != e.Seq && old.words != words {
		key = digest(e.ID, strconv.FormatUint(words, 16))
		old, known = w.said[key]
	}
	if known {
		e.Seq = old.seq
	}
	w.said[key] = saying{words, e.Seq}
	e.ID = fmt.Sprintf(keyFormat+"%08x", key, digest(w.conversation())>>32)
	w.err = w.sink.Entry(e, w.cwd)
}

// An entry's id consists of its key, a digest of the log's name for it, and a digest of the
// conversation's id.
const (
	keyFormat = "%016x"
	keySize   = 16
)

// keyOf returns the key in an entry's id, or 0 if it has none.
func keyOf(e *session.Entry) uint64 {
	key, _ := strconv.ParseUint(e.ID[:min(keySize, len(e.ID))], 16, 64)
	return key
}

// Sum returns a hash that an entry shares with its copies in other logs: of its name in the log,
// its speaker, text and time.
func Sum(e *session.Entry) uint64 {
	return digest(strconv.FormatUint(keyOf(e), 16), strconv.FormatUint(wordsOf(e), 16))
}

// wordsOf returns a digest of speaker, text and time. It does not include a tool's result, which
// may be logged later.
func wordsOf(e *session.Entry) uint64 {
	parts := []string{e.Role, e.Event, e.Text, e.At.UTC().Format(time.RFC3339Nano)}
	if t := e.Tool; t != nil {
		if parts = append(parts, t.Name, t.Input); t.Name == subagent {
			parts = append(parts, t.Output)
		}
	}
	return digest(parts...)
}

// digest returns the beginning of the SHA-256 hash of some texts.
func digest(parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.BigEndian.Uint64(sum[:])
}

// say adds a message. Messages of subagents, which the user did not see, become tool calls.
func (w *writer) say(key, role, text string) {
	text = strings.Trim(clean(text), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	e := w.entry(key, session.TypeMessage)
	e.Role = role
	switch {
	case w.side != "" && role == session.RoleUser:
		e.Role, e.Tool = session.RoleTool, &session.Tool{Name: subagent, Input: text, Status: session.ToolOK}
	case w.side != "" && role != session.RoleThinking:
		e.Role, e.Tool = session.RoleTool, &session.Tool{Name: subagent, Output: text, Status: session.ToolOK}
	case role == session.RoleUser:
		e.Text, e.Markdown = text, text
	default:
		e.Text, e.Markdown = plain(text), text
	}
	w.put(e)
}

// subagent is the tool name for the prompts and replies of subagents.
const subagent = "subagent"

// run adds a command of the agent or of the shell, which may still print output.
func (w *writer) run(key, role, text string) {
	w.flush()
	w.ran = w.entry(key, session.TypeMessage)
	w.ran.Role, w.ran.Text, w.ran.Markdown = role, clean(text), clean(text)
}

// printed adds output of the last command.
func (w *writer) printed(output string) {
	if w.ran == nil || output == "" {
		return
	}
	if len(w.print) > 0 {
		w.print = append(w.print, '\n')
	}
	if w.print = append(w.print, output...); len(w.print) > 4*mostOutput { // not each time, because it may print often
		w.print = append(w.print[:0], w.output(w.ran, string(w.print))...)
	}
}

// flush passes on the last command, which prints nothing more.
func (w *writer) flush() {
	if e := w.ran; e != nil {
		e.Output = w.output(e, string(w.print))
		w.ran, w.print = nil, nil
		w.put(e)
	}
}

func (w *writer) event(key, name string, data map[string]any) {
	e := w.entry(key, session.TypeEvent)
	e.Event, e.Data = name, data
	w.put(e)
}

// call adds a tool call, whose result follows.
func (w *writer) call(key, id, name, input string) {
	e := w.entry(key, session.TypeMessage)
	e.Role, e.Tool = session.RoleTool, &session.Tool{Name: clean(name), Input: cut(e, clean(input)),
		Status: session.ToolRunning}
	if id == "" {
		id = e.ID
	}
	if old := w.calls[id]; old != nil {
		w.put(old)
	}
	w.calls[id] = e
}

// result adds the result of a tool call.
func (w *writer) result(id, output string, failed bool) {
	e := w.calls[id]
	if e == nil {
		return
	}
	delete(w.calls, id)
	e.Tool.Output, e.Tool.Status = w.output(e, output), session.ToolOK
	e.Tool.Truncated = e.Truncated
	if failed {
		e.Tool.Status = session.ToolError
	}
	if !w.now.IsZero() {
		end := w.now
		e.EndAt = &end
	}
	w.put(e)
}

func (w *writer) use(u session.Usage) {
	u.Source, u.Agent, u.At = session.UsageLog, w.agent, w.now
	u.Model = clean(u.Model)
	if u.Total == 0 {
		u.Total = u.Input + u.CacheRead + u.CacheWrite + u.Output
	}
	if w.err == nil && u.Total > 0 && u.Key != "" {
		w.err = w.sink.Usage(u)
	}
}

// end passes on the calls that have no result.
func (w *writer) end() (Facts, error) {
	w.flush()
	left := slices.Collect(maps.Values(w.calls))
	slices.SortFunc(left, func(a, b *session.Entry) int { return a.Seq - b.Seq })
	for _, e := range left {
		w.put(e)
	}
	clear(w.calls)
	return w.facts, w.err
}

// mostOutput is the maximum length of a tool's input or output, in bytes, because agents log whole
// files.
const mostOutput = 64 << 10

// output returns the output of a program, without control sequences, and cut if necessary.
func (w *writer) output(e *session.Entry, text string) string {
	return cut(e, strings.TrimRight(clean(controls().ReplaceAllString(text, "")), "\n"))
}

// cut removes the middle of a text that is too long, and marks the entry.
func cut(e *session.Entry, text string) string {
	if len(text) <= mostOutput {
		return text
	}
	middle := text[mostOutput/2 : len(text)-mostOutput/2]
	e.Truncate(session.TruncatedMiddle)
	e.OmittedLines += strings.Count(middle, "\n")
	return strings.ToValidUTF8(text[:mostOutput/2], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-mostOutput/2:], "")
}

// controls matches the control sequences of ECMA-48.
var controls = lazy.Regexp("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z^_a-z])")

// clean returns a valid text: UTF-8 without NULs, with lines that end with a line feed.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if strings.ContainsAny(text, "\x00\r") {
		text = strings.NewReplacer("\x00", "\ufffd", "\r\n", "\n", "\r", "\n").Replace(text)
	}
	return text
}

var (
	headMark  = lazy.Regexp(`^#{1,6}\s+`)
	strong    = lazy.Regexp(`\*\*([^*\n]+)\*\*`)
	linkMarks = lazy.Regexp(`\[([^\]\n]*)\]\(([^)\n]*)\)`)
)

// plain returns Markdown without its most frequent markup. Code is not changed.
func plain(text string) string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			out = append(out, line)
			continue
		}
		parts := strings.Split(headMark().ReplaceAllString(line, ""), "`")
		for i := 0; i < len(parts); i += 2 {
			parts[i] = linkMarks().ReplaceAllString(strong().ReplaceAllString(parts[i], "$1"), "$1 $2")
		}
		out = append(out, strings.Join(parts, ""))
	}
	return strings.Join(out, "\n")
}

// moment is a time in a log: text as in RFC 3339, or seconds or milliseconds since 1970. Anything
// else is the zero time.
type moment struct{ time.Time }

// UnmarshalJSON never fails.
func (m *moment) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		m.Time, _ = time.Parse(time.RFC3339Nano, text)
		return nil
	}
	var n float64
	if json.Unmarshal(b, &n) == nil && n > 0 && n < 1e14 {
		if n < 1e11 {
			n *= 1000
		}
		m.Time = time.UnixMilli(int64(n)).UTC()
	}
	return nil
}

// said is a text, or the texts of parts.
type said string

// UnmarshalJSON never fails. A value without text becomes empty.
func (s *said) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = said(text)
		return nil
	}
	var list []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Thought bool   `json:"thought"` // in Qwen Code
	}
	other := (*json.UnmarshalTypeError)(nil)
	if err := json.Unmarshal(b, &list); err != nil && !errors.As(err, &other) {
		return nil
	}
	var texts []string
	for _, part := range list {
		if part.Text != "" && part.Type != "thinking" && !part.Thought {
			texts = append(texts, part.Text)
		}
	}
	*s = said(strings.Join(texts, "\n"))
	return nil
}

// beginsWith reports whether text begins with one of starts. The agent has then added it.
func beginsWith(text string, starts ...string) bool {
	for _, start := range starts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// below returns the key for a part of what has the key id, or "" if id is empty.
func below(id string, part ...string) string {
	if id == "" {
		return ""
	}
	return id + "/" + strings.Join(part, "/")
}

// inputOf returns a tool's arguments as an agent shows them: the most descriptive one, or all as
// JSON.
func inputOf(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			return text
		}
		args = json.RawMessage(text)
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return string(args)
	}
	for _, key := range []string{"command", "cmd", "file_path", "filePath", "absolute_path", "path", "pattern", "query",
		"url", "notebook_path", "prompt", "skill"} {
		var text string
		if json.Unmarshal(all[key], &text) == nil && text != "" {
			return text + edited(all)
		}
		var words []string
		if json.Unmarshal(all[key], &words) == nil && len(words) > 0 {
			if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") { // bash -lc
				return words[2]
			}
			return strings.Join(words, " ")
		}
	}
	if len(all) == 0 {
		return ""
	}
	return string(args)
}

// edited returns what an edit removes and adds, or what is written to a file.
func edited(all map[string]json.RawMessage) string {
	of := func(keys ...string) (text string) {
		for _, key := range keys {
			if json.Unmarshal(all[key], &text) == nil && text != "" {
				return text
			}
		}
		return ""
	}
	var b strings.Builder
	mark := func(sign, text string) {
		for line := range strings.Lines(text) {
			b.WriteString("\n" + sign + strings.TrimRight(line, "\n"))
		}
	}
	mark("-", of("old_string", "oldString"))
	mark("+", of("new_string", "newString", "content"))
	return b.String()
}
