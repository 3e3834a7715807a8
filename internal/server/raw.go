package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// getRaw responds with the raw output of the command, or a range of it.
func (s *Server) getRaw(w http.ResponseWriter, r *http.Request) error {
	info, err := s.find(r)
	if err != nil {
		return err
	}
	if !info.Recorded() {
		return session.ErrNoRecording
	}
	raw := &rawReader{ctx: r.Context(), db: s.Store, id: info.ID, size: info.RawBytes}
	defer raw.drop()
	asFile(w.Header(), info.ID+".raw", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, raw)
	if raw.err != nil {
		s.log.WarnContext(r.Context(), "a raw log is incomplete", "session", info.ID, "error", raw.err)
	}
	return nil
}

// asFile makes browsers save the response: it comes from programs and must not be shown as one of
// our pages.
func asFile(h http.Header, name, kind string) {
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
}

// rawReader reads the output of a stored session from any byte offset. It ends at damage.
type rawReader struct {
	ctx  context.Context // the request's context
	db   Store
	id   string
	size int64

	at   int64 // offset of the next byte
	rest bytes.Reader
	next func() (store.Placed, error, bool)
	stop func()
	err  error
}

// Seek implements io.Seeker.
func (r *rawReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start")
	}
	r.drop()
	r.at = offset
	return offset, nil
}

// drop discards what was read ahead.
func (r *rawReader) drop() {
	if r.stop != nil {
		r.stop()
	}
	r.stop, r.next = nil, nil
	r.rest.Reset(nil)
}

// Read implements io.Reader.
func (r *rawReader) Read(p []byte) (int, error) {
	for r.rest.Len() == 0 {
		if r.at >= r.size {
			return 0, io.EOF
		}
		if r.next == nil {
			r.next, r.stop = iter.Pull2(r.db.OutputFrom(r.ctx, r.id, r.at))
		}
		e, err, ok := r.next()
		if !ok {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			r.err = err
			return 0, err
		}
		if e.Kind == session.Output {
			r.rest.Reset(e.Data)
		}
	}
	n, err := r.rest.Read(p[:min(int64(len(p)), max(0, r.size-r.at))])
	r.at += int64(n)
	return n, err
}

// exportTypes are the media types of the export formats, and endings their file name endings.
var exportTypes = map[string]string{
	"json": "application/json", "jsonl": "application/x-ndjson", "md": "text/markdown; charset=utf-8", "txt": textType,
	"html": "text/html; charset=utf-8", "svg": "image/svg+xml", "cast": "application/x-asciicast",
	"cast2": "application/x-asciicast", "diff": textType,
}

// exportSession exports a session as `ptyrec export` does.
func (s *Server) exportSession(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	format := q.oneOf("format", []string{"json", "jsonl", "md", "txt", "html", "svg", "cast", "cast2", "diff"})
	part := Part{From: q.values.Get("from"), To: q.values.Get("to"), Only: q.values.Get("only"),
		Animate: q.boolean("animate")}
	if q.err != nil {
		return q.err
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	ending := format
	if format == "cast2" {
		ending = "cast"
	}
	out := &started{ResponseWriter: w, begin: func() {
		asFile(w.Header(), "ptyrec-"+info.ID+"."+ending,
			exportTypes[format])
	}}
	if err := s.Past.Export(r.Context(), out, format, info, part); err != nil {
		if !out.begun {
			if errors.Is(err, ErrPart) {
				err = badRequest("%v", err)
			}
			return err
		}
		s.log.ErrorContext(r.Context(), "an export broke off", "session", info.ID, "error", err)
		panic(http.ErrAbortHandler) // the client must not take it for complete
	}
	return nil
}

// started sets the headers before the first byte. Until then an error can be sent instead.
type started struct {
	http.ResponseWriter
	begin func()
	begun bool
}

// Write implements io.Writer.
func (s *started) Write(p []byte) (int, error) {
	if !s.begun {
		s.begun = true
		s.begin()
	}
	return s.ResponseWriter.Write(p)
}
