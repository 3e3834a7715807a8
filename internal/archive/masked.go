package archive

import (
	"context"
	"io"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Masked is the raw log of a stored session without secrets, as its user may see it. It ends where
// the search for secrets ended, even if the session has grown since then.
type Masked struct {
	*RawLog
	mask *Mask
}

// NewMasked returns the masked raw log of a session. It searches the raw log once or twice, see
// NewMask; Next reads it once more. The caller must call Stop.
func NewMasked(ctx context.Context, s Log, info *store.Info, r Redaction) (*Masked, error) {
	m, err := NewMask(ctx, s, info, r)
	if err != nil {
		return nil, err
	}
	return m.Read(ctx, s, info.ID), nil
}

// NewSent is like NewMasked, for a raw log that leaves the machine. It also finds secrets that were
// drawn in pieces and are complete only on the screen. During the first pass it calls tap with each
// event.
func NewSent(ctx context.Context, s Log, info *store.Info, r Redaction, tap func(session.Event)) (*Masked, error) {
	w := newRewriting(r)
	if err := w.hideShown(ctx, s, info, nil, tap); err != nil {
		return nil, err
	}
	return w.mask.Read(ctx, s, info.ID), nil
}

// Next returns the next event, and io.EOF after the last one. It omits the markers for the git
// repository, since the terminal did not show them.
func (m *Masked) Next() (session.Event, error) {
	for {
		e, err := m.RawLog.Next()
		switch {
		case err != nil:
			return session.OnTerminal(e), err
		case m.Number > m.mask.end:
			return session.Event{}, io.EOF
		}
		if e.Kind == session.Marker {
			if _, ok := session.ReadGitMark(e.Data); ok {
				continue
			}
		}
		m.mask.hide(m.Number-1, &e)
		return session.OnTerminal(e), nil
	}
}
