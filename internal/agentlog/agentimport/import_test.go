package agentimport_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/agentlog/agentimport"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// database returns an empty database.
func database(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// claude sets a folder for Claude Code's logs, and returns where those of a project are.
func claude(t *testing.T) (project string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	return filepath.Join(dir, "projects", "-shop")
}

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// said returns a line of Claude Code's log, some seconds after the start.
func said(seconds int, role, id, text string) string {
	model := ""
	if role == session.RoleAssistant {
		model = `"id":"m` + id + `","model":"claude-opus-4-8","usage":{"input_tokens":10,"output_tokens":5},`
	}
	at := start.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
	return `{"type":"` + role + `","uuid":"` + id + `","timestamp":"` + at + `","cwd":"/shop","message":{` + model +
		`"content":"` + text + `"}}`
}

// imported imports the logs of Claude Code, and returns what is said, without ids, sizes and times.
func imported(t *testing.T, s *sqlite.Store, r archive.Redaction) string {
	t.Helper()
	var out bytes.Buffer
	im := &agentimport.Importer{Store: s, Redact: r, Out: &out, Progress: new(human.Bar),
		Notice: func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }}
	if err := im.Import(t.Context(), []string{"claude"}); err != nil {
		t.Errorf("import: %v", err)
	}
	text := regexp.MustCompile(`(?m)^[0-9a-f]{4}[0-9a-f-]*`).ReplaceAllString(out.String(), "ID")
	return regexp.MustCompile(` \([^)]* in [^)]*\)`).ReplaceAllString(text, "")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%swant\n%s", what, got, want)
	}
}

// texts returns what was said in the newest session.
func texts(t *testing.T, s *sqlite.Store) (info *store.Info, out []string) {
	t.Helper()
	info, err := s.Find(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.Entries(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if e.Seq != i+1 {
			t.Errorf("entry %d has number %d", i+1, e.Seq)
		}
		if e.Type == session.TypeMessage {
			out = append(out, e.Text)
		}
	}
	return info, out
}

// TestNothingIsImportedTwice imports nothing twice, and updates what has grown.
func TestNothingIsImportedTwice(t *testing.T) {
	s, project := database(t), claude(t)
	path := filepath.Join(project, "11111111-0000.jsonl")
	first := []string{said(0, "user", "a", "Why?"), said(1, "assistant", "b", "Because.")}
	write(t, path, first...)
	check(t, "first", imported(t, s, archive.Redaction{}), "ID  claude: Why?\n1 imported, 0 already there\n")
	info, _ := texts(t, s)
	if err := s.Rename(t.Context(), info.ID, "mine"); err != nil {
		t.Fatal(err)
	}
	check(t, "again", imported(t, s, archive.Redaction{}), "0 imported, 1 already there\n")
	write(t, path, append(first, said(400, "user", "c", "Really?"), said(402, "assistant", "d", "Yes."))...)
	check(t, "grown", imported(t, s, archive.Redaction{}),
		"ID  claude: Why? (updated)\n0 imported, 1 updated, 0 already there\n")
	now, said := texts(t, s)
	if now.ID != info.ID || now.Name != "mine" || now.Turns != 2 || now.Messages != 4 || now.Unread ||
		now.Status != store.Ended || strings.Join(said, " ") != "Why? Because. Really? Yes." {
		t.Errorf("%+v, %q", now, said)
	}
	if now.Duration != 3*time.Second { // 1 s, a pause, 2 s
		t.Errorf("it took %v", now.Duration)
	}
	if err := os.Rename(project, project+"-moved"); err != nil {
		t.Fatal(err)
	}
	check(t, "moved", imported(t, s, archive.Redaction{}),
		"ID  claude: Why? (updated)\n0 imported, 1 updated, 0 already there\n")
	if infos, err := s.Sessions(t.Context(), store.Filter{}); len(infos) != 1 || err != nil {
		t.Errorf("%d sessions, %v", len(infos), err)
	}
	if err := s.DeleteSession(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	check(t, "deleted", imported(t, s, archive.Redaction{}), "ID  claude: Why?\n1 imported, 0 already there\n")
}

// TestCopiedHistoryIsLeftOut leaves out what an agent copied into a new log when it resumed a
// conversation.
func TestCopiedHistoryIsLeftOut(t *testing.T) {
	s, project := database(t), claude(t)
	old := []string{said(0, "user", "a", "Why?"), said(1, "assistant", "b", "Because.")}
	write(t, filepath.Join(project, "1.jsonl"), old...)
	write(t, filepath.Join(project, "2.jsonl"), append(old, said(100, "user", "c", "Really?"))...)
	check(t, "import", imported(t, s, archive.Redaction{}),
		"ID  claude: Why?\nID  claude: Why?\n2 imported, 0 already there\n")
	hits, err := s.Search(t.Context(), store.Query{Text: "because"})
	if err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v, want 1", len(hits), err)
	}
}

// TestSecretsInLogsAreHidden takes secrets out, as of recordings.
func TestSecretsInLogsAreHidden(t *testing.T) {
	s, project := database(t), claude(t)
	const secret = "AKIAIOSFODNN7EXAMPLF"
	write(t, filepath.Join(project, "1.jsonl"), said(0, "user", "a", "Use "+secret),
		`{"type":"ai-title","aiTitle":"About `+secret+`"}`)
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := imported(t, s, archive.Redaction{Redactor: r}); strings.Contains(got, secret) {
		t.Errorf("it prints %s", got)
	}
	if info, said := texts(t, s); strings.Contains(fmt.Sprint(info, said), secret) || len(said) != 1 {
		t.Errorf("%+v, %q", info, said)
	}
}

// record stores a session as ptyrec records one, with prompts some seconds after the start.
func record(t *testing.T, s *sqlite.Store, cwd, id string, begin, end int, prompts map[int]string) {
	t.Helper()
	recordAs(t, s, cwd, id, begin, end, prompts, false)
}

func recordAs(t *testing.T, s *sqlite.Store, cwd, id string, begin, end int, prompts map[int]string, private bool) {
	t.Helper()
	started, ended := start.Add(time.Duration(begin)*time.Second), start.Add(time.Duration(end)*time.Second)
	sess := session.Session{ID: id, Command: []string{"claude"}, Cwd: cwd, StartedAt: started, EndedAt: &ended, Cols: 80,
		Rows: 24, Agents: []session.Agent{{Name: "claude"}}, Private: private}
	var entries []*session.Entry
	for at, text := range prompts {
		role := session.RoleUser
		if strings.HasPrefix(text, "Resume") {
			role = session.RoleSystem
		}
		if reply, ok := strings.CutPrefix(text, "Reply: "); ok {
			role, text = session.RoleAssistant, reply
		}
		entries = append(entries, &session.Entry{ID: text, Seq: at + 1, Type: session.TypeMessage, Role: role,
			Agent: "claude", Text: text, Markdown: text, At: start.Add(time.Duration(at) * time.Second)})
	}
	raw := store.NewRecording(80, 24)
	raw.Write(session.Event{Kind: session.Output, Data: []byte(id)})
	if err := s.Import(t.Context(), &sess, raw, entries); err != nil {
		t.Fatal(err)
	}
}

// TestRecordedConversationIsRecognised recognises what was recorded, by prompts, times and replies,
// or the folder, or the agent's id. An id that was shown, or a prompt with another reply, is no
// recording.
func TestRecordedConversationIsRecognised(t *testing.T) {
	const recognised, added = "0 imported, 0 already there, 1 recorded by ptyrec\n",
		"ID  claude: Explain the cache\n1 imported, 0 already there\n"
	prompts := func(text string) map[int]string { return map[int]string{10: text} }
	for name, tt := range map[string]struct {
		cwd     string
		prompts map[int]string
		want    string
	}{
		"the same":         {"/shop", prompts("Explain the cache"), recognised},
		"wrapped":          {"/shop", prompts("Explain  the\ncache"), recognised},
		"below its folder": {"/", prompts("Explain the cache"), recognised},
		"elsewhere":        {"/other", prompts("Explain the cache"), added},
		"something else":   {"/shop", prompts("Sort the keys of the table"), added},
		"at another time":  {"/shop", map[int]string{400: "Explain the cache"}, added},
		"pasted":           {"/shop", prompts("[Pasted text #1 +12 lines]"), recognised},
		"with its reply": {"/shop", map[int]string{10: "Explain the cache",
			12: "Reply: It is cold: nobody has asked yet."}, recognised},
		"elsewhere, its reply": {"/other", map[int]string{10: "Explain the cache",
			12: "Reply: It is cold: nobody has asked yet."}, recognised},
		"with a reply cut off": {"/shop", map[int]string{10: "Explain the cache", 12: "Reply: It is"}, recognised},
		"with another reply": {"/shop", map[int]string{10: "Explain the cache",
			12: "Reply: Caches keep what took long to compute."}, added},
		"elsewhere, its id": {"/other", map[int]string{10: "Explain the cache",
			30: "Resume: claude --resume 11111111-aaaa"}, recognised},
		"its id alone": {"/shop", map[int]string{30: "Resume: claude --resume 11111111-aaaa"}, added},
		"its id, something else": {"/shop", map[int]string{10: "Something else",
			30: "Resume: claude --resume 11111111-aaaa"}, added},
		"the id that one said": {"/other", map[int]string{10: "What is 11111111-aaaa?"}, added},
	} {
		t.Run(name, func(t *testing.T) {
			s, project := database(t), claude(t)
			record(t, s, tt.cwd, "recorded", 0, 500, tt.prompts)
			write(t, filepath.Join(project, "11111111-aaaa.jsonl"),
				strings.Replace(said(9, "user", "a", "Explain the cache"), `{`, `{"sessionId":"11111111-aaaa",`, 1), said(11,
					"assistant", "b", "It is cold: nobody has asked yet."))
			check(t, "import", imported(t, s, archive.Redaction{}), tt.want)
			if tt.want == recognised {
				check(t, "again", imported(t, s, archive.Redaction{}), "0 imported, 1 already there\n")
			}
		})
	}
}

// TestTurnsThatWereNotRecordedAreImported takes in the turns that were not recorded.
func TestTurnsThatWereNotRecordedAreImported(t *testing.T) {
	s, project := database(t), claude(t)
	record(t, s, "/shop", "recorded", 1000, 1100, map[int]string{1010: "Explain the cache", 1050: "And the keys?"})
	write(t, filepath.Join(project, "1.jsonl"), said(0, "user", "a", "Before ptyrec"), said(1, "assistant", "b", "Yes."),
		said(1010, "user", "c", "Explain the cache"), said(1011, "assistant", "d", "It is cold."), said(1050, "user", "e",
			"And the keys?"), said(2000, "user", "f", "Later, without it"))
	check(t, "import", imported(t, s, archive.Redaction{}), "ID  claude: Before ptyrec\n1 imported, 0 already there\n")
	infos, err := s.Sessions(t.Context(), store.Filter{Since: start, Until: start.Add(time.Minute)})
	if err != nil || len(infos) != 1 || infos[0].Messages != 3 || infos[0].Turns != 2 {
		t.Fatalf("%+v, %v", infos, err)
	}
}

// What an agent logged of a private session is private, too, also where it is not recognised, or
// when the conversation was imported before; and all that is imported in one.
func TestLogsOfPrivateSessionsArePrivate(t *testing.T) {
	prompts := map[int]string{10: "Explain the cache"}
	said := func(seconds int, role, id, text string) string {
		return strings.Replace(said(seconds, role, id, text), `{`, `{"sessionId":"11111111-aaaa",`, 1)
	}
	for name, tt := range map[string]struct {
		cwd     string
		said    []string // by the agent's log, besides what was said in the session
		prompts map[int]string
		inside  bool // it is imported in a private session
		want    bool
	}{
		"before it":       {"/shop", []string{said(-900, "user", "x", "Before")}, prompts, false, true},
		"not recognised":  {"/shop", nil, map[int]string{10: "Sort the keys of the table"}, false, true},
		"below":           {"/", nil, nil, false, true},
		"elsewhere":       {"/other", nil, nil, false, false},
		"by its id":       {"/other", nil, map[int]string{30: "Resume: claude --resume 11111111-aaaa"}, false, true},
		"at another time": {"/shop", []string{said(900, "user", "x", "Later")}, nil, false, true},
		"imported inside": {"/other", nil, nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, project := database(t), claude(t)
			log := filepath.Join(project, "11111111-aaaa.jsonl")
			write(t, log, said(-1000, "user", "before", "The first question"))
			imported(t, s, archive.Redaction{}) // before the private session
			if info, _ := texts(t, s); info.Private {
				t.Fatal("it is private before")
			}
			recordAs(t, s, tt.cwd, "recorded", 0, 500, tt.prompts, true)
			write(t, log, append(tt.said, said(-1000, "user", "before", "The first question"),
				said(9, "user", "a", "Explain the cache"), said(11, "assistant", "b", "It is cold."))...)
			im := &agentimport.Importer{Store: s, Private: tt.inside, Out: io.Discard, Progress: new(human.Bar),
				Notice: func(string, ...any) {}}
			if err := im.Import(t.Context(), []string{"claude"}); err != nil {
				t.Fatal(err)
			}
			infos, err := s.Sessions(t.Context(), store.Filter{})
			if err != nil || len(infos) != 2 {
				t.Fatalf("%d sessions, %v", len(infos), err)
			}
			for _, info := range infos {
				if info.Source != nil && info.Private != tt.want {
					t.Errorf("private: %t, want %t", info.Private, tt.want)
				}
			}
		})
	}
}

// TestRealRecordingIsRecognised recognises a recording of a real agent, whose log is of the same
// run.
func TestRealRecordingIsRecognised(t *testing.T) {
	s, project := database(t), claude(t)
	log, err := os.ReadFile("testdata/rewind.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "ec4c4f4a-e18a-42b6-99a4-47da6639e8d0.jsonl"), strings.TrimSpace(string(log)))
	if got := imported(t, database(t), archive.Redaction{}); !strings.HasPrefix(got,
		"ID  claude: Summarize how a stale token exposes the checksum\n1 imported") {
		t.Errorf("without the recording: %s", got)
	}
	f, err := os.Open("testdata/rewind.cast.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rewind.cast") // the lab's clock is another one: the log has when the run was
	write(t, path, strings.Replace(string(text), `"timestamp":1763600000`, `"timestamp":1795380062`, 1))
	rec, err := archive.OpenRecording(path, archive.RecordingOptions{Seen: func(int) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	raw := store.NewRecording(rec.Session.Cols, rec.Session.Rows)
	tr, err := rec.Transcribe(raw.Write)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Import(t.Context(), &tr.Session, raw, tr.Entries); err != nil {
		t.Fatal(err)
	}
	check(t, "with it", imported(t, s, archive.Redaction{}), "0 imported, 0 already there, 1 recorded by ptyrec\n")
}

// TestUnreadableLogsAreNamed names what cannot be read, and imports the rest.
func TestUnreadableLogsAreNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	s, project := database(t), claude(t)
	write(t, filepath.Join(project, "1.jsonl"), said(0, "user", "a", "Why?"))
	write(t, filepath.Join(project, "2.jsonl"), said(0, "user", "b", "How?"))
	if err := os.Chmod(filepath.Join(project, "1.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	im := &agentimport.Importer{Store: s, Out: &out, Progress: new(human.Bar),
		Notice: func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }}
	err := im.Import(t.Context(), agentlog.Agents())
	if err == nil || !strings.Contains(err.Error(), "1.jsonl") || !strings.Contains(out.String(), "claude: How?") ||
		!strings.Contains(out.String(), "1 failed") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
