package process

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

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

// isVariable reports whether name is valid for an environment variable.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != ""
}

// sessionID returns the id of a command's session: a UUID of version 8 (RFC 9562, 5.8) that is
// derived from the sandbox and the command's id, so that two servers cannot run the same command
// twice.
//
// turn counts the records with the same sandbox and id, from 0: an id that Forget has freed can be
// used again.
func sessionID(sandbox, id string, turn int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "ptyrec command\x00%s\x00%s\x00%d", sandbox, id, turn))
	u := uuid.UUID(sum[:16])
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// checkName returns ErrBadID unless name is valid for a sandbox, session or command.
func checkName(name string) error {
	for _, c := range []byte(name) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '_' || c == '-') {
			return fmt.Errorf("%q: %w", name, ErrBadID)
		}
	}
	if name == "" || len(name) > 128 || name[0] == '.' {
		return fmt.Errorf("%q: %w", name, ErrBadID)
	}
	return nil
}

// Start runs a command, or returns the existing one with the sandbox and id of the Spec. It returns
// when the command runs. The error wraps ErrBadID, ErrTooMany, ErrExpired, ErrNotFound (no such
// session) or ErrStart, or is ctx's.
func (m *Manager) Start(ctx context.Context, s Spec) (c *Command, existed bool, err error) {
	known := s.ID != ""
	if !known {
		s.ID = "cmd_" + strings.ToLower(rand.Text())[:20]
	}
	for _, name := range []string{s.Sandbox, s.ID, cmp.Or(s.Session, defaultSession)} {
		if err := checkName(name); err != nil {
			return nil, false, err
		}
	}
	for name := range s.Env {
		if !isVariable(name) {
			return nil, false, fmt.Errorf("environment variable %q: %w", name, ErrStart)
		}
	}
	k := key{s.Sandbox, s.ID}
	done, err := m.claim(ctx, k)
	if err != nil {
		return nil, false, err
	}
	defer done()
	turn := 0
	if known {
		c, turn, err = m.search(ctx, k)
		if !errors.Is(err, ErrNotFound) {
			return c, err == nil, err
		}
	}
	return m.start(ctx, s, turn)
}

// claim waits until no other goroutine is starting the command. done must be called when it has
// started or failed.
func (m *Manager) claim(ctx context.Context, k key) (done func(), err error) {
	for {
		m.mu.Lock()
		busy, ok := m.starting[k]
		if !ok {
			mine := make(chan struct{})
			m.starting[k] = mine
			m.mu.Unlock()
			return func() {
				m.mu.Lock()
				delete(m.starting, k)
				m.mu.Unlock()
				close(mine)
			}, nil
		}
		m.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
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

// reserve reserves a place for one more command, or returns ErrTooMany. started must be called when
// the command runs or could not be started.
func (m *Manager) reserve() (started func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.opt.MaxRunning > 0 && m.running() >= m.opt.MaxRunning {
		return nil, ErrTooMany
	}
	m.reserved++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.reserved--
	}, nil
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

// start starts a command that has no record.
func (m *Manager) start(ctx context.Context, s Spec, turn int) (*Command, bool, error) {
	leave, err := m.enter(ctx, s)
	if err != nil {
		return nil, false, err
	}
	begun := false
	defer func() {
		if !begun {
			leave()
		}
	}()
	started, err := m.reserve()
	if err != nil {
		return nil, false, err
	}
	defer started()
	o, err := m.order(s, turn)
	if err != nil {
		return nil, false, err
	}
	if o.Timeout < 0 {
		o.Timeout = 0
	}
	w, r, err := m.spare.start(o)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%w: %w", ErrStart, err)
	case r.Exists:
		c, err := m.find(ctx, key{s.Sandbox, s.ID})
		return c, err == nil, err
	case r.Error != "":
		return nil, false, fmt.Errorf("%w: %s", ErrStart, strings.TrimPrefix(r.Error, ErrStart.Error()+": "))
	}
	c := m.add(r.Status.Record, r.Status, w)
	begun = true
	m.whenEnded(c, leave)
	return c, false, nil
}

// order converts a Spec to an order for a host.
func (m *Manager) order(s Spec, turn int) (*order, error) {
	s.Input = s.Input || m.opt.Input
	id := sessionID(s.Sandbox, s.ID, turn)
	private := s.Env[privateVariable] != "" || os.Getenv(privateVariable) != ""
	if private {
		s.Env = maps.Clone(s.Env)
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[privateVariable] = id
	}
	o := &order{Spec: s, DB: m.opt.Store.Path(), Dir: s.Cwd}
	o.Argv = s.Argv
	if s.Command != "" {
		o.Argv = []string{cmp.Or(s.Shell, defaultShell), "-c", s.Command}
	}
	if len(o.Argv) == 0 {
		return nil, fmt.Errorf("%w: no command", ErrStart)
	}
	o.Record = session.Session{
		ID: id, Command: o.Argv, Cwd: s.Cwd, Cols: cmp.Or(s.Cols, 80), Rows: cmp.Or(s.Rows, 24), Agents: []session.Agent{},
		Sandbox: s.Sandbox, Process: s.ID, Private: private,
		Asked: &session.Asked{
			By: s.By, Shell: s.Session, PTY: s.PTY, Apart: s.Apart, Listed: s.Listed, Brief: s.AutoCleanup,
			TTL: max(0, s.TTL).Milliseconds(),
		},
	}
	if m.opt.Redact != nil {
		o.Record.Command = m.opt.Redact(o.Argv)
	}
	o.Record.Command = shortened(o.Record.Command)
	if o.Record.Cwd == "" {
		o.Record.Cwd, _ = os.Getwd() // a removed folder has no name
	}
	o.Environ = os.Environ()
	if s.Session == "" || s.Command == "" {
		o.Environ = environ(o.Environ, s.Env, id)
	} else if err := m.inShell(o); err != nil {
		return nil, err
	}
	o.Record.Asked.Timeout = max(0, o.Timeout).Milliseconds()
	return o, nil
}

// maxRecorded is the maximum length of each argument in a record, in bytes, because lists of
// sessions contain all of them.
const maxRecorded = 128 << 10

// shortened returns a command line as it is recorded, with long arguments cut.
func shortened(argv []string) []string {
	short := slices.Clone(argv)
	for i, arg := range short {
		if more := len(arg) - maxRecorded; more > 0 {
			short[i] = strings.ToValidUTF8(arg[:maxRecorded], "") + fmt.Sprintf(" \u2026 (%d more bytes)", more)
		}
	}
	return short
}

const defaultShell = "/bin/bash"

// sessionVariable contains the id of the session in which a process runs, privateVariable that of a
// private session, as with `ptyrec run`. A program that sets the latter asks for a private session.
const (
	sessionVariable = "PTYREC_SESSION"
	privateVariable = "PTYREC_PRIVATE"
)

// environ returns an environment with additional variables and those of the session id.
func environ(base []string, added map[string]string, id string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, again := added[name]
		return again || name == sessionVariable
	})
	for name, value := range added {
		env = append(env, name+"="+value)
	}
	return append(env, sessionVariable+"="+id)
}

// Get returns a command that runs or has a record. With AnySandbox, it returns a command with the
// id that this Manager started or lists. The error wraps ErrNotFound or ErrExpired.
func (m *Manager) Get(ctx context.Context, sandbox, id string) (*Command, error) {
	if sandbox != AnySandbox {
		return m.find(ctx, key{sandbox, id})
	}
	named := m.those(func(c *Command) bool { return c.info.ID == id })
	if len(named) == 0 {
		return nil, fmt.Errorf("command %s: %w", id, ErrNotFound)
	}
	listed := slices.IndexFunc(named, func(c *Command) bool { return c.Info().Listed })
	return named[max(0, listed)], nil
}

// AnySandbox stands for all sandboxes.
const AnySandbox = ""

// in returns a function that reports whether a command belongs to a sandbox.
func in(sandbox string) func(*Command) bool {
	return func(c *Command) bool { return sandbox == AnySandbox || c.info.Sandbox == sandbox }
}

func (m *Manager) find(ctx context.Context, k key) (*Command, error) {
	c, _, err := m.search(ctx, k)
	return c, err
}

// search finds the newest command with the key. If there is none, or it was forgotten, turn is the
// turn for the next one.
func (m *Manager) search(ctx context.Context, k key) (c *Command, turn int, err error) {
	m.mu.Lock()
	c = m.commands[k]
	m.mu.Unlock()
	for c == nil || c.Info().forgotten {
		if c, err = m.look(ctx, sessionID(k.sandbox, k.id, turn)); err != nil {
			return nil, turn, fmt.Errorf("command %s: %w", k.id, err)
		}
		turn++
	}
	if c.expired() {
		return nil, turn, fmt.Errorf("command %s: %w", k.id, ErrExpired)
	}
	return c, turn, nil
}

// look finds the command of a session through its host, or else through its record.
func (m *Manager) look(ctx context.Context, id string) (*Command, error) {
	if s, err := m.ask(ctx, id, request{Op: opState}); err == nil {
		return m.add(s.Record, s, nil), nil
	}
	info, err := m.opt.Store.Find(ctx, id)
	if errors.Is(err, session.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return newCommand(m, info.Session, nil), nil
}

// ask sends a request to a session's host and returns the status of its command.
func (m *Manager) ask(ctx context.Context, id string, q request) (*status, error) {
	conn, err := dial(m.opt.Store.Path(), id)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	w := newWire(conn)
	if err := w.send(q); err != nil {
		return nil, err
	}
	var r reply
	if _, err := w.receive(&r); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	if r.Error == ErrEnded.Error() {
		return r.Status, ErrEnded
	}
	if r.Error != "" || r.Status == nil {
		return r.Status, errors.New(r.Error)
	}
	return r.Status, nil
}

// noHost reports whether err means that a session no longer has a host, or that it is just exiting.
func noHost(err error) bool {
	for _, gone := range []error{fs.ErrNotExist, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// List returns the listed commands of a sandbox, or of AnySandbox, oldest first.
func (m *Manager) List(_ context.Context, sandbox string) ([]Info, error) {
	var infos []Info
	for _, c := range m.those(in(sandbox)) {
		if i := c.Info(); i.Listed && !c.expired() {
			infos = append(infos, i)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt),
			strings.Compare(a.ID, b.ID))
	})
	return infos, nil
}

func (m *Manager) those(want func(*Command) bool) (commands []*Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.commands {
		if want(c) {
			commands = append(commands, c)
		}
	}
	return commands
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
