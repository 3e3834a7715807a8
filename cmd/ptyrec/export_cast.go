package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// writeCast writes a session's raw log as an asciicast: cast is the newest version, cast2 version 2. Each message has a marker.
func writeCast(ctx context.Context, a *app, w io.Writer, db *store.Store, info *store.Info, format string) error {
	entries, err := db.Entries(ctx, info.ID)
	if err != nil {
		return err
	}
	source, r, err := newOutgoing(ctx, a, db, info, entries)
	if err != nil {
		return err
	}
	defer source.stop()
	version := cast.Newest
	if format == "cast2" {
		version = 2
	}
	out, err := cast.NewWriter(w, cast.Header{
		Version:   version,
		Cols:      info.Cols,
		Rows:      info.Rows,
		Timestamp: info.StartedAt,
		Command:   joinCommand(r.command(info.Command)),
		Title:     r.title(info.Title, nil),
	})
	if err != nil {
		return err
	}
	if err := copyEvents(out, source); err != nil {
		return err
	}
	for _, d := range source.damage {
		a.notice("warning: %v", d)
	}
	return nil
}

func copyEvents(out *cast.Writer, source eventSource) error {
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

// outgoing is a stored raw log as it may leave: without secrets, and with a marker where each message begins.
type outgoing struct {
	*stored
	masking *rewriting
	marks   []session.Event
	held    *session.Event // comes behind the marks before it
}

// newOutgoing gives the raw log with the marks of these entries. The caller must stop it.
func newOutgoing(ctx context.Context, a *app, db *store.Store, info *store.Info, entries []*session.Entry) (*outgoing, redaction, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, r, err
	}
	masking, err := newMasking(ctx, db, info.ID, r)
	if err != nil {
		return nil, r, err
	}
	return &outgoing{stored: newStored(ctx, db, info.ID, 0), masking: masking, marks: marksOf(r.entries(entries, nil), info.StartedAt)}, r, nil
}

// marksOf gives a marker for each prompt and each reply.
func marksOf(entries []*session.Entry, started time.Time) (marks []session.Event) {
	for _, e := range entries {
		if e.Role == session.RoleUser || e.Role == session.RoleAssistant {
			label := fmt.Sprintf("#%d %s: %s", e.Seq, e.Role, clip(e.Text, 60))
			marks = append(marks, session.Event{At: max(0, e.At.Sub(started)), Kind: session.Marker, Data: []byte(label)})
		}
	}
	slices.SortStableFunc(marks, func(a, b session.Event) int { return int(a.At - b.At) })
	return marks
}

// Next gives the next event, and io.EOF behind the last.
func (o *outgoing) Next() (session.Event, error) {
	if o.held == nil {
		e, err := o.stored.Next()
		if err != nil {
			return e, err // marks behind the end would make the recording longer
		}
		o.masking.event(o.number-1, &e)
		o.held = &e
	}
	if len(o.marks) > 0 && o.marks[0].At <= o.held.At {
		m := o.marks[0]
		o.marks = o.marks[1:]
		return m, nil
	}
	e := *o.held
	o.held = nil
	return e, nil
}
