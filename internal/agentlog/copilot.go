package agentlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// copilotLine is a line of GitHub Copilot CLI's log (seen: 1.0.102), an event.
type copilotLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	AgentID   string `json:"agentId"` // id of a subagent
	Timestamp moment `json:"timestamp"`
	copilotMessage
	Data struct {
		SessionID string `json:"sessionId"`
		Version   string `json:"copilotVersion"`
		Model     string `json:"selectedModel"`
		NewModel  string `json:"newModel"`
		Context   struct {
			Cwd string `json:"cwd"`
		} `json:"context"`
		Content   said            `json:"content"`
		Source    string          `json:"source"`                  // of a message with the role user
		Continues bool            `json:"isAutopilotContinuation"` // not typed by the user
		Parent    string          `json:"parentToolCallId"`        // of an action of a subagent
		Title     string          `json:"title"`
		Reasoning string          `json:"reasoningText"`
		CallID    string          `json:"toolCallId"`
		Tool      string          `json:"toolName"`
		Arguments json.RawMessage `json:"arguments"`
		Success   *bool           `json:"success"`
		Result    struct {
			Content said `json:"content"`
		} `json:"result"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Usage struct {
			Model      string `json:"model"`
			Input      int64  `json:"inputTokens"`
			Output     int64  `json:"outputTokens"`
			CacheRead  int64  `json:"cacheReadTokens"`
			CacheWrite int64  `json:"cacheWriteTokens"`
		} `json:"usage"`
	} `json:"data"`
}

// copilotMessage is a message in a log of the first versions, or its facts about the conversation.
type copilotMessage struct {
	SessionID string `json:"sessionId"`
	StartTime moment `json:"startTime"`
	Role      string `json:"role"`
	Content   said   `json:"content"`
	CallID    string `json:"tool_call_id"`
	Calls     []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// reminders matches what the agent adds to a prompt in that log.
var reminders = lazy.Regexp(`(?s)<(current_datetime|reminder|system_reminder|todo_status|sql_tables)>.*?</` +
	`(current_datetime|reminder|system_reminder|todo_status|sql_tables)>`)

// add adds a message of a log of the first versions. n is its index.
func (m *copilotMessage) add(w *writer, n int) {
	w.is(m.SessionID, "", "")
	w.at(m.StartTime.Time)
	key := w.own(fmt.Sprintf("message %d", n))
	switch m.Role {
	case session.RoleUser:
		w.say(key, m.Role, strings.TrimSpace(reminders().ReplaceAllString(string(m.Content), "")))
	case session.RoleAssistant:
		w.say(key, m.Role, string(m.Content))
		for i, c := range m.Calls {
			w.call(below(key, strconv.Itoa(i)), c.ID, c.Function.Name, inputOf(c.Function.Arguments))
		}
	case session.RoleTool:
		w.result(m.CallID, string(m.Content), false)
	}
}

func newCopilot(w *writer) func(doc []byte) {
	records := map[string]time.Time{} // times of the messages by id; an id may be used twice
	docs := 0
	return func(doc []byte) {
		var l copilotLine
		if docs++; !w.decode(doc, &l) {
			return
		}
		if l.Type == "" {
			l.add(w, docs)
			return
		}
		w.at(l.Timestamp.Time)
		w.in(l.Data.Context.Cwd)
		w.side = cmp.Or(l.AgentID, l.Data.Parent)
		if l.Type != "session.usage_record" {
			l.write(w)
			return
		}
		u, key := l.Data.Usage, l.ID
		if at, known := records[key]; known && !at.Equal(l.Timestamp.Time) {
			key = below(key, l.Timestamp.UTC().Format(time.RFC3339Nano))
		} else {
			records[key] = l.Timestamp.Time
		}
		w.use(session.Usage{Key: key, Model: u.Model, Input: max(0, u.Input-u.CacheRead-u.CacheWrite),
			CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output})
	}
}

// write writes the contents of a line, except the usage.
func (l *copilotLine) write(w *writer) {
	switch d := l.Data; l.Type {
	case "session.start", "session.resume":
		w.is(d.SessionID, d.Version, d.Model)
	case "session.model_change":
		w.is("", "", d.NewModel)
	case "session.title_changed":
		w.facts.Title = cmp.Or(clean(d.Title), w.facts.Title)
	case "user.message":
		if w.side == "" && (d.Source != "" && d.Source != session.RoleUser || d.Continues) {
			return
		}
		w.say(l.ID, session.RoleUser, string(d.Content))
	case "assistant.message":
		w.say(below(l.ID, "thinking"), session.RoleThinking, d.Reasoning)
		w.say(l.ID, session.RoleAssistant, string(d.Content))
	case "tool.execution_start":
		w.call(l.ID, d.CallID, d.Tool, inputOf(d.Arguments))
	case "tool.execution_complete":
		failed := d.Success != nil && !*d.Success
		output := string(d.Result.Content)
		if failed && output == "" {
			output = d.Error.Message
		}
		w.result(d.CallID, output, failed)
	case "session.snapshot_rewind":
		w.say(l.ID, session.RoleSystem, "The user went back to an earlier message.")
	case "abort":
		w.event(l.ID, session.EventInterrupted, nil)
	}
}
