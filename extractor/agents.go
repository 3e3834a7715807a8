// Package extractor reads the messages off the screen. Agents lists the programs it knows; each has
// a package of its own, and is found by what the screen shows.
//
// The Reader keeps a document: the rows of one conversation, put together from frames. An agent's
// look says how the agent draws: it sees rows only and keeps no state.
package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/claude"
	"github.com/ptyrec/ptyrec/extractor/codex"
	"github.com/ptyrec/ptyrec/extractor/copilot"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/gemini"
	"github.com/ptyrec/ptyrec/extractor/opencode"
	"github.com/ptyrec/ptyrec/extractor/qwen"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// agents are all agents known, in the order in which they are asked whether a banner is theirs.
var agents = []*chat.Agent{claude.Agent(), codex.Agent(), copilot.Agent(), gemini.Agent(), opencode.Agent(), qwen.Agent()}

// Profile is a look of an agent.
type Profile struct {
	*chat.Agent
	*chat.Look
}

// clears reports whether a row is a command that cleared the conversation.
func (p *Profile) clears(l row.Line) bool { return p.Clears != nil && p.Clears(l) }

// noAgent is that of a shell.
var noAgent = &Profile{&chat.Agent{}, &chat.Look{}}

// profiles are the looks of all agents, in order.
var profiles = profilesOf(agents)

func profilesOf(agents []*chat.Agent) (out []*Profile) {
	for _, a := range agents {
		for i := range a.Looks {
			out = append(out, &Profile{a, &a.Looks[i]})
		}
	}
	return out
}

// AgentOf returns the agent of a name, or one without a name.
func AgentOf(name string) *chat.Agent {
	for _, a := range agents {
		if a.Name == name {
			return a
		}
	}
	return &chat.Agent{}
}

// Agents returns the names of all agents, in the order in which they are asked whether a banner is
// theirs.
func Agents() (names []string) {
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

type (
	// Item is a message that the screen shows.
	Item = chat.Item
	// State is what an agent does.
	State = chat.State
	// Placement names the rule that found a frame's place on a document.
	Placement = document.Placement
)

// States of an agent.
const (
	StateUnknown  = chat.StateUnknown
	StateIdle     = chat.StateIdle
	StateBusy     = chat.StateBusy
	StateAsking   = chat.StateAsking
	StateStarting = chat.StateStarting
)
