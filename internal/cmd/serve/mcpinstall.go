package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// mcpInstallOptions are the options of mcp install.
type mcpInstallOptions struct {
	mcpFlags
	IO       *cli.IO
	Database func() (path string, err error)

	print bool
	force bool
}

// NewCmdMCPInstall returns the mcp install command.
func NewCmdMCPInstall(f *factory.Factory) *cobra.Command {
	o := &mcpInstallOptions{IO: f.IO, Database: f.DatabasePath}
	cmd := &cobra.Command{
		Use:   "install [claude] [codex] [gemini] [cursor]",
		Short: "Register ptyrec's MCP server with agents",
		Long: `Install registers the MCP server with the named agents, or with all installed ones: with claude
mcp add, codex mcp add, gemini mcp add, and in Cursor's ~/.cursor/mcp.json. The agents start it
with the flags that you pass, and --db if the database is not in the default place. It replaces a
server called ptyrec only with --force.`,
		Example: `  ptyrec mcp install
  ptyrec mcp install claude --write
  ptyrec mcp install --print`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return installMCP(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVar(&o.write, "write", false, "let agents type into sessions that you grant")
	cmd.Flags().BoolVar(&o.ask, "ask", false, "let the agent ask you for a grant (some answer themselves)")
	cmd.Flags().BoolVar(&o.allowRun, "allow-run", false, "let agents run commands in new sessions")
	cmd.Flags().BoolVar(&o.print, "print", false, "show what would be done")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing server called ptyrec")
	return cmd
}

func installMCP(ctx context.Context, o *mcpInstallOptions, names []string) error {
	agents, err := chooseAgents(names)
	if err != nil {
		return err
	}
	args, err := o.serverArgs()
	if err != nil {
		return err
	}
	server := mcpProgram{Program: detached.Program(), Args: args}
	for _, agent := range agents {
		if o.print {
			err = agent.Print(o.IO.Out, server)
		} else {
			err = agent.Install(ctx, o.IO.Out, server, o.force)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serverArgs returns the arguments with which agents start the server.
func (o *mcpInstallOptions) serverArgs() ([]string, error) {
	args := []string{"mcp"}
	for flag, on := range map[string]bool{"--write": o.write, "--ask": o.ask, "--allow-run": o.allowRun} {
		if on {
			args = append(args, flag)
		}
	}
	slices.Sort(args[1:])
	path, err := o.Database()
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if home, err := os.UserHomeDir(); err != nil || path != filepath.Join(home, ".local/share/ptyrec/ptyrec.db") {
		args = append(args, "--db", path)
	}
	return args, nil
}
