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

// Recording is an open file with a recording.
type Recording struct {
	*cast.Reader
	Path    string
	Session session.Session // its id is derived from the start and the bytes

	file   *os.File
	redact Redaction
	timing io.Closer // the timing of a typescript
}

// RecordingOptions are the options of OpenRecording.
type RecordingOptions struct {
	Stdin  *os.File    // used for the path "-"
	Timing string      // path of a typescript's timing; empty: a file next to it
	Redact Redaction   // for the transcript
	Seen   func(n int) // called with the number of bytes of each read
}

// OpenRecording opens the recording at a path: an asciicast, a typescript with its timing, or a
// ttyrec. The caller must Close it.
func OpenRecording(path string, o RecordingOptions) (*Recording, error) {
	rec := &Recording{Path: path, file: o.Stdin, redact: o.Redact}
	var err error
	if path != "-" {
		if rec.file, err = openFile(path); err != nil {
			return nil, err
		}
	}
	if err := rec.open(o); err != nil { // before hashing, as something that is not a recording may be endless
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

// open reads the header of the recording, after it has detected the format.
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

// pipeWait is how long to wait for a process to write to a named pipe.
const pipeWait = 3 * time.Second

// openFile opens a recording's file. It rejects folders and devices, and a named pipe to which no
// process writes.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // without O_NONBLOCK, opening a pipe could block forever
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

// hashedSize is how much of a file is hashed, in bytes. For a longer file, its length is hashed,
// too.
const hashedSize = 256 << 20

// hashFile adds f's bytes to sum. It does nothing for a file that cannot be read twice, such as a
// named pipe.
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

// describe returns the session for a recording. Its id is derived from the start and the bytes, so
// that the same file always has the same id.
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

// SessionID returns the id of a session that was not recorded here. sum is a hash of what is unique
// to it. The id is a version 8 UUID that sorts by start time like version 7 (RFC 9562, 5.7 and
// 5.8).
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

// imported reports whether an id was returned by SessionID. The ids of sessions recorded here have
// another UUID version.
func imported(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.Version() == 8
}

// Transcribe reads the recording to its end. The transcript of a truncated recording has no end. If
// tap is not nil, it is called with each event.
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
