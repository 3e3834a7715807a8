package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// What a recorder writes is what a reader gets, however the log is cut.
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
	if info := find(t, s, "a"); info.RawBytes != bytes || info.Duration != want[len(want)-1].At ||
		info.StoredBytes > bytes/20 {
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
	for name, from := range map[string]store.From{"event": {Event: int64(half)}, "byte": {Offset: offset},
		"both": {Event: 3, Offset: offset}} {
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

// seconds writes one event of two bytes a second, each in a segment of its own.
func seconds(t *testing.T, s *sqlite.Store, n int) (events []session.Event) {
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
