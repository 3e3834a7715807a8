package main

import (
	"embed"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed shell
var shellFiles embed.FS

// agentNames are the programs whose conversations ptyrec reads.
var agentNames = []string{"claude", "codex", "copilot", "gemini", "opencode", "qwen"}

func newInitCmd(a *app) *cobra.Command {
	var record, all bool
	var agents []string
	cmd := &cobra.Command{
		Use:        "init bash|zsh|fish",
		SuggestFor: []string{"shell", "hook"},
		Short:      "Print what a shell needs to record agents by itself",
		Long: `Init prints code for your shell's startup file. With it, claude, codex, copilot, gemini, opencode and
qwen are recorded whenever you start them on a terminal, if they are installed; prompts are marked (OSC 133),
so that commands can be told from their output; and words are completed. Inside a recorded session,
and where recording is not possible, agents run unrecorded. --shell records each interactive shell
instead.`,
		Example: `  eval "$(ptyrec init bash)"             # in ~/.bashrc
  eval "$(ptyrec init zsh)"              # in ~/.zshrc
  ptyrec init fish | source              # in ~/.config/fish/config.fish
  ptyrec init bash --agents claude,aider`,
		Args:      oneOf("shell", "bash", "zsh", "fish"),
		ValidArgs: []cobra.Completion{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("agents") {
				agents = agentNames
				if !all {
					agents = installed(agentNames)
				}
			}
			text, err := integration(args[0], agents, record)
			if err != nil {
				return err
			}
			completion, err := completionOf(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.stdout, strings.Replace(text, "#completion\n", completion, 1))
			return err
		},
	}
	cmd.Flags().StringSliceVar(&agents, "agents", nil, "the `COMMANDS` to record (default: the known agents that are installed)")
	cmd.Flags().BoolVar(&all, "all", false, "all known agents, installed or not")
	cmd.Flags().BoolVar(&record, "shell", false, "record the whole shell")
	return cmd
}

// completionOf returns the code that completes words in a shell. The integration contains it, which
// saves a process at each start of a shell.
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
	return strings.Replace(b.String(), "\ncompdef _ptyrec ptyrec\n", "\n", 1), err // zsh's is called when compinit has run
}

func installed(names []string) (found []string) {
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// commandName matches the names that may be in the shell's code.
var commandName = regexp.MustCompile(`^[A-Za-z0-9_.+][A-Za-z0-9_.+-]*$`)

// integration returns the code for a shell: a file of ours, with its marks replaced by a wrapper
// for each agent.
func integration(shell string, agents []string, record bool) (string, error) {
	b, err := shellFiles.ReadFile("shell/init." + shell)
	if err != nil {
		return "", err
	}
	text := string(b)
	head, rest, _ := strings.Cut(text, "#agent\n")
	agent, tail, _ := strings.Cut(rest, "#end\n")
	for _, name := range agents {
		if !commandName.MatchString(name) {
			return "", usageError(fmt.Errorf("%q is no name of a command", name))
		}
		head += strings.ReplaceAll(agent, "AGENT", name)
	}
	before, rest, _ := strings.Cut(tail, "#record\n")
	whole, after, _ := strings.Cut(rest, "#end\n")
	if record {
		return whole + head + before + after, nil // first: the shell that it starts reads all of it again
	}
	return head + before + after, nil
}
