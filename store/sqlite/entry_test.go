package sqlite_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// allKinds returns entries in which every field is used.
func allKinds() []*session.Entry {
	tool := message("3", 3, session.RoleTool, "Bash(echo hi)")
	tool.Tool = &session.Tool{Name: "Bash", Input: "echo hi", Output: "hi <unusual>", Status: session.ToolOK,
		Truncated: true}
	shell := message("4", 4, session.RoleShell, "ls")
	shell.Output, shell.Agent, shell.Offset = "a\nb\n", "", 1<<40
	status, seconds := 0, 1.5
	shell.Details = session.Details{Truncated: true, OmittedLines: 7, ExitStatus: &status, Cwd: "/home/dev/shop",
		Duration: &seconds}
	answer := message("5", 5, session.RoleAssistant, "The command printed hi.\x00\xff")
	answer.Markdown, answer.Status, answer.EndAt = "The command printed `hi`.", session.StatusStreaming, nil
	return []*session.Entry{
		{ID: "1", Seq: 1, Type: session.TypeEvent, Event: session.EventNewSession, Agent: "claude", Conversation: 1,
			At:   start,
			Data: map[string]any{"version": "2.1.197", "cols": float64(80)}},
		message("2", 2, session.RoleUser, "Run echo hi"), tool, shell, answer,
	}
}

func TestEntriesRoundTrip(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	want := allKinds()
	for range 2 { // saving twice changes nothing
		if err := s.SaveEntries(t.Context(), "a", want); err != nil {
			t.Fatal(err)
		}
	}
	checkEntries(t, s, want)
	if info := find(t, s, "a"); info.Messages != 4 || info.Turns != 1 || info.Prompt != "Run echo hi" {
		t.Errorf("messages %d, turns %d, prompt %q, want 4, 1, Run echo hi", info.Messages, info.Turns, info.Prompt)
	}

	want[4].Text, want[4].Status = "It printed hi.", session.StatusComplete
	want = append(want, message("6", 6, session.RoleUser, "Thanks"))
	if err := s.SaveEntries(t.Context(), "a", want[4:]); err != nil {
		t.Fatal(err)
	}
	checkEntries(t, s, want)
	if info := find(t, s, "a"); info.Messages != 5 || info.Turns != 2 {
		t.Errorf("messages %d, turns %d, want 5, 2", info.Messages, info.Turns)
	}

	if err := s.ReplaceEntries(t.Context(), "a", store.List(want[5:])); err != nil {
		t.Fatal(err)
	}
	checkEntries(t, s, want[5:])
	if info := find(t, s, "a"); info.Messages != 1 || info.Turns != 1 || info.Prompt != "Thanks" {
		t.Errorf("messages %d, turns %d, prompt %q, want 1, 1, Thanks", info.Messages, info.Turns, info.Prompt)
	}
}

func checkEntries(t *testing.T, s *sqlite.Store, want []*session.Entry) {
	t.Helper()
	got, err := s.Entries(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestEntriesOfNone(t *testing.T) {
	s := newStore(t)
	if _, err := s.Entries(t.Context(), "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Entries: error = %v", err)
	}
	if err := s.SaveEntries(t.Context(), "a", allKinds()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("SaveEntries: error = %v", err)
	}
}

// BenchmarkSaveEntries saves a growing reply as a live session does.
func BenchmarkSaveEntries(b *testing.B) {
	s := newStore(b)
	create(b, s, "a")
	e := message("1", 1, session.RoleAssistant, "")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Text = strings.Repeat("some words of a reply ", 100) + fmt.Sprint(i)
		if err := s.SaveEntries(b.Context(), "a", []*session.Entry{e}); err != nil {
			b.Fatal(err)
		}
	}
}
