package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func recording(events []session.Event) *store.Recording {
	rec := store.NewRecording(100, 30)
	for _, ev := range events {
		rec.Write(ev)
	}
	return rec
}

func TestImport(t *testing.T) {
	s := newStore(t)
	want := realEvents(t)
	rec := recording(want)
	if _, err := s.FindRecording(t.Context(), rec); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("before: error = %v", err)
	}
	sess := &session.Session{Command: []string{"claude"}, StartedAt: start}
	if err := s.Import(t.Context(), sess, rec, allKinds()); err != nil {
		t.Fatal(err)
	}
	id, err := s.FindRecording(t.Context(), recording(want))
	if err != nil || id != sess.ID {
		t.Errorf("found %q, error %v, want %q", id, err, sess.ID)
	}
	got, damages := readLog(t, s, id, store.From{})
	if diff := cmp.Diff(want, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
	if info := find(t, s, "last"); info.Messages != 4 || info.RawBytes == 0 || info.Status != store.Interrupted {
		t.Errorf("info = %+v", info)
	}
	again := &session.Session{StartedAt: start}
	if err := s.Import(t.Context(), again, recording(want), nil); !errors.Is(err, session.ErrExists) {
		t.Errorf("imported twice: error = %v, want %v", err, session.ErrExists)
	}
	want[3].At += time.Millisecond
	if err := s.Import(t.Context(), &session.Session{StartedAt: start}, recording(want), nil); err != nil {
		t.Errorf("another recording: %v", err)
	}
}

// A recording that is put segment by segment is stored as one that is imported at once.
func TestImportInPieces(t *testing.T) {
	events := realEvents(t)
	noise := make([]byte, 1<<20) // as large as a segment
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	at := events[len(events)-1].At
	events = append(events, session.Event{At: at, Kind: session.Output, Data: noise},
		session.Event{At: at + time.Second, Kind: session.Output, Data: []byte("end")})
	ended, status := start.Add(at+time.Second), 3
	done := session.Session{ID: store.NewID(), Command: []string{"claude", "***"}, Title: "a title", Cwd: "/home",
		Agents: []session.Agent{{Name: "claude"}}, StartedAt: start, EndedAt: &ended, ExitCode: &status, Cols: 80, Rows: 24}
	whole, pieces := newStore(t), newStore(t)
	sess := done
	if err := whole.Import(t.Context(), &sess, recording(events), allKinds()); err != nil {
		t.Fatal(err)
	}
	begun := session.Session{ID: done.ID, Command: []string{"claude"}, StartedAt: start, Cols: 80, Rows: 24}
	if err := pieces.CreateSession(t.Context(), &begun); err != nil {
		t.Fatal(err)
	}
	rec, taken := recording(nil), 0
	for _, e := range events {
		rec.Write(e)
		segments := rec.Take()
		taken += len(segments)
		if err := pieces.PutSegments(t.Context(), done.ID, segments); err != nil {
			t.Fatal(err)
		}
	}
	if err := pieces.FinishImport(t.Context(), &done, rec, allKinds()); err != nil || taken == 0 {
		t.Fatalf("%d segments, %v", taken, err)
	}
	if diff := cmp.Diff(find(t, whole, "last"), find(t, pieces, "last")); diff != "" {
		t.Errorf("sessions (-at once +in pieces):\n%s", diff)
	}
	if id, err := pieces.FindRecording(t.Context(), recording(events)); err != nil || id != done.ID {
		t.Errorf("found %q, error %v, want %q", id, err, done.ID)
	}
	got, damages := readLog(t, pieces, done.ID, store.From{})
	if diff := cmp.Diff(events, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
	entries, err := pieces.Entries(t.Context(), done.ID)
	if err != nil || len(entries) != len(allKinds()) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func BenchmarkImport(b *testing.B) {
	s := newStore(b)
	events := realEvents(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rec := recording(append(events, session.Event{Kind: session.Marker, Data: fmt.Append(nil, i)}))
		if err := s.Import(b.Context(), &session.Session{StartedAt: start}, rec, allKinds()); err != nil {
			b.Fatal(err)
		}
	}
}
