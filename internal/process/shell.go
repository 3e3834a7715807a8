package process

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// endMark is the beginning of the last line of a state file. The shell's options and folder follow.
const endMark = "# end "

// parseEnd parses the last line of a state file. ok is false if the file is incomplete.
func parseEnd(text []byte) (options, cwd string, ok bool) {
	text = bytes.TrimSuffix(text, []byte("\n"))
	line, ok := strings.CutPrefix(string(text[bytes.LastIndexByte(text, '\n')+1:]), endMark)
	options, cwd, found := strings.Cut(line, " ")
	return options, cwd, ok && found
}

// wrapper is the script that runs a command of a shell session in its own bash. The bash starts
// with the folder, umask, options, variables, functions and aliases that the previous one wrote to
// a file, and writes its own when it exits. The script must work whatever the command does to the
// shell: functions and variables of the user do not interfere with it, and it is not traced.
type wrapper struct {
	command  string
	cwd      string            // for this command only
	env      map[string]string // for this command only
	old, new string            // state files to read and to write; empty for none
	options  string            // SHELLOPTS of the previous bash
}

// ownVariables is a pattern for the variables that bash sets itself, and those of the wrapper.
const ownVariables = `BASH|BASHOPTS|BASHPID|BASH_A*|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|` +
	`BASH_REMATCH|` +
	`BASH_SOURCE|BASH_SUBSHELL|BASH_VERS*|COMP_WORDBREAKS|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|` +
	`PIPESTATUS|` +
	`PPID|PTYREC_SESSION|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_|__ptyrec_*`

// save is executed when the shell exits. %[1]s is the file, %[2]s the pattern of variables to omit,
// %[3]s the folder.
const save = `[[ ${__ptyrec_saved-} ]] || { __ptyrec_options=$SHELLOPTS __ptyrec_saved=1; builtin set +eux +o posix; {
builtin shopt -p; builtin echo 'shopt -u expand_aliases'; builtin umask -p; builtin printf 'cd -- %%q\n' "%[3]s";
[[ ! -v IFS ]] && builtin echo 'unset IFS' || builtin declare -p IFS; IFS=$'\n';
for __ptyrec_name in $(builtin compgen -v); do case $__ptyrec_name in IFS|%[2]s) ;; *) builtin declare -p ` +
	`"$__ptyrec_name";; esac; done;
[[ ! ${__ptyrec_kept-} ]] || builtin printf '%%s\n' "$__ptyrec_kept"; builtin declare -f; builtin declare -Fx; ` +
	`builtin alias -p;
builtin shopt -q expand_aliases && builtin echo 'shopt -s expand_aliases';
builtin printf '` + endMark + `%%s %%q\n' "$__ptyrec_options" "%[3]s"; } >|%[1]s; }`

func (w wrapper) script() string {
	var b strings.Builder
	if w.old != "" {
		fmt.Fprintf(&b, ". %s >/dev/null 2>&1; ", quote(w.old))
	}
	names := slices.Sorted(maps.Keys(w.env))
	if w.new != "" {
		b.WriteString("__ptyrec_cwd=$PWD; ")
		if len(names) > 0 {
			fmt.Fprintf(&b, "__ptyrec_kept=$(builtin declare -p %s 2>/dev/null); ", strings.Join(names, " "))
		}
		if w.cwd != "" {
			names = append(names, "OLDPWD")
			b.WriteString("__ptyrec_kept+=$'\\n'$(builtin declare -p OLDPWD 2>/dev/null); ")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		fmt.Fprintf(&b, "export %s=%s; ", name, quote(w.env[name]))
	}
	if w.cwd != "" {
		fmt.Fprintf(&b, "builtin cd -- %s || exit 1; ", quote(w.cwd))
	}
	if w.new != "" {
		dir := "$PWD"
		if w.cwd != "" {
			dir = "$__ptyrec_cwd"
		}
		text := fmt.Sprintf(save, quote(w.new), strings.Join(append(names, ownVariables), "|"), dir)
		fmt.Fprintf(&b, "__ptyrec_save=%s; ", quote(strings.ReplaceAll(text, "\n", " ")))
		b.WriteString(`builtin trap '{ builtin eval "$__ptyrec_save"; } 2>/dev/null' EXIT; `)
	}
	fmt.Fprintf(&b, "eval %s", quote(w.setOptions()+w.command))
	if w.new != "" {
		b.WriteString("\n{ __ptyrec_status=$?; builtin eval \"$__ptyrec_save\"; } 2>/dev/null; exit $__ptyrec_status")
	}
	return b.String()
}

// usualOptions are the options that are set in every bash.
var usualOptions = []string{"braceexpand", "hashall", "interactive-comments"}

// setOptions returns the command that sets the options of the previous bash.
func (w wrapper) setOptions() string {
	if w.options == "" {
		return ""
	}
	text := ""
	on := strings.Split(w.options, ":")
	for _, o := range usualOptions {
		if !slices.Contains(on, o) {
			text += " +o " + o
		}
	}
	for _, o := range on {
		if !slices.Contains(usualOptions, o) && isOption(o) {
			text += " -o " + o
		}
	}
	if text == "" {
		return ""
	}
	return "set" + text + "; "
}

// isOption reports whether a word is safe to use as the name of an option.
func isOption(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// quote quotes text as a word for the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
