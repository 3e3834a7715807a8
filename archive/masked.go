package archive

import (
	"context"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Masked is the raw log of a stored session as its user may see it: without secrets, and as a
// terminal shows it.
type Masked struct {
	*RawLog
	hidden *Rewriting
}

// NewMasked reads the raw log of a session: once for secrets and, if there are some, once for parts
// of them, before it is read by the caller. Stop must be called.
func NewMasked(ctx context.Context, s Log, info *store.Info, r Redaction) (*Masked, error) {
	w := &Rewriting{}
	if r.Redactor != nil {
		w = newRewriting(r)
		if err := w.hide(ctx, s, info.ID); err != nil {
			return nil, err
		}
	}
	return &Masked{NewRawLog(ctx, s, info.ID, 0), w}, nil
}

// NewSent is NewMasked for what leaves the machine: it hides what only the screen showed in one
// piece, too, as NewRewriting does. The first reading passes each event to tap.
func NewSent(ctx context.Context, s Log, info *store.Info, r Redaction, tap func(session.Event)) (*Masked, error) {
	w := newRewriting(r)
	if err := w.hideShown(ctx, s, info, nil, tap); err != nil {
		return nil, err
	}
	return &Masked{NewRawLog(ctx, s, info.ID, 0), w}, nil
}

// Next returns the next event, and io.EOF after the last one. What the raw log says of a repository
// is left out: it is no part of what the terminal showed.
func (m *Masked) Next() (session.Event, error) {
	for {
		e, err := m.RawLog.Next()
		if err != nil {
			return session.OnTerminal(e), err
		}
		if e.Kind == session.Marker {
			if _, ok := session.ReadGitMark(e.Data); ok {
				continue
			}
		}
		m.hidden.event(m.Number-1, &e)
		return session.OnTerminal(e), nil
	}
}
