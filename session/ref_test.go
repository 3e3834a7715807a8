package session_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

func TestMatches(t *testing.T) {
	const id = "019aa000-6400-7abc-8def-0123456789ab"
	for ref, want := range map[string]bool{
		id: true, "019aa0": true, "89ab": true, "89AB": true, "019AA000-": true,
		"6400": false, id + "0": false, "0" + id: false,
	} {
		if got := session.Matches(id, ref); got != want {
			t.Errorf("Matches(%q) = %t, want %t", ref, got, want)
		}
	}
}
