package session_test

import (
	"iter"
	"strconv"
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
		{"one came in between", entries("a", "one", "b", "two"), entries("a", "one", "b", "new", "c", "two"),
			[]string{"a", "bx", "b"}},
		{"one is gone", entries("a", "one", "b", "two", "c", "three"), entries("a", "one", "b", "three"), []string{"a", "c"}},
		{"one reads otherwise", entries("a", "one", "b", "two"), entries("a", "one", "b", "too"), []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			streamed, err := session.KeepIDsOf(list(tt.old), list(tt.now))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for e, err := range streamed {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids of the stream (-want +got):\n%s", diff)
			}
			session.KeepIDs(tt.old, tt.now)
			got = nil
			for _, e := range tt.now {
				got = append(got, e.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

// list returns copies of entries, one by one.
func list(entries []*session.Entry) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for _, e := range entries {
			c := *e
			if !yield(&c, nil) {
				return
			}
		}
	}
}

// What comes behind the entries that are compared gets no id that is taken.
func TestKeepIDsOfMany(t *testing.T) {
	var old, now []*session.Entry
	entry := func(id, text string) *session.Entry {
		return &session.Entry{ID: id, Type: session.TypeMessage, Role: session.RoleUser, Text: text}
	}
	now = append(now, entry("0", "new"))
	for i := range 1000 {
		text := "line " + strconv.Itoa(i)
		if i < 300 {
			old = append(old, entry(strconv.Itoa(i), text))
		}
		now = append(now, entry(strconv.Itoa(i+1), text))
	}
	streamed, err := session.KeepIDsOf(list(old), list(now))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	n := 0
	for e, err := range streamed {
		if err != nil {
			t.Fatal(err)
		}
		if was, twice := ids[e.ID]; twice {
			t.Fatalf("%q and %q have the id %s", was, e.Text, e.ID)
		}
		ids[e.ID] = e.Text
		n++
	}
	if n != len(now) || ids["299"] != "line 299" || ids["0"] != "line 0" {
		t.Errorf("%d entries; 299 is %q, 0 is %q", n, ids["299"], ids["0"])
	}
}
