package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/setup/mcpinstall"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

type mcpInstallFlags struct {
	mcpFlags
	print bool
	force bool
}

// NewCmdMCPInstall returns the command mcp install.
func NewCmdMCPInstall(a *factory.Factory) *cobra.Command {
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

func installMCP(ctx context.Context, a *factory.Factory, names []string, f mcpInstallFlags) error {
	agents, err := mcpinstall.Choose(names)
	if err != nil {
		return err
	}
	args, err := f.serverArgs(a)
	if err != nil {
		return err
	}
	server := mcpinstall.Server{Program: detached.Program(), Args: args}
	for _, agent := range agents {
		if f.print {
			err = agent.Print(a.IO.Out, server)
		} else {
			err = agent.Install(ctx, a.IO.Out, server, f.force)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serverArgs returns the arguments with which agents start the server.
func (f mcpInstallFlags) serverArgs(a *factory.Factory) ([]string, error) {
	args := []string{"mcp"}
	for flag, on := range map[string]bool{"--write": f.write, "--ask": f.ask, "--allow-run": f.allowRun} {
		if on {
			args = append(args, flag)
		}
	}
	slices.Sort(args[1:])
	path, err := a.Open.Database()
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
