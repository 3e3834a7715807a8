package watch

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// tailBacklog is how much of a command's earlier output tail shows, in bytes.
const tailBacklog = 64 << 10

// commandTail writes the output of a command with pipes, line by line.
type commandTail struct {
	*tailWriter
	archive.Redaction
	info *store.Info
	seq  int // number of its entry
	log  follow.Log
	rest string // an incomplete line
}

// tailWriter is the output of several commands. A command's line is printed whenever the command
// changes.
type tailWriter struct {
	tailOutput
	now *commandTail // the command whose output came last; nil if none
}

// newCommandTail returns the tail of a command. If last is set, it writes the last lines of the
// output so far; otherwise only an incomplete line.
func newCommandTail(ctx context.Context, l *library.Library, w *tailWriter, info *store.Info, seq int,
	last bool) (*commandTail, error) {
	t := &commandTail{tailWriter: w, info: info, seq: seq, log: follow.Log{Store: l.Store, ID: info.ID}}
	t.Redaction, _ = l.Redact.Of(info.Command)
	written := ""
	err := t.log.Each(ctx, func(e session.Event) {
		written += session.Text(e.Data[:e.Printed()])
		if len(written) > 2*tailBacklog {
			written = lastLines(written)
		}
	})
	if written = lastLines(written); !last {
		written = written[strings.LastIndexByte(written, '\n')+1:]
	}
	if err == nil {
		err = t.add(written)
	}
	return t, err
}

// lastLines returns the end of a text, starting at the beginning of a line.
func lastLines(text string) string {
	if len(text) <= tailBacklog {
		return text
	}
	text = text[len(text)-tailBacklog:]
	return text[strings.IndexByte(text, '\n')+1:]
}

// follow writes new output.
func (t *commandTail) follow(ctx context.Context) error {
	text := ""
	err := t.log.Each(ctx, func(e session.Event) { text += session.Text(e.Data[:e.Printed()]) })
	if err == nil {
		err = t.add(text)
	}
	return err
}

// add writes the lines that text completes.
func (t *commandTail) add(text string) error {
	text = t.rest + text
	end := strings.LastIndexByte(text, '\n') + 1
	if end == 0 && len(text) > tailBacklog {
		end = len(text) // such a long line is written in parts
	}
	text, t.rest = text[:end], text[end:]
	if text == "" {
		return nil
	}
	return t.show(text)
}

// show writes lines, after the command line if the previous lines belong to another command.
func (t *commandTail) show(lines string) error {
	if t.now != t {
		t.now = t
		e := session.Entry{
			Seq: t.seq, Type: session.TypeMessage, Role: session.RoleShell, At: t.info.StartedAt,
			Text: process.CommandText(t.info.Command),
		}
		e.Cwd = t.info.Cwd
		if _, err := io.WriteString(t.Out, t.Format.Entry(&e)); err != nil {
			return err
		}
	}
	if lines == "" {
		return nil
	}
	_, err := io.WriteString(t.Out, t.Format.Lines(t.Text(ansi.Strip(lines), nil)))
	return err
}

// end writes the rest, and how the command has ended.
func (t *commandTail) end(ctx context.Context, e *session.Entry) error {
	if err := t.follow(ctx); err != nil {
		return err
	}
	status := t.Format.Status(e)
	if t.rest == "" && t.now != t && status == "" {
		return nil
	}
	if t.rest != "" || t.now != t {
		if err := t.show(t.rest); err != nil {
			return err
		}
	}
	_, err := io.WriteString(t.Out, status)
	return err
}

// runningCommand follows a command until it ends.
func runningCommand(ctx context.Context, l *library.Library, info *store.Info, o tailOutput) error {
	t, err := newCommandTail(ctx, l, &tailWriter{tailOutput: o}, info, 1, o.Last > 0)
	if err != nil {
		return err
	}
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	for {
		info, err := l.Store.Find(ctx, info.ID) // before reading output, so that none is missed at the end
		if err != nil {
			return err
		}
		if info.Status != store.Live {
			said, err := l.Transcript(ctx, info)
			if err != nil || len(said.Entries) == 0 {
				return err
			}
			return t.end(ctx, said.Entries[len(said.Entries)-1])
		}
		if err := t.follow(ctx); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
