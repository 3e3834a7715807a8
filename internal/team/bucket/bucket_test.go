package bucket_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/testkit/s3test"
	"github.com/ptyrec/ptyrec/session"
)

// What a bucket does, by HTTP.
func TestBucket(t *testing.T) {
	s := s3test.New(t)
	ctx := t.Context()
	b, err := bucket.Open(ctx, "s3://"+s3test.Name+"/a/b/")
	if err != nil {
		t.Fatal(err)
	}
	other, err := bucket.Open(ctx, "s3://"+s3test.Name)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("segment\x00"), 100_000)
	var keys []string
	for i := range 5 {
		keys = append(keys, fmt.Sprintf("id/%d/key %d", i, i))
		if err := b.Put(ctx, keys[i], data[i:], sha256.Sum256(data[i:])); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.Get(ctx, keys[3]); err != nil || !bytes.Equal(got, data[3:]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := other.Get(ctx, "a/b/"+keys[3]); err != nil || !bytes.Equal(got, data[3:]) {
		t.Errorf("without prefix: %d bytes, %v", len(got), err)
	}
	list := func(b *bucket.Bucket, when time.Time) (found []string) {
		for key, err := range b.Before(ctx, when) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, key)
		}
		return found
	}
	if got := list(b, time.Now().Add(time.Hour)); !slices.Equal(got, keys) {
		t.Errorf("%q", got)
	}
	if got := list(b, time.Now().Add(-time.Hour)); len(got) != 0 {
		t.Errorf("old: %q", got)
	}
	for range 2 {
		if err := b.Delete(ctx, append([]string{"never there"}, keys[:4]...)); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Get(ctx, keys[0]); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if got := list(other, time.Now().Add(time.Hour)); len(got) != 1 {
		t.Errorf("%q", got)
	}
	s.Down(true)
	_, err = b.Get(ctx, keys[4])
	_, openErr := bucket.Open(ctx, "s3://"+s3test.Name)
	for _, err := range []error{err, openErr, b.Put(ctx, "x", data, sha256.Sum256(data)), b.Delete(ctx, keys)} {
		if !errors.Is(err, session.ErrBusy) {
			t.Errorf("away: %v", err)
		}
	}
	s.Down(false)
	if _, err := bucket.Open(ctx, "s3://missing"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("missing: %v", err)
	}
	for _, address := range []string{"", "recordings", "s3://", "https://host/x", "s3://key:secret@bucket", "s3://b?x=1"} {
		if _, err := bucket.Open(ctx, address); !errors.Is(err, bucket.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
