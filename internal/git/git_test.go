package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/session"
)

func TestMain(m *testing.M) {
	git.SetLimit(time.Minute) // a busy machine must not change what the tests see
	os.Exit(m.Run())
}

// long is enough for git on a machine that is busy.
func long(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// run runs git in dir, as a user would.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository makes a repository with one commit, and returns its folder and the commit.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir = t.TempDir()
	run(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a.txt"), "one\ntwo\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "first")
	return dir, run(t, dir, "rev-parse", "HEAD")
}

func check(t *testing.T, what string, got *session.GitState, branch, commit, dirty string) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: no state", what)
		return
	}
	word := "unknown"
	if got.Dirty != nil {
		word = map[bool]string{true: "dirty", false: "clean"}[*got.Dirty]
	}
	if got.Branch != branch || got.Commit != commit || word != dirty {
		t.Errorf("%s: branch %q, commit %q, %s; want %q, %q, %s", what, got.Branch, got.Commit, word, branch, commit, dirty)
	}
}

func TestStateOf(t *testing.T) {
	dir, commit := repository(t)
	state := func(dir string) *session.GitState { return git.StateOf(long(t), dir, false) }
	check(t, "clean", state(dir), "main", commit, "clean")

	below := filepath.Join(dir, "folder\nof two lines")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	check(t, "empty folder below", state(below), "main", commit, "clean")
	write(t, filepath.Join(below, "new\nfile"), "x")
	check(t, "new file", state(below), "main", commit, "dirty")
	if err := os.Remove(filepath.Join(below, "new\nfile")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.txt"), "one\nchanged\n")
	check(t, "changed file", state(dir), "main", commit, "dirty")
	run(t, dir, "checkout", "-q", "a.txt")

	run(t, dir, "checkout", "-q", "--detach")
	check(t, "detached", state(dir), "", commit, "clean")
	run(t, dir, "checkout", "-q", "-b", "feature/ünï-😀")
	check(t, "branch", state(dir), "feature/ünï-😀", commit, "clean")

	tree := filepath.Join(t.TempDir(), "tree")
	run(t, dir, "worktree", "add", "-q", "-b", "other", tree)
	write(t, filepath.Join(tree, "b"), "b")
	check(t, "worktree", state(tree), "other", commit, "dirty")
	check(t, "its repository", state(dir), "feature/ünï-😀", commit, "clean")

	bare := filepath.Join(t.TempDir(), "bare.git")
	run(t, dir, "clone", "-q", "--bare", dir, bare)
	check(t, "bare", state(bare), "feature/ünï-😀", commit, "unknown")
	check(t, "folder of a bare one", state(filepath.Join(bare, "refs")), "feature/ünï-😀", commit, "unknown")

	whole := filepath.Join(t.TempDir(), "whole")
	run(t, dir, "init", "-q", "-b", "trunk", whole)
	check(t, "no commit yet", state(whole), "trunk", "", "clean")
	run(t, whole, "-c", "protocol.file.allow=always", "submodule", "add", "-q", dir, "sub")
	run(t, whole, "commit", "-qm", "with a submodule")
	top := run(t, whole, "rev-parse", "HEAD")
	check(t, "with a submodule", state(whole), "trunk", top, "clean")
	write(t, filepath.Join(whole, "sub", "a.txt"), "changed\n")
	check(t, "changed inside the submodule", state(whole), "trunk", top, "clean")
	check(t, "submodule", state(filepath.Join(whole, "sub")), "feature/ünï-😀", commit, "dirty")

	for _, none := range []string{t.TempDir(), "/", "", "relative", filepath.Join(dir, "gone", "away")} {
		if s := state(none); s != nil && none != filepath.Join(dir, "gone", "away") {
			t.Errorf("%q: %+v, want none", none, s)
		}
	}
	broken := t.TempDir()
	write(t, filepath.Join(broken, ".git"), "gitdir: /nowhere\n")
	if s := state(broken); s != nil {
		t.Errorf("broken: %+v, want none", s)
	}
}

// fakeGit puts a git into PATH that runs a script.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	//nolint:gosec // it runs
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// TestSlowGitIsLeftOut leaves out what git does not say in time, and leaves no process behind.
func TestSlowGitIsLeftOut(t *testing.T) {
	dir, commit := repository(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	pids := filepath.Join(t.TempDir(), "pids")
	fakeGit(t, `case "$*" in *" status "*) sleep 3600 & echo $! >>`+pids+`; wait;; *) exec `+real+` "$@";; esac`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if text, _ := os.ReadFile(pids); len(text) > 0 {
				time.Sleep(100 * time.Millisecond) // the quick answers
				return
			}
		}
	}()
	got := git.StateOf(ctx, dir, false)
	if got != nil { // nil where the machine was too slow even for the quick answers
		check(t, "slow status", got, "main", commit, "unknown")
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(text))
	testkit.Eventually(t, "the processes of the slow git end", func() bool {
		out, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		return len(out) == 0 || out[0] == 'Z'
	})

	check(t, "quick", git.StateOf(long(t), dir, true), "main", commit, "unknown")
	fakeGit(t, "exit 3")
	if s := git.StateOf(long(t), dir, false); s != nil {
		t.Errorf("a git that fails: %+v", s)
	}
	fakeGit(t, "yes")
	if s := git.StateOf(long(t), dir, false); s != nil {
		t.Errorf("a git that does not end: %+v", s)
	}
	t.Setenv("PATH", t.TempDir())
	if s := git.StateOf(long(t), dir, false); s != nil {
		t.Errorf("no git: %+v", s)
	}
	if _, err := git.Remotes(long(t), dir); !errors.Is(err, git.ErrUnanswered) {
		t.Errorf("remotes without git: %v", err)
	}
}

// TestHostileRepositoryRunsNothing asks about a repository whose configuration names programs to
// run.
func TestHostileRepositoryRunsNothing(t *testing.T) {
	dir, commit := repository(t)
	trap := filepath.Join(t.TempDir(), "trap")
	sprung := filepath.Join(t.TempDir(), "sprung")
	//nolint:gosec // it runs
	if err := os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >>"+sprung+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy", "diff.external",
		"pager.status", "pager.blame",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.Two.Dots.clean", "diff.evil.textconv",
		"diff.evil.command",
		"credential.helper", "gpg.program", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
		"remote.origin.uploadpack",
	} {
		run(t, dir, "config", key, trap)
	}
	for key, value := range map[string]string{
		"alias.status": "!" + trap, "alias.rev-parse": "!" + trap, "log.showSignature": "true",
		"filter.evil.required": "true", "status.submoduleSummary": "true",
		"remote.origin.url": "ext::" + trap, "protocol.ext.allow": "always", "remote.origin.promisor": "true",
		"core.hooksPath":       filepath.Dir(trap),
		"blame.ignoreRevsFile": "/nowhere",
	} {
		run(t, dir, "config", key, value)
	}
	hooks := filepath.Dir(trap)
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		if err := os.Symlink(trap, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, ".gitattributes"), "*.txt filter=evil diff=evil\n*.md filter=Two.Dots\n")
	later := time.Now().Add(time.Hour) // the content must be compared
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_EXTERNAL_DIFF", trap)
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_PAGER", trap)

	check(t, "hostile", git.StateOf(long(t), dir, false), "main", commit, "dirty")
	if urls, err := git.Remotes(long(t), dir); err != nil || len(urls) != 1 || urls[0] != "ext::"+trap {
		t.Errorf("remotes %q, %v", urls, err)
	}
	if ids := git.Commits(long(t), dir, "", commit, time.Unix(0, 0)); len(ids) != 1 || ids[0] != commit {
		t.Errorf("commits %q", ids)
	}
	if text, err := os.ReadFile(sprung); err == nil {
		t.Errorf("programs of the repository ran:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "index.lock")); err == nil {
		t.Error("the index is locked")
	}

	run2 := exec.Command("git", "status") // the traps do work
	run2.Dir = dir
	run2.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	_ = run2.Run()
	if _, err := os.Stat(sprung); err != nil {
		t.Error("the traps are no traps: an ordinary git status did not run one")
	}

	_ = os.Unsetenv("GIT_DIR")
	run(t, dir, "config", "--file", filepath.Join(dir, ".git", "config"), "filter.a=b.clean", trap)
	if s := git.StateOf(long(t), dir, false); s == nil || s.Dirty != nil {
		t.Errorf("a filter that cannot be switched off: %+v, want a state without dirty", s)
	}
}

// TestFiltersOfTheUserRun runs the filters that the user has configured, such as those of Git LFS.
func TestFiltersOfTheUserRun(t *testing.T) {
	dir, _ := repository(t)
	run(t, dir, "config", "--global", "filter.upper.clean", "tr a-z A-Z")
	write(t, filepath.Join(dir, ".gitattributes"), "*.up filter=upper\n")
	write(t, filepath.Join(dir, "x.up"), "abc\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "filtered")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "x.up"), later, later); err != nil {
		t.Fatal(err)
	}
	check(t, "filtered", git.StateOf(long(t), dir, false), "main", run(t, dir, "rev-parse", "HEAD"), "clean")
}

func TestCommits(t *testing.T) {
	dir, first := repository(t)
	write(t, filepath.Join(dir, "a.txt"), "three\n")
	run(t, dir, "commit", "-qam", "second")
	second := run(t, dir, "rev-parse", "HEAD")
	if got := git.Commits(long(t), dir, first, second, time.Now().Add(-time.Hour)); len(got) != 1 || got[0] != second {
		t.Errorf("commits = %q, want %q", got, second)
	}
	for _, tt := range []struct{ from, to string }{{second, second}, {"--output=/tmp/x", second}, {first, "HEAD"},
		{first, ""}} {
		if got := git.Commits(long(t), dir, tt.from, tt.to, time.Time{}); got != nil {
			t.Errorf("commits of %q: %q", tt, got)
		}
	}
	if got := git.Commits(long(t), dir, first, second, time.Now().Add(time.Hour)); got != nil {
		t.Errorf("commits of later: %q", got)
	}
}

func TestInsideStopsAtCeilings(t *testing.T) {
	dir, _ := repository(t)
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir, ceilings string
		want          bool
	}{
		{below, "", true},
		{below, filepath.Join(dir, "a"), false},
		{below, "/elsewhere" + string(os.PathListSeparator) + dir, false},
		{below, below, true}, // the folder itself is no ceiling
		{dir, filepath.Dir(dir), true},
	} {
		t.Setenv("GIT_CEILING_DIRECTORIES", tt.ceilings)
		if got := git.Inside(tt.dir); got != tt.want {
			t.Errorf("with ceilings %q, is %s inside: %v, want %v", tt.ceilings, tt.dir, got, tt.want)
		}
	}
}
