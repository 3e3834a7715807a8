package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/export"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/server"
	"github.com/ptyrec/ptyrec/store"
)

// past is what servers read of stored sessions.
type past struct {
	*library.Past
}

// newPast returns the past. Close must be called.
func newPast(a *app, db library.Store) (*past, error) {
	l, err := a.library(db)
	if err != nil {
		return nil, err
	}
	return &past{library.NewPast(l)}, nil
}

// library returns the sessions of db as the user may see them.
func (a *app) library(db library.Store) (*library.Library, error) {
	r, err := a.redaction()
	return &library.Library{
		Store: db, Redact: r, Warn: a.notice,
		Progress: func(label string, total int64) *cli.Progress { return a.progress(label, "", total) },
	}, err
}

// Export implements server.Past.
func (v *past) Export(ctx context.Context, w io.Writer, format string, info *store.Info, part server.Part) error {
	if !slices.Contains(export.Formats(), format) {
		return errors.New("unknown format " + format)
	}
	leave, err := v.Turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ref, err := archive.Ref{}.Part(part.From, part.To, part.Only)
	if err == nil {
		err = export.Exporter{Library: v.Library, Ref: ref, Animate: part.Animate}.Write(ctx, w, format, info)
	}
	var missing *archive.MissingError
	var misuse *cli.Failure
	if errors.As(err, &missing) || errors.As(err, &misuse) && misuse.Status == cli.StatusUsage {
		return fmt.Errorf("%w: %w", server.ErrPart, err)
	}
	return err
}
