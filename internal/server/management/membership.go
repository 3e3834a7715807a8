package management

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/client"
	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
)

// forget removes a reader whose session is over.
func (c *conn) forget(r *reader) {
	c.mu.Lock()
	if c.joins[r.h.id] == r {
		delete(c.joins, r.h.id)
	}
	if f := c.follows[r.h.id]; f != nil && f.reader == r {
		delete(c.follows, r.h.id)
	}
	c.mu.Unlock()
	if !r.plain {
		r.h.free(c)
	}
}

// ended is called when a reader has ended. err is nil if its session is over.
func (c *conn) ended(r *reader, err error) {
	switch {
	case err == nil:
		c.forget(r)
		if r.plain && r.until == 0 {
			c.toldEnd(r.h)
		}
	case !errors.Is(err, errGone):
		c.stop()
	}
}

// joinSession lets the client watch or control a session.
func (c *conn) joinSession(r *request) error {
	if r.SessionID == nil {
		if r.AgentID == nil || r.CommandID == nil {
			return c.fail("Invalid message: missing field `session_id`")
		}
		return c.joinCommand(r)
	}
	id := *r.SessionID
	h, err := c.hubOf(id)
	if err != nil {
		return c.fail("Session '" + id + "' cannot be joined: " + err.Error())
	}
	if h == nil {
		return c.fail("Session '" + id + "' not found")
	}
	c.leaveBefore(id)
	role := observer
	if r.Role != nil && *r.Role == controller && h.acquire(c) {
		role = controller
	}
	if role == observer {
		h.free(c)
	}
	reader := newReader(c, h)
	if r.ReplayFrom == nil {
		if err := h.begin(); err != nil {
			c.p.release(h)
			return c.fail("Session '" + id + "' not found")
		}
	}
	if reader.joined, err = h.putRole(c.id, role); err != nil {
		h.free(c)
		c.p.release(h)
		return c.fail("Session '" + id + "' not found") // it has just ended
	}
	seq := reader.joined.number
	reader.beginAt(r.ReplayFrom)
	if err := c.send(joinedMessage{"session_joined", id, role, seq}); err != nil {
		return err
	}
	c.mu.Lock()
	c.joins[id] = reader
	c.mu.Unlock()
	reader.start()
	return nil
}

// hubOf returns the hub of a live session, or nil if there is no such session.
func (c *conn) hubOf(id string) (*hub, error) {
	l, ok := c.p.find(c.ctx, id)
	if !ok {
		return nil, nil
	}
	h, err := c.p.hub(c.ctx, l)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	return h, err
}

// leaveBefore ends the client's previous membership of a session.
func (c *conn) leaveBefore(id string) {
	c.mu.Lock()
	before := c.joins[id]
	c.mu.Unlock()
	if before != nil {
		before.stop()
		<-before.done
	}
}

// putRole writes a client's role to the session's log, and returns its entry.
func (h *hub) putRole(client, role string) (*entry, error) {
	came := make(chan *entry, 1)
	if err := h.put(session.EventRole, client, role, func(e *entry) { came <- e }); err != nil {
		return nil, err
	}
	select {
	case e := <-came:
		return e, nil
	case <-h.ctx.Done():
		return nil, h.ctx.Err()
	case <-time.After(attachTime):
		return nil, context.DeadlineExceeded
	}
}

// beginAt makes the reader start at an entry. If replay is nil, it starts with a new picture of the
// screen, if there is one.
func (r *reader) beginAt(replay *uint64) {
	seq := r.joined.number
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	switch k := r.h.newestKeyframe(freshFrames, freshBytes); {
	case replay != nil:
		r.next = int64(min(*replay, uint64(seq)))
	case k != nil && k.number < seq:
		r.next, r.picture = k.number, k.number
	}
}

// leaveSession ends the client's membership of a session.
func (c *conn) leaveSession(r *request) error {
	c.mu.Lock()
	reader := c.joins[*r.SessionID]
	delete(c.joins, *r.SessionID)
	c.mu.Unlock()
	if reader != nil {
		reader.stop()
		<-reader.done
		reader.h.leave(c)
	}
	return c.send(leftMessage{"session_left", *r.SessionID})
}

// notController is the error for a client that may not type.
const notController = wire.NotController

// held returns the reader and the stream with which the client types as the controller of a
// session, or nil.
func (c *conn) held(id string) (*reader, *client.Stream) {
	c.mu.Lock()
	reader := c.joins[id]
	c.mu.Unlock()
	if reader == nil {
		return nil, nil
	}
	return reader, reader.h.holds(c)
}

func (c *conn) sessionInput(r *request) error {
	_, stream := c.held(*r.SessionID)
	if stream == nil {
		return c.fail(notController + "send input")
	}
	if err := stream.Input(c.ctx, []byte(*r.Data)); err != nil {
		return c.fail("Failed to send input: " + err.Error())
	}
	return nil
}

func (c *conn) sessionResize(r *request) error {
	reader, stream := c.held(*r.SessionID)
	if stream == nil {
		return c.fail(notController + "resize")
	}
	cols, rows := r.Size()
	if tooSmall(cols, rows) {
		return c.fail("pty.session_resize rejected: dims " + dims(cols, rows) + " below floor (20x5)")
	}
	if err := resize(c.ctx, reader.h.live, stream, cols, rows); err != nil {
		return c.fail("Failed to resize: " + err.Error())
	}
	return nil
}

// resize sets a session's size. In a shell of start_shell, which has no other terminal, it stays;
// otherwise it lasts as long as the control.
func resize(ctx context.Context, l live, stream *client.Stream, cols, rows int) error {
	if l.shell {
		return stream.SetSize(ctx, cols, rows)
	}
	return stream.Resize(ctx, cols, rows)
}
