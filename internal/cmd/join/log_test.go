package join_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// connected is what a server says of a session of which it has so many frames.
func connected(id string, frames int64) client.Connected {
	return client.Connected{Hello: protocol.Hello{
		Session: session.Session{ID: id, Title: "a title", StartedAt: started, Cols: 80, Rows: 24}, Cols: 80, Rows: 24,
		Frames: frames,
	}}
}

// output is a frame of output, so many seconds after the start.
func output(number int64, seconds int, text string) protocol.Numbered {
	return protocol.Numbered{Number: number, Kind: protocol.NumberedOutput, At: time.Duration(seconds) * time.Second,
		Data: []byte(text)}
}

// The log begins with the first frame, and its time never goes back.
func TestLog(t *testing.T) {
	var notices, got []string
	log := join.NewLog(nil, func(text string) { notices = append(notices, text) })
	for _, event := range []client.Event{
		connected("s1", 2), output(1, 10, "one"), client.Lost{Try: 1}, client.Lost{Try: 2}, connected("s1", 3),
		output(2, 12, "two"),
		protocol.Notice{Text: "a word"}, protocol.Snapshot{Data: []byte("screen")}, output(3, 11, "late"),
		client.Output{Data: []byte("no frame")},
	} {
		if log.IsOther(event) {
			t.Errorf("%v is another session", event)
		}
		if e, ok := log.Take(event); ok {
			got = append(got, fmt.Sprintf("%v %s %v", e.At, e.Data, log.Whole))
		}
	}
	if diff := cmp.Diff([]string{"0s one false", "2s two false", "2s screen false", "2s late true"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"connection lost, reconnecting", "a word"}, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if want := started.Add(10 * time.Second); !log.Session.StartedAt.Equal(want) {
		t.Errorf("it started at %v, want %v", log.Session.StartedAt, want)
	}
	if got := log.Quiet(time.Second); got != 3*time.Second {
		t.Errorf("Quiet(1s) = %v", got)
	}
	other := connected("s2", 1)
	if !log.IsOther(other) {
		t.Error("another session is not noticed")
	}
	log.Take(other)
	if e, ok := log.Take(output(1, 5, "new")); !ok || e.At != 0 || log.Session.ID != "s2" || !log.Whole {
		t.Errorf("of the other session: %v %v, %+v", e, ok, log.Session)
	}
}

func TestRecorder(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	r := join.NewRecorder(db, "ws://host:1/agent?token=secret#token=secret", func(err error) { t.Error(err) })
	for _, event := range []client.Event{connected("s1", 2), output(1, 10, "one"), output(2, 12, "two")} {
		r.Take(event)
	}
	id, lost, err := r.Close()
	if id == "" || lost != 0 || err != nil {
		t.Fatalf("Close() = %q, %d, %v", id, lost, err)
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	info, err := s.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"attach", "ws://host:1/agent"}, info.Command); diff != "" || info.Title != "a title" ||
		!info.StartedAt.Equal(started.Add(10*time.Second)) {
		t.Errorf("recorded as %+v", info.Session)
	}
	var got []string
	for e, err := range s.Events(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %s", e.At, e.Data))
	}
	if diff := cmp.Diff([]string{"0s one", "2s two"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A recording that cannot begin is told once; one without a frame is none.
func TestRecorderFails(t *testing.T) {
	var told int
	r := join.NewRecorder("/proc/no/such/db", "ws://host:1", func(error) { told++ })
	for _, event := range []client.Event{connected("s1", 2), output(1, 10, "one"), output(2, 12, "two")} {
		r.Take(event)
	}
	if id, _, err := r.Close(); id != "" || err != nil || told != 1 {
		t.Errorf("Close() = %q, %v; told %d times", id, err, told)
	}
}
