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
	out, err := cast.NewWriter(w, cast.Header{
		Version:   cast.Newest,
		Cols:      info.Cols,
		Rows:      info.Rows,
		Timestamp: info.StartedAt,
		Command:   joinCommand(info.Command),
		Title:     info.Title,
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
		if err := out.Write(e); err != nil {
			return err
		}
	}
	for _, d := range source.damage {
		a.notice("warning: %v", d)
	}
	return out.Flush()
}
