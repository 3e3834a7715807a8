package management

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

func (c *conn) ping(r *request) error { return c.send(pongMessage{"pong", *r.Timestamp}) }

func (c *conn) unsubscribe(r *request) error {
	c.mu.Lock()
	c.fans = false
	var strangers []*follow
	for id, f := range c.follows {
		if !c.own[id] {
			strangers = append(strangers, f)
		}
	}
	c.mu.Unlock()
	for _, f := range strangers {
		f.reader.stop()
	}
	return c.send(agentMessage{"unsubscribed", *r.AgentID})
}

// subscribe sends the client the output of all sessions from now on.
func (c *conn) subscribe(r *request) error {
	switch {
	case c.p.AllowSubscribe:
	case *r.AgentID == "*":
		return c.fail(`agent_id="*" subscriptions are disabled; use join_session for terminal output or set ` +
			`AGENTIC_WS_ALLOW_WILDCARD_SUBSCRIBE=true for a trusted legacy dashboard`)
	default:
		return c.fail("legacy agent-scoped output subscriptions are disabled; use join_session for terminal output or set " +
			"AGENTIC_WS_ALLOW_AGENT_SUBSCRIBE=true for a trusted legacy dashboard")
	}
	if err := c.send(agentMessage{"subscribed", *r.AgentID}); err != nil {
		return err
	}
	c.mu.Lock()
	begun := c.fans
	c.fans = begun || *r.AgentID == "*" || *r.AgentID == c.p.AgentID
	c.mu.Unlock()
	if !begun && c.fans {
		c.working.Go(c.fan)
	}
	return nil
}

// fanTime is the interval at which subscribers receive sessions that began elsewhere.
const fanTime = time.Second

// fan follows all sessions until the client unsubscribes.
func (c *conn) fan() {
	for {
		c.mu.Lock()
		fans := c.fans
		c.mu.Unlock()
		if !fans {
			return
		}
		for _, l := range c.p.list(c.ctx) {
			_, _ = c.follow(l, -1, 0) // a session that is over need not be followed
		}
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(fanTime):
		}
	}
}

// began makes the subscribers follow a session that a client has started.
func (p *Protocol) began(l live) {
	p.others(func(c *conn) {
		c.mu.Lock()
		fans := c.fans
		c.mu.Unlock()
		if fans {
			_, _ = c.follow(l, 0, 0) // likewise
		}
	})
}

func (c *conn) listAgents(*request) error {
	host, _ := os.Hostname() // on an error the name is empty
	return c.send(agentListMessage{"agent_list", []agentEntry{{
		ID: c.p.AgentID, Hostname: host, IPAddress: c.local, Status: "Ready",
		ConnectedAt: c.p.started.UnixMilli(), LastHeartbeat: time.Now().UnixMilli(),
	}}})
}

func (c *conn) listSessions(r *request) error {
	m := sessionListMessage{"session_list", *r.AgentID, []sessionEntry{}}
	if *r.AgentID == c.p.AgentID {
		for _, l := range c.p.list(c.ctx) {
			m.Sessions = append(m.Sessions, c.p.entryOf(l, c.sizes))
		}
	}
	return c.send(m)
}

// unknown is the end of an error about another agent than this machine.
func (c *conn) unknown(r *request) string {
	if *r.AgentID == c.p.AgentID {
		return ""
	}
	return "Agent not found: " + *r.AgentID
}

func (c *conn) startShell(r *request) error {
	const failed = "Failed to start shell: "
	if tail := c.unknown(r); tail != "" {
		return c.fail(failed + tail)
	}
	cols, rows := r.Size()
	if !isSize(cols, rows) {
		return c.fail(failed + badSize(cols, rows))
	}
	l, isNew, err := c.p.shell.start(c, cols, rows)
	if err != nil {
		return c.fail(failed + messageOf(err))
	}
	if !isNew { // before the answer, so that the client receives everything that the shell prints after it
		if err := c.owns(l, -1, holdTime); err != nil {
			return c.fail(failed + messageOf(err))
		}
	}
	if err := c.send(commandMessage{"shell_started", c.p.AgentID, commandIDOf(l.id)}); err != nil || !isNew {
		return err
	}
	if err := c.owns(l, 0, 0); err != nil {
		return c.fail(failed + messageOf(err))
	}
	c.p.began(l)
	return nil
}

// owns records that the client has started a session: it may type, and receives the output.
func (c *conn) owns(l live, after int64, hold time.Duration) error {
	c.mu.Lock()
	c.own[l.id] = true
	c.mu.Unlock()
	_, err := c.follow(l, after, hold)
	return err
}

func (c *conn) createSession(r *request) error {
	const failed = "Failed to create session: "
	if !slices.Contains([]string{"interactive", "headless", "background"}, *r.SessionType) {
		return c.fail("Invalid session type: " + *r.SessionType)
	}
	if tail := c.unknown(r); tail != "" {
		return c.fail(failed + tail)
	}
	cols, rows := r.Size()
	if !isSize(cols, rows) {
		return c.fail(failed + badSize(cols, rows))
	}
	l, ok := c.p.named(c.ctx, *r.SessionName)
	if ok && !c.p.created(c.ctx, l.id) {
		return c.fail(failed + "another session has this name")
	}
	if ok && *r.SessionType == "headless" {
		if err := c.p.end(c.ctx, l, syscall.SIGKILL); err != nil {
			return c.fail(failed + messageOf(err))
		}
		ok = false
	}
	if !ok {
		var err error
		if l, err = c.p.create(c.ctx, r, cols, rows); err != nil {
			return c.fail(failed + messageOf(err))
		}
	}
	if err := c.send(createdMessage{"session_created", c.p.AgentID, l.name, *r.SessionType, l.id}); err != nil {
		return err
	}
	if err := c.owns(l, map[bool]int64{true: -1}[ok], 0); err != nil {
		return c.fail(failed + messageOf(err))
	}
	if !ok {
		c.p.began(l)
	}
	return nil
}

// create starts the session of a create_session.
func (p *Protocol) create(ctx context.Context, r *request, cols, rows int) (live, error) {
	cwd := ""
	if r.WorkingDir != nil {
		cwd = *r.WorkingDir
	}
	id, err := p.Start(ctx, append([]string{*r.Command}, r.Args...), cwd, cols, rows)
	if err == nil {
		err = p.label(ctx, id, tagCreated, *r.SessionName)
	}
	return live{id: id, name: *r.SessionName, command: *r.Command}, err
}

// created reports whether create_session started a session.
func (p *Protocol) created(ctx context.Context, id string) bool {
	info, err := p.Store.Find(ctx, id)
	return err == nil && slices.Contains(info.Tags, tagCreated)
}

// label sets a tag and a name for a session in the database.
func (p *Protocol) label(ctx context.Context, id, tag, name string) error {
	if _, err := p.Store.Find(ctx, id); err != nil { // finding it adds it to the database
		return err
	}
	_, err := p.Store.Tag(ctx, id, []string{tag}, nil)
	if err == nil && name != "" {
		err = p.Store.Rename(ctx, id, name)
	}
	return err
}

// foreign is the error for a client that types into a session that it has not started.
const foreign = " is only allowed for commands started by this connection; use %s with join_session for shared sessions"

// commandTo returns a session by its command id, and the stream for typing, if the client may type
// into it. Otherwise problem is the error for the client.
func (c *conn) commandTo(ctx context.Context, commandID string) (l live, stream *client.Stream, problem string) {
	id, ok := c.p.commanded(commandID)
	if ok {
		l, ok = c.p.find(ctx, id)
	}
	c.mu.Lock()
	own, t := c.own[id], c.typists[id]
	c.mu.Unlock()
	switch {
	case !c.p.AllowSubscribe && !(ok && own):
		return l, nil, "foreign"
	case !ok:
		return l, nil, "Command not found: " + commandID
	case t != nil:
		return l, t.stream, ""
	}
	h, err := c.p.hub(ctx, l)
	if err != nil {
		return l, nil, "Command not found: " + commandID
	}
	defer c.p.release(h)
	stream, ok = h.control(c.id, func() {})
	if !ok {
		return l, nil, "nobody has granted control of this session"
	}
	c.mu.Lock()
	c.typists[id] = &typist{stream}
	c.mu.Unlock()
	return l, stream, ""
}

func (c *conn) sendInput(r *request) error {
	c.mu.Lock()
	j := c.jobs[*r.CommandID]
	c.mu.Unlock()
	if j != nil {
		if _, err := j.stdin.Write([]byte(*r.Data)); err != nil {
			return c.fail("Failed to send input: " + err.Error())
		}
		return c.send(commandMessage{"input_sent", *r.AgentID, *r.CommandID})
	}
	_, stream, problem := c.commandTo(c.ctx, *r.CommandID)
	if problem == "foreign" {
		return c.fail("legacy send_input" + fmt.Sprintf(foreign, "session_input"))
	}
	if problem == "" {
		if err := stream.Input(c.ctx, []byte(*r.Data)); err != nil {
			problem = messageOf(err)
		}
	}
	if problem != "" {
		return c.fail("Failed to send input: " + problem)
	}
	return c.send(commandMessage{"input_sent", *r.AgentID, *r.CommandID})
}

func (c *conn) ptyResize(r *request) error {
	cols, rows := r.Size()
	if tooSmall(cols, rows) {
		return c.fail("pty_resize rejected: dims " + dims(cols, rows) + " below floor (20x5)")
	}
	l, stream, problem := c.commandTo(c.ctx, *r.CommandID)
	if problem == "foreign" {
		return c.fail("legacy pty_resize" + fmt.Sprintf(foreign, "session_resize"))
	}
	if problem == "" {
		if err := resize(c.ctx, l, stream, cols, rows); err != nil {
			problem = messageOf(err)
		}
	}
	if problem != "" {
		return c.fail("Failed to resize: " + problem)
	}
	return c.send(pongMessage{"pong", 0})
}

// attachSession sends the client the output of a session from now on.
func (c *conn) attachSession(r *request) error {
	if !c.p.AllowSubscribe {
		return c.fail("legacy attach_session is disabled for normal clients; call list_sessions and use join_session with " +
			"the returned session_id")
	}
	l, ok := c.p.named(c.ctx, *r.SessionName)
	if !ok || *r.AgentID != c.p.AgentID {
		return c.fail(fmt.Sprintf("Session '%s' not found on agent '%s'", *r.SessionName, *r.AgentID))
	}
	if err := c.owns(l, -1, 0); err != nil {
		return c.fail(fmt.Sprintf("Session '%s' not found on agent '%s'", *r.SessionName, *r.AgentID))
	}
	if err := c.send(namedMessage{Type: "session_attached", AgentID: c.p.AgentID, SessionName: l.name,
		CommandID: commandIDOf(l.id)}); err != nil {
		return err
	}
	if cols, rows := r.Size(); r.Cols != nil && r.Rows != nil && !tooSmall(cols, rows) {
		if _, stream, problem := c.commandTo(c.ctx, commandIDOf(l.id)); problem == "" {
			_ = resize(c.ctx, l, stream, cols, rows) // a failure does not affect the attachment
		}
	}
	return nil
}

func (c *conn) detachSession(r *request) error {
	return c.send(namedMessage{Type: "session_detached", AgentID: *r.AgentID, SessionName: *r.SessionName})
}

// killSession ends a session. The client that started the shell is notified when it is over.
func (c *conn) killSession(r *request) error {
	l, ok := c.p.named(c.ctx, *r.SessionName)
	c.mu.Lock()
	own := ok && l.shell && c.own[l.id]
	c.killed = c.killed || own && c.p.AllowSubscribe
	c.mu.Unlock()
	switch {
	case !c.p.AllowSubscribe && !own:
		return c.fail("legacy kill_session is disabled for normal clients; use the formal session API for shared sessions")
	case c.unknown(r) != "":
		return c.fail("Failed to kill session: " + c.unknown(r))
	case !c.p.AllowSubscribe:
		c.p.shell.end(l)
		return nil
	}
	if ok {
		if err := c.p.end(c.ctx, l, syscall.SIGKILL); err != nil {
			return c.fail("Failed to kill session: " + messageOf(err))
		}
	}
	return c.send(namedMessage{Type: "session_killed", AgentID: *r.AgentID, SessionName: *r.SessionName})
}

// end sends a signal to a session's command.
func (p *Protocol) end(ctx context.Context, l live, signal syscall.Signal) error {
	h, err := p.hub(ctx, l)
	if err != nil {
		return err
	}
	defer p.release(h)
	stream, ok := h.control("kill", func() {})
	if !ok {
		return fmt.Errorf("nobody has granted control of session %s", l.id)
	}
	defer func() { _ = stream.Close() }()
	err = stream.Kill(ctx, signal)
	if err == nil && signal == syscall.SIGKILL {
		p.retire(l.id)
	}
	return err
}

// The window sizes that a client may request, in cells.
const (
	minCols, minRows = 20, 5
)

func tooSmall(cols, rows int) bool { return cols < minCols || rows < minRows }
func dims(cols, rows int) string   { return fmt.Sprintf("%dx%d", cols, rows) }

func isSize(cols, rows int) bool {
	return cols >= 1 && rows >= 1 && cols <= protocol.MaxCols && rows <= protocol.MaxRows
}

func badSize(cols, rows int) string {
	return fmt.Sprintf("%s: a terminal has 1x1 to %dx%d cells", dims(cols, rows), protocol.MaxCols, protocol.MaxRows)
}
