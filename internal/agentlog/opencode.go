package agentlog

import (
	"encoding/json"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// opencodeSession is opencode's description of a conversation.
type opencodeSession struct {
	ID        string `json:"id"`
	Parent    string `json:"parentID"` // of a subagent's conversation
	Title     string `json:"title"`
	Directory string `json:"directory"`
	Version   string `json:"version"`
}

// opencodeMessage is a message without its parts.
type opencodeMessage struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Summary any    `json:"summary"` // true for the summary of a compaction
	ModelID string `json:"modelID"`
	Model   struct {
		ModelID string `json:"modelID"`
	} `json:"model"` // of a prompt
	Time struct {
		Created   moment `json:"created"`
		Completed moment `json:"completed"`
	} `json:"time"`
	Path struct {
		Cwd string `json:"cwd"`
	} `json:"path"`
	Cost   *float64 `json:"cost"`
	Tokens struct {
		Input     int64 `json:"input"`
		Output    int64 `json:"output"`
		Reasoning int64 `json:"reasoning"`
		Cache     struct {
			Read  int64 `json:"read"`
			Write int64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
	Parts []json.RawMessage `json:"parts"` // in the oldest versions
}

type opencodePart struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // added by the agent
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	Time      struct {
		Start moment `json:"start"`
	} `json:"time"`
	State struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
		Time   struct {
			Start moment `json:"start"`
			End   moment `json:"end"`
		} `json:"time"`
	} `json:"state"`
}

// opencodeReader reads messages of opencode (seen: 1.18; older ones according to its source).
type opencodeReader struct{ *writer }

func (r opencodeReader) session(s opencodeSession) {
	r.is(s.ID, s.Version, "")
	r.in(s.Directory)
	if !strings.HasPrefix(s.Title, "New session - ") && !strings.HasPrefix(s.Title, "Child session - ") && s.Title != "" {
		r.facts.Title = clean(s.Title)
	}
}

// message adds a message with its parts, in the order of their ids.
func (r opencodeReader) message(id string, doc []byte, parts func(part func(id string, doc []byte))) {
	var m opencodeMessage
	if !r.decode(doc, &m) {
		return
	}
	r.at(m.Time.Created.Time)
	r.in(m.Path.Cwd)
	model := m.ModelID
	if model == "" {
		model = m.Model.ModelID
	}
	r.is("", "", model)
	role := m.Role
	if summary, _ := m.Summary.(bool); summary && role == session.RoleAssistant {
		role = session.RoleSystem
	}
	if role != session.RoleUser && role != session.RoleAssistant && role != session.RoleSystem {
		return
	}
	take := func(part string, doc []byte) { r.part(id+"/"+part, role, doc) }
	parts(take)
	for _, doc := range m.Parts {
		take("", doc)
	}
	if m.Error != nil {
		if strings.Contains(m.Error.Name, "Abort") {
			r.event(id+"/error", session.EventInterrupted, nil)
		} else {
			r.say(id+"/error", session.RoleSystem, m.Error.Name+": "+m.Error.Data.Message)
		}
	}
	if role == session.RoleUser {
		return
	}
	u := session.Usage{Key: id, Model: model, Input: m.Tokens.Input, CacheRead: m.Tokens.Cache.Read,
		CacheWrite: m.Tokens.Cache.Write,
		Output:     m.Tokens.Output + m.Tokens.Reasoning, Reasoning: m.Tokens.Reasoning}
	if m.Cost != nil && *m.Cost > 0 {
		u.Cost = m.Cost
	}
	r.use(u)
}

func (r opencodeReader) part(key, role string, doc []byte) {
	var p opencodePart
	if !r.decode(doc, &p) {
		return
	}
	key += p.ID + p.Type
	switch p.Type {
	case "text":
		if p.Synthetic {
			return
		}
		r.at(p.Time.Start.Time)
		r.say(key, role, p.Text)
	case "reasoning":
		r.at(p.Time.Start.Time)
		r.say(key, session.RoleThinking, p.Text)
	case "tool":
		r.at(p.State.Time.Start.Time)
		r.call(key, key, p.Tool, inputOf(p.State.Input))
		if p.State.Status == "completed" || p.State.Status == "error" {
			r.at(p.State.Time.End.Time)
			r.result(key, p.State.Output+p.State.Error, p.State.Status == "error")
		}
	case "compaction":
		r.say(key, session.RoleSystem, "Conversation compacted")
	}
}
