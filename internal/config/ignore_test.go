package config_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/git"
)

func TestMain(m *testing.M) {
	git.SetLimit(time.Minute) // a busy machine must not change what the tests see
	os.Exit(m.Run())
}

func TestIgnoredCommands(t *testing.T) {
	for _, tt := range []struct {
		pattern, dir, line string
		want               bool
	}{
		{"~/private", "/home/me/private", "claude", true},
		{"~/private", "/home/me/private/a/b", "claude", true},
		{"~/private/", "/home/me/private", "claude", true},
		{"~/private", "/home/me/privately", "claude", false},
		{"~/private", "/home/me", "claude", false},
		{"~", "/home/me/x", "claude", true},
		{"~", "/home/you", "claude", false},
		{"/", "/anything", "sh", true},
		{"/srv/*/secret", "/srv/a/secret/b", "sh", true},
		{"/srv/*/secret", "/srv/a/b/secret", "sh", false},
		{"/srv/**/secret", "/srv/a/b/secret", "sh", true},
		{"/srv/[a-c]?", "/srv/b1", "sh", true},
		{"/srv/[!a-c]?", "/srv/b1", "sh", false},
		{`/srv/\*`, "/srv/x", "sh", false},
		{`/srv/\*`, "/srv/*", "sh", true},
		{"/srv/ünï*", "/srv/ünïcode", "sh", true},
		{"/srv/a.b", "/srv/axb", "sh", false},
		{"/srv/a\nb", "/srv/a\nb/c", "sh", true},
		{"psql", "/x", "psql -h db", true},
		{"psql", "/x", "/usr/bin/psql", true},
		{"psql", "/x", "mypsql", false},
		{"ssh *", "/x", "ssh host", true},
		{"ssh *", "/x", "/usr/bin/ssh host", true},
		{"ssh *", "/x", "ssh", false},
		{"docker run img:tag", "/x", "docker run img:tag", true},
		{"*vault*", "/x", "sh -c vault", true},
	} {
		l, err := config.ParseIgnored([]string{"no-such-command", tt.pattern}, "/home/me")
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		why, got := l.Match(t.Context(), tt.dir, strings.Fields(tt.line))
		if got != tt.want || got && why != tt.pattern {
			t.Errorf("%q in %q, %q: %v, %q, want %v", tt.pattern, tt.dir, tt.line, got, why, tt.want)
		}
	}
	if why, ignored := (config.IgnoreList{}).Match(t.Context(), "/", []string{"sh"}); ignored {
		t.Errorf("nothing ignores: %q", why)
	}
}

func TestBadIgnorePatterns(t *testing.T) {
	for _, text := range []string{"", "  ", "/srv/[a", "/srv/[]", "psql[", `a\`, "~other/x", "git@[:x", "/srv/[z-a]"} {
		_, err := config.ParseIgnored([]string{"fine", text}, "/home/me")
		if err == nil || !strings.Contains(err.Error(), `"`) {
			t.Errorf("%q: error %v, want one with the pattern", text, err)
		}
	}
	if _, err := config.ParseIgnored([]string{"~/x"}, ""); err == nil {
		t.Error("~ without a home")
	}
}

// TestFolderIsIgnoredByEveryPath ignores a folder whichever way leads there.
func TestFolderIsIgnoredByEveryPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(real, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{real, link, link + "/be*", real + "/be*"} {
		for _, at := range []string{real + "/below", link + "/below"} {
			l, err := config.ParseIgnored([]string{pattern}, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, ignored := l.Match(t.Context(), at, []string{"sh"}); !ignored {
				t.Errorf("%q does not ignore %q", pattern, at)
			}
		}
	}
}

func TestIgnoredRemotes(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	match := func(patterns ...string) (string, bool) {
		t.Helper()
		l, err := config.ParseIgnored(patterns, "")
		if err != nil {
			t.Fatal(err)
		}
		return l.Match(t.Context(), dir, []string{"sh"})
	}
	if why, ignored := match("git@secret:*"); ignored {
		t.Errorf("without a remote: %q", why)
	}
	run("remote", "add", "origin", "https://example.com/public.git")
	run("remote", "add", "back.up", "git@secret:team/app.git")
	for pattern, want := range map[string]bool{
		"git@secret:*": true, "git@secret:team/app": true, "git@other:*": false, "https://example.com/*": true,
		"https://example.com/public": true, "https://example.com/pub": false, "*:team/*": true,
	} {
		if why, ignored := match(pattern); ignored != want {
			t.Errorf("%q: %v, %q, want %v", pattern, ignored, why, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if why, ignored := match("git@secret:*"); !ignored || !strings.Contains(why, "git did not say") {
		t.Errorf("where git does not answer: %v, %q, want it ignored", ignored, why)
	}
	if _, ignored := match("psql"); ignored {
		t.Error("git matters though no pattern names a remote")
	}
}

// FuzzParseIgnored compiles or refuses any pattern, and never panics.
func FuzzParseIgnored(f *testing.F) {
	for _, text := range []string{"~/private", "git@secret:*", "a[!b-c]?", `\`, "\xff*", "[]]"} {
		f.Add(text, "/home/me")
	}
	f.Fuzz(func(t *testing.T, text, dir string) {
		l, err := config.ParseIgnored([]string{text}, "/home/me")
		if err == nil {
			l.Match(t.Context(), "/none"+dir, []string{dir})
		}
	})
}
