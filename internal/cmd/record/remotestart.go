package record

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	wire "github.com/ptyrec/ptyrec/protocol/command"
)

// away is how long a command continues to run without a connection, and how long it can be resumed
// after its end. A laptop may sleep for days.
const away = 7 * 24 * time.Hour

// remoteOrder describes the command to run on a server.
type remoteOrder struct {
	Words   []string // a single one is a command line for a shell; several are a program and its arguments
	Resume  string   // id of a command to resume instead; the other fields except Sandbox are then ignored
	Sandbox string   // name on a ptyrec server; empty: the default
	Cwd     string   // empty: the server's choice
	Env     []string // NAME=VALUE
	Timeout time.Duration
	PTY     bool
	NoStdin bool
}

// request returns the order in the form for the server.
func (o remoteOrder) request() (client.Exec, error) {
	e := client.Exec{
		Command: o.Words[0], Cwd: o.Cwd, Timeout: o.Timeout, PTY: o.PTY, NoStdin: o.NoStdin,
		IdleTimeout: away, TTL: away,
	}
	if len(o.Words) > 1 {
		e.Command = shellquote.Join(o.Words...)
	}
	if e.Timeout == 0 {
		e.Timeout = wire.Never * time.Second
	}
	for _, pair := range o.Env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return e, &failure.Error{Err: fmt.Errorf("--env must be NAME=VALUE, not %q", pair), Misuse: true}
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
	}
	return e, nil
}

// startRemote starts a command on the server at a URL, or connects to the one to resume. If a
// signal arrives first, the error is the cli.ExitStatus for Ctrl+C.
func startRemote(ctx context.Context, server, token string, o remoteOrder) (c *client.Command, err error) {
	server, _, _ = strings.Cut(server, "#") // the fragment may contain the token
	ctx, stop := signal.NotifyContext(ctx, proc.DeadlySignals()...)
	defer stop()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = cli.ExitStatus(128 + int(syscall.SIGINT))
		}
	}()
	var e client.Exec
	if o.Resume == "" {
		if e, err = o.request(); err != nil {
			return nil, err
		}
	}
	p, err := client.DialCommands(ctx, server, o.Sandbox, client.Options{Token: token})
	if err != nil {
		return nil, err
	}
	if o.Resume != "" {
		return p.Resume(ctx, o.Resume, 0, 0)
	}
	return p.Start(ctx, e)
}

// isNull reports whether f is /dev/null.
func isNull(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(own, null)
}

// sameSignal is the time within which several signals count as one: timeout(1) sends its signal
// twice.
const sameSignal = 200 * time.Millisecond

// interruptSignals returns a channel for remoteStreams.Interrupts that receives a value for each
// terminating signal. stop must be called at the end.
func interruptSignals() (interrupts <-chan struct{}, stop func()) {
	signals, out, done := make(chan os.Signal, 2), make(chan struct{}, 2), make(chan struct{})
	signal.Notify(signals, proc.DeadlySignals()...)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		var last time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			now := time.Now()
			if now.Sub(last) <= sameSignal {
				continue
			}
			select {
			case out <- struct{}{}:
				last = now
			case <-done:
				return
			}
		}
	})
	return out, func() {
		signal.Stop(signals)
		close(done)
		watcher.Wait()
	}
}
