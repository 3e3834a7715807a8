package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// configOptions are the options of config.
type configOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Config func() (*config.Config, error)
}

// NewCmdConfig returns the config command.
func NewCmdConfig(f *factory.Factory) *cobra.Command {
	o := &configOptions{IO: f.IO, Open: f.Open, Config: f.Config}
	cmd := &cobra.Command{
		Use:        "config",
		SuggestFor: []string{"settings", "configure"},
		Short:      "Show or edit the configuration",
		Long: `Config prints the settings in force in the form of a configuration file. Flags override the
environment, and both override the file, $XDG_CONFIG_HOME/ptyrec/config.toml.`,
		Example: "  ptyrec config\n  ptyrec config edit\n  ptyrec config path",
		Args:    cli.Subcommand,
		RunE:    func(*cobra.Command, []string) error { return showConfig(o) },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "show",
			Short:   "Show the settings in force",
			Example: "  ptyrec config show",
			Args:    cli.Operands(0, 0),
			RunE:    func(*cobra.Command, []string) error { return showConfig(o) },
		},
		&cobra.Command{
			Use:   "edit",
			Short: "Edit the configuration file",
			Long: `Edit opens the configuration file in your editor ($VISUAL, $EDITOR, vi), and checks it afterwards.
A new file explains each setting.`,
			Example: "  ptyrec config edit",
			Args:    cli.Operands(0, 0),
			RunE:    func(*cobra.Command, []string) error { return editConfig(o) },
		},
		&cobra.Command{
			Use:     "path",
			Short:   "Print the path of the configuration file",
			Example: "  ptyrec config path",
			Args:    cli.Operands(0, 0),
			RunE: func(*cobra.Command, []string) error {
				path, err := config.Path()
				if err == nil {
					_, err = fmt.Fprintln(o.IO.Out, printable.Line(path))
				}
				return err
			},
		})
	return cmd
}

func showConfig(o *configOptions) error {
	c, err := o.Config()
	if err != nil {
		return err
	}
	path, err := config.Path()
	if err != nil {
		return err
	}
	shown := *c
	if shown.Database, err = o.Open.Database(); err != nil {
		return err
	}
	return shown.Write(o.IO.Out, path)
}

func editConfig(o *configOptions) error {
	path, err := config.Path()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := config.Create(path); err != nil {
			return err
		}
	}
	command := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
	if cli.EditsOnTerminal(command) && !(cli.IsTerminal(o.IO.In) && cli.IsTerminal(o.IO.Out)) {
		return failure.New(fmt.Errorf("config edit: %s needs a terminal", command),
			"edit "+path+", or set VISUAL or EDITOR to another editor")
	}
	// Through a shell like git, because the command may have arguments.
	editor := exec.Command("sh", "-c", command+` "$1"`, command, path)
	editor.Stdin, editor.Stdout, editor.Stderr = o.IO.In, o.IO.Out, o.IO.Err
	if err := editor.Run(); err != nil {
		return failure.New(fmt.Errorf("the editor %s: %w", command, err),
			"set VISUAL or EDITOR to another one; the file is "+path)
	}
	c := config.Default()
	return config.Read(path, &c)
}
