package agentapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Options are the options of a Session. Its zero value is for a session that is over, or into which
// no client may type.
type Options struct {
	Type     string           // type of the agent, one of Types
	Sender   Sender           // nil: clients cannot type
	Markdown bool             // messages are Markdown, not plain text
	Tools    bool             // messages contain a line for each tool call
	Banner   Banner           // nil: message 0 is taken from the entries
	Entries  []*session.Entry // that exist already
	Start    Start
	Redact   *redact.Redactor // masks secrets on the screen; nil masks nothing
	Log      *slog.Logger     // nil: slog.Default()
}

// Banner returns what an agent that has just started shows on its screen besides the input box. It
// may be called concurrently.
type Banner func(s *vterm.Snapshot, agent string) string

// Start is what to do when the agent is ready.
type Start struct {
	Prompt string                // the first prompt; empty for none
	Load   func() (State, error) // returns the state of an earlier run; nil if there was none
}

const (
	idleTime    = 30 * time.Millisecond   // an agent must be idle for this long; the session's log has already waited
	openTime    = 2 * time.Second         // the same if its reply seems incomplete
	reactTime   = 1500 * time.Millisecond // maximum time until an agent shows that it is working
	sureTime    = 10 * time.Second        // the same if it is certain to work
	repliedTime = 500 * time.Millisecond  // age of a reply that came at once
	outputTime  = 400 * time.Millisecond  // age of a command's output
	stillTime   = 2 * time.Second         // how long the screen of an unknown program must stay unchanged
	startTime   = 10 * time.Second        // the same if the program should be an agent that is not recognised yet
	sendTime    = 30 * time.Second        // time limit of a Sender
	lookTime    = 50 * time.Millisecond   // minimum pause between two reads of a changing screen
	lookPause   = 4                       // minimum length of that pause, as a multiple of the last read's duration
)

// Session is a session in the form of agentapi. It may be used concurrently.
type Session struct {
	Options
	board  *board
	stop   context.CancelFunc
	ctx    context.Context //nolint:containedctx // for the goroutines
	run    sync.WaitGroup
	kick   chan struct{}
	ended  chan struct{} // closed when the session is over
	status int           // exit status of the command; valid when ended is closed

	mu       sync.Mutex // guards the fields below
	talk     talk
	page     *page
	dirty    bool          // whether there was output since the screen was last read
	looked   time.Time     // time when the screen was last read
	took     time.Duration // duration of that read
	shown    string        // the screen that was read
	changed  time.Time     // time when the screen last changed
	idleAt   time.Time     // time when the agent was first seen idle
	sending  *turn         // the prompt that is being sent
	await    awaiting
	greeted  bool   // message 0 is the agent's banner
	ready    bool   // the agent was ready, and Start is done
	starting bool   // Start is being done
	prompt   string // the first prompt
	sent     bool   // the first prompt was sent
	loading  bool   // the state of an earlier run is not loaded yet
	over     bool
}

// awaiting is the wait for the agent's reaction to input.
type awaiting struct {
	since time.Time // zero if nothing is awaited
	from  time.Time // entries first seen after this time are the reaction
	sure  bool      // the agent will react: it was seen working, or the input is a prompt
}

// Follow serves a live session until it ends or Close is called. It reads the stream, which must
// have been attached with Entries and protocol.ModeBytes or protocol.ModeScreen, and closes it.
func Follow(stream *client.Stream, o Options) *Session {
	s := newSession(o)
	s.loading = o.Start.Load != nil
	events := make(chan client.Event, 64)
	s.run.Go(func() {
		defer close(events)
		defer func() { _ = stream.Close() }()
		for {
			e, err := stream.Next(s.ctx)
			if err != nil {
				if !errors.Is(err, io.EOF) && s.ctx.Err() == nil {
					s.Log.Warn("the session cannot be reached", "error", err)
				}
				return
			}
			select {
			case events <- e:
			case <-s.ctx.Done():
				return
			}
		}
	})
	if len(o.Entries) > 0 {
		s.look(time.Now()) // before the first client asks
		s.look(time.Now())
	}
	s.run.Go(func() { s.follow(events) })
	return s
}

// Past serves a session that is over.
func Past(entries []*session.Entry, o Options) *Session {
	o.Entries = entries
	s := newSession(o)
	s.talk.close(time.Now())
	s.over = true
	s.board.post(s.talk.messages, statusStable, true)
	close(s.ended)
	return s
}

func newSession(o Options) *Session {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Session{Options: o, board: newBoard(), kick: make(chan struct{}, 1), ended: make(chan struct{}), status: -1}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.talk = talk{markdown: o.Markdown, tools: o.Tools}
	s.talk.begin(time.Now())
	s.page = newPage(80, 24)
	if len(o.Entries) > 0 {
		s.talk.update(protocol.Entries{Entries: o.Entries}, time.Now().Add(-settled))
		s.talk.read(time.Now())
	}
	s.board.post(s.talk.messages, statusRunning, false)
	return s
}

// Close stops following. It does not end the session, and may be called more than once.
func (s *Session) Close() {
	s.stop()
	s.run.Wait()
}

// isOver reports whether the session is over or cannot be reached.
func (s *Session) isOver() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Ended returns a channel that is closed when the session is over or cannot be reached.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// ExitStatus returns the exit status of the session's command, or -1 if it is unknown. Ended must
// be closed.
func (s *Session) ExitStatus() int { return s.status }

// Screen returns the text of the screen with secrets masked.
func (s *Session) Screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.covered(s.page.screen())
}

// covered masks the secrets on a screen.
func (s *Session) covered(screen string) string {
	return strings.Join(s.Redact.Cover(strings.Split(screen, "\n")), "\n")
}

// Warn reports an error to clients that does not belong to a request.
func (s *Session) Warn(message string) { s.board.fail("warning", message, time.Now()) }
