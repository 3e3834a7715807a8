package sqlite_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func TestLabels(t *testing.T) {
	s := newStore(t)
	sess := create(t, s, "a")
	create(t, s, "b")
	for _, err := range []error{
		s.Rename(t.Context(), "a", "The cache"), s.SetNote(t.Context(), "a", "look\nhere"),
		s.UpdateSession(t.Context(), sess),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Tag(t.Context(), "a", []string{"work", "bug", "work"}, nil); err != nil {
		t.Fatal(err)
	}
	tags, err := s.Tag(t.Context(), "a", []string{"cache"}, []string{"bug", "none"})
	if diff := cmp.Diff([]string{"cache", "work"}, tags); diff != "" || err != nil {
		t.Errorf("error %v, tags (-want +got):\n%s", err, diff)
	}
	info := find(t, s, "a")
	if info.Title != "The cache" || info.Note != "look\nhere" || !cmp.Equal(info.Tags, tags) {
		t.Errorf("labels = %q, %q, %q", info.Title, info.Note, info.Tags)
	}
	infos, err := s.Sessions(t.Context(), store.Filter{Tag: "work"})
	if err != nil || len(infos) != 1 || infos[0].ID != "a" {
		t.Errorf("tagged = %v, %v", infos, err)
	}
	if err := s.Rename(t.Context(), "a", ""); err != nil || find(t, s, "a").Title != "" {
		t.Errorf("title = %q, %v", find(t, s, "a").Title, err)
	}
	if _, err := s.Tag(t.Context(), "x", nil, nil); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("error = %v, want %v", err, session.ErrNotFound)
	}
	ids, err := s.IDs(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, ids); diff != "" || err != nil {
		t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
	}
}

func TestScrubGivesRoomBack(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	big := message("1", 1, session.RoleUser, strings.Repeat("a word ", 300_000))
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{big}); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishSession(t.Context(), "a", start.Add(time.Hour), 0, false); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	if got := queryInt(t, path, "PRAGMA freelist_count"); got != 0 {
		t.Errorf("%d pages are free, want 0", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 500_000 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestEntriesAfter(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	all := []*session.Entry{message("1", 1, session.RoleUser, "one"), message("2", 2, session.RoleAssistant, "two"),
		message("3", 3, session.RoleUser, "three")}
	if err := s.SaveEntries(t.Context(), "a", all); err != nil {
		t.Fatal(err)
	}
	got, err := s.EntriesAfter(t.Context(), "a", 1)
	if err != nil || len(got) != 2 || got[0].ID != "2" || got[1].ID != "3" {
		t.Errorf("entries = %v, %v", got, err)
	}
}
