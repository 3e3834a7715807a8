package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// evil is what a hostile program, agent, database or file system would like to have printed:
// control sequences in 7 and 8 bits, bidirectional controls, tag characters, and other characters
// that are not seen.
const evil = "\x1b]0;owned\a\x1b[2J\x1b[31m\u009b2J\x7f\b\r\u202Egnp.exe\u2066\u200b\U000E0041\u00ad\u2028<script>"

// Control and invisible characters of a prepared database and of file names reached the terminal
// from some of the commands: tags and notes, agents' names, file names in errors, C1 and DEL in
// JSON.
func TestNothingEvilIsPrinted(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	dir := t.TempDir()
	run := func(args ...string) (stdout, stderr []byte) {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env, cmd.Dir = append(environ, "HOME="+dir, "XDG_CONFIG_HOME="+dir), dir
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // many fail, as they should
		return out.Bytes(), errs.Bytes()
	}
	name := func(ending string) string {
		return filepath.Join(dir, strings.NewReplacer("\x00", "", "/", "").Replace(evil)+ending)
	}
	recording := `{"version": 2, "width": 80, "height": 24, "timestamp": 1700000000, "title": ` +
		quoted(evil) + `, "command": ` + quoted(evil) + `}
[0.1, "o", ` + quoted("$ echo "+evil+"\r\n"+evil+"\r\n\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\ \u202eabc "+
		"\U000E0041\r\n") + `]
[0.2, "x", "0"]
`
	for file, text := range map[string]string{name(".cast"): recording, name(".bad"): "no recording " + evil,
		name(".toml"): evil, name(".db"): "no database"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, text []byte) {
		t.Helper()
		if i := driving(text); i >= 0 {
			t.Errorf("%s: it prints %q at byte %d of %d: %q", what, text[i:min(len(text), i+4)], i, len(text),
				text[max(0, i-60):min(len(text), i+60)])
		}
	}
	out, said := run("import", name(".cast"))
	check("import", append(out, said...))
	run("run", "--", "true") // becomes a command of a sandbox
	run("run", "--", "printf", `%s\n`, evil)
	run("list") // packs their journals
	poison(t, path)
	logs := filepath.Join(dir, ".codex", "sessions")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	log := `{"timestamp":"2026-11-20T08:15:28Z","type":"session_meta","payload":{"id":` +
		quoted(evil) + `,"cwd":` + quoted(evil) + `,"cli_version":` + quoted(evil) + `}}
{"timestamp":"2026-11-20T08:15:29Z","type":"event_msg","payload":{"type":"user_message","message":` + quoted(evil) + `}}
{"timestamp":"2026-11-20T08:15:30Z","type":"response_item","payload":{"type":"function_call","name":` +
		quoted(evil) + `,"arguments":` + quoted(evil) + `,"call_id":"1"}}
{"timestamp":"2026-11-20T08:15:31Z","type":"response_item","payload":{"type":"function_call_output","output":` +
		quoted(evil) + `,"call_id":"1"}}
no line ` + evil
	if err := os.WriteFile(filepath.Join(logs, strings.NewReplacer("\x00", "", "/", "").Replace(evil)+".jsonl"),
		[]byte(log), 0o600); err != nil {
		t.Fatal(err)
	}

	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"error": %s, "code": %[1]s, "hint": %[1]s, "message": %[1]s}`, quoted(evil))
	}))
	defer host.Close()
	server := httptest.NewServer(http.HandlerFunc(evilServer))
	defer server.Close()
	environ = append(environ, "PTYREC_TEAM_SERVER="+server.URL, "PTYREC_TEAM_TOKEN=ptr_x")
	commands := [][]string{
		{"list", "--team"}, {"list", "--team", "--json"}, {"list", "--team", "--owner", evil, "--space", evil},
		{"search", "--team", "evilword"}, {"search", "--team", "evilword", "--json"}, {"show", "--team"},
		{"show", "--team", "--json"},
		{"show", "--team", evil}, {"show", "--team", "last#" + evil}, {"show", "--team", "--raw"}, {"play", "--team"},
		{"stats", "--team"}, {"stats", "--team", "--json"}, {"export", "--team", "--format", "md"},
		{"export", "--team", "--format", "json"},
		{"export", "--team", "last", "--format", "txt"}, {"export", "--team", "last", "--format", "html"},
		{"export", "--team", "last", "--format", "svg"}, {"export", "--team", evil, "--format", "md"},
		{"export", "--team", "--all", "--format", "md", "-o", filepath.Join(dir, "team")},
		{"attach", host.URL + "/s/01a1fcd2"}, {"send", host.URL + "/s/01a1fcd2", "x"}, {"wait", host.URL + "/s/01a1fcd2"},
		{"screen", host.URL + "/s/01a1fcd2"},
		{"grant", host.URL + "/s/01a1fcd2"}, {"attach", host.URL + "/" + evil},
		{"list"}, {"list", "-i"}, {}, {"list", "--json"}, {"list", "--tag", evil}, {"list", "--branch", evil},
		{"list", "--commit", evil}, {"trailer", "--url", evil}, {"list", "--agent", evil}, {"list", "--cwd", evil},
		{"list", "--since", evil},
		{"search", "evilword"}, {"search", "evilword", "--json"}, {"search", evil}, {"search", `"` + evil},
		{"show", "last"}, {"show", "last", "--tools", "--thinking"}, {"show", "last#2"}, {"show", "last", "--json"},
		{"show", evil}, {"show", "last#" + evil},
		{"stats"}, {"stats", "--json"}, {"diff", "last"}, {"diff", "last", "--json"}, {"diff", evil}, {"blame", evil},
		{"blame", evil + ":1"}, {"blame", name(".cast") + ":1"}, {"forget", evil}, {"forget", "last", "--yes"},
		{"tail", "last"}, {"tail", "last", "--json"}, {"tail", evil}, {"play", evil}, {"play", "last"},
		{"export", "--session", "last", "--format", "json"}, {"export", "--session", "last", "--format", "jsonl"},
		{"export", "--session", "last", "--format", "md"},
		{"export", "--session", "last", "--format", "txt"}, {"export", "--session", "last", "--format", "html"},
		{"export", "--session", "last", "--format", "svg"},
		{"export", "--session", "last", "--format", evil}, {"export", name(".nosuch")}, {"export", "--session", evil},
		{"extract", name(".cast")}, {"extract", name(".bad")}, {"extract", name(".nosuch")},
		{"explain", name(".cast") + "#1"}, {"explain", name(".cast"), "--at", "end"}, {"explain", "last#1", "--json"},
		{"explain", "last", "--at", "1", "--json"}, {"extract", "--session", "last"},
		{"screen", name(".cast")}, {"screen", name(".cast"), "--json"}, {"screen", name(".cast"), "--svg"},
		{"screen", name(".nosuch")}, {"screen", "--session", "last"},
		{"import", name(".bad")}, {"import", name(".nosuch")}, {"import", "--dry-run", name(".cast")}, {"import", dir},
		{"import", "--agent-logs", "--dry-run"}, {"import", "--agent-logs"}, {"list", "--agent", "codex"},
		{"show", "last", "--tools"}, {"import", "--agent-logs", evil},
		{"tag", "last"}, {"tag", "last", evil}, {"note", "last"}, {"rename", "last", evil}, {"rename", evil, "x"},
		{"rm", evil}, {"rm", "last"}, {"prune", "--older-than", evil}, {"prune", "--older-than", "1s"}, {"redact", "last"},
		{"redact", "last", "--json"}, {"redact", evil},
		{"verify", "last"}, {"verify", evil}, {"doctor"}, {"config"}, {"config", evil}, {"init", evil},
		{"completion", evil}, {"help", evil}, {evil}, {"--" + evil},
		{"attach", evil}, {"attach", "last"}, {"grant", evil}, {"grant", "last"}, {"revoke", evil}, {"send", evil, evil},
		{"send", "last", evil}, {"wait", evil}, {"wait", "last"},
		{"attach", "http://127.0.0.1:1/" + evil}, {"serve", "--listen", evil}, {"run", "--", evil}, {"run", "--size", evil},
		{"run", "--detach", "--", evil},
		{"--db", name(".db"), "list"}, {"--db", name("/x.db"), "list"}, {"--db", name(".new"), "list"},
		{"--db", name(".new"), "show", "last"},
		{"--db", name(".db"), "doctor"}, {"--db", name(".new"), "doctor"}, {"--db", name(".new"), "run", "--", "true"},
		{"--db", name(".new"), "config"},
		{"export", name(".json")}, {"export", name(".json")},
		{"export", "--all", "--format", "md", "-o", filepath.Join(dir, "all")},
		{"extract", name(".cast"), "-o", name(".folder")},
		{"export", "--all", "--format", "md", "-o", name(".cast")}, {"show", name(".cast")}, {"show", name(".nosuch")},
		{"play", name(".nosuch")}, {"screen", name(".cast"), "--text"},
		{"__complete", "show", ""}, {"__complete", "list", "--tag", ""}, {"__complete", "tag", "last", ""}, {"version", evil},
		{"prompt", evil, "x"}, {"prompt", "last", evil}, {"prompt", host.URL + "/s/01a1fcd2", evil},
		{"exec", host.URL, "--", evil}, {"exec", evil, "--", evil},
		{"agentapi", "attach", evil}, {"agentapi", "attach", "--url", host.URL}, {"agentapi", "server", "--", evil},
		{"mcp", "install", evil}, {"mcp", evil},
		{"tail", "sandbox:" + evil}, {"show", "sandbox:" + evil}, {"export", "sandbox:" + evil},
		{"list", "--sandbox", evil}, {"list", "--command", evil}, {"search", "--sandbox", evil, "x"},
		{"attach", "ws://127.0.0.1:1/" + evil}, {"tail", strings.Replace(host.URL, "http", "ws", 1) + "/a/b"},
		{"play", strings.Replace(host.URL, "http", "ws", 1) + "/a/b"},
		{"wait", host.URL + "/s/01a1fcd2", "--port", "1"}, {"wait", "last", "--log", evil},
		{"wait", "last", "--log-regexp", evil}, {"detach", evil}, {"join", evil},
		{"share", evil}, {"share", "last"}, {"share", "last", "--for", evil}, {"sync", evil}, {"sync"},
		{"sync", "--never", "last"}, {"login", evil, "--token-file", name(".nosuch")},
		{"login", host.URL, "--token-file", name(".cast")}, {"login", host.URL}, {"login", server.URL}, {"login", evil},
		{"logout"},
		{"team", evil}, {"team", "user", "add", evil}, {"team", "user", "email", evil, evil},
		{"--db", "postgres://" + evil, "team", "user", "list"}, {"--db", "postgres:///x?host=/nowhere" + evil, "serve"},
		{"export", "last#1.." + evil}, {"play", "last", "--at", evil}, {"screen", "last", "--at", evil}, {"resume", evil},
		{"resume", "last", "--print"}, {"resume", "last"}, {"run", "--notify=" + evil, "--", "true"},
		{"run", "--size", "80x24", "--cwd", evil, "--", "true"},
	}
	for _, args := range commands {
		out, said := run(args...)
		what := fmt.Sprintf("%.60q", args)
		check(what+" (stdout)", out)
		check(what+" (stderr)", said)
	}
	files, err := os.ReadDir(filepath.Join(dir, "all"))
	if err != nil || len(files) == 0 {
		t.Errorf("export --all wrote %d files: %v", len(files), err)
	}
	for _, f := range files {
		check("the name of a file", []byte(f.Name()))
	}
	for _, ending := range []string{"json", "jsonl", "md", "txt", "html", "svg"} {
		file := filepath.Join(dir, "out."+ending)
		run("export", file)
		if text, err := os.ReadFile(file); err != nil {
			t.Error(err)
		} else {
			check(file, text)
			if bytes.Contains(text, []byte(`href="javascript`)) ||
				bytes.Contains(text, []byte("](javascript:")) && ending == "md" {
				t.Errorf("%s links to a script", ending)
			}
		}
	}
}

// evilField is the place of a text in what evilServer answers.
var evilField = regexp.MustCompile(`\bE\b`)

// evilServer is the server of a team that answers with evil in every text.
func evilServer(w http.ResponseWriter, r *http.Request) {
	e := quoted(evil)
	one := `{"id": "019aa000-0000-7000-8000-000000000001", "command": [E, E], "cwd": E, "title": E, "name": E, "note": ` +
		`E, "prompt": E, "tags": [E], "owner": E, "space": E, "started_at": "2026-01-02T03:04:05Z",
		"ended_at": "2026-01-02T03:05:05Z", "cols": 80, "rows": 24, "agents": [{"name": E, "version": E, "model": E}],
		"status": "ended", "messages": 1, "turns": 1, "duration": 60,
		"git": {"start": {"branch": E, "commit": E}, "commits": [E]},
		"continues": E, "continued_by": [E], "sandbox": E, "process": E, "asked": {"by": E, "shell": E}, "source": ` +
		`{"kind": E, "agent": E, "id": E, "path": E}}`
	entry := `{"id": E, "seq": 1, "type": "message", "role": E, "agent": E, "text": E, "markdown": E, "output": E, ` +
		`"at": "2026-01-02T03:04:05Z", "cwd": E, "tool": {"name": E, "input": E, "output": E, "status": E}}`
	answer := map[string]string{
		"/api/logins": `{"code": "AAAA-AAAA"}`, "/api/info": `{"user": E}`,
		"/api/sessions": `{"sessions": [` + one + `], "total": 1}`, "/api/sessions/last": one,
		"/api/search": `{"hits": [{"session": ` + one + `, "entry": ` + entry +
			`, "snippet": E, "marks": [[1, 3]]}, {"session": ` + one + `, "snippet": E}]}`,
		"/api/usage": `{"usage": [{"session": E, "cwd": E, "source": E, "agent": E, "model": E, "at": ` +
			`"2026-01-02T03:04:05Z", "total": 7}]}`,
	}[r.URL.Path]
	if strings.HasSuffix(r.URL.Path, "/entries") {
		answer = `{"entries": [` + entry + `], "start": 0, "total": 1}`
	}
	if answer == "" {
		w.WriteHeader(http.StatusConflict)
		answer = `{"code": E, "message": E}`
	}
	_, _ = w.Write([]byte(evilField.ReplaceAllStringFunc(answer, func(string) string { return e })))
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // cannot fail
	return string(b)
}

// poison puts evil into every text of a database.
func poison(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	link := "[link](javascript:alert(1)) [x](&#106;avascript:alert(1)) <javascript:alert(1)> [d]: data:text/html,x " +
		"![p](data:image/png,x) &#x202e; "
	for _, statement := range []string{
		`UPDATE sessions SET title = ?1 || title, cwd = ?1, git = json_object('start', json_object('branch', ?1, ` +
			`'commit', ?1), 'end', json_object('branch', ?1, 'commit', ?1), 'commits', json_array(?1)), name = ?1, note = ` +
			`?1, prompt = ?1, command = json_array(?1, ?1), tags = json_array(?1),
			agents = json_array(json_object('name', ?1, 'version', ?1, 'model', ?1))`,
		`UPDATE entries SET text = 'evilword ' || ?1, markdown = ?2 || ?1, output = ?1, agent = ?1,
			tool = json_object('name', ?1, 'input', ?1, 'output', ?1, 'status', ?1), data = json_object('by', ?1, 'text', ` +
			`?1, 'version', ?1, 'status', ?1, 'reason', ?1, ?1, ?1)`,
		`UPDATE entries SET role = ?1, status = ?1 WHERE seq % 5 = 1`,
		`UPDATE sessions SET id = ?1 WHERE pk = (SELECT min(pk) FROM sessions)`,
		`UPDATE sessions SET sandbox = ?1, process = ?1, asked = json_object('by', ?1, 'shell', ?1) WHERE pk = (SELECT ` +
			`min(pk) + 1 FROM sessions)`,
		`UPDATE entries SET role = 'tool' WHERE seq = 2`,
		`UPDATE entries SET role = 'assistant' WHERE seq = 3`,
		`UPDATE entries SET event = ?1, type = 'event' WHERE seq = 4`,
		`INSERT INTO entry_fts (rowid, text, output) SELECT pk, text, output FROM entries WHERE NOT EXISTS (SELECT 1 FROM ` +
			`entry_fts WHERE rowid = entries.pk)`,
	} {
		arguments := []any{evil, link}
		if _, err := db.ExecContext(t.Context(), statement,
			arguments[:strings.Count(statement, "?2")+min(1, strings.Count(statement, "?1"))]...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// driving returns the index of what drives a terminal or deceives its reader in text, or
// -1.
func driving(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == '\n' || r == '\t':
		case r == utf8.RuneError && n == 1, unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control,
			r), r == 0x200b, r == 0xad, r >= 0xe0000 && r <= 0xe007f, r == 0x2028:
			return i
		}
		i += n
	}
	return -1
}
