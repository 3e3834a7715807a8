package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// Deleted means gone: no file beside the database holds a word of what was deleted, neither as text
// nor in the index. Once rm and prune left it there until the next run.
func TestDeletedIsGone(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	do := func(args ...string) {
		t.Helper()
		if out, err := command(environ, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	for _, word := range []string{"Zebrafinch", "Nightjar"} {
		// What is shown in steps is written again and again.
		do("run", "--", "sh", "-c", fmt.Sprintf("for i in 1 2 3; do echo %s-$i; sleep .25; done; seq 300", word))
		do("rename", "last", "my "+word)
		do("note", "last", word+" once more")
		if filesWith(t, db, word) == nil {
			t.Fatalf("%s is in no file before", word)
		}
	}
	do("rm", "last", "--yes")
	if files := filesWith(t, db, "Nightjar"); files != nil {
		t.Errorf("after rm, it is still in %v", files)
	}
	do("search", "zebrafinch")
	do("prune", "--keep", "0", "--yes")
	if files := filesWith(t, db, "Zebrafinch"); files != nil {
		t.Errorf("after prune, it is still in %v", files)
	}
}

// Where another program still reads what was deleted, rm says so instead of calling it gone; later
// the doctor removes it.
func TestDeletedIsStillRead(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo live; read a")
	u.Await(t, "live")
	if out, err := command(cmd.Env, "run", "--", "echo", "Zebrafinch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := command(cmd.Env, "list").CombinedOutput(); err != nil { // it takes the journal in
		t.Fatalf("%v\n%s", err, out)
	}
	reader, err := sql.Open("sqlite", "file:"+db)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	tx, err := reader.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.QueryRow("SELECT count(*) FROM entries").Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	out, err := command(cmd.Env, "rm", "last", "--yes").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "may still be in") ||
		!strings.Contains(string(out), "doctor --repair") || strings.Contains(string(out), "ptyrec: deleted") {
		t.Errorf("rm: %v\n%s", err, out)
	}
	_ = tx.Rollback()
	if out, err := command(cmd.Env, "doctor", "--repair").CombinedOutput(); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if files := filesWith(t, db, "Zebrafinch"); files != nil {
		t.Errorf("it is still in %v", files)
	}
	u.Type(t, "\r")
	ptytest.Status(t, cmd)
}

// filesWith names the files beside the database, itself included, that hold a word in any case.
func filesWith(t testing.TB, db, word string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(db), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(word))) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
