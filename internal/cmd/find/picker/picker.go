package picker

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"github.com/ptyrec/ptyrec/internal/sys/deadly"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Action is what the user wants to do with a session, outside the picker.
type Action int

// The actions. Leave has no session.
const (
	Leave Action = iota
	Show
	Play
	Attach
	Resume
)

// Choice is what the user chose.
type Choice struct {
	Action Action
	Info   *store.Info
}

// Picker shows sessions and lets the user choose one. It may be run again after an action: it then
// shows the same filter and the same session. All functions are needed. They are called from other
// goroutines, and not after Run has returned.
type Picker struct {
	In, Out *os.File // the user's terminal
	Color   bool

	// Sessions returns the newest sessions, all of them if limit is 0.
	Sessions func(ctx context.Context, limit int) ([]*store.Info, error)
	// Sockets returns the sockets of the live sessions by the sessions' ids.
	Sockets func() map[string]string
	// Entries returns the first entries of a session, without secrets.
	Entries func(ctx context.Context, info *store.Info, limit int) ([]*session.Entry, error)
	// Tag adds tags to a session, removes others, and returns those that it has then.
	Tag func(ctx context.Context, info *store.Info, add, remove []string) ([]string, error)
	// Delete deletes a session.
	Delete func(ctx context.Context, info *store.Info) error
	// Export writes a session to a file that must not exist.
	Export func(ctx context.Context, info *store.Info, path string) error

	Note string // what the picker says when it opens, an error; empty: nothing

	query  string
	chosen string // the id of the session that the cursor is on
}

// SignalError says that a signal ended the picker. The terminal is as it was.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// Run shows the picker until the user chooses an action or leaves. When it returns, the terminal is
// as it was. The error is a *SignalError if a signal came.
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

// passSignals ends the program when a signal asks this process to end, so that the terminal is
// restored.
func passSignals(program *tea.Program) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, deadly.Signals()...)
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

// jobs are the calls of a Picker's functions that are under way.
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

// end waits for the calls under way. Their context was cancelled before.
func (j *jobs) end() {
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
	j.running.Wait()
}
