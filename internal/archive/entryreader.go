package archive

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// EntryReader makes the entries of a session, without secrets, from its events while they are
// recorded. It implements follow.Reader.
type EntryReader struct {
	t      *Transcriber
	redact Redaction
	fed    bool // the entry of a command with pipes may have changed
}

// NewEntryReader returns the reader of a session's events from the first one on.
func NewEntryReader(s session.Session, r Redaction) *EntryReader {
	e := &EntryReader{t: NewTranscriber(s), fed: true}
	e.redact, _ = r.Of(s.Command)
	return e
}

// Feed takes the next event.
func (r *EntryReader) Feed(e session.Event) {
	r.t.Feed(e)
	r.fed = true
}

// Tick says that nothing came until a moment, since the session's start.
func (r *EntryReader) Tick(at time.Duration) { r.t.screen.Tick(at) }

// Changes returns copies of the entries that are new or different since the last call, and the ids
// of those that were taken back.
func (r *EntryReader) Changes() (changed []*session.Entry, gone []string) {
	switch {
	case r.t.command == nil:
		changed, gone = r.t.screen.Changes()
		for i, e := range changed {
			c := *e // the Processor changes its own
			changed[i] = &c
		}
	case r.fed:
		changed, r.fed = r.t.command.Entries(), false
	}
	return r.redact.Entries(changed, nil), gone
}

// Close ends the entries after the last event.
func (r *EntryReader) Close() { r.t.Close(true) }
