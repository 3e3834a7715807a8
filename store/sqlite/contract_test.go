package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/store/storetest"
)

// SQLite keeps the contract of a database of sessions, as PostgreSQL does (store/postgres).
func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Backend{
		Open: func(t *testing.T) (context.Context, storetest.DB) {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			return t.Context(), s
		},
		Put: func(ctx context.Context, db storetest.DB, s *session.Session, events []session.Event,
			entries []*session.Entry) error {
			rec := store.NewRecording(s.Cols, s.Rows)
			for _, e := range events {
				rec.Write(e)
			}
			return db.(*sqlite.Store).Import(ctx, s, rec, entries)
		},
		Save: func(ctx context.Context, db storetest.DB, id string, entries []*session.Entry, gone ...string) error {
			return db.(*sqlite.Store).SaveEntries(ctx, id, entries, gone...)
		},
		Use: func(ctx context.Context, db storetest.DB, s *session.Session, used []session.Usage) error {
			return db.(*sqlite.Store).PutScreenUsage(ctx, s.ID, used)
		},
	})
}
