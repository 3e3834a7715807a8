package git

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// maxBranch is the maximum length of a branch name, in bytes.
const maxBranch = 1000

// maxCommits is the maximum number of commits of a session.
const maxCommits = 100

// StateOf returns the state of the repository that contains dir. It is nil if there is none, or if
// git did not answer before ctx ends. Dirty is nil if only that answer is missing. quick skips the
// query for Dirty.
func StateOf(ctx context.Context, dir string, quick bool) *session.GitState {
	if !Inside(dir) {
		return nil
	}
	var s session.GitState
	var branchErr, commitErr error
	var asked sync.WaitGroup
	asked.Go(func() { s.Branch, branchErr = branch(ctx, dir) })
	asked.Go(func() { s.Commit, commitErr = head(ctx, dir) })
	if !quick {
		asked.Go(func() { s.Dirty = dirty(ctx, dir) })
	}
	asked.Wait()
	if branchErr != nil || commitErr != nil {
		return nil
	}
	return &s
}

// branch returns the name of the branch, or "" if HEAD is detached.
func branch(ctx context.Context, dir string) (string, error) {
	text, err := ask(ctx, dir, "symbolic-ref", "-q", "HEAD")
	if errors.Is(err, errNone) {
		return "", nil
	}
	name := strings.TrimPrefix(strings.TrimSuffix(text, "\n"), "refs/heads/")
	if len(name) > maxBranch || !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name[:min(len(name), maxBranch)], "\uFFFD")
	}
	return name, err
}

// head returns the id of HEAD's commit, or "" if there is no commit yet.
func head(ctx context.Context, dir string) (string, error) {
	text, err := ask(ctx, dir, "rev-parse", "-q", "--verify", "HEAD")
	if errors.Is(err, errNone) {
		return "", nil
	}
	id := strings.TrimSpace(text)
	if err == nil && !isID(id) {
		err = ErrUnanswered
	}
	return id, err
}

// dirty reports whether files differ from the commit or are new; nil if git did not answer. Changes
// inside a submodule do not count, because reading them would use the submodule's configuration.
func dirty(ctx context.Context, dir string) *bool {
	off, err := filters(ctx, dir)
	if err != nil {
		return nil
	}
	text, err := askFor(ctx, dir, 1, append(off, "status", "--porcelain", "-z", "--untracked-files=normal",
		"--ignore-submodules=dirty", "--no-renames")...)
	if err != nil {
		return nil
	}
	changed := text != ""
	return &changed
}

// Commits returns the ids of the commits between from and to that were made since a time, newest
// first. from may be empty. On an error it returns none.
func Commits(ctx context.Context, dir, from, to string, since time.Time) []string {
	if !isID(to) || from == to || from != "" && !isID(from) {
		return nil
	}
	args := []string{"rev-list", "--max-count=" + strconv.Itoa(maxCommits),
		"--max-age=" + strconv.FormatInt(since.Unix(), 10), to}
	if from != "" {
		args = append(args, "^"+from)
	}
	text, err := ask(ctx, dir, append(args, "--")...)
	if err != nil {
		return nil
	}
	var ids []string
	for _, id := range strings.Fields(text) {
		if isID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

var id = lazy.Regexp(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// isID reports whether text is the id of an object.
func isID(text string) bool { return id().MatchString(text) }

// Remotes returns the URLs of the remotes in the configuration of the repository that contains dir.
// A folder outside of repositories has none. The error is ErrUnanswered.
func Remotes(ctx context.Context, dir string) ([]string, error) {
	if !Inside(dir) {
		return nil, nil
	}
	text, err := ask(ctx, dir, "config", "-z", "--get-regexp", `^remote\..*\.(url|pushurl)$`)
	if err != nil {
		if errors.Is(err, errNone) {
			err = nil
		}
		return nil, err
	}
	var urls []string
	for entry := range strings.SplitSeq(text, "\x00") {
		if _, url, ok := strings.Cut(entry, "\n"); ok && url != "" {
			urls = append(urls, url)
		}
	}
	return urls, nil
}
