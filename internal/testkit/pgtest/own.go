package pgtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kept is a script that runs a command until its own input ends, and keeps the folder.
const kept = `dir=$1; shift; trap '' INT TERM HUP; "$@" </dev/null >>"$dir/log" 2>&1 & cat >/dev/null; kill -QUIT ` +
	`$! 2>/dev/null; wait`

// Own is the cluster of one test, which may be killed.
type Own struct{ c *cluster }

// NewOwn starts a cluster for one test, and returns the connection string of an empty database.
// Both end with the test. Without PostgreSQL the test is skipped or fails, as with New.
func NewOwn(t testing.TB) (o *Own, dsn string) {
	t.Helper()
	New(t) // reports what is missing
	c, err := newClusterBy(kept)
	if err != nil {
		t.Fatal(err)
	}
	o = &Own{c}
	t.Cleanup(func() {
		o.end()
		_ = os.RemoveAll(c.dir)
	})
	return o, c.dsn("postgres")
}

// end ends the server and waits for it.
func (o *Own) end() {
	_ = o.c.watchdog.Close()
	_ = o.c.server.Wait() // it may have been killed
}

// Kill kills the server as kill -9 does, and starts it again.
func (o *Own) Kill(t testing.TB) {
	t.Helper()
	o.KillOnly(t)
	// It does not start while an old process is left.
	for late := time.Now().Add(patience); ; {
		err := o.c.start()
		if err != nil {
			t.Fatal(err)
		}
		for soon := time.Now().Add(10 * time.Second); time.Now().Before(soon); time.Sleep(20 * time.Millisecond) {
			if err = o.c.do("SELECT 1"); err == nil {
				return
			}
		}
		if o.end(); time.Now().After(late) {
			t.Fatal(err)
		}
	}
}

// KillOnly kills the server as kill -9 does.
func (o *Own) KillOnly(t testing.TB) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.c.dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || pid <= 1 {
		t.Fatalf("the server's process is %q", first)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o.end()
}
