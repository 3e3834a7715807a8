package archive_test

import (
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
)

func TestPartOfATranscript(t *testing.T) {
	start := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	tr := &session.Transcript{Session: session.Session{ID: "a", StartedAt: start, Command: []string{"claude", "x"},
		Git: &session.Git{}}}
	for i, role := range []string{session.RoleUser, session.RoleAssistant, session.RoleTool, "", session.RoleUser,
		session.RoleAssistant} {
		e := &session.Entry{Seq: i + 1, Type: session.TypeMessage, Role: role, Text: role,
			At: start.Add(time.Duration(i) * time.Minute)}
		if role == "" {
			e.Type, e.Event = session.TypeEvent, session.EventIdle
		}
		tr.Entries = append(tr.Entries, e)
	}
	for _, tt := range []struct {
		ref, from, to, only string
		want                string // the numbers of the entries; "!" for an error
	}{
		{"a", "", "", "", "123456"},
		{"a", "3", "", "", "3456"},
		{"a", "#3", "5", "", "345"},
		{"a", "", "2", "", "12"},
		{"a", "90s", "", "", "3456"},
		{"a", "1:30", "4:00", "", "345"},
		{"a", "0:01:30", "240.0", "", "345"},
		{"a", "1m30s", "4m", "", "345"},
		{"a", "2026-11-20T14:02:00Z", "2026-11-20T15:03:00+01:00", "", "34"},
		{"a", "2", "2m30s", "", "23"},
		{"a", "", "1m", "", "12"},
		{"a", "", "", "prompts", "15"},
		{"a", "", "", "prompts,replies", "1256"},
		{"a", "", "", "reply, tool", "236"},
		{"a", "2", "5", "prompts", "5"},
		{"a", "", "", "shell", ""},
		{"a#2..#3", "", "", "tools", "3"},
		{"a#2", "3", "", "", "!"},
		{"a", "5", "2", "", "!"},
		{"a", "5m", "1m", "", "!"},
		{"a", "1h", "", "", "!"},
		{"a", "9", "", "", "!"},
		{"a", "soon", "", "", "!"},
		{"a", "-1s", "", "", "!"},
		{"a", "1:90", "", "", "!"},
		{"a", "1:2:3:4", "", "", "!"},
		{"a", "NaN", "", "", "!"},
		{"a", "0", "", "", "123456"}, // the start
		{"a", "", "", "everything", "!"},
		{"a", "", "", ",", "!"},
	} {
		got, err := func() (string, error) {
			r, err := archive.ParseRef(tt.ref)
			if err != nil {
				return "", err
			}
			if r, err = r.Part(tt.from, tt.to, tt.only); err != nil {
				return "", err
			}
			if r, err = r.Resolve(tr); err != nil {
				return "", err
			}
			cut, err := r.Cut(tr, false)
			if err != nil {
				return "", err
			}
			if !r.Whole() && (len(cut.Session.Command) > 1 || cut.Session.Git != nil) {
				t.Errorf("%+v: the session says %+v", tt, cut.Session)
			}
			if _, _, err := r.Span(tr); err != nil {
				t.Errorf("%+v: %v", tt, err)
			}
			numbers := ""
			for _, e := range cut.Entries {
				numbers += string(rune('0' + e.Seq))
			}
			return numbers, nil
		}()
		if (err != nil) != (tt.want == "!") || err == nil && got != tt.want {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}
