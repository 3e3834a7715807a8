package serve

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
	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys"
)

// mcpProgram describes how agents start the MCP server.
type mcpProgram struct {
	Program string // an absolute path
	Args    []string
}

// entry returns the server's entry for a configuration file.
func (s mcpProgram) entry() map[string]any {
	return map[string]any{"command": s.Program, "args": s.Args}
}

// Print writes what Install would do: a command, or a part of a configuration file.
func (a mcpAgent) Print(w io.Writer, s mcpProgram) error {
	if a.add != nil {
		_, err := fmt.Fprintln(w, shellquote.Join(a.add(s.Program, s.Args)...))
		return err
	}
	path, _ := a.file()
	_, err := fmt.Fprintf(w, "# %s\n", path)
	if err == nil {
		err = printable.WriteJSON(w, map[string]any{"mcpServers": map[string]any{serverName: s.entry()}})
	}
	return err
}

// Install adds the server to the agent's configuration, and writes what it has done to w. Unless
// force is set, it returns an error if the agent has a different server with that name. The errors
// are *failure.Error.
func (a mcpAgent) Install(ctx context.Context, w io.Writer, s mcpProgram, force bool) error {
	path, servers := a.file()
	now, err := configured(path, servers)
	switch {
	case err != nil:
		return failure.New(fmt.Errorf("%s: %w", path, err),
			"fix the file, or add the server yourself: ptyrec mcp install "+a.name+" --print")
	case slices.Equal(now, append([]string{s.Program}, s.Args...)):
		_, err := fmt.Fprintf(w, "%s: already has the server\n", a.name)
		return err
	case now != nil && !force:
		return failure.New(fmt.Errorf("%s has another server called %s: %s", a.name, serverName, shellquote.Join(now...)),
			"replace it: ptyrec mcp install "+a.name+" --force")
	}
	if a.add == nil {
		if err := addToFile(path, servers, s); err != nil {
			return failure.New(err, "ptyrec mcp install "+a.name+" --print shows what to add")
		}
		_, err := fmt.Fprintf(w, "%s: added the server to %s\n", a.name, path)
		return err
	}
	if now != nil {
		if err := runCommand(ctx, a.remove); err != nil {
			return err
		}
	}
	command := a.add(s.Program, s.Args)
	if err := runCommand(ctx, command); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: added the server: %s\n", a.name, shellquote.Join(command...))
	return err
}

// runCommand runs a command of an agent.
func runCommand(ctx context.Context, command []string) error {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		said := strings.TrimSpace(string(out))
		return failure.New(fmt.Errorf("%s: %w: %s", shellquote.Join(command...), err, said[max(0, len(said)-maxSaid):]),
			"run it yourself, or see `"+command[0]+" mcp --help`")
	}
	return nil
}

// maxSaid is how much of an agent's output an error contains, in bytes.
const maxSaid = 500

// configured returns the current command line of the server in a configuration, below these keys,
// or nil if there is none.
func configured(path, servers string) ([]string, error) {
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
	entry, ok := list[serverName].(map[string]any)
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

// addToFile adds the server to a JSON configuration file, and keeps the rest of it.
func addToFile(path, servers string, s mcpProgram) error {
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
	if list[serverName], err = json.Marshal(s.entry()); err != nil {
		return err
	}
	if all[servers], err = json.Marshal(list); err != nil {
		return err
	}
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return err
	}
	var temps cli.Temporaries
	return temps.WriteFile(path, func(w io.Writer) error { return printable.WriteJSON(w, all) })
}
