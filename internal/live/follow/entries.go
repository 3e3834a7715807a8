package follow

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Events reads the raw logs of sessions. *sqlite.Store implements it.
type Events interface {
	EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error]
}

// Log reads a raw log that grows. Its zero value is not usable. It must not be used concurrently.
type Log struct {
	Store Events
	ID    string // of the session
	next  int64  // number of the next event
}

// Each calls fn with the events that were added since the last call.
func (l *Log) Each(ctx context.Context, fn func(e session.Event)) error {
	for e, err := range l.Store.EventsFrom(ctx, l.ID, store.From{Event: l.next}) {
		if damage := (*store.Damage)(nil); errors.As(err, &damage) {
			l.next = damage.EndEvent
			continue
		}
		if err != nil {
			return err
		}
		l.next++
		fn(e)
	}
	return nil
}

// Reader extracts the entries of a session from its events. It must not be used concurrently.
type Reader interface {
	Feed(e session.Event)
	// Changes returns the entries that were added or changed since the last call, in the form for
	// viewers, and the ids of those that were removed.
	Changes() (changed []*session.Entry, gone []string)
	Close() // called after the last event
}

// List is the list of entries that a Reader extracts. It must not be used concurrently.
type List struct {
	Reader Reader
	all    []*session.Entry
}

// Update applies the changes of the Reader. It returns the entries that were added or changed since
// the last call, and the ids of those that were removed.
func (l *List) Update() (changed []*session.Entry, gone []string) {
	changed, gone = l.Reader.Changes()
	l.all = slices.DeleteFunc(l.all, func(e *session.Entry) bool { return slices.Contains(gone, e.ID) })
	for _, e := range changed {
		if i := slices.IndexFunc(l.all, func(old *session.Entry) bool { return old.ID == e.ID }); i >= 0 {
			l.all[i] = e
		} else {
			l.all = append(l.all, e)
		}
	}
	return changed, gone
}

// After returns the entries with a greater number, in order, as of the last Update.
func (l *List) After(seq int) []*session.Entry {
	return slices.DeleteFunc(slices.Clone(l.all), func(e *session.Entry) bool { return e.Seq <= seq })
}

// Entries are the entries of a session that another process records. They must not be used
// concurrently.
type Entries struct {
	List
	log Log
}

// NewEntries returns the entries of a session that r extracts.
func NewEntries(s Events, id string, r Reader) *Entries {
	return &Entries{List: List{Reader: r}, log: Log{Store: s, ID: id}}
}

// Read reads what is new in the raw log, and returns the result of Update. over means that nothing
// follows.
func (t *Entries) Read(ctx context.Context, over bool) (changed []*session.Entry, gone []string, err error) {
	if err := t.log.Each(ctx, t.Reader.Feed); err != nil {
		return nil, nil, err
	}
	if over {
		t.Reader.Close()
	}
	changed, gone = t.Update()
	return changed, gone, nil
}
