package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

// From says where in a raw log to begin reading: at the first event that satisfies all of it. The
// zero value is the beginning.
type From struct {
	Event  int64         // number of the event, from 0
	At     time.Duration // time since the start of the recording
	Offset int64         // output bytes: the event that holds this byte
}

// Damage is what is missing in a raw log. It wraps session.ErrCorrupt.
type Damage struct {
	Session              string
	FirstEvent, EndEvent int64         // the events [first, end) are lost
	StartByte, EndByte   int64         // with them, the output bytes [start, end)
	StartAt, EndAt       time.Duration // which came between these times
	Err                  error         // what is wrong with the segment; nil if it is missing
}

func (d *Damage) Error() string {
	text := fmt.Sprintf("session %s: output bytes %d to %d, from %s to %s, are lost", d.Session, d.StartByte, d.EndByte,
		d.StartAt.Round(time.Millisecond), d.EndAt.Round(time.Millisecond))
	if d.Err != nil {
		text += ": " + d.Err.Error()
	}
	return text
}

// Unwrap makes a Damage an ErrCorrupt.
func (d *Damage) Unwrap() []error {
	if d.Err == nil {
		return []error{session.ErrCorrupt}
	}
	return []error{session.ErrCorrupt, d.Err}
}

// Events returns the raw log of a session from its beginning. See EventsFrom.
func (s *Store) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return s.EventsFrom(ctx, id, From{})
}

// EventsFrom returns the raw log of a session from a position on, up to what is written when the
// end is reached: first what is in the database, then what is still in the journal. Where data is
// damaged or missing it yields a *Damage and, if the caller continues, the events after it. Any
// other error ends the iteration. No connection is held while the caller works.
func (s *Store) EventsFrom(ctx context.Context, id string, from From) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		r := rawReader{store: s, fetch: s.segmentsOf(id), id: id, from: from, next: from.Event, yield: yield}
		r.run(ctx)
	}
}

// rawReader reads a raw log segment by segment. It goes by the numbers of the events, because
// segments may be replaced by larger ones while it reads.
type rawReader struct {
	store *Store // nil: the segments come from elsewhere, and are all there is
	fetch fetch
	id    string
	from  From
	yield func(session.Event, error) bool
	text  *[3]int64 // only text behind these places is wanted; nil: all

	next   int64 // number of the next event
	skip   int64 // where a segment ends whose row cannot be read, else 0
	broken error // why it cannot
	offset int64 // output bytes before it
	at     time.Duration
	begun  bool
	over   bool // the caller has stopped, or an error occurred
}

// run reads the database and then the journal. If the journal is packed meanwhile, it continues in
// the database.
func (r *rawReader) run(ctx context.Context) {
	for again := true; again && !r.over; {
		for r.segment(ctx) {
		}
		again = !r.over && r.store != nil && r.journal(ctx)
	}
	if !r.over && r.skip > r.next {
		r.lostEnd(ctx)
	}
}

// journal yields the events of the session's journal, and reports whether the journal was packed
// meanwhile.
func (r *rawReader) journal(ctx context.Context) (packed bool) {
	files, _ := journal.List(JournalFolder(r.store.path)) // an unreadable folder counts as empty
	for _, file := range journal.Of(files, r.id) {
		in, f, err := openJournal(file)
		if errors.Is(err, fs.ErrPermission) { // not the same as lost
			r.over = true
			r.yield(session.Event{}, fmt.Errorf("read journal: %w", err))
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
		if packed || r.over {
			break
		}
	}
	return packed
}

// seek returns a Reader of the file that begins where the wanted text does, and takes what is
// before that as read. in is a Reader that has read nothing.
func (r *rawReader) seek(in *journal.Reader, f *os.File) *journal.Reader {
	first, _ := in.End()
	p, err := r.store.textIndex(f.Name()).Find(f, r.id, *r.text)
	if err != nil || first > r.next || p.Number <= r.next {
		return in
	}
	r.next, r.offset = p.Number, p.Offset
	return journal.NewReaderAt(f, r.id, p)
}

// maxTextIndexes is how many files of journals a Store remembers the texts of.
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
	for !r.over {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			r.over = true
			r.yield(session.Event{}, r.store.failed("read journal", err))
			return false
		}
		if !r.begun {
			r.begin(segment{firstEvent: e.Number, startByte: e.Offset, startAt: e.At})
		}
		if e.Number > r.next {
			if _, ok, err := r.store.nextSegment(ctx, r.id, r.next, From{}); ok && err == nil {
				return true
			}
			r.over = !r.damage(e.Number, e.Offset, e.At, r.broken)
			r.broken = nil
		}
		r.over = r.over || !r.give(segment{firstEvent: e.Number, startByte: e.Offset}, []session.Event{e.Event})
	}
	return false
}

// segment yields the next segment from the database, and reports whether there may be more.
func (r *rawReader) segment(ctx context.Context) bool {
	seg, ok, err := r.fetch(ctx, max(r.next, r.skip), r.from)
	if errors.Is(err, session.ErrCorrupt) && r.store != nil {
		if end, found := r.store.nextEnd(ctx, r.id, max(r.next, r.skip)); found {
			r.skip, r.broken = end, err // the next one says what is lost
			return true
		}
	}
	if r.store != nil && (errors.Is(err, session.ErrNotFound) || r.store.cause != nil) && r.store.hasJournal(r.id) {
		return false // the database does not know it yet
	}
	if err != nil {
		r.over = true
		r.yield(session.Event{}, err)
	}
	if !ok {
		return false
	}
	if !r.begun {
		r.begin(seg)
	}
	if seg.firstEvent > r.next && !r.damage(seg.firstEvent, seg.startByte, seg.startAt, r.broken) {
		r.over = true
		return false
	}
	r.broken = nil
	inner, events, err := decodeSegment(seg.data)
	if err == nil && (inner.firstEvent != seg.firstEvent || inner.endEvent != seg.endEvent) {
		err = errSegment
	}
	if err != nil {
		r.over = !r.damage(seg.endEvent, seg.endByte, seg.endAt, err)
	} else {
		r.over = !r.give(seg, events)
	}
	return !r.over
}

// begin distinguishes a seek from a gap.
func (r *rawReader) begin(seg segment) {
	r.begun = true
	if r.from.At > 0 || r.from.Offset > 0 {
		r.next = max(r.next, seg.firstEvent)
	}
	if r.next >= seg.firstEvent {
		r.offset, r.at = seg.startByte, seg.startAt
	}
}

// damage reports what is lost between here and there, and goes on there.
func (r *rawReader) damage(event, offset int64, at time.Duration, err error) bool {
	d := &Damage{Session: r.id, FirstEvent: r.next, EndEvent: event, StartByte: r.offset, EndByte: offset, StartAt: r.at, EndAt: at, Err: err}
	r.next, r.offset, r.at = event, offset, at
	return r.yield(session.Event{}, d)
}

func (r *rawReader) give(seg segment, events []session.Event) bool {
	offset := seg.startByte
	for i, ev := range events {
		offset += ev.Printed()
		number := seg.firstEvent + int64(i)
		if number < r.next {
			continue
		}
		r.next, r.offset, r.at = number+1, offset, ev.At
		if ev.At < r.from.At || offset <= r.from.Offset && r.from.Offset > 0 {
			continue
		}
		if !r.yield(ev, nil) {
			return false
		}
	}
	return true
}

// lostEnd reports the last segments, whose rows cannot be read.
func (r *rawReader) lostEnd(ctx context.Context) {
	offset, at := r.offset, r.at
	if info, err := r.store.Find(ctx, r.id); err == nil {
		offset, at = info.RawBytes, info.Duration
	}
	r.damage(r.skip, offset, at, r.broken)
}

// nextEnd returns the end of the segment that nextSegment cannot read, if the index still has it.
func (s *Store) nextEnd(ctx context.Context, id string, event int64) (end int64, ok bool) {
	err := s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT end_event FROM segments WHERE session_pk = ? AND end_event > ? ORDER BY end_event LIMIT 1", pk, event).Scan(&end)
	})
	return end, err == nil
}

// fetch returns the first segment of a session that holds the event or a later one, and ends after
// from.
type fetch func(ctx context.Context, event int64, from From) (seg segment, ok bool, err error)

// segmentsOf returns what fetches a session's segments from the database.
func (s *Store) segmentsOf(id string) fetch {
	return func(ctx context.Context, event int64, from From) (segment, bool, error) {
		return s.nextSegment(ctx, id, event, from)
	}
}

// nextSegment returns the first segment that holds the event or a later one, and ends after from.
func (s *Store) nextSegment(ctx context.Context, id string, event int64, from From) (seg segment, ok bool, err error) {
	err = s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `SELECT first_event, end_event, start_at, end_at, start_byte, end_byte, data FROM segments
			WHERE session_pk = ? AND end_event > ? AND end_at >= ? AND (end_byte > ? OR ? = 0) ORDER BY end_event LIMIT 1`,
			pk, event, int64(from.At), from.Offset, from.Offset).Scan(
			&seg.firstEvent, &seg.endEvent, &seg.startAt, &seg.endAt, &seg.startByte, &seg.endByte, &seg.data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return seg, ok, err
}
