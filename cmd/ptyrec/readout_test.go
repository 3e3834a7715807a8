package main

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// What a flood left unread when its command ended is found all the same, and read once.
func TestFloodIsFound(t *testing.T) {
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "head -c 12000000 /dev/zero | tr '\\0' x | fold -w 60; echo needle-42")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Fatalf("status = %d: %q", got, u.Shown())
	}
	before, events := rawLog(t, db)
	t.Logf("unread at the command's end: %v, of %d bytes", before.Unread, before.RawBytes)
	if n := len(bytesOf(session.Output, events)); int64(n) != before.RawBytes || n < 12_000_000 {
		t.Errorf("the raw log has %d bytes, %d are counted", n, before.RawBytes)
	}
	out, err := command(cmd.Env, "search", `"needle-42"`, "--json").Output()
	if err != nil || !strings.Contains(string(out), "needle-42") {
		t.Errorf("search: %v\n%s", err, out)
	}
	after, _ := rawLog(t, db)
	if after.Unread || after.Status != store.Ended {
		t.Errorf("it is unread: %v, %s", after.Unread, after.Status)
	}
}
