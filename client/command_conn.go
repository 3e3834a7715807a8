package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/protocol/command"
)

// Limits of retries.
const (
	maxLosses     = 5                 // consecutive losses
	connectBudget = 120 * time.Second // time to start a command, all tries included
)

// reconnect returns the first message that continues the command.
func (c *Command) reconnect() command.Request {
	stdout, stderr := c.next[Stdout], c.next[Stderr]
	return command.Request{Type: command.Reconnect, CommandID: c.id, StdoutOffset: &stdout, StderrOffset: &stderr}
}

// attach opens a connection and waits for its started message. With an error, conn is not nil if
// the connection was open.
func (c *Command) attach(ctx context.Context, first command.Request) (conn *commandConn, err error) {
	conn, err = c.place.open(ctx, first)
	if err != nil {
		return nil, err
	}
	for {
		r, err := conn.next(ctx)
		if err == nil && r.Type == command.Error {
			err = final{c.failure(r)}
		}
		if err != nil {
			_ = conn.ws.CloseNow()
			return conn, err
		}
		switch r.Type {
		case command.Started:
			c.pid = r.PID
			c.setConn(conn, r.StdinOffset)
			return conn, nil
		case command.Stdout, command.Stderr, command.Exit:
			_ = conn.ws.CloseNow()
			return conn, final{fmt.Errorf("the server sent %s before started", r.Type)}
		}
	}
}

// failure returns the error in an error message.
func (c *Command) failure(r command.Reply) *CommandError {
	e := &CommandError{Type: r.ErrorType, Message: r.Error}
	switch e.Type {
	case "":
		e.Type = command.CommandError
	case command.SessionExpired:
		e.Message = "Session expired: " + c.id
	case command.CommandNotFound:
		e.Message = "Command not found: " + c.id
	}
	return e
}

// run reads one connection after another until the command has ended or Close is called.
func (c *Command) run(conn *commandConn) {
	defer close(c.done)
	defer close(c.events)
	defer c.cancel()
	again := tries{delay: c.place.delay, most: maxLosses}
	for {
		var err error
		if conn == nil {
			conn, err = c.place.open(c.ctx, c.reconnect())
		}
		if err == nil {
			err = c.serve(conn, again.reset)
			conn = nil
		}
		if c.ctx.Err() != nil {
			err = final{c.ctx.Err()}
		}
		if err == nil || isFinal(err) {
			c.err = err
			return
		}
		if c.isKilled() {
			//nolint:errorlint // an end of file is not the command's
			c.err = fmt.Errorf("%w after it was killed: %v", ErrLost, err)
			return
		}
		if c.err = again.lost(err); c.err != nil {
			return
		}
		if websocket.CloseStatus(err) != websocket.StatusGoingAway {
			sleep(c.ctx, again.pause())
		}
	}
}

// serve reads a connection to its end. It returns nil if the command has ended. It calls reached
// when a message shows that the server knows the command.
func (c *Command) serve(conn *commandConn, reached func()) (err error) {
	var keeper sync.WaitGroup
	over := make(chan struct{})
	defer keeper.Wait()
	defer close(over)
	defer func() {
		c.setConn(nil, nil)
		if err != nil {
			_ = conn.ws.CloseNow()
			return
		}
		c.leaving.Go(func() { _ = conn.ws.Close(websocket.StatusNormalClosure, "") })
	}()
	keeper.Go(func() { c.keep(conn, over) })
	if !conn.acked {
		c.setConn(conn, nil) // the server need not acknowledge the start
	}
	for {
		r, err := conn.next(c.ctx)
		if err != nil {
			return err
		}
		switch r.Type {
		case command.Started:
			if r.CommandID == c.id {
				reached()
			}
			c.setConn(conn, r.StdinOffset)
			c.repeatClose(conn)
		case command.Stdout, command.Stderr:
			reached()
			c.take(r)
		case command.Ack:
			c.setConn(conn, r.StdinOffset)
		case command.Exit:
			if r.ExitCode == nil {
				return final{errors.New("the server sent no exit code")}
			}
			c.exit = *r.ExitCode
			return nil
		case command.Error:
			return final{c.failure(r)}
		}
	}
}

// take passes the new output of a message to the reader, after a Gap if bytes are missing.
func (c *Command) take(r command.Reply) {
	stream := Stdout
	if r.Type == command.Stderr {
		stream = Stderr
	}
	at := c.next[stream]
	offset := at
	if r.Offset != nil {
		offset = *r.Offset
	}
	if offset > at {
		c.give(Gap{Stream: stream, From: at, To: offset, Info: r.Info})
		at = offset
	}
	text := r.Data[min(at-offset, int64(len(r.Data))):]
	c.next[stream] = at + int64(len(text))
	if text != "" {
		c.give(Chunk{Stream: stream, Offset: at, Text: text})
	}
}

func (c *Command) give(e CommandEvent) {
	select {
	case c.events <- e:
	case <-c.ctx.Done():
	}
}

// keep closes the connection if it does not answer pings. It returns when over is closed.
func (c *Command) keep(conn *commandConn, over <-chan struct{}) {
	tick := time.NewTicker(pingAfter)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(c.ctx, pingAfter)
		err := conn.ws.Ping(ctx)
		cancel()
		if err != nil && len(c.events) < queued { // a slow reader does not mean a dead connection
			_ = conn.ws.CloseNow()
			return
		}
	}
}
