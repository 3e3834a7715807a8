package main

import (
	"context"
	"errors"
	"io"

	"github.com/ptyrec/ptyrec/cast"
	"github.com/ptyrec/ptyrec/store"
)

// writeCast writes a session's raw log as an asciicast, in the newest version.
func writeCast(ctx context.Context, a *app, w io.Writer, db *store.Store, info *store.Info) error {
	r, err := a.redaction()
	if err != nil {
		return err
	}
	masking, err := newMasking(ctx, db, info.ID, r)
	if err != nil {
		return err
	}
	out, err := cast.NewWriter(w, cast.Header{
		Version:   cast.Newest,
		Cols:      info.Cols,
		Rows:      info.Rows,
		Timestamp: info.StartedAt,
		Command:   joinCommand(r.command(info.Command)),
		Title:     r.title(info.Title, nil),
	})
	if err != nil {
		return err
	}
	source := newStored(ctx, db, info.ID, 0)
	defer source.stop()
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		masking.event(source.number-1, &e)
		if err := out.Write(e); err != nil {
			return err
		}
	}
	for _, d := range source.damage {
		a.notice("warning: %v", d)
	}
	return out.Flush()
}
