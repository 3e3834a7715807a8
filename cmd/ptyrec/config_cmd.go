package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
)

func newConfigCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "config",
		SuggestFor: []string{"settings", "configure"},
		Short:      "Show the configuration",
		Long: `Config shows what the configuration file ($XDG_CONFIG_HOME/ptyrec/config.toml) and the environment
make of the settings, as a file that means the same. Flags go over the environment, and that over the file.`,
		Example: "  ptyrec config\n  ptyrec config path\n  $EDITOR \"$(ptyrec config path)\"",
		Args:    subcommand,
		RunE:    func(*cobra.Command, []string) error { return showConfig(a) },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "show",
			Short:   "Show the settings as they are in force",
			Example: "  ptyrec config show",
			Args:    operands(0, 0),
			RunE:    func(*cobra.Command, []string) error { return showConfig(a) },
		},
		&cobra.Command{
			Use:     "path",
			Short:   "Print where the configuration file stands",
			Example: "  ptyrec config path",
			Args:    operands(0, 0),
			RunE: func(*cobra.Command, []string) error {
				path, err := configPath()
				if err == nil {
					_, err = fmt.Fprintln(a.stdout, path)
				}
				return err
			},
		})
	return cmd
}

func showConfig(a *app) error {
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	path, err := configPath()
	if err != nil {
		return err
	}
	shown := *c
	if shown.Database, err = a.dbPath(); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(&b, "# %s: not there, these are the defaults\n", path)
	} else {
		fmt.Fprintf(&b, "# %s\n", path)
	}
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(shown); err != nil {
		return err
	}
	_, err = a.stdout.Write(b.Bytes())
	return err
}
