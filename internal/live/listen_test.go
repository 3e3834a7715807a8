//go:build linux

package live_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
)

// socketFolder is a folder for sockets.
func socketFolder(t testing.TB) string {
	t.Helper()
	above, err := os.MkdirTemp("/tmp", "pr") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(above) })
	t.Setenv("XDG_RUNTIME_DIR", above)
	dir, taken, err := rundir.Make()
	if err != nil || taken != nil {
		t.Fatal(taken, err)
	}
	return dir
}

func TestListenIsForTheUserOnly(t *testing.T) {
	dir, db := socketFolder(t), filepath.Join(t.TempDir(), "db")
	dead, err := live.Listen(dir, db, "00000000-dead")
	if err != nil {
		t.Fatal(err)
	}
	left := rundir.Socket(dir, "00000000-left")
	if err := os.Rename(rundir.Socket(dir, "00000000-dead"), left); err != nil { // what a process leaves that was killed
		t.Fatal(err)
	}
	if err := rundir.Link(db, "00000000-left", left); err != nil {
		t.Fatal(err)
	}
	_ = dead.Close()
	l, err := live.Listen(dir, db, "11111111-live")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{left, rundir.Socket(rundir.Links(db), "00000000-left")} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("a dead session's socket is still there: %v", err)
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, rundir.Links(db): 0o700,
		rundir.Socket(dir, "11111111-live"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	other, err := live.Listen(dir, db, "22222222-too") // which takes nobody's that lives
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	c, err := net.Dial("unix", rundir.Socket(dir, "11111111-live"))
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_ = l.Close()
	if found, err := rundir.Find(db); err != nil || len(found) != 1 {
		t.Errorf("sockets of one session are left: %v, %v", found, err)
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if l, err := live.Listen(dir, db, "33333333"); err == nil {
		_ = l.Close()
		t.Error("it listens in a folder that others may enter")
	}
}

// Sessions that begin together have ids that begin alike, and do not take each other's sockets.
func TestListenTogether(t *testing.T) {
	dir, db := socketFolder(t), filepath.Join(t.TempDir(), "db")
	var wg sync.WaitGroup
	for n := range 20 {
		id := fmt.Sprintf("01a1fd63-e33f-7a35-8c40-%012d", n)
		wg.Go(func() {
			l, err := live.Listen(dir, db, id)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			found, err := rundir.Find(db)
			if found[id] == "" {
				t.Errorf("%s is not found: %v", id, err)
				return
			}
			c, err := net.Dial("unix", found[id])
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.Close()
		})
	}
	wg.Wait()
}
