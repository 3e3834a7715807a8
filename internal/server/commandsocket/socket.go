package commandsocket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/protocol/command"
)

// firstTime is how long a client has to send its first message.
const firstTime = time.Minute

// socket attaches a client to a command.
func (p *Protocol) socket(w http.ResponseWriter, r *http.Request) error {
	box, err := p.find(r.Context(), r)
	if err != nil {
		return err
	}
	if r.Header.Get("Upgrade") == "" {
		return problemf(http.StatusUpgradeRequired, "", "this address requires a WebSocket")
	}
	// A client that comes back to its command is admitted, and so is one that retries after its
	// socket was closed: only the first message tells which it is.
	patient := slices.Contains(offered(r), command.Subprotocol)
	if p.commands.Full() && !patient && !p.clients.expected(box.Name, p.commands.Running(box.Name)) {
		return process.ErrTooMany
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: subprotocols(r)})
	if err != nil {
		return errAnswered
	}
	a := &attachment{
		box: box.Name, by: asker(r), commands: p.commands, clients: &p.clients,
		ws: ws, acks: ws.Subprotocol() == command.Subprotocol, server: r.Context(), input: newQueue(),
	}
	a.serve()
	return nil
}

// subprotocols returns the subprotocols from which we select. Browsers fail unless one that they
// offer is selected, even if the only one is the token.
func subprotocols(r *http.Request) []string {
	selectable := []string{command.Subprotocol}
	for _, word := range offered(r) {
		if strings.HasPrefix(word, client.TokenPrefix) {
			selectable = append(selectable, word)
		}
	}
	return selectable
}

// offered returns the subprotocols that the client offers.
func offered(r *http.Request) (words []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			words = append(words, strings.TrimSpace(word))
		}
	}
	return words
}

// attachment is a client's connection to a command.
type attachment struct {
	box, by  string
	commands *process.Manager
	clients  *clients
	told     bool // the client knows how the command has ended
	ws       *websocket.Conn
	acks     bool            // the client uses command.Subprotocol
	server   context.Context // ends with the server
	command  *process.Command
	input    *queue
	sending  atomic.Int32   // number of messages being sent
	others   sync.WaitGroup // the other goroutines
}

// fault is an error to send to the client before the connection is closed.
type fault struct{ kind, message string }

func (f *fault) Error() string { return f.message }

func invalid(err error) error {
	return &fault{command.CommandError, "Invalid message: " + err.Error()}
}

// errBusy closes the connection before the command has started. Clients retry with the same id.
var errBusy = errors.New("too many commands are running; try again")

// serve serves the client until the command has ended or one side leaves. Input that has arrived is
// passed to the command even if the client has left.
func (a *attachment) serve() {
	a.ws.SetReadLimit(-1) // receive has its own limit
	stop := a.closeWith(a.server, websocket.StatusGoingAway, "server is shutting down")
	defer stop()
	defer a.others.Wait()
	from, err := a.begin()
	if err == nil {
		err = a.run(from)
	}
	a.input.end()
	var told *fault
	switch {
	case errors.As(err, &told):
		_ = a.send(errorReply{command.Error, told.kind, told.message}) // the client may be gone
		err = nil
	case errors.Is(err, errBusy):
	case a.server.Err() != nil:
		return // stop waits for the close
	case err != nil: // the client is gone
		_ = a.ws.CloseNow()
		return
	}
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	_ = a.ws.Close(websocket.StatusNormalClosure, reason)
}

// closeWith closes the connection with a close frame when ctx ends, unless stop is called before.
// stop waits for a close that has begun.
func (a *attachment) closeWith(ctx context.Context, code websocket.StatusCode, reason string) (stop func()) {
	closed := make(chan struct{})
	unlink := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = a.ws.Close(code, reason)
	})
	return func() {
		if !unlink() {
			<-closed
		}
	}
}

// begin reads the first message, and starts or finds the command.
func (a *attachment) begin() (from process.Offsets, err error) {
	late := time.AfterFunc(firstTime, func() { _ = a.ws.Close(websocket.StatusPolicyViolation, "no message received") })
	r, err := a.receive()
	late.Stop()
	if err != nil {
		return from, err
	}
	switch r.Type {
	case command.Execute:
		s, problem := spec(r)
		if problem != nil {
			return from, &fault{command.CommandError, problem.Error()}
		}
		s.Sandbox, s.By = a.box, a.by
		a.command, _, err = a.commands.Start(a.server, s)
	case command.Reconnect:
		from = process.Offsets{Stdout: offset(r.StdoutOffset), Stderr: offset(r.StderrOffset)}
		a.command, err = a.commands.Get(a.server, a.box, r.CommandID)
	default:
		return from, invalid(fmt.Errorf("%q is not %s or %s", r.Type, command.Execute, command.Reconnect))
	}
	return from, a.refusal(err, r.CommandID)
}

func offset(n *int64) int64 {
	if n == nil {
		return 0
	}
	return max(*n, 0)
}

// refusal returns the error to send to the client if there is no command.
func (a *attachment) refusal(err error, id string) error {
	switch {
	case err == nil, a.server.Err() != nil:
		return err
	case errors.Is(err, process.ErrTooMany):
		return errBusy
	case errors.Is(err, process.ErrNotFound):
		return &fault{command.CommandNotFound, "Command not found: " + id}
	case errors.Is(err, process.ErrExpired):
		return &fault{command.SessionExpired, "Session expired: " + id}
	}
	return &fault{command.CommandError, err.Error()}
}

// run passes on the output, the input and the end of the command.
func (a *attachment) run(from process.Offsets) error {
	defer a.command.Attach()()
	leave := a.clients.enter(a.box, a.command.Info().ID)
	defer func() { leave(a.told) }()
	if err := a.start(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(a.server)
	defer cancel(nil)
	a.others.Go(a.feed)
	a.others.Go(func() { cancel(a.listen()) })
	a.others.Go(func() { a.ping(ctx) })
	err := a.show(ctx, from)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// start reports to the client that it is attached.
func (a *attachment) start() error {
	i := a.command.Info()
	// Of a command that has ended, the pid is unknown.
	reply := command.Reply{Type: command.Started, CommandID: i.ID, PID: max(i.PID, 1)}
	if a.acks {
		taken, err := a.command.Taken(a.server)
		if err != nil && !errors.Is(err, process.ErrEnded) {
			return err
		}
		reply.StdinOffset = &taken
	}
	return a.send(reply)
}

// outputReply is a stdout or stderr message. Data is present even if it is empty.
type outputReply struct {
	Type   string `json:"type"`
	Data   string `json:"data"`
	Offset int64  `json:"offset"`
	Info   string `json:"info,omitempty"` // what is missing before Offset, or a problem of the recording
}

type errorReply struct {
	Type      string `json:"type"`
	ErrorType string `json:"error_type"`
	Error     string `json:"error"`
}

var names = [...]string{process.Stdout: command.Stdout, process.Stderr: command.Stderr}

// show sends the output from a position on, and then how the command has ended.
func (a *attachment) show(ctx context.Context, from process.Offsets) error {
	for chunk, err := range process.Pieces(a.command.Read(ctx, from)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &fault{command.CommandError, "the output cannot be read: " + err.Error()}
		}
		if chunk.Offset == from.Of(chunk.Stream) {
			chunk = whole(chunk)
		}
		if err := a.send(outputReply{names[chunk.Stream], chunk.Text, chunk.Offset, chunk.Info}); err != nil {
			return err
		}
	}
	i := a.command.Info()
	if kind, message := failure(i); kind != "" {
		a.told = true
		return &fault{kind, message}
	}
	err := a.send(command.Reply{Type: command.Exit, ExitCode: &i.ExitCode})
	a.told = err == nil
	return err
}

// whole removes the rest of a character from the start of a chunk, because JSON cannot contain it.
// The client asked for output from within that character.
func whole(c process.Chunk) process.Chunk {
	n := 0
	for n < len(c.Text) && n < utf8.UTFMax && !utf8.RuneStart(c.Text[n]) {
		n++
	}
	c.Text, c.Offset = c.Text[n:], c.Offset+int64(n)
	return c
}

// pingAfter is the interval of pings, and the time limit for a response to one.
const pingAfter = 30 * time.Second

// ping closes the connection if the client does not respond.
func (a *attachment) ping(ctx context.Context) {
	tick := time.NewTicker(pingAfter)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		late, cancel := context.WithTimeout(ctx, pingAfter)
		err := a.ws.Ping(late)
		cancel()
		if err != nil && a.sending.Load() == 0 { // a client that reads slowly is not dead
			_ = a.ws.CloseNow()
			return
		}
	}
}

// send sends a message. It blocks while the client does not read, until the connection ends.
func (a *attachment) send(v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	a.sending.Add(1)
	defer a.sending.Add(-1)
	return a.ws.Write(context.Background(), websocket.MessageText, bytes.TrimRight(text.Bytes(), "\n"))
}

// receive returns the next message. The error is a *fault if it is malformed.
func (a *attachment) receive() (r command.Request, err error) {
	_, message, err := a.ws.Reader(context.Background())
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(io.LimitReader(message, maxMessage+1))
	if err != nil {
		return r, err
	}
	if len(text) > maxMessage {
		return r, invalid(fmt.Errorf("it is longer than %d MiB", maxMessage>>20))
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, invalid(malformed(err))
	}
	if r.Type == "" {
		return r, invalid(errors.New("type is missing"))
	}
	return r, nil
}
