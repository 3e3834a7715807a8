package agentapi

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Roles of messages.
const (
	roleUser  = "user"
	roleAgent = "agent"
)

// Message is a message in the form for clients.
type Message struct {
	ID      int       `json:"id"`
	Content string    `json:"content"`
	Role    string    `json:"role"`
	Time    time.Time `json:"time"`
}

// settled is the minimum age of an entry before it becomes a message. An entry from a torn frame
// disappears sooner, and a message cannot be withdrawn.
const settled = 300 * time.Millisecond

// talk converts a session's entries to messages. The caller passes the time. The zero value has no
// messages; begin adds the first.
type talk struct {
	markdown bool // use the entries' Markdown
	tools    bool // add a line for each tool call

	entries  []*session.Entry // in order
	places   map[string]int   // index in entries, by id
	first    map[string]time.Time
	turns    []*turn
	messages []Message
	agent    bool // an agent was recognised and has not exited
	state    protocol.State
	stateSeq int
	changed  time.Time // time of the last change in what was said
	again    time.Time // time when the next entry settles; zero if none waits
}

// turn is a prompt and the agent's reply to it. The first turn has no prompt.
type turn struct {
	entry string // id of the prompt's entry; empty if there is none
	sent  string // the prompt as it was sent; empty if it was typed in the terminal
	user  int    // id of its message, or -1
	reply int    // id of the agent's message, or -1
	text  string // the reply, if it is not taken from the entries
	plain bool   // whether text is the reply
	fixed bool   // from an earlier run, and so unchanging
}

// begin adds message 0.
func (t *talk) begin(now time.Time) {
	t.first, t.places = map[string]time.Time{}, map[string]int{}
	t.turns = []*turn{{user: -1, reply: 0}}
	t.messages = []Message{{ID: 0, Role: roleAgent, Time: now.UTC()}}
}

// resume replaces the messages with those of an earlier run. It must be called before the first
// prompt.
func (t *talk) resume(messages []Message) {
	if len(messages) == 0 {
		return
	}
	t.messages = slices.Clone(messages)
	for i := range t.messages {
		t.messages[i].ID = i
	}
	t.turns[0] = &turn{user: -1, reply: -1, fixed: true}
}

// update adds new and changed entries, and removes those with the ids in u.Gone.
func (t *talk) update(u protocol.Entries, now time.Time) {
	if len(u.Gone) > 0 {
		t.entries = slices.DeleteFunc(t.entries, func(e *session.Entry) bool { return slices.Contains(u.Gone, e.ID) })
		t.place()
	}
	for _, e := range u.Entries {
		if e.Agent == session.UnknownAgent { // its answers are read off the screen, see page
			continue
		}
		if i, ok := t.places[e.ID]; ok {
			t.entries[i] = e
		} else {
			t.places[e.ID] = len(t.entries)
			t.entries = append(t.entries, e)
			t.first[e.ID] = now
		}
		if e.Role != "" {
			t.changed = now
		}
		switch e.Event {
		case session.EventNewSession:
			t.agent = t.agent || e.Seq > t.stateSeq
		case session.EventCLIExit, session.EventExit:
			t.agent = t.agent && e.Seq < t.stateSeq
		}
		if s, ok := protocol.StateOf(e); ok && e.Seq > t.stateSeq {
			t.state, t.stateSeq = s, e.Seq
		}
	}
	bySeq := func(a, b *session.Entry) int { return cmp.Compare(a.Seq, b.Seq) }
	if !slices.IsSortedFunc(t.entries, bySeq) {
		slices.SortStableFunc(t.entries, bySeq)
		t.place()
	}
	t.read(now)
}

// place updates places.
func (t *talk) place() {
	clear(t.places)
	for i, e := range t.entries {
		t.places[e.ID] = i
	}
}

// read converts the entries to messages. It must be called again at t.again.
func (t *talk) read(now time.Time) {
	t.again = time.Time{}
	byEntry := map[string]*turn{}
	for _, u := range t.turns {
		if u.entry != "" {
			byEntry[u.entry] = u
		}
	}
	at := t.turns[0]
	said := map[*turn][]*session.Entry{}
	for _, e := range t.entries {
		prompt, isPrompt := promptOf(e)
		if !isPrompt {
			if at != nil {
				said[at] = append(said[at], e)
			}
			continue
		}
		u := byEntry[e.ID]
		if u == nil {
			if u = t.awaited(prompt, e); u != nil {
				u.entry = e.ID
			}
		}
		if u == nil {
			if due := t.first[e.ID].Add(settled); due.After(now) {
				at, t.again = nil, due // what follows it is the reply to it
				continue
			}
			u = &turn{entry: e.ID, user: -1, reply: -1}
			t.turns = append(t.turns, u)
		}
		if u.user < 0 && at != nil {
			t.answer(at, said[at], now)
		}
		t.ask(u, cmp.Or(u.sent, prompt), e.At)
		at = u
		if e.Output != "" {
			said[at] = append(said[at], e)
		}
	}
	for _, u := range t.turns {
		t.answer(u, said[u], now)
	}
}

// awaited returns the turn of the sent prompt that the entry shows, or nil.
func (t *talk) awaited(prompt string, e *session.Entry) *turn {
	for _, u := range t.turns {
		if u.sent != "" && u.entry == "" && !u.fixed && matches(u.sent, prompt, e) {
			return u
		}
	}
	return nil
}

// matches reports whether an entry may be the agent's display of a text that was sent.
func matches(sent, prompt string, e *session.Entry) bool {
	a, b := letters(sent), letters(prompt)
	return a == b || e.Event != "" && strings.HasPrefix(sent, prompt) || e.Truncated ||
		strings.Contains(prompt, "[Pasted ") ||
		b != "" && strings.Contains(a, b) || a != "" && strings.Contains(b, a)
}

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// promptOf returns the prompt in an entry. ok is false if the entry is not a prompt.
func promptOf(e *session.Entry) (text string, ok bool) {
	switch {
	case e.Event == session.EventClear:
		return "/clear", true
	case e.Role == session.RoleUser, e.Role == session.RoleCommand:
		return e.Text, true
	case e.Role == session.RoleShell && e.Agent != "":
		return "!" + e.Text, true
	}
	return "", false
}

// ask adds or updates the message of a prompt. The reply to the previous prompt is added first,
// even if it is still empty.
func (t *talk) ask(u *turn, text string, at time.Time) {
	if u.user < 0 {
		t.close(at)
		u.user = t.add(roleUser, text, at)
	}
	t.messages[u.user].Content = text
}

// sending returns a turn for a prompt that is being sent. sentAt adds it to the talk, unless an
// entry shows the prompt before.
func (t *talk) sending(text string) *turn {
	u := &turn{sent: text, user: -1, reply: -1}
	t.turns = append(t.turns, u)
	return u
}

// sentAt records that the prompt was accepted.
func (t *talk) sentAt(u *turn, at time.Time) { t.ask(u, u.sent, at) }

// unsent removes a prompt that was not accepted, unless an entry shows it.
func (t *talk) unsent(u *turn) {
	if u.user < 0 {
		t.turns = slices.DeleteFunc(t.turns, func(v *turn) bool { return v == u })
	}
}

// answer adds or updates the reply of a turn.
func (t *talk) answer(u *turn, said []*session.Entry, now time.Time) {
	if u.fixed {
		return
	}
	text, at := t.reply(said)
	if u.plain {
		text = u.text
	} else if u.user < 0 && u.reply == 0 && u.text != "" {
		text = u.text // the banner from the screen
	}
	if u.reply < 0 {
		if text == "" {
			return
		}
		if at.IsZero() {
			at = now
		}
		u.reply = t.add(roleAgent, text, at)
	}
	t.messages[u.reply].Content = text
	if u.reply == 0 && !at.IsZero() {
		t.messages[0].Time = at.UTC()
	}
}

// close adds the reply to the newest prompt if there is none, because each turn has one.
func (t *talk) close(now time.Time) {
	for _, u := range t.turns {
		if u.user >= 0 && u.user == len(t.messages)-1 {
			u.reply = t.add(roleAgent, "", now)
		}
	}
}

// reply returns what the agent said, and the time when it began.
func (t *talk) reply(said []*session.Entry) (text string, at time.Time) {
	var parts, other []string
	note := func(e *session.Entry) {
		if at.IsZero() {
			at = e.At
		}
	}
	for _, e := range said {
		switch {
		case e.Role == session.RoleAssistant:
			note(e)
			parts = append(parts, t.textOf(e))
		case e.Role == session.RoleTool && t.tools:
			note(e)
			parts = append(parts, toolLine(e))
		case e.Event == session.EventNewSession:
			note(e)
			other = append(other, banner(e))
		case e.Role == session.RoleSystem:
			note(e)
			other = append(other, t.textOf(e))
		case e.Role == session.RoleCommand || e.Role == session.RoleShell && e.Agent != "":
			note(e)
			other = append(other, e.Output)
		}
	}
	if len(parts) == 0 {
		parts = other // nothing else was said
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n")), at
}

func (t *talk) textOf(e *session.Entry) string {
	if t.markdown && e.Markdown != "" {
		return e.Markdown
	}
	return e.Text
}

// toolLine returns the line for a tool call in a message.
func toolLine(e *session.Entry) string {
	line, _, _ := strings.Cut(e.Text, "\n")
	if line == "" && e.Tool != nil {
		line = e.Tool.Name + ": " + e.Tool.Input
		line, _, _ = strings.Cut(line, "\n")
	}
	return line
}

// banner returns the text that an agent showed about itself when it started.
func banner(e *session.Entry) string {
	lines := []string{prompt.Title(e.Agent)}
	if version, _ := e.Data["version"].(string); version != "" {
		lines[0] += " v" + strings.TrimPrefix(version, "v")
	}
	for _, name := range []string{"model", "cwd"} {
		if value, _ := e.Data[name].(string); value != "" {
			lines = append(lines, value)
		}
	}
	return strings.Join(lines, "\n")
}

// add adds a message and returns its id.
func (t *talk) add(role, text string, at time.Time) int {
	id := len(t.messages)
	t.messages = append(t.messages, Message{ID: id, Role: role, Content: text, Time: at.UTC()})
	return id
}

// open reports whether the entries of the newest turn may still grow.
func (t *talk) open() bool {
	for i := len(t.entries) - 1; i >= 0; i-- {
		e := t.entries[i]
		if _, isPrompt := promptOf(e); isPrompt {
			return false
		}
		if e.Role == session.RoleAssistant && e.Status == session.StatusStreaming {
			return true
		}
	}
	return false
}
