// Package extractor extracts messages from the screen. It supports the programs that Agents lists;
// each has its own package, and is recognised by what the screen shows.
//
// The Reader keeps a document: the rows of one conversation, composed from frames. An agent's look
// describes how the agent draws: it is passed rows and keeps no state.
package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/claude"
	"github.com/ptyrec/ptyrec/extractor/codex"
	"github.com/ptyrec/ptyrec/extractor/copilot"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/gemini"
	"github.com/ptyrec/ptyrec/extractor/opencode"
	"github.com/ptyrec/ptyrec/extractor/pi"
	"github.com/ptyrec/ptyrec/extractor/qwen"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// agents are the supported agents, in the order in which they are tried for a banner.
var agents = []*chat.Agent{claude.Agent(), codex.Agent(), copilot.Agent(), gemini.Agent(), opencode.Agent(),
	opencode.Kilo(), pi.Agent(), qwen.Agent()}

// Profile is a look together with its agent.
type Profile struct {
	*chat.Agent
	*chat.Look
}

// clears reports whether a row is a command that cleared the conversation.
func (p *Profile) clears(l row.Line) bool { return p.Clears != nil && p.Clears(l) }

// noAgent is the profile of a shell.
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

// AgentOf returns the agent with a name, or an empty one.
func AgentOf(name string) *chat.Agent {
	for _, a := range agents {
		if a.Name == name {
			return a
		}
	}
	return &chat.Agent{}
}

// Agents returns the names of all agents, in the order in which they are tried for a banner.
func Agents() (names []string) {
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

type (
	// Item is a message on the screen.
	Item = chat.Item
	// State is the state of an agent.
	State = chat.State
	// Placement is the name of the rule that found a frame's place in a document.
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
