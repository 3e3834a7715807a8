package teamserver_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A search that takes longer than 5 s is answered with 503, and how to narrow it.
func TestSlowSearchIsAnswered503(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	conn, err := pgx.Connect(t.Context(), s.dsn)
	s.check(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	tx, err := conn.Begin(t.Context())
	s.check(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE words IN ACCESS EXCLUSIVE MODE") // a search waits
	s.check(t, err)
	if text := s.want(t, 503, "owner", "GET", "/api/search?q=needle", nil); !strings.Contains(text, "add words") {
		t.Errorf("it says %s", text)
	}
	s.check(t, tx.Rollback(t.Context()))
	if text := s.want(t, 200, "owner", "GET", "/api/search?q=needle", nil); !strings.Contains(text, shared) {
		t.Errorf("without the lock it finds %s", text)
	}
}
