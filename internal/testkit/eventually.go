// Package testkit has what the tests of many packages need; the packages below it have more.
package testkit

import (
	"testing"
	"time"
)

// patience is how long Eventually waits: longer than anything takes on a busy machine.
const patience = 3 * time.Minute

// Eventually waits until something is so. It ends the test if that takes more than three minutes;
// what says what did not happen. It must be called by the goroutine of the test.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
