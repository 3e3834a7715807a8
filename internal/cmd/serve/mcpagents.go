package serve

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// serverName is the name of the server in the agents' configurations.
const serverName = "ptyrec"

// mcpAgent is an agent that supports MCP servers.
type mcpAgent struct {
	name string
	// file returns the path of the agent's configuration, and the keys below which it lists
	// servers.
	file func() (path string, servers string)
	// add and remove return commands of the agent. If they are nil, the file is changed directly.
	add    func(program string, args []string) []string
	remove []string
}

// mcpAgents returns the supported agents.
func mcpAgents() []mcpAgent {
	return []mcpAgent{
		{
			name: "claude", file: func() (string, string) {
				return homeFile("CLAUDE_CONFIG_DIR", "", ".claude.json"),
					"mcpServers"
			},
			add: func(program string, args []string) []string {
				return append([]string{"claude", "mcp", "add", "--scope", "user", serverName, "--", program}, args...)
			},
			remove: []string{"claude", "mcp", "remove", "--scope", "user", serverName},
		},
		{
			name: "codex", file: func() (string, string) {
				return homeFile("CODEX_HOME", ".codex", "config.toml"),
					"mcp_servers"
			},
			add: func(program string, args []string) []string {
				command := []string{"codex", "mcp", "add", serverName}
				if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" { // Codex passes on only few variables
					command = append(command, "--env", "XDG_CONFIG_HOME="+dir)
				}
				return append(append(command, "--", program), args...)
			},
			remove: []string{"codex", "mcp", "remove", serverName},
		},
		{
			name: "gemini", file: func() (string, string) { return homeFile("", ".gemini", "settings.json"), "mcpServers" },
			add: func(program string, args []string) []string {
				return append([]string{"gemini", "mcp", "add", "--scope", "user", serverName, program}, args...)
			},
			remove: []string{"gemini", "mcp", "remove", "--scope", "user", serverName},
		},
		{name: "cursor", file: func() (string, string) { return homeFile("", ".cursor", "mcp.json"), "mcpServers" }},
	}
}

// homeFile returns the path of a file in the folder that a variable contains, or else in a folder
// of the home folder. It returns "" if there is no home folder.
func homeFile(variable, folder, name string) string {
	if variable != "" {
		if dir := os.Getenv(variable); dir != "" {
			return filepath.Join(dir, name)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, folder, name)
}

// chooseAgents returns the agents with these names, or those that are installed if there are no
// names. The error is a *failure.Error.
func chooseAgents(names []string) (chosen []mcpAgent, err error) {
	var all []string
	for _, agent := range mcpAgents() {
		all = append(all, agent.name)
		if len(names) == 0 && agent.installed() || slices.Contains(names, agent.name) {
			chosen = append(chosen, agent)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, failure.Misuse("use one of "+strings.Join(all, ", "), "unknown agent %q", name)
		}
	}
	if len(chosen) == 0 {
		return nil, failure.New(errors.New("no agents found"), "name one: ptyrec mcp install "+strings.Join(all, "|"))
	}
	return chosen, nil
}

func (a mcpAgent) installed() bool {
	if a.add != nil {
		_, err := exec.LookPath(a.name)
		return err == nil
	}
	path, _ := a.file()
	_, err := os.Stat(filepath.Dir(path))
	return path != "" && err == nil
}
