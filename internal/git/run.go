// Package git runs git to query the repository of a folder: briefly, without waiting for locks, and
// without running programs from the repository's configuration.
//
// A folder may come from an attacker. Everything that git could run for these queries is switched
// off: hooks, file system monitors, pagers, password prompts, filters that .gitattributes selects
// from the repository's configuration, and the transports with which a partial clone fetches
// missing objects. Environment variables that begin with GIT_ are not passed on.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var limit = 200 * time.Millisecond

// Limit returns the total time limit for the queries about one moment.
func Limit() time.Duration { return limit }

// SetLimit changes the result of Limit. It is for tests on a busy machine, before they begin.
func SetLimit(d time.Duration) { limit = d }

// maxAnswer is the maximum length of git's output, in bytes. The rest is cut off.
const maxAnswer = 1 << 20

var (
	// ErrUnanswered reports that git is not installed, failed, or did not answer in time.
	ErrUnanswered = errors.New("git did not answer")
	// errNone reports that what was asked for does not exist.
	errNone = errors.New("git cannot resolve this revision")
)

// harmless are arguments that switch off what a repository's configuration could make git run or
// fetch.
var harmless = []string{
	"--no-pager", "--literal-pathspecs",
	"-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "core.askPass=", "-c", "core.sshCommand=false",
	"-c", "credential.helper=", "-c", "log.showSignature=false", "-c", "diff.external=", "-c",
	"status.submoduleSummary=false",
	"-c", "submodule.recurse=false", "-c", "blame.ignoreRevsFile=",
}

// environ returns the environment of git.
func environ() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			env = append(env, v)
		}
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none")
}

// Inside reports whether dir looks like a folder in a repository. It does not run git. Like git, it
// does not search the parents in GIT_CEILING_DIRECTORIES, or above them.
func Inside(dir string) bool {
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	there := func(names ...string) bool {
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				return false
			}
		}
		return true
	}
	for filepath.IsAbs(dir) {
		if there(".git") || there("HEAD", "objects", "refs") {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir || slices.Contains(ceilings, parent) {
			break
		}
		dir = parent
	}
	return false
}

// ask runs git in dir and returns what it prints, cut at maxAnswer. A negative answer, which is the
// exit status 1, is errNone. Every other failure is ErrUnanswered.
func ask(ctx context.Context, dir string, args ...string) (string, error) {
	return askFor(ctx, dir, maxAnswer, args...)
}

// askFor is like ask, with the given maximum length of the output in bytes.
func askFor(ctx context.Context, dir string, size int, args ...string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	cmd := exec.CommandContext(ctx, path, append(append([]string{}, harmless...), args...)...)
	cmd.Dir, cmd.Env = dir, environ()
	answer := &limited{size: size}
	cmd.Stdout = answer
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal for prompts, and in its own group for kill
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = limit / 2 // a process that git has left may hold the pipe
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w: %w", ErrUnanswered, ctx.Err())
	case answer.full || err == nil:
		return answer.text.String(), nil
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return "", errNone
	}
	return "", fmt.Errorf("%w: %w", ErrUnanswered, err)
}

// limited keeps the first bytes written to it and rejects the rest.
type limited struct {
	text strings.Builder
	size int
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := l.size - l.text.Len()
	l.text.Write(p[:min(len(p), room)])
	if len(p) >= room {
		l.full = true
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// filters returns arguments that switch off the filters in the repository's own configuration. The
// user's, such as those of Git LFS, stay.
func filters(ctx context.Context, dir string) ([]string, error) {
	text, err := ask(ctx, dir, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var args []string
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, key := fields[i], fields[i+1]
		if scope == "global" || scope == "system" {
			continue
		}
		name := key[:strings.LastIndexByte(key, '.')]
		if strings.ContainsAny(name, "=\n") { // -c cannot express it
			return nil, fmt.Errorf("%w: the filter %q cannot be switched off", ErrUnanswered, name)
		}
		for _, setting := range []string{".clean=", ".smudge=", ".process=", ".required=false"} {
			args = append(args, "-c", name+setting)
		}
	}
	if len(text) >= maxAnswer {
		return nil, fmt.Errorf("%w: too many filters", ErrUnanswered)
	}
	return args, nil
}
