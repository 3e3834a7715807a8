package main

import (
	"errors"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// eventSource returns the raw events of a recording in order, then io.EOF.
type eventSource interface {
	Next() (session.Event, error)
}

// transcribe runs a recording through the Processor. If the source breaks off, it returns the
// transcript of what came before, and the error. The session's end, exit status and agents, and its
// title if it has none, are filled in from what the recording shows. Each event is shown to tap,
// too, if there is one.
func transcribe(s session.Session, source eventSource, tap func(session.Event)) (*session.Transcript, error) {
	var command *process.Transcript
	if s.Piped() {
		command = process.NewTranscript(s)
	}
	p := newProcessor(s)
	var last time.Duration
	var err error
	for {
		var e session.Event
		if e, err = source.Next(); err != nil {
			break
		}
		last = e.At
		if e.Kind == session.Exit {
			status := e.Status
			s.ExitCode = &status
		}
		if command != nil {
			command.Feed(e)
		} else {
			p.Feed(e)
		}
		if tap != nil {
			tap(e)
		}
	}
	p.Close(last)
	if errors.Is(err, io.EOF) {
		err = nil
		ended := s.StartedAt.Add(last)
		s.EndedAt = &ended
	}
	entries := append([]*session.Entry{}, p.Entries()...)
	if command != nil {
		entries = command.Entries()
	}
	s.Agents = append([]session.Agent{}, p.Agents()...)
	if s.Title == "" { // one that was given stays
		s.Title = p.Title()
	}
	return &session.Transcript{
		Format:  session.TranscriptFormat,
		Version: session.TranscriptVersion,
		Session: s,
		Entries: entries,
	}, err
}

func newProcessor(s session.Session) *recorder.Processor {
	return recorder.NewProcessor(recorder.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command,
	})
}
