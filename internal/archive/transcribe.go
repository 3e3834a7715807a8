package archive

import (
	"errors"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
)

// EventSource returns the raw events of a recording in order, then io.EOF.
type EventSource interface {
	Next() (session.Event, error)
}

// Transcriber makes the transcript of a recording from its events.
type Transcriber struct {
	Session session.Session // its end, agents and title are known once it is closed
	Usage   []session.Usage // what the agents printed of it, likewise
	screen  *transcript.Processor
	command *process.Transcript // of a command whose output went through pipes; else nil
	last    time.Duration
	bytes   int64 // of output since the last call of Forget
}

// NewTranscriber returns a Transcriber of a session.
func NewTranscriber(s session.Session) *Transcriber {
	t := &Transcriber{Session: s, screen: NewProcessor(s)}
	if s.Piped() {
		t.command = process.NewTranscript(s)
	}
	return t
}

// Feed takes the next event.
func (t *Transcriber) Feed(e session.Event) {
	t.last = e.At
	t.bytes += e.Printed()
	if e.Kind == session.Exit {
		status := e.Status
		t.Session.ExitCode = &status
	}
	if t.command != nil {
		t.command.Feed(e)
	} else {
		t.screen.Feed(e)
	}
}

// forgetEvery is how many bytes of output come between two calls of Forget.
const forgetEvery = 256 << 10

// Forget lets go of the entries that cannot change any more, from time to time, and returns them.
func (t *Transcriber) Forget() []*session.Entry {
	if t.bytes < forgetEvery {
		return nil
	}
	t.bytes = 0
	t.screen.Changes()
	return t.screen.Forget()
}

// Entries returns the entries that were not let go of. The caller must not change them.
func (t *Transcriber) Entries() []*session.Entry {
	if t.command != nil {
		return t.command.Entries()
	}
	return t.screen.Entries()
}

// Close ends the transcript; whole means that the recording did not break off. The session's end,
// agents, and its title if it has none, are filled in from what the recording shows.
func (t *Transcriber) Close(whole bool) {
	t.screen.Close(t.last)
	if whole {
		ended := t.Session.StartedAt.Add(t.last)
		t.Session.EndedAt = &ended
	}
	t.Usage = t.screen.Usage()
	t.Session.Agents = append([]session.Agent{}, t.screen.Agents()...)
	if t.Session.Title == "" { // one that was given stays
		t.Session.Title = t.screen.Title()
	}
}

// Transcribe reads the transcript of a recording. If the source breaks off, it returns the
// transcript of all that came before with the error. It passes each event to tap, too, if there is
// one.
func Transcribe(s session.Session, source EventSource, tap func(session.Event)) (*session.Transcript, error) {
	t := NewTranscriber(s)
	var err error
	for {
		var e session.Event
		if e, err = source.Next(); err != nil {
			break
		}
		t.Feed(e)
		if tap != nil {
			tap(e)
		}
	}
	t.Close(errors.Is(err, io.EOF))
	return &session.Transcript{
		Format:  session.TranscriptFormat,
		Version: session.TranscriptVersion,
		Session: t.Session,
		Entries: append([]*session.Entry{}, t.Entries()...),
		Usage:   t.Usage,
	}, IgnoreEnd(err)
}

// NewProcessor returns a Processor for the recording of a session.
func NewProcessor(s session.Session) *transcript.Processor {
	return transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command, Imported: imported(s.ID),
	})
}
