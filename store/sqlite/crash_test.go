package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// crashDB names the database that the test binary, run again as a recorder, writes until it is
// killed.
const crashDB = "PTYREC_TEST_CRASH_DB"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashDB); path != "" {
		fmt.Fprintln(os.Stderr, recordForever(context.Background(), path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func crashEvent(i int) session.Event {
	return output(time.Duration(i)*100*time.Millisecond, fmt.Sprintf("event %d\r\n", i))
}

// recordForever records, and says now and then how many events must be safe.
func recordForever(ctx context.Context, path string) error {
	w, err := journal.Create(journal.Options{Folder: sqlite.JournalFolder(path),
		Session: session.Session{ID: "a", StartedAt: start}})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		w.Put(crashEvent(i))
		if i%10 == 0 {
			if err := w.Settle(ctx); err != nil {
				return err
			}
			fmt.Println(i)
		}
	}
}

// A recorder that is killed at any moment loses nothing that was written.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashDB+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, safe := bufio.NewScanner(out), 0
	for safe < 300 && lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &safe); err != nil {
			t.Fatal(err)
		}
	}
	checkStatus(t, path, store.Live)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	checkStatus(t, path, store.Interrupted)
	s := open(t, path)
	got, damages := readLog(t, s, "a", store.From{})
	if len(got) <= safe || len(damages) > 0 {
		t.Errorf("%d events, damages %v, want %d at least", len(got), damages, safe)
	}
	for i, ev := range got {
		if diff := cmp.Diff(crashEvent(i), ev); diff != "" {
			t.Fatalf("event %d (-want +got):\n%s", i, diff)
		}
	}
}

func checkStatus(t *testing.T, path, want string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	if got := find(t, s, "a").Status; got != want {
		t.Errorf("status = %s, want %s", got, want)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
