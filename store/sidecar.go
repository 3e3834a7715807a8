package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/bytelock"
	"github.com/ptyrec/ptyrec/session"
)

// Before there were journals, a recorder wrote what a locked database did not accept to a file next
// to it, a sidecar. Such files are still imported.
//
// A file starts with a line of JSON, sidecarHeader. Segments follow, each preceded by its length
// (32 bits, little endian). An incomplete last segment was not fully written. The process that
// imports a file holds a lock on its first byte.
const (
	sidecarFolder = "-left"
	sidecarEnding = ".left"
	sidecarFormat = "ptyrec.left"
)

type sidecarHeader struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Session session.Session `json:"session"`
}

// readSidecar reads a file from its beginning and calls fn with its segments, a few at a time.
func readSidecar(f *os.File, begin func(session.Session) error, fn func([]segment) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 1<<16)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return errors.Join(errSegment, err)
	}
	var head sidecarHeader
	if err := json.Unmarshal(line, &head); err != nil || head.Format != sidecarFormat {
		return errors.Join(errSegment, err)
	}
	if head.Version > 1 {
		return fmt.Errorf("left format %d: %w", head.Version, session.ErrNewer)
	}
	if err := begin(head.Session); err != nil {
		return err
	}
	for {
		segs, err := nextSidecarSegments(r)
		if len(segs) == 0 || err != nil {
			return err
		}
		if err := fn(segs); err != nil {
			return err
		}
	}
}

// nextSidecarSegments reads about as many segments as a transaction takes; none at the end.
func nextSidecarSegments(r io.Reader) (segs []segment, err error) {
	for size := int64(0); size < batchSize; {
		data, ok := readSized(r)
		if !ok {
			break
		}
		seg, _, err := decodeSegment(data)
		if err != nil {
			return nil, err
		}
		seg.data = data
		segs = append(segs, seg)
		size += seg.endByte - seg.startByte
	}
	return segs, nil
}

// readSized reads a length and then that many bytes. ok is false if the data is incomplete.
func readSized(r io.Reader) (data []byte, ok bool) {
	var length uint32
	if binary.Read(r, binary.LittleEndian, &length) != nil || length > maxSegment {
		return nil, false
	}
	data = make([]byte, length)
	_, err := io.ReadFull(r, data)
	return data, err == nil
}

// removeLeft deletes the files of a session that are next to the database.
func (s *Store) removeLeft(id string) error {
	return removeIfThere(filepath.Join(s.path+sidecarFolder, id+sidecarEnding))
}

// globIn returns the files in a folder whose names match pattern.
func globIn(folder, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(folder), pattern)
	for i := range names {
		names[i] = filepath.Join(folder, names[i])
	}
	return names, err
}

// importSidecars imports the files of recorders that have exited. It keeps what it cannot import
// for the next time.
func (s *Store) importSidecars(ctx context.Context) {
	folder := s.path + sidecarFolder
	names, err := globIn(folder, "*"+sidecarEnding)
	for _, name := range names {
		_ = s.importSidecar(ctx, name)
	}
	if err == nil {
		_ = os.Remove(folder) // if it is empty
	}
}

func (s *Store) importSidecar(ctx context.Context, name string) (err error) {
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if bytelock.Locked(f, 0) || bytelock.Lock(f, 0) != nil {
		return nil // its recorder runs, or another imports it
	}
	if now, err := os.Stat(name); err != nil || !sameFile(f, now) {
		return err // another has
	}
	var key int64
	var last segment
	err = readSidecar(f, func(sess session.Session) error {
		return s.updateDurably(ctx, "import", importWait, func(tx *sql.Tx) (err error) {
			if key, err = sessionKey(ctx, tx, sess.ID); errors.Is(err, session.ErrNotFound) {
				key, err = insertSession(ctx, tx, &sess, nil)
			}
			return err
		})
	}, func(segs []segment) error {
		last = segs[len(segs)-1]
		return s.updateDurably(ctx, "import", importWait, func(tx *sql.Tx) error { return putSegments(ctx, tx, key, segs) })
	})
	if err == nil && last.data != nil {
		err = s.finishFromSidecar(ctx, key, last)
	}
	if err != nil {
		return err
	}
	return os.Remove(name)
}

// finishFromSidecar saves the end of the session if its last segment has it.
func (s *Store) finishFromSidecar(ctx context.Context, key int64, last segment) error {
	_, events, err := decodeSegment(last.data)
	if err != nil || events[len(events)-1].Kind != session.Exit {
		return err
	}
	return s.updateDurably(ctx, "import", importWait, func(tx *sql.Tx) error {
		return stateEnd(ctx, tx, key, events[len(events)-1])
	})
}

func sameFile(f *os.File, other fs.FileInfo) bool {
	info, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}
