//go:build linux

package live_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ptyrec/ptyrec/live"
)

func TestListenIsForTheUserOnly(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	dead, err := live.Listen("00000000-dead")
	if err != nil {
		t.Fatal(err)
	}
	left := live.Path("00000000-left")
	if err := os.Rename(live.Path("00000000-dead"), left); err != nil { // what a process leaves that was killed
		t.Fatal(err)
	}
	_ = dead.Close()
	l, err := live.Listen("11111111-live")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("a dead session's socket is still there: %v", err)
	}
	for path, want := range map[string]os.FileMode{filepath.Join(dir, "ptyrec"): 0o700, live.Path("11111111-live"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	other, err := live.Listen("22222222-too") // which takes nobody's that lives
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	c, err := net.Dial("unix", live.Path("11111111-live"))
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_ = l.Close()
	if _, err := os.Lstat(live.Path("11111111-live")); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, "ptyrec"), 0o750); err != nil {
		t.Fatal(err)
	}
	if l, err := live.Listen("33333333"); err == nil {
		_ = l.Close()
		t.Error("it listens in a folder that others may enter")
	}
}

// Sessions that begin together have ids that begin alike, and do not take each other's sockets.
func TestListenTogether(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	var wg sync.WaitGroup
	for n := range 20 {
		id := fmt.Sprintf("01a1fd63-e33f-7a35-8c40-%012d", n)
		wg.Go(func() {
			l, err := live.Listen(id)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			c, err := net.Dial("unix", live.Path(id))
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.Close()
		})
	}
	wg.Wait()
}
