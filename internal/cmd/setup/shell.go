package setup

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

//go:embed init.bash init.fish init.zsh
var shellFiles embed.FS

// shellOptions are the options of the generated shell code.
type shellOptions struct {
	Agents []string // commands to record
	Shell  bool     // record the whole shell
}

// nameError reports an agent whose name is not safe in shell code.
type nameError struct{ Name string }

func (e *nameError) Error() string { return fmt.Sprintf("%q is not a command name", e.Name) }

// shellCode returns the code for a shell (bash, fish or zsh): functions that record agents, the
// marks of prompts (OSC 133), and completion of root's commands.
func shellCode(root *cobra.Command, shell string, o shellOptions) (string, error) {
	text, err := shellIntegration(shell, o)
	if err != nil {
		return "", err
	}
	completion, err := completionOf(root, shell)
	if err != nil {
		return "", err
	}
	return strings.Replace(text, "#completion\n", completion, 1), nil
}

// completionOf returns the completion code for a shell. The integration contains it, which saves a
// process at each start of a shell.
func completionOf(root *cobra.Command, shell string) (string, error) {
	var b strings.Builder
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	}
	// In zsh it must be called after compinit.
	return strings.Replace(b.String(), "\ncompdef _ptyrec ptyrec\n", "\n", 1), err
}

// commandName matches names that are safe in shell code.
var commandName = lazy.Regexp(`^[A-Za-z0-9_.+][A-Za-z0-9_.+-]*$`)

// shellIntegration returns the code for a shell: an embedded file, with placeholders replaced by a
// wrapper for each agent.
func shellIntegration(shell string, o shellOptions) (string, error) {
	b, err := shellFiles.ReadFile("init." + shell)
	if err != nil {
		return "", err
	}
	text := string(b)
	head, rest, _ := strings.Cut(text, "#agent\n")
	agent, tail, _ := strings.Cut(rest, "#end\n")
	for _, name := range o.Agents {
		if !commandName().MatchString(name) {
			return "", &nameError{name}
		}
		head += strings.ReplaceAll(agent, "AGENT", name)
	}
	before, rest, _ := strings.Cut(tail, "#record\n")
	whole, after, _ := strings.Cut(rest, "#end\n")
	if o.Shell {
		return whole + head + before + after, nil // first, because the recorded shell reads all of it again
	}
	return head + before + after, nil
}
