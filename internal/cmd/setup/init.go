// Package setup implements the commands about ptyrec itself.
package setup

import (
	"errors"
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// initOptions are the options of init.
type initOptions struct {
	IO *cli.IO
}

// NewCmdInit returns the init command.
func NewCmdInit(f *factory.Factory) *cobra.Command {
	o := &initOptions{IO: f.IO}
	var record, all bool
	var agents []string
	cmd := &cobra.Command{
		Use:        "init bash|zsh|fish",
		SuggestFor: []string{"shell", "hook"},
		Short:      "Print shell code that records agents automatically",
		Long: `Init prints code for your shell's startup file. With it, ` + strings.Join(factory.AgentNames(),
			", ") + ` are recorded whenever you start
them in a terminal, if they are installed. Prompts are marked (OSC 133), so that commands and
their output can be told apart, and words are completed. Inside a recorded session, and if
recording fails, agents run unrecorded. --shell records each interactive shell instead.`,
		Example: `  eval "$(ptyrec init bash)"             # in ~/.bashrc
  eval "$(ptyrec init zsh)"              # in ~/.zshrc
  ptyrec init fish | source              # in ~/.config/fish/config.fish
  ptyrec init bash --agents claude,aider`,
		Args:      cli.OneOf("shell", "bash", "zsh", "fish"),
		ValidArgs: []cobra.Completion{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("agents") {
				agents = factory.AgentNames()
				if !all {
					agents = installed(factory.AgentNames())
				}
			}
			code, err := shellCode(cmd.Root(), args[0], shellOptions{Agents: agents, Shell: record})
			if bad := (*nameError)(nil); errors.As(err, &bad) {
				return failure.Usage(err)
			}
			if err != nil {
				return err
			}
			_, err = io.WriteString(o.IO.Out, code)
			return err
		},
	}
	cmd.Flags().StringSliceVar(&agents, "agents", nil, "record these `COMMANDS` (default: installed agents)")
	cmd.Flags().BoolVar(&all, "all", false, "record all known agents, installed or not")
	cmd.Flags().BoolVar(&record, "shell", false, "record each interactive shell")
	return cmd
}

func installed(names []string) (found []string) {
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}
