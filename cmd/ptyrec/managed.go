package main

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// managedLog reads a session of a management server as a raw log, from the first frame that the
// server has.
type managedLog struct {
	a       *app
	stream  *client.Stream
	session session.Session // which started with its first frame
	frames  int64           // that the server had when we joined
	whole   bool            // we have read them
	begun   bool
	first   time.Duration // when the first frame was, since the start that the server states
	last    time.Duration // when the last event was, since the first
}

// openManaged joins the session at a URL. The caller must close the stream.
func openManaged(ctx context.Context, a *app, where string) (*managedLog, error) {
	options := a.liveOptions(nil)
	var err error
	if options.Token, err = new(attachFlags).serverToken(where); err != nil {
		return nil, err
	}
	server, err := client.Dial(ctx, where, options)
	if err != nil {
		return nil, attachError(err)
	}
	stream, err := server.Attach(ctx, "", client.AttachOptions{Name: viewerName(), Mode: protocol.ModeFrames, From: new(int64)})
	if err != nil {
		return nil, attachError(err)
	}
	return &managedLog{a: a, stream: stream}, nil
}

// isOther reports whether what follows is another session, which has taken the place of ours.
func (l *managedLog) isOther(event client.Event) bool {
	c, ok := event.(client.Connected)
	return ok && l.session.ID != "" && l.session.ID != c.Session.ID
}

// take returns the event of a raw log for an event of the stream, and tells the user
// what else there is to know.
func (l *managedLog) take(event client.Event) (e session.Event, ok bool) {
	switch v := event.(type) {
	case client.Connected:
		if l.isOther(v) {
			*l = managedLog{a: l.a, stream: l.stream}
		}
		l.frames = v.Frames
		if !l.begun {
			l.session = v.Session
		}
	case client.Lost:
		if v.Try == 1 {
			l.a.notice("the connection is lost, trying again")
		}
	case protocol.Notice:
		l.a.notice("%s", v.Text)
	case protocol.Snapshot: // in place of frames that the server has left out
		return session.Event{Kind: session.Output, At: l.last, Data: v.Data}, l.begun
	case protocol.Numbered:
		l.whole = l.whole || v.Number >= l.frames
		if e, ok = client.RawEvent(v); ok {
			e.At = l.at(e.At)
		}
	}
	return e, ok
}

// at returns when a frame was, since the first one.
func (l *managedLog) at(at time.Duration) time.Duration {
	if !l.begun {
		l.begun, l.first = true, at
		l.session.StartedAt = l.session.StartedAt.Add(at)
	}
	l.last = max(l.last, at-l.first)
	return l.last
}

// quiet lets a time go by in which nothing comes, and returns what time it is then.
func (l *managedLog) quiet(d time.Duration) time.Duration {
	l.last += d
	return l.last
}
