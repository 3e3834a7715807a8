package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/protocol/command"
)

// Exec describes a command to start. Only Command is needed.
type Exec struct {
	Command string // command line for Shell
	ID      string // id of the command; a server runs an id only once; empty means a new UUID
	Shell   string // empty means command.DefaultShell
	Cwd     string // empty means the server's choice
	Env     map[string]string

	// Limits, in whole seconds. 0 means the protocol's default, command.Never seconds no limit.
	Timeout     time.Duration // maximum run time
	IdleTimeout time.Duration // maximum time without an attached client
	TTL         time.Duration // time for which the result is kept

	KillOnDisconnect bool
	NoStdin          bool // stdin is empty
	PTY              bool // run in a terminal: one stream, Stdout
}

// OutputStream is stdout or stderr.
type OutputStream int

// The streams of a command.
const (
	Stdout OutputStream = iota
	Stderr
)

// String implements fmt.Stringer.
func (s OutputStream) String() string {
	if s == Stderr {
		return command.Stderr
	}
	return command.Stdout
}

// CommandEvent is a Chunk or a Gap.
type CommandEvent any

// Chunk is a part of a command's output. No chunk splits a character.
type Chunk struct {
	Stream OutputStream
	Offset int64 // of Text in the stream, in bytes
	Text   string
}

// Gap means that the server no longer has some bytes of the output.
type Gap struct {
	Stream   OutputStream
	From, To int64 // offsets of the first missing byte and of the byte after the gap
	Info     string
}

// Size returns the number of missing bytes.
func (g Gap) Size() int64 { return g.To - g.From }

// CommandResult is the output and exit code of a command that has ended.
type CommandResult struct {
	Stdout, Stderr string
	ExitCode       int // 128+n after signal n
}

// CommandError is an error of a command, or of its start, as the server reports it.
type CommandError struct {
	Type    string // command.CommandTimeout, …
	Message string
}

// Error implements error.
func (e *CommandError) Error() string { return e.Message }

// ErrLost reports that a command cannot be reached. It may still run.
var ErrLost = errors.New("lost the connection to the command")

// Command is a command on a server. It reconnects by itself, and its output continues with the byte
// after the last one. One goroutine may call Next or Result while others call Input, CloseInput and
// Kill.
type Command struct {
	place *Commands
	id    string
	pid   int

	events chan CommandEvent
	ctx    context.Context // canceled by Close
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	err    error         // reason; set before done is closed
	exit   int           // exit code, if err is nil
	next   [2]int64      // next offset of each stream; used only by run

	leaving sync.WaitGroup // waits until the last connection is closed

	mu      sync.Mutex    // guards the fields below
	conn    *commandConn  // nil between connections
	changed chan struct{} // closed when one of these fields changes
	taken   int64         // bytes of input acknowledged by the server, in command.Subprotocol
	closed  bool          // whether CloseInput has reached a server
	killed  bool          // whether Kill was sent; if so, do not reconnect

	writing sync.Mutex // held by Input and CloseInput
	written int64      // bytes of input sent; guarded by writing
}

// Start starts a command and returns when it has started; ctx applies only until then. The error is
// a *CommandError if the server refuses the command. If a connection fails and the same ID cannot
// run twice, Start tries again, up to five times in two minutes. The caller must Close the Command,
// which does not end it on the server.
func (p *Commands) Start(ctx context.Context, e Exec) (*Command, error) {
	if e.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		e.ID = id.String()
	}
	c := p.newCommand(ctx, e.ID)
	ctx, cancel := context.WithTimeout(ctx, connectBudget)
	defer cancel()
	again := tries{delay: p.delay, most: maxLosses}
	for {
		conn, err := c.attach(ctx, e.request())
		if err == nil {
			go c.run(conn)
			return c, nil
		}
		full := again.lost(err) != nil
		wait, ok := p.again(conn, err, again.pause())
		if !ok || full || !sleep(ctx, wait) {
			c.cancel()
			return nil, err
		}
	}
}

// Resume attaches to a running or finished command and continues at the given offset of each
// stream, in bytes. If the server does not know the command, the first Next or Result returns a
// *CommandError.
func (p *Commands) Resume(ctx context.Context, id string, stdout, stderr int64) (*Command, error) {
	c := p.newCommand(ctx, id)
	c.next = [2]int64{stdout, stderr}
	conn, err := c.attach(ctx, c.reconnect())
	if err != nil {
		c.cancel()
		return nil, err
	}
	c.written = c.taken // another client's input
	go c.run(conn)
	return c, nil
}

func (p *Commands) newCommand(ctx context.Context, id string) *Command {
	c := &Command{
		place: p, id: id, events: make(chan CommandEvent, queued), done: make(chan struct{}), changed: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// again reports whether to retry a failed start, and after which delay: pause, or the server's
// choice. A lost connection may have started the command, so again retries only if the server
// recognizes repeated ids or has closed the socket properly.
func (p *Commands) again(conn *commandConn, err error, pause time.Duration) (wait time.Duration, again bool) {
	var refused *upgradeError
	switch {
	case isFinal(err):
		return 0, false
	case errors.As(err, &refused):
		if wait = refused.retryAfter; wait < 0 {
			wait = pause
		}
		return wait, refused.passes()
	case conn == nil, conn.acked, websocket.CloseStatus(err) == websocket.StatusNormalClosure:
		return pause, true
	}
	return 0, false
}

// request returns the first message that starts the command.
func (e Exec) request() command.Request {
	seconds := func(d time.Duration, standard float64) *float64 {
		if d != 0 {
			standard = d.Seconds()
		}
		return &standard
	}
	r := command.Request{
		Type: command.Execute, CommandID: e.ID, Command: e.Command, Shell: e.Shell, Env: e.Env, Cwd: e.Cwd,
		TimeoutSeconds:   seconds(e.Timeout, command.DefaultTimeout),
		IdleTimeout:      seconds(e.IdleTimeout, command.DefaultIdleTimeout),
		TTL:              seconds(e.TTL, command.DefaultTTL),
		KillOnDisconnect: &e.KillOnDisconnect, CloseStdin: e.NoStdin, PTY: e.PTY,
	}
	if r.Shell == "" {
		r.Shell = command.DefaultShell
	}
	return r
}

// ID returns the command's id.
func (c *Command) ID() string { return c.id }

// PID returns the process id on the server's machine.
func (c *Command) PID() int { return c.pid }

// Next returns the next part of the output, or ctx's error. After the last part the error is io.EOF
// if there is an exit code, else a *CommandError or an error that wraps ErrLost.
func (c *Command) Next(ctx context.Context) (CommandEvent, error) {
	select {
	case e, ok := <-c.events:
		if ok {
			return e, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	<-c.done
	if c.err != nil {
		return nil, c.err
	}
	return nil, io.EOF
}

// ExitCode returns the exit code, once Next has returned io.EOF.
func (c *Command) ExitCode() int { return c.exit }

// Result waits for the end of the command and returns its exit code, with the output that Next has
// not returned. A Gap in that output is an error.
func (c *Command) Result(ctx context.Context) (CommandResult, error) {
	var text [2]strings.Builder
	for {
		e, err := c.Next(ctx)
		switch e := e.(type) {
		case Chunk:
			text[e.Stream].WriteString(e.Text)
		case Gap:
			return CommandResult{}, fmt.Errorf("%d bytes of %v at %d are lost", e.Size(), e.Stream, e.From)
		}
		if errors.Is(err, io.EOF) {
			return CommandResult{text[Stdout].String(), text[Stderr].String(), c.exit}, nil
		}
		if err != nil {
			return CommandResult{}, err
		}
	}
}

// Close leaves the command, which continues to run. Further calls do nothing.
func (c *Command) Close() error {
	c.cancel()
	<-c.done
	c.leaving.Wait()
	return nil
}
