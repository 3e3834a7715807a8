package watch

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

// The functions that wait read the session's stream until what they wait for happens. They return
// the stream's error if that ends first: io.EOF at the end of the session, or the error of ctx.

// errAsking is the error of waitIdle for an agent that asks something.
var errAsking = errors.New("the agent asks for approval")

// waitIdle waits until the session is idle, as typing.Idle defines it. The stream must be attached
// in protocol.ModeText with all entries; hello is what it said first. If the agent asks something
// instead, the error is errAsking.
func waitIdle(ctx context.Context, s *client.Stream, hello protocol.Hello) error {
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
			return errAsking
		case over:
			return nil
		case err != nil:
			return err
		}
		idle.Take(e)
	}
}

// waitText waits until re matches a row in which the session shows new text, and returns that row.
// The stream and t must be those that typing.AttachText has returned.
func waitText(ctx context.Context, s *client.Stream, re *regexp.Regexp, t *typing.Text) (row string, err error) {
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

// maxLine is how much of an unfinished line waitLog looks at, in bytes.
const maxLine = 64 << 10

// waitLog waits until re matches a line of the output, and returns the line without escape
// sequences. The last line may be unfinished. The stream must be attached in protocol.ModeBytes.
func waitLog(ctx context.Context, s *client.Stream, re *regexp.Regexp) (line string, err error) {
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

// waitExit waits for the end of the session.
func waitExit(ctx context.Context, s *client.Stream) error {
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

// waitPort waits until something listens on a port of this machine. If the session ends first, the
// error is io.EOF.
func waitPort(ctx context.Context, s *client.Stream, port int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() {
		if err := waitExit(ctx, s); err == nil {
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
