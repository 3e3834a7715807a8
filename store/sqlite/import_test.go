package sqlite_test

import (
	"errors"
	"fmt"
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
