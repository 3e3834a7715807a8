package process

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/session"
)

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
