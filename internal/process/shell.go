package process

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// Shell describes a new shell session.
type Shell struct {
	Env     map[string]string // added to the server's environment
	Cwd     string            // empty: the server's folder
	Timeout time.Duration     // for commands whose Spec has none; 0: none
}

// defaultSession is the name of the shell session that every sandbox has.
const defaultSession = "default"

// Sandbox is a sandbox that was explicitly created. Commands may also use names of sandboxes that
// were not.
type Sandbox struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// fact is the content of a file in the folder of sandboxes.
type fact struct {
	Sandbox
	Session string `json:"session,omitempty"` // empty if the file describes the sandbox
	Shell   Shell  `json:"shell,omitzero"`
}

// Suffixes of the files in the folder of sandboxes.
const (
	factEnding  = ".json"
	stateEnding = ".state" // state that a session's command leaves for the next one
)

// folder returns the folder for the sandboxes of a database. Only the user can access it, because
// the variables of sessions may be secret.
func (m *Manager) folder() (string, error) {
	dir := m.opt.Store.Path() + "-sandboxes"
	if err := sys.PrivateFolder(dir); err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o700)
}

// pathOf returns the path of a file for a sandbox or session.
func pathOf(dir, sandbox, name, ending string) string {
	sum := sha256.Sum256([]byte(sandbox + "\x00" + name))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+ending)
}

// create atomically writes a fact that must not exist yet.
func (m *Manager) create(f fact) error {
	dir, err := m.folder()
	if err != nil {
		return err
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "new-") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	sys.GiveAs(file, dir)
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	err = os.Link(file.Name(), pathOf(dir, f.Name, f.Session, factEnding))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", cmp.Or(f.Session, f.Name), ErrExists)
	}
	return err
}

func (m *Manager) fact(sandbox, name string) (f fact, err error) {
	dir, err := m.folder()
	if err != nil {
		return f, err
	}
	text, err := os.ReadFile(pathOf(dir, sandbox, name, factEnding))
	if errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("%s: %w", cmp.Or(name, sandbox), ErrNotFound)
	}
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	return f, err
}

// facts returns the facts for which want returns true, oldest first.
func (m *Manager) facts(want func(fact) bool) (facts []fact, err error) {
	dir, err := m.folder()
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*"+factEnding))
	for _, name := range names {
		var f fact
		text, readErr := os.ReadFile(name)
		if readErr != nil || json.Unmarshal(text, &f) != nil {
			continue // deleted meanwhile, or truncated by a full disk
		}
		if want(f) {
			facts = append(facts, f)
		}
	}
	slices.SortFunc(facts, func(a, b fact) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return facts, err
}

// escapeGlob returns a pattern that matches only path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (m *Manager) remove(sandbox, name string) error {
	dir, err := m.folder()
	if err != nil {
		return err
	}
	for _, ending := range []string{factEnding, stateEnding} {
		if removeErr := os.Remove(pathOf(dir, sandbox, name, ending)); !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

// CreateSandbox creates a sandbox. An empty name is replaced by a generated one. The error wraps
// ErrBadID or ErrExists.
func (m *Manager) CreateSandbox(_ context.Context, name string) (Sandbox, error) {
	s := Sandbox{ID: uuid.NewString(), Name: name, CreatedAt: time.Now().UTC()}
	if name == "" {
		s.Name = "sandbox-" + s.ID[:8]
	}
	if err := checkName(s.Name); err != nil {
		return s, err
	}
	return s, m.create(fact{Sandbox: s})
}

// Sandbox returns a created sandbox. The error wraps ErrNotFound.
func (m *Manager) Sandbox(_ context.Context, name string) (Sandbox, error) {
	f, err := m.fact(name, "")
	return f.Sandbox, err
}

// Sandboxes returns the created sandboxes, oldest first.
func (m *Manager) Sandboxes(context.Context) (all []Sandbox, err error) {
	facts, err := m.facts(func(f fact) bool { return f.Session == "" })
	for _, f := range facts {
		all = append(all, f.Sandbox)
	}
	return all, err
}

// DeleteSandbox ends the running commands of a sandbox, and deletes it and its shell sessions. The
// recordings are kept. The error wraps ErrNotFound if the sandbox was not created.
func (m *Manager) DeleteSandbox(ctx context.Context, name string) error {
	if _, err := m.fact(name, ""); err != nil {
		return err
	}
	_, err := m.KillAll(ctx, name, Kill, 0)
	sessions, factErr := m.facts(func(f fact) bool { return f.Name == name && f.Session != "" })
	for _, f := range sessions {
		err = errors.Join(err, m.remove(name, f.Session))
	}
	return errors.Join(err, factErr, m.remove(name, defaultSession), m.remove(name, ""))
}

// CreateShell creates a shell session. The error wraps ErrBadID or ErrExists.
func (m *Manager) CreateShell(_ context.Context, sandbox, name string, s Shell) error {
	for _, text := range []string{sandbox, name} {
		if err := checkName(text); err != nil {
			return err
		}
	}
	return m.create(fact{Sandbox: Sandbox{Name: sandbox, CreatedAt: time.Now().UTC()}, Session: name, Shell: s})
}

// Shells returns the names of the created shell sessions of a sandbox, or of AnySandbox, oldest
// first.
func (m *Manager) Shells(_ context.Context, sandbox string) (names []string, err error) {
	facts, err := m.facts(func(f fact) bool { return (sandbox == AnySandbox || f.Name == sandbox) && f.Session != "" })
	for _, f := range facts {
		names = append(names, f.Session)
	}
	return names, err
}

// DeleteShell ends the running commands of a shell session, and deletes it. The error wraps
// ErrNotFound.
func (m *Manager) DeleteShell(ctx context.Context, sandbox, name string) error {
	if _, err := m.fact(sandbox, name); err != nil {
		return err
	}
	_, err := m.killThose(ctx, func(c *Command) bool { return c.info.Sandbox == sandbox && c.info.Session == name },
		Kill, 0)
	return errors.Join(err, m.remove(sandbox, name))
}

// lock waits until no other command of a session runs. unlock must be called afterwards.
func (m *Manager) lock(ctx context.Context, k key) (unlock func(), err error) {
	m.mu.Lock()
	turn, ok := m.shells[k]
	if !ok {
		turn = make(chan struct{}, 1)
		m.shells[k] = turn
	}
	m.mu.Unlock()
	select {
	case turn <- struct{}{}: // in the order of waiting: Go's channels are fair
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// enter waits for the earlier commands of the Spec's session.
func (m *Manager) enter(ctx context.Context, s Spec) (leave func(), err error) {
	if s.Session == "" || s.Apart {
		return func() {}, nil
	}
	return m.lock(ctx, key{s.Sandbox, s.Session})
}

// shellState is where a command of a session writes its state for the next one.
type shellState struct{ Path, New string }

// finish keeps the state that the command has written, if it is complete.
func (s *shellState) finish() {
	if text, err := os.ReadFile(s.New); err == nil {
		if _, _, ok := parseEnd(text); ok && os.Rename(s.New, s.Path) == nil {
			return
		}
	}
	_ = os.Remove(s.New) // the state of the previous command stays
}

// inShell changes the order to run in a shell session.
func (m *Manager) inShell(o *order) error {
	f, err := m.fact(o.Sandbox, o.Session)
	if err != nil && (o.Session != defaultSession || !errors.Is(err, ErrNotFound)) {
		return err
	}
	dir, err := m.folder()
	if err != nil {
		return err
	}
	if o.Timeout == 0 {
		o.Timeout = f.Shell.Timeout
	}
	s := &shellState{Path: pathOf(dir, o.Sandbox, o.Session, stateEnding)}
	w := wrapper{command: o.Command, cwd: o.Cwd, env: o.Env}
	o.Dir = ""
	old, err := os.ReadFile(s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.Dir = f.Shell.Cwd
		o.Environ = environ(o.Environ, f.Shell.Env, o.Record.ID)
	case err != nil:
		return err
	default:
		w.old = s.Path
		var cwd string
		w.options, cwd, _ = parseEnd(old)
		o.Environ = environ(nil, nil, o.Record.ID) // the other variables are in the file
		o.Record.Cwd = cmp.Or(o.Cwd, cwd)
	}
	if !o.Apart {
		s.New = s.Path + "." + o.Record.ID
		f, err := sys.OpenPrivate(s.New)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Truncate(0), f.Close()); err != nil {
			return err
		}
		w.new = s.New
		o.State = s
	}
	o.Argv = []string{cmp.Or(o.Shell, defaultShell), "-c", w.script()}
	return nil
}
