package manage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/cmd/manage"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestDelete(t *testing.T) {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, id := range []string{"one", "two"} {
		s := &session.Session{ID: id, Command: []string{"echo", "\x1b[2J" + id}, StartedAt: started, Cols: 80, Rows: 24}
		if err := db.CreateSession(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	infos, err := db.Sessions(ctx, store.Filter{})
	if err != nil || len(infos) != 2 {
		t.Fatal(infos, err)
	}
	var out strings.Builder
	var asked string
	var notices []string
	no := errors.New("no")
	d := manage.Deleter{
		Store: db, Out: &out,
		Confirm: func(what string) error { asked = what; return no },
		Notice:  func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) },
	}
	if err := d.Delete(ctx, infos[:1]); !errors.Is(err, no) {
		t.Errorf("a refusal: %v", err)
	}
	if left, err := db.Sessions(ctx, store.Filter{}); err != nil || len(left) != 2 {
		t.Errorf("%d sessions are left after a refusal, %v", len(left), err)
	}
	if !strings.HasPrefix(asked, "delete 1 session, ") || !strings.Contains(out.String(), "echo") ||
		strings.Contains(out.String(), "\x1b") {
		t.Errorf("asked %q, named %q", asked, out.String())
	}
	d.Confirm = func(string) error { return nil }
	if err := d.Delete(ctx, infos[:1]); err != nil {
		t.Fatal(err)
	}
	left, err := db.Sessions(ctx, store.Filter{})
	if err != nil || len(left) != 1 || left[0].ID != infos[1].ID {
		t.Errorf("left: %v, %v", left, err)
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "deleted 1 session, ") {
		t.Errorf("told %q", notices)
	}
}
