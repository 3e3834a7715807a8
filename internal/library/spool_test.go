package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
)

func entries(from, to int) (out []*session.Entry) {
	for i := from; i < to; i++ {
		at := time.Unix(int64(i), 7).UTC()
		e := &session.Entry{ID: fmt.Sprint(i), Seq: i + 1, Type: session.TypeMessage, Role: session.RoleShell,
			Text: fmt.Sprintf("echo %d \x1b<&>", i), Output: strings.Repeat("x", i%50), At: at}
		e.Truncate(session.TruncatedMiddle)
		if i%3 == 0 {
			status, took := i, 0.5
			e.EndAt, e.ExitStatus, e.Duration, e.Cwd = &at, &status, &took, "/tmp"
			e.Tool = &session.Tool{Name: "Bash", Output: "a\nb"}
		}
		out = append(out, e)
	}
	return out
}

// What is added can be read at once, in any part, and the folder stays empty.
func TestSpool(t *testing.T) {
	folder := t.TempDir()
	s, err := library.NewSpool(filepath.Join(folder, "missing"), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	const n = 1000
	want := entries(0, n)
	var running sync.WaitGroup
	running.Go(func() {
		for from := 0; from < n; from += 10 {
			if err := s.Add(want[from : from+10]...); err != nil {
				t.Error(err)
			}
		}
	})
	for known := 0; known < n; known = s.Len() {
		got, err := s.Entries(known-3, known)
		if diff := cmp.Diff(want[max(0, known-3):known], append([]*session.Entry{}, got...)); err != nil || diff != "" {
			t.Fatalf("%v, entries (-want +got):\n%s", err, diff)
		}
	}
	running.Wait()
	var got []*session.Entry
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all entries (-want +got):\n%s", diff)
	}
	if none, err := s.Entries(n, n+5); len(none) > 0 || err != nil {
		t.Errorf("behind the last: %v, %v", none, err)
	}
	if left, err := os.ReadDir(folder); len(left) > 0 || err != nil {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}
