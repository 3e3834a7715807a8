package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/cast"
	"github.com/ptyrec/ptyrec/session"
)

// recording is a recording's file that is being read.
type recording struct {
	*cast.Reader
	path    string
	session session.Session
	file    *os.File
	redact  redaction
	timing  io.Closer // of a typescript
}

// openRecording opens the recording at path ("-" is stdin) and tells seen of the bytes that are read from it.
func openRecording(a *app, path string, seen func(n int)) (*recording, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	rec := &recording{path: path, file: a.stdin, redact: r}
	sum := sha256.New()
	if path != "-" {
		f, err := openRegular(path)
		if err != nil {
			return nil, err
		}
		rec.file = f
		if err := hashFile(sum, f); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	if err := rec.open(a, seen); err != nil {
		_ = rec.closeFile()
		return nil, err
	}
	rec.session = describe(rec.Header, sum)
	return rec, nil
}

// open reads the recording's head, whatever kind of recording it is.
func (r *recording) open(a *app, seen func(n int)) (err error) {
	head := sniff(r.file)
	data := countingReader{r.file, seen}
	if bytes.HasPrefix(head, []byte(cast.TypescriptStart)) {
		r.Reader, r.timing, err = openTypescript(a, r.path, data)
		return err
	}
	if r.Reader, err = cast.NewReader(data); err != nil {
		return explainForeign(err, r.path, head)
	}
	return nil
}

// openRegular refuses folders here, where the message can say so.
func openRegular(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is a folder: %w", path, session.ErrNotRecording)
	}
	return f, nil
}

// hashFile adds f's bytes to sum, and rewinds f. What cannot be rewound (a named pipe) is left alone.
func hashFile(sum hash.Hash, f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil //nolint:nilerr // a pipe
	}
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// describe makes the session of a recording. Its id follows from the start and from the bytes, so that reading the same
// file again gives the same ids.
func describe(h cast.Header, sum hash.Hash) session.Session {
	started := h.Timestamp
	if started.IsZero() {
		started = time.Unix(0, 0).UTC()
	}
	fmt.Fprintf(sum, "%d %d %s", h.Cols, h.Rows, h.Command)
	return session.Session{
		ID:        recordingID(started, sum.Sum(nil)),
		Command:   splitCommand(h.Command),
		Title:     h.Title,
		StartedAt: started,
		Cols:      h.Cols,
		Rows:      h.Rows,
	}
}

// recordingID lays an id out as a version 8 UUID that sorts by time as version 7 does (RFC 9562, 5.7 and 5.8).
func recordingID(started time.Time, sum []byte) string {
	var id uuid.UUID
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, started.UnixMilli()))<<16)
	copy(id[:6], ms[:6])
	copy(id[6:], sum)
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// transcribe reads the recording to its end. A recording that is cut off has a transcript, with no end.
func (r *recording) transcribe(tap func(session.Event)) (*session.Transcript, error) {
	t, err := transcribe(r.session, r.Reader, tap)
	r.redact.transcript(t, nil)
	if r.Truncated() {
		t.Session.EndedAt = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.path, err)
	}
	return t, err
}

// Close closes the recording.
func (r *recording) Close() error {
	err := errors.Join(r.Reader.Close(), r.closeFile())
	if r.timing != nil {
		err = errors.Join(err, r.timing.Close())
	}
	return err
}

func (r *recording) closeFile() error {
	if r.path == "-" {
		return nil
	}
	return r.file.Close()
}

type countingReader struct {
	r    io.Reader
	seen func(int)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.seen(n)
	return n, err
}
