package library

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// unread records a session of n shell commands whose recorder read none of them.
func unread(t *testing.T, path string, n int) {
	t.Helper()
	sess := session.Session{ID: store.NewID(), Command: []string{"bash"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	raw, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("\x1b]133;A\adev@box:~$ \x1b]133;B\aecho %d\r\n\x1b]133;C\a%s\r\n\x1b]133;D;0\a", i,
			strings.Repeat("output ", 20))
		raw.Put(session.Event{At: time.Duration(i) * 10 * time.Millisecond, Kind: session.Output, Data: []byte(text)})
	}
	raw.Put(session.Event{At: time.Duration(n) * 10 * time.Millisecond, Kind: session.Exit})
	if _, err := raw.Close(); err != nil {
		t.Fatal(err)
	}
}

// Entries of a session that is not read out yet come while it is read.
func TestEntriesWhileTheSessionIsRead(t *testing.T) {
	const n = 1500
	path := t.TempDir() + "/test.db"
	unread(t, path, n)
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
	l := &Library{Store: db}
	want, _, err := l.Reread(t.Context(), info)
	if err != nil || len(want.Entries) < n {
		t.Fatalf("%v, %d entries", err, len(want.Entries))
	}
	p := NewPast(l)
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	p.patience = time.Millisecond
	for range cap(p.slots) { // nothing is read yet
		p.slots <- struct{}{}
	}
	page, reading, err := p.Page(t.Context(), info, store.Span{Limit: 10})
	if err != nil || len(page.Entries) != 0 || reading == nil || reading.Bytes != 0 || reading.Of != info.RawBytes {
		t.Fatalf("before it is read: %+v, %+v, %v", page, reading, err)
	}
	for range cap(p.slots) {
		<-p.slots
	}
	partial, read := 0, reading.Bytes
	for late := time.Now().Add(time.Minute); reading != nil; {
		if page, reading, err = p.Page(t.Context(), info, store.Span{Limit: 10}); err != nil || time.Now().After(late) {
			t.Fatalf("%+v, %v", reading, err)
		}
		if reading != nil && reading.Bytes > read { // it goes on, however slowly
			read, late = reading.Bytes, time.Now().Add(time.Minute)
		}
		if len(page.Entries) > 0 && page.Entries[0].Text != "echo 0" {
			t.Fatalf("the first entry is %+v", page.Entries[0])
		}
		if reading != nil && page.Total > 0 {
			partial++
		}
	}
	t.Logf("%d pages came while it was read", partial)
	if page, reading, err = p.Page(t.Context(), info, store.Span{}); err != nil || reading != nil {
		t.Fatal(reading, err)
	}
	numbers := cmpopts.IgnoreFields(session.Entry{}, "Data") // JSON knows no integers
	if diff := cmp.Diff(want.Entries, page.Entries, numbers); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	p.running.Wait() // until it is saved
	if after, err := db.Find(t.Context(), info.ID); err != nil || after.Unread || after.Messages != n {
		t.Errorf("%+v, %v", after, err)
	}
}

// Any span of a session that is being read can be asked for, also across the entries that may still
// change.
func TestSpansWhileTheSessionIsRead(t *testing.T) {
	path := t.TempDir() + "/test.db"
	unread(t, path, 1600)
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer func() { _ = db.Close() }()
	info, err := db.Find(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&Library{Store: db}).newReading(info)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	n := 0
	for e, err := range db.Events(t.Context(), info.ID) {
		if err == nil {
			err = r.feed(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1500 {
			break
		}
	}
	all, state, err := r.page(store.Span{})
	final := r.spool.Len()
	if err != nil || final == 0 || len(all.Entries) <= final || state.Bytes == 0 || state.Bytes >= state.Of {
		t.Fatalf("%d entries, %d final, %+v, %v", len(all.Entries), final, state, err)
	}
	for _, span := range []store.Span{{Limit: 10}, {Since: final - 3, Limit: 10}, {Before: final + 3, Limit: 10},
		{Around: final, Limit: 20}, {Before: 1 << 30, Limit: 10}, {Since: 1 << 30, Limit: 10}} {
		got, _, err := r.page(span)
		want := store.PageOf(all.Entries, span)
		if err != nil || got.Start != want.Start || got.Total != want.Total {
			t.Errorf("%+v: starts at %d of %d, want %d of %d; %v", span, got.Start, got.Total, want.Start, want.Total, err)
		}
		if diff := cmp.Diff(append([]*session.Entry{}, want.Entries...),
			append([]*session.Entry{}, got.Entries...)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", span, diff)
		}
	}
}
