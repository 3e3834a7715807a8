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
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
)

// The waiting functions read the session's stream until the condition is met. If the stream ends
// first, they return its error: io.EOF at the end of the session, or that of ctx.

// errAsking reports that the agent asks a question, so the session will not become idle.
var errAsking = errors.New("the agent asks for approval")

// waitIdle waits until the session is idle as defined by prompt.Idle. The stream must be attached
// in protocol.ModeText with all entries; hello is the session's first message. If the agent asks a
// question, the error is errAsking.
func waitIdle(ctx context.Context, s *client.Stream, hello protocol.Hello) error {
	for idle := prompt.NewIdle(hello); ; {
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

// waitText waits until re matches a row with new text, and returns that row. The stream and t must
// come from prompt.AttachText.
func waitText(ctx context.Context, s *client.Stream, re *regexp.Regexp, t *prompt.Text) (row string, err error) {
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

// maxLine is how much of an incomplete line waitLog searches, in bytes.
const maxLine = 64 << 10

// waitLog waits until re matches a line of the output, and returns the line without escape
// sequences. It also matches an incomplete last line. The stream must be attached in
// protocol.ModeBytes.
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

// portStep is the interval between attempts to connect to the port.
const portStep = 100 * time.Millisecond

// waitPort waits until a process listens on a port of this machine. If the session ends first, the
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
