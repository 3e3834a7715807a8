package cli

import "testing"

// TestHelpWraps wraps prose and keeps what is indented.
func TestHelpWraps(t *testing.T) {
	got := wrapText("one two\nthree four\n\n  kept as it is, however long it may be\nfive", 9)
	want := "one two\nthree\nfour\n\n  kept as it is, however long it may be\nfive"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
