package agentlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// geminiDoc is a document of Gemini CLI's log: a message, or facts about the conversation.
type geminiDoc struct {
	geminiMessage
	SessionID string          `json:"sessionId"`
	StartTime moment          `json:"startTime"`
	Summary   string          `json:"summary"`
	Messages  []geminiMessage `json:"messages"`
	RewindTo  string          `json:"$rewindTo"`
	Set       struct {
		Messages []geminiMessage `json:"messages"`
		Summary  string          `json:"summary"`
	} `json:"$set"`
}

type geminiMessage struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp moment `json:"timestamp"`
	Content   said   `json:"content"`
	Shown     said   `json:"displayContent"` // the typed text, if it names files
	Model     string `json:"model"`
	Thoughts  []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Status string          `json:"status"`
		Shown  json.RawMessage `json:"resultDisplay"`
		Result []struct {
			Response struct {
				Response struct {
					Output said `json:"output"`
					Error  said `json:"error"`
				} `json:"response"`
			} `json:"functionResponse"`
		} `json:"result"`
	} `json:"toolCalls"`
	Tokens struct {
		Input    int64 `json:"input"`
		Output   int64 `json:"output"`
		Cached   int64 `json:"cached"`
		Thoughts int64 `json:"thoughts"`
		Tool     int64 `json:"tool"`
		Total    int64 `json:"total"`
	} `json:"tokens"`
}

// geminiReader reads Gemini CLI's log (seen: 0.11 to 0.61): one document with all messages or,
// since 0.4x, lines. A message that has grown is repeated on another line, and a "$set" line
// contains many messages.
type geminiReader struct {
	*writer
	last map[string]geminiEntry // last entry by key
}

// geminiEntry is what is needed to recognise that another entry is the same one, grown.
type geminiEntry struct {
	seq, size int
	words     uint64 // digest of its first size bytes
}

func newGemini(w *writer) func(doc []byte) {
	r := &geminiReader{writer: w, last: map[string]geminiEntry{}}
	return r.document
}

func (r *geminiReader) document(doc []byte) {
	var d geminiDoc
	if !r.decode(doc, &d) {
		return
	}
	r.is(d.SessionID, "", "")
	if title := cmp.Or(d.Summary, d.Set.Summary); title != "" && d.Type == "" && r.side == "" {
		r.facts.Title = clean(title)
	}
	if d.RewindTo != "" {
		r.say("", session.RoleSystem, "The user went back to an earlier message.")
	}
	for _, m := range append(append(d.Messages, d.Set.Messages...), d.geminiMessage) {
		r.message(&m)
	}
}

// again calls add with the Seq of the last entry with the key if words begin with that entry's
// words, because it has grown. Otherwise it is a new entry, because an id may be used twice.
func (r *geminiReader) again(key, words string, add func()) {
	old, known := r.last[key]
	known = known && old.size <= len(words) && digest(words[:old.size]) == old.words
	next := r.seq
	if known {
		r.seq = old.seq - 1
	}
	before := r.seq
	add()
	if r.seq > before { // otherwise it has no words yet
		r.last[key] = geminiEntry{r.seq, len(words), digest(words)}
	}
	if known {
		r.seq = next
	}
}

func (r *geminiReader) message(m *geminiMessage) {
	text := string(m.Shown)
	if text == "" {
		text = strings.TrimSpace(hookContext().ReplaceAllString(string(m.Content), ""))
	}
	if strings.HasPrefix(text, "<session_context>") {
		r.in(workspace(text))
		return
	}
	role, known := map[string]string{"user": session.RoleUser, "gemini": session.RoleAssistant,
		"qwen": session.RoleAssistant, "info": session.RoleSystem, "error": session.RoleSystem,
		"warning": session.RoleSystem}[m.Type]
	if !known {
		return
	}
	r.at(m.Timestamp.Time)
	r.is("", "", m.Model)
	id := m.ID
	if id == "" {
		id = r.own(fmt.Sprintf("%d %s %s", m.Timestamp.UnixNano(), m.Type, text))
	}
	said := fmt.Sprintf("%s %d ", role, m.Timestamp.UnixNano())
	for i, t := range m.Thoughts {
		key := fmt.Sprintf("%s/thought/%d", id, i)
		text := strings.TrimSpace(t.Subject + "\n" + t.Description)
		r.again(key, said+text, func() { r.say(key, session.RoleThinking, text) })
	}
	if line, ok := geminiShell(text); ok && role == session.RoleUser {
		role, text = session.RoleCommand, "!"+line
	}
	r.again(id, said+text, func() { r.say(id, role, text) })
	for i, c := range m.ToolCalls {
		key := fmt.Sprintf("%s/tool/%d", id, i)
		input := inputOf(c.Args)
		r.again(key, said+c.Name+"\x00"+input, func() {
			r.call(key, key, c.Name, input)
			var shown string
			_ = json.Unmarshal(c.Shown, &shown) // it may be of another type
			shown = lineEnds().ReplaceAllString(shown, "")
			for _, part := range c.Result {
				answer := part.Response.Response
				shown = cmp.Or(shown, geminiOutput(string(answer.Output)), string(answer.Error))
			}
			if c.Status != "" && c.Status != "executing" && c.Status != "scheduled" && c.Status != "validating" {
				r.result(key, shown, c.Status == "error")
			}
		})
	}
	if t := m.Tokens; t.Total > 0 {
		r.use(session.Usage{Key: id, Model: m.Model, Input: max(0, t.Input-t.Cached) + t.Tool, CacheRead: t.Cached,
			Output: t.Output + t.Thoughts, Reasoning: t.Thoughts, Total: t.Total})
	}
}

// hookContext matches what hooks add to a prompt.
var hookContext = lazy.Regexp(`(?s)<hook_context>.*?</hook_context>`)

// lineEnds matches the blanks with which lines are padded.
var lineEnds = lazy.Regexp(`(?m)[ \t]+$`)

// geminiOutput returns the output of a command, without the words that Gemini CLI adds.
func geminiOutput(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<untrusted_context>\n"), "\n</untrusted_context>")
	_, rest, ok := strings.Cut("\n"+text, "\nOutput: ")
	if !ok {
		return text
	}
	for _, mark := range []string{"\nError: ", "\nExit Code: ", "\nProcess Group PGID: "} {
		rest, _, _ = strings.Cut(rest, mark)
	}
	return rest
}

// geminiShell returns the command that the user ran with "!", from the text that Gemini CLI sends
// the model about it.
func geminiShell(text string) (line string, ok bool) {
	rest, ok := strings.CutPrefix(text, "I ran the following shell command:\n```sh\n")
	if !ok {
		return "", false
	}
	line, _, ok = strings.Cut(rest, "\n```\n")
	return line, ok
}

// workspace returns the first folder in the context of a session.
func workspace(text string) string {
	_, rest, _ := strings.Cut(text, "Workspace Directories:**\n  - ")
	dir, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(dir)
}

// qwenLine is a line of Qwen Code's log (seen: 0.12 to 0.24), a message.
type qwenLine struct {
	UUID       string `json:"uuid"`
	SessionID  string `json:"sessionId"`
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	Provenance string `json:"provenance"`
	Timestamp  moment `json:"timestamp"`
	Cwd        string `json:"cwd"`
	Version    string `json:"version"`
	Model      string `json:"model"`
	Payload    struct {
		Shown *string `json:"displayText"` // the typed text, if the message contains more
		Title string  `json:"customTitle"`
	} `json:"systemPayload"`
	Message struct {
		Parts []struct {
			Text    string `json:"text"`
			Thought bool   `json:"thought"`
			Call    struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"functionCall"`
			Response struct {
				ID       string `json:"id"`
				Response struct {
					Output said `json:"output"`
					Error  said `json:"error"`
				} `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"message"`
	Usage struct {
		Prompt     int64 `json:"promptTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Total      int64 `json:"totalTokenCount"`
	} `json:"usageMetadata"`
}

func newQwen(w *writer) func(doc []byte) {
	old := newGemini(w)
	return func(doc []byte) {
		var l qwenLine
		if !w.decode(doc, &l) {
			return
		}
		if l.UUID == "" && len(l.Message.Parts) == 0 { // the format of 2025
			old(doc)
			return
		}
		w.at(l.Timestamp.Time)
		w.in(l.Cwd)
		w.is(l.SessionID, l.Version, l.Model)
		switch l.Subtype {
		case "", "mid_turn_user_message":
			w.qwen(&l)
		case "custom_title":
			if w.side == "" {
				w.facts.Title = cmp.Or(clean(l.Payload.Title), w.facts.Title)
			}
		case "rewind":
			w.say(l.UUID, session.RoleSystem, "The user went back to an earlier message.")
		case "chat_compression":
			w.say(l.UUID, session.RoleSystem, "Conversation compacted")
		}
	}
}

// qwen adds a message of Qwen Code.
func (w *writer) qwen(l *qwenLine) {
	role := map[string]string{"user": session.RoleUser, "assistant": session.RoleAssistant}[l.Type]
	var texts []string
	for i, p := range l.Message.Parts {
		key := below(l.UUID, strconv.Itoa(i))
		switch {
		case p.Call.Name != "":
			w.call(key, p.Call.ID, p.Call.Name, inputOf(p.Call.Args))
		case p.Response.ID != "":
			w.result(p.Response.ID, cmp.Or(geminiOutput(string(p.Response.Response.Output)),
				string(p.Response.Response.Error)), p.Response.Response.Error != "")
		case p.Thought:
			w.say(key, session.RoleThinking, p.Text)
		case role == session.RoleUser:
			texts = append(texts, p.Text)
		case role != "":
			w.say(key, role, p.Text)
		}
	}
	if text := qwenPrompt(texts, l.Payload.Shown); role == session.RoleUser &&
		(l.Provenance == "" || l.Provenance == "real_user") {
		w.say(l.UUID, role, text)
	}
	if u := l.Usage; u.Total > 0 {
		w.use(session.Usage{Key: l.UUID, Model: l.Model, Input: max(0, u.Prompt-u.Cached), CacheRead: u.Cached,
			Output: u.Candidates + u.Thoughts, Reasoning: u.Thoughts, Total: u.Total})
	}
}

// qwenPrompt returns the text that the user typed: shown if the log has it, else the parts without
// what hooks and named files have added.
func qwenPrompt(parts []string, shown *string) string {
	if shown != nil {
		return *shown
	}
	for i, part := range parts {
		if strings.HasPrefix(strings.TrimSpace(part), "--- Content from referenced files ---") {
			parts = parts[:i]
			break
		}
	}
	return strings.TrimSpace(hookContext().ReplaceAllString(strings.Join(parts, "\n"), ""))
}
