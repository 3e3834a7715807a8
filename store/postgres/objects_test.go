package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/internal/testkit/s3test"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// old is a bucket in which everything was written long ago.
type old struct{ *bucket.Bucket }

func (b old) Before(ctx context.Context, _ time.Time) iter.Seq2[string, error] {
	return b.Bucket.Before(ctx, time.Now().Add(time.Hour))
}

// withBucket returns a database whose raw logs are in a bucket.
func withBucket(t testing.TB) (ctx context.Context, dsn string, s *postgres.Store, s3 *s3test.Server, b old) {
	t.Helper()
	s3 = s3test.New(t)
	found, err := bucket.Open(t.Context(), "s3://"+s3test.Name+"/raw")
	ok(t, err)
	dsn, b = pgtest.New(t), old{found}
	ctx, s = openAt(t, dsn)
	s.UseObjects(b)
	return ctx, dsn, s, s3, b
}

// objects returns how many objects there are.
func objects(t testing.TB, b old) (n int) {
	t.Helper()
	for _, err := range b.Before(t.Context(), time.Time{}) {
		ok(t, err)
		n++
	}
	return n
}

// recording returns a raw log of several segments.
func recording(text string) *store.Recording {
	rec := store.NewRecording(80, 24)
	for i := range 4 {
		rec.Write(session.Event{At: time.Duration(i) * time.Second, Kind: session.Output,
			Data: bytes.Repeat([]byte(fmt.Sprint(text, i)), 100_000)})
	}
	return rec
}

// Raw logs are in the bucket, rows in the database; what is deleted is gone in both.
func TestObjectsOfSegments(t *testing.T) {
	ctx, dsn, s, _, b := withBucket(t)
	id := store.NewID()
	push := postgres.Push{Session: session.Session{ID: id}, Machine: "m", Version: 1}
	_, err := s.Begin(ctx, push)
	ok(t, err)
	send := func(rec *store.Recording) (raw []byte) {
		t.Helper()
		segments := rec.Segments()
		for _, seg := range segments {
			for range 2 { // the second changes nothing
				_, err := s.AppendSegment(ctx, id, seg)
				ok(t, err)
			}
		}
		ok(t, s.End(ctx, id, postgres.Whole{Events: segments[len(segments)-1].EndEvent, Digest: postgres.DigestOf(nil)}))
		if n := objects(t, b); n != len(segments) || n < 2 {
			t.Errorf("%d objects, want %d", n, len(segments))
		}
		for e, err := range s.EventsFrom(ctx, id, store.From{}) {
			ok(t, err)
			raw = append(raw, e.Data...)
		}
		return raw
	}
	read := func(want string) {
		t.Helper()
		var all []byte
		for e, err := range s.EventsFrom(ctx, id, store.From{}) {
			ok(t, err)
			all = append(all, e.Data...)
		}
		if len(all) != 4*100_000*(len(want)+1) || !bytes.HasPrefix(all, []byte(want)) {
			t.Errorf("%d bytes, %.20q", len(all), all)
		}
	}
	send(recording("one"))
	read("one")
	info, err := s.Find(ctx, id)
	ok(t, err)
	if n := count(t, dsn, "SELECT sum(length(data)) FROM segments"); n != 0 || info.StoredBytes < 100 {
		t.Errorf("%d bytes in the database, %d stored", n, info.StoredBytes)
	}
	if _, err := s.AppendSegment(ctx, id, recording("two").Segments()[0]); !errors.Is(err, postgres.ErrConflict) {
		t.Errorf("another segment: %v", err)
	}
	ok(t, s.ReplaceRaw(ctx, id, false))
	read("one")
	send(recording("two")) // the objects of the old one are gone
	read("two")
	info, err = s.Find(ctx, id)
	if err != nil || info.StoredBytes < 100 || info.RawBytes != 4*4*100_000 {
		t.Errorf("%+v, %v", info, err)
	}
	// An object that is not there, or is another one, is damage, and no error.
	for key, err := range b.Before(ctx, time.Time{}) {
		ok(t, err)
		ok(t, b.Put(ctx, key, []byte("something else"), sha256.Sum256([]byte("something else"))))
		break
	}
	var damage *store.Damage
	damaged := 0
	for _, err := range s.EventsFrom(ctx, id, store.From{}) {
		if errors.As(err, &damage) {
			damaged++
		} else {
			ok(t, err)
		}
	}
	if damaged == 0 {
		t.Error("nobody noticed that the object is another one")
	}
	ok(t, b.Put(ctx, "orphan", []byte("x"), sha256.Sum256([]byte("x"))))
	for want := 1; want >= 0; want-- { // the second time it is not due
		if n, err := s.Sweep(ctx); err != nil || n != want {
			t.Errorf("%d were swept, want %d: %v", n, want, err)
		}
	}
	_, another := openAtAs(t, dsn)
	if err := another.DeleteSession(ctx, id); err == nil {
		t.Error("a server without the bucket deletes the rows, and leaves the objects")
	}
	ok(t, s.DeleteSession(ctx, id))
	if n := objects(t, b); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}

// openAtAs opens a database once more.
func openAtAs(t testing.TB, dsn string) (context.Context, *postgres.Store) {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn)
	ok(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return t.Context(), s
}

// While the bucket cannot be reached, nothing is taken, read or deleted, and nothing is lost.
// Retention deletes the objects.
func TestUnreachableBucket(t *testing.T) {
	ctx, _, s, s3, b := withBucket(t)
	op := operator(t)
	ok(t, s.AddSpace(op, "shop"))
	ok(t, s.SetMember(op, "shop", "ann", "member"))
	id := store.NewID()
	_, err := s.Begin(ctx, postgres.Push{Session: session.Session{ID: id}, Machine: "m", Version: 1, Space: "shop"})
	ok(t, err)
	segments := recording("text").Segments()
	_, err = s.AppendSegment(ctx, id, segments[0])
	ok(t, err)
	s3.Down(true)
	if state, err := s.AppendSegment(ctx, id, segments[1]); !errors.Is(err, session.ErrBusy) {
		t.Errorf("%+v, %v", state, err)
	}
	for _, err := range s.EventsFrom(ctx, id, store.From{}) {
		if !errors.Is(err, session.ErrBusy) {
			t.Errorf("read: %v", err)
		}
	}
	if err := s.Withdraw(ctx, id); !errors.Is(err, session.ErrBusy) {
		t.Errorf("withdrawn: %v", err)
	}
	s3.Down(false)
	for _, seg := range segments[1:] {
		_, err = s.AppendSegment(ctx, id, seg)
		ok(t, err)
	}
	if n := len(all(t, s.EventsFrom(ctx, id, store.From{}))); n != 4 {
		t.Errorf("%d events", n)
	}
	ok(t, s.SetRetention(op, "shop", 1))
	s.SetToday(time.Now().UTC().AddDate(0, 0, 5).Format(time.DateOnly))
	s3.Down(true)
	if n, err := s.Expire(t.Context()); !errors.Is(err, session.ErrBusy) || n != 0 {
		t.Errorf("%d were deleted, %v", n, err)
	}
	s3.Down(false)
	if n, err := s.Expire(t.Context()); err != nil || n != 1 || objects(t, b) != 0 {
		t.Errorf("%d were deleted, %v; %d objects", n, err, objects(t, b))
	}
}
