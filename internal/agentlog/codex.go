package agentlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// codexLine is a line of Codex's log. Up to version 0.3x each line is an item without a time; since
// then the item is the payload of a line.
type codexLine struct {
	Timestamp moment `json:"timestamp"`
	Ordinal   *int64 `json:"ordinal"`
	ID        string `json:"id"`
	Type      string `json:"type"`
	Metadata  struct {
		Inherited bool `json:"inherited_user_message"`
	} `json:"metadata"`
	Payload codexItem `json:"payload"`
	Session struct {
		ID        string `json:"id"`
		Timestamp moment `json:"timestamp"`
	} `json:"session"` // in the first versions
}

type codexItem struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	TurnID     string          `json:"turn_id"`
	Role       string          `json:"role"`
	Kind       string          `json:"kind"` // of user_message, up to 0.4x
	Content    codexParts      `json:"content"`
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
	Start *int64 `json:"subagent_history_start_ordinal"` // of session_meta
	Base  struct {
		End *int64 `json:"end_ordinal_exclusive"`
	} `json:"history_base"` // of session_meta
	Meta struct {
		Kinds []string `json:"content_item_kinds"` // kind of each part of the content
	} `json:"internal_chat_message_metadata_passthrough"`
}

// codexParts is the content of a message.
type codexParts []string

// UnmarshalJSON never fails. Parts without text become empty.
func (c *codexParts) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		list = []json.RawMessage{b}
	}
	for _, part := range list {
		var text said
		_ = text.UnmarshalJSON([]byte("[" + string(part) + "]")) // never fails
		if text == "" {
			_ = text.UnmarshalJSON(part)
		}
		*c = append(*c, string(text))
	}
	return nil
}

// said returns the text of a message without the parts that the agent has added in the user's name.
// injected reports that nothing else is left. Since 0.15x, the log has the kind of each part.
func (p *codexItem) said() (text string, injected bool) {
	var texts []string
	for i, part := range p.Content {
		kind := "unknown"
		if len(p.Meta.Kinds) == len(p.Content) {
			kind = p.Meta.Kinds[i]
		}
		if part != "" && (p.Role != session.RoleUser || strings.HasPrefix(kind, "user.") ||
			kind == "unknown" && !isInjected(part) && !isElement(part)) {
			texts = append(texts, part)
		}
	}
	return strings.Join(texts, "\n"), len(texts) == 0
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

// codexReader reads a file of Codex's log (seen: 0.29 to 0.169). The log contains each message
// twice: as an event, and as an item of the model's context, which also contains other texts in the
// user's name. The items of a role count only in turns without an event of that role: the oldest
// logs have no events, and others have them only for replies.
type codexReader struct {
	*writer
	file      string // name of the file, unique in the conversation
	first     bool   // the first line, which has the conversation's id, was not read yet
	inherited int    // number of documents at its beginning that another log contains
	byOrdinal bool   // another log contains everything before the ordinal from
	from      int64  // that ordinal
	forked    bool   // it continues another conversation, and so does its token count
	lines     int    // number of documents
	turn      codexTurn
	model     string
	counted   bool
	total     codexUsage
}

// codexTurn holds the items of a turn that count unless there are events.
type codexTurn struct {
	stated   bool            // the log marks the beginning of turns
	events   map[string]bool // roles for which there are events
	answered bool            // the agent has done something since the user's message
	items    []codexHeld
	size     int // in bytes
}

type codexHeld struct {
	role string
	size int
	say  func()
}

func newCodex(w *writer) (line func(doc []byte), end func()) {
	r := &codexReader{writer: w, first: true}
	return r.line, r.end
}

// Limits of what is held back until it is known whether there are events.
const (
	mostHeld  = 1000
	mostBytes = 32 << 20
)

// parse decodes a document: a line with an item, or an item.
func (r *codexReader) parse(doc []byte) (l *codexLine, p *codexItem, ok bool) {
	l = &codexLine{}
	if !r.decode(doc, l) {
		return nil, nil, false
	}
	p = &l.Payload
	if p.Type == "" && l.Type != "session_meta" && l.Type != "turn_context" && l.Type != "compacted" {
		p = &codexItem{}
		_ = json.Unmarshal(doc, p) // it was decoded before without an error
	}
	return l, p, true
}

func (r *codexReader) line(doc []byte) {
	if r.lines++; r.lines > 1 && r.lines <= r.inherited && !bytes.Contains(doc, tokenCount) &&
		!bytes.Contains(doc, modelKey) {
		return
	}
	l, p, ok := r.parse(doc)
	if !ok {
		return
	}
	if r.copied(l) {
		r.history(p)
		return
	}
	r.at(l.Timestamp.Time)
	r.at(l.Session.Timestamp.Time)
	if l.Type == "session_meta" || l.Type == "" && r.lines == 1 {
		if r.lines > 1 {
			return // it belongs to another conversation
		}
		r.begin(l, p)
	}
	r.in(p.Cwd)
	if r.facts.Cwd == "" && len(p.Content) > 0 && strings.HasPrefix(p.Content[0], "<environment_context>") {
		_, rest, _ := strings.Cut(p.Content[0], "<cwd>")
		cwd, _, _ := strings.Cut(rest, "</cwd>")
		r.in(strings.TrimSpace(cwd))
	}
	if p.Model != "" {
		r.model = p.Model
		if r.side == "" {
			r.is("", "", p.Model)
		}
	}
	key := fmt.Sprintf("line %d", r.lines)
	if !r.first {
		key = r.file + " " + key
	}
	key = r.own(key)
	if l.Type == "compacted" {
		r.say(key, session.RoleSystem, p.Message)
		return
	}
	if l.Metadata.Inherited {
		return
	}
	r.item(key, p)
}

// begin reads the first line.
func (r *codexReader) begin(l *codexLine, p *codexItem) {
	if r.first && r.side == "" {
		r.is(cmp.Or(l.Payload.ID, l.Session.ID, l.ID), p.CLIVersion, "")
	}
	if !r.byOrdinal {
		return
	}
	for _, start := range []*int64{p.Start, p.Base.End} {
		if start != nil {
			r.from = max(r.from, *start)
		}
	}
}

// copied reports whether another log contains a line.
func (r *codexReader) copied(l *codexLine) bool {
	return r.lines > 1 && (r.lines <= r.inherited || l.Ordinal != nil && *l.Ordinal < r.from)
}

// Lines with these matter even if another log contains them.
var tokenCount, modelKey = []byte("token_count"), []byte(`"model"`)

// history reads a line that another log contains, as far as it matters.
func (r *codexReader) history(p *codexItem) {
	if p.Model != "" {
		r.model = p.Model
	}
	if p.Type == "token_count" && p.Info != nil {
		r.counted, r.total = true, p.Info.Total
	}
}

func (r *codexReader) item(key string, p *codexItem) {
	if role, text := r.event(p); role != "" {
		if !isInjected(text) {
			r.turn.speaks(role)
			r.turn.spoken(role)
			r.say(key, role, text)
		}
		return
	}
	switch p.Type {
	case "task_started", "turn_started":
		r.turn.begin()
	case "message":
		r.message(key, p)
	case "agent_message": // to or from a subagent, whose own log contains it
		if r.side != "" {
			r.say(key, session.RoleUser, strings.Join(p.Content, "\n"))
		}
	case "reasoning":
		r.turn.answered = true
		r.say(key, session.RoleThinking, string(p.Summary))
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		r.turn.answered = true
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
		r.writer.event(key, session.EventInterrupted, nil)
	case "thread_rolled_back":
		r.say(key, session.RoleSystem, "The user went back to an earlier message.")
	case "thread_name_updated":
		if r.side == "" {
			r.facts.Title = cmp.Or(clean(p.Title), r.facts.Title)
		}
	}
}

// event returns the message in an event, and its role. Both are empty if the event is not a
// message.
func (r *codexReader) event(p *codexItem) (role, text string) {
	switch p.Type {
	case "user_message":
		if p.Kind == "" || p.Kind == "plain" {
			return session.RoleUser, p.Message
		}
	case "agent_message":
		if p.Message != "" {
			return session.RoleAssistant, p.Message
		}
	case "item_completed":
		switch p.Item.Type {
		case "UserMessage":
			return session.RoleUser, string(p.Item.Content)
		case "AgentMessage":
			return session.RoleAssistant, string(p.Item.Content)
		}
	}
	return "", ""
}

// begin begins a turn, unless it has already begun with a message of the user.
func (t *codexTurn) begin() {
	if t.stated = true; t.answered {
		t.say()
		clear(t.events)
		t.answered = false
	}
}

// speaks records who speaks. If the log does not mark turns, one begins when the user speaks. In
// such a log there are events for all turns, or for all from a certain one on.
func (t *codexTurn) speaks(role string) {
	if role == session.RoleUser && t.answered && !t.stated {
		t.say()
	}
	t.answered = role != session.RoleUser
}

// spoken records that there are events for a role.
func (t *codexTurn) spoken(role string) {
	if t.events == nil {
		t.events = map[string]bool{}
	}
	t.events[role] = true
	t.items = slices.DeleteFunc(t.items, func(h codexHeld) bool {
		if h.role == role {
			t.size -= h.size
		}
		return h.role == role
	})
}

// message adds a message that is an item of the context. It counts unless there are events.
func (r *codexReader) message(key string, p *codexItem) {
	role := p.Role
	text, injected := p.said()
	if injected || role != session.RoleUser && role != session.RoleAssistant {
		return
	}
	if r.turn.speaks(role); r.turn.events[role] {
		return
	}
	seq, now, cwd, side := r.seq, r.now, r.cwd, r.side
	r.seq++ // its place, if it counts
	r.turn.items = append(r.turn.items, codexHeld{role, len(text), func() {
		nextSeq, nextNow, nextCwd, nextSide := r.seq, r.now, r.cwd, r.side
		r.seq, r.now, r.cwd, r.side = seq, now, cwd, side
		r.say(key, role, text)
		r.seq, r.now, r.cwd, r.side = nextSeq, nextNow, nextCwd, nextSide
	}})
	if r.turn.size += len(text); len(r.turn.items) > mostHeld || r.turn.size > mostBytes {
		r.turn.say()
	}
}

// say adds the items that were held back.
func (t *codexTurn) say() {
	for _, h := range t.items {
		h.say()
	}
	t.items, t.size = nil, 0
}

// end must be called at the end of the file.
func (r *codexReader) end() { r.turn.say() }

// Elements that Codex adds to the context in the user's name. Most of those not in the list have a
// "_" in their name.
var (
	injections = lazy.Regexp(`^<(environment_context|user_instructions|turn_aborted|user_shell_command|` +
		`recommended_plugins|skill|skills_instructions|skill_suggestions|subagent_notification|user_action|permissions ` +
		`instructions|collaboration_mode|multi_agent_mode|model_switch|personality_spec|apps_instructions|` +
		`plugins_instructions|hook_context|goal_context|context_window|context_window_reminder|token_budget|` +
		`realtime_conversation|realtime_delegation|user_verification_notice)\b[^>]*>`)
	elements = lazy.Regexp(`^<([a-z]+(?:_[a-z]+)+)\b[^>]*>`)
)

// isInjected reports whether the agent added a text, judged by its beginning.
func isInjected(text string) bool {
	text = strings.TrimSpace(text)
	return injections().MatchString(text) || strings.HasPrefix(text, "# AGENTS.md instructions")
}

// isElement reports whether a text consists of one element as agents use them.
func isElement(text string) bool {
	text = strings.TrimSpace(text)
	m := elements().FindStringSubmatch(text)
	return m != nil && strings.HasSuffix(text, "</"+m[1]+">")
}

// tokens adds the usage since the last count. The same count may be logged again.
func (r *codexReader) tokens(info *codexTokens) {
	if info == nil || info.Total == r.total {
		return
	}
	used, before := info.Total, r.total
	begins := used.Total < before.Total || info.Last.Total > 0 && (used == info.Last || r.forked && !r.counted)
	if r.counted, r.total = true, used; !begins {
		used.Input, used.Cached, used.CacheWrite = used.Input-before.Input, used.Cached-before.Cached,
			used.CacheWrite-before.CacheWrite
		used.Output, used.Reasoning, used.Total = used.Output-before.Output, used.Reasoning-before.Reasoning,
			used.Total-before.Total
	} else {
		used = info.Last // a new count has begun
	}
	key := fmt.Sprintf("%d/%d", r.now.UnixNano(), info.Total.Total)
	if !r.first {
		key = r.file + "/" + key
	}
	r.use(session.Usage{Key: key, Model: r.model,
		Input: max(0, used.Input-used.Cached-used.CacheWrite), CacheRead: used.Cached, CacheWrite: used.CacheWrite,
		Output: used.Output, Reasoning: used.Reasoning})
}

// codexOutput returns the output of a tool, without the words that Codex adds.
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
		return rest, !strings.Contains(head, "code 0") && !strings.Contains(head, "code: 0") &&
			!strings.Contains(head, "running")
	}
	return text, false
}
