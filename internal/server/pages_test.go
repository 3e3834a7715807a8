//go:build linux

package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Titles, notes and tags were searched by ptyrec search alone.
func TestSearchLabels(t *testing.T) {
	s := newSite(t, nil)
	at := time.Now().UTC().Truncate(time.Second)
	for _, id := range []string{"a", "b"} {
		if err := s.db.CreateSession(t.Context(),
			&session.Session{ID: id, StartedAt: at, EndedAt: &at, Cols: 80, Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	e := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "fix the cache",
		Status: session.StatusComplete}
	if err := s.db.SaveEntries(t.Context(), "a", []*session.Entry{e}); err != nil {
		t.Fatal(err)
	}
	if err := s.db.SetNote(t.Context(), "b", "the cache was cold"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"q=cache": "b# a#1 ", "q=cold": "b# ", "q=cache&role=user": "a#1 ",
		"q=cache&session=b": ""} {
		var found struct {
			Hits []struct {
				Session struct{ ID string }
				Entry   struct{ Seq int }
				Snippet string
				Marks   [][2]int
			}
		}
		s.get("/api/search?"+query, &found)
		got := ""
		for _, h := range found.Hits {
			if got += strings.Replace(fmt.Sprintf("%s#%d ", h.Session.ID, h.Entry.Seq), "#0", "#", 1); len(h.Marks) != 1 ||
				h.Snippet == "" {
				t.Errorf("%s: hit %+v", query, h)
			}
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", query, got, want)
		}
	}
}

// Of 144 sessions that began in one second, the second page of three was empty.
func TestSessionsOfOneSecond(t *testing.T) {
	s := newSite(t, nil)
	at := time.Now().UTC().Truncate(time.Second)
	for i := range 50 {
		if err := s.db.CreateSession(t.Context(),
			&session.Session{ID: fmt.Sprintf("s%02d", i), StartedAt: at, EndedAt: &at, Cols: 80, Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for cursor, pages := "", 0; ; pages++ {
		var page struct {
			Sessions []struct{ ID string }
			Total    int
			Next     string
		}
		s.get("/api/sessions?limit=3&cursor="+cursor, &page)
		for _, one := range page.Sessions {
			if seen[one.ID] {
				t.Errorf("%s came twice", one.ID)
			}
			seen[one.ID] = true
		}
		if page.Total != 50 {
			t.Errorf("total = %d", page.Total)
		}
		if cursor = page.Next; cursor == "" || pages > 50 {
			break
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d sessions came, want 50", len(seen))
	}
}

// A page of the conversation says where it is, and what comes before and after it.
func TestEntriesAroundATarget(t *testing.T) {
	s := newSite(t, nil)
	info, _ := s.recorded()
	type page struct {
		Entries        []*session.Entry
		Start, Total   int
		Next, Previous int
	}
	var all, around, before, after, last page
	s.get("/api/sessions/"+info.ID+"/entries?limit=1000", &all)
	n := len(all.Entries)
	if n < 5 || all.Total != n || all.Start != 0 || all.Next != 0 || all.Previous != 0 {
		t.Fatalf("all = %d entries, %+v", n, all)
	}
	target := all.Entries[n/2].Seq
	s.get(fmt.Sprintf("/api/sessions/%s/entries?around=%d&limit=3", info.ID, target), &around)
	if len(around.Entries) != 3 || around.Entries[1].Seq != target || around.Start != n/2-1 || around.Total != n {
		t.Errorf("around = %+v", around)
	}
	s.get(fmt.Sprintf("/api/sessions/%s/entries?before=%d&limit=1000", info.ID, around.Previous), &before)
	s.get(fmt.Sprintf("/api/sessions/%s/entries?since=%d&limit=1000", info.ID, around.Next), &after)
	if len(before.Entries)+3+len(after.Entries) != n || before.Previous != 0 || after.Next != 0 {
		t.Errorf("%d entries before, %d after, of %d", len(before.Entries), len(after.Entries), n)
	}
	s.get("/api/sessions/"+info.ID+"/entries?before=end&limit=1", &last)
	if len(last.Entries) != 1 || last.Entries[0].Seq != all.Entries[n-1].Seq || last.Next != 0 || last.Previous == 0 {
		t.Errorf("the last page = %+v", last)
	}
	if resp, body := s.do("GET", "/api/sessions/"+info.ID+"/entries?around=2&before=3",
		""); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("around and before: %s %s", resp.Status, body)
	}
}

// A session is deleted by its whole id, by those who may write, and only when it is over. Whoever
// watches is told.
func TestDeleteAndLabel(t *testing.T) {
	s := newSite(t, nil)
	info, _ := s.recorded()
	live := s.host(80, 24)
	for _, c := range []struct {
		id     string
		header []string
		status int
	}{
		{info.ID, []string{"Origin", "http://evil.example"}, 403},
		{info.ID, []string{"Authorization", ""}, 401},
		{info.ID[:35], nil, 400},
		{"last", nil, 400},
		{live.id, nil, 409},
		{"zzz", nil, 404},
	} {
		if resp, body := s.do("DELETE", "/api/sessions/"+c.id, "", c.header...); resp.StatusCode != c.status {
			t.Errorf("%s %v: %s %s, want %d", c.id, c.header, resp.Status, body, c.status)
		}
	}
	for _, tag := range []string{"", "two words", "a,b", "\u001b[31m", string(make([]byte, 100))} {
		body := fmt.Sprintf(`{"add_tags":[%q]}`, tag)
		if resp, text := s.do("PATCH", "/api/sessions/"+info.ID, body); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("tag %q: %s %s", tag, resp.Status, text)
		}
	}
	stage := 0
	got := s.events(t, "/api/events", "", func(e sse) bool {
		switch {
		case stage == 0:
			stage++
			if resp, body := s.do("PATCH", "/api/sessions/"+info.ID,
				`{"name":"A name","add_tags":["work"]}`); resp.StatusCode != http.StatusOK {
				t.Errorf("%s %s", resp.Status, body)
			}
		case stage == 1 && e.name == "session" && strings.Contains(e.data, "A name"):
			stage++
			if resp, body := s.do("DELETE", "/api/sessions/"+info.ID, ""); resp.StatusCode != http.StatusNoContent {
				t.Errorf("%s %s", resp.Status, body)
			}
		}
		return e.name == "removed" && strings.Contains(e.data, info.ID)
	})
	if stage != 2 {
		t.Errorf("stage %d: %s", stage, names(got))
	}
	if left, err := s.db.Sessions(t.Context(), store.Filter{}); err != nil || len(left) != 1 || left[0].ID != live.id {
		t.Errorf("what is left: %v, %v", left, err)
	}
}
