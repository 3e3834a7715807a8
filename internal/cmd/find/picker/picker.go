package picker

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Action is an action on a session outside the picker.
type Action int

// The actions. Leave has no session.
const (
	Leave Action = iota
	Show
	Play
	Attach
	Resume
)

// Choice is the user's choice.
type Choice struct {
	Action Action
	Info   *store.Info
}

// Picker shows sessions and lets the user choose one. It can be run again after an action, and then
// shows the same filter and session. All functions are required. They are called from other
// goroutines, but not after Run has returned.
type Picker struct {
	In, Out *os.File // the user's terminal
	Color   bool

	// Sessions returns the newest sessions. If limit is 0, it returns all.
	Sessions func(ctx context.Context, limit int) ([]*store.Info, error)
	// Sockets returns the sockets of the live sessions by the sessions' ids.
	Sockets func() map[string]string
	// Entries returns the first entries of a session, without secrets.
	Entries func(ctx context.Context, info *store.Info, limit int) ([]*session.Entry, error)
	// Tag adds and removes tags of a session. It returns the session's tags afterwards.
	Tag func(ctx context.Context, info *store.Info, add, remove []string) ([]string, error)
	// Delete deletes a session.
	Delete func(ctx context.Context, info *store.Info) error
	// Export writes a session to a file that must not exist.
	Export func(ctx context.Context, info *store.Info, path string) error

	Note string // an error to show when the picker opens, or empty

	query  string
	chosen string // id of the session under the cursor
}

// SignalError reports that a signal ended the picker. The terminal is restored.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// Run shows the picker until the user chooses an action or leaves. The terminal is restored when it
// returns. The error is a *SignalError if a signal arrived.
func (p *Picker) Run(ctx context.Context) (Choice, error) {
	ctx, cancel := context.WithCancel(ctx)
	jobs := &jobs{ctx: ctx}
	defer jobs.end()
	defer cancel()
	m := newModel(p, jobs)
	program := tea.NewProgram(m, tea.WithInput(p.In), tea.WithOutput(p.Out), tea.WithoutSignalHandler())
	stop := passSignals(program)
	defer stop()
	_, err := program.Run()
	p.query, p.chosen = string(m.query.text), m.chosenID()
	switch {
	case err != nil:
		return Choice{}, err
	case m.failed != nil:
		return Choice{}, m.failed
	}
	return m.choice, nil
}

// passSignals ends the program when a signal arrives that ends this process, so that the terminal
// is restored.
func passSignals(program *tea.Program) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, proc.DeadlySignals()...)
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case s := <-signals:
			program.Send(s)
		case <-done:
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		waiting.Wait()
	}
}

// jobs are the running calls of a Picker's functions.
type jobs struct {
	ctx context.Context

	mu      sync.Mutex // guards ended
	ended   bool
	running sync.WaitGroup
}

// do returns a command that calls f in the background, unless the picker has ended.
func (j *jobs) do(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		j.mu.Lock()
		if j.ended {
			j.mu.Unlock()
			return nil
		}
		j.running.Add(1)
		j.mu.Unlock()
		defer j.running.Done()
		return f(j.ctx)
	}
}

// end waits for the running calls. Their context must have been cancelled.
func (j *jobs) end() {
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
	j.running.Wait()
}
