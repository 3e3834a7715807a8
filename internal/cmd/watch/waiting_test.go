package watch

import (
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/internal/testkit/livetest"
	"github.com/ptyrec/ptyrec/protocol"
)

// attachWaiting joins a session as `ptyrec wait` does.
func attachWaiting(t *testing.T, s *livetest.Session, o client.AttachOptions) (context.Context, *client.Stream,
	protocol.Hello) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	o.Kind, o.Name = protocol.Agent, "wait"
	stream, hello, err := join.Session(ctx, s.Client, livetest.ID, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	return ctx, stream, hello
}

func TestWaitText(t *testing.T) {
	s := livetest.New(t, "make")
	ctx, stream, _ := attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeText})
	s.Write("compiling\r\n3 tests, all PASS\r\n")
	line, err := waitText(ctx, stream, regexp.MustCompile("PASS|FAIL"), &prompt.Text{})
	if line != "3 tests, all PASS" || err != nil {
		t.Errorf("Text() = %q, %v", line, err)
	}
	s.Exit(0)
	if line, err := waitText(ctx, stream, regexp.MustCompile("never"), &prompt.Text{}); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %q, %v, want io.EOF", line, err)
	}
}

// What was written before counts, escape sequences do not, and a line may come in pieces.
func TestWaitLog(t *testing.T) {
	s := livetest.New(t, "server")
	s.Write("\x1b[32mearly\x1b[m start\r\n")
	ctx, stream, _ := attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeBytes})
	if line, err := waitLog(ctx, stream, regexp.MustCompile("^early")); line != "early start" || err != nil {
		t.Errorf("a line from before: %q, %v", line, err)
	}
	s.Write("listen")
	s.Write("ing on 80\r\nmore")
	if line, err := waitLog(ctx, stream, regexp.MustCompile(`listening on \d+$`)); line != "listening on 80" ||
		err != nil {
		t.Errorf("a line in two pieces: %q, %v", line, err)
	}
}

func TestWaitExit(t *testing.T) {
	s := livetest.New(t, "make")
	ctx, stream, _ := attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeBytes})
	s.Write("done\r\n")
	s.Exit(3)
	if err := waitExit(ctx, stream); err != nil {
		t.Error(err)
	}
}

func TestWaitPort(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	s := livetest.New(t, "server")
	ctx, stream, _ := attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeBytes})
	if err := waitPort(ctx, stream, port); err != nil {
		t.Errorf("a port that is open: %v", err)
	}
	_ = l.Close()
	_, stream, _ = attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeBytes})
	s.Exit(0)
	if err := waitPort(ctx, stream, port); !errors.Is(err, io.EOF) {
		t.Errorf("the session ends first: %v, want io.EOF", err)
	}
}

// Without an agent, a session is idle when it has written nothing for a while. The time of ctx
// comes before that.
func TestWaitIdle(t *testing.T) {
	s := livetest.New(t, "make")
	ctx, stream, hello := attachWaiting(t, s, client.AttachOptions{Mode: protocol.ModeText, Entries: new(int)})
	over, stop := context.WithCancel(ctx)
	stop()
	if err := waitIdle(over, stream, hello); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
	s.Write("output\r\n")
	if err := waitIdle(ctx, stream, hello); err != nil {
		t.Errorf("Idle() = %v", err)
	}
}
