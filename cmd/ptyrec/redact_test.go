package main

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// While another program reads the database, redact cannot take secrets out of its files: it says so, and doctor --repair does it later.
func TestRedactWhileSomebodyReads(t *testing.T) {
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
			t.Errorf("the secret stands in the database%s", ending)
		}
	}
}
