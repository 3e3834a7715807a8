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
	"github.com/ptyrec/ptyrec/internal/prompt"
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

// follow processes the events of the stream until it ends.
func (s *Session) follow(events <-chan client.Event) {
	defer close(s.ended)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				s.end()
				return
			}
			s.take(e, events)
		case <-timer.C:
		case <-s.kick:
		}
		again := s.look(time.Now())
		if again <= 0 {
			again = time.Hour
		}
		timer.Reset(again)
	}
}

// take processes an event, and those that are queued after it.
func (s *Session) take(e client.Event, events <-chan client.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range cap(events) {
		s.takeOne(e)
		select {
		case next, ok := <-events:
			if !ok {
				return // follow reads it again
			}
			e = next
		default:
			return
		}
	}
	s.takeOne(e)
}

// takeOne processes an event. s.mu must be held.
func (s *Session) takeOne(e client.Event) {
	now := time.Now()
	switch e := e.(type) {
	case client.Connected:
		// its entries may not be stored yet
		if s.talk.state.State == "" && e.State.State != "" && (e.State.Agent != "" || e.State.State == "asking") {
			s.talk.state, s.talk.agent, s.idleAt = e.State, true, now
		}
		if s.page.term.Snapshot().Cols != e.Cols || len(s.page.term.Snapshot().Lines) != e.Rows {
			s.page.term.Resize(e.Cols, e.Rows)
		}
	case protocol.Snapshot:
		s.page.term = vterm.New(vterm.Options{Cols: e.Cols, Rows: e.Rows, Scrollback: -1})
		s.page.write(e.Data)
		s.dirty = true
	case client.Output:
		s.page.write(e.Data)
		s.dirty = true
	case protocol.Size:
		s.page.term.Resize(e.Cols, e.Rows)
		s.dirty = true
	case protocol.Entries:
		was := s.talk.state
		s.talk.update(e, now)
		if s.talk.state != was {
			s.idleAt = now
		}
	case protocol.Exit:
		s.status = e.Status
	}
}

// look updates the status and the messages. It returns the time after which to call it again; 0
// means at the next event.
func (s *Session) look(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := due{now: now}
	s.lookAtScreen(now, &next)
	s.greet(now)
	if !s.talk.again.IsZero() {
		if !s.talk.again.After(now) {
			s.talk.read(now)
		}
		if !s.talk.again.IsZero() {
			next.at(s.talk.again)
		}
	}
	stable := s.stable(now, &next)
	if stable && !s.ready {
		stable = false
		s.begin()
	}
	status := statusRunning
	if stable {
		s.talk.close(now)
		status = statusStable
	}
	s.board.post(s.talk.messages, status, false)
	return next.in()
}

// due is the earliest of some times.
type due struct {
	now   time.Time
	first time.Time
}

func (d *due) at(t time.Time) {
	if d.first.IsZero() || t.Before(d.first) {
		d.first = t
	}
}

func (d *due) in() time.Duration {
	if d.first.IsZero() {
		return 0
	}
	return max(time.Millisecond, d.first.Sub(d.now))
}

// lookAtScreen reads the screen if it may have changed and is needed. s.mu must be held.
func (s *Session) lookAtScreen(now time.Time, next *due) {
	unknown := !s.talk.agent && s.talk.state.State == ""
	if !s.dirty || !unknown && !s.board.watched() {
		return
	}
	if from := s.looked.Add(max(lookTime, lookPause*s.took)); from.After(now) {
		next.at(from)
		return
	}
	s.dirty, s.looked = false, now
	defer func() { s.took = time.Since(now) }()
	if screen := s.page.screen(); screen != s.shown {
		s.shown, s.changed = screen, now
		s.board.paint(s.covered(screen))
	}
	if unknown {
		u := s.talk.turns[len(s.talk.turns)-1]
		if u == s.sending && u.user < 0 && len(s.talk.turns) > 1 {
			return // wait until it is written completely
		}
		if prompt.Takes(s.Type) && !s.ready {
			return // before the agent is recognised, the screen shows half of its banner
		}
		u.text, u.plain = s.Redact.Text(s.page.text(), nil), !u.fixed
		s.talk.answer(u, nil, now)
	}
}

// greet sets message 0 to the banner of an agent that has started. If it was started from a shell
// by a message, the screen no longer shows that message's reply. s.mu must be held.
func (s *Session) greet(now time.Time) {
	first := s.talk.turns[0]
	switch {
	case s.talk.state.State == "":
		s.greeted = false // the next agent is another one
		return
	case s.greeted, first.fixed:
		return
	}
	s.greeted = true
	last := s.talk.turns[len(s.talk.turns)-1] // the reply read from the screen was the agent's banner
	last.text, last.plain = "", false
	if s.Banner != nil && len(s.talk.turns) == 1 {
		first.text = s.Redact.Text(s.Banner(s.page.term.Snapshot(), s.talk.state.Agent), nil)
	}
	s.talk.read(now)
}

// stable reports whether the session waits for a prompt. s.mu must be held.
func (s *Session) stable(now time.Time, next *due) bool {
	state := s.talk.state
	switch {
	case s.sending != nil || s.starting:
		return false
	case s.talk.agent && state.State == "" || state.State == "busy":
		return false
	case state.State == "":
		return s.still(now, next)
	case s.awaits(now, next), !s.talk.again.IsZero(): // or an entry is not shown yet
		return false
	case state.State == "asking":
		return true
	}
	wait := idleTime
	if s.talk.open() {
		wait = openTime
	}
	if at := s.idleAt.Add(wait); at.After(now) {
		next.at(at)
		return false
	}
	return true
}

// awaits reports whether the agent has yet to react to input. s.mu must be held.
func (s *Session) awaits(now time.Time, next *due) bool {
	if s.await.since.IsZero() {
		return false
	}
	late := s.await.since.Add(reactTime)
	if s.await.sure {
		late = s.await.since.Add(sureTime)
	}
	for _, e := range s.talk.entries {
		if s.talk.first[e.ID].Before(s.await.from) { // numbers change when entries are inserted
			continue
		}
		if e.Event == session.EventBusy || e.Event == session.EventAsking || e.Event == session.EventNewSession {
			late = now
			break
		}
		if e.Event == session.EventClear {
			late = s.talk.first[e.ID].Add(settled)
		} else if (e.Role == session.RoleAssistant || e.Role == session.RoleSystem) && e.Status != session.StatusStreaming {
			late = s.talk.first[e.ID].Add(repliedTime)
		} else if e.Role == session.RoleCommand && e.Output != "" {
			late = s.talk.changed.Add(outputTime)
		}
	}
	if late.After(now) {
		next.at(late)
		return true
	}
	s.await = awaiting{}
	return false
}

// still reports whether the screen of an unknown program has text and has not changed for a while.
// s.mu must be held.
func (s *Session) still(now time.Time, next *due) bool {
	if strings.TrimSpace(s.shown) == "" || s.dirty {
		return false
	}
	wait := stillTime
	if prompt.Takes(s.Type) && !s.ready {
		wait = startTime
	}
	at := s.changed
	if s.await.since.After(at) {
		at = s.await.since
	}
	if at = at.Add(wait); at.After(now) {
		next.at(at)
		return false
	}
	return true
}

// end marks the session as over.
func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.over = true
	s.talk.read(now.Add(settled))
	s.board.paint(s.covered(s.page.screen()))
	s.board.post(s.talk.messages, statusStable, true)
}

// notify makes follow call look.
func (s *Session) notify() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// dirtied makes follow read the screen.
func (s *Session) dirtied() {
	s.mu.Lock()
	s.dirty = true
	s.mu.Unlock()
	s.notify()
}
