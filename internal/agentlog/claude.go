package agentlog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// claudeLine is a line of Claude Code's log.
type claudeLine struct {
	Type             string `json:"type"`
	Subtype          string `json:"subtype"`
	UUID             string `json:"uuid"`
	Parent           string `json:"parentUuid"`
	SessionID        string `json:"sessionId"`
	AgentID          string `json:"agentId"` // id of a subagent
	IsMeta           bool   `json:"isMeta"`
	IsSidechain      bool   `json:"isSidechain"`
	IsCompactSummary bool   `json:"isCompactSummary"`
	Timestamp        moment `json:"timestamp"`
	Cwd              string `json:"cwd"`
	Version          string `json:"version"`
	RequestID        string `json:"requestId"`
	Content          said   `json:"content"` // content of a system message
	Origin           struct {
		Kind string `json:"kind"`
	} `json:"origin"` // of a message with the role user
	Summary     string `json:"summary"`
	LeafUUID    string `json:"leafUuid"` // id of the last message that a summary covers
	AITitle     string `json:"aiTitle"`
	CustomTitle string `json:"customTitle"`
	Attachment  struct {
		Type   string `json:"type"`
		Prompt said   `json:"prompt"`
		Mode   string `json:"commandMode"`
		IsMeta bool   `json:"isMeta"`
		Origin struct {
			Kind string `json:"kind"`
		} `json:"origin"`
	} `json:"attachment"`
	Message struct {
		ID      string       `json:"id"`
		Model   string       `json:"model"`
		Content claudeBlocks `json:"content"`
		Usage   struct {
			Input      int64 `json:"input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			Output     int64 `json:"output_tokens"`
			Details    struct {
				Thinking int64 `json:"thinking_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
	} `json:"message"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   said            `json:"content"`
	IsError   bool            `json:"is_error"`
}

// claudeBlocks is the content of a message: a text, or blocks.
type claudeBlocks []claudeBlock

// UnmarshalJSON never fails. Content of another form has no blocks.
func (c *claudeBlocks) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = claudeBlocks{{Type: "text", Text: text}}
		return nil
	}
	var list []json.RawMessage
	_ = json.Unmarshal(b, &list)
	for _, item := range list {
		var block claudeBlock
		_ = json.Unmarshal(item, &block) // fields of another type stay empty
		*c = append(*c, block)
	}
	return nil
}

// claudeReader reads Claude Code's log (seen: 1.0 to 2.1). It has a line for each block of a
// message. The lines form a tree, because the user can go back to an earlier message; they are in
// the order in which they were said.
type claudeReader struct {
	*writer
	turn map[string]bool // ids of the lines since the last prompt
	warm bool            // the subagent was only warmed up, without a request
	last string          // uuid of the last message
}

func newClaude(w *writer) func(doc []byte) {
	r := &claudeReader{writer: w, turn: map[string]bool{}}
	return r.line
}

func (r *claudeReader) line(doc []byte) {
	var l claudeLine
	if !r.decode(doc, &l) {
		return
	}
	r.at(l.Timestamp.Time)
	r.in(l.Cwd)
	if l.IsSidechain || r.side == "" {
		r.is(l.SessionID, l.Version, "")
	}
	before := r.side
	if l.IsSidechain {
		r.side = cmp.Or(l.AgentID, r.side, subagent)
	}
	if l.Type == session.RoleUser && len(l.Message.Content) == 1 && l.Message.Content[0].Type == "text" {
		r.warm = r.side != "" && l.Message.Content[0].Text == "Warmup"
	}
	switch {
	case l.IsMeta || r.warm && r.side != "":
	case l.Type == session.RoleUser:
		r.user(&l)
	case l.Type == session.RoleAssistant:
		r.assistant(&l)
	default:
		r.other(&l)
	}
	r.side = before
	if l.UUID != "" && !l.IsSidechain {
		r.turn[l.UUID], r.last = true, l.UUID
	}
}

// other reads a line that is not a message.
func (r *claudeReader) other(l *claudeLine) {
	switch l.Type {
	case "summary":
		if l.LeafUUID == "" || r.turn[l.LeafUUID] || l.LeafUUID == r.last {
			// Otherwise the title belongs to another conversation.
			r.title(l.Summary)
		}
	case "ai-title":
		r.title(l.AITitle)
	case "custom-title":
		r.title(l.CustomTitle)
	case "attachment":
		a := &l.Attachment
		if text := string(a.Prompt); a.Type == "queued_command" && !strings.HasPrefix(text, "<") && !a.IsMeta &&
			isHuman(a.Origin.Kind) && a.Mode != "task-notification" {
			r.say(l.UUID, session.RoleUser, text)
		}
	case "system":
		switch l.Subtype {
		case "compact_boundary":
			r.say(l.UUID, session.RoleSystem, cmp.Or(string(l.Content), "Conversation compacted"))
		case "local_command":
			r.local(l.UUID, string(l.Content))
		}
	}
}

// title sets the title, unless the text is unsuitable: a model may have been asked for it, and have
// returned JSON.
func (r *claudeReader) title(text string) {
	var titled struct {
		Title string `json:"title"`
	}
	if json.Unmarshal([]byte(text), &titled) == nil {
		text = titled.Title
	}
	if text = strings.TrimSpace(clean(text)); text != "" {
		r.facts.Title = text
	}
}

func (r *claudeReader) user(l *claudeLine) {
	var texts []string
	for _, b := range l.Message.Content {
		switch b.Type {
		case "tool_result":
			r.result(b.ToolUseID, string(b.Content), b.IsError)
		case "text":
			texts = append(texts, b.Text)
		case "image":
			if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, "[Image #") }) {
				// Mentioned in the prompt.
				texts = append(texts, "[Image]")
			}
		}
	}
	text := strings.TrimSpace(added().ReplaceAllString(strings.Join(texts, "\n"), ""))
	switch {
	case text == "" || beginsWith(text, "<task-notification>", "<teammate-message", "Caveat: ") || !isHuman(l.Origin.Kind):
	case l.IsCompactSummary:
		r.say(l.UUID, session.RoleSystem, text)
	case strings.HasPrefix(text, "[Request interrupted"):
		r.event(l.UUID, session.EventInterrupted, nil)
	case beginsWith(text, "<command-", "<local-command-", "<bash-"):
		r.local(l.UUID, text)
	default:
		r.prompt(l, text)
	}
}

// isHuman reports whether a message with this kind of origin was written by a person. Older logs
// have no kind.
func isHuman(kind string) bool { return kind == "" || kind == "human" }

// added matches what the agent, its hooks and an editor add to a prompt, and marks around pasted
// text.
var added = lazy.Regexp(`(?s)<system-reminder>.*?</system-reminder>|<user-prompt-submit-hook>.*?</user-prompt-` +
	`submit-hook>|` +
	`<ide_opened_file>.*?</ide_opened_file>|<ide_selection>.*?</ide_selection>|</?pasted_content\b[^>]*>`)

func (r *claudeReader) prompt(l *claudeLine, text string) {
	if r.side == "" {
		if back := l.Parent != "" && len(r.turn) > 0 && !r.turn[l.Parent]; back {
			e := r.entry(below(l.UUID, "back"), session.TypeMessage)
			e.Role, e.Text = session.RoleSystem, "The user went back to an earlier message."
			e.Markdown = e.Text
			r.put(e)
		}
		r.turn = map[string]bool{} // clearing a map takes time in proportion to its largest size
	}
	r.say(l.UUID, session.RoleUser, text)
}

var tagged = lazy.Regexp(`(?s)<(command-name|command-args|local-command-stdout|local-command-stderr|bash-input|bash-` +
	`stdout|bash-stderr)>(.*?)</`)

// local reads a command of the agent or of the shell, or the output of one.
func (r *claudeReader) local(key, text string) {
	found := map[string]string{}
	for _, m := range tagged().FindAllStringSubmatch(text, -1) {
		found[m[1]] = strings.TrimSpace(m[2])
	}
	switch {
	case found["command-name"] != "":
		r.run(key, session.RoleCommand, strings.TrimSpace(found["command-name"]+" "+found["command-args"]))
	case found["bash-input"] != "":
		r.run(key, session.RoleShell, found["bash-input"])
	default:
		for _, name := range []string{"local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"} {
			r.printed(found[name])
		}
	}
}

func (r *claudeReader) assistant(l *claudeLine) {
	r.flush()
	r.is("", "", l.Message.Model)
	for _, b := range l.Message.Content {
		key := below(l.UUID, b.Type, b.ID)
		switch b.Type {
		case "text":
			if b.Text == "No response requested." || b.Text == "(no content)" {
				continue // a note of the agent to itself
			}
			r.say(key, session.RoleAssistant, b.Text)
		case "thinking":
			r.say(key, session.RoleThinking, b.Thinking)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			r.call(key, b.ID, b.Name, inputOf(b.Input))
		}
	}
	if m := l.Message; m.ID != "" && m.Model != "<synthetic>" {
		r.use(session.Usage{Key: m.ID + "/" + l.RequestID, Model: m.Model, Input: m.Usage.Input, CacheRead: m.Usage.CacheRead,
			CacheWrite: m.Usage.CacheWrite, Output: m.Usage.Output, Reasoning: m.Usage.Details.Thinking})
	}
}
