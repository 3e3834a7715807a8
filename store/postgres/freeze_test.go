package postgres_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// There is a dump of each version. PTYREC_FREEZE=1 writes that of the newest; a dump that was
// committed is never written again.
func TestEachVersionIsFrozen(t *testing.T) {
	versions, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(versions) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	newest := fmt.Sprintf("testdata/v%d.sql", len(versions))
	if _, err := os.Stat(newest); err != nil && os.Getenv("PTYREC_FREEZE") != "" {
		freeze(t, newest)
	}
	for n := range versions {
		if _, err := os.Stat(fmt.Sprintf("testdata/v%d.sql", n+1)); err != nil {
			t.Errorf("%v: write it with PTYREC_FREEZE=1 go test ./store/pg -run EachVersionIsFrozen", err)
		}
	}
}

// freeze writes a dump of a new database that holds a little of everything.
func freeze(t *testing.T, file string) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	for _, err := range []error{s.AddSpace(operator(t), "shop"), s.SetMember(operator(t), "shop", "ann", "member"),
		s.AddUser(operator(t), "bob", postgres.RoleAdmin)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	started := time.Unix(1_800_000_000, 0).UTC()
	ended := started.Add(5 * time.Second)
	sess := &session.Session{ID: store.NewID(), Command: []string{"claude"}, Cwd: "/w", Title: "frozen",
		StartedAt: started, EndedAt: &ended, Cols: 80, Rows: 24}
	entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "frozen needle",
		Markdown: "frozen needle", At: started}
	if err := put(ctx, s, sess, []session.Event{{Kind: session.Output, Data: []byte("raw")}},
		[]*session.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	used := session.Usage{Source: session.UsageLog, Agent: "claude", Model: "opus", At: started, Input: 7, Total: 7}
	if _, err := s.Begin(ctx, postgres.Push{Session: *sess, Machine: "m", Version: 2,
		Usage: []session.Usage{used}}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{s.SetEmail(operator(t), "ann", "ann@example.com"),
		s.SetRetention(operator(t), "shop", 90), s.Hold(operator(t), sess.ID, true), s.AddPattern(operator(t),
			redact.Pattern{Name: "x", Regexp: "CUST"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges",
		"--no-comments", dsn).Output()
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "SET ") || strings.HasPrefix(line, "--") || strings.HasPrefix(line, `\`) ||
			strings.HasPrefix(line, "SELECT pg_catalog.set_config") || line == "\n" {
			continue
		}
		kept = append(kept, line)
	}
	if err := os.WriteFile(file, []byte(strings.Join(kept, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
