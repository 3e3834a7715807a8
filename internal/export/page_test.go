package export_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// watched calls seen with each event of a raw log that is read.
type watched struct {
	*sqlite.Store
	seen func() error
}

func (w *watched) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for e, err := range w.Store.EventsFrom(ctx, id, from) {
			if err == nil {
				err = w.seen()
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// writerFunc is an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// noisy stores a session whose output of about 12 MB is hard to compress, and returns an Exporter
// that calls seen with each of its events.
func noisy(t *testing.T, seen func() error) (export.Exporter, *store.Info) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	started := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	sess := &session.Session{ID: store.NewID(), Command: []string{"a"}, StartedAt: started, Cols: 80, Rows: 24}
	random, noise := rand.NewChaCha8([32]byte{}), make([]byte, 57<<10)
	raw := store.NewRecording(80, 24)
	for i := range 160 {
		_, _ = random.Read(noise) // never fails
		raw.Write(session.Event{At: time.Duration(i) * time.Second, Kind: session.Output,
			Data: []byte(base64.StdEncoding.EncodeToString(noise) + "\r\n")})
	}
	entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "please",
		At: started.Add(time.Second)}
	if err := db.Import(t.Context(), sess, raw, []*session.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return export.Exporter{Library: &library.Library{Store: &watched{db, seen},
		Redact: archive.Redaction{Redactor: finder}, Warn: t.Errorf}}, info
}

// Exporting a page takes less memory than the page has bytes.
func TestPageOfLongRecordingTakesNoMemory(t *testing.T) {
	used := func() int {
		runtime.GC()
		runtime.GC() // the first one leaves what is in pools
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int(now.HeapAlloc)
	}
	before, most, calls, size := 0, 0, 0, 0
	measure := func() {
		if calls++; calls%40 == 0 {
			most = max(most, used()-before)
		}
	}
	x, info := noisy(t, func() error { measure(); return nil })
	before = used()
	err := x.Write(t.Context(), writerFunc(func(p []byte) (int, error) {
		size += len(p)
		measure()
		return len(p), nil
	}), "html", info)
	if err != nil || size < 10<<20 || calls < 300 {
		t.Errorf("%d bytes in %d calls, %v", size, calls, err)
	}
	if most > size {
		t.Errorf("%d bytes of memory for a page of %d", most, size)
	}
	t.Logf("%d bytes of memory for a page of %d", most, size)
}

// The temporary folder is empty at all times, also when reading or writing fails.
func TestPageLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	look := func() {
		files, err := os.ReadDir(folder)
		if err != nil || len(files) > 0 {
			t.Errorf("%v, %v", files, err)
		}
	}
	broken := errors.New("broken")
	events, most := 0, 0
	x, info := noisy(t, func() error {
		look()
		if events++; events == most {
			return broken
		}
		return nil
	})
	for _, most = range []int{1, 300, 0} { // 0: the disk is full
		events = 0
		err := x.Write(t.Context(), writerFunc(func([]byte) (int, error) { look(); return 0, io.ErrShortWrite }), "html",
			info)
		if most > 0 && !errors.Is(err, broken) || most == 0 && !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("after %d events: %v", events, err)
		}
		look()
	}
}

// A page has the time of each message in its recording, with pauses of at most three seconds.
func TestPageTellsWhenMessagesArePlayed(t *testing.T) {
	x, info := chat(t)
	db, ok := x.Library.Store.(*sqlite.Store)
	if !ok {
		t.Fatalf("%T", x.Library.Store)
	}
	started := info.StartedAt
	sess := &session.Session{ID: store.NewID(), Command: []string{"a"}, StartedAt: started, Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	p := &archive.Playback{}
	for _, at := range []int{2, 2, 5, 60, 61, 200} {
		e := session.Event{At: time.Duration(at) * time.Second, Kind: session.Output, Data: []byte("x\r\n")}
		raw.Write(e)
		p.Events = append(p.Events, e)
	}
	p.LimitIdle(3 * time.Second)
	var entries []*session.Entry
	var want []string
	for i, at := range []int{-1, 61, 0, 1, 2, 4, 30, 5, 199, 200, 900} {
		moment := time.Duration(at) * time.Second
		entries = append(entries, &session.Entry{ID: fmt.Sprint(i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: "m", Markdown: "m", At: started.Add(moment), Status: session.StatusComplete})
		want = append(want, fmt.Sprintf(`id="e%d" class="user" data-at="%.3f"`, i+1, p.Played(max(0, moment)).Seconds()))
	}
	if err := db.Import(t.Context(), sess, raw, entries); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, x, "html", info)
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page has no %s", w)
		}
	}
}
