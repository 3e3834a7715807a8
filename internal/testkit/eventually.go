// Package testkit provides helpers for tests. The packages below it start servers, terminals and
// databases for tests.
package testkit

import (
	"testing"
	"time"
)

// patience is the time limit of Eventually. It suffices on a busy machine.
const patience = 3 * time.Minute

// Eventually calls ok until it returns true. After three minutes it fails the test; what describes
// what was awaited. It must be called from the test's goroutine.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
