package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// settleAfter is how long an entry must have been on the screen so that it is never removed. What a
// torn frame seems to show disappears sooner.
const settleAfter = 250 * time.Millisecond

// keepEntries is the maximum number of entries of a conversation that Forget keeps because an agent
// may print them again. It is more than fits into the rows that the extractor keeps of a document.
const keepEntries = 10000

// keepStopped is the maximum number of entries that Forget keeps of a conversation whose agent has
// exited. The shell may have stopped the agent with Ctrl+Z; when it continues, it redraws a window
// of them.
const keepStopped = 200

// Log is the terminal log: the entries of one session, merged from views. It must not be used
// concurrently.
type Log struct {
	id      string
	started time.Time
	entries []*session.Entry // the entries that are kept
	before  int              // number of entries before them
	made    int              // number of entries ever created, for their ids
	conv    int              // number of the current conversation
	start   int              // index in entries of the first that a reprint may show, or 0 if that is not kept
	running bool             // its agent has not exited, so a view may show it again

	document int
	resized  time.Duration    // time of the last resize
	refs     []*session.Entry // entries of the document's items from number past on
	top      *session.Entry   // the first entry that the document has shown
	past     int
	gone     []string                              // ids removed since the last Changes
	printed  map[*session.Entry]session.LongOutput // entries whose output has not been built yet
	seen     map[*session.Entry]*sight
	changed  func(Change) // see note; may be nil
}

// wrappedRow is the length of a row of a paragraph in a wide window, in bytes.
const wrappedRow = 160

// sight is what the log remembers of an entry in addition to what it exports.
type sight struct {
	first   time.Duration
	kept    bool   // it was on the screen long enough
	changed bool   // since the last call of Changes
	onTape  bool   // an event found in the document of rows
	text    string // a reply as it was when the screen was quiet
	textAt  time.Duration
	printed session.LongOutput // the output as last seen
	size    int
	rows    []tableRow // of tables that are being written
}

// ate reports whether text is the reply with lines erased by mistake: its last lines at any time,
// or some in its middle if the agent miscounts its rows. Agents do so after a resize, when the
// terminal has rewrapped them. Ink also does so after a frame as high as the window, for which it
// prints everything again and loses the position of the cursor.
func (s *sight) ate(text string, resized time.Duration, miscounts bool) bool {
	if s.text == "" || len(text) >= len(s.text) {
		return false
	}
	if rest, ok := strings.CutPrefix(s.text, text); ok && text != "" {
		if rest[0] == '\n' || rest[0] == ' ' && !strings.Contains(rest, "\n") && len(rest) <= wrappedRow &&
			resized > s.first {
			return true
		}
	}
	if !miscounts {
		return false
	}
	now, was := words(text), words(s.text)
	if len(now) >= len(was) {
		return false
	}
	n := common(now, was)
	if n == len(now) {
		return true
	}
	hole := strings.Index(was[n:], now[n:])
	return n >= sameStart && hole > 0 && !strings.Contains(now, was[n:n+hole]) // otherwise it was there twice
}

// NewLog returns an empty log. The entries' ids are derived from id, their times from started.
func NewLog(id string, started time.Time) *Log {
	return &Log{id: id, started: started, document: -1, seen: map[*session.Entry]*sight{},
		printed: map[*session.Entry]session.LongOutput{}}
}

// Entries returns the log's entries in order, with Seq from 1, without those that Forget has
// dropped. The caller must not change them. The slice is valid until the log changes.
func (l *Log) Entries() []*session.Entry {
	l.write()
	for i, e := range l.entries {
		if seq := l.before + i + 1; e.Seq != seq {
			e.Seq = seq
			l.seen[e].changed = true
		}
	}
	return l.entries
}

// Last returns the newest entry, or nil. Its output may be out of date.
func (l *Log) Last() *session.Entry {
	if len(l.entries) == 0 {
		return nil
	}
	return l.entries[len(l.entries)-1]
}

// write builds the outputs that have grown.
func (l *Log) write() {
	for e := range l.printed {
		l.writeEntry(e)
	}
}

// writeEntry builds the output of an entry if it has grown.
func (l *Log) writeEntry(e *session.Entry) {
	if p, ok := l.printed[e]; ok {
		text, gap := p.Text()
		e.Output, e.OmittedLines, e.Truncated, e.TruncatedAt = text, gap.Lines, false, ""
		if gap.Bytes > 0 {
			e.Truncate(session.TruncatedMiddle)
		}
		delete(l.printed, e)
	}
}

// settle builds the outputs of entries that no later view shows, and drops their sources.
func (l *Log) settle(entries []*session.Entry) {
	for _, e := range entries {
		l.writeEntry(e)
		l.seen[e].printed = nil
	}
}

// Changes returns the entries that were added or changed since the last call, in order, and the ids
// of those that were removed.
func (l *Log) Changes() (changed []*session.Entry, gone []string) {
	for _, e := range l.Entries() {
		if s := l.seen[e]; s.changed {
			changed = append(changed, e)
			s.changed = false
		}
	}
	gone, l.gone = l.gone, nil
	return changed, gone
}

// Forget drops the entries that cannot change any more and that Changes has returned. It returns
// them in order. Entries that were still growing end as in Finish, and are dropped once Changes has
// returned them again.
func (l *Log) Forget() []*session.Entry {
	out := slices.Clone(l.Entries()[:l.reach()])
	for i, e := range out {
		l.returned(e) // what is below was typed at the next prompt
		l.cutShort(e)
		if l.seen[e].changed {
			out = out[:i]
			break
		}
	}
	if l.conv > 0 && !l.running {
		out = out[:min(len(out), max(l.start, len(l.entries)-keepStopped))]
	}
	for _, e := range out {
		delete(l.seen, e)
	}
	l.entries = slices.Delete(l.entries, 0, len(out))
	l.before += len(out)
	l.start = max(0, l.start-len(out))
	return out
}

// reach returns the index of the first entry that may still change: the first that the document
// shows, or that an agent may print again. The last entry is always kept, because others ask for
// it.
func (l *Log) reach() int {
	first := max(0, len(l.entries)-1)
	if l.running {
		first = min(first, max(l.start, len(l.entries)-keepEntries))
	}
	if len(l.refs) > 0 {
		first = min(first, l.index(l.refs[0]))
	}
	return max(0, first)
}

// Event appends an event. EventNewSession and EventClear begin a conversation.
func (l *Log) Event(name, agent string, data map[string]any, at time.Duration, offset int64) *session.Entry {
	e := l.make(&session.Entry{Type: session.TypeEvent, Event: name, Agent: agent, Data: data}, at, offset)
	l.seen[e].kept = true
	if name == session.EventResize {
		l.resized = at
	}
	l.begin(e)
	l.entries = append(l.entries, e)
	l.note(e, ChangeNew, "", -1)
	return e
}

// Clear appends EventClear. below reports whether the agent prints earlier conversations again when
// it prints the new one again.
func (l *Log) Clear(agent string, below bool, at time.Duration, offset int64) {
	start := l.start
	l.Event(session.EventClear, agent, nil, at, offset)
	if below {
		l.start = start
	}
}

// begin increments the conversation's number if e begins one, and records its end.
func (l *Log) begin(e *session.Entry) {
	switch e.Event {
	case session.EventNewSession, session.EventClear:
		l.conv++
		l.start = len(l.entries) + 1
		l.running = true
		e.Conversation = l.conv
	case session.EventCLIExit:
		l.running = false
	}
}

func (l *Log) make(e *session.Entry, at time.Duration, offset int64) *session.Entry {
	l.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", l.id, l.made))
	e.ID = hex.EncodeToString(sum[:10])
	e.Conversation = l.conv
	e.At, e.Offset = l.started.Add(at).UTC(), offset
	l.seen[e] = &sight{first: at, changed: true}
	return e
}

// Finish ends the log: entries that were still growing become partial, except shell commands that
// no view can change any more. They are complete, as in Forget.
func (l *Log) Finish() {
	past := l.reach()
	for i, e := range l.entries {
		if i < past {
			l.returned(e)
		}
		l.cutShort(e)
	}
}

// Exited ends the shell command that was still running, because the recorded shell has exited and
// draws no further prompt. It must be called before Finish, but not if the recording was truncated.
func (l *Log) Exited() {
	for _, e := range l.entries {
		l.returned(e)
	}
}

// returned ends an entry that is a running shell command.
func (l *Log) returned(e *session.Entry) {
	if e.Role == session.RoleShell && e.Agent == "" && e.Status == session.StatusStreaming {
		e.Status = session.StatusComplete
		l.seen[e].changed = true
	}
}

// idled reports whether the agent was idle after one of its entries, in the same run, as it is when
// it clears the conversation. The entry is then complete.
func (l *Log) idled(e *session.Entry) bool {
	for _, x := range l.entries[l.index(e)+1:] {
		if x.Agent != e.Agent {
			continue
		}
		switch x.Event {
		case session.EventIdle, session.EventClear:
			return true
		case session.EventCLIExit, session.EventNewSession:
			return false
		}
	}
	return false
}

// cutShort ends an entry that was still growing, because its end was never on the screen. What a
// tool call shows may be complete.
func (l *Log) cutShort(e *session.Entry) {
	if e.Status == session.StatusStreaming {
		e.Status = session.StatusPartial
		if l.idled(e) {
			e.Status = session.StatusComplete
		} else if e.Role != session.RoleTool {
			e.Truncate(session.TruncatedTail)
		}
		l.seen[e].changed = true
	}
}
