package server

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// screenTypes are the media types of the screen's formats.
var screenTypes = map[string]string{"json": "application/json", "text": textType, "ansi": textType,
	"svg": "image/svg+xml"}

const textType = "text/plain; charset=utf-8"

// getScreen responds with the screen.
func (s *Server) getScreen(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	format, at := q.oneOf("format", screen.Formats()), q.seconds("at")
	if q.err != nil {
		return q.err
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	shot, seq, err := s.screenOf(r.Context(), info, at)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := screen.Write(&b, format, shot); err != nil {
		return err
	}
	if format == "svg" {
		asDrawing(w.Header())
	}
	w.Header().Set("Content-Type", screenTypes[format])
	w.Header().Set("Ptyrec-Seq", strconv.FormatInt(seq, 10))
	_, _ = b.WriteTo(w)
	return nil
}

// asDrawing allows an SVG to have a style, and nothing else.
func asDrawing(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
}

// screenOf returns the screen at a time. It asks a live session if its current screen is wanted.
func (s *Server) screenOf(ctx context.Context, info *store.Info, at float64) (screen.Screen, int64, error) {
	if info.Status == store.Live && info.Owner == "" && math.IsInf(at, 1) {
		shot, seq, err := s.liveScreen(ctx, info.ID)
		if err == nil {
			return shot, seq, nil
		}
		s.log.DebugContext(ctx, "a live session shows no screen; its raw log does", "session", info.ID, "error", err)
	}
	return s.Past.Screen(ctx, info, at)
}

// answerTime is how long a live session has to answer.
const answerTime = 5 * time.Second

// liveScreen returns a session's current screen, and the offset of the output that it shows.
func (s *Server) liveScreen(ctx context.Context, id string) (screen.Screen, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stream, err := s.Live.Attach(ctx, id, client.AttachOptions{Name: viewerName, Mode: protocol.ModeScreen})
	if err != nil {
		return screen.Screen{}, 0, err
	}
	defer func() { _ = stream.Close() }()
	for {
		e, err := stream.Next(ctx)
		if err != nil {
			return screen.Screen{}, 0, err
		}
		if snap, ok := e.(protocol.Snapshot); ok {
			t := vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows})
			_, _ = t.Write(snap.Data) // never fails
			return screen.Of(t), snap.Seq, nil
		}
	}
}

// viewerName is the server's name as a viewer of sessions.
const viewerName = "serve"
