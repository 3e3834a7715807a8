package agentapi

import (
	"slices"
	"sync"
	"time"
)

// Statuses of a session.
const (
	statusStable  = "stable"
	statusRunning = "running"
)

// note is an event for clients that is not a message.
type note struct {
	version int
	status  string  // the new status; empty if it is an error
	failure failure // an error of the session, not of a request
}

// failure is an error that clients receive as an event.
type failure struct {
	Message string    `json:"message"`
	Level   string    `json:"level"` // warning or error
	Time    time.Time `json:"time"`
}

const (
	maxFailures = 100 // for a new client
	maxNotes    = 256 // for a slow client
)

// board is the state of a session that clients see. It may be used concurrently. Its lock is held
// only briefly.
type board struct {
	mu       sync.Mutex // guards the fields below
	version  int        // number of changes so far
	changed  chan struct{}
	status   string
	messages []Message
	versions []int // for each message, the version in which it changed last
	notes    []note
	failures []failure
	screen   string
	painted  int // the version in which the screen changed last
	watchers int // number of clients that watch the screen
	over     bool
}

func newBoard() *board {
	return &board{changed: make(chan struct{}), status: statusRunning}
}

// touch counts a change and returns its version. b.mu must be held.
func (b *board) touch() int {
	b.version++
	return b.version
}

// wake wakes those who wait for a change. b.mu must be held.
func (b *board) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// post sets the messages and the status.
func (b *board) post(messages []Message, status string, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.version
	for i, m := range messages {
		switch {
		case i >= len(b.messages):
			b.messages, b.versions = append(b.messages, m), append(b.versions, b.touch())
		case b.messages[i] != m:
			b.messages[i], b.versions[i] = m, b.touch()
		}
	}
	if b.status != status {
		b.status = status
		b.note(note{version: b.touch(), status: status})
	}
	if b.version != before || over != b.over {
		b.over = over
		b.wake()
	}
}

// note adds a note. b.mu must be held.
func (b *board) note(n note) {
	if len(b.notes) >= maxNotes {
		b.notes = slices.Delete(b.notes, 0, len(b.notes)-maxNotes+1)
	}
	b.notes = append(b.notes, n)
}

// fail reports an error to clients.
func (b *board) fail(level, message string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := failure{Message: message, Level: level, Time: at.UTC()}
	b.failures = append(b.failures, f)
	b.failures = b.failures[max(0, len(b.failures)-maxFailures):]
	b.note(note{version: b.touch(), failure: f})
	b.wake()
}

// paint sets the screen.
func (b *board) paint(screen string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.screen != screen {
		b.screen, b.painted = screen, b.touch()
		b.wake()
	}
}

// now returns the status and the messages.
func (b *board) now() (status string, messages []Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status, slices.Clone(b.messages)
}

// news is what has changed since a version.
type news struct {
	messages []Message
	notes    []note
	version  int
	changed  <-chan struct{} // closed at the next change
	over     bool            // there are no further changes
}

// all returns the news for a new client.
func (b *board) all() news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := news{messages: slices.Clone(b.messages), version: b.version, changed: b.changed, over: b.over}
	n.notes = append(n.notes, note{status: b.status})
	for _, f := range b.failures {
		n.notes = append(n.notes, note{failure: f})
	}
	return n
}

// since returns what changed after a version.
func (b *board) since(version int) news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := news{version: b.version, changed: b.changed, over: b.over}
	for i, m := range b.messages {
		if b.versions[i] > version {
			n.messages = append(n.messages, m)
		}
	}
	for _, c := range b.notes {
		if c.version > version {
			n.notes = append(n.notes, c)
		}
	}
	return n
}

// shown returns the screen, and whether it has changed since a version.
func (b *board) shown(version int) (screen string, now int, differs bool, changed <-chan struct{}, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.screen, b.version, b.painted > version, b.changed, b.over
}

// watch counts a client that watches the screen, until leave is called.
func (b *board) watch() (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watchers--
	}
}

// watched reports whether a client watches the screen.
func (b *board) watched() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.watchers > 0
}
