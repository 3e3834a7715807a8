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

// note is a change that is not a message.
type note struct {
	version int
	status  string  // empty: it is an error
	failure failure // of the session, not of a request
}

// failure is an error that clients are told of by an event.
type failure struct {
	Message string    `json:"message"`
	Level   string    `json:"level"` // warning or error
	Time    time.Time `json:"time"`
}

const (
	maxFailures = 100 // that a new client gets
	maxNotes    = 256 // that a slow one gets
)

// board is what clients see of a session. It may be used concurrently; nothing is done under its
// lock that takes long.
type board struct {
	mu       sync.Mutex // guards the fields below
	version  int        // counts changes
	changed  chan struct{}
	status   string
	messages []Message
	versions []int // of the messages
	notes    []note
	failures []failure
	screen   string
	painted  int // version of the screen
	watchers int // of the screen
	over     bool
}

func newBoard() *board {
	return &board{changed: make(chan struct{}), status: statusRunning}
}

// touch notes a change. The caller holds b.mu.
func (b *board) touch() int {
	b.version++
	return b.version
}

// wake wakes those who wait for a change. The caller holds b.mu.
func (b *board) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// post shows messages and a status.
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

// note keeps a note for those who watch. The caller holds b.mu.
func (b *board) note(n note) {
	if len(b.notes) >= maxNotes {
		b.notes = slices.Delete(b.notes, 0, len(b.notes)-maxNotes+1)
	}
	b.notes = append(b.notes, n)
}

// fail tells clients that something went wrong.
func (b *board) fail(level, message string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := failure{Message: message, Level: level, Time: at.UTC()}
	b.failures = append(b.failures, f)
	b.failures = b.failures[max(0, len(b.failures)-maxFailures):]
	b.note(note{version: b.touch(), failure: f})
	b.wake()
}

// paint shows a screen.
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

// news is what changed since a version.
type news struct {
	messages []Message
	notes    []note
	version  int
	changed  <-chan struct{} // closed at the next change
	over     bool            // nothing changes any more
}

// all returns what a new client gets.
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

// shown returns the screen, and whether it changed after a version.
func (b *board) shown(version int) (screen string, now int, differs bool, changed <-chan struct{}, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.screen, b.version, b.painted > version, b.changed, b.over
}

// watch counts one who watches the screen until leave is called.
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

// watched reports whether anybody watches the screen.
func (b *board) watched() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.watchers > 0
}
