package archive

import (
	"context"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Masked is the raw log of a stored session without secrets, as its user may see it.
type Masked struct {
	*RawLog
	hidden *Rewriting
}

// NewMasked returns the masked raw log of a session. It searches the raw log for secrets and, if it
// finds any, a second time for parts of them. Next reads it once more. The caller must call Stop.
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

// NewSent is like NewMasked, for a raw log that leaves the machine. It also finds secrets that were
// drawn in pieces and are complete only on the screen. During the first pass it calls tap with each
// event.
func NewSent(ctx context.Context, s Log, info *store.Info, r Redaction, tap func(session.Event)) (*Masked, error) {
	w := newRewriting(r)
	if err := w.hideShown(ctx, s, info, nil, tap); err != nil {
		return nil, err
	}
	return &Masked{NewRawLog(ctx, s, info.ID, 0), w}, nil
}

// Next returns the next event, and io.EOF after the last one. It omits the markers for the git
// repository, since the terminal did not show them.
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
