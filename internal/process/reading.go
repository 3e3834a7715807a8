package process

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Read iterates over the command's output from a position on, in order of arrival. It follows a
// running command, and ends when the command has ended and everything was read. The Info of a chunk
// tells what is missing before it. Read ends after an error.
func (c *Command) Read(ctx context.Context, from Offsets) iter.Seq2[Chunk, error] {
	return c.read(ctx, from, false)
}

// ReadNow is like Read, but ends at the current end of the output.
func (c *Command) ReadNow(ctx context.Context, from Offsets) iter.Seq2[Chunk, error] {
	return c.read(ctx, from, true)
}

func (c *Command) read(ctx context.Context, from Offsets, now bool) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		r := reading{c: c, ctx: ctx, at: from, now: now, yield: yield}
		if err := r.run(); err != nil && !errors.Is(err, errEnough) {
			yield(Chunk{}, err)
		}
	}
}

// errEnough reports that the caller has stopped reading.
var errEnough = errors.New("enough")

// reading is the state of one Read.
type reading struct {
	c      *Command
	ctx    context.Context
	at     Offsets // position up to which it has read
	now    bool
	notice string // notice that was already passed on
	yield  func(Chunk, error) bool
}

// run reads the newest output from the host's memory, and older output from the raw log.
func (r *reading) run() error {
	for {
		behind, err := r.host()
		switch {
		case behind != nil:
			if err := r.log(behind); err != nil {
				return err
			}
		case errors.Is(err, errEnough) || r.ctx.Err() != nil:
			return errors.Join(r.ctx.Err(), err)
		case err == nil:
			return nil
		default: // the host is gone: the raw log has everything
			if _, err := r.c.Wait(r.ctx); err != nil {
				return err
			}
			return r.log(nil)
		}
	}
}

// host reads from the host up to the end. If the host no longer has the output at r.at in memory,
// behind is where its memory begins.
func (r *reading) host() (behind *Offsets, err error) {
	conn, err := dial(r.c.m.opt.Store.Path(), r.c.info.SessionID)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(r.ctx, func() { _ = conn.Close() })()
	w := newWire(conn)
	if err := w.send(request{Op: opRead, From: r.at, Now: r.now}); err != nil {
		return nil, err
	}
	for {
		var p reply
		chunk, err := w.receive(&p)
		if err != nil {
			return nil, err
		}
		if chunk != nil {
			if err := r.give(*chunk); err != nil {
				return nil, err
			}
			continue
		}
		if p.Behind == nil && p.Status != nil {
			if p.Status.State != Running {
				r.c.update(p.Status)
			}
			return nil, r.tell(p.Status.Notice)
		}
		return p.Behind, nil
	}
}

// give passes on a chunk, without the part that was already read.
func (r *reading) give(c Chunk) error {
	at := r.at.Of(c.Stream)
	if skip := at - c.Offset; skip > 0 {
		if skip >= int64(len(c.Text)) {
			return nil
		}
		c = c.after(skip)
	}
	if c.Offset > at {
		c.Info = fmt.Sprintf("bytes %d to %d are lost", at, c.Offset)
	}
	r.at.set(c.Stream, c.Offset+int64(len(c.Text)))
	if !r.yield(c, nil) {
		return errEnough
	}
	return nil
}

// tell passes on a notice about the recording.
func (r *reading) tell(notice string) error {
	if notice == "" || notice == r.notice {
		return nil
	}
	r.notice = notice
	if !r.yield(Chunk{Stream: Stderr, Offset: r.at.Stderr, Info: notice, At: time.Now()}, nil) {
		return errEnough
	}
	return nil
}

// log reads from the raw log, up to end or, if end is nil, up to the end of the log.
func (r *reading) log(end *Offsets) error {
	started := r.c.info.StartedAt
	var text int64 // offset in the text of a PTY
	for e, err := range r.c.m.opt.Store.TextFrom(r.ctx, r.c.info.SessionID,
		[3]int64{session.Stdout: r.at.Stdout, session.Stderr: r.at.Stderr}) {
		var damage *store.Damage
		if errors.As(err, &damage) {
			continue // the offset of the next chunk shows the gap
		}
		if err != nil {
			return err
		}
		if e.Kind == session.Output { // of a PTY
			e.Stream, e.Text = session.Stdout, text
		}
		c := Chunk{Stream: Stream(e.Stream), Offset: e.Text, Text: session.Text(e.Data), At: started.Add(e.At)}
		text += int64(len(c.Text))
		if end != nil && c.Offset >= end.Of(c.Stream) {
			if r.at.Stdout >= end.Stdout && r.at.Stderr >= end.Stderr {
				return nil
			}
			continue
		}
		if err := r.give(c); err != nil {
			return err
		}
	}
	if end != nil { // what is missing before the host's memory is lost
		return r.skip(*end)
	}
	return r.ctx.Err()
}

// skip continues at the beginning of the host's memory. The next chunk tells what is lost.
func (r *reading) skip(end Offsets) error {
	for _, s := range []Stream{Stdout, Stderr} {
		if at := r.at.Of(s); at < end.Of(s) {
			c := Chunk{Stream: s, Offset: end.Of(s), At: time.Now(), Info: fmt.Sprintf("bytes %d to %d are lost", at, end.Of(s))}
			r.at.set(s, end.Of(s))
			if !r.yield(c, nil) {
				return errEnough
			}
		}
	}
	return r.ctx.Err()
}
