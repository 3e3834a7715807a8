package main

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// TestSessionOfALogCannotBePlayed says in two lines that a session from a log cannot be played.
func TestSessionOfALogCannotBePlayed(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	sess := &session.Session{Command: []string{"claude"}, StartedAt: at, EndedAt: &at,
		Agents: []session.Agent{{Name: "claude"}},
		Source: &session.Source{Kind: session.SourceAgentLog, Agent: "claude", ID: "x"}}
	entry := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "Why?",
		Markdown: "Why?", At: at}
	err = s.PutAgentLog(t.Context(), store.AgentLog{Agent: "claude", ID: "x", Path: "x", Session: sess,
		Entries: store.List([]*session.Entry{entry})})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "play", "last")
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "it has no recording: it is from an agent's own log")
	u.Await(t, "hint: `ptyrec show ")
	if got := ptytest.Status(t, cmd); got != 1 {
		t.Errorf("status = %d, want 1", got)
	}
}
