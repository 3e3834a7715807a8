package library

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// A session without a raw log is complete by its entries: nothing that reads sessions out of their
// raw logs takes them away, however the session ended, and whether or not the database can be
// written.
func TestCompleteByItsEntries(t *testing.T) {
	for name, finish := range map[string]func(s *sqlite.Store, id string) error{
		"interrupted": func(*sqlite.Store, string) error { return nil },
		"ended": func(s *sqlite.Store, id string) error {
			return s.FinishSession(t.Context(), id, time.Now().Add(time.Minute), 0, false)
		},
		"read": func(s *sqlite.Store, id string) error {
			return s.FinishSession(t.Context(), id, time.Now().Add(time.Minute), 0, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/test.db"
			db, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			sess := &session.Session{ID: store.NewID(), Command: []string{"claude"}, StartedAt: time.Now().UTC(), Cols: 80,
				Rows: 24}
			said := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "needle",
				Markdown: "needle", At: sess.StartedAt}
			err = errors.Join(db.CreateSession(t.Context(), sess),
				db.SaveEntries(t.Context(), sess.ID, []*session.Entry{said}), finish(db, sess.ID), db.Close())
			if err != nil {
				t.Fatal(err)
			}
			// the first one might change something
			for _, open := range []func(context.Context, string) (*sqlite.Store, error){sqlite.Open, sqlite.OpenReadOnly} {
				db, err := open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = db.Close() }()
				l := &Library{Store: db, Warn: t.Errorf}
				past := NewPast(l)
				defer func() { _ = past.Close() }()
				if err := l.ReadOutAll(t.Context(), store.Filter{}); err != nil {
					t.Fatal(err)
				}
				if _, hits, err := l.Search(t.Context(),
					store.Query{Text: "needle", Filter: store.Filter{Limit: 9}}); err != nil || len(hits) != 1 {
					t.Errorf("search: %d hits, %v", len(hits), err)
				}
				info, err := db.Find(t.Context(), sess.ID)
				if err != nil || info.Messages != 1 || info.Turns != 1 || info.Unread {
					t.Fatalf("%+v, %v", info, err)
				}
				if got, err := l.Transcript(t.Context(), info); err != nil || len(got.Entries) != 1 {
					t.Errorf("transcript: %+v, %v", got, err)
				}
				if page, reading, err := past.Page(t.Context(), info, store.Span{}); err != nil || reading != nil ||
					page.Total != 1 {
					t.Errorf("page: %+v, %v", page, err)
				}
				if _, _, err := l.Renew(t.Context(), info); !errors.Is(err, ErrNoRawLog) {
					t.Errorf("renewed: %v", err)
				}
				forced := *info // as a reader might believe that looked while it was recorded
				forced.Unread = true
				entries, done, err := l.Entries(t.Context(), &forced)
				if err != nil {
					t.Fatal(err)
				}
				if all, err := collect(entries); err != nil || len(all) != 1 {
					t.Errorf("read out: %d entries, %v", len(all), err)
				}
				done()
			}
		})
	}
}
