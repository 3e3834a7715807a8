package management

import (
	"fmt"
	"time"
)

// follow is a session's output as one client receives it in output messages.
type follow struct {
	reader *reader
	low    int64 // number of output frames before the first that was sent
	timer  *time.Timer
	begun  bool // guarded by conn.mu, as are the others
}

// holdTime is how long output is held back for a client that comes back and may ask for what it
// missed.
const holdTime = time.Second

// follow sends the client the output of a session after the first after frames of it; -1 means from
// now on. It starts after hold, or earlier if the client asks.
func (c *conn) follow(l live, after int64, hold time.Duration) (*follow, error) {
	c.mu.Lock()
	f := c.follows[l.id]
	c.mu.Unlock()
	if f != nil {
		return f, nil
	}
	h, err := c.p.hub(c.ctx, l)
	if err != nil {
		return nil, err
	}
	r := newReader(c, h)
	h.mu.Lock()
	if r.plain, r.next, r.after = true, -1, after; after < 0 || after > h.outputs {
		r.after = h.outputs
	}
	h.mu.Unlock()
	f = &follow{reader: r, low: r.after}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.follows[l.id]; other != nil {
		c.p.release(h)
		return other, nil
	}
	c.follows[l.id] = f
	if hold == 0 {
		c.begin(f)
	} else {
		f.timer = time.AfterFunc(hold, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.begin(f)
		})
	}
	return f, nil
}

// begin starts to send the output. c.mu must be held.
func (c *conn) begin(f *follow) {
	if f.begun {
		return
	}
	f.begun = true
	if f.timer != nil {
		f.timer.Stop()
	}
	if c.ctx.Err() != nil { // the client is gone, and no new goroutine may start
		close(f.reader.done)
		c.p.release(f.reader.h)
		return
	}
	f.reader.start()
}

// joinCommand sends the client all output of a session after a number of frames, each frame once.
func (c *conn) joinCommand(r *request) error {
	id, ok := c.p.commanded(*r.CommandID)
	var l live
	if ok && *r.AgentID == c.p.AgentID {
		l, ok = c.p.find(c.ctx, id)
	} else {
		ok = false
	}
	notFound := fmt.Sprintf("Session not found: command '%s' on agent '%s'", *r.CommandID, *r.AgentID)
	if !ok {
		return c.fail(notFound)
	}
	from := int64(-1)
	if r.ReplayFrom != nil {
		from = int64(min(*r.ReplayFrom, 1<<62))
	}
	f, err := c.follow(l, from, holdTime)
	if err != nil {
		return c.fail(notFound)
	}
	h := f.reader.h
	h.mu.Lock()
	current := h.next
	h.mu.Unlock()
	if err := c.send(joinedMessage{"session_joined", l.id, observer, current}); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch low := f.low; {
	case from < 0 || from >= low:
	case !f.begun:
		f.low, f.reader.after = from, from
	default: // what it missed is sent after what it has
		f.low = from
		again := newReader(c, h)
		again.plain, again.next, again.after, again.until = true, -1, from, low
		c.p.mu.Lock()
		h.users++
		c.p.mu.Unlock()
		again.start()
	}
	c.begin(f)
	return nil
}

// toldEnd notifies a client that has started the shell of the shell's end, after all of its output.
func (c *conn) toldEnd(h *hub) {
	c.mu.Lock()
	tell := h.live.shell && c.own[h.id] && !c.killed
	delete(c.own, h.id)
	c.killed = false
	c.mu.Unlock()
	h.mu.Lock()
	status := h.status
	h.mu.Unlock()
	if !tell {
		return
	}
	if status == nil {
		status = &lostStatus
	}
	// The client may be gone.
	_ = c.send(namedMessage{Type: "session_killed", AgentID: c.p.AgentID, SessionName: shellName, ExitCode: status})
}

// lostStatus is the exit code of a shell whose end was not recorded.
var lostStatus = 1
