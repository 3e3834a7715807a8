package sqlite

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

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Before there were journals, a recorder wrote what a locked database did not accept to a file next
// to it, a sidecar. Such files are still imported.
//
// A sidecar starts with a line of JSON, sidecarHeader. Segments follow, each preceded by its length
// (32 bits, little endian). An incomplete last segment was not fully written.
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
		_ = os.Remove(folder) // succeeds only if it is empty
	}
}

func (s *Store) importSidecar(ctx context.Context, name string) error {
	f, err := journal.File{Path: name}.Claim() // recorders locked it as they lock a journal
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	var head sidecarHeader
	line, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	switch {
	case err != nil || head.Format != sidecarFormat:
		return errors.Join(store.ErrSegment, err)
	case head.Version > 1:
		return fmt.Errorf("left format %d: %w", head.Version, session.ErrNewer)
	}
	var key int64
	err = s.updateDurably(ctx, "import", importWait, func(tx *sql.Tx) (err error) {
		if key, err = sessionKey(ctx, tx, head.Session.ID); errors.Is(err, session.ErrNotFound) {
			key, err = insertSession(ctx, tx, &head.Session, nil)
		}
		return err
	})
	for more := true; err == nil && more; {
		more, err = s.importSegment(ctx, key, r)
	}
	if err != nil {
		return err
	}
	return os.Remove(name)
}

// importSegment imports the next segment of a sidecar. It returns false if there is none.
func (s *Store) importSegment(ctx context.Context, key int64, r io.Reader) (more bool, err error) {
	var length uint32
	if binary.Read(r, binary.LittleEndian, &length) != nil || length > store.MaxSegment {
		return false, nil //nolint:nilerr // the rest was not fully written
	}
	data := make([]byte, length)
	if n, _ := io.ReadFull(r, data); n < len(data) {
		return false, nil // it was not fully written
	}
	seg, events, err := store.DecodeSegment(data)
	if err != nil {
		return false, err
	}
	seg.Data = data
	return true, s.updateDurably(ctx, "import", importWait, func(tx *sql.Tx) error {
		err := putSegments(ctx, tx, key, []store.Segment{seg})
		if last := events[len(events)-1]; err == nil && last.Kind == session.Exit {
			err = stateEnd(ctx, tx, key, last)
		}
		return err
	})
}
