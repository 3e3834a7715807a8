package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// F1: what a recorder writes is what a reader gets, however the log is cut.
func TestRawLogReal(t *testing.T) {
	s := newStore(t)
	want := realEvents(t)
	want = append(want, session.Event{At: want[len(want)-1].At, Kind: session.Exit, Status: 2})
	create(t, s, "a")
	rawLog(t, s, "a", want)
	got, damages := readLog(t, s, "a", store.From{})
	if len(damages) > 0 {
		t.Errorf("damages: %v", damages)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	bytes := int64(0)
	for _, ev := range want {
		bytes += int64(len(ev.Data))
	}
	if info := find(t, s, "a"); info.RawBytes != bytes || info.Duration != want[len(want)-1].At || info.StoredBytes > bytes/20 {
		t.Errorf("raw bytes %d, duration %s, stored bytes %d, want %d, %s and less than %d", info.RawBytes, info.Duration,
			info.StoredBytes, bytes, want[len(want)-1].At, bytes/20)
	}
}

func TestRawLogSeek(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	want := realEvents(t)
	rawLog(t, s, "a", want)
	offset, half := int64(0), len(want)/2
	for _, ev := range want[:half] {
		offset += int64(len(ev.Data))
	}
	for name, from := range map[string]store.From{"event": {Event: int64(half)}, "byte": {Offset: offset}, "both": {Event: 3, Offset: offset}} {
		got, damages := readLog(t, s, "a", from)
		if diff := cmp.Diff(want[half:], got); diff != "" || len(damages) > 0 {
			t.Errorf("from %s: damages %v, events (-want +got):\n%s", name, damages, diff)
		}
	}
	at := want[half].At
	got, _ := readLog(t, s, "a", store.From{At: at})
	if len(got) == 0 || got[0].At < at || len(got) < len(want)-half {
		t.Errorf("from %s: %d events", at, len(got))
	}
	if got, damages := readLog(t, s, "a", store.From{Event: int64(len(want))}); len(got)+len(damages) > 0 {
		t.Errorf("from the end: %d events, damages %v", len(got), damages)
	}
}

// F2: every second is in the database before the next one, and so is what came before a Flush.
func TestRawLogCuts(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	written := func() int {
		got, _ := readLog(t, s, "a", store.From{})
		return len(got)
	}
	for i, want := range []int{0, 0, 2, 2, 4} {
		if err := log.Write(t.Context(), output(time.Duration(i)*600*time.Millisecond, "x")); err != nil {
			t.Fatal(err)
		}
		if got := written(); got != want {
			t.Errorf("after event %d: %d are written, want %d", i, got, want)
		}
	}
	if err := log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := written(); got != 5 {
		t.Errorf("after Flush: %d are written, want 5", got)
	}
	for range 2 {
		if err := log.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := written(); got != 5 {
		t.Errorf("after Close: %d are written, want 5", got)
	}
}

// A reader in mid-log misses nothing when the segments that it reads are replaced by a larger one.
func TestRawLogReplacedWhileRead(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []session.Event
	for i := range 10 {
		want = append(want, output(time.Duration(i)*time.Second, string(rune('a'+i))))
		if err := log.Write(t.Context(), want[i]); err != nil {
			t.Fatal(err)
		}
	}
	for ev, err := range s.Events(t.Context(), "a") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
		if len(got) == 3 {
			if err := log.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A recorder that was killed leaves its segments; whoever goes on appends to them.
func TestRawLogContinues(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	want := []session.Event{output(0, "a"), output(time.Second, "bc"), output(3*time.Second, "d")}
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range want[:2] {
		if err := log.Write(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	rawLog(t, s, "a", want[2:])
	got, damages := readLog(t, s, "a", store.From{})
	if diff := cmp.Diff(want, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
	if info := find(t, s, "a"); info.RawBytes != 4 {
		t.Errorf("raw bytes = %d, want 4", info.RawBytes)
	}
}

// seconds writes one event of two bytes a second, each in a segment of its own.
func seconds(t *testing.T, s *store.Store, n int) (events []session.Event) {
	t.Helper()
	create(t, s, "a")
	for i := range n {
		events = append(events, output(time.Duration(i)*time.Second, "xy"))
		rawLog(t, s, "a", events[i:])
	}
	return events
}

// A damaged or missing segment is named, and the others are read.
func TestRawLogDamaged(t *testing.T) {
	tests := []struct{ name, query string }{
		{"cut off", "UPDATE segments SET data = substr(data, 1, length(data) / 2) WHERE first_event = 1"},
		{"overwritten", "UPDATE segments SET data = x'01ffffffff' WHERE first_event = 1"},
		{"empty", "UPDATE segments SET data = x'' WHERE first_event = 1"},
		{"another's", "UPDATE segments SET data = (SELECT data FROM segments WHERE first_event = 0) WHERE first_event = 1"},
		{"missing", "DELETE FROM segments WHERE first_event = 1"},
		{"of a newer version", "UPDATE segments SET data = x'02' WHERE first_event = 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ptyrec.db")
			s := open(t, path)
			want := seconds(t, s, 3)
			execSQL(t, path, tt.query)
			got, damages := readLog(t, s, "a", store.From{})
			if diff := cmp.Diff([]session.Event{want[0], want[2]}, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if len(damages) != 1 || !errors.Is(damages[0], session.ErrCorrupt) {
				t.Fatalf("damages = %v, want one", damages)
			}
			d := *damages[0]
			if d.FirstEvent != 1 || d.EndEvent != 2 || d.StartByte != 2 || d.EndByte != 4 || d.StartAt != 0 {
				t.Errorf("damage = %+v", d)
			}
		})
	}
}

// A recorder goes on while the database takes nothing, and catches up once it does.
func TestRawLogCatchesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	create(t, s, "a")
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	execSQL(t, path, "CREATE TRIGGER full BEFORE INSERT ON segments BEGIN SELECT raise(ABORT, 'full'); END")
	var want []session.Event
	failed := 0
	for i := range 5 {
		want = append(want, output(time.Duration(i)*time.Second, "x"))
		if err := log.Write(t.Context(), want[i]); err != nil {
			failed++
		}
	}
	if failed != 4 {
		t.Errorf("failed writes = %d, want 4", failed)
	}
	execSQL(t, path, "DROP TRIGGER full")
	if err := log.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, damages := readLog(t, s, "a", store.From{})
	if diff := cmp.Diff(want, got); diff != "" || len(damages) > 0 || log.Lost() > 0 {
		t.Errorf("lost %d, damages %v, events (-want +got):\n%s", log.Lost(), damages, diff)
	}
}

func TestRawLogRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	create(t, s, "a")
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := log.Write(t.Context(), output(0, "x")); err != nil {
		t.Fatal(err)
	}
	if err := log.Flush(t.Context()); !errors.Is(err, session.ErrRemoved) {
		t.Errorf("error = %v, want %v", err, session.ErrRemoved)
	}
}

func BenchmarkRawLog(b *testing.B) {
	s := newStore(b)
	create(b, s, "a")
	events := realEvents(b)
	log, err := s.RawLog(b.Context(), "a")
	if err != nil {
		b.Fatal(err)
	}
	size, span := int64(0), events[len(events)-1].At
	for _, ev := range events {
		size += int64(len(ev.Data))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for _, ev := range events {
			ev.At += time.Duration(i) * span
			if err := log.Write(b.Context(), ev); err != nil {
				b.Fatal(err)
			}
		}
	}
}
