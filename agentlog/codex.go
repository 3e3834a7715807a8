package agentlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// codexLine is a line of Codex's log. Up to 0.3x each line is an item without a time; since then
// the item is the payload of a line.
type codexLine struct {
	Timestamp moment    `json:"timestamp"`
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Payload   codexItem `json:"payload"`
}

type codexItem struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    said            `json:"content"`
	Message    string          `json:"message"` // of user_message, agent_message and compacted
	Cwd        string          `json:"cwd"`     // of session_meta and turn_context
	Model      string          `json:"model"`   // of turn_context
	CLIVersion string          `json:"cli_version"`
	Title      string          `json:"thread_name"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Input      json.RawMessage `json:"input"`
	Action     json.RawMessage `json:"action"`
	CallID     string          `json:"call_id"`
	Output     json.RawMessage `json:"output"`
	Summary    said            `json:"summary"` // of reasoning
	Info       *codexTokens    `json:"info"`    // of token_count
	Item       struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Content said   `json:"content"`
	} `json:"item"` // of item_completed, since 0.15x
}

type codexTokens struct {
	Total codexUsage `json:"total_token_usage"`
	Last  codexUsage `json:"last_token_usage"`
}

type codexUsage struct {
	Input      int64 `json:"input_tokens"`
	Cached     int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"`
	Reasoning  int64 `json:"reasoning_output_tokens"`
	Total      int64 `json:"total_tokens"`
}

// codexReader reads Codex's log (seen: 0.29 to 0.169). The log has what was said twice: as events,
// and as items of the model's context, which also has other texts in the user's name. The items
// count only if there are no events, as in the oldest logs.
type codexReader struct {
	*writer
	lines  int
	events bool
	items  []func() // messages that count unless there are events
	model  string
	total  codexUsage
}

func newCodex(w *writer) (line func(doc []byte), end func()) {
	r := &codexReader{writer: w}
	return r.line, func() {
		for _, say := range r.items {
			say()
		}
	}
}

// mostHeld is how many messages are held back until it is known that there are no events.
const mostHeld = 1000

func (r *codexReader) line(doc []byte) {
	var l codexLine
	if !r.decode(doc, &l) {
		return
	}
	r.lines++
	r.at(l.Timestamp.Time)
	p := &l.Payload
	if l.Type == "session_meta" || l.Type == "" && r.lines == 1 {
		r.is(cmp.Or(p.ID, l.ID), p.CLIVersion, "")
	}
	if p.Type == "" && l.Type != "session_meta" && l.Type != "turn_context" && l.Type != "compacted" {
		p = &codexItem{}
		_ = json.Unmarshal(doc, p) // it was decoded before
	}
	r.in(p.Cwd)
	if r.facts.Cwd == "" && strings.HasPrefix(string(p.Content), "<environment_context>") {
		_, rest, _ := strings.Cut(string(p.Content), "<cwd>")
		cwd, _, _ := strings.Cut(rest, "</cwd>")
		r.in(strings.TrimSpace(cwd))
	}
	if p.Model != "" {
		r.model = p.Model
		r.is("", "", p.Model)
	}
	key := fmt.Sprintf("line %d", r.lines)
	if l.Type == "compacted" {
		r.say(key, session.RoleSystem, p.Message)
		return
	}
	r.item(key, p)
}

func (r *codexReader) item(key string, p *codexItem) {
	switch p.Type {
	case "user_message":
		r.spoken(key, session.RoleUser, p.Message)
	case "agent_message":
		r.spoken(key, session.RoleAssistant, p.Message)
	case "item_completed":
		switch p.Item.Type {
		case "UserMessage":
			r.spoken(key, session.RoleUser, string(p.Item.Content))
		case "AgentMessage":
			r.spoken(key, session.RoleAssistant, string(p.Item.Content))
		}
	case "message":
		r.message(key, p)
	case "reasoning":
		r.say(key, session.RoleThinking, string(p.Summary))
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		args := p.Arguments
		for _, other := range []json.RawMessage{p.Input, p.Action} {
			if len(args) == 0 {
				args = other
			}
		}
		r.call(key, p.CallID, cmp.Or(p.Name, strings.TrimSuffix(p.Type, "_call")), inputOf(args))
	case "function_call_output", "custom_tool_call_output":
		output, failed := codexOutput(p.Output)
		r.result(p.CallID, output, failed)
	case "token_count":
		r.tokens(p.Info)
	case "turn_aborted":
		r.event(key, session.EventInterrupted, nil)
	case "thread_name_updated":
		r.facts.Title = cmp.Or(clean(p.Title), r.facts.Title)
	}
}

// spoken adds a message that is an event.
func (r *codexReader) spoken(key, role, text string) {
	r.events, r.items = true, nil
	r.say(key, role, text)
}

// message adds a message that is an item of the context, unless there are events.
func (r *codexReader) message(key string, p *codexItem) {
	text := string(p.Content)
	if r.events || p.Role != session.RoleUser && p.Role != session.RoleAssistant ||
		beginsWith(text, "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>") {
		return
	}
	seq, now, cwd := r.seq, r.now, r.cwd
	r.seq++ // its place, if it counts
	r.items = append(r.items, func() {
		nextSeq, nextNow, nextCwd := r.seq, r.now, r.cwd
		r.seq, r.now, r.cwd = seq, now, cwd
		r.say(key, p.Role, text)
		r.seq, r.now, r.cwd = nextSeq, nextNow, nextCwd
	})
	if len(r.items) > mostHeld {
		for _, say := range r.items {
			say()
		}
		r.items = nil
	}
}

// tokens adds what was used since the last count. The same count may be logged again.
func (r *codexReader) tokens(info *codexTokens) {
	if info == nil || info.Total == r.total {
		return
	}
	used, before := info.Total, r.total
	if r.total = used; used.Total >= before.Total {
		used.Input, used.Cached, used.CacheWrite = used.Input-before.Input, used.Cached-before.Cached, used.CacheWrite-before.CacheWrite
		used.Output, used.Reasoning, used.Total = used.Output-before.Output, used.Reasoning-before.Reasoning, used.Total-before.Total
	} else {
		used = info.Last // a new count has begun
	}
	r.use(session.Usage{Key: fmt.Sprintf("%d/%d", r.now.UnixNano(), info.Total.Total), Model: r.model,
		Input: max(0, used.Input-used.Cached-used.CacheWrite), CacheRead: used.Cached, CacheWrite: used.CacheWrite, Output: used.Output, Reasoning: used.Reasoning})
}

// codexOutput returns what a tool printed, without the words around it.
func codexOutput(raw json.RawMessage) (output string, failed bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var wrapped struct {
			Content said  `json:"content"`
			Success *bool `json:"success"`
		}
		if json.Unmarshal(raw, &wrapped) == nil {
			return string(wrapped.Content), wrapped.Success != nil && !*wrapped.Success
		}
		var content said
		_ = content.UnmarshalJSON(raw)
		return string(content), false
	}
	var old struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &old) == nil && old.Output != nil {
		return *old.Output, old.Metadata.ExitCode != 0
	}
	if head, rest, ok := strings.Cut(text, "Output:\n"); ok && strings.Contains(head, "xit") && len(head) < 500 {
		return rest, !strings.Contains(head, "code 0") && !strings.Contains(head, "code: 0") && !strings.Contains(head, "running")
	}
	return text, false
}
