// Command history creates a database with many sessions, for measuring list, search and show.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func main() {
	path := flag.String("db", "history.db", "the database to make")
	sessions := flag.Int("sessions", 10_000, "how many sessions")
	entries := flag.Int("entries", 100, "how many entries each session has")
	flag.Parse()
	if err := fill(context.Background(), *path, *sessions, *entries); err != nil {
		log.Fatal(err)
	}
}

// fill creates the same sessions each time.
func fill(ctx context.Context, path string, sessions, entries int) error {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	random := rand.New(rand.NewPCG(1, 2))
	started := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range sessions {
		started = started.Add(time.Duration(random.IntN(3600)) * time.Second)
		s, all := makeSession(random, i, started, entries)
		rec := store.NewRecording(s.Cols, s.Rows)
		rec.Write(session.Event{Kind: session.Output, Data: fmt.Appendf(nil, "session %d\r\n", i)})
		rec.Write(session.Event{At: s.EndedAt.Sub(started), Kind: session.Exit})
		if err := db.Import(ctx, s, rec, all); err != nil {
			return err
		}
	}
	return nil
}

func makeSession(random *rand.Rand, i int, started time.Time, n int) (*session.Session, []*session.Entry) {
	agent := []string{"claude", "codex", "gemini"}[i%3]
	ended, code := started.Add(time.Duration(n)*10*time.Second), 0
	s := &session.Session{
		Command: []string{agent}, Cwd: fmt.Sprintf("/home/dev/project%d", i%40), StartedAt: started, EndedAt: &ended,
		ExitCode: &code, Cols: 120, Rows: 40,
		Agents: []session.Agent{{Name: agent, Version: "2.1.197"}},
	}
	s.ID = fmt.Sprintf("%08x-%04x-7000-8000-%012x", started.UnixMilli()>>16, started.UnixMilli()&0xffff, i)
	var all []*session.Entry
	for seq := 1; seq < n; seq++ {
		e := &session.Entry{
			ID: fmt.Sprint(seq), Seq: seq, Type: session.TypeMessage, Role: session.RoleAssistant, Agent: agent, Conversation: 1,
			Status: session.StatusComplete, At: started.Add(time.Duration(seq) * 10 * time.Second), Offset: int64(seq),
			Text: sentence(random, 30),
		}
		switch seq % 4 {
		case 1:
			e.Role, e.Text = session.RoleUser, sentence(random, 12)
		case 2:
			e.Role, e.Text = session.RoleTool, "Bash(go test ./...)"
			e.Tool = &session.Tool{Name: "Bash", Input: "go test ./...", Output: sentence(random, 8), Status: session.ToolOK}
		}
		e.Markdown = e.Text
		all = append(all, e)
	}
	exit := &session.Entry{ID: "exit", Seq: n, Type: session.TypeEvent, Event: session.EventExit, At: ended,
		Data: map[string]any{"status": 0}}
	return s, append(all, exit)
}

// sentence returns words with the frequencies of a language: a few are common, most are rare.
func sentence(random *rand.Rand, words int) string {
	out := make([]string, words)
	for i := range out {
		n := int(random.ExpFloat64() * 400)
		out[i] = fmt.Sprintf("%s%d", stems[n%len(stems)], n/len(stems))
	}
	return strings.Join(out, " ")
}

var stems = strings.Fields("cache key token query index lock file test build deploy worker queue retry budget page " +
	"table row user session header config path error panic")
