package agentlog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// TestShellLineOfGeminiIsNotAPrompt reads what Gemini CLI tells the model of a command that the
// user ran behind a "!": the user said nothing then.
func TestShellLineOfGeminiIsNotAPrompt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	doc := `{"id":"1","timestamp":"2026-11-23T04:50:07Z","type":"user","content":[{"text":"I ran the following shell ` +
		`command:\n` +
		"```sh\\nls -1\\n```" + `\n\nThis produced the following result:\n` + "```\\nmain.go\\n```" + `"}]}` + "\n" +
		`{"id":"2","timestamp":"2026-11-23T04:50:08Z","type":"user","content":[{"text":"Go on"}]}` + "\n"
	if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	messages, _, err := logOf("gemini", path).messages()
	if err != nil || len(messages) != 1 || messages[0].Text != "Go on" {
		t.Errorf("messages %+v, %v", messages, err)
	}
	if lines, _, _ := told(t, logOf("gemini", path)); len(lines) != 2 {
		t.Errorf("entries %q", lines)
	}
}

// TestVerifyCopilot compares a session with Copilot CLI's log of it.
func TestVerifyCopilot(t *testing.T) {
	home := t.TempDir()
	t.Setenv("COPILOT_HOME", home)
	dir := filepath.Join(home, "session-state", "88ee9398")
	log := `{"type":"session.start","id":"a","timestamp":"2026-11-23T04:50:00Z","data":{"sessionId":"88ee9398",` +
		`"copilotVersion":"1.0.102","context":{"cwd":"/work"}}}` + "\n" +
		// as if written late
		`{"type":"assistant.message","id":"c","timestamp":"2026-11-23T04:50:02Z","data":{"content":"Yes, **all** of ` +
		`it."}}` + "\n" +
		`{"type":"user.message","id":"b","timestamp":"2026-11-23T04:50:01Z","data":{"content":"Is it done?"}}` + "\n"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 23, 4, 50, 0, 0, time.UTC)
	s := session.Session{StartedAt: start, Cwd: "/work", Agents: []session.Agent{{Name: "copilot"}}}
	if err := os.Chtimes(filepath.Join(dir, "events.jsonl"), start, start); err != nil {
		t.Fatal(err)
	}
	said := func(role, text string) *session.Entry {
		return &session.Entry{Type: session.TypeMessage, Role: role, Agent: "copilot", Text: text, Markdown: text, At: start}
	}
	found, _, err := Verify(s, []*session.Entry{said(session.RoleUser, "Is it done?"),
		said(session.RoleAssistant, "Yes, all of it.")})
	if err != nil || len(found) != 1 || found[0].Exact != 2 || len(found[0].Differs) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestVerifySaid leaves out what an agent prints again when it resumes a conversation, and nothing
// else that is said twice.
func TestVerifySaid(t *testing.T) {
	start := time.Date(2026, 11, 23, 4, 50, 0, 0, time.UTC)
	entry := func(seconds int, event, role, text string) *session.Entry {
		return &session.Entry{Agent: "claude", Event: event, Role: role, Text: text,
			At: start.Add(time.Duration(seconds) * time.Second)}
	}
	var got []string
	for _, e := range saidIn([]*session.Entry{
		entry(0, session.EventNewSession, "", ""), entry(0, "", session.RoleUser, "from before"),
		entry(1, "", session.RoleUser, "yes"), entry(2, "", session.RoleAssistant, "yes"),
		entry(3, "", session.RoleUser, "yes"),
		entry(4, session.EventNewSession, "", ""), entry(4, "", session.RoleUser, "from before"),
		entry(4, "", session.RoleUser, "yes"), entry(4, "", session.RoleAssistant, "never seen"),
		entry(5, "", session.RoleTool, "ls"), entry(6, "", session.RoleUser, "yes"),
		{Agent: "codex", Role: session.RoleUser, Text: "of another"},
	}, "claude") {
		got = append(got, e.Role+" "+e.Text)
	}
	want := []string{"user from before", "user yes", "assistant yes", "user yes", "assistant never seen", "user yes"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestChangeOfAConversationInADatabase knows when a conversation in a database was changed last.
func TestChangeOfAConversationInADatabase(t *testing.T) {
	at := time.Date(2026, 11, 23, 4, 50, 0, 0, time.UTC)
	l := Log{Files: []string{"ses_1"}, changed: at}
	if !l.changedSince(at) || l.changedSince(at.Add(time.Second)) {
		t.Error("a conversation of a database is not found by its time")
	}
	if l.changed = (time.Time{}); l.changedSince(at) {
		t.Error("a file that is not there was changed")
	}
	if !slices.Contains(Agents(), "opencode") {
		t.Error("opencode's log is not compared")
	}
}
