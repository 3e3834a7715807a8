package process

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Options configure a Manager. Store and Program are required.
type Options struct {
	Store      *sqlite.Store
	Program    string // path of an executable whose main calls [BeHost]
	MaxRunning int    // 0: no limit
	// Redact returns the command line to record; nil records it unchanged.
	Redact func(argv []string) []string
	Input  bool         // record the input of commands
	Log    *slog.Logger // nil disables logging
}

// Manager starts commands and finds them again later. Its methods may be called concurrently.
type Manager struct {
	opt   Options
	spare spares
	tidy  tidy

	mu       sync.Mutex // guards the fields below
	commands map[key]*Command
	starting map[key]chan struct{} // closed when the start has succeeded or failed
	shells   map[key]chan struct{} // by shell session: full while a command of it runs
	reserved int                   // number of commands that are being started
	closed   bool

	ctx      context.Context // cancelled by Close
	stop     context.CancelFunc
	watching sync.WaitGroup // goroutines that wait for commands; none starts after closed is set
}

type key struct{ sandbox, id string }

// Open returns a Manager that also knows the commands that already run. The caller must Close it.
func Open(ctx context.Context, o Options) (*Manager, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Manager{opt: o, commands: map[key]*Command{}, starting: map[key]chan struct{}{}, shells: map[key]chan struct{}{}}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.spare.program = o.Program
	m.tidy.init()
	if err := m.recover(ctx); err != nil {
		m.stop()
		m.watching.Wait()
		return nil, err
	}
	m.tidy.start(o.Store)
	m.spare.fill()
	return m, nil
}

// Close disconnects from the commands, which continue to run. Calls that wait for a command do not
// return then unless their context ends.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.stop()
	m.watching.Wait()
	m.spare.close()
	m.tidy.close()
	return nil
}

// EndAll ends all commands and waits until they have ended.
func (m *Manager) EndAll(ctx context.Context) error {
	_, err := m.killThose(ctx, func(*Command) bool { return true }, syscall.SIGTERM, Grace)
	return err
}

// recover finds the running hosts, and the finished commands that are still listed.
func (m *Manager) recover(ctx context.Context) error {
	for _, id := range hosted(m.opt.Store.Path()) {
		if s, err := m.ask(ctx, id, request{Op: opState}); err == nil && s.Record.Process != "" {
			m.resume(ctx, m.add(s.Record, s, nil))
		}
	}
	if err := m.opt.Store.ImportJournals(ctx, nil); err != nil { // the journals contain how commands ended
		m.opt.Log.Debug("import journals", "error", err)
	}
	infos, err := m.opt.Store.Sessions(ctx, store.Filter{Processes: true})
	for _, info := range infos {
		if info.Asked != nil && info.Asked.Listed && !info.Asked.Brief && info.Status != store.Live {
			m.add(info.Session, nil, nil)
		}
	}
	return err
}

// resume makes the next command of a shell session wait for a command that already runs.
func (m *Manager) resume(ctx context.Context, c *Command) {
	if !c.isRunning() || c.info.Session == "" || c.info.apart {
		return
	}
	if unlock, err := m.lock(ctx, key{c.info.Sandbox, c.info.Session}); err == nil {
		m.whenEnded(c, unlock)
	}
}

// whenEnded calls fn in the background when the command has ended or the Manager is closed.
func (m *Manager) whenEnded(c *Command, fn func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		fn()
		return
	}
	m.watching.Go(func() {
		select {
		case <-c.ended:
		case <-m.ctx.Done():
		}
		fn()
	})
}

// add registers a session's command. s is the status from its host, nil if it has none. w is the
// connection over which its host was started, or nil if another process started it.
func (m *Manager) add(record session.Session, s *status, w *wire) *Command {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := key{record.Sandbox, record.Process}
	if c, ok := m.commands[k]; ok && c.info.SessionID == record.ID {
		if w != nil {
			_ = w.conn.Close() // another connection reports its end
		}
		return c
	}
	c := newCommand(m, record, s)
	m.commands[k] = c
	switch {
	case s == nil || s.State != Running:
		m.forgetSoon(c)
	case !m.closed:
		m.watching.Go(func() { c.watch(w) })
	case w != nil:
		_ = w.conn.Close()
	}
	return c
}

// memory is how long a finished command that is not listed stays in memory. After that it is read
// from the database.
const memory = 10 * time.Minute

// forgetSoon moves a command's journal into the database, and drops the command from memory after a
// while, unless it is listed.
func (m *Manager) forgetSoon(c *Command) {
	m.tidy.wake()
	time.AfterFunc(memory, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		k := key{c.info.Sandbox, c.info.ID}
		if m.commands[k] == c && !c.Info().Listed {
			delete(m.commands, k)
		}
	})
}

// Full reports whether the maximum number of commands is running.
func (m *Manager) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opt.MaxRunning > 0 && m.running() >= m.opt.MaxRunning
}

// Running returns the ids of the running commands of a sandbox.
func (m *Manager) Running(sandbox string) (ids []string) {
	for _, c := range m.those(in(sandbox)) {
		if c.isRunning() {
			ids = append(ids, c.info.ID)
		}
	}
	return ids
}

// running counts the commands that run or are being started. m.mu must be held.
func (m *Manager) running() int {
	n := m.reserved
	for _, c := range m.commands {
		if c.isRunning() {
			n++
		}
	}
	return n
}

// Forget removes a command from the list. Its recording is kept.
func (m *Manager) Forget(ctx context.Context, sandbox, id string) error {
	c, err := m.find(ctx, key{sandbox, id})
	if err != nil {
		return err
	}
	return c.unlist(ctx)
}

// Cleanup removes all finished commands of a sandbox, or of AnySandbox, from the list, and returns
// their number.
func (m *Manager) Cleanup(ctx context.Context, sandbox string) (n int, err error) {
	for _, c := range m.those(in(sandbox)) {
		if i := c.Info(); i.Listed && i.State != Running {
			err = errors.Join(err, c.unlist(ctx))
			n++
		}
	}
	return n, err
}

// KillAll ends all running commands of a sandbox, as Command.Kill does, and returns their number.
func (m *Manager) KillAll(ctx context.Context, sandbox string, sig syscall.Signal, grace time.Duration) (int, error) {
	return m.killThose(ctx, in(sandbox), sig, grace)
}

func (m *Manager) killThose(ctx context.Context, want func(*Command) bool, sig syscall.Signal,
	grace time.Duration) (n int, err error) {
	var wait sync.WaitGroup
	var mu sync.Mutex // guards err
	for _, c := range m.those(want) {
		if c.isRunning() {
			n++
		}
		wait.Go(func() {
			if killErr := c.Kill(ctx, sig, grace); killErr != nil && !errors.Is(killErr, ErrEnded) {
				mu.Lock()
				err = errors.Join(err, killErr)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return n, err
}
