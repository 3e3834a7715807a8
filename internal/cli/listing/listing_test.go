package listing_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func TestShortIDs(t *testing.T) {
	short := listing.NewShortIDs([]string{
		"0199aaaa-2222", "0199aaaa-1111", "0199bbbb-1111", "0199cccc-3-4567", "0199cccc-40199", "f",
	})
	for id, want := range map[string]string{
		"0199aaaa-2222":   "2222",
		"0199aaaa-1111":   "a-1111", // no hyphen at the start
		"0199bbbb-1111":   "b-1111",
		"0199cccc-3-4567": "4567",
		"0199cccc-40199":  "40199", // other ids begin with 0199
		"0199bbbb-3333":   "3333",  // not in the database
		"0199bbbb-2222":   "b-2222",
		"f":               "f",
	} {
		if got := short.Of(id); got != want {
			t.Errorf("Of(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestShortIDsMatchOneSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfDistinct(rapid.StringMatching(`[01]{1,5}-[01]{1,5}`), rapid.ID[string]).Draw(t, "ids")
		short := listing.NewShortIDs(ids)
		for _, id := range ids {
			of := short.Of(id)
			for _, other := range ids {
				matches := session.Matches(other, of)
				if matches != (other == id) && of != id {
					t.Fatalf("%q, short for %q, matches %q: %t", of, id, other, matches)
				}
			}
		}
	})
}

func TestTitle(t *testing.T) {
	command := session.Session{Command: []string{"claude", "-p"}}
	titled := session.Session{Title: "a window", Command: command.Command}
	for _, tt := range []struct {
		info store.Info
		want string
	}{
		{store.Info{Session: titled, Name: "mine", Prompt: "do it"}, "mine"},
		{store.Info{Session: titled, Prompt: "do\n  it"}, "do it"},
		{store.Info{Session: titled, Prompt: "\x1b"}, "a window"},
		{store.Info{Session: command}, "claude -p"},
		{store.Info{}, ""},
	} {
		if got := listing.Title(&tt.info); got != tt.want {
			t.Errorf("Title(%+v) = %q, want %q", tt.info, got, tt.want)
		}
	}
}

func TestDay(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 30, 0, 0, time.UTC) // a Friday
	for at, want := range map[time.Time]string{
		now:                     "today 00:30",
		now.Add(-time.Hour):     "yesterday 23:30",
		now.AddDate(0, 0, -6):   "Sat 00:30",
		now.AddDate(0, 0, -7):   "Fri 13 Nov 00:30",
		now.AddDate(-1, 0, 0):   "2025-11-20",
		now.Add(48 * time.Hour): "Sun 22 Nov 00:30",
	} {
		if got := listing.Day(at, now); got != want {
			t.Errorf("Day(%v) = %q, want %q", at, got, want)
		}
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1500 * time.Millisecond: "2s", 61 * time.Second: "1m01s", time.Hour: "1h00m",
		49*time.Hour + 30*time.Minute: "2d01h",
	} {
		if got := listing.Length(d); got != want {
			t.Errorf("Length(%v) = %q, want %q", d, got, want)
		}
	}
}

// sessions returns one session of each status.
func sessions() []*store.Info {
	failed := 3
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	info := func(id, status string) *store.Info {
		return &store.Info{Session: session.Session{ID: id + "0000000", StartedAt: at, Command: []string{"sh"}},
			Status: status}
	}
	ended, broken := info("a", store.Ended), info("b", store.Ended)
	broken.ExitCode, broken.Tags = &failed, []string{"red"}
	reached, lost, cut, program := info("c", store.Live), info("d", store.Live), info("e", store.Interrupted), info("f",
		store.Live)
	program.Process = "p1"
	return []*store.Info{ended, broken, reached, lost, cut, program}
}

var sockets = map[string]string{"c0000000": "/run/c.sock"}

func TestTable(t *testing.T) {
	infos := sessions()
	table := listing.Table(infos, sockets, listing.NewShortIDs(nil), infos[0].StartedAt, true)
	var status, titles []string
	for _, row := range table.Rows {
		titles, status = append(titles, row[5].Text), append(status, row[8].Text)
	}
	if diff := cmp.Diff([]string{"", "failed (3)", "live", "live, unreachable", "interrupted", "live"},
		status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if titles[0] != "sh" || titles[1] != "[red] sh" {
		t.Errorf("titles = %q", titles)
	}
}

func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	if err := listing.WriteJSON(&b, sessions(), sockets, nil); err != nil {
		t.Fatal(err)
	}
	var items []store.Overview
	if err := json.Unmarshal(b.Bytes(), &items); err != nil {
		t.Fatal(err)
	}
	var joinable []string
	for _, it := range items {
		if it.Joinable {
			joinable = append(joinable, it.ID[:1])
		}
	}
	if got := strings.Join(joinable, ""); got != "cf" {
		t.Errorf("%s can be joined, want cf", got)
	}
}

// What nobody has read yet has no count, which is not the same as nothing.
func TestCountsOfUnread(t *testing.T) {
	var b bytes.Buffer
	infos := []*store.Info{
		{Session: session.Session{ID: "a"}, Status: store.Ended, Unread: true},
		{Session: session.Session{ID: "b"}, Status: store.Ended},
		{Session: session.Session{ID: "c"}, Status: store.Ended, Unread: true, Messages: 3, Turns: 1},
		{Session: session.Session{ID: "d"}, Status: store.Live, Unread: true},
	}
	if err := listing.WriteJSON(&b, infos, nil, nil); err != nil {
		t.Fatal(err)
	}
	var items []map[string]any
	if err := json.Unmarshal(b.Bytes(), &items); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]any{{nil, nil}, {0., 0.}, {3., 1.}, {0., 0.}} {
		messages, there := items[i]["messages"]
		if got := [2]any{messages, items[i]["turns"]}; got != want || !there {
			t.Errorf("%v has the counts %v, want %v", items[i]["id"], got, want)
		}
	}
}

func TestHits(t *testing.T) {
	infos := sessions()
	h := &listing.Hits{
		Sessions: []*store.LabelHit{{Session: infos[0], Snippet: store.Snippet{Text: "a cache", Marks: [][2]int{{2, 7}}}}},
		Entries: []*store.Hit{{
			Session: infos[1], Snippet: store.Snippet{Text: "the cache is cold", Marks: [][2]int{{4, 9}}},
			Entry: &session.Entry{Seq: 12, Role: session.RoleAssistant, Agent: "claude", Text: "the cache is cold",
				At: infos[1].StartedAt},
		}},
		IDs: listing.NewShortIDs([]string{"a0000000", "b0000000"}),
	}
	at := infos[0].StartedAt.Local().Format("2006-01-02 15:04")
	want := "a0000000  " + at + "  session\n    a [cache]\nb0000000#12  " + at +
		"  claude  in sh\n    the [cache] is cold\n"
	if diff := cmp.Diff(want, h.Text(listing.HitsLook{})); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	narrow := h.Text(listing.HitsLook{Style: true, Width: 14, Named: true, Now: infos[0].StartedAt})
	if !strings.Contains(narrow, "the \x1b[1;31mcache\x1b[m\n    is cold\n") ||
		!strings.Contains(narrow, cli.Style(true).Paint(cli.Yellow, "b0000000#12")) {
		t.Errorf("in 14 columns:\n%q", narrow)
	}
	var b bytes.Buffer
	var items []struct {
		Ref   string
		Marks [][2]int
		Entry *session.Entry
	}
	if err := h.WriteJSON(&b, nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &items); err != nil || len(items) != h.Len() {
		t.Fatalf("%v: %s", err, b.Bytes())
	}
	if items[0].Ref != "a0000000" || items[0].Entry != nil || items[1].Ref != "b0000000#12" ||
		items[1].Marks[0] != [2]int{4, 9} {
		t.Errorf("JSON: %+v", items)
	}
}

func TestGitInWords(t *testing.T) {
	yes, no := true, false
	id := strings.Repeat("1b83acd6", 5)
	for _, tt := range []struct {
		git  *session.Git
		want string
	}{
		{nil, ""},
		{&session.Git{}, ""},
		{&session.Git{Start: &session.GitState{Branch: "main"}}, "main without commits"},
		{&session.Git{Start: &session.GitState{Commit: id, Dirty: &yes}}, "detached 1b83acd6 dirty"},
		{&session.Git{Start: &session.GitState{Branch: "main", Commit: id, Dirty: &no},
			End: &session.GitState{Branch: "main", Commit: id}}, "main 1b83acd6"},
		{&session.Git{End: &session.GitState{Branch: "main", Commit: "x"}}, "main x"},
		{
			&session.Git{Start: &session.GitState{Branch: "main"},
				End: &session.GitState{Branch: "a\x1b[31m\nb", Commit: "é" + id}, Commits: []string{id, id}},
			"main without commits → a[31m b é1b83ac (2 commits)",
		},
	} {
		if got := listing.Git(tt.git); got != tt.want {
			t.Errorf("Git(%+v) = %q, want %q", tt.git, got, tt.want)
		}
	}
}
