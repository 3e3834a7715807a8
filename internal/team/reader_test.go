package team_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

var _ store.Reader = (*team.Reader)(nil)

// readerOf returns what reads the server with a token.
func readerOf(t *testing.T, url, token string) *team.Reader {
	t.Helper()
	server, err := team.NewServer(url, token)
	check(t, err)
	return team.NewReader(server, "/home/ann")
}

// What is read over HTTP is what the server's database has: sessions, conversations, raw logs with
// times, hits and usage. Others see nothing of it.
func TestReaderOverHTTP(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, t.TempDir()+"/a.db", work)
	whole := record(t, m.Store, "/home/ann/work", "large one")
	m.Rules.Raw = false
	said := record(t, m.Store, "/home/ann/work/api", "without a raw log")
	m.Rules.Raw = true
	for _, id := range []string{whole.ID, said.ID} {
		m.Rules.Raw = id == whole.ID
		info, err := m.Store.Find(t.Context(), id)
		check(t, err)
		check(t, m.Send(t.Context(), info))
	}
	r := readerOf(t, s.url, s.token)
	for name, f := range map[string]store.Filter{"all": {}, "one": {Limit: 1}, "folder": {Cwd: "/home/ann/work/api"},
		"agent": {Agent: "claude"}, "no agent": {Agent: "codex"}, "owner": {Owner: "ann"}, "no owner": {Owner: "bob"},
		"space": {Space: "shop"}, "no space": {Space: "none"}, "until": {Until: time.Unix(1, 0)}, "unread": {Unread: true},
		"live": {Live: true}} {
		got, err := r.Sessions(t.Context(), f)
		check(t, err)
		if f.Cwd != "" {
			f.Cwd = "~/work/api"
		}
		want, err := s.db.Sessions(s.ctx, f)
		check(t, err)
		if diff := cmp.Diff(described(want), described(got)); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
	for _, id := range []string{whole.ID, said.ID} {
		info, err := r.Find(t.Context(), id[:20])
		if id == said.ID || err != nil {
			info, err = r.Find(t.Context(), id)
		}
		check(t, err)
		here, err := s.db.Find(s.ctx, id)
		check(t, err)
		got, err := (&library.Library{Store: r}).Transcript(t.Context(), info)
		check(t, err)
		want, err := (&library.Library{Store: s.db}).Transcript(s.ctx, here)
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" || len(got.Entries) == 0 {
			t.Errorf("%d entries (-want +got): %s", len(got.Entries), diff)
		}
		for _, from := range []store.From{{}, {Event: 2}, {At: 5 * time.Second}, {Offset: 400_000}} {
			if diff := cmp.Diff(eventsOf(t, func(yield func(session.Event, error) bool) {
				s.db.EventsFrom(s.ctx, id,
					from)(yield)
			}),
				eventsOf(t, func(yield func(session.Event, error) bool) {
					r.EventsFrom(t.Context(), id,
						from)(yield)
				})); diff != "" {
				t.Errorf("%s from %+v (-want +got): %.500s", id, from, diff)
			}
		}
		if recorded := id == whole.ID; info.Recorded() != recorded {
			t.Errorf("recorded: %t", info.Recorded())
		}
	}
	if _, err := (&library.Library{Store: r}).Playback(t.Context(), mustFind(t, r, said.ID),
		archive.Ref{}); !errors.Is(err, session.ErrNoRecording) {
		t.Errorf("a session without a raw log is played: %v", err)
	}
	labels, hits, err := (&library.Library{Store: r}).Search(t.Context(),
		store.Query{Text: "large", Filter: store.Filter{Limit: 5}})
	if err != nil || len(labels)+len(hits) == 0 || len(hits) > 0 && hits[0].Session.ID != whole.ID {
		t.Errorf("%d, %d hits, %v", len(labels), len(hits), err)
	}
	ids, err := r.IDs(t.Context())
	check(t, err)
	if short := listing.NewShortIDs(ids).Of(whole.ID); len(short) < 4 || !strings.HasSuffix(whole.ID, short) {
		t.Errorf("the short id of %s is %q", whole.ID, short)
	}
	used, err := r.Usage(t.Context(), store.Filter{})
	check(t, err)
	want, err := s.db.Usage(s.ctx, store.Filter{})
	check(t, err)
	if diff := cmp.Diff(want, used); diff != "" {
		t.Errorf("usage (-want +got): %s", diff)
	}
	if _, err := r.Find(t.Context(), "last"); err != nil {
		t.Errorf("last: %v", err)
	}
	for _, ref := range []string{"none", "", "../info", whole.ID + "x", "LAST"} {
		if _, err := r.Find(t.Context(), ref); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	s.asOther(t, whole.ID)
}

// asOther makes sure of what somebody reads who may read nothing.
func (s *site) asOther(t *testing.T, id string) {
	t.Helper()
	operator := postgres.As(t.Context(), postgres.Viewer{Operator: true})
	check(t, s.db.AddUser(operator, "bob", postgres.RoleMember))
	token, err := s.db.AddToken(operator, postgres.NewToken{User: "bob", Kind: postgres.KindUser})
	check(t, err)
	r := readerOf(t, s.url, token)
	infos, err := r.Sessions(t.Context(), store.Filter{})
	check(t, err)
	used, err := r.UsageOf(t.Context(), []string{id})
	check(t, err)
	labels, hits, err := r.SearchAll(t.Context(), store.Query{Text: "large"})
	check(t, err)
	if len(infos)+len(used)+len(labels)+len(hits) > 0 {
		t.Errorf("bob reads %d sessions, usage %d, %d and %d hits", len(infos), len(used), len(labels), len(hits))
	}
	if _, err := r.EntriesAfter(t.Context(), id, 0); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("entries: %v", err)
	}
	for _, err := range r.EventsFrom(t.Context(), id, store.From{}) {
		if !errors.Is(err, session.ErrNotFound) {
			t.Errorf("raw log: %v", err)
		}
	}
	if _, err := readerOf(t, s.url, "ptr_"+strings.Repeat("a", 32)).Sessions(t.Context(), store.Filter{}); err == nil {
		t.Error("a token that is not valid reads")
	}
}

func mustFind(t *testing.T, r *team.Reader, ref string) *store.Info {
	t.Helper()
	info, err := r.Find(t.Context(), ref)
	check(t, err)
	return info
}

// described returns sessions as JSON has them, which times and unexported fields do not disturb.
func described(infos []*store.Info) (out []string) {
	for _, i := range infos {
		o := i.Overview()
		out = append(out, fmt.Sprintf("%s %s %q %q %v %d %d %d %g %s %s %v", o.ID, o.Status, o.Title, o.Cwd, o.Command,
			o.Messages, o.RawBytes, o.StoredBytes, o.Duration, o.Owner, o.Space, o.StartedAt.UTC()))
	}
	return out
}

func eventsOf(t *testing.T, all func(yield func(session.Event, error) bool)) (out []string) {
	t.Helper()
	all(func(e session.Event, err error) bool {
		check(t, err)
		out = append(out, fmt.Sprintf("%v %v %d bytes %.20q", e.At, e.Kind, len(e.Data), e.Data))
		return true
	})
	return out
}

// A hostile server brings nothing down: it is an error, at once.
func TestHostileServerIsAnError(t *testing.T) {
	answers := map[string]string{}
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for end, answer := range answers {
			if strings.HasSuffix(r.URL.Path, end) {
				_, _ = w.Write([]byte(answer))
				return
			}
		}
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	}))
	defer evil.Close()
	r := readerOf(t, evil.URL, "ptr_x")
	one := func(more string) string {
		return `{"id": "019aa000-0000-7000-8000-000000000001", "command": [], "agents": [], "cols": 80, "rows": 24` + more +
			`}`
	}
	lists := func() error { _, err := r.Sessions(t.Context(), store.Filter{}); return err }
	finds := func() error { _, err := r.Find(t.Context(), "last"); return err }
	says := func() error { _, err := r.EntriesAfter(t.Context(), "x", 0); return err }
	plays := func() (err error) {
		for _, err := range r.EventsFrom(t.Context(), "x", store.From{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		path, answer string
		call         func() error
	}{
		"a redirect":             {"/none", "", lists},
		"no JSON":                {"/sessions", "<html>", lists},
		"a list without an end":  {"/sessions", `{"sessions": [], "next": "x"}`, lists},
		"an id of control codes": {"/sessions", `{"sessions": [{"id": "\u001b[2J"}]}`, lists},
		"a window of 10^9 cells": {"/last", strings.Replace(one(""), `"cols": 80`, `"cols": 1000000000`, 1), finds},
		"a negative window":      {"/last", strings.Replace(one(""), `"rows": 24`, `"rows": -1`, 1), finds},
		"entries without an end": {"/entries", `{"entries": [{"id": "e", "seq": 0}], "start": 0, "total": 9}`, says},
		"entries without order": {"/entries", `{"entries": [{"id": "e", "seq": 2}, {"id": "f", "seq": 1}], "total": 2}`,
			says},
		"an entry that is null":   {"/entries", `{"entries": [null], "total": 1}`, says},
		"a raw log that is short": {"/segments", "\x00\x00", plays},
		"a raw log that is cut":   {"/segments", "\xff\xff\xff\xffx", plays},
		"a segment of nothing":    {"/segments", "\x00\x00\x00\x00", plays},
		"a segment of noise":      {"/segments", "\x00\x00\x00\x05\x01abcd", plays},
	} {
		clear(answers)
		answers[c.path] = c.answer
		if err := c.call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	clear(answers)
	answers["/search"] = `{"hits": [{"session": ` + one("") +
		`, "entry": {"id": "e", "seq": 1}, "snippet": "abc", "marks": [[1, 2], [0, 1], [2, 99]]}, {"session": ` + one("") +
		`, "snippet": "abc", "marks": [[-1, 2]]}]}`
	labels, hits, err := r.SearchAll(t.Context(), store.Query{Text: "x"})
	if err != nil || len(labels) != 1 || len(hits) != 1 || len(hits[0].Snippet.Marks) != 1 ||
		len(labels[0].Snippet.Marks) != 0 {
		t.Errorf("%+v, %+v, %v", labels, hits, err)
	}
	if _, _, err := r.SearchAll(t.Context(), store.Query{Text: "x", Filter: store.Filter{Limit: 1}}); err == nil {
		t.Error("more hits than were asked for")
	}
	answers["/last"] = one(`, "status": "live", "process": "p", "duration": 1e300, "raw_bytes": -5`)
	if info := mustFind(t, r, "last"); info.Process != "" || info.Duration != 0 || info.RawBytes != 0 ||
		info.Recorded() || info.Unread {
		t.Errorf("%+v", info)
	}
}
