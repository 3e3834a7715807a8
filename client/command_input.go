package client

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/protocol/command"
)

// setConn changes the connection. taken, if not nil, is the number of bytes of input that the
// server has.
func (c *Command) setConn(conn *commandConn, taken *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if taken != nil {
		c.taken = max(c.taken, *taken)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Command) isKilled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

// wait waits until done returns true. It calls done with c.mu held, after each change. The error is
// ErrDisconnected if the command ends first.
func (c *Command) wait(ctx context.Context, done func() bool) error {
	for {
		c.mu.Lock()
		ok, changed := done(), c.changed
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-c.done:
			return ErrDisconnected
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connection waits for a connection.
func (c *Command) connection(ctx context.Context) (conn *commandConn, err error) {
	err = c.wait(ctx, func() bool { conn = c.conn; return conn != nil })
	return conn, err
}

// maxInput is the maximum number of bytes in an input message. It leaves room for JSON escapes
// below a server's limit of 1 MiB.
const maxInput = 64 << 10

// Input writes p to the command's stdin. If the server acknowledges input, Input returns when the
// server has all of p, and sends nothing twice even if connections are lost. Other servers accept
// only text, and lose what was in transit on a lost connection. The error wraps ErrDisconnected if
// the command has ended, or if it is unknown whether it got all of p.
func (c *Command) Input(ctx context.Context, p []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for len(p) > 0 {
		part := p[:inputEnd(p)]
		if err := c.input(ctx, part); err != nil {
			return err
		}
		c.written += int64(len(part))
		p = p[len(part):]
	}
	return nil
}

// inputEnd returns the length of the first part of p, for one message. It does not split
// characters.
func inputEnd(p []byte) int {
	if len(p) <= maxInput {
		return len(p)
	}
	for n := maxInput; n > maxInput-utf8.UTFMax; n-- {
		if utf8.RuneStart(p[n]) {
			return n
		}
	}
	return maxInput
}

// input sends a part of the input, and waits for its acknowledgment if the server sends one.
func (c *Command) input(ctx context.Context, part []byte) error {
	for {
		conn, err := c.connection(ctx)
		if err != nil {
			return err
		}
		if !conn.acked {
			if !utf8.Valid(part) {
				return errors.New("this server accepts only UTF-8 text as input")
			}
			if err := conn.send(ctx, command.Request{Type: command.Input, Data: string(part)}); err != nil {
				return fmt.Errorf("%w: %w", ErrDisconnected, err)
			}
			return nil
		}
		r := command.Request{Type: command.Input, Offset: &c.written}
		if utf8.Valid(part) {
			r.Data = string(part)
		} else {
			r.Binary = part
		}
		_ = conn.send(ctx, r) // after a lost connection, the next one resends it
		end, acked := c.written+int64(len(part)), false
		err = c.wait(ctx, func() bool {
			acked = c.taken >= end
			return acked || c.conn != conn
		})
		if err != nil || acked {
			return err
		}
	}
}

// CloseInput ends the command's stdin after what Input has written. It does nothing if the command
// has a terminal. It returns when the message is sent, and sends it again on a new connection.
func (c *Command) CloseInput(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		conn, err := c.connection(ctx)
		if err != nil {
			return err
		}
		if conn.send(ctx, command.Request{Type: command.CloseStdin}) == nil {
			c.mu.Lock()
			c.closed = true
			c.mu.Unlock()
			return nil
		}
		err = c.wait(ctx, func() bool { return c.conn != conn })
		if err != nil {
			return err
		}
	}
}

// repeatClose sends the end of stdin on a new connection: the previous one may have lost it.
func (c *Command) repeatClose(conn *commandConn) {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		_ = conn.send(c.ctx, command.Request{Type: command.CloseStdin})
	}
}

// Kill ends all processes of the command with SIGKILL. Next then returns the rest of the output. If
// the connection is lost after Kill, the Command does not reconnect.
func (c *Command) Kill(ctx context.Context) error {
	conn, err := c.connection(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.killed = true
	c.mu.Unlock()
	return conn.send(ctx, command.Request{Type: command.Kill})
}
