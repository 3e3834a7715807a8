package agentlog

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write writes files below a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
}

// TestClaudePlaces reads the logs of subagents wherever they are below the conversation's, and
// leaves out journals of workflows.
func TestClaudePlaces(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	line := func(id, text string, more string) string {
		return `{"type":"user","uuid":"` + id +
			`","sessionId":"s","timestamp":"2026-05-01T10:00:00Z","message":{"content":"` + text + `"}` + more + "}\n"
	}
	const side = `,"isSidechain":true`
	write(t, filepath.Join(dir, "projects", "-shop"), map[string]string{
		"s.jsonl":                                   line("1", "zebras?", ""),
		"s/subagents/agent-a.jsonl":                 line("2", "task", side),
		"s/subagents/workflows/w/agent-b.jsonl":     line("3", "step", side),
		"s/subagents/workflows/w/journal.jsonl":     line("4", "no message", ""),
		"agent-c.jsonl":                             line("5", "as before 2.1", side),
		"lost/subagents/agent-d.jsonl":              line("6", "of nobody", side),
		"s/tool-results/big.jsonl":                  line("7", "no message", ""),
		"s/subagents/workflows/w/agent-b.meta.json": "{}",
	})
	said, _ := found(t, "claude")
	want := map[string][]string{
		"s.jsonl": {"user: zebras?", "tool subagent(as before 2.1) ok: ", "tool subagent(task) ok: ",
			"tool subagent(step) ok: "},
		"lone agent-d.jsonl": {"tool subagent(of nobody) ok: "},
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestClaudeInjectedTexts leaves out what is in the user's name, and no person said.
func TestClaudeInjectedTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	line := func(n int, members string) string {
		return fmt.Sprintf(`{"uuid":"%d","timestamp":"2026-05-01T10:00:00Z",%s}`, n, members) + "\n"
	}
	message := func(text string) string { return `"type":"user","message":{"content":"` + text + `"}` }
	queued := func(members string) string {
		return `"type":"attachment","attachment":{"type":"queued_command",` + members + "}"
	}
	writeFile(t, path, strings.Join([]string{
		line(1, message("zebras?<user-prompt-submit-hook>x</user-prompt-submit-hook>")+`,"origin":{"kind":"human"}`),
		line(2, message("go on")+`,"origin":{"kind":"auto-continuation"}`),
		line(3, message(`<teammate-message teammate_id=\"a\">x</teammate-message>`)),
		line(4, queued(`"prompt":"horses?","commandMode":"prompt"`)),
		line(5, queued(`"prompt":"done","commandMode":"task-notification"`)),
		line(6, queued(`"prompt":"done","origin":{"kind":"task-notification"}`)),
		line(7, queued(`"prompt":"done","isMeta":true`)),
		line(8, message("<ide_opened_file>x</ide_opened_file>mules?")),
	}, ""))
	lines, _, _ := told(t, logOf("claude", path))
	if diff := cmp.Diff([]string{"user: zebras?", "user: horses?", "user: mules?"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGeminiPlaces reads the logs of subagents with that of the conversation, and a log that was
// continued in the other format with that.
func TestGeminiPlaces(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GEMINI_CLI_HOME", dir)
	head := func(id, more string) string {
		return `{"sessionId":"` + id + `","projectHash":"x","startTime":"2026-05-01T10:00:00Z"` + more + "}\n"
	}
	message := func(id, typ, text string) string {
		return `{"id":"` + id + `","type":"` + typ + `","timestamp":"2026-05-01T10:00:01Z","content":"` + text + `"}` + "\n"
	}
	write(t, filepath.Join(dir, ".gemini", "tmp", "shop"), map[string]string{
		"chats/session-2026-05-01T10-00-s.json": `{"sessionId":"s","messages":[` + message("1", "user", "zebras?") + `]}`,
		"chats/session-2026-05-01T10-00-s.jsonl": head("s", `,"kind":"main"`) + message("1", "user", "zebras?") +
			message("2", "gemini", "striped") +
			message("3", "user", "horses?<hook_context>x</hook_context>") +
			message("4", "user", "<hook_context>x</hook_context>"),
		"chats/s/a.jsonl": head("a", `,"kind":"subagent"`) + message("5", "user", "task") +
			message("6", "gemini", "done"),
		"chats/session-2026-05-01T10-05-old.jsonl": head("old", `,"kind":"subagent"`) + message("7", "user", "of nobody"),
		"logs/session-s.jsonl":                     message("8", "user", "no log"),
		"checkpoint-x.json":                        "[]",
	})
	said, _ := found(t, "gemini")
	want := map[string][]string{
		"session-2026-05-01T10-00-s.json": {"user: zebras?", "assistant: striped", "user: horses?",
			"tool subagent(task) ok: ", "tool subagent() ok: done"},
		"lone session-2026-05-01T10-05-old.jsonl": {"user: of nobody"},
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestQwenPlaces reads the logs of Qwen Code in each folder in which it keeps them, archived ones,
// those of subagents, and those of 2025.
func TestQwenPlaces(t *testing.T) {
	home, moved, set := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("QWEN_HOME", home)
	t.Setenv("QWEN_RUNTIME_DIR", moved)
	line := func(text string) string {
		return `{"uuid":"` + text + `","sessionId":"x","timestamp":"2026-05-01T10:00:00Z","type":"user","message":` +
			`{"parts":[{"text":"` + text + `"}]}}` + "\n"
	}
	write(t, home, map[string]string{
		"settings.json":                                `{"advanced":{"runtimeOutputDir":"` + set + `"}}`,
		"projects/-shop/chats/1.jsonl":                 line("zebras?"),
		"projects/-shop/chats/archive/2.jsonl":         line("horses?"),
		"projects/-shop/subagents/2/agent-a.jsonl":     line("task"),
		"projects/-shop/subagents/gone/agent-b.jsonl":  line("of nobody"),
		"projects/-shop/subagents/2/agent-a.meta.json": "{}",
		"tmp/0a/chats/session-3.json": `{"sessionId":"3","messages":[{"id":"a","type":"user","timestamp":` +
			`"2025-10-01T10:00:00Z","content":"mules?"},{"id":"b","type":"qwen","timestamp":"2025-10-01T10:00:01Z","content":` +
			`"grey"}]}`,
		"tmp/0a/logs.json": "[]",
	})
	write(t, moved, map[string]string{"projects/-shop/chats/4.jsonl": line("moved")})
	write(t, set, map[string]string{"projects/-shop/chats/5.jsonl": line("set")})
	said, _ := found(t, "qwen")
	want := map[string][]string{
		"1.jsonl":            {"user: zebras?"},
		"2.jsonl":            {"user: horses?", "tool subagent(task) ok: "},
		"lone agent-b.jsonl": {"user: of nobody"},
		"session-3.json":     {"user: mules?", "assistant: grey"},
		"4.jsonl":            {"user: moved"},
		"5.jsonl":            {"user: set"},
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestQwenPromptAsTyped takes a prompt as it was typed: without what hooks and named files add, and
// none that the agent says in the user's name.
func TestQwenPromptAsTyped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1.jsonl")
	line := func(n int, members string, parts ...string) string {
		return fmt.Sprintf(`{"uuid":"%d","type":"user","timestamp":"2026-05-01T10:00:00Z",%s"message":{"parts":[{"text":`+
			`%q}]}}`, n, members, strings.Join(parts, `"},{"text":"`)) + "\n"
	}
	shown := func(text string) string { return `"systemPayload":{"displayText":"` + text + `","hookContext":"x"},` }
	writeFile(t, path, strings.Join([]string{
		line(1, shown("zebras?")+`"provenance":"real_user",`, "zebras? x, says a hook"),
		line(2, shown(""), "said by a hook alone"),
		line(3, "", "horses?<hook_context>x</hook_context>"),
		line(4, `"subtype":"mid_turn_user_message",`+shown("mules?"), "The user says meanwhile: mules?"),
		line(5, `"subtype":"notification",`+shown("a command ended"), "x"),
		line(6, `"provenance":"goal_runtime",`, "go on"),
		`{"uuid":"7","type":"user","timestamp":"2026-05-01T10:00:00Z","message":{"parts":[{"text":"what is ` +
			`@a.txt?"},{"text":"\n--- Content from referenced files ---"},{"text":"\nContent from ` +
			`@a.txt:\n"},{"text":"x"}]}}` + "\n",
		`{"uuid":"8","type":"system","subtype":"custom_title","systemPayload":{"customTitle":"Animals"}}` + "\n",
	}, ""))
	lines, facts, _ := told(t, logOf("qwen", path))
	if diff := cmp.Diff([]string{"user: zebras?", "user: horses?", "user: mules?", "user: what is @a.txt?"},
		lines); diff != "" || facts.Title != "Animals" {
		t.Errorf("title %q (-want +got):\n%s", facts.Title, diff)
	}
}

// TestCopilotPlaces reads the logs of Copilot CLI in each form that it had, and what subagents and
// the agent say in the user's name as theirs.
func TestCopilotPlaces(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("COPILOT_HOME", "")
	t.Setenv("XDG_STATE_HOME", state)
	event := func(n int, typ, data, more string) string {
		return fmt.Sprintf(`{"id":"%d","timestamp":"2026-05-01T10:00:00Z","type":%q,"data":{%s}%s}`, n, typ, data, more) +
			"\n"
	}
	const old = "0197b000-0000-7000-8000-000000000001"
	write(t, filepath.Join(home, ".copilot"), map[string]string{
		"session-state/1/events.jsonl": event(1, "user.message", `"content":"zebras?","source":"user"`, "") +
			event(2, "user.message", `"content":"the skill says","source":"skill-pdf"`, "") +
			event(3, "user.message", `"content":"go on","isAutopilotContinuation":true`, "") +
			event(4, "user.message", `"content":"task"`, `,"agentId":"a"`) +
			event(5, "assistant.message", `"content":"done","parentToolCallId":"c"`, "") +
			event(6, "assistant.message", `"content":"striped"`, "") +
			event(7, "session.title_changed", `"title":"Animals"`, ""),
		"session-state/2.jsonl":          event(1, "user.message", `"content":"horses?"`, ""),
		"session-state/1/workspace.yaml": "x: y",
		"history-session-state/session_" + old + "_1759957816398.json": `{"sessionId":"` + old + `","startTime":"2025-10-` +
			`08T21:10:16.398Z","chatMessages":[
			{"role":"system","content":"x"},{"role":"user","content":` +
			`"<current_datetime>x</current_datetime>\n\nmules?\n\n<reminder>x</reminder>"},
			{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":` +
			`"{\"command\":\"ls\"}"}}]},
			{"role":"tool","tool_call_id":"c","content":"a.txt"},{"role":"assistant","content":"grey"}],"timeline":[{"id":` +
			`"x","type":"user","text":"mules?"}]}`,
	})
	write(t, filepath.Join(state, ".copilot"),
		map[string]string{"session-state/3/events.jsonl": event(1, "user.message", `"content":"donkeys?"`, "")})
	var all [][]string
	for _, l := range Find("copilot", func(err error) { t.Error(err) }) {
		lines, _, _ := told(t, &l)
		all = append(all, lines)
	}
	want := [][]string{
		{"user: mules?", "tool bash(ls) ok: a.txt", "assistant: grey"},
		{"user: zebras?", "tool subagent(task) ok: ", "tool subagent() ok: done", "assistant: striped"},
		{"user: horses?"},
		{"user: donkeys?"},
	}
	if strings.Compare(home, state) > 0 {
		want = append(want[3:], want[:3]...)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestOpencodePlaces reads the databases of all channels, the files of older versions in both
// forms, and subagents of subagents.
func TestOpencodePlaces(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	dir := filepath.Join(data, "opencode")
	elsewhere := filepath.Join(t.TempDir(), "mine.db")
	t.Setenv("OPENCODE_DB", elsewhere)
	for _, name := range []string{"opencode.db", "opencode-dev.db", "other.db", elsewhere} {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		unzip(t, "testdata/opencode-1.18.33.db.gz", path)
		if name != "opencode.db" {
			only(t, path, "ses_"+strings.TrimSuffix(filepath.Base(name), ".db"))
		}
	}
	session := func(id, parent string) string {
		return `{"id":"` + id + `","parentID":"` + parent + `","directory":"/shop","version":"0.5.0"}`
	}
	message := `{"role":"user","time":{"created":1750000000000}}`
	part := func(text string) string { return `{"id":"p","type":"text","text":"` + text + `"}` }
	write(t, dir, map[string]string{
		"storage/session/p/ses_1.json": session("ses_1", ""), "storage/message/ses_1/msg_1.json": message,
		"storage/part/msg_1/prt_1.json": part("zebras?"),
		"storage/session/p/ses_2.json":  session("ses_2", "ses_1"), "storage/message/ses_2/msg_2.json": message,
		"storage/part/msg_2/prt_2.json": part("task"),
		"storage/session/p/ses_3.json":  session("ses_3", "ses_2"), "storage/message/ses_3/msg_3.json": message,
		"storage/part/msg_3/prt_3.json": part("subtask"),
		"storage/session/p/ses_4.json":  session("ses_4", "ses_5"), "storage/session/p/ses_5.json": session("ses_5", "ses_4"),
		"project/p/storage/session/info/ses_6.json":             session("ses_6", ""),
		"project/p/storage/session/message/ses_6/msg_6.json":    message,
		"project/p/storage/session/part/ses_6/msg_6/prt_6.json": part("horses?"),
	})
	said := map[string]string{}
	for _, l := range Find("opencode", func(err error) { t.Error(err) }) {
		lines, facts, _ := told(t, &l)
		if !l.Lone {
			said[facts.ID] = strings.Join(clip(lines, 40)[:min(3, len(lines))], "\n")
		}
	}
	const first = "user: Summarize how the migration flushes"
	for id, want := range map[string]string{
		"ses_1": "user: zebras?\ntool subagent(task) ok: \ntool subagent(subtask) ok: ", "ses_6": "user: horses?",
		"ses_opencode-dev": first[:40], "ses_mine": first[:40], "ses_dfafe9163ffe9kg1bosGpv1xEk": first[:40],
	} {
		if !strings.HasPrefix(said[id], want) {
			t.Errorf("%s: %q, want %q", id, said[id], want)
		}
	}
	if len(said) != 5 {
		t.Errorf("%d conversations, want 5: %q", len(said), said)
	}
}

// only gives the one conversation of a database another id.
func only(t *testing.T, path, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{"PRAGMA foreign_keys = OFF", "UPDATE session SET id = ?",
		"UPDATE message SET session_id = ?", "UPDATE part SET session_id = ?"} {
		args := []any{id}
		if strings.HasPrefix(statement, "PRAGMA") {
			args = nil
		}
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPiPlaces reads pi's logs wherever a variable or a setting puts them.
func TestPiPlaces(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PI_CODING_AGENT_DIR", "")
	t.Setenv("PI_CODING_AGENT_SESSION_DIR", elsewhere)
	log := func(id, prompt string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-05-01T10:00:00Z","cwd":"/shop"}` + "\n" +
			`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01Z",` +
			`"message":{"role":"user","content":"` + prompt + `"}}` + "\n"
	}
	write(t, filepath.Join(home, ".pi", "agent"), map[string]string{
		"settings.json":             `{"sessionDir":"~/pi-logs"}`,
		"sessions/--shop--/1.jsonl": log("1", "zebras?"),
	})
	write(t, filepath.Join(home, "pi-logs"), map[string]string{"2.jsonl": log("2", "horses?")})
	write(t, elsewhere, map[string]string{"3.jsonl": log("3", "mules?")})
	said, _ := found(t, "pi")
	want := map[string][]string{"1.jsonl": {"user: zebras?"}, "2.jsonl": {"user: horses?"}, "3.jsonl": {"user: mules?"}}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestPiLog reads all that pi logs: prompts with images, thinking, calls, the user's own commands,
// what an extension shows, summaries, a step back, an interruption, and tokens.
func TestPiLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	n := 0
	entry := func(typ, members string) string {
		n++
		return fmt.Sprintf(`{"type":%q,"id":"%d","parentId":"%d","timestamp":"2026-05-01T10:00:%02dZ",%s}`, typ, n, n-1, n,
			members) + "\n"
	}
	message := func(members string) string { return entry("message", `"message":{`+members+`}`) }
	text := strings.Join([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00Z","cwd":"/shop"}` + "\n",
		entry("model_change", `"provider":"p","modelId":"m-1"`),
		message(`"role":"user","content":[{"type":"text","text":"zebras?"},{"type":"image","data":"x"}]`),
		message(`"role":"assistant","model":"m-1","stopReason":"toolUse","usage":{"input":5,"output":7,"cacheRead":11,` +
			`"cacheWrite":13,"totalTokens":36},"content":[{"type":"thinking","thinking":"hm"},` +
			`{"type":"text","text":"I look."},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]`),
		message(`"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"a.txt"}],` +
			`"isError":false`),
		message(`"role":"bashExecution","command":"pwd","output":"/shop","exitCode":0`),
		entry("custom_message", `"customType":"x","content":"shown","display":true`),
		entry("custom_message", `"customType":"x","content":"hidden","display":false`),
		entry("custom", `"customType":"x","data":{}`),
		entry("compaction", `"summary":"short","firstKeptEntryId":"2","tokensBefore":9`),
		entry("session_info", `"name":"Animals"`),
		`{"type":"message","id":"a","parentId":"2","timestamp":"2026-05-01T10:01:00Z",` +
			`"message":{"role":"user","content":"horses?"}}` + "\n",
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-05-01T10:01:01Z","message":{"role":"assistant",` +
			`"content":[{"type":"text","text":"Hor"}],"model":"m-1","stopReason":"aborted","usage":{"output":1}}}` + "\n",
	}, "")
	writeFile(t, path, text)
	lines, facts, usage := told(t, logOf("pi", path))
	want := []string{"user: zebras?\n[Image]", "thinking: hm", "assistant: I look.", "tool bash(ls) ok: a.txt",
		"shell: pwd | /shop", "system: shown", "system: short", "system: The user went back to an earlier message.",
		"user: horses?", "assistant: Hor", "cli:interrupted"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if facts.ID != "s" || facts.Cwd != "/shop" || facts.Title != "Animals" || facts.Model != "m-1" {
		t.Errorf("facts %+v", facts)
	}
	tokens := int64(0)
	for _, u := range usage {
		tokens += u.Total
	}
	if len(usage) != 2 || tokens != 37 {
		t.Errorf("%d tokens in %d records, want 37 in 2", tokens, len(usage))
	}
}
