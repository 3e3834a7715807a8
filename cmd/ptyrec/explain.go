package main

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/transcript"
)

// explain writes for each frame of a recording what was read off the screen: its lines with the
// role and the rule that claimed each. Lines without were taken for chrome.
func explain(a *app, path string) error {
	rec, err := a.openRecording(path, func(int) {})
	if err != nil {
		return err
	}
	defer rec.Close()
	w := bufio.NewWriter(a.stdout)
	s := rec.Session
	p := transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command,
		Explain: func(at time.Duration, e extractor.Explanation) { writeExplanation(w, at, e) },
	})
	var last time.Duration
	for {
		e, err := rec.Next()
		if err != nil {
			p.Close(last)
			if err := w.Flush(); err != nil {
				return err
			}
			return archive.IgnoreEnd(err)
		}
		p.Feed(e)
		last = e.At
	}
}

func writeExplanation(w io.Writer, at time.Duration, e extractor.Explanation) {
	agent := e.Agent
	if agent == "" {
		agent = "shell"
	}
	fmt.Fprintf(w, "== %.3fs %s, tape %d\n", at.Seconds(), printable.Line(agent), e.Tape)
	for i, l := range e.Lines {
		role, rule := "", ""
		for _, it := range e.Items {
			if n := e.From + i; n >= it.First && n < it.End {
				role, rule = it.Role+it.Event, it.Rule
			}
		}
		fmt.Fprintf(w, "%6d %-10s %-28s|%s\n", e.From+i, role, rule, printable.Text(l.Text))
	}
}
