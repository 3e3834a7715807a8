package library

import (
	"context"
	"io"
	"iter"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Visible returns a session and an iterator over its entries, as their user may see them. It is
// like Transcript, but for a session of any length. The caller must call done afterwards.
func (l *Library) Visible(ctx context.Context, info *store.Info) (s session.Session,
	entries iter.Seq2[*session.Entry, error], done func(), err error) {
	all, done, err := l.Entries(ctx, info)
	if err != nil {
		return s, nil, done, err
	}
	t := session.Transcript{Session: info.Session}
	l.Redact.Transcript(&t, nil) // entries may have been stored before redaction was on
	r, _ := l.Redact.Of(info.Command)
	return t.Session, func(yield func(*session.Entry, error) bool) {
		for e, err := range all {
			if err == nil {
				e = r.Entry(e, nil)
			}
			if !yield(e, err) {
				return
			}
		}
	}, done, nil
}

// WriteOutput writes the raw output of a session's command. The error wraps session.ErrNoRecording
// if there is no recording.
func (l *Library) WriteOutput(ctx context.Context, w io.Writer, info *store.Info) error {
	if err := Recorded(info); err != nil {
		return err
	}
	source := archive.NewRawLog(ctx, l.Store, info.ID, 0)
	defer source.Stop()
	for {
		e, err := source.Next()
		if err != nil {
			l.WarnDamage(source.Damage)
			return archive.IgnoreEnd(err)
		}
		if e.Printed() > 0 {
			if _, err := w.Write(e.Data); err != nil {
				return err
			}
		}
	}
}
