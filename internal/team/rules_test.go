package team_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Nothing outside of folders is sent: neighbours whose names begin alike, what a symbolic link in a
// folder leads to, and sessions whose shells or agents went elsewhere.
func TestNothingOutsideTheFoldersIsSent(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{"work/api", "work2", "private", "data/linked"} {
		check(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for name, to := range map[string]string{"work/out": "private", "in": "work", "job": "data/linked",
		"work/loop": "work/loop"} {
		check(t, os.Symlink(filepath.Join(home, to), filepath.Join(home, name)))
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(home, "a.db"))
	check(t, err)
	defer func() { _ = db.Close() }()
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet { // which is the policy
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, "{}")
	}))
	defer there.Close()
	server, err := team.NewServer(there.URL, "x")
	check(t, err)
	find, err := redact.New(redact.Options{})
	check(t, err)
	lib := &library.Library{Store: db, Redact: archive.Redaction{Redactor: find}}
	s := &team.Syncer{Store: db, Library: lib, Server: server,
		Rules: team.Rules{Folders: []string{filepath.Join(home, "work"), filepath.Join(home, "job")}}, Home: home}

	begun := time.Now().Add(-time.Hour)
	var want []string
	for i, c := range []struct {
		cwd  string
		been []string // folders of shell commands; with a + in front, of agents
		sent bool
	}{
		{cwd: "work", sent: true},
		{cwd: "work/api", sent: true},
		{cwd: "work/gone/since", sent: true},
		{cwd: "in/api", sent: true},        // a link to a folder that is sent
		{cwd: "data/linked/x", sent: true}, // where such a link leads
		{cwd: "work/loop", sent: true},     // it leads nowhere
		{cwd: "work/out"},                  // a link that leads elsewhere
		{cwd: "work/out/new"},              // likewise
		{cwd: "work2"},                     //
		{cwd: "Work"},                      // on a file system that knows no case, too
		{cwd: "work/../private"},           //
		{cwd: "."},                         //
		{cwd: "private", been: []string{"~/work"}},
		{cwd: "work", been: []string{"work/api", "work"}, sent: true},
		{cwd: "work", been: []string{"work/api", "private"}},
		{cwd: "work", been: []string{"/"}},
		{cwd: "work", been: []string{"+~/work/api", "+…/private"}, sent: true}, // which folder, the agent did not show
		{cwd: "work", been: []string{"+~/private"}},
		{cwd: "work", been: []string{"+~/demo"}, sent: true}, // nor is there such a folder
		{cwd: "work", been: []string{"gone/since"}},
	} {
		ended := begun.Add(time.Minute)
		info := &session.Session{Command: []string{"sh"}, Cwd: home + "/" + c.cwd,
			StartedAt: begun.Add(time.Duration(i) * time.Second), EndedAt: &ended, Cols: 80, Rows: 24}
		var entries []*session.Entry
		for n, folder := range c.been {
			e := &session.Entry{ID: "e" + string(rune('a'+n)), Seq: n + 1, Type: session.TypeMessage, Role: session.RoleShell,
				Text: "ls", Markdown: "ls", At: begun, Status: session.StatusComplete}
			shown, agent := strings.CutPrefix(folder, "+")
			if filepath.IsLocal(shown) && !strings.HasPrefix(shown, "~") && !strings.HasPrefix(shown, "…") {
				shown = filepath.Join(home, shown)
			}
			if e.Cwd = shown; agent {
				*e = session.Entry{ID: e.ID, Seq: e.Seq, Type: session.TypeEvent, Event: session.EventNewSession, Agent: "claude",
					At: begun, Data: map[string]any{"cwd": shown}}
			}
			entries = append(entries, e)
		}
		rec := store.NewRecording(80, 24)
		rec.Write(session.Event{Kind: session.Output, Data: []byte(info.StartedAt.String())})
		check(t, db.Import(t.Context(), info, rec, entries))
		if c.sent {
			want = append(want, info.ID)
		}
	}
	infos, _, err := s.Waiting(t.Context())
	check(t, err)
	var got []string
	for _, info := range infos {
		got = append(got, info.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("these wait: %q\nwant %q", got, want)
	}
	all, err := db.Sessions(t.Context(), store.Filter{})
	check(t, err)
	for _, info := range all {
		if err := s.Send(t.Context(), info); errors.Is(err, team.ErrOutside) == slices.Contains(want, info.ID) {
			t.Errorf("%s: %v", info.Cwd, err)
		}
	}
}
