package teamserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/vterm"
)

// followTime is the interval at which the database is polled.
const followTime = time.Second

// onlyWatched is the error for a viewer that wants to type.
const onlyWatched = "only the machine on which a session runs takes input for it"

// Follow shows the conversations of live sessions, whichever server their machines send them to.
// Once a second it queries the database for all followed sessions, in one statement. It may be used
// concurrently. The caller must Close it.
type Follow struct {
	store *postgres.Store
	log   *slog.Logger
	every time.Duration

	mu        sync.Mutex // guards the fields below
	followers map[*follower]struct{}
	stop      context.CancelFunc // stops the polling; nil without followers
	asking    sync.WaitGroup
}

// NewFollow returns a Follow for the sessions of a database.
func NewFollow(s *postgres.Store, log *slog.Logger) *Follow {
	return &Follow{store: s, log: log, every: followTime, followers: map[*follower]struct{}{}}
}

// Close waits for the polling to end. All connections must be closed before.
func (f *Follow) Close() { f.asking.Wait() }

// Connect returns a connection to a live session for frames of package protocol. The caller sends
// first, and must close it. It ends with the session, and when the viewer in ctx may no longer read
// it. ref is the session's id or the start of it. The error wraps session.ErrNotFound if the
// session is not live or the viewer may not read it.
func (f *Follow) Connect(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
	info, err := f.store.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	viewer := postgres.ViewerOf(ctx)
	// A reconnecting viewer has an old context, and its rights may have changed.
	found, err := f.store.Progress(ctx, []postgres.Follower{{Viewer: viewer, Session: info.ID}})
	if err != nil {
		return nil, err
	}
	if !found[0].Live {
		return nil, fmt.Errorf("live %w: %s", session.ErrNotFound, ref)
	}
	one := &follower{store: f.store, id: info.ID, viewer: viewer, news: make(chan news, 1), known: postgres.Known{}}
	ctx = context.WithoutCancel(ctx)
	shown := info.Session
	// As the machine reports it.
	shown.Cols, shown.Rows = max(1, min(shown.Cols, protocol.MaxCols)), max(1, min(shown.Rows, protocol.MaxRows))
	one.host = live.New(live.Options{Session: shown, Server: "ptyrec " + buildinfo.Version(), Watched: onlyWatched,
		Screen:  noScreen,
		Entries: func(_ context.Context, after int) ([]*session.Entry, error) { return one.entries(ctx, after) }})
	f.add(one)
	return follow.Serve(ctx, one.host, func(ctx context.Context) bool {
		defer f.remove(one)
		return one.feed(ctx)
	}), nil
}

// add adds a follower.
func (f *Follow) add(one *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followers[one] = struct{}{}
	if f.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		f.stop = stop
		f.asking.Go(func() { f.run(ctx) })
	}
}

// remove removes a follower. The last one stops the polling.
func (f *Follow) remove(one *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.followers, one)
	if len(f.followers) == 0 {
		f.stop()
		f.stop = nil
	}
}

func (f *Follow) run(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := f.look(ctx); err != nil && ctx.Err() == nil {
			f.log.WarnContext(ctx, "the sessions cannot be followed now", "error", err)
		}
	}
}

// look reads the state of the sessions, and notifies the followers.
func (f *Follow) look(ctx context.Context) error {
	f.mu.Lock()
	all := make([]*follower, 0, len(f.followers))
	for one := range f.followers {
		all = append(all, one)
	}
	f.mu.Unlock()
	asked := make([]postgres.Follower, len(all))
	for i, one := range all {
		asked[i] = postgres.Follower{Viewer: one.viewer, Session: one.id}
	}
	found, err := f.store.Progress(ctx, asked)
	if err != nil {
		return err
	}
	for i, one := range all {
		p, visible := found[i]
		one.tell(news{p, visible})
	}
	return nil
}

// news is the state of a session for a follower.
type news struct {
	postgres.Progress
	visible bool // the follower may still read it
}

// follower feeds one viewer's host.
type follower struct {
	store  *postgres.Store
	id     string
	viewer postgres.Viewer
	host   *live.Host
	news   chan news // only the newest is kept

	mu      sync.Mutex     // guards the fields below
	wanted  bool           // the viewer wants entries
	known   postgres.Known // the entries that it has
	version int64          // version of known; 0 if unknown
}

// tell replaces the news. Only one goroutine may call it.
func (o *follower) tell(n news) {
	select {
	case <-o.news:
	default:
	}
	o.news <- n
}

// feed passes on news until the session is over, the viewer has left, or it may not read the
// session any more. It returns true if the session is over.
func (o *follower) feed(ctx context.Context) (over bool) {
	for {
		select {
		case <-ctx.Done():
			return false
		case n := <-o.news:
			if !n.visible {
				return false
			}
			err := o.update(ctx, n.Entries)
			if errors.Is(err, session.ErrNotFound) {
				return false
			}
			if err == nil && !n.Live { // after an error, the next news repeats it
				return o.end(ctx)
			}
		}
	}
}

// update sends the entries that have changed, if the viewer wants them. version is the database's
// version or an older one.
func (o *follower) update(ctx context.Context, version int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.wanted || version == o.version {
		return nil
	}
	info, err := o.store.Find(ctx, o.id)
	if err != nil {
		return err
	}
	changed, gone, err := o.store.Changes(ctx, o.id, 0, o.known)
	if err != nil {
		return err
	}
	if o.version = version; len(changed)+len(gone) > 0 {
		o.host.Update(protocol.Entries{Entries: changed, Gone: gone, Title: info.Title, Agents: info.Agents})
	}
	return nil
}

// end feeds the host with the end of the session.
func (o *follower) end(ctx context.Context) (over bool) {
	info, err := o.store.Find(ctx, o.id)
	if err != nil {
		return false // the viewer will reconnect
	}
	status := -1 // unknown
	if info.ExitCode != nil {
		status = *info.ExitCode
	}
	o.host.Finish()
	o.host.Event(session.Event{Kind: session.Exit, Status: status})
	return true
}

// entries implements live.Options.Entries. After it, the viewer receives the entries that change.
func (o *follower) entries(ctx context.Context, after int) ([]*session.Entry, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted = true
	changed, _, err := o.store.Changes(ctx, o.id, after, o.known)
	return changed, err
}

// noScreen implements live.Options.Screen for sessions whose output is not here. The screen is
// empty.
func noScreen(read live.ReadScreen) bool {
	read(vterm.New(vterm.Options{Cols: 80, Rows: 24}), 0)
	return true
}
