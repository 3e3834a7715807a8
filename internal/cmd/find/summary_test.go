package find

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func some() []*store.Info {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	info := func(ago, turns int, cwd string, agents ...string) *store.Info {
		i := &store.Info{Session: session.Session{StartedAt: at.AddDate(0, 0, -ago), Cwd: cwd}, Turns: turns,
			Messages: 2 * turns, Duration: time.Hour, RawBytes: 1 << 20}
		for _, a := range agents {
			i.Agents = append(i.Agents, session.Agent{Name: a})
		}
		return i
	}
	return []*store.Info{info(0, 3, "/a", "claude", "claude", "codex"), info(0, 1, "/b", "codex"), info(2, 8, "/a")}
}

func TestOf(t *testing.T) {
	infos := some()
	s := summaryOf(infos, infos[0].StartedAt, 3)
	short := func(counts []count) (out []string) {
		for _, c := range counts {
			out = append(out, strings.Repeat("s", c.Sessions)+" "+strings.Repeat("t", c.Turns)+" "+c.Name)
		}
		return out
	}
	if s.Sessions != 3 || s.Turns != 12 || s.Messages != 24 || s.Hours != 3 || s.RawBytes != 3<<20 {
		t.Errorf("all: %+v", s.count)
	}
	for _, tt := range []struct {
		of        string
		got, want []string
	}{
		{"agents", short(s.Agents), []string{"ss tttt codex", "s ttt claude"}},
		{"folders", short(s.Folders), []string{"ss ttttttttttt /a", "s t /b"}},
		{"days", short(s.Days), []string{"s tttttttt 2026-11-18", "  2026-11-19", "ss tttt 2026-11-20"}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.of, diff)
		}
	}
}

func TestSummaryIsWritten(t *testing.T) {
	infos := some()
	s := summaryOf(infos, infos[0].StartedAt, 2)
	var b bytes.Buffer
	if err := s.Write(&b, false, 60); err != nil {
		t.Fatal(err)
	}
	want := `3 sessions, 12 turns, 24 messages, 3h00m long, 3.0 MiB recorded in 0 B

SESSIONS  TURNS   TIME  AGENT
       2      4  2h00m  codex
       1      3  1h00m  claude

SESSIONS  TURNS   TIME  FOLDER
       2     11  2h00m  /a
       1      1  1h00m  /b

Thu 2026-11-19
Fri 2026-11-20  ███████████████████ 4 turns, 2 sessions
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
