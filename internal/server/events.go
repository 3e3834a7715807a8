package server

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// lastID is the id of the event after the last one.
const lastID = "end"

// watchSession streams the events of a session.
func (s *Server) watchSession(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	withScreen := q.boolean("screen")
	if q.err != nil {
		return q.err
	}
	last := r.Header.Get("Last-Event-ID")
	if last == lastID {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	var stream *client.Stream
	if info.Status == store.Live {
		o := client.AttachOptions{Name: viewerName, Mode: protocol.ModeNone, Entries: new(int)}
		if withScreen {
			o.Mode = protocol.ModeText
		}
		if stream, err = s.Live.Attach(r.Context(), info.ID, o); err != nil {
			return notLive(err)
		}
		defer func() { _ = stream.Close() }()
	}
	ctx, e, done, err := s.startEvents(w, r)
	if err != nil {
		return err
	}
	defer done()
	began := time.Now()
	t := &teller{e: e, shelf: newShelf()}
	if stream == nil {
		err = s.tellPast(ctx, t, info, withScreen, last)
	} else if err = t.tellNext(ctx, stream); err == nil { // the first event is the hello
		if err = s.tellStored(ctx, t, info, last); err == nil {
			err = t.tellLive(ctx, stream)
		}
	}
	s.noteEnd(r, began, err)
	return nil
}

// teller sends a session's events.
type teller struct {
	e     *eventStream
	shelf *shelf // the entries that the client has
	told  bool   // entries were sent, maybe an empty list
}

// tellStored sends the stored entries, except those that the client has. last is the id of the last
// event that it received.
func (s *Server) tellStored(ctx context.Context, t *teller, info *store.Info, last string) error {
	page, err := wholePage(ctx, s.Past, info, store.Span{})
	if err != nil {
		return err
	}
	entries := page.Entries
	has := protocol.Entries{Entries: entries, Title: info.Title, Agents: info.Overview().Agents}
	if n, ok := behind(last, entries); ok {
		t.shelf.put(entries[:n])
		has.Entries = entries[n:]
	} else if err := t.e.send("reset", "", struct{}{}); err != nil {
		return err
	}
	return t.put(has)
}

// put sends the entries that the client does not have.
func (t *teller) put(v protocol.Entries) error {
	v.Entries = t.shelf.put(v.Entries)
	t.shelf.drop(v.Gone)
	if len(v.Entries)+len(v.Gone) == 0 && t.told {
		return nil
	}
	t.told = true
	return inParts(v.Entries, func(part []*session.Entry) error {
		v.Entries = append([]*session.Entry{}, part...)
		err := t.e.send("entries", t.shelf.id(), v)
		v.Gone = nil
		return err
	})
}

// tellPast sends the events of a session that is over.
func (s *Server) tellPast(ctx context.Context, t *teller, info *store.Info, withScreen bool, last string) error {
	hello := map[string]any{"session": info.Overview().Session, "cols": info.Cols, "rows": info.Rows,
		"seq": info.RawBytes, "state": protocol.State{},
		"control": protocol.Control{Viewers: []protocol.Viewer{}}}
	if err := t.e.send("hello", "", hello); err != nil {
		return err
	}
	if err := s.tellStored(ctx, t, info, last); err != nil {
		return err
	}
	if withScreen && info.Recorded() {
		shot, seq, err := s.Past.Screen(ctx, info, math.Inf(1))
		if err != nil {
			return err
		}
		if err := t.e.send("screen", "", textScreen(shot, seq)); err != nil {
			return err
		}
	}
	status := unknownStatus
	if info.ExitCode != nil {
		status = *info.ExitCode
	}
	return t.e.send("exit", lastID, protocol.Exit{Status: status, Seq: info.RawBytes})
}

// tellLive sends the events of a stream.
func (t *teller) tellLive(ctx context.Context, stream *client.Stream) error {
	for {
		if err := t.tellNext(ctx, stream); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func (t *teller) tellNext(ctx context.Context, stream *client.Stream) error {
	event, err := stream.Next(ctx)
	if err != nil {
		return err
	}
	return t.tell(event)
}

func (t *teller) tell(event client.Event) error {
	switch v := event.(type) {
	case client.Connected:
		return t.e.send("hello", "", map[string]any{"session": v.Session, "cols": v.Cols, "rows": v.Rows, "seq": v.Seq,
			"state": v.State, "control": v.Control})
	case protocol.Entries:
		return t.put(v)
	case protocol.State:
		return t.e.send("state", "", v)
	case protocol.Control:
		return t.e.send("control", "", v)
	case protocol.Screen:
		return t.e.send("screen", "", v)
	case protocol.Exit:
		return t.e.send("exit", lastID, v)
	}
	return nil
}
