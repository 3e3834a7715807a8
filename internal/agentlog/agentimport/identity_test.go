package agentimport_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/agentlog/agentimport"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// spoken is a message of a log.
type spoken struct {
	id   string // as the log has it; may be empty, and there again
	role string
	text string
	at   time.Time
}

// diary is what an agent logs of a conversation.
type diary struct {
	id, cwd string
	said    []spoken
}

type object = map[string]any

// keepers write a diary as each agent does, into a file below home whose name contains name. They
// note in it the ids that the log has.
var keepers = map[string]func(t rapid.TB, home, name string, d *diary){
	"claude": func(t rapid.TB, home, name string, d *diary) {
		var docs []any
		for _, m := range d.said {
			docs = append(docs, object{"type": m.role, "uuid": m.id, "sessionId": d.id, "timestamp": m.at, "cwd": d.cwd,
				"message": object{"role": m.role, "content": []any{object{"type": "text", "text": m.text}}}})
		}
		lines(t, filepath.Join(home, "projects", "p", name+".jsonl"), docs)
		for i := range d.said {
			if d.said[i].id != "" && d.said[i].role == session.RoleAssistant {
				d.said[i].id += "/text"
			}
		}
	},
	"codex": func(t rapid.TB, home, name string, d *diary) {
		docs := []any{object{"timestamp": d.said[0].at, "type": "session_meta", "payload": object{"id": d.id, "cwd": d.cwd}}}
		for i, m := range d.said {
			kind := map[string]string{session.RoleUser: "user_message", session.RoleAssistant: "agent_message"}[m.role]
			docs = append(docs, object{"timestamp": m.at, "type": "event_msg",
				"payload": object{"type": kind, "message": m.text}})
			d.said[i].id = ""
		}
		lines(t, filepath.Join(home, "sessions", "rollout-"+name+".jsonl"), docs)
	},
	"codex, only items": func(t rapid.TB, home, name string, d *diary) {
		docs := []any{object{"timestamp": d.said[0].at, "type": "session_meta", "payload": object{"id": d.id, "cwd": d.cwd}}}
		for i, m := range d.said {
			docs = append(docs, object{"timestamp": m.at, "type": "response_item",
				"payload": object{"type": "message", "role": m.role, "content": []any{object{"text": m.text}}}})
			d.said[i].id = ""
		}
		lines(t, filepath.Join(home, "sessions", "rollout-"+name+".jsonl"), docs)
	},
	"gemini": func(t rapid.TB, home, name string, d *diary) {
		docs := []any{object{"sessionId": d.id}}
		for i, m := range d.said {
			if m.id == "" { // it may log a message again
				d.said[i].id = fmt.Sprint("none ", cmp.Or(d.id, name))
			}
			kind := map[string]string{session.RoleUser: "user", session.RoleAssistant: "gemini"}[m.role]
			docs = append(docs, object{"id": m.id, "type": kind, "timestamp": m.at, "content": m.text})
		}
		lines(t, filepath.Join(home, "tmp", strings.Trim(d.cwd, "/"), "chats", name+".jsonl"), docs)
		put(t, filepath.Join(home, "tmp", strings.Trim(d.cwd, "/"), ".project_root"), d.cwd)
	},
	"opencode": func(t rapid.TB, home, name string, d *diary) { opencode(t, filepath.Join(home, "opencode"), name, d) },
	"kilo":     func(t rapid.TB, home, name string, d *diary) { opencode(t, filepath.Join(home, "kilo"), name, d) },
	"qwen": func(t rapid.TB, home, name string, d *diary) {
		var docs []any
		for _, m := range d.said {
			docs = append(docs, object{"type": m.role, "uuid": m.id, "sessionId": d.id, "timestamp": m.at, "cwd": d.cwd,
				"message": object{"parts": []any{object{"text": m.text}}}})
		}
		lines(t, filepath.Join(home, "projects", "p", "chats", name+".jsonl"), docs)
		for i := range d.said {
			if d.said[i].id != "" && d.said[i].role == session.RoleAssistant {
				d.said[i].id += "/0"
			}
		}
	},
	"pi": func(t rapid.TB, home, name string, d *diary) {
		docs := []any{object{"type": "session", "id": d.id, "timestamp": d.said[0].at, "cwd": d.cwd}}
		for _, m := range d.said {
			docs = append(docs, object{"type": "message", "id": m.id, "timestamp": m.at,
				"message": object{"role": m.role, "content": []any{object{"type": "text", "text": m.text}}}})
		}
		lines(t, filepath.Join(home, "sessions", "p", name+".jsonl"), docs)
	},
	"copilot": func(t rapid.TB, home, name string, d *diary) {
		docs := []any{object{"type": "session.start", "timestamp": d.said[0].at,
			"data": object{"sessionId": d.id, "context": object{"cwd": d.cwd}}}}
		for _, m := range d.said {
			docs = append(docs, object{"type": m.role + ".message", "id": m.id, "timestamp": m.at,
				"data": object{"content": m.text}})
		}
		lines(t, filepath.Join(home, "session-state", name, "events.jsonl"), docs)
	},
}

// opencode writes a log of opencode's kind below a folder.
func opencode(t rapid.TB, folder, name string, d *diary) {
	storage := filepath.Join(folder, "storage")
	ses := "ses_" + name
	lines(t, filepath.Join(storage, "session", "global", ses+".json"), []any{object{"id": ses, "directory": d.cwd}})
	for i, m := range d.said {
		msg := fmt.Sprintf("msg_%s_%03d", name, i)
		lines(t, filepath.Join(storage, "message", ses, msg+".json"),
			[]any{object{"id": msg, "role": m.role, "time": object{"created": m.at.UnixMilli()}}})
		lines(t, filepath.Join(storage, "part", msg, "prt_1.json"),
			[]any{object{"id": "prt_1", "type": "text", "text": m.text}})
		d.said[i].id = msg
	}
}

func lines(t rapid.TB, path string, docs []any) {
	var b bytes.Buffer
	for _, doc := range docs {
		if err := json.NewEncoder(&b).Encode(doc); err != nil {
			t.Fatal(err)
		}
	}
	put(t, path, b.String())
}

func put(t rapid.TB, path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// agentHome sets the folder of all agents.
func agentHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CONFIG_DIR", "XDG_DATA_HOME", "QWEN_HOME",
		"COPILOT_HOME", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, home)
	}
	return home
}

// take imports the logs of an agent, and returns what is said.
func take(ctx context.Context, t rapid.TB, s *sqlite.Store, agent string) string {
	var out bytes.Buffer
	im := &agentimport.Importer{Store: s, Out: &out, Progress: new(human.Bar),
		Notice: func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }}
	if err := im.Import(ctx, []string{agent}); err != nil {
		t.Fatalf("import: %v", err)
	}
	return out.String()
}

// words is who said what, when.
func words(role, text string, at time.Time) string {
	return fmt.Sprintf("%s: %s at %s", role, text, at.UTC().Format(time.RFC3339))
}

// counted returns how often each message is in the database, and in how many conversations each
// entry's id is.
func counted(ctx context.Context, t rapid.TB, s *sqlite.Store) (messages map[string]int,
	conversations map[string]map[string]bool) {
	messages, conversations = map[string]int{}, map[string]map[string]bool{}
	infos, err := s.Sessions(ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		for e, err := range s.Each(ctx, info.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type != session.TypeMessage {
				continue
			}
			messages[words(e.Role, e.Text, e.At)]++
			if conversations[e.ID] == nil {
				conversations[e.ID] = map[string]bool{}
			}
			conversations[e.ID][info.Source.ID] = true
		}
	}
	return messages, conversations
}

// However ids, words and times of two logs of an agent collide: each message of each log is in the
// database. Only one that the other log copied, with its id, words and time, is there once.
func TestNoMessageOfTwoLogsIsLost(t *testing.T) {
	home := agentHome(t)
	dir, ctx := t.TempDir(), t.Context()
	rapid.Check(t, func(t *rapid.T) {
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
		format := rapid.SampledFrom([]string{"claude", "codex", "codex, only items", "copilot", "gemini", "opencode",
			"kilo", "pi", "qwen"}).Draw(t, "format")
		agent, _, _ := strings.Cut(format, ",")
		atLeast, atMost := map[string]int{}, map[string]int{}
		seen := map[spoken]bool{}
		for _, name := range []string{"first", "second"} {
			d := diary{
				id:  rapid.SampledFrom([]string{"", "same", name}).Draw(t, "id"),
				cwd: rapid.SampledFrom([]string{"/shop", "/till"}).Draw(t, "cwd"),
			}
			for range rapid.IntRange(1, 6).Draw(t, "messages") {
				d.said = append(d.said, spoken{
					id:   rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "key"),
					role: rapid.SampledFrom([]string{session.RoleUser, session.RoleAssistant}).Draw(t, "role"),
					text: rapid.SampledFrom([]string{"Yes", "No", "Go on"}).Draw(t, "text"),
					at:   start.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "seconds")) * time.Second),
				})
			}
			keepers[format](t, home, name, &d)
			once := map[spoken]bool{}
			for j, m := range d.said {
				if m.id == "" {
					m.id = fmt.Sprint("none ", cmp.Or(d.id, name), j)
				}
				what := words(m.role, m.text, m.at)
				if !once[m] {
					atMost[what]++
				}
				if !seen[m] {
					atLeast[what]++
				}
				once[m], seen[m] = true, true
			}
		}
		s, err := sqlite.Open(ctx, filepath.Join(dir, "db"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = s.Close()
			left, _ := filepath.Glob(filepath.Join(dir, "*"))
			for _, path := range left {
				_ = os.RemoveAll(path)
			}
		}()
		first := take(ctx, t, s, agent)
		got, conversations := counted(ctx, t, s)
		for what, n := range atLeast {
			if got[what] < n || got[what] > atMost[what] {
				t.Errorf("%s: it is there %d times, want %d to %d\n%s", what, got[what], n, atMost[what], first)
			}
		}
		for id, of := range conversations {
			if len(of) > 1 {
				t.Errorf("%d conversations have an entry %s", len(of), id)
			}
		}
		if again := take(ctx, t, s, agent); !strings.Contains(again, "0 imported, ") || strings.Contains(again, "updated") {
			t.Errorf("again: %s", again)
		}
	})
	if len(agentlog.Agents()) != 8 {
		t.Errorf("another agent's logs are read, and not tried here: %q", agentlog.Agents())
	}
}

// sessionsByPrompt returns the sessions by their first prompts.
func sessionsByPrompt(t *testing.T, s *sqlite.Store) map[string]*store.Info {
	t.Helper()
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*store.Info{}
	for _, info := range infos {
		of[info.Prompt] = info
	}
	return of
}

// ask returns a diary of one question and its answer.
func ask(id, question string, day int) *diary {
	at := start.Add(time.Duration(day) * 24 * time.Hour)
	return &diary{id, "/shop", []spoken{{"1", session.RoleUser, question, at}, {"2", session.RoleAssistant, "Yes.", at}}}
}

// An older program took what was said in the second log of a folder for a copy, and left it out.
// What it has read is read again.
func TestWhatAnOlderProgramLostIsReadAgain(t *testing.T) {
	home := agentHome(t)
	path := filepath.Join(t.TempDir(), "db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keepers["codex"](t, home, "1", ask("1", "How hot?", 1))
	keepers["codex"](t, home, "2", ask("2", "How cold?", 2))
	take(t.Context(), t, s, "codex")
	second := sessionsByPrompt(t, s)["How cold?"]
	if err := s.Rename(t.Context(), second.ID, "mine"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{ // as it left them
		"DELETE FROM entries WHERE session_pk = (SELECT pk FROM sessions WHERE prompt = 'How cold?') AND type = 'message'",
		"UPDATE sessions SET prompt = '', messages = 0, turns = 0 WHERE prompt = 'How cold?'",
		"UPDATE agent_logs SET state = substr(state, instr(state, ' ') + 1)",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := take(t.Context(), t, s, "codex"); !strings.Contains(got, "2 updated, 0 already there") {
		t.Errorf("import: %s", got)
	}
	if now := sessionsByPrompt(t, s)["How cold?"]; now == nil || now.ID != second.ID || now.Name != "mine" ||
		now.Messages != 2 {
		t.Errorf("%+v, want %+v", now, second)
	}
}

// Two logs that state one id are two conversations. Each keeps its session when it grows, and when
// it is moved.
func TestTwoLogsWithOneIDAreTwoSessions(t *testing.T) {
	home := agentHome(t)
	s := database(t)
	diaries := map[string]*diary{"a": ask("same", "How hot?", 1), "b": ask("same", "How cold?", 2)}
	ids := map[string]string{}
	for _, step := range []struct{ what, moved, want string }{
		{"first", "", "2 imported"},
		{"again", "", "0 imported, 2 already there"},
		{"grown", "", "0 imported, 2 updated"},
		{"moved", "a", "0 imported, 1 updated, 1 already there"},
		{"moved, too", "b", "0 imported, 1 updated, 1 already there"},
	} {
		for name, d := range diaries {
			switch {
			case step.what == "grown":
				d.said = append(d.said, spoken{"3", session.RoleUser, "Really, " + name + "?", d.said[0].at})
				keepers["qwen"](t, home, name, d)
			case step.what == "first":
				keepers["qwen"](t, home, name, d)
			case step.moved == name:
				chats := filepath.Join(home, "projects", "p", "chats")
				if err := os.Rename(filepath.Join(chats, name+".jsonl"), filepath.Join(chats, "moved-"+name+".jsonl")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := regexp.MustCompile(` \([^)]* in [^)]*\)`).ReplaceAllString(take(t.Context(), t, s, "qwen"),
			""); !strings.Contains(got, step.want) {
			t.Errorf("%s: %s", step.what, got)
		}
		of := sessionsByPrompt(t, s)
		for _, d := range diaries {
			question := d.said[0].text
			info := of[question]
			if info == nil || len(of) != 2 || info.Messages != len(d.said) || ids[question] != "" && ids[question] != info.ID {
				t.Fatalf("%s: %s: %d sessions, %+v", step.what, question, len(of), info)
			}
			ids[question] = info.ID
		}
	}
}

// A log that has become one of another conversation is read once, and what the other one said
// stays.
func TestALogOfAnotherConversationIsReadOnce(t *testing.T) {
	home := agentHome(t)
	s := database(t)
	const hot, cold = "How hot?", "How cold?"
	for i, step := range []struct{ asked, want string }{
		{hot, "1 imported"}, {cold, "1 imported"}, {cold, "0 imported, 1 already there"}, {hot, "0 imported"},
		{hot, "0 imported, 1 already there"},
	} {
		d := ask(step.asked, step.asked, len(step.asked))
		keepers["qwen"](t, home, "a", d)
		if err := os.Chtimes(filepath.Join(home, "projects", "p", "chats", "a.jsonl"), time.Time{},
			d.said[0].at); err != nil {
			t.Fatal(err)
		}
		if got := take(t.Context(), t, s, "qwen"); !strings.Contains(got, step.want) {
			t.Errorf("step %d: %s, want %s", i+1, got, step.want)
		}
	}
	if of := sessionsByPrompt(t, s); of[hot] == nil || of[cold] == nil || len(of) != 2 {
		t.Errorf("%v", of)
	}
}

// A log whose agent has copied all of it into another one leads to no empty session.
func TestACopiedLogIsNoSession(t *testing.T) {
	s, project := database(t), claude(t)
	old := []string{said(0, "user", "a", "Why?"), said(1, "assistant", "b", "Because.")}
	write(t, filepath.Join(project, "1.jsonl"), append(old, said(100, "user", "c", "Really?"))...)
	write(t, filepath.Join(project, "2.jsonl"), old...)
	write(t, filepath.Join(project, "3.jsonl"),
		append(old, said(100, "user", "c", "Really?"), said(101, "assistant", "d", "Yes."))...)
	check(t, "import", imported(t, s, archive.Redaction{}),
		"ID  claude: Why?\nID  claude: Why?\n2 imported, 1 already there\n")
	check(t, "again", imported(t, s, archive.Redaction{}), "0 imported, 3 already there\n")
	write(t, filepath.Join(project, "2.jsonl"), append(old, said(200, "user", "e", "And why not?"))...)
	check(t, "grown", imported(t, s, archive.Redaction{}), "ID  claude: Why?\n1 imported, 2 already there\n")
	if messages, _ := counted(t.Context(), t, s); len(messages) != 5 {
		t.Errorf("%v", messages)
	}
}

// looked imports logs, and returns how many entries and prompts were compared.
func looked(t *testing.T, s *sqlite.Store, agent string) int {
	t.Helper()
	im := &agentimport.Importer{Store: s, Out: io.Discard, Progress: new(human.Bar), Notice: func(string, ...any) {}}
	if err := im.Import(t.Context(), []string{agent}); err != nil {
		t.Fatal(err)
	}
	return im.Looked()
}

// Logs that begin at one moment in one folder, copies or not, are compared with each other in
// linear time.
func TestLogsOfOneMomentAreComparedInLinearTime(t *testing.T) {
	for name, id := range map[string]string{"unrelated": "", "copies": "1"} {
		t.Run(name, func(t *testing.T) {
			home, s := agentHome(t), database(t)
			const n = 60
			for round := range 2 { // those of the second meet stored ones
				for i := range n {
					d := ask(fmt.Sprint(round, i), "How hot?", 1)
					for j := range d.said {
						d.said[j].id += cmp.Or(id, d.id)
					}
					d.said = append(d.said, spoken{"last" + d.id, session.RoleUser, "And now, " + d.id + "?", d.said[0].at})
					keepers["qwen"](t, home, d.id, d)
				}
				if got, most := looked(t, s, "qwen"), 2*(round+1)*n*4; got > most {
					t.Errorf("round %d: %d entries were compared, want at most %d", round+1, got, most)
				}
			}
			messages, _ := counted(t.Context(), t, s)
			if want := 2*n + 2; id != "" && len(messages) != want ||
				id == "" && messages[words(session.RoleUser, "How hot?", ask("", "", 1).said[0].at)] != 2*n {
				t.Errorf("%d messages: %v", len(messages), messages)
			}
		})
	}
}
