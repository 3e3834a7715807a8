package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Packing moves a journal into the database. Events become segments, and a file is removed after
// its segments are durable.

// batchSize is the amount of data in one transaction, in bytes before compression.
const batchSize = 4 * store.SegmentSize

// importWait is how long each transaction of ImportJournals waits for other programs.
const importWait = 100 * time.Millisecond

// setAside is the suffix of a journal that cannot be packed, or not completely. Such a file is kept
// but no longer read.
const setAside = ".damaged"

var (
	errForeignJournal = errors.New("the session is already complete")
	errNoFrames       = errors.New("it contains no intact event")
)

// ImportJournals imports the journals of recorders that have exited, and adds the sessions that are
// being recorded. Journals that the database cannot take now stay where they are and can be read
// there; the error says why. progress, if set, is called with the number of bytes done and the
// total.
func (s *Store) ImportJournals(ctx context.Context, progress func(done, total int64)) error {
	s.importSidecars(ctx)
	journal.Tidy(JournalFolder(s.path))
	_, err := s.adopt(ctx)
	files, listErr := journal.List(JournalFolder(s.path))
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return s.failed("import journals", errors.Join(err, listErr, s.packFiles(ctx, files, progress)))
}

// Pack moves the complete files of a session's journal into the database. Only the session's own
// recorder calls it.
func (s *Store) Pack(ctx context.Context, id string) error {
	files, err := journal.List(JournalFolder(s.path))
	return s.failed("pack journal", errors.Join(err, s.packFiles(ctx, journal.Of(files, id), func(int64, int64) {})))
}

// packFiles moves the complete files of some journals into the database.
func (s *Store) packFiles(ctx context.Context, files []journal.File, progress func(done, total int64)) (err error) {
	var done, total int64
	sizes := make([]int64, len(files))
	for i, file := range files {
		if info, err := os.Lstat(file.Path); err == nil && info.Mode().IsRegular() {
			sizes[i] = info.Size()
			total += sizes[i]
		}
	}
	stuck := ""
	for i, file := range files {
		if file.Session != stuck {
			fileErr := s.packFile(ctx, file, func(n int64) { progress(done+n, total) })
			if fileErr != nil {
				stuck = file.Session // the session's later files must wait for this one
			}
			if !errors.Is(fileErr, journal.ErrInUse) {
				err = errors.Join(err, fileErr)
			}
		}
		done += sizes[i]
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// packAll packs a session's journal and deletes the files that were set aside. The error wraps
// session.ErrBusy if some files remain.
func (s *Store) packAll(ctx context.Context, id string) error {
	err := s.Pack(ctx, id)
	if err == nil && s.hasJournal(id) {
		err = fmt.Errorf("journal of session %s: %w", id, session.ErrBusy)
	}
	if err == nil {
		err = s.deleteJournals(id)
	}
	return s.failed("pack journal", err)
}

// packFile moves a complete journal into the database and removes it.
func (s *Store) packFile(ctx context.Context, file journal.File, told func(done int64)) error {
	f, err := file.Claim()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process packed it
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r, err := journal.NewReader(f, file.Session)
	if err != nil {
		return err
	}
	p := packing{store: s, file: file, reader: r, size: info.Size(), told: told}
	err = p.run(ctx)
	if errors.Is(err, errNoFrames) && info.Size() == 0 {
		err = nil // its recorder was stopped before it wrote an event
	}
	if errors.Is(err, errForeignJournal) || errors.Is(err, errNoFrames) || err == nil && p.damaged {
		return errors.Join(err, os.Rename(file.Path, file.Path+setAside))
	}
	if err != nil {
		return err
	}
	return os.Remove(file.Path)
}

// packing is the state of moving one journal into the database.
type packing struct {
	store  *Store
	file   journal.File
	reader *journal.Reader
	size   int64 // bytes of the file
	told   func(done int64)

	key     int64 // of the session's row
	end     int64 // number of the first event that is not in the database
	over    bool  // whether the database has the session's end
	read    int64 // bytes of the file read so far, approximately
	open    store.Builder
	ready   []store.Segment
	queued  int64          // size of ready, in bytes before compression
	last    *session.Event // the last event in the file
	git     *session.Git   // the newest repository state among the events; nil if there is none
	damaged bool
}

func (p *packing) run(ctx context.Context) error {
	for {
		e, err := p.reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p.read += int64(len(e.Data)) + 33
		if p.reader.Torn() > 0 {
			p.damaged = true
		}
		if p.last == nil {
			if err := p.find(ctx); err != nil {
				return err
			}
		}
		p.last = &e.Event
		if e.Number < p.end {
			continue // already packed
		}
		if p.over {
			return errForeignJournal
		}
		if err := p.add(ctx, e); err != nil {
			return err
		}
	}
	if p.last == nil {
		if p.reader.Session == nil {
			return errNoFrames
		}
		return p.store.begin(ctx, p.file, p.reader.Session)
	}
	p.cut()
	return p.put(ctx, true)
}

// find looks up the session's row and the end of its raw log.
func (p *packing) find(ctx context.Context) error {
	for range 2 {
		err := p.store.view(ctx, "pack journal", func(tx *sql.Tx) (err error) {
			if p.key, err = sessionKey(ctx, tx, p.file.Session); err != nil {
				return err
			}
			err = tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(end_event), 0) FROM segments WHERE session_pk = s.pk),
				s.content_hash IS NOT NULL OR coalesce(s.raw_end >= s.ended_at - s.started_at, 0) FROM sessions AS s WHERE s.pk `+
				`= ?`, p.key).Scan(&p.end, &p.over)
			p.over = p.over && p.end > 0
			return err
		})
		if !errors.Is(err, session.ErrNotFound) {
			return err
		}
		sess := p.reader.Session
		if sess == nil {
			sess = unknownSession(p.file.Session)
		}
		if err := p.store.begin(ctx, p.file, sess); err != nil {
			return err
		}
	}
	return fmt.Errorf("session %s: %w", p.file.Session, session.ErrNotFound)
}

// add adds the next event. A segment is complete at 1 MiB, unless the rest of the file would make a
// small one.
func (p *packing) add(ctx context.Context, e journal.Event) error {
	if !p.open.Empty() && (e.Number != p.open.EndEvent() || e.Offset != p.open.EndByte()) {
		p.cut() // events are missing before this one
	}
	if p.open.Empty() {
		p.open.Begin(e.Number, e.Offset)
	}
	p.open.Add(e.Event)
	if e.Kind == session.Marker {
		if g, ok := session.ReadGitMark(e.Data); ok {
			p.git = &g
		}
	}
	if p.open.Size() < store.SegmentSize || p.size-p.read < store.SegmentSize/2 {
		return nil
	}
	p.cut()
	if p.queued < batchSize {
		return ctx.Err()
	}
	return p.put(ctx, false)
}

// cut completes the current segment.
func (p *packing) cut() {
	if p.open.Empty() {
		return
	}
	p.queued += int64(p.open.Size())
	p.ready = append(p.ready, p.open.Build())
	p.open.Begin(0, 0)
}

// put writes the segments that are ready in one transaction. The last one also writes the session's
// end, if the journal has it.
func (p *packing) put(ctx context.Context, last bool) error {
	if err := p.store.here(); err != nil {
		return err
	}
	write := func() error {
		return p.store.updateDurably(ctx, "pack journal", importWait, func(tx *sql.Tx) error {
			if err := putSegments(ctx, tx, p.key, p.ready); err != nil {
				return err
			}
			if err := stateGit(ctx, tx, p.key, p.git); err != nil {
				return err
			}
			if !last || p.last.Kind != session.Exit {
				return nil
			}
			return stateEnd(ctx, tx, p.key, *p.last)
		})
	}
	err := write()
	if noRoom(err) && p.store.shrink(ctx) == nil { // emptying the log may make room
		err = write()
	}
	if err == nil {
		p.ready, p.queued, p.git = nil, 0, nil
		p.told(p.read)
	}
	return err
}

// stateEnd writes the end of a session whose recorder did not write it.
func stateEnd(ctx context.Context, tx *sql.Tx, key int64, exit session.Event) error {
	_, err := tx.ExecContext(ctx,
		"UPDATE sessions SET ended_at = started_at + ?, exit_code = ? WHERE pk = ? AND ended_at IS NULL",
		int64(exit.At), exit.Status, key)
	if err == nil && len(exit.Data) > 0 {
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET asked = json_set(asked, '$.end', ?) WHERE pk = ? AND asked <> ''",
			string(exit.Data), key)
	}
	return err
}
