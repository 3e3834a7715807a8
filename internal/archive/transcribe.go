package archive

import (
	"errors"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
)

// EventSource returns the raw events of a recording in order. The error is io.EOF after the last
// one.
type EventSource interface {
	Next() (session.Event, error)
}

// Transcriber builds the transcript of a recording from its events.
type Transcriber struct {
	Session session.Session // its end, agents and title are set by Close
	Usage   []session.Usage // token usage that the agents printed; set by Close
	screen  *transcript.Processor
	command *process.Transcript // for a command whose output went through pipes; else nil
	last    time.Duration
	bytes   int64 // output since the last call of Forget
}

// NewTranscriber returns a Transcriber of a session.
func NewTranscriber(s session.Session) *Transcriber {
	t := &Transcriber{Session: s, screen: newProcessor(s)}
	if s.Piped() {
		t.command = process.NewTranscript(s)
	}
	return t
}

// Feed adds the next event.
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

// forgetEvery is the number of output bytes between two calls of Forget.
const forgetEvery = 256 << 10

// Forget returns the entries that cannot change any more and removes them from the Transcriber. It
// does so only from time to time; otherwise it returns nil.
func (t *Transcriber) Forget() []*session.Entry {
	if t.bytes < forgetEvery {
		return nil
	}
	t.bytes = 0
	t.screen.Changes()
	return t.screen.Forget()
}

// Entries returns the entries that Forget has not removed. The caller must not change them.
func (t *Transcriber) Entries() []*session.Entry {
	if t.command != nil {
		return t.command.Entries()
	}
	return t.screen.Entries()
}

// Close completes the transcript. whole is false if the recording was truncated. It sets the
// session's end and agents, and its title if it has none, to what the recording shows.
func (t *Transcriber) Close(whole bool) {
	t.screen.Close(t.last)
	if whole {
		ended := t.Session.StartedAt.Add(t.last)
		t.Session.EndedAt = &ended
	}
	t.Usage = t.screen.Usage()
	t.Session.Agents = append([]session.Agent{}, t.screen.Agents()...)
	if t.Session.Title == "" { // an existing title stays
		t.Session.Title = t.screen.Title()
	}
}

// Transcribe extracts the transcript of a recording. If the source fails, it returns the transcript
// up to there with the error. If tap is not nil, it is called with each event.
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

// newProcessor returns a Processor for the recording of a session.
func newProcessor(s session.Session) *transcript.Processor {
	return transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command, Imported: imported(s.ID),
	})
}
