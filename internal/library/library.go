// Package library reads stored sessions as their user may see them: to their end, even if the
// recorder could not extract all of it, and without secrets. It also deletes old ones.
package library

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// keeper is a Reader that also stores what is extracted from raw logs. *sqlite.Store implements it.
type keeper interface {
	Path() string
	PutExtracted(ctx context.Context, id string, x store.Extracted) error
}

// Library reads the sessions of a database. Its methods may be called concurrently if Warn and
// Progress may be.
type Library struct {
	Store  store.Reader
	Redact archive.Redaction
	Warn   func(format string, args ...any) // reports what cannot be read; nil discards it
	// Progress, if set, shows how much of total bytes of output has been read.
	Progress func(label string, total int64) *human.Bar

	masks *masks // nil: each reading searches for secrets
}

// ErrNoRawLog reports that a session has no raw log to extract entries from.
var ErrNoRawLog = errors.New("the session has no raw log")

// Recorded returns an error with a hint if a session has no recording to play. It wraps
// session.ErrNoRecording.
func Recorded(info *store.Info) error {
	if info.Recorded() {
		return nil
	}
	return failure.New(fmt.Errorf("session %s: %w", info.ID, session.ErrNoRecording),
		"`ptyrec show "+info.ID+"` shows the conversation; export it as md, html, txt or json")
}

func (l *Library) warn(format string, args ...any) {
	if l.Warn != nil {
		l.Warn(format, args...)
	}
}

// WarnDamage warns about the unreadable parts of a raw log.
func (l *Library) WarnDamage(damage []*store.Damage) {
	for _, d := range damage {
		l.warn("warning: %v", d)
	}
}

func (l *Library) progress(label string, total int64) *human.Bar {
	if l.Progress == nil {
		return new(human.Bar) // a Bar that shows nothing
	}
	return l.Progress(label, total)
}

// Transcript returns a session's transcript. If its raw log is not completely extracted, it does
// that first.
func (l *Library) Transcript(ctx context.Context, info *store.Info) (*session.Transcript, error) {
	if info.Status == store.Live && info.Process != "" {
		return l.running(ctx, info)
	}
	all, done, err := l.Entries(ctx, info)
	if err != nil {
		return nil, err
	}
	defer done()
	entries, err := collect(all)
	if err != nil {
		return nil, err
	}
	s := info.Session
	if s.Agents == nil {
		s.Agents = []session.Agent{}
	}
	t := &session.Transcript{
		Format: session.TranscriptFormat, Version: session.TranscriptVersion,
		Session: s, Entries: entries,
	}
	l.Redact.Transcript(t, nil) // entries may have been stored before redaction was on
	return t, nil
}

// running returns the transcript so far of a command that a program runs. The first call after the
// command's end stores its entries.
func (l *Library) running(ctx context.Context, info *store.Info) (*session.Transcript, error) {
	t, _, err := l.Reread(ctx, info)
	if errors.Is(err, ErrNoRawLog) {
		t, err = &session.Transcript{Session: info.Session, Entries: process.NewTranscript(info.Session).Entries()}, nil
	}
	if t != nil {
		t.Format, t.Version = session.TranscriptFormat, session.TranscriptVersion
		t.Session.EndedAt, t.Session.ExitCode = nil, nil
	}
	return t, err
}

// Reread extracts a session's raw log again. The error is ErrNoRawLog if the session never had one.
func (l *Library) Reread(ctx context.Context, info *store.Info) (*session.Transcript, []*store.Damage, error) {
	if !info.Recorded() {
		return nil, nil, ErrNoRawLog
	}
	source := archive.NewRawLog(ctx, l.Store, info.ID, 0)
	defer source.Stop()
	t, err := archive.Transcribe(info.Session, source, nil)
	if info.EndedAt != nil || t.Session.ExitCode == nil {
		t.Session.EndedAt, t.Session.ExitCode = info.EndedAt, info.ExitCode
	}
	source.Missing(info)
	if err == nil && source.Number == 0 && len(source.Damage) == 0 {
		return nil, nil, ErrNoRawLog
	}
	l.Redact.Transcript(t, nil)
	return t, source.Damage, err
}

// Entries iterates over a session's entries as they are stored; those from before redaction was on
// may contain secrets. If the raw log is not completely extracted, or stored entries are damaged,
// it extracts them. The caller must call done afterwards.
func (l *Library) Entries(ctx context.Context, info *store.Info) (entries iter.Seq2[*session.Entry, error],
	done func(), err error) {
	entries, done = l.Store.Each(ctx, info.ID), func() {}
	if info.Beside || info.Unread && info.Status != store.Live {
		bar := l.progress("reading the recording", info.RawBytes)
		entries, done, err = l.readOut(ctx, info, bar.Add)
		bar.Finish()
		if errors.Is(err, session.ErrCorrupt) {
			entries, done, err = store.Failed(err), func() {}, nil
		}
	}
	return l.mended(ctx, info, entries), done, err
}

// Beginning returns the first messages of a session, up to limit, without secrets. If its raw log
// is not completely extracted, it does that first.
func (l *Library) Beginning(ctx context.Context, info *store.Info, limit int) (messages []*session.Entry, err error) {
	if info.Status == store.Live && info.Process != "" {
		t, err := l.running(ctx, info)
		if t == nil {
			return nil, err
		}
		return t.Entries[:min(limit, len(t.Entries))], err
	}
	all, done, err := l.Entries(ctx, info)
	if err != nil {
		return nil, err
	}
	defer done()
	r, _ := l.Redact.Of(info.Command)
	for e, err := range all {
		if err != nil {
			return messages, err
		}
		if e.Type == session.TypeMessage {
			messages = append(messages, r.Entry(e, nil)) // entries may have been stored before redaction was on
		}
		if len(messages) >= limit {
			break
		}
	}
	return messages, nil
}

// mended returns entries. Where they are damaged, it continues with entries extracted from the raw
// log.
func (l *Library) mended(ctx context.Context, info *store.Info,
	entries iter.Seq2[*session.Entry, error]) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		last := 0
		for e, err := range entries {
			if errors.Is(err, session.ErrCorrupt) {
				l.warn("warning: %v; the raw log is read instead; `ptyrec doctor --repair` repairs it", err)
				rest, err := l.entriesAfter(ctx, info, last)
				for _, e := range rest {
					if !yield(e, nil) {
						return
					}
				}
				if err != nil {
					yield(nil, err)
				}
				return
			}
			if err == nil {
				last = e.Seq
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// entriesAfter extracts the entries after the one numbered last from the raw log.
func (l *Library) entriesAfter(ctx context.Context, info *store.Info, last int) ([]*session.Entry, error) {
	t, _, err := l.Reread(ctx, info)
	if t == nil {
		return nil, err
	}
	return slices.DeleteFunc(t.Entries, func(e *session.Entry) bool { return e.Seq <= last }), err
}

// collect returns the entries as a slice.
func collect(entries iter.Seq2[*session.Entry, error]) ([]*session.Entry, error) {
	out := []*session.Entry{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}
