package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// unknownStatus is the exit status of a session whose end was not recorded.
const unknownStatus = -1

// play serves a past session to a viewer as if it were live: it sends the same frames as the live
// session did, and ends.
func (s *Server) play(ctx context.Context, conn net.Conn, info *store.Info) {
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	frames := protocol.NewReader(bufio.NewReader(conn))
	f, err := frames.Next()
	var a protocol.Attach
	if err != nil || f.Type != protocol.TypeAttach || f.Decode(&a) != nil {
		return
	}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // requests have no effect on a past session
	defer reading.Wait()
	defer func() { _ = conn.Close() }()
	p := player{Server: s, info: info, conn: conn}
	if err := p.play(ctx, a); err != nil && !errors.Is(err, io.ErrClosedPipe) && ctx.Err() == nil {
		s.log.WarnContext(ctx, "a past session is not shown to its end", "session", info.ID, "error", err)
	}
}

type player struct {
	*Server
	info *store.Info
	conn io.Writer
}

func (p player) play(ctx context.Context, a protocol.Attach) error {
	hello := protocol.Hello{Version: protocol.Version, Server: "ptyrec " + p.Version, Viewer: "v1",
		Session: p.info.Overview().Session,
		Cols:    p.info.Cols, Rows: p.info.Rows, Seq: p.info.RawBytes,
		Control: protocol.Control{Viewers: []protocol.Viewer{}}}
	if err := p.send(protocol.TypeHello, hello); err != nil {
		return err
	}
	if a.Entries != nil {
		if err := p.entries(ctx, *a.Entries); err != nil {
			return err
		}
	}
	if err := p.output(ctx, a); err != nil {
		return err
	}
	status := unknownStatus
	if p.info.ExitCode != nil {
		status = *p.info.ExitCode
	}
	return p.send(protocol.TypeExit, protocol.Exit{Status: status, Seq: p.info.RawBytes})
}

func (p player) send(t protocol.Type, v any) error {
	f, err := protocol.JSON(t, v)
	if err != nil {
		return err
	}
	return protocol.Write(p.conn, f)
}

// entriesBytes is the approximate maximum size of the entries in a frame.
const entriesBytes = 256 << 10

func (p player) entries(ctx context.Context, after int) error {
	page, err := wholePage(ctx, p.Past, p.info, store.Span{Since: after})
	if err != nil {
		return err
	}
	return inParts(page.Entries, func(part []*session.Entry) error {
		return p.send(protocol.TypeEntries, protocol.Entries{Entries: append([]*session.Entry{}, part...),
			Title: p.info.Title, Agents: p.info.Overview().Agents})
	})
}

// inParts calls fn with as many entries at a time as fit in a frame, at least once.
func inParts(entries []*session.Entry, fn func([]*session.Entry) error) error {
	from, size := 0, 0
	for i, e := range entries {
		body, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if size += len(body); size > entriesBytes && i > from {
			if err := fn(entries[from:i]); err != nil {
				return err
			}
			from, size = i, len(body)
		}
	}
	return fn(entries[from:])
}

// output sends the output in the viewer's mode.
func (p player) output(ctx context.Context, a protocol.Attach) error {
	switch a.Mode {
	case protocol.ModeBytes:
		from := int64(0)
		if a.From != nil {
			from = *a.From
		}
		return p.bytes(ctx, from)
	case protocol.ModeScreen:
		if a.From != nil && *a.From == p.info.RawBytes {
			return nil // the viewer already has it
		}
		shot, seq, err := p.Past.Screen(ctx, p.info, math.Inf(1))
		if err != nil {
			return err
		}
		return p.snapshot(shot, seq)
	case protocol.ModeText:
		shot, seq, err := p.Past.Screen(ctx, p.info, math.Inf(1))
		if err != nil {
			return err
		}
		return p.send(protocol.TypeScreen, textScreen(shot, seq))
	}
	return nil
}

// bytes sends the raw log from a byte offset on. Missing output becomes a gap.
func (p player) bytes(ctx context.Context, from int64) error {
	for e, err := range p.Store.OutputFrom(ctx, p.info.ID, from) {
		var d *store.Damage
		switch {
		case errors.As(err, &d), err == nil && e.Kind != session.Output:
			continue
		case err != nil:
			return err
		}
		if e.Offset > from {
			if err := p.send(protocol.TypeGap, protocol.Gap{From: from, To: e.Offset}); err != nil {
				return err
			}
		}
		from = e.Offset + int64(len(e.Data))
		for seq, data := e.Offset, e.Data; len(data) > 0; {
			n := min(len(data), protocol.MaxOutput)
			if err := protocol.Write(p.conn, protocol.Output(seq, data[:n])); err != nil {
				return err
			}
			seq, data = seq+int64(n), data[n:]
		}
	}
	if from < p.info.RawBytes {
		return p.send(protocol.TypeGap, protocol.Gap{From: from, To: p.info.RawBytes})
	}
	return nil
}

func (p player) snapshot(shot screen.Screen, seq int64) error {
	var b bytes.Buffer
	if err := screen.Write(&b, "ansi", shot); err != nil {
		return err
	}
	rows := bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"), []byte("\r\n"))
	snap := protocol.Snapshot{Seq: seq, Cols: shot.Cols, Rows: shot.Rows, Data: append([]byte("\x1bc"), rows...)}
	return protocol.Write(p.conn, snap.Frame())
}

// textScreen returns a screen in the form in which observers receive it.
func textScreen(s screen.Screen, seq int64) protocol.Screen {
	lines := make([]string, len(s.Lines))
	for i, row := range s.Lines {
		lines[i] = row.Text
	}
	return protocol.Screen{Seq: seq, Cols: s.Cols, Rows: s.Rows, Title: s.Title, Alt: s.Alt, Lines: lines,
		Cursor: protocol.Cursor{X: s.CursorX, Y: s.CursorY, Visible: s.Visible}}
}
