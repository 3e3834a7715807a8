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
	"github.com/ptyrec/ptyrec/extractor/gemini"
	"github.com/ptyrec/ptyrec/extractor/opencode"
	"github.com/ptyrec/ptyrec/extractor/qwen"
)

// agents are all agents known, in the order in which they are asked whether a banner is theirs.
var agents = []*chat.Agent{claude.Agent(), codex.Agent(), copilot.Agent(), gemini.Agent(), opencode.Agent(), qwen.Agent()}

// Profile is a look of an agent.
type Profile struct {
	*chat.Agent
	*chat.Look
}

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

// agentOf returns the agent of a name, or one without a name.
func agentOf(name string) *chat.Agent {
	for _, a := range agents {
		if a.Name == name {
			return a
		}
	}
	return &chat.Agent{}
}

// Agents returns the names of all agents, in the order in which they are asked whether a banner is
// theirs.
func Agents() []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return names
}

// Title returns what an agent calls itself, or "" if its name is not known.
func Title(agent string) string { return agentOf(agent).Title }

// IsAgent reports whether an agent has this name.
func IsAgent(name string) bool { return agentOf(name).Name != "" }

// SendingOf returns how prompts are sent to the agent of a name, or nil if that is not known.
func SendingOf(agent string) *chat.Sending { return agentOf(agent).Send }

// ResumptionOf returns how the agent of a name is started again, or nil if that is not known.
func ResumptionOf(agent string) *chat.Resumption { return agentOf(agent).Resume }
