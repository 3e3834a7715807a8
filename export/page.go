package export

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/cast"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/screen"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
)

// pageIdle is the longest pause in a page's recording: agents think for minutes.
const pageIdle = 3 * time.Second

// writePage writes the session t as HTML: the conversation beside the recording.
func (x Exporter) writePage(ctx context.Context, w io.Writer, info *store.Info, t *session.Transcript) error {
	if !info.Recorded() {
		cut, err := x.Ref.Cut(t, info.Name != "")
		if err != nil {
			return err
		}
		return render.HTML(w, cut, nil)
	}
	p, err := x.part(ctx, info, t)
	if err != nil {
		return err
	}
	defer p.Stop()
	tp := &archive.Playback{Cols: info.Cols, Rows: info.Rows}
	if err := tp.Load(p.events); err != nil {
		return err
	}
	x.Library.WarnDamage(p.Damage)
	if len(tp.Events) == 0 {
		return render.HTML(w, p.transcript, nil)
	}
	tp.LimitIdle(pageIdle)
	var b bytes.Buffer
	out, err := cast.NewWriter(&b, cast.Header{Version: 2, Cols: info.Cols, Rows: info.Rows})
	if err != nil {
		return err
	}
	for i, e := range tp.Events {
		if e.Kind == session.Input {
			continue
		}
		e.At = tp.Times[i]
		if err := out.Write(e); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return render.HTML(w, p.transcript, &render.Recording{Cast: b.Bytes(), Time: func(e *session.Entry) time.Duration {
		return tp.Played(max(0, e.At.Sub(p.started)))
	}})
}

// writeScreen draws the screen at a moment as SVG.
func (x Exporter) writeScreen(ctx context.Context, w io.Writer, info *store.Info, t *session.Transcript) error {
	s, err := x.screen(ctx, info, t, vterm.Graphemes)
	if err != nil {
		return err
	}
	return screen.Write(w, "svg", s)
}

// Screen returns the screen of a session at the moment that is wanted. If entries are wanted that
// the session does not have, the error is an *archive.MissingError.
func (x Exporter) Screen(ctx context.Context, info *store.Info, widths vterm.Widths) (screen.Screen, error) {
	if err := library.Recorded(info); err != nil {
		return screen.Screen{}, err
	}
	t, err := x.Library.Transcript(ctx, info)
	if err != nil {
		return screen.Screen{}, err
	}
	if x.Ref, err = x.Ref.Resolve(t); err != nil {
		return screen.Screen{}, err
	}
	return x.screen(ctx, info, t, widths)
}

// screen plays the session t up to the moment that is wanted.
func (x Exporter) screen(ctx context.Context, info *store.Info, t *session.Transcript, widths vterm.Widths) (screen.Screen, error) {
	p, err := x.part(ctx, info, t)
	if err != nil {
		return screen.Screen{}, err
	}
	defer p.Stop()
	at := MomentOf(x.At, x.Ref, t)
	var s screen.Screen
	if e, ok := p.events.(*archive.Excerpt); ok {
		if x.At.Given && (at < e.From || at > e.To) && !math.IsInf(x.At.Seconds, 1) {
			return s, cli.Misuse(fmt.Sprintf("they begin at second %.1f", e.From.Seconds()), "--at %s is outside the selected entries", x.At.String())
		}
		s, err = e.ScreenAt(at)
	} else {
		s, err = archive.ScreenAt(p.events, vterm.Options{Cols: info.Cols, Rows: info.Rows, Widths: widths}, at)
	}
	x.Library.WarnDamage(p.Damage)
	return s, err
}

// MomentOf returns the moment of a picture: as it is wanted, else that of the entries that ref
// names, else the end.
func MomentOf(wanted cli.Moment, ref archive.Ref, t *session.Transcript) time.Duration {
	if wanted.Given {
		return wanted.Duration()
	}
	if at, ok := ref.Moment(t); ok {
		return at
	}
	return math.MaxInt64
}
