package join

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Recorder records a session on another machine, as a session of a local database. It receives the
// events of a viewer's stream.
type Recorder struct {
	database string
	where    string // URL of the session, without the token
	warn     func(err error)

	hello   protocol.Hello
	journal *journal.Writer // nil until the first frame
	id      string
	first   time.Duration // time of the first frame, since the start of the session
	err     error
}

// NewRecorder returns a Recorder for the session at a URL. If the recording cannot be started, it
// calls warn once.
func NewRecorder(database, url string, warn func(err error)) *Recorder {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	return &Recorder{database: database, where: url, warn: warn}
}

// Take records an event of the stream.
func (r *Recorder) Take(event client.Event) {
	switch e := event.(type) {
	case client.Connected:
		r.hello = e.Hello
	case protocol.Numbered:
		raw, ok := client.RawEvent(e)
		if !ok || r.err != nil {
			return
		}
		if r.journal == nil {
			if r.err = r.begin(raw.At); r.err != nil {
				r.warn(r.err)
				return
			}
		}
		raw.At -= r.first
		r.journal.Put(raw)
	}
}

// begin starts the recording with a frame at this time.
func (r *Recorder) begin(at time.Duration) (err error) {
	r.first, r.id = at, store.NewID()
	s := session.Session{
		ID: r.id, Command: []string{"attach", r.where}, Title: printable.Line(r.hello.Session.Title),
		StartedAt: r.hello.Session.StartedAt.Add(at), Cols: r.hello.Cols, Rows: r.hello.Rows, Agents: []session.Agent{},
	}
	r.journal, err = sqlite.Record(r.database, s, func() {})
	return err
}

// Close ends the recording, and returns its id, or "" if nothing was recorded. lost is the number
// of bytes that could not be recorded, err the reason.
func (r *Recorder) Close() (id string, lost int64, err error) {
	if r.journal == nil {
		return "", 0, nil
	}
	lost, err = r.journal.Close()
	return r.id, lost, err
}
