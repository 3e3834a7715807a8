package main

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/cast"
	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/screen"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// pageIdle is the longest pause in a page's recording: agents think for minutes.
const pageIdle = 3 * time.Second

// writePage writes a session as HTML: the conversation beside the recording.
func writePage(ctx context.Context, a *app, w io.Writer, db *store.Store, info *store.Info, t *session.Transcript) error {
	source, _, err := newOutgoing(ctx, a, db, info, nil)
	if err != nil {
		return err
	}
	defer source.stop()
	tp := &tape{cols: info.Cols, rows: info.Rows}
	if err := tp.load(source); err != nil {
		return err
	}
	for _, d := range source.damage {
		a.notice("warning: %v", d)
	}
	if len(tp.events) == 0 {
		return render.HTML(w, t, nil)
	}
	tp.limitIdle(pageIdle)
	var b bytes.Buffer
	out, err := cast.NewWriter(&b, cast.Header{Version: 2, Cols: info.Cols, Rows: info.Rows})
	if err != nil {
		return err
	}
	for i, e := range tp.events {
		if e.Kind == session.Input {
			continue
		}
		e.At = tp.times[i]
		if err := out.Write(e); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return render.HTML(w, t, &render.Recording{Cast: b.Bytes(), Time: func(e *session.Entry) time.Duration {
		return tp.played(max(0, e.At.Sub(info.StartedAt)))
	}})
}

// writeScreen draws the screen at a moment as SVG.
func (x exporter) writeScreen(ctx context.Context, w io.Writer, info *store.Info) error {
	o := screenOptions{at: x.at, widths: "graphemes"}
	if x.seq > 0 {
		entries, err := x.db.Entries(ctx, info.ID)
		if err != nil {
			return err
		}
		e := entryOf(entries, x.seq)
		if e == nil {
			return noEntry(info.ID, x.seq)
		}
		o.at = e.At.Sub(info.StartedAt).Seconds() // its first part; of a message that grew, its last
		if e.EndAt != nil {
			o.at = e.EndAt.Sub(info.StartedAt).Seconds()
		}
	}
	source, _, err := newOutgoing(ctx, x.a, x.db, info, nil)
	if err != nil {
		return err
	}
	defer source.stop()
	s, err := o.play(info.Cols, info.Rows, source)
	if err != nil {
		return err
	}
	return screen.Write(w, "svg", s)
}
