package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// writeCast writes the raw log of a session as an asciicast with a marker at each message. t is its
// transcript. The format is cast, the newest version, or cast2, version 2.
func (x Exporter) writeCast(ctx context.Context, w io.Writer, info *store.Info, t *session.Transcript,
	format string) error {
	p, err := x.part(ctx, info, t)
	if err != nil {
		return err
	}
	defer p.Stop()
	version := cast.Newest
	if format == "cast2" {
		version = 2
	}
	out, err := cast.NewWriter(w, cast.Header{
		Version:   version,
		Cols:      info.Cols,
		Rows:      info.Rows,
		Timestamp: p.started,
		Command:   shellquote.Join(p.transcript.Session.Command...),
		Title:     p.transcript.Session.Title,
	})
	if err != nil {
		return err
	}
	if err := copyEvents(out, &withMarks{source: p.events, marks: marksOf(p.transcript.Entries, p.started)}); err != nil {
		return err
	}
	x.Library.WarnDamage(p.Damage)
	return nil
}

// part is the exported part of a session: entries and raw log.
type part struct {
	*archive.Masked
	events     archive.EventSource
	started    time.Time // time of the first event
	transcript *session.Transcript
}

// part opens the part of session t that x exports. The caller must stop it.
func (x Exporter) part(ctx context.Context, info *store.Info, t *session.Transcript) (*part, error) {
	cut, err := x.Ref.Cut(t, info.Name != "")
	if err != nil {
		return nil, err
	}
	source, err := x.Library.Masked(ctx, info)
	if err != nil {
		return nil, err
	}
	p := &part{source, source, info.StartedAt, cut}
	if !x.Ref.Whole() {
		e, err := archive.NewExcerpt(t, x.Ref, info.Cols, info.Rows, source)
		if err != nil {
			source.Stop()
			return nil, err
		}
		p.events, p.started = e, p.started.Add(e.From)
	}
	return p, nil
}

func copyEvents(out *cast.Writer, source archive.EventSource) error {
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		if err := out.Write(e); err != nil {
			return err
		}
	}
}

// withMarks is an archive.EventSource that adds a marker where each message begins.
type withMarks struct {
	source archive.EventSource
	marks  []session.Event
	held   *session.Event // next event, returned after the markers before it
}

// marksOf returns a marker for each prompt and each reply.
func marksOf(entries []*session.Entry, started time.Time) (marks []session.Event) {
	for _, e := range entries {
		if e.Role == session.RoleUser || e.Role == session.RoleAssistant {
			label := fmt.Sprintf("#%d %s: %s", e.Seq, e.Role, printable.Clip(e.Text, 60))
			marks = append(marks, session.Event{At: max(0, e.At.Sub(started)), Kind: session.Marker, Data: []byte(label)})
		}
	}
	slices.SortStableFunc(marks, func(a, b session.Event) int { return int(a.At - b.At) })
	return marks
}

// Next returns the next event, and io.EOF after the last one.
func (m *withMarks) Next() (session.Event, error) {
	if m.held == nil {
		e, err := m.source.Next()
		if err != nil {
			return e, err // markers after the end would make the recording longer
		}
		m.held = &e
	}
	if len(m.marks) > 0 && m.marks[0].At <= m.held.At {
		mark := m.marks[0]
		m.marks = m.marks[1:]
		return mark, nil
	}
	e := *m.held
	m.held = nil
	return e, nil
}
