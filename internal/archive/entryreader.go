package archive

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// EntryReader extracts the entries of a session, without secrets, from its events while it is
// recorded. It implements follow.Reader.
type EntryReader struct {
	t      *Transcriber
	redact Redaction
	fed    bool // whether the entry of a command with pipes may have changed
}

// NewEntryReader returns an EntryReader for a session. It must be fed from the first event on.
func NewEntryReader(s session.Session, r Redaction) *EntryReader {
	e := &EntryReader{t: NewTranscriber(s), fed: true}
	e.redact, _ = r.Of(s.Command)
	return e
}

// Feed adds the next event.
func (r *EntryReader) Feed(e session.Event) {
	r.t.Feed(e)
	r.fed = true
}

// Tick reports that no event occurred up to at, since the session's start.
func (r *EntryReader) Tick(at time.Duration) { r.t.screen.Tick(at) }

// Changes returns copies of the entries that were added or changed since the last call, and the ids
// of those that were removed.
func (r *EntryReader) Changes() (changed []*session.Entry, gone []string) {
	switch {
	case r.t.command == nil:
		changed, gone = r.t.screen.Changes()
		for i, e := range changed {
			c := *e // the Processor modifies its entries
			changed[i] = &c
		}
	case r.fed:
		changed, r.fed = r.t.command.Entries(), false
	}
	return r.redact.Entries(changed, nil), gone
}

// Close completes the entries after the last event.
func (r *EntryReader) Close() { r.t.Close(true) }
