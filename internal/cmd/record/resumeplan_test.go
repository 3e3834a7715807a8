package record

import (
	"fmt"
	"testing"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const id = "fd275993-4dbb-423f-9c63-17f6544f3c69"

// Each agent's last words, as its fixtures have them, and what the user may have said to resume.
func TestPrintedResumeID(t *testing.T) {
	for agent, rows := range map[string][]string{
		"claude":   {"Resume this session with:", "claude --resume " + id},
		"codex":    {"To continue this session, run codex resume " + id},
		"gemini":   {"│  To resume this session: gemini --resume " + id + "   │"},
		"opencode": {"  Session   x", "  Continue  opencode -s ses_e0340a10fffeRWuEKI4H7JGBUg"},
		"qwen":     {"qwen --resume " + id},
		"copilot":  {"   ▔▔▔▔    Resume     copilot --resume=" + id},
	} {
		how := extractor.AgentOf(agent).Resume
		if how == nil {
			t.Fatalf("%s cannot be resumed", agent)
		}
		got := printed(how, append(rows, "$ "))
		if got == "" || !how.ID().MatchString(got) {
			t.Errorf("%s: %q", agent, got)
		}
		for _, row := range []string{rows[len(rows)-1] + " and more", "say --resume --yolo",
			how.Program + " --resume --yolo", ""} {
			if got := printed(how, []string{row}); got != "" {
				t.Errorf("%s: %q has the id %q", agent, row, got)
			}
		}
	}
}

func TestResumeIDInCommandLine(t *testing.T) {
	claude, codex := extractor.AgentOf("claude").Resume, extractor.AgentOf("codex").Resume
	for _, test := range []struct {
		how     *chat.Resumption
		command []string
		want    string
	}{
		{claude, []string{"claude", "--resume", id}, id},
		{claude, []string{"claude", "--model", "x", "--resume=" + id}, id},
		{claude, []string{"claude", "--session-id", id, "-p"}, id},
		{claude, []string{"claude", "--resume"}, ""},
		{claude, []string{"claude", "--resume", "--dangerously-skip-permissions"}, ""},
		{claude, []string{"--resume", id}, ""},
		{claude, nil, ""},
		{codex, []string{"codex", "resume", id}, id},
		{codex, []string{"codex", "resume", "--last"}, ""},
	} {
		if got := given(test.how, test.command); got != test.want {
			t.Errorf("%q: %q, want %q", test.command, got, test.want)
		}
	}
}

func TestResumeImportedSession(t *testing.T) {
	info := &store.Info{Session: session.Session{Cwd: "/src/it's", Agents: []session.Agent{{Name: "opencode"}},
		Source: &session.Source{Agent: "opencode", ID: "ses_e0340a10fffeRWuEKI4H7JGBUg"}}}
	p, err := planResume(t.Context(), nil, info)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.line(), `cd /src/it\'s && opencode --session ses_e0340a10fffeRWuEKI4H7JGBUg`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	info.Source.ID = "--yolo"
	if p, err := planResume(t.Context(), nil, info); err == nil {
		t.Errorf("%+v", p)
	}
	began := func(agent string) *session.Entry {
		return &session.Entry{Type: session.TypeEvent, Event: session.EventNewSession, Agent: agent}
	}
	t2 := &session.Transcript{Entries: []*session.Entry{began("claude"), began("nobody"), began("codex"),
		began("claude"), {Agent: "qwen"}}}
	if got := fmt.Sprint(agentsOf(t2)); got != "[claude codex]" {
		t.Errorf("agents %s", got)
	}
}
