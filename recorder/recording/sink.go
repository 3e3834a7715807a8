package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/recorder/notify"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// sinkWait is how long a live recording waits for a database that other programs have locked. The
// shell's prompt may be waiting.
const sinkWait = time.Second

// finishTries is the number of attempts of finish at a locked database, each for sinkWait.
const finishTries = 2

// sink writes a live session to its journal (as the recorder's Log), and its entries to the
// database. It opens the database only when there is something to write.
type sink struct {
	*journal.Writer
	path    string          // path of the database
	session session.Session // as stored in the database
	redact  archive.Redaction
	title   string // the title before redaction

	described bool         // whether the database has the current session
	gitSaved  *session.Git // state of the repository in the database

	git atomic.Pointer[session.Git] // current state of the repository

	host     atomic.Pointer[live.Host]       // nil without viewers
	notifier atomic.Pointer[notify.Notifier] // nil without notifications
	ended    atomic.Bool                     // the command has ended, and the user waits for the prompt

	forgotten atomic.Bool // the recording was stopped and deleted
	indexing  sync.Mutex  // held while entries are written to the database

	usage     []session.Usage // token usage that the agents printed
	usedSaved bool            // whether the database has it

	packing     context.Context // cancelled when packing must stop
	stopPacking context.CancelFunc

	beside bool // the database is damaged, and the user was warned

	mu    sync.Mutex // guards the fields below
	store *sqlite.Store
	err   error // why the database cannot be used

	unsavedMu sync.Mutex        // guards unsaved, which only the recorder's goroutine changes
	unsaved   []recorder.Update // updates that the database does not have yet, without secrets
}

// setHost makes h show what is extracted from now on.
func (s *sink) setHost(h *live.Host) { s.host.Store(h) }

// startSink starts to record a session.
func startSink(ctx context.Context, o Options) (*sink, error) {
	to := &sink{path: o.Database, described: true, session: o.Session}
	to.redact, to.session.Command = o.Redact.Of(o.Session.Command)
	to.session.Cwd = o.Redact.Text(o.Session.Cwd, nil)
	var err error
	if to.beside, err = checkDatabase(ctx, o); err != nil {
		return nil, err
	}
	to.packing, to.stopPacking = context.WithCancel(ctx)
	to.Writer, err = sqlite.Record(o.Database, to.session, to.pack)
	return to, err
}

// checkDatabase checks the database before a session begins, and reports whether it is damaged. It
// migrates an older one, and refuses a file that is not a database.
func checkDatabase(ctx context.Context, o Options) (damaged bool, err error) {
	if _, err := os.Stat(o.Database); errors.Is(err, os.ErrNotExist) || sqlite.Ready(o.Database) {
		return false, nil
	}
	db, err := sqlite.OpenWaiting(ctx, o.Database, sinkWait)
	switch {
	case errors.Is(err, session.ErrCorrupt):
		o.Warn("warning: this session is recorded next to the database: %v; `ptyrec doctor --repair` repairs it and "+
			"imports the session", err)
		return true, nil
	case errors.Is(err, session.ErrBusy):
		return false, nil // it may be usable later
	case err != nil:
		return false, err
	}
	return false, db.Close()
}

// database returns the open database, which stays open when ctx is cancelled. If it cannot be used,
// the error says why, and the Store can only read the session's raw log.
func (s *sink) database(ctx context.Context) (db *sqlite.Store, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, s.err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the database: %v", p)
		}
		if err != nil && db == nil {
			db, _ = sqlite.Beside(s.path, err) // err already explains the path
		}
		if err == nil || !errors.Is(err, session.ErrBusy) {
			s.store, s.err = db, err
		}
	}()
	return sqlite.OpenWaiting(context.WithoutCancel(ctx), s.path, sinkWait)
}

// ids returns the ids of all sessions, with this one.
func (s *sink) ids(ctx context.Context) ([]string, error) {
	db, err := s.database(ctx)
	if err == nil {
		_, err = db.Find(ctx, s.session.ID) // this adds it to the database
	}
	if err != nil {
		return nil, err
	}
	return db.IDs(ctx)
}

// isOpen reports whether the database is open and can be used.
func (s *sink) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store != nil && s.err == nil
}

// close closes the store, if it is open.
func (s *sink) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		_ = s.store.Close() // the relevant errors were reported before
	}
}

// pack moves the complete part of the journal to the database, as far as possible.
func (s *sink) pack() {
	sys.LowestPriority()
	db, err := s.database(s.packing)
	if err == nil {
		_ = db.Pack(s.packing, s.session.ID) // the rest stays in the journal
	}
}

// Put implements recorder.Log.
func (s *sink) Put(e session.Event) {
	if e.Kind == session.Exit {
		s.ended.Store(true)
	}
	if !s.forgotten.Load() {
		s.Writer.Put(e)
	}
}

// Close implements recorder.Log.
func (s *sink) Close() (lost int64, err error) {
	s.stopPacking()
	if s.forgotten.Load() {
		return 0, nil
	}
	return s.Writer.Close()
}

// Replay implements recorder.Log.
func (s *sink) Replay(ctx context.Context, from int64, fn func(number int64, e session.Event) error) error {
	return s.events(ctx, from, fn)
}

// events calls fn with the events of the raw log from number from on, until fn fails.
func (s *sink) events(ctx context.Context, from int64, fn func(number int64, e session.Event) error) error {
	if s.forgotten.Load() {
		return nil
	}
	db, _ := s.database(ctx) // even after an error it can read the raw log
	source := archive.NewRawLog(ctx, db, s.session.ID, from)
	defer source.Stop()
	for {
		e, err := source.Next()
		if err != nil {
			return archive.IgnoreEnd(err)
		}
		if err := fn(source.Number-1, e); err != nil {
			return err
		}
	}
}

// sinkIndex is the recorder's Index.
type sinkIndex struct{ *sink }

// Put implements recorder.Index. What a locked database does not accept waits for the next call.
func (i sinkIndex) Put(ctx context.Context, u recorder.Update) error {
	s := i.sink
	s.indexing.Lock()
	defer s.indexing.Unlock()
	if s.forgotten.Load() {
		return nil
	}
	if len(u.Entries)+len(u.Gone) > 0 {
		u.Entries = s.redact.Entries(u.Entries, nil)
		s.describe(u)
		s.usage, s.usedSaved = u.Usage, len(u.Usage) == 0
		s.setUnsaved(append(s.unsaved, u)) // first, so that a new viewer gets it from here or from the host
		if h := s.host.Load(); h != nil {
			h.Update(protocol.Entries{Entries: u.Entries, Gone: u.Gone, Title: s.session.Title, Agents: s.session.Agents})
		}
		if n := s.notifier.Load(); n != nil {
			n.Update(u.Entries)
		}
	}
	if err := s.save(ctx); errors.Is(err, session.ErrBusy) {
		return err
	}
	return nil // finish reports other errors of the database
}

func (s *sink) setUnsaved(u []recorder.Update) {
	s.unsavedMu.Lock()
	defer s.unsavedMu.Unlock()
	s.unsaved = u
}

// entries returns the entries numbered above after, from the database and from those that it does
// not have yet.
func (s *sink) entries(ctx context.Context, after int) ([]*session.Entry, error) {
	if s.forgotten.Load() {
		return nil, nil
	}
	s.unsavedMu.Lock()
	unsaved := slices.Clone(s.unsaved) // first: entries saved meanwhile are in the database
	s.unsavedMu.Unlock()
	var entries []*session.Entry
	db, err := s.database(ctx)
	if err == nil {
		if entries, err = db.EntriesAfter(ctx, s.session.ID, after); ctx.Err() != nil {
			return nil, err
		}
	}
	for _, u := range unsaved {
		entries = slices.DeleteFunc(entries, func(e *session.Entry) bool {
			return slices.Contains(u.Gone, e.ID) ||
				slices.ContainsFunc(u.Entries, func(f *session.Entry) bool { return e.ID == f.ID })
		})
		for _, e := range u.Entries {
			if e.Seq > after {
				entries = append(entries, e)
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b *session.Entry) int { return a.Seq - b.Seq })
	return entries, nil
}

// describe applies an update to the description of the session.
func (s *sink) describe(u recorder.Update) {
	if u.Title != s.title {
		s.title, s.session.Title, s.described = u.Title, s.redact.Title(u.Title, u.Entries), false
	}
	if !slices.Equal(u.Agents, s.session.Agents) {
		s.session.Agents, s.described = slices.Clone(u.Agents), false
	}
}

// save writes what is unsaved, as far as the database accepts it. After the command has ended, it
// does not open the database. The next program that reads the session extracts what is missing from
// the raw log.
func (s *sink) save(ctx context.Context) error {
	if s.ended.Load() && !s.isOpen() {
		return nil
	}
	db, err := s.database(ctx)
	if err == nil {
		_, err = db.Find(ctx, s.session.ID) // this adds it to the database
	}
	for err == nil && len(s.unsaved) > 0 {
		u := s.unsaved[0]
		if err = db.SaveEntries(ctx, s.session.ID, u.Entries, u.Gone...); err == nil {
			s.setUnsaved(s.unsaved[1:])
		}
	}
	if err == nil {
		err = s.saveFacts(ctx, db)
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil // next time
	}
	if err != nil && !errors.Is(err, session.ErrBusy) {
		s.setUnsaved(s.unsaved[:min(1, len(s.unsaved))]) // it will not accept more
	}
	return err
}

// saveFacts writes what has changed of the session's description, usage and commits.
func (s *sink) saveFacts(ctx context.Context, db *sqlite.Store) (err error) {
	if !s.described {
		err = db.UpdateSession(ctx, &s.session)
		s.described = err == nil
	}
	if err == nil && !s.usedSaved {
		err = db.PutScreenUsage(ctx, s.session.ID, s.usage)
		s.usedSaved = err == nil
	}
	if g := s.git.Load(); err == nil && g != s.gitSaved {
		if err = db.SetGit(ctx, s.session.ID, *g); err == nil {
			s.gitSaved = g
		}
	}
	return err
}

// finish saves the end of the session if the database is open. Otherwise, or if that fails, the
// next program that opens the database finds the end in the journal.
func (s *sink) finish(ctx context.Context, r recorder.Result) error {
	s.indexing.Lock()
	defer s.indexing.Unlock()
	if s.forgotten.Load() || !s.isOpen() {
		return nil
	}
	read := !r.Behind && r.IndexErr == nil // otherwise the indexer may still be running
	if read {
		read = s.save(ctx) == nil && len(s.unsaved) == 0
	}
	ended := s.session.StartedAt.Add(r.Duration)
	var err error
	for range finishTries {
		if err = s.store.FinishSession(ctx, s.session.ID, ended, r.Status, read); !errors.Is(err, session.ErrBusy) {
			break
		}
	}
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrFull) {
		return nil
	}
	return err
}
