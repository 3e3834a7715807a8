// Package explain writes how a recording was read off its screen.
package explain

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/transcript"
)

// Write writes for each frame of the recording of s what was read off the screen: its lines with
// the role and the rule that claimed each. Lines without were taken for chrome.
func Write(out io.Writer, s session.Session, source archive.EventSource) error {
	w := bufio.NewWriter(out)
	p := transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command,
		Explain: func(at time.Duration, e extractor.Explanation) { writeFrame(w, at, e) },
	})
	var last time.Duration
	for {
		e, err := source.Next()
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

func writeFrame(w io.Writer, at time.Duration, e extractor.Explanation) {
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
