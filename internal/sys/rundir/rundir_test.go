//go:build unix

package rundir_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/rundir"
)

const id = "01a1fd63-e33f-7a35-8c40-000000000001"

// short makes a folder whose path is short enough for sockets in it.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A session that was started with another XDG_RUNTIME_DIR than a command has, or one of them
// without it, was not found.
func TestFindWhateverTheEnvironment(t *testing.T) {
	db := filepath.Join(t.TempDir(), strings.Repeat("long", 20), "db") // longer than a socket's path may be
	if err := os.MkdirAll(filepath.Dir(db), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", short(t))
	for _, started := range []string{short(t), "", "relative", "/nowhere"} {
		t.Setenv("XDG_RUNTIME_DIR", started)
		dir, _, err := rundir.Make()
		if err != nil {
			t.Fatal(err)
		}
		socket := rundir.Socket(dir, id)
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		if err := rundir.Link(db, id, socket); err != nil {
			t.Fatal(err)
		}
		for _, here := range []string{"", "relative", short(t), started} {
			t.Setenv("XDG_RUNTIME_DIR", here)
			if found, err := rundir.Find(db); found[id] != socket {
				t.Errorf("started with %q, looked for with %q: %v, %v", started, here, found, err)
			}
		}
		_ = l.Close()
		if found, _ := rundir.Find(db); len(found) > 0 {
			t.Errorf("a link without a socket is found: %v", found)
		}
		if err := os.Remove(rundir.Socket(rundir.Links(db), id)); err != nil {
			t.Fatal(err)
		}
	}
}

// Where somebody else had taken the folder for sockets in /tmp, nobody could attach, and nobody was
// told.
func TestMakeWithoutTheFolderThatWasTaken(t *testing.T) {
	own := "ptyrec-" + strconv.Itoa(os.Getuid())
	elsewhere := short(t)
	for name, take := range map[string]func(path string) error{
		"a file":             func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a link to a folder": func(path string) error { return os.Symlink(elsewhere, path) },
		"a link to nothing":  func(path string) error { return os.Symlink("/nowhere", path) },
		"open to others":     func(path string) error { return os.Mkdir(path, 0o755) },
		"another's": func(path string) error {
			if os.Getuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", "")
			t.Setenv("TMPDIR", short(t))
			taken := filepath.Join(os.TempDir(), own)
			if err := take(taken); err != nil {
				t.Fatal(err)
			}
			dir, why, err := rundir.Make()
			if err != nil {
				t.Fatal(err)
			}
			if dir == taken || why == nil || !strings.Contains(why.Error(), taken) {
				t.Errorf("%s is used instead of %s: %v", dir, taken, why)
			}
			if err := rundir.Check(dir); err != nil {
				t.Error(err)
			}
			if rundir.Check(taken) == nil {
				t.Error("the folder is trusted")
			}
		})
	}
}

// A folder above that others may write to lets them put another one in the place of ours.
func TestCheckLooksAbove(t *testing.T) {
	above := short(t)
	dir := filepath.Join(above, "ptyrec")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for mode, trusted := range map[os.FileMode]bool{0o755: true, 0o777: false, 0o777 | os.ModeSticky: true} {
		if err := os.Chmod(above, mode); err != nil {
			t.Fatal(err)
		}
		if err := rundir.Check(dir); (err == nil) != trusted {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// A folder that was made for one session is left when that is killed. Where somebody listens, it is
// in use.
func TestLeft(t *testing.T) {
	for name, listens := range map[string]bool{"killed": false, "alive": true} {
		dir, err := os.MkdirTemp("/tmp", "ptyrec-"+strconv.Itoa(os.Getuid())+"-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		l, err := net.Listen("unix", rundir.Socket(dir, id))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if !listens {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			_ = l.Close()
		}
		if slices.Contains(rundir.Left(), dir) {
			t.Errorf("%s: left, but it is new", name)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(rundir.Left(), dir); got == listens {
			t.Errorf("%s: left: %v", name, got)
		}
	}
}
