package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/ptyrec/ptyrec/session"
)

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
