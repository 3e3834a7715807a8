package sqlite_test

import (
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// TestUsageOfLogAndScreen counts nothing twice: where a log says what was used, what the agent
// printed there is left out; a request that two logs have counts once.
func TestUsageOfLogAndScreen(t *testing.T) {
	s := open(t, t.TempDir()+"/db")
	create(t, s, "a")
	create(t, s, "b")
	cost := 0.25
	printed := []session.Usage{
		{Key: "0", Source: session.UsageScreen, Agent: "codex", Total: 150, Input: 100, Output: 50, At: start},
		{Key: "1", Source: session.UsageScreen, Agent: "claude", Model: "m", Total: 10, At: start, Cost: &cost},
	}
	put := func(id string, used []session.Usage) {
		t.Helper()
		if err := s.PutScreenUsage(t.Context(), id, used); err != nil {
			t.Fatal(err)
		}
	}
	total := func() (sum int64) {
		t.Helper()
		used, err := s.Usage(t.Context(), store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range used {
			sum += u.Total
		}
		return sum
	}
	put("a", printed)
	put("a", printed) // read again
	put("b", printed[:1])
	if got := total(); got != 310 {
		t.Errorf("as printed: %d, want 310", got)
	}
	logged := []session.Usage{
		{Key: "r1", Source: session.UsageLog, Agent: "codex", Model: "gpt-5", Total: 200, Input: 200, At: start},
		{Key: "r2", Source: session.UsageLog, Agent: "codex", Model: "gpt-5", Total: 300, Input: 300,
			At: start.Add(time.Hour)},
	}
	take := func(id, recorded string) {
		t.Helper()
		err := s.PutAgentLog(t.Context(), store.AgentLog{Agent: "codex", ID: id, Path: id, State: "1", Recorded: recorded,
			Of: map[string][]session.Usage{recorded: logged}})
		if err != nil {
			t.Fatal(err)
		}
	}
	take("log1", "a")
	take("log1", "a") // read again
	take("log2", "b") // has copies of the requests
	if got := total(); got != 10+500+150 {
		t.Errorf("with logs: %d, want 660", got)
	}
	used, err := s.UsageOf(t.Context(), []string{"a"})
	if err != nil || len(used) != 3 || used[0].Agent != "claude" || used[0].Cost == nil || *used[0].Cost != cost ||
		used[1].Model != "gpt-5" || used[2].At.Sub(used[1].At) != time.Hour {
		t.Errorf("%+v, %v", used, err)
	}
	if err := s.DeleteSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := total(); got != 150 {
		t.Errorf("without a: %d, want 150", got)
	}
	if known, err := s.KnownLogs(t.Context()); err != nil || len(known) != 1 {
		t.Errorf("%d logs, %v, want that of b", len(known), err)
	}
}

// A request that has only the key of another one counts for its own session. A copy does not.
func TestUsageWithTheKeyOfAnotherRequest(t *testing.T) {
	s := open(t, t.TempDir()+"/db")
	create(t, s, "a")
	create(t, s, "b")
	for range 2 {
		for i, id := range []string{"a", "b"} {
			used := []session.Usage{
				{Key: "1", Source: session.UsageLog, Agent: "copilot", Input: 100, Total: 100,
					At: start.Add(time.Duration(i) * time.Hour)},
				{Key: "2", Source: session.UsageLog, Agent: "copilot", Input: 5, Total: 5, At: start},
			}
			err := s.PutAgentLog(t.Context(), store.AgentLog{Agent: "copilot", ID: id, Path: id, Recorded: id,
				Of: map[string][]session.Usage{id: used}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for id, want := range map[string]int64{"a": 105, "b": 100} {
		used, err := s.UsageOf(t.Context(), []string{id})
		if err != nil {
			t.Fatal(err)
		}
		got := int64(0)
		for _, u := range used {
			got += u.Total
		}
		if got != want {
			t.Errorf("%s: %d tokens, want %d", id, got, want)
		}
	}
}
