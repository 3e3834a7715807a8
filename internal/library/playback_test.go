package library

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// A session whose recorder read none of its messages, as after a flood, is stepped through, too.
func TestTapeOfUnread(t *testing.T) {
	path := t.TempDir() + "/test.db"
	unread(t, path, 5)
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer func() { _ = db.Close() }()
	info, err := db.Find(t.Context(), "last")
	if err != nil || !info.Unread {
		t.Fatalf("%+v, %v", info, err)
	}
	playback, err := (&Library{Store: db}).Playback(t.Context(), info, archive.Ref{})
	if err != nil {
		t.Fatal(err)
	}
	if len(playback.Messages) != 5 {
		t.Errorf("%d messages, want 5", len(playback.Messages))
	}
}
