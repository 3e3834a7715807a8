package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// Ann shares a session by a link, and Ben, who is in her space, finds, reads, exports and plays it
// from his machine. Cleo, who is not, sees nothing of it.
func TestTeam(t *testing.T) {
	t.Parallel()
	dsn := pgtest.New(t)
	environ, _ := liveEnv(t)
	environ = append(environ, "PTYREC_DB="+dsn)
	url, _, _ := served(t, environ)
	operator := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "ptyrec", append([]string{"team"}, args...)...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	operator("space", "add", "shop")
	users := map[string]*teamMachine{}
	for _, name := range []string{"ann", "ben", "cleo"} {
		operator("user", "add", name)
		m := newTeamMachine(t, "")
		m.environ = append(m.environ, "PTYREC_TEAM_SERVER="+url,
			"PTYREC_TEAM_TOKEN="+operator("token", "add", "--user", name), "PTYREC_TEAM_SPACE=shop")
		users[name] = m
	}
	operator("space", "member", "shop", "ann")
	operator("space", "member", "shop", "ben", "--reader")
	ann, ben, cleo := users["ann"], users["ben"], users["cleo"]
	fixture, err := filepath.Abs("../../testdata/transcripts/claude/2.1.329-markdown/session.cast.gz")
	if err != nil {
		t.Fatal(err)
	}
	ann.must(t, "work", "import", fixture)
	id := strings.Fields(strings.Split(ann.must(t, "work", "list"), "\n")[1])[0]
	link := ann.must(t, "work", "share", "last", "--for", "2h")
	if !strings.Contains(link, url+"/l/") || !strings.Contains(link, "for people who have signed in") {
		t.Errorf("%s", link)
	}
	if out, err := ann.do(t, "work", "share", "last", "--anyone"); err == nil || !strings.Contains(out, "--public-links") {
		t.Errorf("--anyone: %v: %s", err, out)
	}
	var list []struct{ ID, Owner, Space string }
	if err := json.Unmarshal([]byte(ben.must(t, "work", "list", "--team", "--json")), &list); err != nil ||
		len(list) != 1 || list[0].Owner != "ann" || list[0].Space != "shop" || !strings.HasSuffix(list[0].ID, id) {
		t.Fatalf("%+v, %v, want %s", list, err, id)
	}
	for what, c := range map[string]struct {
		args []string
		want string
	}{
		"list":         {[]string{"list", "--team"}, "ann/shop"},
		"list, of ann": {[]string{"list", "--team", "--owner", "ann", "--space", "shop", "--agent", "claude"}, "ann/shop"},
		"search":       {[]string{"search", "--team", "checksum"}, "[checksum]"},
		"show":         {[]string{"show", "--team", list[0].ID[:13]}, "ann, in shop"},
		"show, a part": {[]string{"show", "--team", "last#12..last#14"}, "#12 user"},
		"stats":        {[]string{"stats", "--team"}, "claude"},
		"export, to all": {[]string{"export", "--team", "--all", "--format", "md", "-o", filepath.Join(ben.home, "all")},
			"1 session written"},
	} {
		if out := ben.must(t, "work", c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", what, out)
		}
	}
	for _, format := range []string{"cast", "txt", "html", "svg"} { // the same file as on Ann's machine
		ann.must(t, "work", "export", "last", filepath.Join(ann.home, "own."+format))
		ben.must(t, "work", "export", "--team", "last", filepath.Join(ben.home, "own."+format))
		own, err := os.ReadFile(filepath.Join(ann.home, "own."+format))
		got, err2 := os.ReadFile(filepath.Join(ben.home, "own."+format))
		if err != nil || err2 != nil || string(own) != string(got) {
			t.Errorf("%s: %d bytes there, %d here: %v, %v", format, len(own), len(got), err, err2)
		}
	}
	if own, got := ann.must(t, "work", "show", "--raw"), ben.must(t, "work", "show", "--team", "--raw"); own != got {
		t.Errorf("--raw: %d bytes there, %d here", len(own), len(got))
	}
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "play", "--team", "--speed", "1000")
	cmd.Env, cmd.Dir = append(ben.environ, "TERM=xterm-256color"), ben.home
	u.Start(t, cmd)
	u.Await(t, "Resume this session with")
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Errorf("play: status %d\n%s", status, u.Shown())
	}
	cleo.nothing(t, list[0].ID)
	if out := ann.must(t, "work", "share", "last", "--revoke"); !strings.Contains(out,
		"1 link to the session is invalidated") {
		t.Errorf("%s", out)
	}
	for _, args := range [][]string{{"list", "--owner", "ann"}, {"list", "-i", "--team"},
		{"export", "--team", "--owner", "ann"}} {
		if out, err := ben.do(t, "work", args...); err == nil || strings.Count(out, "ptyrec: error:") != 1 {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// nothing makes sure that somebody sees nothing of a session.
func (m *teamMachine) nothing(t *testing.T, id string) {
	t.Helper()
	if out := m.must(t, "work", "list", "--team", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("%s", out)
	}
	for _, args := range [][]string{{"search", "--team", "checksum"}, {"show", "--team", id}, {"show", "--team"},
		{"export", "--team", id}, {"export", "--team", id, "--format", "cast"}, {"show", "--team", "--raw", id}} {
		if out, err := m.do(t, "work", args...); err == nil || strings.Contains(out, "checksum:") ||
			strings.Count(out, "ptyrec: error:") != 1 {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
