package teamsync_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// login keeps a token that the server takes where only its user can read it; logout forgets it. The
// token of the environment goes before it, and allows everything.
func TestLoginKeepsTheTokenPrivate(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("PTYREC_TEAM_TOKEN", "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer ptr_good" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	if _, _, err := teamsync.Connect(server.URL); err == nil {
		t.Error("there is a login before login")
	}
	for token, ok := range map[string]bool{"ptr_bad": false, "": false, " ptr_good\n": true} {
		if err := teamsync.Login(t.Context(), server.URL, "-", strings.NewReader(token)); (err == nil) != ok {
			t.Errorf("%q: %v", token, err)
		}
	}
	for _, bad := range []struct{ address, file string }{{server.URL, filepath.Join(t.TempDir(), "none")},
		{"http://example.com", "-"}} {
		if err := teamsync.Login(t.Context(), bad.address, bad.file, strings.NewReader("ptr_good")); err == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer away.Close()
	var told *failure.Error
	if err := teamsync.Login(t.Context(), away.URL, "-", strings.NewReader("ptr_good")); !errors.Is(err,
		session.ErrAway) || errors.As(err, &told) {
		t.Errorf("the server is away: %v, %+v", err, told)
	}
	path, err := team.LoginPath()
	check(t, err)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, address := range []string{server.URL, ""} { // as configured, or that of the login
		s, everything, err := teamsync.Connect(address)
		if err != nil || everything || s.URL() != server.URL || s.Check(t.Context()) != nil {
			t.Errorf("%v, %t", err, everything)
		}
	}
	if _, _, err := teamsync.Connect("https://other.example.com"); err == nil {
		t.Error("the token is for any server")
	}
	check(t, teamsync.Logout(t.Context(), io.Discard))
	check(t, teamsync.Logout(t.Context(), io.Discard))
	if _, _, err := teamsync.Connect(server.URL); err == nil {
		t.Error("there is a login after logout")
	}
	t.Setenv("PTYREC_TEAM_TOKEN", "ptr_good")
	if s, everything, err := teamsync.Connect(server.URL); err != nil || !everything || s.Check(t.Context()) != nil {
		t.Errorf("%v, %t", err, everything)
	}
	if _, _, err := teamsync.Connect(""); err == nil {
		t.Error("a token without a server is no error")
	}
}

// Status says what waits, since when and why; --never and what is not in the folders does not.
// Nothing of that connects.
func TestStatusSaysWhatWaits(t *testing.T) {
	t.Setenv("PTYREC_TEAM_TOKEN", "ptr_x")
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		t.Errorf("it asked for %s", r.URL)
	}))
	defer server.Close()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	check(t, err)
	defer func() { _ = db.Close() }()
	ended := time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)
	var ids []string
	for i, cwd := range []string{"/work/a", "/work/b", "/other", "/work/c", "/work/d"} {
		s := &session.Session{Command: []string{"x"}, Title: fmt.Sprint("title ", i), Cwd: cwd,
			StartedAt: ended.Add(time.Duration(i-10) * time.Minute), EndedAt: &ended, Cols: 80, Rows: 24}
		rec := store.NewRecording(80, 24)
		rec.Write(session.Event{Kind: session.Output, Data: []byte(cwd)})
		check(t, db.Import(t.Context(), s, rec, nil))
		ids = append(ids, s.ID)
	}
	check(t, db.SavePush(t.Context(), ids[1],
		store.Push{Server: server.URL, Waits: ended.Add(time.Hour), Failed: "the server answers 503"}))
	check(t, db.SavePush(t.Context(), ids[4],
		store.Push{Server: server.URL, Sent: ended.Add(2 * time.Hour), Seen: "otherwise"}))
	var out bytes.Buffer
	o := teamsync.Options{
		Flags: teamsync.Flags{Never: true}, Database: db, Out: &out, Notice: func(string, ...any) {},
		Settings: func() (*config.Config, error) {
			c := config.Default()
			c.Team.Server, c.Team.Folders = server.URL, []string{"/work"}
			return &c, nil
		},
		Library: func(*sqlite.Store) (*library.Library, error) { return nil, io.ErrUnexpectedEOF },
	}
	check(t, teamsync.Run(t.Context(), o, []string{ids[3]}))
	o.Flags = teamsync.Flags{Status: true}
	check(t, teamsync.Run(t.Context(), o, nil))
	want := ids[0] + "\ttitle 0\t2026-03-04 05:06:07\tnot sent yet\n" +
		ids[1] + "\ttitle 1\t2026-03-04 06:06:07\tthe server answers 503\n" +
		ids[4] + "\ttitle 4\t2026-03-04 07:06:07\tchanged since it was sent\n"
	if out.String() != want {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
	out.Reset()
	check(t, teamsync.Run(t.Context(), o, ids[1:3])) // of these only one waits
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, ids[1]) {
		t.Errorf("of two: %s", got)
	}
	for _, flags := range [][]string{{"--withdraw", "--never"}, {"--dry-run", "--status"}, {"--never", "--status"}} {
		cmd := teamsync.NewSync(func(context.Context, teamsync.Flags) (teamsync.Options, error) {
			return o,
				errors.New("it runs")
		})
		cmd.SetArgs(append(flags, "last"))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); err == nil || err.Error() == "it runs" {
			t.Errorf("%v: %v", flags, err)
		}
	}
	for _, f := range []teamsync.Flags{{Never: true}, {Withdraw: true}} {
		o.Flags = f
		if err := teamsync.Run(t.Context(), o, nil); err == nil {
			t.Errorf("%+v without a session is no error", f)
		}
	}
}

// A sender that cannot reach the server waits from a second to 10 minutes, each time longer, and as
// long as the server says.
func TestBackoff(t *testing.T) {
	var b team.Backoff
	last, longest := time.Duration(0), time.Duration(0)
	for i := range 20 {
		d := b.Next(0)
		if i == 0 && (d < time.Second/2 || d > time.Second) || d > 10*time.Minute || d < last/2 {
			t.Errorf("try %d waits %v", i, d)
		}
		last, longest = d, max(longest, d)
	}
	if longest < 5*time.Minute {
		t.Errorf("it waits %v at most", longest)
	}
	if d := b.Next(time.Hour); d != time.Hour {
		t.Errorf("the server asked for an hour, it waits %v", d)
	}
	for status, passing := range map[int]bool{400: false, 401: false, 403: false, 404: false, 409: false, 413: false,
		408: true, 429: true, 500: true, 503: true, 302: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(status)
		}))
		s, err := team.NewServer(server.URL, "x")
		check(t, err)
		s.Pause = func(context.Context, time.Duration) error { return nil }
		after, ok := team.Passing(s.Check(t.Context()))
		if ok != passing || after != time.Hour {
			t.Errorf("%d: %t, %v", status, ok, after)
		}
		server.Close()
	}
	s, err := team.NewServer("http://127.0.0.1:1", "x")
	check(t, err)
	s.Pause = func(context.Context, time.Duration) error { return nil }
	if _, ok := team.Passing(s.Check(t.Context())); !ok {
		t.Error("a server that is down is refusing")
	}
}
