package record

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/agentlog/agentimport"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/store"
)

// importOptions are the options of import.
type importOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	dry  bool // --dry-run
	logs bool // --agent-logs
}

// NewCmdImport returns the import command.
func NewCmdImport(f *factory.Factory) *cobra.Command {
	o := &importOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "import FILE… | import --agent-logs [AGENT…]",
		Short: "Import recordings, or agents' own logs",
		Long: `Import copies recordings into the database and extracts their conversations. It reads asciicast 1
to 3, ttyrecs, frames of sandboxctl session record, and typescripts of script(1) with their timing
(NAME.timing next to them, or --timing), also compressed with gzip or zstd. - is stdin; a folder
means all recordings in it. For each recording it prints id, file, agent and title. Recordings
with the same contents as one in the database are skipped.

With --agent-logs, import reads the logs that agents keep of their conversations: of all known
agents, or of the named ones (claude, codex, gemini, opencode, kilo, qwen, copilot, pi). Each
conversation becomes a session that you can search, show and export, but not play. Conversations
that ptyrec has recorded are skipped. Importing again updates conversations that have grown. An
interrupted import continues where it stopped.`,
		Example: `  ptyrec import *.cast
  ptyrec import ~/recordings --dry-run
  script -T typescript.timing -O typescript; ptyrec import typescript
  zstdcat session.cast.zst | ptyrec import -
  ptyrec import --agent-logs
  ptyrec import --agent-logs claude codex --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.logs {
				return nil
			}
			return cli.Operands(1, -1)(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			if o.logs {
				return agentlog.Agents(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Timing != "" && (o.logs || len(args) != 1) {
				return failure.Usage(errors.New("--timing requires a single typescript"))
			}
			if o.logs {
				return importLogs(cmd.Context(), o, args)
			}
			return imports(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVarP(&o.dry, "dry-run", "n", false, "show what would be imported")
	cmd.Flags().BoolVar(&o.logs, "agent-logs", false, "import the agents' own logs")
	cmd.Flags().StringVar(&f.Timing, "timing", "", "read the timing of a typescript from `FILE`")
	return cmd
}

func imports(ctx context.Context, o *importOptions, args []string) error {
	paths, err := archive.Recordings(args)
	if err != nil {
		return err
	}
	im := &Importer{DryRun: o.dry, Private: detached.IsPrivate(o.IO.Environ), Open: o.Open.Recording, Out: o.IO.Out,
		Notice: o.IO.Notice, Progress: o.IO.ReadProgress("import", paths)}
	if o.dry {
		im.Store, err = o.Open.Existing(ctx)
		if errors.Is(err, opener.ErrNoDatabase) {
			err = nil // without a database, nothing was imported before
		}
	} else {
		im.Store, err = o.Open.Store(ctx)
	}
	if err != nil {
		return err
	}
	return im.Import(ctx, paths)
}

// importLogs imports the logs of the given agents, or of all known ones.
func importLogs(ctx context.Context, o *importOptions, agents []string) (err error) {
	for _, agent := range agents {
		if !slices.Contains(agentlog.Agents(), agent) {
			return failure.Misuse("the agents are "+strings.Join(agentlog.Agents(), ", "), "unknown agent %q", agent)
		}
	}
	if len(agents) == 0 {
		agents = agentlog.Agents()
	}
	slices.Sort(agents)
	im := &agentimport.Importer{DryRun: o.dry, Private: detached.IsPrivate(o.IO.Environ), Out: o.IO.Out,
		Notice: o.IO.Notice, Progress: o.IO.Progress("import", "", 0)}
	if im.Redact, err = o.Open.Redaction(); err != nil {
		return err
	}
	if o.dry {
		im.Store, err = o.Open.Existing(ctx)
		if errors.Is(err, opener.ErrNoDatabase) {
			err = nil // without a database, nothing was imported before
		}
	} else {
		im.Store, err = o.Open.Store(ctx)
	}
	if err != nil {
		return err
	}
	if im.Store != nil { // recorded sessions must be extracted to be recognised
		lib, err := o.Open.Library(im.Store)
		if err == nil {
			err = lib.ReadOutAll(ctx, store.Filter{})
		}
		if err != nil {
			return err
		}
	}
	return im.Import(ctx, slices.Compact(agents))
}
