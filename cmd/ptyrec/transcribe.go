package main

import (
	"errors"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/transcript"
)

// eventSource returns the raw events of a recording in order, then io.EOF.
type eventSource interface {
	Next() (session.Event, error)
}

// transcriber makes the transcript of a recording from its events.
type transcriber struct {
	session session.Session
	screen  *transcript.Processor
	command *process.Transcript // of a command whose output went through pipes; else nil
	last    time.Duration
	bytes   int64 // of output since the last call of forget
}

func newTranscriber(s session.Session) *transcriber {
	t := &transcriber{session: s, screen: newProcessor(s)}
	if s.Piped() {
		t.command = process.NewTranscript(s)
	}
	return t
}

// feed takes the next event.
func (t *transcriber) feed(e session.Event) {
	t.last = e.At
	t.bytes += e.Printed()
	if e.Kind == session.Exit {
		status := e.Status
		t.session.ExitCode = &status
	}
	if t.command != nil {
		t.command.Feed(e)
	} else {
		t.screen.Feed(e)
	}
}

// forgetEvery is how many bytes of output come between two calls of forget.
const forgetEvery = 256 << 10

// forget lets go of the entries that cannot change any more, from time to time, and returns them.
func (t *transcriber) forget() []*session.Entry {
	if t.bytes < forgetEvery {
		return nil
	}
	t.bytes = 0
	t.screen.Changes()
	return t.screen.Forget()
}

// entries returns those that were not let go of. The caller must not change them.
func (t *transcriber) entries() []*session.Entry {
	if t.command != nil {
		return t.command.Entries()
	}
	return t.screen.Entries()
}

// close ends the transcript; whole means that the recording did not break off. The session's end,
// agents, and its title if it has none, are filled in from what the recording shows.
func (t *transcriber) close(whole bool) {
	t.screen.Close(t.last)
	if whole {
		ended := t.session.StartedAt.Add(t.last)
		t.session.EndedAt = &ended
	}
	t.session.Agents = append([]session.Agent{}, t.screen.Agents()...)
	if t.session.Title == "" { // one that was given stays
		t.session.Title = t.screen.Title()
	}
}

// transcribe reads the transcript of a recording. If the source breaks off, it returns the
// transcript of all that came before with the error. It passes each event to tap, too, if there is
// one.
func transcribe(s session.Session, source eventSource, tap func(session.Event)) (*session.Transcript, error) {
	t := newTranscriber(s)
	var err error
	for {
		var e session.Event
		if e, err = source.Next(); err != nil {
			break
		}
		t.feed(e)
		if tap != nil {
			tap(e)
		}
	}
	t.close(errors.Is(err, io.EOF))
	return &session.Transcript{
		Format:  session.TranscriptFormat,
		Version: session.TranscriptVersion,
		Session: t.session,
		Entries: append([]*session.Entry{}, t.entries()...),
	}, ignoreEnd(err)
}

func newProcessor(s session.Session) *transcript.Processor {
	return transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command,
	})
}
