package servetest

import (
	"os"
	"testing"
	"time"
)

// Dir is like t.TempDir, for a database: sessions and commands that a test has started and not
// waited for may still write to the folder while it is removed.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ptyrec-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var err error
		for range 1000 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}
