package agentapi

import (
	"path/filepath"
	"slices"
	"strings"
)

// typeNames are the names of agents that users may write, and their types.
var typeNames = map[string]string{
	"claude": "claude", "goose": "goose", "aider": "aider", "codex": "codex", "gemini": "gemini", "copilot": "copilot",
	"amp":    "amp",
	"cursor": "cursor", "cursor-agent": "cursor", "auggie": "auggie", "amazonq": "amazonq", "q": "amazonq",
	"opencode": "opencode", Custom: Custom,
}

// Custom is the type of programs that are not known agents.
const Custom = "custom"

// TypeNames returns the names of the types, sorted.
func TypeNames() []string {
	names := make([]string, 0, len(typeNames))
	for name := range typeNames {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TypeOf returns the type for a name. ok is false if there is none.
func TypeOf(name string) (agent string, ok bool) {
	agent, ok = typeNames[name]
	return agent, ok
}

// TypeOfCommand returns the type of the agent that a command starts: that of its name or, if it is
// a shell or a similar program, of its first argument that names an agent.
func TypeOfCommand(command []string) string {
	if len(command) == 0 {
		return Custom
	}
	if agent, ok := typeNames[filepath.Base(command[0])]; ok {
		return agent
	}
	if !slices.Contains(runners, filepath.Base(command[0])) {
		return Custom
	}
	for _, arg := range command[1:] {
		for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"", r) }) {
			if agent, ok := typeNames[filepath.Base(word)]; ok && len(filepath.Base(word)) > 1 {
				return agent
			}
		}
	}
	return Custom
}

// runners are programs that run the command in their arguments.
var runners = []string{"sh", "bash", "zsh", "dash", "fish", "env", "npx", "bunx", "pnpx", "uvx", "node", "nohup",
	"timeout", "nice", "script", "sudo"}
