package agentlog

import (
	"encoding/json"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// copilotLine is a line of GitHub Copilot CLI's log (seen: 1.0.102): an event.
type copilotLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp moment `json:"timestamp"`
	Data      struct {
		SessionID string `json:"sessionId"`
		Version   string `json:"copilotVersion"`
		Model     string `json:"selectedModel"`
		NewModel  string `json:"newModel"`
		Context   struct {
			Cwd string `json:"cwd"`
		} `json:"context"`
		Content   said            `json:"content"`
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

func newCopilot(w *writer) func(doc []byte) {
	records := map[string]time.Time{} // when each was written, by their ids, which may be used twice
	return func(doc []byte) {
		var l copilotLine
		if !w.decode(doc, &l) {
			return
		}
		w.at(l.Timestamp.Time)
		w.in(l.Data.Context.Cwd)
		switch d := l.Data; l.Type {
		case "session.start", "session.resume":
			w.is(d.SessionID, d.Version, d.Model)
		case "session.model_change":
			w.is("", "", d.NewModel)
		case "user.message":
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
		case "abort":
			w.event(l.ID, session.EventInterrupted, nil)
		case "session.usage_record":
			u, key := d.Usage, l.ID
			if at, known := records[key]; known && !at.Equal(l.Timestamp.Time) {
				key = below(key, l.Timestamp.UTC().Format(time.RFC3339Nano))
			} else {
				records[key] = l.Timestamp.Time
			}
			w.use(session.Usage{Key: key, Model: u.Model, Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output})
		}
	}
}
