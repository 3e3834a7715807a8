package main

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/journal"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// attachLog records the session that attach shows, as a session of this machine's database.
type attachLog struct {
	a     *app
	where string // without a token

	hello   protocol.Hello
	journal *journal.Writer // nil until the first frame
	id      string
	first   time.Duration // when that was, since the start of the other session
	err     error
}

func newAttachLog(a *app, where string) *attachLog {
	where, _, _ = strings.Cut(where, "#")
	where, _, _ = strings.Cut(where, "?")
	return &attachLog{a: a, where: where}
}

// take records an event of the stream.
func (l *attachLog) take(event client.Event) {
	switch e := event.(type) {
	case client.Connected:
		l.hello = e.Hello
	case protocol.Numbered:
		raw, ok := client.RawEvent(e)
		if !ok || l.err != nil {
			return
		}
		if l.journal == nil {
			if l.err = l.begin(raw.At); l.err != nil {
				l.a.notice("warning: this session is not recorded: %v", l.err)
				return
			}
		}
		raw.At -= l.first
		l.journal.Put(raw)
	}
}

// begin starts the recording with a frame at this time.
func (l *attachLog) begin(at time.Duration) error {
	path, err := l.a.dbPath()
	if err != nil {
		return err
	}
	l.first, l.id = at, store.NewID()
	s := session.Session{
		ID: l.id, Command: []string{"attach", l.where}, Title: printable.Line(l.hello.Session.Title),
		StartedAt: l.hello.Session.StartedAt.Add(at), Cols: l.hello.Cols, Rows: l.hello.Rows, Agents: []session.Agent{},
	}
	l.journal, err = store.Record(path, s, func() {})
	return err
}

// close ends the recording, and says where it is.
func (l *attachLog) close() {
	if l.journal == nil {
		return
	}
	lost, err := l.journal.Close()
	if err != nil {
		l.a.notice("warning: %d bytes of this session were not recorded: %v", lost, err)
	}
	l.a.notice("recorded as %s; `ptyrec show %[1]s` shows it", l.id[:min(listing.MinPrefix, len(l.id))])
}
