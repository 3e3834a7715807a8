package library

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// search --agent and stats --agent left out sessions that nobody had read yet. Their agents are not
// known before.
func TestAgentsOfUnreadSessions(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		path := t.TempDir() + "/test.db"
		unread(t, path, 3)
		unreadAgent(t, path)
		db, _ := openDatabase(t, path) // a second opening reads what the first one took in
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db, _ = opened(t, path, func() (*sqlite.Store, error) {
			if readOnly {
				return sqlite.OpenReadOnly(t.Context(), path)
			}
			return sqlite.Open(t.Context(), path)
		})
		l := &Library{Store: db, Warn: t.Errorf}
		for agent, some := range map[string]bool{"claude": true, "codex": false} {
			_, hits, err := l.Search(t.Context(), store.Query{Text: "the", Filter: store.Filter{Agent: agent, Limit: 5}})
			if err != nil || len(hits) > 0 != some {
				t.Errorf("%s, read only %t: %d hits, %v", agent, readOnly, len(hits), err)
			}
		}
		if readOnly {
			continue
		}
		infos, err := db.Sessions(t.Context(), store.Filter{Agent: "claude"})
		if err != nil || len(infos) != 1 || infos[0].Unread {
			t.Errorf("%+v, %v", infos, err)
		}
	}
}

// unreadAgent makes a session with Claude Code whose entries were not saved.
func unreadAgent(t *testing.T, path string) {
	t.Helper()
	r, err := cast.Open("../../testdata/transcripts/claude/1.0.128-basic/session.cast.gz")
	if err != nil {
		t.Fatal(err)
	}
	sess := session.Session{ID: store.NewID(), Command: []string{"claude"}, StartedAt: time.Now().UTC(),
		Cols: r.Header.Cols, Rows: r.Header.Rows}
	raw, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		raw.Put(e)
	}
	if _, err := raw.Close(); err != nil {
		t.Fatal(err)
	}
}
