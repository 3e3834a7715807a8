package sqlite_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

var start = time.Date(2026, 11, 20, 23, 11, 5, 120_000_000, time.UTC)

// open opens a database until the test's end.
func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStore(t testing.TB) *sqlite.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "ptyrec.db"))
}

// create adds a session without an end.
func create(t testing.TB, s *sqlite.Store, id string) *session.Session {
	t.Helper()
	sess := &session.Session{ID: id, Command: []string{"claude", "-c"}, Cwd: "/home/dev/shop", StartedAt: start,
		Cols: 100, Rows: 30,
		Agents: []session.Agent{{Name: "claude", Version: "2.1.197", Model: "Opus 4.8"}}}
	if err := s.CreateSession(t.Context(), sess); err != nil {
		t.Fatal(err)
	}
	return sess
}

func find(t testing.TB, s *sqlite.Store, ref string) *store.Info {
	t.Helper()
	info, err := s.Find(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// rawLog stores events as a packed journal is.
func rawLog(t testing.TB, s *sqlite.Store, id string, events []session.Event) {
	t.Helper()
	if err := s.PutEvents(t.Context(), id, events); err != nil {
		t.Fatal(err)
	}
}

// readLog returns the events and the damages of a raw log.
func readLog(t testing.TB, s *sqlite.Store, id string, from store.From) (events []session.Event,
	damages []*store.Damage) {
	t.Helper()
	for ev, err := range s.EventsFrom(t.Context(), id, from) {
		var d *store.Damage
		switch {
		case errors.As(err, &d):
			damages = append(damages, d)
		case err != nil:
			t.Fatal(err)
		default:
			events = append(events, ev)
		}
	}
	return events, damages
}

func output(at time.Duration, data string) session.Event {
	return session.Event{At: at, Kind: session.Output, Data: []byte(data)}
}

// realEvents returns the events of a recording of a real agent.
func realEvents(t testing.TB) (events []session.Event) {
	t.Helper()
	r, err := cast.Open("../../internal/cast/testdata/claude.cast")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
}

func message(id string, seq int, role, text string) *session.Entry {
	end := start.Add(time.Duration(seq)*time.Second + 1)
	return &session.Entry{ID: id, Seq: seq, Type: session.TypeMessage, Role: role, Agent: "claude", Conversation: 1,
		Text:     text,
		Markdown: text, At: start.Add(time.Duration(seq) * time.Second), EndAt: &end, Offset: int64(seq) * 100,
		Status: session.StatusComplete}
}
