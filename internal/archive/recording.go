package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// Recording is a recording's file that is being read.
type Recording struct {
	*cast.Reader
	Path    string
	Session session.Session // its id follows from the start and the bytes

	file   *os.File
	redact Redaction
	timing io.Closer // of a typescript
}

// RecordingOptions say how a recording is opened.
type RecordingOptions struct {
	Stdin  *os.File    // is read for the path "-"
	Timing string      // the path of a typescript's timing; empty: a file beside it
	Redact Redaction   // of its transcript
	Seen   func(n int) // is called with the number of bytes at each read
}

// OpenRecording opens the recording at a path: an asciicast, a typescript with its timing, or a
// ttyrec. Close must be called.
func OpenRecording(path string, o RecordingOptions) (*Recording, error) {
	rec := &Recording{Path: path, file: o.Stdin, redact: o.Redact}
	var err error
	if path != "-" {
		if rec.file, err = openFile(path); err != nil {
			return nil, err
		}
	}
	if err := rec.open(o); err != nil { // first: what is no recording may have no end
		_ = rec.closeFile()
		return nil, err
	}
	sum := sha256.New()
	if path != "-" {
		if err := hashFile(sum, rec.file); err != nil {
			_ = rec.Close()
			return nil, err
		}
	}
	rec.Session = describe(rec.Header, sum)
	return rec, nil
}

// open reads the recording's head, whatever kind of recording it is.
func (r *Recording) open(o RecordingOptions) (err error) {
	head := sniff(r.file)
	data := countingReader{r.file, o.Seen}
	if bytes.HasPrefix(head, []byte(cast.TypescriptStart)) {
		r.Reader, r.timing, err = openTypescript(r.Path, o.Timing, data)
		return err
	}
	if r.Reader, err = cast.NewReader(data); err != nil {
		return explainForeign(err, r.Path, head)
	}
	return nil
}

// pipeWait is how long a named pipe may take until somebody writes to it.
const pipeWait = 3 * time.Second

// openFile opens a recording's file. It refuses folders and devices, and a named pipe that nobody
// writes to.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // else a pipe waits here, for ever
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s is a folder: %w", path, session.ErrNotRecording)
	case info.Mode()&fs.ModeDevice != 0:
		err = fmt.Errorf("%s is a device: %w", path, session.ErrNotRecording)
	case info.Mode()&fs.ModeNamedPipe != 0:
		err = awaitWriter(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func awaitWriter(pipe *os.File) error {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return err
	}
	ready := 0
	err = conn.Control(func(fd uintptr) {
		for {
			var failed error
			ready, failed = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(pipeWait.Milliseconds()))
			if !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	if err == nil && ready == 0 {
		err = fmt.Errorf("nothing writes to the pipe %s: %w", pipe.Name(), session.ErrNotRecording)
	}
	return err
}

// hashedSize is how much of a file goes into its hash, in bytes; of a longer one, the length does,
// too.
const hashedSize = 256 << 20

// hashFile adds f's bytes to sum. What cannot be read twice (a named pipe) is left alone.
func hashFile(sum hash.Hash, f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, min(info.Size(), hashedSize))); err != nil {
		return err
	}
	if info.Size() > hashedSize {
		fmt.Fprintf(sum, "%d ", info.Size())
	}
	return nil
}

// describe returns the session of a recording. Its id follows from the start and the bytes, so that
// reading the same file again leads to the same ids.
func describe(h cast.Header, sum hash.Hash) session.Session {
	started := h.Timestamp
	if started.IsZero() {
		started = time.Unix(0, 0).UTC()
	}
	fmt.Fprintf(sum, "%d %d %s", h.Cols, h.Rows, h.Command)
	return session.Session{
		ID:        SessionID(started, sum.Sum(nil)),
		Command:   SplitCommand(h.Command),
		Title:     h.Title,
		StartedAt: started,
		Cols:      h.Cols,
		Rows:      h.Rows,
	}
}

// SessionID returns the id of a session that was not recorded here: when it started, and a hash of
// what is unique to it. It is a version 8 UUID that sorts by time as version 7 does (RFC 9562, 5.7
// and 5.8).
func SessionID(started time.Time, sum []byte) string {
	var id uuid.UUID
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, started.UnixMilli()))<<16)
	copy(id[:6], ms[:6])
	copy(id[6:], sum)
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// imported reports whether SessionID made an id. The ids of sessions that were recorded here are of
// another version of UUID.
func imported(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.Version() == 8
}

// Transcribe reads the recording to its end. A recording that is cut off has a transcript, with no
// end. It passes each event to tap, too, if there is one.
func (r *Recording) Transcribe(tap func(session.Event)) (*session.Transcript, error) {
	t, err := Transcribe(r.Session, r.Reader, tap)
	r.redact.Transcript(t, nil)
	if r.Truncated() {
		t.Session.EndedAt = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.Path, err)
	}
	return t, err
}

// Close closes the recording.
func (r *Recording) Close() error {
	err := errors.Join(r.Reader.Close(), r.closeFile())
	if r.timing != nil {
		err = errors.Join(err, r.timing.Close())
	}
	return err
}

func (r *Recording) closeFile() error {
	if r.Path == "-" {
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
