package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/importer"
	"github.com/ptyrec/ptyrec/internal/opener"
)

func newImportCmd(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Take recordings into the database",
		Long: `Import copies recordings into the database and extracts their conversations, as run does with a
live session. It reads asciicast versions 1 to 3, ttyrecs, the frames that sandboxctl session
record writes, and typescripts of script(1) with their timing (NAME.timing next to them, or
--timing); plain or compressed with gzip or zstd. - is stdin; a
folder means all recordings in it. For each recording it prints id, file, agent and title.
Recordings that the database has already are skipped; they are compared by their content.`,
		Example: `  ptyrec import *.cast
  ptyrec import ~/recordings --dry-run
  script -T typescript.timing -O typescript; ptyrec import typescript
  zstdcat session.cast.zst | ptyrec import -`,
		Args: operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.timing != "" && len(args) != 1 {
				return usageError(errors.New("--timing goes with one typescript"))
			}
			return imports(cmd.Context(), a, args, dry)
		},
	}
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be done, and do nothing")
	cmd.Flags().StringVar(&a.timing, "timing", "", "the timing `FILE` of a typescript")
	return cmd
}

func imports(ctx context.Context, a *app, args []string, dry bool) error {
	paths, err := importer.Recordings(args)
	if err != nil {
		return err
	}
	im := &importer.Importer{DryRun: dry, Open: a.openRecording, Out: a.stdout, Notice: a.notice, Progress: newProgress(a, "import", paths)}
	if dry {
		im.Store, err = a.openExisting(ctx)
		if errors.Is(err, opener.ErrNoDatabase) {
			err = nil // then nothing is known yet
		}
	} else {
		im.Store, err = a.openStore(ctx)
	}
	if err != nil {
		return err
	}
	return im.Import(ctx, paths)
}
