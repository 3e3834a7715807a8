package store

import (
	"github.com/ptyrec/ptyrec/session"
)

// Rewrite is the replacement for a session's contents.
type Rewrite struct {
	Command []string
	Text    func(string) string // changes the title, name, note and folder; nil leaves them
	Entries []*session.Entry    // all entries
	// Event changes an event of the raw log and reports whether it did. number counts from 0. The
	// length of the data, the kind and the time must stay the same. nil leaves the raw log
	// unchanged.
	Event func(number int64, ev *session.Event) bool
	// Drop deletes unreadable segments.
	Drop bool
}
