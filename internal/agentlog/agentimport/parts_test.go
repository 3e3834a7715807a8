package agentimport_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// An older program read the logs of subagents as conversations of their own, with all that their
// parent said and used. They go, unless the user has said something of them, and nothing is counted
// twice.
func TestSubagentsThatWereConversationsBecomeParts(t *testing.T) {
	home := agentHome(t)
	path := filepath.Join(t.TempDir(), "db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	event := func(second int, payload object) object {
		return object{"timestamp": fmt.Sprintf("2026-05-01T10:00:%02dZ", second), "type": "event_msg", "payload": payload}
	}
	tokens := func(second, total, last int) object {
		use := func(n int) object { return object{"input_tokens": n, "total_tokens": n} }
		return event(second, object{"type": "token_count",
			"info": object{"total_token_usage": use(total), "last_token_usage": use(last)}})
	}
	write := func(id string, source any, second int, more ...any) {
		docs := []any{object{"timestamp": fmt.Sprintf("2026-05-01T10:00:%02dZ", second), "type": "session_meta",
			"payload": object{"id": id, "cwd": "/shop", "source": source}}}
		for i, text := range []string{"zebras?", "striped"} {
			docs = append(docs, event(second+1, object{"type": []string{"user_message", "agent_message"}[i], "message": text}))
		}
		docs = append(append(docs, tokens(second+2, 100, 100)), more...)
		lines(t, filepath.Join(home, "sessions", "rollout-"+id+".jsonl"), docs)
	}
	children := func(source any) {
		for i, id := range []string{"child1", "child2"} {
			second := 20 + 10*i
			write(id, source, second, event(second+4, object{"type": "user_message", "message": "task of " + id}),
				tokens(second+5, 110, 10))
		}
	}
	write("parent", "cli", 10)
	children("cli")
	take(t.Context(), t, s, "codex")
	last, err := s.Find(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), last.ID, "mine"); err != nil {
		t.Fatal(err)
	}
	children(object{"subagent": object{"thread_spawn": object{"parent_thread_id": "parent"}}})
	if got := take(t.Context(), t, s, "codex"); !strings.Contains(got, "1 updated") {
		t.Errorf("import: %s", got)
	}
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if parent := strings.Contains(info.Source.Path, "parent"); parent == (info.Name == "mine") ||
			parent && info.Turns != 1 {
			t.Errorf("%s: %+v", info.Source.Path, info)
		}
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var total, requests int
	if err := db.QueryRowContext(t.Context(), "SELECT sum(total), count(*) FROM usage").Scan(&total,
		&requests); err != nil {
		t.Fatal(err)
	}
	if len(infos) != 2 || total != 120 || requests != 3 {
		t.Errorf("%d sessions, want 2; %d tokens in %d requests, want 120 in 3", len(infos), total, requests)
	}
}

// A log of a subagent alone is no session, and the user is told so.
func TestSubagentsWithoutTheirConversationAreLeftOut(t *testing.T) {
	home := agentHome(t)
	s := database(t)
	docs := []any{
		object{"timestamp": start, "type": "session_meta",
			"payload": object{"id": "child", "cwd": "/shop", "source": object{"subagent": "review"}}},
		object{"timestamp": start, "type": "event_msg", "payload": object{"type": "user_message", "message": "review it"}},
	}
	lines(t, filepath.Join(home, "sessions", "rollout-child.jsonl"), docs)
	got := take(t.Context(), t, s, "codex")
	if infos, err := s.Sessions(t.Context(), store.Filter{}); err != nil || len(infos) != 0 ||
		!strings.Contains(got, "skipped 1 log of subagents") {
		t.Errorf("%d sessions, %v: %s", len(infos), err, got)
	}
}
