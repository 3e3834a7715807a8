package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
)

// mcpName is the name of the server in the agents' configurations.
const mcpName = "ptyrec"

// mcpAgent is an agent that can use the MCP server.
type mcpAgent struct {
	name string
	// file returns the agent's configuration, and the keys under which its servers are.
	file func() (path string, servers string)
	// add and remove are the agent's own commands; nil: the file is changed.
	add    func(program string, args []string) []string
	remove []string
}

// mcpAgents are those that install knows.
func mcpAgents() []mcpAgent {
	return []mcpAgent{
		{
			name: "claude", file: func() (string, string) { return homeFile("CLAUDE_CONFIG_DIR", "", ".claude.json"), "mcpServers" },
			add: func(program string, args []string) []string {
				return append([]string{"claude", "mcp", "add", "--scope", "user", mcpName, "--", program}, args...)
			},
			remove: []string{"claude", "mcp", "remove", "--scope", "user", mcpName},
		},
		{
			name: "codex", file: func() (string, string) { return homeFile("CODEX_HOME", ".codex", "config.toml"), "mcp_servers" },
			add: func(program string, args []string) []string {
				command := []string{"codex", "mcp", "add", mcpName}
				if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" { // Codex passes few variables on
					command = append(command, "--env", "XDG_CONFIG_HOME="+dir)
				}
				return append(append(command, "--", program), args...)
			},
			remove: []string{"codex", "mcp", "remove", mcpName},
		},
		{
			name: "gemini", file: func() (string, string) { return homeFile("", ".gemini", "settings.json"), "mcpServers" },
			add: func(program string, args []string) []string {
				return append([]string{"gemini", "mcp", "add", "--scope", "user", mcpName, program}, args...)
			},
			remove: []string{"gemini", "mcp", "remove", "--scope", "user", mcpName},
		},
		{name: "cursor", file: func() (string, string) { return homeFile("", ".cursor", "mcp.json"), "mcpServers" }},
	}
}

// homeFile returns the path of a file in the folder that a variable names, or else in a folder of
// the home folder; "" without one.
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

type mcpInstallFlags struct {
	mcpFlags
	print bool
	force bool
}

func newMCPInstallCmd(a *app) *cobra.Command {
	var f mcpInstallFlags
	cmd := &cobra.Command{
		Use:   "install [claude] [codex] [gemini] [cursor]",
		Short: "Make ptyrec's MCP server known to agents",
		Long: `Install makes the server known to the named agents, or to all that are installed: by claude mcp add, codex mcp add and gemini mcp add, and
in Cursor's ~/.cursor/mcp.json. It passes its flags on, and --db if the database is not where it usually is. A server called ptyrec that is
there already stays as it is, unless you say --force.`,
		Example: `  ptyrec mcp install
  ptyrec mcp install claude --write
  ptyrec mcp install --print`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return installMCP(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().BoolVar(&f.write, "write", false, "let agents type into sessions that you have granted (ptyrec grant)")
	cmd.Flags().BoolVar(&f.ask, "ask", false, "without a grant, have the agent ask you; some agents answer such questions themselves")
	cmd.Flags().BoolVar(&f.allowRun, "allow-run", false, "let agents run commands in sessions of their own")
	cmd.Flags().BoolVar(&f.print, "print", false, "only print what would be done")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace a server called ptyrec that is there")
	return cmd
}

func installMCP(ctx context.Context, a *app, names []string, f mcpInstallFlags) error {
	agents, err := chosenAgents(names)
	if err != nil {
		return err
	}
	args, err := f.serverArgs(a)
	if err != nil {
		return err
	}
	program := executable()
	for _, agent := range agents {
		if err := agent.install(ctx, a, program, args, f); err != nil {
			return err
		}
	}
	return nil
}

// chosenAgents returns the agents with these names; without names, those that are installed.
func chosenAgents(names []string) (chosen []mcpAgent, err error) {
	all := mcpAgents()
	known := []string{}
	for _, agent := range all {
		known = append(known, agent.name)
		if len(names) == 0 && agent.installed() || slices.Contains(names, agent.name) {
			chosen = append(chosen, agent)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, misuse("it knows "+strings.Join(known, ", "), "unknown agent %q", name)
		}
	}
	if len(chosen) == 0 {
		return nil, fail(errors.New("no agent is found"), "name one: ptyrec mcp install "+strings.Join(known, "|"))
	}
	return chosen, nil
}

func (m mcpAgent) installed() bool {
	if m.add != nil {
		_, err := exec.LookPath(m.name)
		return err == nil
	}
	path, _ := m.file()
	_, err := os.Stat(filepath.Dir(path))
	return path != "" && err == nil
}

// serverArgs returns the arguments with which agents start the server.
func (f mcpInstallFlags) serverArgs(a *app) ([]string, error) {
	args := []string{"mcp"}
	for flag, on := range map[string]bool{"--write": f.write, "--ask": f.ask, "--allow-run": f.allowRun} {
		if on {
			args = append(args, flag)
		}
	}
	slices.Sort(args[1:])
	path, err := a.dbPath()
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if path != homeFile("", ".local/share/ptyrec", "ptyrec.db") {
		args = append(args, "--db", path)
	}
	return args, nil
}

// install makes the server known to an agent.
func (m mcpAgent) install(ctx context.Context, a *app, program string, args []string, f mcpInstallFlags) error {
	path, servers := m.file()
	wanted := append([]string{program}, args...)
	if f.print {
		return m.printed(a.stdout, path, program, args)
	}
	now, err := m.configured(path, servers)
	switch {
	case err != nil:
		return fail(fmt.Errorf("%s: %w", path, err), "mend the file, or add the server yourself: ptyrec mcp install "+m.name+" --print")
	case slices.Equal(now, wanted):
		_, err := fmt.Fprintf(a.stdout, "%s: has the server already\n", m.name)
		return err
	case now != nil && !f.force:
		return fail(fmt.Errorf("%s has another server called %s: %s", m.name, mcpName, commandText(now)), "replace it: ptyrec mcp install "+m.name+" --force")
	}
	if m.add == nil {
		if err := addToFile(a, path, servers, program, args); err != nil {
			return fail(err, "ptyrec mcp install "+m.name+" --print shows what belongs there")
		}
		_, err := fmt.Fprintf(a.stdout, "%s: added the server to %s\n", m.name, path)
		return err
	}
	if now != nil {
		if err := runAgent(ctx, m.remove); err != nil {
			return err
		}
	}
	command := m.add(program, args)
	if err := runAgent(ctx, command); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s: added the server: %s\n", m.name, commandText(command))
	return err
}

// printed writes what install would do.
func (m mcpAgent) printed(w io.Writer, path, program string, args []string) error {
	if m.add != nil {
		_, err := fmt.Fprintln(w, commandText(m.add(program, args)))
		return err
	}
	_, err := fmt.Fprintf(w, "# %s\n", path)
	if err == nil {
		err = writeJSON(w, map[string]any{"mcpServers": map[string]any{mcpName: serverEntry(program, args)}})
	}
	return err
}

func serverEntry(program string, args []string) map[string]any {
	return map[string]any{"command": program, "args": args}
}

func commandText(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if quoted[i] = arg; arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`*?[]{}()<>|&;#~") {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// runAgent runs a command of an agent.
func runAgent(ctx context.Context, command []string) error {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		said := strings.TrimSpace(string(out))
		return fail(fmt.Errorf("%s: %w: %s", commandText(command), err, said[max(0, len(said)-maxSaid):]), "run it yourself, or see `"+command[0]+" mcp --help`")
	}
	return nil
}

// maxSaid is how much of an agent's output an error has, in bytes.
const maxSaid = 500

// configured returns the command line of the server that the agent has now; nil if it has none.
func (m mcpAgent) configured(path, servers string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	if filepath.Ext(path) == ".toml" {
		err = toml.Unmarshal(text, &all)
	} else if len(bytes.TrimSpace(text)) > 0 {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, err
	}
	list, _ := all[servers].(map[string]any)
	entry, ok := list[mcpName].(map[string]any)
	if !ok {
		return nil, nil
	}
	program, _ := entry["command"].(string)
	command := []string{program}
	args, _ := entry["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		command = append(command, text)
	}
	return command, nil
}

// addToFile adds the server to a configuration in JSON, and keeps what else is in it.
func addToFile(a *app, path, servers, program string, args []string) error {
	all := map[string]json.RawMessage{}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(bytes.TrimSpace(text)) > 0 {
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
	}
	list := map[string]json.RawMessage{}
	if all[servers] != nil {
		if err := json.Unmarshal(all[servers], &list); err != nil {
			return err
		}
	}
	if list[mcpName], err = json.Marshal(serverEntry(program, args)); err != nil {
		return err
	}
	if all[servers], err = json.Marshal(list); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return a.writeFile(path, func(w io.Writer) error { return writeJSON(w, all) })
}
