package teamserver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/testkit/s3test"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const (
	rawSessions = 64       // that are sent and read
	rawSegments = 16       // of each
	rawStored   = 64 << 10 // bytes of a segment as stored, about
)

// BenchmarkRaw sends raw logs of segments of 64 KiB, over HTTP, into the database and into
// a bucket, in MB/s as stored. The bucket is of gofakes3, or of versitygw where
// $PTYREC_VERSITYGW is its program. Run it with -benchtime 1x.
func BenchmarkRaw(b *testing.B) {
	b.Run("bytea", func(b *testing.B) { benchRaw(b, newSite(b)) })
	b.Run("s3", func(b *testing.B) {
		s3test.New(b)
		s := newSite(b)
		objects, err := bucket.Open(b.Context(), "s3://"+s3test.Name+"/raw")
		s.check(b, err)
		s.db.UseObjects(objects)
		benchRaw(b, s)
	})
}

// benchRaw sends raw logs to a site, several machines at a time, and reads them.
func benchRaw(b *testing.B, s *site) {
	segments, size := rawLog(b)
	var written, read spent
	rounds := 0
	for b.Loop() {
		ids := make([]string, rawSessions)
		for i := range ids {
			ids[i] = benchID(rounds*rawSessions + i)
			s.want(b, 200, "owner", "PUT", "/api/push/"+ids[i], begin(ids[i], "m", 1, "shop"))
		}
		written.add(b, func() {
			atATime(ids, func(id string) {
				for _, seg := range segments {
					s.want(b, 204, "owner", "PUT", fmt.Sprintf("/api/push/%s/raw?event=%d", id, seg.FirstEvent), seg.Data)
				}
			})
		}, s)
		read.add(b, func() {
			atATime(ids, func(id string) {
				status, body := s.do(b, "owner", "GET", "/api/sessions/"+id+"/segments", nil)
				if want := size + 4*len(segments); status != http.StatusOK || len(body) != want {
					b.Errorf("%d, %d bytes, want %d", status, len(body), want)
				}
			})
		}, s)
		rounds++
	}
	megabytes := float64(rounds*rawSessions*size) / 1e6
	b.ReportMetric(megabytes/written.time.Seconds(), "write-MB/s")
	b.ReportMetric(megabytes/written.cpu.Seconds(), "write-MB/cpu-s")
	b.ReportMetric(megabytes/read.time.Seconds(), "read-MB/s")
	b.ReportMetric(megabytes/read.cpu.Seconds(), "read-MB/cpu-s")
}

// atATime calls do with all ids, those of several machines at a time.
func atATime(ids []string, do func(id string)) {
	var all sync.WaitGroup
	defer all.Wait()
	for first := range senders {
		all.Go(func() {
			for i := first; i < len(ids); i += senders {
				do(ids[i])
			}
		})
	}
}

// rawLog returns a raw log whose segments shrink to a sixteenth, as those of recorded sessions do,
// and their size in bytes.
func rawLog(b *testing.B) (segments []store.Segment, size int) {
	random := rand.NewChaCha8([32]byte{})
	rec := store.NewRecording(80, 24)
	for i := range rawSegments {
		text := make([]byte, rawStored)
		_, _ = random.Read(text) // never fails
		rec.Write(session.Event{At: time.Duration(i) * time.Second, Kind: session.Output, Data: bytes.Repeat(text, 16)})
	}
	segments = rec.Segments()
	for _, seg := range segments {
		size += len(seg.Data)
	}
	if mean := size / len(segments); len(segments) != rawSegments || mean < rawStored || mean > rawStored*5/4 {
		b.Fatalf("%d segments of %d bytes", len(segments), mean)
	}
	return segments, size
}
