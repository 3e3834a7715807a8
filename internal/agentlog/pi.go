package agentlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// piLine is a line of pi's log: the header, or an entry of the conversation, which is a tree
// (docs/session-format.md of @mariozechner/pi-coding-agent 0.73.1, versions 1 to 3).
type piLine struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	Parent    string    `json:"parentId"`
	Timestamp moment    `json:"timestamp"`
	Cwd       string    `json:"cwd"`     // of the header
	Message   piMessage `json:"message"` // of "message"
	Model     string    `json:"modelId"` // of "model_change"
	Name      string    `json:"name"`    // of "session_info"
	Summary   string    `json:"summary"` // of "compaction" and "branch_summary"
	Content   said      `json:"content"` // of "custom_message", which an extension wrote
	Display   bool      `json:"display"` // whether the user sees it
}

type piMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Model   string          `json:"model"`
	Stopped string          `json:"stopReason"`
	Error   string          `json:"errorMessage"`
	Usage   struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
	} `json:"usage"`
	CallID  string `json:"toolCallId"`
	IsError bool   `json:"isError"`
	Command string `json:"command"` // of "bashExecution"
	Output  string `json:"output"`
	Summary string `json:"summary"`
	Display bool   `json:"display"`
}

// piPart is a part of what the model wrote.
type piPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// piReader reads pi's log.
type piReader struct {
	*writer
	last string // id of the last entry
}

func newPi(w *writer) func(doc []byte) {
	r := &piReader{writer: w}
	return func(doc []byte) {
		var l piLine
		if r.decode(doc, &l) {
			r.line(&l)
		}
	}
}

func (r *piReader) line(l *piLine) {
	r.at(l.Timestamp.Time)
	if l.Type == "session" {
		r.is(l.ID, "", "")
		r.in(l.Cwd)
		return
	}
	// Ids are short. A fork copies entries with their ids and times.
	key := l.ID
	if key != "" {
		key = below(l.ID, l.Timestamp.UTC().Format(time.RFC3339Nano))
	}
	if l.Parent != "" && r.last != "" && l.Parent != r.last {
		r.say(below(key, "back"), session.RoleSystem, "The user went back to an earlier message.")
	}
	if l.ID != "" {
		r.last = l.ID
	}
	switch l.Type {
	case "message":
		r.message(key, &l.Message)
	case "model_change":
		r.is("", "", l.Model)
	case "session_info":
		r.facts.Title = clean(l.Name)
	case "compaction", "branch_summary":
		r.say(key, session.RoleSystem, l.Summary)
	case "custom_message":
		if l.Display {
			r.say(key, session.RoleSystem, string(l.Content))
		}
	}
}

func (r *piReader) message(key string, m *piMessage) {
	var text said
	_ = json.Unmarshal(m.Content, &text) // never fails
	switch m.Role {
	case session.RoleUser:
		r.say(key, session.RoleUser, withImages(string(text), m.Content))
	case session.RoleAssistant:
		r.reply(key, m)
	case "toolResult":
		r.result(m.CallID, string(text), m.IsError)
	case "bashExecution":
		r.run(key, session.RoleShell, m.Command)
		r.printed(m.Output)
		r.flush()
	case "compactionSummary", "branchSummary":
		r.say(key, session.RoleSystem, m.Summary)
	case "custom", "hookMessage":
		if m.Display {
			r.say(key, session.RoleSystem, string(text))
		}
	}
}

// withImages adds to a prompt that it has images.
func withImages(text string, content json.RawMessage) string {
	var parts []piPart
	if json.Unmarshal(content, &parts) == nil &&
		slices.ContainsFunc(parts, func(p piPart) bool { return p.Type == "image" }) {
		return strings.TrimSpace(text + "\n[Image]")
	}
	return text
}

// reply reads what the model wrote, and the usage.
func (r *piReader) reply(key string, m *piMessage) {
	r.is("", "", m.Model)
	var parts []piPart
	_ = json.Unmarshal(m.Content, &parts) // an unexpected type has no parts
	for _, p := range parts {
		switch p.Type {
		case "thinking":
			r.say(below(key, "thinking"), session.RoleThinking, p.Thinking)
		case "text":
			r.say(key, session.RoleAssistant, p.Text)
		case "toolCall":
			r.call(below(key, p.ID), p.ID, p.Name, inputOf(p.Arguments))
		}
	}
	switch m.Stopped {
	case "aborted":
		r.event(below(key, "aborted"), session.EventInterrupted, nil)
	case "error":
		r.say(below(key, "error"), session.RoleSystem, m.Error)
	}
	r.use(session.Usage{Key: key, Model: m.Model, Input: m.Usage.Input, CacheRead: m.Usage.CacheRead,
		CacheWrite: m.Usage.CacheWrite, Output: m.Usage.Output})
}

// piFolders returns the folders with pi's logs. Variables and a setting can move them.
func piFolders() []string {
	home := homeOf("PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent"))()
	var settings struct {
		Dir string `json:"sessionDir"`
	}
	b, _ := readFile(filepath.Join(home, "settings.json")) // without settings they are not moved
	_ = json.Unmarshal(b, &settings)
	folders := []string{filepath.Join(home, "sessions")}
	for _, dir := range []string{os.Getenv("PI_CODING_AGENT_SESSION_DIR"), settings.Dir} {
		if dir = inHome(dir); filepath.IsAbs(dir) && !slices.Contains(folders, filepath.Clean(dir)) {
			folders = append(folders, filepath.Clean(dir))
		}
	}
	return folders
}

// isPi reports whether a file contains a conversation of pi: PROJECT/TIME_ID.jsonl.
func isPi(rel string) bool { return filepath.Ext(rel) == ".jsonl" }
