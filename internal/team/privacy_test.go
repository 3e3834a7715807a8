package team_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Secrets of the form of keys, one for each place in which they are planted.
const (
	drawnToken   = "ghp_Zk3vQ9mT1xW7bN5cR8yL2pD6fH4jS0aGuE1i"
	cutToken     = "ghp_Qw8eR2tY6uI1oP5aS9dF3gH7jK0lZ4xC8vB2"
	commandToken = "ghp_Mn7bV3cX9zL1kJ5hG2fD8sA4pO6iU0yT3rE7"
	saidToken    = "ghp_Po9iU7yT5rE3wQ1aS2dF4gH6jK8lM0nB1vC3"
)

// said has what an output showed, without how, and without the ends of lines.
func said(raw []byte) string {
	shown := regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07`).ReplaceAll(raw, nil)
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(string(shown))
}

// No planted secret leaves the machine, also one that is cut by a line's end, drawn cell by cell or
// in the command line, and the home folder is ~ wherever it is shown or said.
func TestPlantedSecretsAreNotSent(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	begun := time.Now().Add(-time.Hour).UTC()
	ended := begun.Add(time.Minute)
	info := &session.Session{ID: store.NewID(), Command: []string{"deploy", "--token", commandToken, "/home/ann/work/x"},
		Cwd: "/home/ann/work", Title: "in /home/ann/work", StartedAt: begun, EndedAt: &ended, Cols: 80, Rows: 24}
	rec := store.NewRecording(80, 24)
	write := func(text string) { rec.Write(session.Event{Kind: session.Output, Data: []byte(text)}) }
	write("\x1b]7;file://host/home/ann/work\x07/home/ann/work$ ls /home/anna /home/a")
	write("nn\r\n\x1b[2J")
	for i, c := range drawnToken {
		write(fmt.Sprintf("\x1b[5;%dH%c", i+1, c))
	}
	write("\x1b[10;1H" + strings.Repeat("x", 59) + " " + cutToken[:20] + "\r\n" + cutToken[20:] + "\r\nexport TOKEN=" +
		saidToken + "\r\n")
	rec.Write(session.Event{At: time.Second, Kind: session.Input, Data: []byte("typed-password")})
	said2 := "see /home/ann/work, /home/ann. Not /home/anna, and " + saidToken
	entries := []*session.Entry{{ID: "a", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: said2,
		Markdown: said2, At: begun, Status: session.StatusComplete, Output: "/home/ann/out",
		Tool: &session.Tool{Name: "Read", Input: "/home/ann/in",
			Output: "/home/ann/x"}, Details: session.Details{Cwd: "/home/ann/work"}}}
	check(t, m.Store.Import(t.Context(), info, rec, entries))
	check(t, m.Store.Rename(t.Context(), info.ID, "of /home/ann/work"))
	if n := all(t, m); n != 1 {
		t.Fatalf("%d were sent", n)
	}
	var there bytes.Buffer
	for e, err := range s.db.EventsFrom(s.ctx, info.ID, store.From{}) {
		check(t, err)
		there.Write(e.Data)
	}
	for name, text := range map[string]string{"what was sent": s.seen(), "the raw log there": there.String(),
		"what it shows": said(there.Bytes())} {
		for _, secret := range []string{drawnToken, cutToken, commandToken, saidToken, drawnToken[8:24], cutToken[:20],
			cutToken[20:], "typed-password", "/home/ann/", "/home/ann\""} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
	}
	if shown := said(there.Bytes()); !strings.Contains(shown, "~~~~~~~~~/work$ ls /home/anna ~~~~~~~~~") {
		t.Errorf("shown: %q", shown)
	}
	got, err := s.db.Find(s.ctx, info.ID)
	check(t, err)
	list, err := s.db.EntriesAfter(s.ctx, info.ID, 0)
	if err != nil || got.Name != "of ~/work" || got.Command[3] != "~/work/x" || len(list) != 1 ||
		!strings.HasPrefix(list[0].Text, "see ~/work, ~. Not /home/anna, and ") || list[0].Output != "~/out" ||
		list[0].Tool.Input != "~/in" || list[0].Tool.Output != "~/x" || list[0].Cwd != "~/work" {
		t.Errorf("%+v, %+v, %v", got, list, err)
	}
	raw, err := m.Store.Find(t.Context(), info.ID)
	check(t, err)
	if raw.RawBytes != int64(there.Len()) {
		t.Errorf("%d bytes there, %d here", there.Len(), raw.RawBytes)
	}
}

// counted counts the readings of raw logs from their beginning.
type counted struct {
	*sqlite.Store
	readings int
}

func (c *counted) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	c.readings++
	return c.Store.EventsFrom(ctx, id, from)
}

func TestSendingReadsTheRawLogThreeTimesAtMost(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	record(t, m.Store, "/home/ann/work", "with export TOKEN="+saidToken)
	db := &counted{Store: m.Store}
	m.Library.Store = db
	if n := all(t, m); n != 1 || db.readings == 0 || db.readings > 3 {
		t.Errorf("%d sent after %d readings", n, db.readings)
	}
	if strings.Contains(s.seen(), saidToken) {
		t.Error("the secret was sent")
	}
}

// Tags, and facts about a session that come from programs and git, are sent without secrets and
// without the home folder.
func TestSecretsInTagsAndDescriptions(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	begun := time.Now().Add(-time.Hour).UTC()
	ended := begun.Add(time.Minute)
	branch := &session.GitState{Branch: "fix/" + saidToken}
	info := &session.Session{
		ID: store.NewID(), Command: []string{"make"}, Cwd: "/home/ann/work", StartedAt: begun, EndedAt: &ended, Cols: 80,
		Rows: 24,
		Git:  &session.Git{Start: branch, End: branch}, Sandbox: "box-" + cutToken, Process: "p-" + cutToken,
		Asked: &session.Asked{By: "Bot/1 " + commandToken, Shell: drawnToken},
	}
	rec := store.NewRecording(80, 24)
	rec.Write(session.Event{Kind: session.Output, Data: []byte("done")})
	check(t, m.Store.Import(t.Context(), info, rec, nil))
	long := strings.Repeat("x", 41) + "_password=Hun7er!2" // with the mark it is too long for a tag
	for _, tag := range []string{drawnToken, "use:" + cutToken, long, "/home/ann/work", "cache"} {
		check(t, store.CheckTag(tag))
		_, err := m.Store.Tag(t.Context(), info.ID, []string{tag}, nil)
		check(t, err)
	}
	if n := all(t, m); n != 1 {
		t.Fatalf("%d were sent", n)
	}
	for _, secret := range []string{drawnToken, cutToken, commandToken, saidToken, "Hun7er", "/home/ann"} {
		if strings.Contains(s.seen(), secret) {
			t.Errorf("%q was sent", secret)
		}
	}
	got, err := s.db.Find(s.ctx, info.ID)
	check(t, err)
	want := []string{"[redacted:github-pat]", "cache", "use:[redacted:github-pat]",
		strings.Repeat("x", 41) + "_password=[redacted:pa…", "~/work"}
	if diff := cmp.Diff(want, got.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

// What is private is never sent, nor what continues it, nor what continues what is never sent.
func TestPrivateSessionsAreNotSent(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), team.Rules{All: true})
	add := func(text string, private bool, continues string) *session.Session {
		begun := time.Now().Add(-time.Hour).UTC()
		ended := begun.Add(time.Minute)
		info := &session.Session{ID: store.NewID(), Command: []string{text}, Cwd: "/x", StartedAt: begun, EndedAt: &ended,
			Cols: 80, Rows: 24, Private: private, Continues: continues}
		rec := store.NewRecording(80, 24)
		rec.Write(session.Event{Kind: session.Output, Data: []byte(text)})
		check(t, m.Store.Import(t.Context(), info, rec, nil))
		return info
	}
	private := add("hidden-1", true, "")
	add("hidden-2", false, add("hidden-3", false, private.ID).ID)
	never := add("hidden-4", false, "")
	add("hidden-5", false, never.ID)
	check(t, team.Never(t.Context(), m.Store, never.ID))
	add("open-1", false, add("open-2", false, store.NewID()).ID)
	if n := all(t, m); n != 2 {
		t.Errorf("%d were sent", n)
	}
	infos, err := m.Store.Sessions(t.Context(), store.Filter{})
	check(t, err)
	for _, info := range infos {
		if err := m.Send(t.Context(), info); strings.HasPrefix(info.Command[0], "hidden") == (err == nil) {
			t.Errorf("%s: %v", info.Command, err)
		}
	}
	if strings.Contains(s.seen(), "hidden") {
		t.Error("something private was sent")
	}
}

// After a change only what has changed is sent again. A change that leaves all counts and sizes is
// noticed, too.
func TestOnlyChangesAreSent(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "cache")
	var entries []*session.Entry
	for i := range 200 {
		text := fmt.Sprintf("entry number %d", i)
		entries = append(entries, &session.Entry{ID: fmt.Sprint("n", i), Seq: i + 10, Type: session.TypeMessage,
			Role: session.RoleAssistant, Text: text, Markdown: text})
	}
	check(t, m.Store.SaveEntries(t.Context(), one.ID, entries))
	all(t, m)
	s.same(t, m, one.ID, one.ID)
	s.mu.Lock()
	s.sent.Reset()
	s.mu.Unlock()
	changed := *entries[7]
	changed.Text, changed.Markdown = "Entry Number 7", "Entry Number 7"
	check(t, m.Store.SaveEntries(t.Context(), one.ID, []*session.Entry{&changed}, "n9"))
	if n := all(t, m); n != 1 {
		t.Errorf("%d were sent", n)
	}
	s.same(t, m, one.ID, one.ID)
	changed.Text, changed.Markdown = "ENTRY NUMBER 7", "ENTRY NUMBER 7" // the counts are the same
	check(t, m.Store.SaveEntries(t.Context(), one.ID, []*session.Entry{&changed}))
	if n := all(t, m); n != 1 {
		t.Errorf("%d were sent", n)
	}
	s.same(t, m, one.ID, one.ID)
	if sent := s.seen(); strings.Contains(sent, "number 8") || !strings.Contains(sent, "Entry Number 7") ||
		!strings.Contains(sent, "ENTRY NUMBER 7") || !strings.Contains(sent, `"gone":["n9"]`) {
		t.Errorf("%s", sent)
	}
	if n := all(t, m); n != 0 {
		t.Errorf("%d were sent", n)
	}
	large := *entries[0]
	large.Text = strings.Repeat("large ", 1<<20)
	large.Markdown = large.Text
	check(t, m.Store.SaveEntries(t.Context(), one.ID, []*session.Entry{&large}))
	all(t, m)
	list, err := s.db.EntriesAfter(s.ctx, one.ID, 0)
	check(t, err)
	for _, e := range list {
		if e.ID == large.ID && (!e.Truncated || len(e.Text) < 500_000) {
			t.Errorf("truncated %t, %d bytes", e.Truncated, len(e.Text))
		}
	}
}
