package agentlog

import (
	"cmp"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// parts is a message's content: a string, or a list of parts with text.
type parts string

func (p *parts) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = parts(text)
		return nil
	}
	var list []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Thought bool   `json:"thought"` // of Qwen Code
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil //nolint:nilerr // another kind of content: no text
	}
	var texts []string
	for _, part := range list {
		if part.Text != "" && part.Type != "thinking" && !part.Thought {
			texts = append(texts, part.Text)
		}
	}
	*p = parts(strings.Join(texts, "\n"))
	return nil
}

// beginsWith reports whether text begins with one of starts: then the agent put it there, and
// nobody typed it.
func beginsWith(text string, starts ...string) bool {
	for _, start := range starts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// readClaude reads Claude Code's log (seen: 1.0 to 2.1): a line for each block of a message.
func readClaude(docs iter.Seq[[]byte]) (out []message) {
	for doc := range docs {
		var l struct {
			Type             string    `json:"type"`
			IsMeta           bool      `json:"isMeta"`
			IsSidechain      bool      `json:"isSidechain"`
			IsCompactSummary bool      `json:"isCompactSummary"`
			Timestamp        time.Time `json:"timestamp"`
			Cwd              string    `json:"cwd"`
			Message          struct {
				Content parts `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(doc, &l) != nil || l.IsMeta || l.IsSidechain || l.IsCompactSummary || l.Type != session.RoleUser && l.Type != session.RoleAssistant {
			continue
		}
		text := string(l.Message.Content)
		if !beginsWith(text, "<command-", "<local-command-", "<bash-", "<task-notification>", "Caveat: ", "[Request interrupted", "<system-reminder>") {
			out = append(out, message{l.Type, text, l.Timestamp, l.Cwd})
		}
	}
	return out
}

// codexLine is a line of Codex's log. Up to 0.3x each line is an item without a time; since then
// the item is the payload of a line.
type codexLine struct {
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"`
	Payload   codexItem `json:"payload"`
	codexMessage
}

type codexMessage struct {
	Role    string `json:"role"`
	Content parts  `json:"content"`
}

type codexItem struct {
	Type    string `json:"type"`
	Message string `json:"message"` // of user_message and agent_message
	Cwd     string `json:"cwd"`     // of session_meta and turn_context
	Item    struct {
		Type    string `json:"type"`
		Content parts  `json:"content"`
	} `json:"item"` // of item_completed, since 0.15x
	codexMessage
}

// readCodex reads Codex's log (seen: 0.29 to 0.169). The log has what was said twice: as events,
// and as items of the model's context, which also has other texts in the user's name. The items
// count only if there are no events, as in the oldest logs.
func readCodex(docs iter.Seq[[]byte]) []message {
	var events, items []message
	var started time.Time
	cwd := ""
	for doc := range docs {
		var l codexLine
		if json.Unmarshal(doc, &l) != nil {
			continue
		}
		if started.IsZero() {
			started = l.Timestamp
		}
		at, p := l.Timestamp, l.Payload
		if at.IsZero() {
			at, p = started, codexItem{Type: l.Type, codexMessage: l.codexMessage}
		}
		if p.Cwd != "" {
			cwd = p.Cwd
		}
		switch {
		case p.Type == "user_message":
			events = append(events, message{session.RoleUser, p.Message, at, cwd})
		case p.Type == "agent_message":
			events = append(events, message{session.RoleAssistant, p.Message, at, cwd})
		case p.Type == "item_completed" && p.Item.Type == "UserMessage":
			events = append(events, message{session.RoleUser, string(p.Item.Content), at, cwd})
		case p.Type == "item_completed" && p.Item.Type == "AgentMessage":
			events = append(events, message{session.RoleAssistant, string(p.Item.Content), at, cwd})
		case p.Type == "message" && (p.Role == session.RoleUser || p.Role == session.RoleAssistant) &&
			!beginsWith(string(p.Content), "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>"):
			items = append(items, message{p.Role, string(p.Content), at, cwd})
		}
	}
	if len(events) > 0 {
		return events
	}
	return items
}

type geminiMessage struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Content   parts     `json:"content"`
	Shown     parts     `json:"displayContent"` // what was typed, where files are named in it
}

// readGemini reads Gemini CLI's log (seen: 0.20 to 0.61): one document with all messages or, since
// 0.4x, lines. A message that has grown is on another line again, and "$set" is a line with many
// messages.
func readGemini(docs iter.Seq[[]byte]) (out []message) {
	place := map[string]int{}
	for doc := range docs {
		var d struct {
			geminiMessage
			Messages []geminiMessage `json:"messages"`
			Set      struct {
				Messages []geminiMessage `json:"messages"`
			} `json:"$set"`
		}
		if json.Unmarshal(doc, &d) != nil {
			continue
		}
		for _, m := range append(append(d.Messages, d.Set.Messages...), d.geminiMessage) {
			role := map[string]string{"user": session.RoleUser, "gemini": session.RoleAssistant}[m.Type]
			text := cmp.Or(string(m.Shown), string(m.Content))
			if role == "" || beginsWith(text, "<session_context>") {
				continue
			}
			said := message{role, text, m.Timestamp, ""}
			if at, again := place[m.ID]; again && m.ID != "" {
				out[at] = said
				continue
			}
			place[m.ID] = len(out)
			out = append(out, said)
		}
	}
	return out
}

// readQwen reads Qwen Code's log (seen: 0.12 to 0.24): a line for each message.
func readQwen(docs iter.Seq[[]byte]) (out []message) {
	for doc := range docs {
		var l struct {
			Type      string    `json:"type"`
			Subtype   string    `json:"subtype"`
			Timestamp time.Time `json:"timestamp"`
			Cwd       string    `json:"cwd"`
			Message   struct {
				Parts parts `json:"parts"`
			} `json:"message"`
		}
		if json.Unmarshal(doc, &l) != nil || l.Subtype != "" || l.Type != session.RoleUser && l.Type != session.RoleAssistant {
			continue
		}
		out = append(out, message{l.Type, string(l.Message.Parts), l.Timestamp, l.Cwd})
	}
	return out
}
