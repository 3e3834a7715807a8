package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// settleAfter is how long an entry must have stood on the screen before it is never taken back: what a torn
// frame seemed to show is gone sooner.
const settleAfter = 250 * time.Millisecond

// Sighting is one item that a view shows: a message, or an event that stood among the messages.
type Sighting struct {
	Message
	Event string // EventClear or EventInterrupted; Message is then empty
	Open  bool   // may still grow
}

// View is a window on the conversation: the items From, From+1, … of a tape, up to its end. A tape is one continuous
// text; a new one begins where the screen was wiped or another program took it over.
type View struct {
	Tape    int
	From    int
	Items   []Sighting
	Reprint bool          // the tape may show again what the log already has from the current conversation
	At      time.Duration // since the start of the recording
	Offset  int64         // bytes of raw output up to here
	Settled bool          // nothing has changed for a while: the view is no torn frame
}

// Log is the terminal log: the entries of one session, merged from views. It is not safe for concurrent use.
type Log struct {
	id      string
	started time.Time
	entries []*Entry
	made    int // entries ever made, for their ids
	conv    int // the current conversation
	start   int // index of the first entry of the current conversation

	tape    int
	resized time.Duration // the last resize
	refs    []*Entry      // the tape's items as entries, by their number
	gone    []string      // ids taken back since the last Changes
	seen    map[*Entry]*sight
	change  map[*Entry]bool
}

// sight is what the log remembers of an entry besides what it exports.
type sight struct {
	first  time.Duration
	kept   bool   // stood long enough
	onTape bool   // an event that a tape showed
	text   string // a reply as it stood when all was quiet
	textAt time.Duration
}

// ate tells whether the end of a reply that stood there was erased by mistake: after a resize, when the agent erases
// too many of the rows that the terminal wrapped anew, or a line or two at any time.
func (s *sight) ate(text string, resized time.Duration) bool {
	if s.text == "" || len(text) >= len(s.text) {
		return false
	}
	if rest, ok := strings.CutPrefix(s.text, text); ok && text != "" && rest[0] == '\n' && strings.Count(rest, "\n") <= 2 {
		return true
	}
	if resized < s.textAt {
		return false
	}
	now, was := words(text), words(s.text)
	return len(now) < len(was) && strings.HasPrefix(was, now)
}

// NewLog returns an empty log. The entries' ids derive from id; their times from started.
func NewLog(id string, started time.Time) *Log {
	return &Log{id: id, started: started, tape: -1, seen: map[*Entry]*sight{}, change: map[*Entry]bool{}}
}

// Entries returns the log's entries in order, with Seq from 1. The caller must not change them.
func (l *Log) Entries() []*Entry {
	for i, e := range l.entries {
		if e.Seq != i+1 {
			e.Seq = i + 1
			l.change[e] = true
		}
	}
	return l.entries
}

// Changes returns the entries that are new or different since the last call, in order, and the ids of those that
// were taken back.
func (l *Log) Changes() (changed []*Entry, gone []string) {
	for _, e := range l.Entries() {
		if l.change[e] {
			changed = append(changed, e)
		}
	}
	gone, l.gone = l.gone, nil
	clear(l.change)
	return changed, gone
}

// Event appends an event. EventNewSession and EventClear begin a conversation.
func (l *Log) Event(name, agent string, data map[string]any, at time.Duration, offset int64) *Entry {
	e := l.make(&Entry{Type: TypeEvent, Event: name, Agent: agent, Data: data}, at, offset)
	l.seen[e].kept = true
	if name == EventResize {
		l.resized = at
	}
	l.begin(e)
	l.entries = append(l.entries, e)
	return e
}

// begin counts up the conversation if e begins one.
func (l *Log) begin(e *Entry) {
	if e.Event == EventNewSession || e.Event == EventClear {
		l.conv++
		l.start = len(l.entries) + 1
		e.Conversation = l.conv
	}
}

func (l *Log) make(e *Entry, at time.Duration, offset int64) *Entry {
	l.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", l.id, l.made))
	e.ID = hex.EncodeToString(sum[:10])
	e.Conversation = l.conv
	e.At, e.Offset = l.started.Add(at).UTC(), offset
	l.seen[e] = &sight{first: at}
	l.change[e] = true
	return e
}

// Finish ends the log: what was still growing is complete, or partial where the recording ends in it.
func (l *Log) Finish() {
	for _, e := range l.entries {
		if e.Status == StatusStreaming {
			e.Status = StatusPartial
			l.change[e] = true
		}
	}
}

// HasMessages tells whether the current conversation holds a message of the user.
func (l *Log) HasMessages() bool {
	for _, e := range l.entries[min(l.start, len(l.entries)):] {
		if e.Role == RoleUser {
			return true
		}
	}
	return false
}
