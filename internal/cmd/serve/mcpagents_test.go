package serve

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var installed = mcpProgram{Program: "/opt/my tools/ptyrec", Args: []string{"mcp", "--write"}}

// home makes an empty home folder, and a PATH on which no agent is.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{"HOME": dir, "PATH": t.TempDir(), "CLAUDE_CONFIG_DIR": "",
		"CODEX_HOME": "", "XDG_CONFIG_HOME": ""} {
		t.Setenv(name, value)
	}
	return dir
}

func choose(t *testing.T, name string) mcpAgent {
	t.Helper()
	agents, err := chooseAgents([]string{name})
	if err != nil || len(agents) != 1 {
		t.Fatalf("Choose(%s) = %v, %v", name, agents, err)
	}
	return agents[0]
}

func TestChoose(t *testing.T) {
	dir := home(t)
	if _, err := chooseAgents(nil); err == nil || err.Error() != "no agents found" {
		t.Errorf("without any agent: %v", err)
	}
	if _, err := chooseAgents([]string{"claude", "nobody"}); err == nil || err.Error() != `unknown agent "nobody"` {
		t.Errorf("an unknown one: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	if agents, err := chooseAgents(nil); err != nil || len(agents) != 1 {
		t.Errorf("with Cursor's folder: %d agents, %v", len(agents), err)
	}
}

func TestPrint(t *testing.T) {
	dir := home(t)
	for name, want := range map[string]string{
		"claude": "claude mcp add --scope user ptyrec -- '/opt/my tools/ptyrec' mcp --write\n",
		"codex":  "codex mcp add ptyrec -- '/opt/my tools/ptyrec' mcp --write\n",
		"gemini": "gemini mcp add --scope user ptyrec '/opt/my tools/ptyrec' mcp --write\n",
		"cursor": "# " + dir + `/.cursor/mcp.json
{
 "mcpServers": {
  "ptyrec": {
   "args": [
    "mcp",
    "--write"
   ],
   "command": "/opt/my tools/ptyrec"
  }
 }
}
`,
	} {
		var got bytes.Buffer
		if err := choose(t, name).Print(&got, installed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What a configuration has besides stays, and another server of the name is replaced only by force.
func TestInstallInFile(t *testing.T) {
	path := filepath.Join(home(t), ".cursor", "mcp.json")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cursor := choose(t, "cursor")
	install := func(force bool) string {
		var out bytes.Buffer
		if err := cursor.Install(t.Context(), &out, installed, force); err != nil {
			return err.Error()
		}
		return out.String()
	}
	if got := install(false); !strings.HasPrefix(got, "cursor: added the server to ") {
		t.Errorf("without a file: %s", got)
	}
	if got, want := install(false), "cursor: already has the server\n"; got != want {
		t.Errorf("twice: %q, want %q", got, want)
	}
	const other = `{"theirs": 1, "mcpServers": {"ptyrec": {"command": "/old", "args": ["mcp"]}, "other": {"command": ` +
		`"x"}}}`
	write(other)
	if got, want := install(false), "cursor has another server called ptyrec: /old mcp"; got != want {
		t.Errorf("another one: %q, want %q", got, want)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != other {
		t.Errorf("the file was changed: %s, %v", text, err)
	}
	install(true)
	var got map[string]any
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &got) != nil {
		t.Fatalf("%s, %v", text, err)
	}
	want := map[string]any{"theirs": 1.0, "mcpServers": map[string]any{
		"ptyrec": map[string]any{"command": installed.Program, "args": []any{"mcp", "--write"}},
		"other":  map[string]any{"command": "x"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by force (-want +got):\n%s", diff)
	}
	write("{ // comments")
	if got := install(true); !strings.Contains(got, path) {
		t.Errorf("a broken file: %s", got)
	}
}

// A server in a configuration in TOML is found, and replaced by the agent's own commands.
func TestInstallByCommand(t *testing.T) {
	dir := home(t)
	bin := filepath.Join(dir, "bin")
	said := filepath.Join(dir, "said")
	for path, text := range map[string]string{
		filepath.Join(dir, ".codex", "config.toml"): "[mcp_servers.ptyrec]\ncommand = \"/old\"\nargs = [\"mcp\"]\n",
		filepath.Join(bin, "codex"):                 "#!/bin/sh\necho \"$*\" >>" + said + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	var out bytes.Buffer
	if err := choose(t, "codex").Install(t.Context(), &out, installed, true); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("mcp remove ptyrec\nmcp add ptyrec -- /opt/my tools/ptyrec mcp --write\n",
		string(text)); diff != "" {
		t.Errorf("codex was called with (-want +got):\n%s", diff)
	}
}
