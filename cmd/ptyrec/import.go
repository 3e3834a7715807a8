package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func newImportCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "import CAST…",
		Short:   "Take recordings into the database",
		Long:    "Import takes asciicast recordings into the database, raw and read out, as `run` does with a live session.",
		Example: "  ptyrec import *.cast",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			db, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			bar := newProgress(a, "import", args)
			defer bar.finish()
			return eachParallel(len(args), func(i int) error {
				return importOne(ctx, a, db, args[i], bar)
			})
		},
	}
}

func importOne(ctx context.Context, a *app, db *store.Store, path string, bar *progress) error {
	rec, err := openRecording(a, path, bar.add)
	if err != nil {
		return err
	}
	defer rec.Close()
	raw := store.NewRecording(rec.session.Cols, rec.session.Rows)
	t, readErr := rec.transcribe(raw.Write)
	err = db.Import(ctx, &t.Session, raw, t.Entries)
	switch {
	case errors.Is(err, session.ErrExists):
		a.notice("%s is in the database already", path)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	if warning := rec.Warning(); warning != "" {
		a.notice("%s: %s", path, warning)
	}
	return readErr
}
