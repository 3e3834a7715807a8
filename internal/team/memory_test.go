package team_test

import (
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// A long raw log takes no memory while it is sent, and leaves no file behind.
func TestLongRawLogTakesNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; make test runs it")
	}
	// takes all, and keeps nothing
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	folder := t.TempDir()
	m := (&site{url: server.URL, token: "ptr_x"}).machine(t, filepath.Join(folder, "a.db"), work)
	recordSmall(t, m.Store)
	all(t, m) // what is needed once
	ended := time.Now().UTC().Truncate(time.Nanosecond)
	one := &session.Session{ID: store.NewID(), Command: []string{"a"}, Cwd: "/home/ann/work",
		StartedAt: ended.Add(-time.Second), EndedAt: &ended, Cols: 80, Rows: 24}
	random, noise := rand.NewChaCha8([32]byte{}), make([]byte, 57<<10)
	rec, size := store.NewRecording(80, 24), 0
	for range 200 { // 15 MB, 11 as stored
		_, _ = random.Read(noise) // never fails
		rec.Write(session.Event{Kind: session.Output, Data: []byte(base64.StdEncoding.EncodeToString(noise) + "\r\n")})
	}
	for _, seg := range rec.Segments() {
		size += len(seg.Data)
	}
	check(t, m.Store.Import(t.Context(), one, rec,
		[]*session.Entry{{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "please", At: ended}}))
	used := func() int {
		runtime.GC()
		runtime.GC() // what pools held
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int(now.HeapAlloc)
	}
	before, most, calls := used(), 0, 0
	m.Server.Transport(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/raw") {
			most = max(most, used()-before)
			calls++
		}
		return next.RoundTrip(r)
	})
	all(t, m)
	if most > size/2 || calls < 10 {
		t.Errorf("%d bytes of memory for %d bytes in %d segments", most, size, calls)
	}
	t.Logf("%d bytes of memory for %d bytes in %d segments", most, size, calls)
	files, err := os.ReadDir(folder)
	check(t, err)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "a.db") {
			t.Errorf("%s is left behind", f.Name())
		}
	}
}
