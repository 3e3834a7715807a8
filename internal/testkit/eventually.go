// Package testkit helps tests of all packages. The packages below it start servers, terminals and
// databases for tests.
package testkit

import (
	"testing"
	"time"
)

// patience is how long Eventually waits. A busy machine needs less.
const patience = 3 * time.Minute

// Eventually calls ok until it returns true. After three minutes it ends the test, and reports what
// was awaited. Call it from the test's goroutine.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
