package team_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/store"
)

// A link to a session that was sent, by the name that the server has for it; revoked, it is void.
func TestShareALink(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, t.TempDir()+"/a.db", work)
	first := record(t, m.Store, "/home/ann/work", "first")
	if _, err := m.Share(t.Context(), first.ID, time.Hour, false); !errors.Is(err, team.ErrNotSent) {
		t.Errorf("before it was sent: %v", err)
	}
	info, err := m.Store.Find(t.Context(), first.ID)
	check(t, err)
	if sent, err := m.Sent(t.Context(), info); sent || err != nil {
		t.Errorf("sent %t, %v", sent, err)
	}
	check(t, m.Send(t.Context(), info))
	if sent, err := m.Sent(t.Context(), info); !sent || err != nil {
		t.Errorf("sent %t, %v", sent, err)
	}
	link, err := m.Share(t.Context(), first.ID, time.Hour, true)
	check(t, err)
	if !strings.HasPrefix(link.URL, s.url+"/l/") || !link.Anyone || time.Until(link.Expires) > time.Hour ||
		time.Until(link.Expires) < 0 {
		t.Errorf("%+v", link)
	}
	_, err = m.Share(t.Context(), first.ID, time.Hour, false)
	check(t, err)
	if n, err := m.Revoke(t.Context(), first.ID); n != 2 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if _, err := m.Share(t.Context(), first.ID, 1000*24*time.Hour, false); err == nil {
		t.Error("a link for 1000 days")
	}
	check(t, m.Store.Rename(t.Context(), first.ID, "renamed"))
	info, err = m.Store.Find(t.Context(), first.ID)
	check(t, err)
	if sent, err := m.Sent(t.Context(), info); sent || err != nil {
		t.Errorf("after it was renamed: sent %t, %v", sent, err)
	}
}

// What a server answers as the path of a link is printed only if it is one.
func TestHostileLinkIsNotPrinted(t *testing.T) {
	answer := ""
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = w.Write([]byte(answer))
	}))
	defer evil.Close()
	s := &site{url: evil.URL, token: "ptr_x"}
	m := s.machine(t, t.TempDir()+"/a.db", work)
	sess := record(t, m.Store, "/home/ann/work", "first")
	check(t, m.Store.SavePush(t.Context(), sess.ID, store.Push{Server: m.Server.URL(), Remote: sess.ID}))
	for _, answer = range []string{
		`{"path": "/l/\u001b[2J"}`, `{"path": "https://evil.example/l/aaaaaaaaaaaaaaaaaaaaaaaaaa"}`,
		`{"path": "//evil.example/aaaaaaaaaaaaaaaa"}`, `{"path": "/l/aaaaaaaaaaaaaaaaaaaaaaaaaa\n"}`,
		`{"path": "/l/aaaaaaaaaaaaaaaaaaaaaaaaaa", "anyone": true}`, `{}`, `[]`, ``,
	} {
		if link, err := m.Share(t.Context(), sess.ID, time.Hour, false); err == nil {
			t.Errorf("%s: %+v", answer, link)
		}
	}
	answer = `{"path": "/l/aaaaaaaaaaaaaaaaaaaaaaaaaa"}`
	if link, err := m.Share(t.Context(), sess.ID, time.Hour, false); err != nil ||
		link.URL != evil.URL+"/l/aaaaaaaaaaaaaaaaaaaaaaaaaa" {
		t.Errorf("%+v, %v", link, err)
	}
}
