package store

import (
	"context"
	"iter"

	"github.com/ptyrec/ptyrec/session"
)

// Reader has sessions, as far as its user may read them: those of this machine, or those of a team.
type Reader interface {
	// Find returns the session that ref names: an id, the start of one that no other session
	// shares, or "last". The error wraps session.ErrNotFound or session.ErrAmbiguous.
	Find(ctx context.Context, ref string) (*Info, error)
	// Sessions returns the sessions that the filter chooses, the newest first.
	Sessions(ctx context.Context, f Filter) ([]*Info, error)
	// SearchAll returns the sessions whose labels a query finds, and the messages that it finds.
	SearchAll(ctx context.Context, q Query) ([]*LabelHit, []*Hit, error)
	// Page returns a span of the entries of a session, in order.
	Page(ctx context.Context, id string, span Span) (Page, error)
	// EntriesAfter returns the entries of a session in order whose numbers are larger than seq.
	EntriesAfter(ctx context.Context, id string, seq int) ([]*session.Entry, error)
	// Each returns the entries of a session in order, without holding all of them.
	Each(ctx context.Context, id string) iter.Seq2[*session.Entry, error]
	// EventsFrom returns the raw log of a session from a position on. It yields a *Damage for what
	// cannot be read, and continues after it.
	EventsFrom(ctx context.Context, id string, from From) iter.Seq2[session.Event, error]
	// OutputFrom is EventsFrom for the output from a byte on, and changes of the window's size.
	OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[Placed, error]
}

// Counter counts the sessions that a filter chooses, whatever its Limit and After.
type Counter interface {
	Count(ctx context.Context, f Filter) (int, error)
	Facets(ctx context.Context, f Filter) (Facets, error)
}

// Writer changes what a user may change of a session.
type Writer interface {
	Rename(ctx context.Context, id, name string) error
	SetNote(ctx context.Context, id, note string) error
	// Tag adds tags, removes others, and returns those that the session has then, sorted.
	Tag(ctx context.Context, id string, add, remove []string) ([]string, error)
	DeleteSession(ctx context.Context, id string) error
}

// Extracted is what was read out of a session's raw log.
type Extracted struct {
	// Entries are all of the session, in order. nil: those that are stored are all that there is,
	// and Session and Usage do not count.
	Entries iter.Seq2[*session.Entry, error]
	// Usage replaces what the agents printed of the tokens that they used.
	Usage []session.Usage
	// Session has the title, the folder and the agents; nil: they stay as they are.
	Session *session.Session
	// End, if set, has the end and the exit code, which the recorder could not write.
	End *session.Session
}
