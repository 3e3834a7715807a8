package mcp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/internal/server/mcp"
)

// The database is opened once it is there, and again after it was replaced or could not be opened.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	opened, broken := 0, errors.New("broken")
	var failure error
	open := mcp.Reopen(func() (string, error) { return path, nil }, func(context.Context) (*mcp.Archive, error) {
		if _, err := os.Stat(path); err != nil || failure != nil {
			return nil, failure
		}
		opened++
		return &mcp.Archive{}, nil
	})
	write := func() {
		t.Helper()
		if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, times int, want error) *mcp.Archive {
		t.Helper()
		a, err := open(t.Context())
		if opened != times || !errors.Is(err, want) {
			t.Errorf("%s: opened %d times, want %d; error %v, want %v", what, opened, times, err, want)
		}
		return a
	}
	if expect("no database", 0, nil) != nil {
		t.Error("there is an archive without a database")
	}
	failure = broken
	write()
	expect("a broken one", 0, broken)
	failure = nil
	first := expect("a new one", 1, nil)
	if again := expect("the same again", 1, nil); again != first {
		t.Error("another archive of the same database")
	}
	write()
	expect("another one", 2, nil)
}
