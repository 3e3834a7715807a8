// Package await waits for something to happen in a live session: for an idle agent, a text, a port,
// or the end. Each function reads the session's stream until then. It returns the stream's error if
// that ends first: io.EOF at the end of the session, or the error of ctx.
package await

import (
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/prompt/typing"
	"github.com/ptyrec/ptyrec/protocol"
)

// ErrAsking is the error of Idle for an agent that asks something.
var ErrAsking = errors.New("the agent asks for approval")

// Idle waits until the session is idle, as typing.Idle defines it. The stream must be attached in
// protocol.ModeText with all entries; hello is what it said first. If the agent asks something
// instead, the error is ErrAsking.
func Idle(ctx context.Context, s *client.Stream, hello protocol.Hello) error {
	for idle := typing.NewIdle(hello); ; {
		until, stop := ctx, context.CancelFunc(func() {})
		if due, ok := idle.Due(); ok {
			until, stop = context.WithDeadline(ctx, due)
		}
		e, err := s.Next(until)
		over := until.Err() != nil && ctx.Err() == nil
		stop()
		switch {
		case over && idle.State.State == "asking":
			return ErrAsking
		case over:
			return nil
		case err != nil:
			return err
		}
		idle.Take(e)
	}
}

// Text waits until re matches a row in which the session shows new text, and returns that row. The
// stream and t must be those that typing.AttachText has returned.
func Text(ctx context.Context, s *client.Stream, re *regexp.Regexp, t *typing.Text) (row string, err error) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return "", err
		}
		for _, row := range t.Take(e) {
			if re.MatchString(row) {
				return row, nil
			}
		}
	}
}

// maxLine is how much of an unfinished line Log looks at, in bytes.
const maxLine = 64 << 10

// Log waits until re matches a line of the output, and returns the line without escape sequences.
// The last line may be unfinished. The stream must be attached in protocol.ModeBytes.
func Log(ctx context.Context, s *client.Stream, re *regexp.Regexp) (line string, err error) {
	rest := ""
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return "", err
		}
		output, ok := e.(client.Output)
		if !ok {
			continue
		}
		lines := strings.Split(rest+string(output.Data), "\n")
		for _, line := range lines {
			if line = strings.TrimRight(ansi.Strip(line), "\r"); re.MatchString(line) {
				return line, nil
			}
		}
		rest = lines[len(lines)-1]
		rest = rest[max(0, len(rest)-maxLine):]
	}
}

// Exit waits for the end of the session.
func Exit(ctx context.Context, s *client.Stream) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if _, ok := e.(protocol.Exit); ok {
			return nil
		}
	}
}

// portStep is how often a port is tried.
const portStep = 100 * time.Millisecond

// Port waits until something listens on a port of this machine. If the session ends first, the
// error is io.EOF.
func Port(ctx context.Context, s *client.Stream, port int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() {
		if err := Exit(ctx, s); err == nil {
			cancel(io.EOF)
		}
	})
	tick := time.NewTicker(portStep)
	defer tick.Stop()
	for d := (net.Dialer{}); ; {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(port)))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
