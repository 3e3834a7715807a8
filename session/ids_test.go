package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

func TestKeepIDs(t *testing.T) {
	entries := func(pairs ...string) []*session.Entry {
		var out []*session.Entry
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, &session.Entry{ID: pairs[i], Type: session.TypeMessage, Role: session.RoleUser, Text: pairs[i+1]})
		}
		return out
	}
	tests := []struct {
		name     string
		old, now []*session.Entry
		want     []string
	}{
		{"nothing changed", entries("a", "go", "b", "go"), entries("x", "go", "y", "go"), []string{"a", "b"}},
		{"one came in between", entries("a", "one", "b", "two"), entries("a", "one", "b", "new", "c", "two"), []string{"a", "bx", "b"}},
		{"one is gone", entries("a", "one", "b", "two", "c", "three"), entries("a", "one", "b", "three"), []string{"a", "c"}},
		{"one reads otherwise", entries("a", "one", "b", "two"), entries("a", "one", "b", "too"), []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session.KeepIDs(tt.old, tt.now)
			var got []string
			for _, e := range tt.now {
				got = append(got, e.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}
