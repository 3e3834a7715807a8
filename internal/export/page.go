package export

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// pageIdle is the maximum pause in a page's recording, because agents think for minutes.
const pageIdle = 3 * time.Second

// writePage writes session t as HTML: the conversation next to the recording.
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
	packed, err := newScratch()
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }() // an error has no consequences
	moments := momentsOf(p.transcript.Entries, p.started)
	if err := packCast(packed, cast.Header{Version: 2, Cols: info.Cols, Rows: info.Rows}, p.events, moments); err != nil {
		return err
	}
	x.Library.WarnDamage(p.Damage)
	if moments.clock.Events == 0 {
		return render.HTML(w, p.transcript, nil)
	}
	if _, err := packed.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return render.HTML(w, p.transcript, &render.Recording{Cast: bufio.NewReader(packed), Time: moments.of})
}

// newScratch returns a temporary file without a name. The system deletes it when it is closed, even
// if the program crashes.
func newScratch() (*os.File, error) {
	f, err := os.CreateTemp("", ".ptyrec-page-*") // 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// packCast writes the events of source to w, as an asciicast compressed by gzip, with pauses of at
// most pageIdle. It sets the times in m.
func packCast(w io.Writer, h cast.Header, source archive.EventSource, m *moments) error {
	z := gzip.NewWriter(w) // much faster than the standard library's, for pages that are 5 % larger at most
	out, err := cast.NewWriter(z, h)
	if err != nil {
		return err
	}
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		e = session.OnTerminal(e)
		m.before(e.At)
		at := m.clock.Next(e.At)
		if e.Kind == session.Input {
			continue
		}
		e.At = at
		if err := out.Write(e); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return z.Close()
}

// moments computes when the entries of a page are played.
type moments struct {
	clock  archive.Clock
	open   []moment // entries whose time depends on the next event, in order
	played map[*session.Entry]time.Duration
}

// moment is the time of an entry, since the start of the recording.
type moment struct {
	at    time.Duration
	entry *session.Entry
}

func momentsOf(entries []*session.Entry, started time.Time) *moments {
	m := &moments{clock: archive.Clock{Limit: pageIdle}, played: map[*session.Entry]time.Duration{}}
	for _, e := range entries {
		m.open = append(m.open, moment{max(0, e.At.Sub(started)), e})
	}
	slices.SortStableFunc(m.open, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	return m
}

// before sets the times of the open entries with times up to at, the time of the next event.
func (m *moments) before(at time.Duration) {
	for len(m.open) > 0 && m.open[0].at <= at {
		m.played[m.open[0].entry] = m.clock.Before(m.open[0].at, at)
		m.open = m.open[1:]
	}
}

// of returns when an entry is played. An entry after the last event is played with that event.
func (m *moments) of(e *session.Entry) time.Duration {
	if at, ok := m.played[e]; ok {
		return at
	}
	return m.clock.Now
}

// writeScreen draws the screen at a moment as SVG.
func (x Exporter) writeScreen(ctx context.Context, w io.Writer, info *store.Info, t *session.Transcript) error {
	s, err := x.screen(ctx, info, t, vterm.Graphemes)
	if err != nil {
		return err
	}
	return screen.Write(w, "svg", s)
}

// Screen returns the screen of a session at the moment x.At. If the session does not have the
// entries of Ref, the error is an *archive.MissingError.
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

// screen plays session t up to the moment x.At.
func (x Exporter) screen(ctx context.Context, info *store.Info, t *session.Transcript,
	widths vterm.Widths) (screen.Screen, error) {
	p, err := x.part(ctx, info, t)
	if err != nil {
		return screen.Screen{}, err
	}
	defer p.Stop()
	at := MomentOf(x.At, x.Ref, t)
	var s screen.Screen
	if e, ok := p.events.(*archive.Excerpt); ok {
		if x.At.Given && (at < e.From || at > e.To) && !math.IsInf(x.At.Seconds, 1) {
			return s, failure.Misuse(fmt.Sprintf("choose a moment from %.1f to %.1f seconds", e.From.Seconds(), e.To.Seconds()),
				"--at %s is outside the selected entries", x.At.String())
		}
		s, err = e.ScreenAt(at)
	} else {
		s, err = archive.ScreenAt(p.events, vterm.Options{Cols: info.Cols, Rows: info.Rows, Widths: widths}, at)
	}
	x.Library.WarnDamage(p.Damage)
	return s, err
}

// MomentOf returns the moment of a picture: wanted if it is set, otherwise that of the entries of
// ref, otherwise the end.
func MomentOf(wanted human.Moment, ref archive.Ref, t *session.Transcript) time.Duration {
	if wanted.Given {
		return wanted.Duration()
	}
	if at, ok := ref.Moment(t); ok {
		return at
	}
	return math.MaxInt64
}
