package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Events returns the raw log of a session from its beginning. See EventsFrom.
func (s *Store) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return s.EventsFrom(ctx, id, store.From{})
}

// EventsFrom returns the raw log of a session from a position on: first the part in the database,
// then the part in the journal, up to the end at the time when it gets there. Where data is damaged
// or missing, it yields a *Damage and, if the caller continues, the events after it. Any other
// error ends the iteration. It holds no connection while the caller works.
func (s *Store) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		r := rawReader{Cursor: store.Cursor{ID: id, From: from, Next: from.Event, Yield: yield}, db: s}
		r.run(ctx)
	}
}

// rawReader reads a raw log from the database and the journal.
type rawReader struct {
	store.Cursor
	db   *Store
	text *[3]int64 // return only text after these offsets; nil: all
	skip int64     // the end of an unreadable segment to skip, else 0
}

// run reads the database and then the journal. If the journal is packed meanwhile, it continues in
// the database.
func (r *rawReader) run(ctx context.Context) {
	for again := true; again && !r.Over; {
		for r.segment(ctx) {
		}
		again = !r.Over && r.journal(ctx)
	}
	if !r.Over && r.skip > r.Next {
		info, _ := r.db.Find(ctx, r.ID) // the session may be unreadable, too
		r.LoseEnd(r.skip, info)
	}
}

// journal yields the events of the session's journal, and reports whether the journal was packed
// meanwhile.
func (r *rawReader) journal(ctx context.Context) (packed bool) {
	files, _ := journal.List(JournalFolder(r.db.path)) // an unreadable folder counts as empty
	for _, file := range journal.Of(files, r.ID) {
		in, f, err := openJournal(file)
		if errors.Is(err, fs.ErrPermission) { // unreadable is not lost
			r.Fail(fmt.Errorf("read journal: %w", err))
			return false
		}
		if err != nil {
			packed = packed || errors.Is(err, fs.ErrNotExist)
			continue
		}
		if r.text != nil {
			in = r.seek(in, f)
		}
		packed = r.tail(ctx, in) || packed
		_ = f.Close()
		if packed || r.Over {
			break
		}
	}
	return packed
}

// seek returns a Reader of the file that begins at the wanted text, and counts the events before it
// as read. in is a Reader that has read nothing.
func (r *rawReader) seek(in *journal.Reader, f *os.File) *journal.Reader {
	first, _ := in.End()
	p, err := r.db.textIndex(f.Name()).Find(f, r.ID, *r.text)
	if err != nil || first > r.Next || p.Number <= r.Next {
		return in
	}
	r.Next, r.Offset = p.Number, p.Offset
	return journal.NewReaderAt(f, r.ID, p)
}

// maxTextIndexes is the maximum number of journal files whose text index a Store caches.
const maxTextIndexes = 256

// textIndex returns the index of a journal's file.
func (s *Store) textIndex(path string) *journal.TextIndex {
	s.textsMu.Lock()
	defer s.textsMu.Unlock()
	x := s.texts[path]
	if x == nil {
		if s.texts == nil || len(s.texts) >= maxTextIndexes {
			s.texts = map[string]*journal.TextIndex{}
		}
		x = &journal.TextIndex{}
		s.texts[path] = x
	}
	return x
}

// tail yields the events of one file.
func (r *rawReader) tail(ctx context.Context, in *journal.Reader) (packed bool) {
	for !r.Over {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			r.Fail(r.db.failed("read journal", err))
			return false
		}
		start := store.Segment{FirstEvent: e.Number, StartByte: e.Offset, StartAt: e.At}
		r.Begin(start)
		if e.Number > r.Next {
			if _, ok, err := r.db.nextSegment(ctx, r.ID, r.Next, store.From{}); ok && err == nil {
				return true
			}
		}
		r.AddEvents(start, e.Event)
	}
	return false
}

// segment yields the next segment from the database, and reports whether there may be more.
func (r *rawReader) segment(ctx context.Context) bool {
	seg, ok, err := r.db.nextSegment(ctx, r.ID, max(r.Next, r.skip), r.From)
	if errors.Is(err, session.ErrCorrupt) {
		if end, found := r.db.nextEnd(ctx, r.ID, max(r.Next, r.skip)); found {
			r.skip, r.Broken = end, err // the next segment shows what is lost
			return true
		}
	}
	if (errors.Is(err, session.ErrNotFound) || r.db.cause != nil) && r.db.hasJournal(r.ID) {
		return false // the session is not in the database yet
	}
	if err != nil {
		r.Fail(err)
	}
	return ok && r.AddSegment(seg)
}

// nextEnd returns the end of the segment that nextSegment cannot read, if the index still contains
// it.
func (s *Store) nextEnd(ctx context.Context, id string, event int64) (end int64, ok bool) {
	err := s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx,
			"SELECT end_event FROM segments WHERE session_pk = ? AND end_event > ? ORDER BY end_event LIMIT 1", pk,
			event).Scan(&end)
	})
	return end, err == nil
}

// nextSegment returns the first segment that contains the event or a later one, and ends after
// from.
func (s *Store) nextSegment(ctx context.Context, id string, event int64, from store.From) (seg store.Segment, ok bool,
	err error) {
	err = s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx,
			`SELECT first_event, end_event, start_at, end_at, start_byte, end_byte, data FROM segments
			WHERE session_pk = ? AND end_event > ? AND end_at >= ? AND (end_byte > ? OR ? = 0) ORDER BY end_event LIMIT 1`,
			pk, event, int64(from.At), from.Offset, from.Offset).Scan(
			&seg.FirstEvent, &seg.EndEvent, &seg.StartAt, &seg.EndAt, &seg.StartByte, &seg.EndByte, &seg.Data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return seg, ok, err
}
