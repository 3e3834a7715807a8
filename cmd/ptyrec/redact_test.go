package main

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
)

// While another program reads the database, redact cannot take secrets out of its files: it says
// so, and doctor --repair does it later.
func TestRedactWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	ptyrec := func(args ...string) (said string, err error) {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const secret = "ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"
	if out, err := ptyrec("--redact=false", "run", "--", "echo", secret); err != nil {
		t.Fatal(out)
	}
	if out, err := ptyrec("list"); err != nil { // it takes the journal in
		t.Fatal(out)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	reader, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM sessions").Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	if out, err := ptyrec("redact", "last", "--yes"); err == nil || !strings.Contains(out, "doctor --repair") {
		t.Errorf("redact: %v: %s", err, out)
	}
	_ = reader.Rollback() // it only read
	if out, err := ptyrec("doctor", "--repair"); err != nil {
		t.Errorf("doctor: %v: %s", err, out)
	}
	for _, ending := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + ending)
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the secret is in the database%s", ending)
		}
	}
}

// A secret is found in Markdown, too, with marks between its characters.
func TestRedactedMarkdown(t *testing.T) {
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"
	for _, markdown := range []string{
		"the `key` " + secret, `the **key** ghp\_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I`,
		"the key ghp_x7Kd93**mQvTz1LrPw8YbNc**E5hJ2gUsA4fRo6I",
		"the key `ghp_`x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4f*Ro6I*",
	} {
		e := archive.Redaction{Redactor: finder}.Entry(&session.Entry{Text: "the key " + secret, Markdown: markdown}, nil)
		if !strings.Contains(e.Markdown, redact.Mark("github-pat")) || strings.Contains(e.Markdown, "Ro6I") ||
			strings.Contains(e.Markdown, "Kd93") {
			t.Errorf("%s became %s", markdown, e.Markdown)
		}
	}
}
