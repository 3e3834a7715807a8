package store

import (
	"context"
	"iter"

	"github.com/ptyrec/ptyrec/session"
)

// Reader reads the sessions that its user may see: those of this machine, or those of a team.
type Reader interface {
	// Find returns the session that ref names: an id, a beginning or end that no other id has, or
	// "last". The error wraps session.ErrNotFound or session.ErrAmbiguous.
	Find(ctx context.Context, ref string) (*Info, error)
	// Sessions returns the sessions that the filter chooses, the newest first.
	Sessions(ctx context.Context, f Filter) ([]*Info, error)
	// SearchAll returns the sessions whose labels match the query, and the messages that match it.
	SearchAll(ctx context.Context, q Query) ([]*LabelHit, []*Hit, error)
	// Page returns a span of the entries of a session, in order.
	Page(ctx context.Context, id string, span Span) (Page, error)
	// EntriesAfter returns the entries of a session whose numbers are greater than seq, in order.
	EntriesAfter(ctx context.Context, id string, seq int) ([]*session.Entry, error)
	// Each iterates over the entries of a session in order, without loading all of them.
	Each(ctx context.Context, id string) iter.Seq2[*session.Entry, error]
	// EventsFrom returns the raw log of a session from a position on. It yields a *Damage for what
	// cannot be read, and continues after it.
	EventsFrom(ctx context.Context, id string, from From) iter.Seq2[session.Event, error]
	// OutputFrom returns the output from a byte offset on and the changes of the window's size.
	// Otherwise it is like EventsFrom.
	OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[Placed, error]
}

// Counter counts the sessions that a filter selects, ignoring its Limit and After.
type Counter interface {
	Count(ctx context.Context, f Filter) (int, error)
	Facets(ctx context.Context, f Filter) (Facets, error)
}

// Writer changes what a user may change about a session.
type Writer interface {
	Rename(ctx context.Context, id, name string) error
	SetNote(ctx context.Context, id, note string) error
	// Tag adds and removes tags. It returns the session's tags afterwards, sorted.
	Tag(ctx context.Context, id string, add, remove []string) ([]string, error)
	DeleteSession(ctx context.Context, id string) error
}

// Extracted is what was extracted from a session's raw log.
type Extracted struct {
	// Entries are all entries of the session, in order. nil keeps the stored entries, and Session
	// and Usage are ignored.
	Entries iter.Seq2[*session.Entry, error]
	// Usage replaces the token counts that the agents printed.
	Usage []session.Usage
	// Session has the title, the folder and the agents. nil leaves them unchanged.
	Session *session.Session
	// End, if set, has the end time and the exit code, which the recorder could not write.
	End *session.Session
}
