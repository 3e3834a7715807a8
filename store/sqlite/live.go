package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/store"
)

// A session is live while its recorder holds the lock on its journal. The kernel drops that lock
// when the process ends, for whatever reason. So no heartbeat is needed, a reused process id does
// no harm, and it works across containers that share the folder. On a file system without locks,
// every session without an end counts as interrupted. Versions of ptyrec without journals lock one
// byte of an empty file next to the database: the byte whose offset is the session's key.
const liveEnding = "-live"

// heldByOld returns the keys of the sessions that such versions are recording.
func (s *Store) heldByOld(pks []int64) map[int64]bool {
	held := map[int64]bool{}
	if len(pks) == 0 {
		return held
	}
	f, err := os.Open(s.path + liveEnding)
	if err != nil {
		return held
	}
	defer func() { _ = f.Close() }()
	for _, pk := range pks {
		held[pk] = sys.ByteLocked(f, pk)
	}
	return held
}

// addJournals updates the sessions with what their journals contain and the database does not. It
// returns those whose journal is being written.
func (s *Store) addJournals(infos []*store.Info) (written map[*store.Info]bool) {
	written = map[*store.Info]bool{}
	if len(infos) == 0 {
		return written
	}
	files, err := journal.List(JournalFolder(s.path))
	if len(files) == 0 || err != nil {
		return written
	}
	byID := map[string]*store.Info{}
	for _, info := range infos {
		byID[info.ID] = info
	}
	for _, file := range files {
		if info := byID[file.Session]; info != nil && addJournal(info, file) {
			written[info] = true
		}
	}
	return written
}

// addJournal adds what one file contains, and reports whether it is being written.
func addJournal(i *store.Info, file journal.File) (written bool) {
	f, err := file.Open()
	if err != nil {
		i.Hidden = i.Hidden || !errors.Is(err, fs.ErrNotExist) // otherwise it was packed meanwhile
		return false
	}
	defer f.Close()
	written = journal.IsWritten(f)
	tail, err := journal.ReadTail(f, i.ID)
	if err != nil {
		return written
	}
	i.StoredBytes += tail.Size
	if tail.Offset < i.RawBytes || tail.Last.At < i.Duration {
		return written // already packed, but not removed yet
	}
	i.RawBytes, i.Duration = tail.Offset, tail.Last.At
	if tail.Ended && i.EndedAt == nil {
		ended, status := i.StartedAt.Add(tail.Last.At), tail.Last.Status
		i.EndedAt, i.ExitCode = &ended, &status
	}
	return written
}
