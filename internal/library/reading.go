package library

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// reading extracts a session from its raw log. Its entries are in a file, so that memory does not
// grow with the session, and they can be read during the extraction.
type reading struct {
	store  store.Reader
	keeper keeper
	info   *store.Info
	redact archive.Redaction
	warn   func(damage []*store.Damage)
	seen   func(n int)   // called with the number of output bytes that were read
	over   chan struct{} // closed when everything is read, before it is saved

	session session.Session // extracted; valid when run has returned
	usage   []session.Usage // likewise
	damage  []*store.Damage // likewise

	mu    sync.Mutex // guards the fields below
	spool *Spool
	t     *archive.Transcriber // has the entries after those in spool; nil when run is done
	bytes int64                // output bytes read so far
}

// newReading prepares the extraction of info's session. The caller must Close it.
func (l *Library) newReading(info *store.Info) (*reading, error) {
	db, ok := l.Store.(keeper)
	if !ok {
		return nil, session.ErrNotWritable
	}
	s, err := NewSpool(filepath.Dir(db.Path()), os.TempDir())
	if err != nil {
		return nil, err
	}
	r := &reading{
		store: l.Store, keeper: db, info: info, warn: l.WarnDamage, spool: s, t: archive.NewTranscriber(info.Session),
		seen: func(int) {}, over: make(chan struct{}),
	}
	r.redact, _ = l.Redact.Of(info.Command)
	return r, nil
}

// Close deletes the file.
func (r *reading) Close() error { return r.spool.Close() }

// readOut extracts the session and saves the entries. If the database cannot be written,
// info.Unread stays set.
func (r *reading) readOut(ctx context.Context) error {
	info := r.info
	err := r.run(ctx)
	none := errors.Is(err, ErrNoRawLog)
	if none {
		err = nil
	}
	if err == nil && !none {
		info.Agents, info.Title = r.session.Agents, r.session.Title
		r.warn(r.damage)
	}
	switch {
	case err != nil:
		return err
	case info.Beside:
		info.Unread = true
		return nil
	case none:
		err = r.keeper.PutExtracted(ctx, info.ID, store.Extracted{}) // the stored entries are complete
	default:
		sys.NormalPriority(func() { err = r.save(ctx) }) // recorders wait for the database's lock
	}
	info.Unread = err != nil && !none
	return unlessReadOnly(err)
}

// run reads the raw log to its end. The error is ErrNoRawLog if the session never had one.
func (r *reading) run(ctx context.Context) error {
	source := archive.NewRawLog(ctx, r.store, r.info.ID, 0)
	defer source.Stop()
	var err error
	for err == nil {
		var e session.Event
		if e, err = source.Next(); err == nil {
			err = r.feed(e)
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	source.Missing(r.info)
	r.damage = source.Damage
	if source.Number == 0 && len(source.Damage) == 0 {
		return ErrNoRawLog
	}
	return r.end()
}

// feed adds the next event.
func (r *reading) feed(e session.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += e.Printed()
	r.seen(int(e.Printed()))
	r.t.Feed(e)
	return r.spool.Add(r.redact.Entries(r.t.Forget(), nil)...)
}

// end completes the entries after the last event.
func (r *reading) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.t.Close(true)
	err := r.spool.Add(r.redact.Entries(r.t.Entries(), nil)...)
	first, firstErr := r.spool.Entries(0, titleEntries)
	r.session, r.usage = r.t.Session, r.t.Usage
	if r.info.EndedAt != nil || r.session.ExitCode == nil {
		r.session.EndedAt, r.session.ExitCode = r.info.EndedAt, r.info.ExitCode
	}
	if r.redact.Redactor != nil {
		r.session.Command = r.redact.Command(r.session.Command)
		r.session.Cwd = r.redact.Text(r.session.Cwd, nil)
		r.session.Title = r.redact.Title(r.session.Title, first)
	}
	r.t = nil
	close(r.over)
	return errors.Join(err, firstErr)
}

// titleEntries is how many entries are searched for the line from which a shortened title was
// taken.
const titleEntries = 200

// page returns a span of what has been extracted so far, and how much of the raw log that is; nil
// means all. Until then the last entries may still change.
func (r *reading) page(span store.Span) (store.Page, *store.Reading, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	final := r.spool.Len()
	var open []*session.Entry
	var state *store.Reading
	if r.t != nil {
		open, state = r.t.Entries(), &store.Reading{Bytes: r.bytes, Of: max(r.bytes, r.info.RawBytes)}
	}
	page, err := store.PageFrom(final+len(open), span, func(from, to int) ([]*session.Entry, error) {
		entries, err := r.spool.Entries(from, min(to, final))
		rest := open[min(max(0, from-final), len(open)):max(0, to-final)]
		return append(entries, r.redact.Entries(rest, nil)...), err
	})
	return page, state, err
}

// save stores the entries in the database. Entries that exist already keep their ids. If a part of
// the raw log is lost and the database has more entries, it keeps those.
func (r *reading) save(ctx context.Context) error {
	had, err := r.store.Page(ctx, r.info.ID, store.Span{Limit: 1})
	if err != nil {
		return err
	}
	var x store.Extracted
	if len(r.damage) == 0 || had.Total <= r.spool.Len() {
		entries, err := session.KeepIDsOf(r.store.Each(ctx, r.info.ID), r.spool.All())
		if err != nil {
			return err
		}
		x = store.Extracted{Entries: entries, Usage: r.usage, Session: &r.session}
	}
	if s := &r.session; r.info.Status == store.Interrupted && s.EndedAt != nil && s.ExitCode != nil {
		x.End = s // the recorder could not write the end, but the log has it
	}
	return r.keeper.PutExtracted(ctx, r.info.ID, x)
}
