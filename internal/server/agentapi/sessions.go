package agentapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// SessionsOptions are the options of Sessions. Store, Live, Entries and Sender are required.
type SessionsOptions struct {
	Store *sqlite.Store
	Live  *client.Client // this machine's sessions
	// Entries returns all entries of a session that is over.
	Entries func(ctx context.Context, info *store.Info) ([]*session.Entry, error)
	// Sender returns the Sender for a session and the client of a request.
	Sender  func(id string, r *http.Request) Sender
	Banner  Banner
	Redact  *redact.Redactor // see Options.Redact
	Version string           // the program's version
	Log     *slog.Logger     // nil: slog.Default()
}

// Sessions serves all sessions, each below /agentapi/ID. It implements server.Handlers. Live
// sessions are followed while clients use them; past ones are read-only.
type Sessions struct {
	SessionsOptions

	mu     sync.Mutex // guards the fields below
	open   map[string]*openSession
	files  Folder // empty until a file is sent
	closed bool

	closing sync.WaitGroup // of unused sessions
}

// openSession is a session that clients use.
type openSession struct {
	session *Session
	users   int       // requests in progress
	used    time.Time // time of the last request
}

// root is the path of the sessions.
const root = "/agentapi/"

// keepTime is how long a session is still followed after its last request.
const keepTime = 5 * time.Minute

// NewSessions returns Sessions. The caller must Close it.
func NewSessions(o SessionsOptions) *Sessions {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Sessions{SessionsOptions: o, open: map[string]*openSession{}}
}

// Routes implements server.Handlers.
func (p *Sessions) Routes() map[string]http.Handler {
	return map[string]http.Handler{root + "{id}/{path...}": http.HandlerFunc(p.serve),
		root + "{id}": http.HandlerFunc(p.serve)}
}

// Refuse implements server.Handlers.
func (p *Sessions) Refuse(w http.ResponseWriter, r *http.Request, status int, _, message string) {
	if status == http.StatusUnauthorized {
		askForToken(w)
	}
	p.api(r, nil).fail(w, r, failed(status, message))
}

// api returns the API of a session for the client of a request.
func (p *Sessions) api(r *http.Request, s *Session) *API {
	a := &API{Session: s, Version: p.Version, Log: p.Log, Uploads: p}
	if id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, root), "/"); id != "" {
		a.Prefix = root + id
	}
	return a
}

func (p *Sessions) serve(w http.ResponseWriter, r *http.Request) {
	a := p.api(r, nil)
	info, err := p.Store.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, notFound(err))
		return
	}
	s, leave, err := p.enter(r.Context(), info)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	defer leave()
	a.Session = s
	if info.Status == store.Live {
		a.Sender = func(r *http.Request) Sender { return p.Sender(info.ID, r) }
	}
	http.StripPrefix(a.Prefix, a.Handler()).ServeHTTP(w, r)
}

// notFound returns the error for a session name that is unknown or ambiguous.
func notFound(err error) error {
	switch {
	case errors.Is(err, session.ErrNotFound):
		return failed(http.StatusNotFound, "no such session")
	case errors.Is(err, session.ErrAmbiguous):
		return failed(http.StatusNotFound, "more than one session matches: write more of the id")
	}
	return err
}

// enter returns a session. leave must be called afterwards.
func (p *Sessions) enter(ctx context.Context, info *store.Info) (s *Session, leave func(), err error) {
	o := Options{Type: typeOf(info), Banner: p.Banner, Redact: p.Redact, Log: p.Log}
	if info.Status != store.Live {
		entries, err := p.Entries(ctx, info)
		if err != nil {
			return nil, nil, err
		}
		return Past(entries, o), func() {}, nil
	}
	p.mu.Lock()
	found := p.open[info.ID]
	if found != nil && found.session.isOver() {
		found = nil
	}
	p.mu.Unlock()
	if found == nil {
		if found, err = p.follow(ctx, info, o); err != nil {
			return nil, nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found.users++
	return found.session, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		found.users--
		found.used = time.Now()
	}, nil
}

// follow starts to follow a live session.
func (p *Sessions) follow(ctx context.Context, info *store.Info, o Options) (*openSession, error) {
	entries, err := p.Store.EntriesAfter(ctx, info.ID, 0)
	if err != nil {
		return nil, err
	}
	o.Entries = entries
	stream, err := p.Live.Attach(ctx, info.ID,
		client.AttachOptions{Name: "agentapi", Kind: protocol.Agent, Mode: protocol.ModeScreen, Entries: new(int)})
	if err != nil {
		return nil, err
	}
	made := &openSession{session: Follow(stream, o), used: time.Now()}
	p.mu.Lock()
	p.sweep()
	closed, other := p.closed, p.open[info.ID]
	if other != nil && other.session.isOver() {
		other = nil
	}
	if !closed && other == nil {
		p.open[info.ID] = made
	}
	p.mu.Unlock()
	switch {
	case closed:
		made.session.Close()
		return nil, failed(http.StatusServiceUnavailable, "the server is shutting down")
	case other != nil: // another request was faster
		made.session.Close()
		return other, nil
	}
	return made, nil
}

// sweep closes the unused sessions. p.mu must be held.
func (p *Sessions) sweep() {
	for id, s := range p.open {
		if s.users == 0 && (s.session.isOver() || time.Since(s.used) > keepTime) {
			delete(p.open, id)
			p.closing.Go(s.session.Close)
		}
	}
}

// Close closes all sessions, and removes the files that clients have sent.
func (p *Sessions) Close() {
	p.mu.Lock()
	p.closed = true
	open, files := p.open, p.files
	p.open, p.files = map[string]*openSession{}, ""
	p.mu.Unlock()
	for _, s := range open {
		s.session.Close()
	}
	p.closing.Wait()
	if files != "" {
		_ = files.Remove() // remaining files are private
	}
}

// Save implements Uploads.
func (p *Sessions) Save(name string, data []byte) (path string, err error) {
	p.mu.Lock()
	if p.files == "" && !p.closed {
		p.files, err = NewFolder()
	}
	files := p.files
	p.mu.Unlock()
	if err != nil {
		return "", err
	}
	return files.Save(name, data)
}

// typeOf returns the type of a session's agent: of the one that was recognised, or else of its
// command.
func typeOf(info *store.Info) string {
	if n := len(info.Agents); n > 0 {
		if agent, ok := TypeOf(info.Agents[n-1].Name); ok {
			return agent
		}
	}
	return TypeOfCommand(info.Command)
}
