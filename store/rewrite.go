package store

import (
	"github.com/ptyrec/ptyrec/session"
)

// Rewrite is what takes the place of a session's contents.
type Rewrite struct {
	Command []string
	Text    func(string) string // changes the title, the name, the note and the folder; nil: they stay
	Entries []*session.Entry    // all of them
	// Event changes an event of the raw log, by its number from 0, and says that it did. The
	// length of its data, its kind and its time stay. nil: the raw log stays as it is.
	Event func(number int64, ev *session.Event) bool
	// Drop deletes the segments that cannot be read.
	Drop bool
}
