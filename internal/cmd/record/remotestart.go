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
	"github.com/ptyrec/ptyrec/internal/sys/deadly"
	wire "github.com/ptyrec/ptyrec/protocol/command"
)

// away is how long a command runs on while nobody is connected, and how long it can be continued
// then: a laptop may sleep for days.
const away = 7 * 24 * time.Hour

// remoteOrder is what a server is asked to run.
type remoteOrder struct {
	Words   []string // one is a command line for a shell; several are a program and its arguments
	Resume  string   // the id of the command to continue instead; then only Sandbox counts
	Sandbox string   // on a ptyrec server; empty: the default
	Cwd     string   // empty: the server's choice
	Env     []string // NAME=VALUE
	Timeout time.Duration
	PTY     bool
	NoStdin bool
}

// request returns the order as the server gets it.
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
			return e, &failure.Error{Err: fmt.Errorf("--env %q: it takes NAME=VALUE", pair), Misuse: true}
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
	}
	return e, nil
}

// startRemote starts a command on the server at a URL, or connects to the one to continue. If a
// signal comes first, the error is the cli.ExitStatus for Ctrl+C.
func startRemote(ctx context.Context, server, token string, o remoteOrder) (c *client.Command, err error) {
	server, _, _ = strings.Cut(server, "#") // it may hold the token
	ctx, stop := signal.NotifyContext(ctx, deadly.Signals()...)
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

// isNull reports whether f is /dev/null, which has nothing to read.
func isNull(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(own, null)
}

// sameSignal is the time within which signals are one: timeout(1) sends its own twice.
const sameSignal = 200 * time.Millisecond

// interruptSignals returns a channel for remoteStreams.Interrupts that has a value for each signal
// that kills a command. stop must be called.
func interruptSignals() (interrupts <-chan struct{}, stop func()) {
	signals, out, done := make(chan os.Signal, 2), make(chan struct{}, 2), make(chan struct{})
	signal.Notify(signals, deadly.Signals()...)
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
