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

// Options say how a session is shown. Their zero value shows one that is over, or that nobody may
// type into.
type Options struct {
	Type     string           // of the agent, one of Types
	Sender   Sender           // nil: nobody may type
	Markdown bool             // messages are Markdown, not plain text
	Tools    bool             // messages have a line for each tool call
	Banner   Banner           // nil: message 0 is made of the entries
	Entries  []*session.Entry // that are there already
	Start    Start
	Redact   *redact.Redactor // hides secrets in what is read off the screen; nil: hides nothing
	Log      *slog.Logger     // nil: slog.Default()
}

// Banner returns what the screen of an agent that has just started shows besides its input box. It
// may be called concurrently.
type Banner func(s *vterm.Snapshot, agent string) string

// Start is what is done once the agent is ready.
type Start struct {
	Prompt string                // the first prompt; empty: none
	Load   func() (State, error) // of an earlier run; nil: there was none
}

const (
	idleTime    = 30 * time.Millisecond   // an agent must be idle for that long; the session's log has waited already
	openTime    = 2 * time.Second         // the same if its reply seems unfinished
	reactTime   = 1500 * time.Millisecond // the longest that an agent takes to show that it works
	sureTime    = 10 * time.Second        // the same if it is certain to work
	repliedTime = 500 * time.Millisecond  // age of a reply that came at once
	outputTime  = 400 * time.Millisecond  // the same of what a command has printed
	stillTime   = 2 * time.Second         // the screen of an unknown program must not change for that long
	startTime   = 10 * time.Second        // the same if the program should be an agent, and is not yet known
	sendTime    = 30 * time.Second        // limit for a Sender
	lookTime    = 50 * time.Millisecond   // the shortest pause between two looks at a screen that changes
	lookPause   = 4                       // and its length as a multiple of the last look's
)

// Session is a session as clients of agentapi see it. It may be used concurrently.
type Session struct {
	Options
	board  *board
	stop   context.CancelFunc
	ctx    context.Context //nolint:containedctx // of the goroutines
	run    sync.WaitGroup
	kick   chan struct{}
	ended  chan struct{} // closed when the session is over
	status int           // of its command; holds when ended is closed

	mu       sync.Mutex // guards the fields below
	talk     talk
	page     *page
	dirty    bool          // whether there was output since the last look at the screen
	looked   time.Time     // time of the last look
	took     time.Duration // duration of the last look
	shown    string        // the screen at the last look
	changed  time.Time     // time of the last look that found another screen
	idleAt   time.Time     // when the agent was first seen idle
	sending  *turn         // a prompt that is on its way
	await    awaiting
	greeted  bool   // message 0 is the agent's banner
	ready    bool   // the agent was ready once, and what had to wait for that is done
	starting bool   // it is being done
	prompt   string // the first prompt
	sent     bool   // it was
	loading  bool   // the state of an earlier run is still to be read
	over     bool
}

// awaiting is a wait for the agent's reaction to what was typed.
type awaiting struct {
	since time.Time // zero: nothing is awaited
	from  time.Time // entries that were first seen since then are the reaction
	sure  bool      // the agent will react: it was seen at work, or what was typed is a prompt
}

// Follow shows a live session until it ends or Close is called. It reads the stream, which must
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
		s.look(time.Now()) // so that the first client finds them
		s.look(time.Now())
	}
	s.run.Go(func() { s.follow(events) })
	return s
}

// Past shows a session that is over.
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

// Close ends the following, not the session. Further calls do nothing.
func (s *Session) Close() {
	s.stop()
	s.run.Wait()
}

// isOver reports whether the session is over, or cannot be reached.
func (s *Session) isOver() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Ended returns a channel that is closed when the session is over, or cannot be reached.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// ExitStatus returns the exit status of the session's command, once Ended is closed; -1 if it is
// not known.
func (s *Session) ExitStatus() int { return s.status }

// Screen returns the text of the screen, with secrets covered.
func (s *Session) Screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.covered(s.page.screen())
}

// covered covers the secrets on a screen.
func (s *Session) covered(screen string) string {
	return strings.Join(s.Redact.Cover(strings.Split(screen, "\n")), "\n")
}

// Warn tells clients of an error that belongs to no request.
func (s *Session) Warn(message string) { s.board.fail("warning", message, time.Now()) }

// follow takes the events of the stream until it ends.
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

// take takes an event, and those that wait behind it.
func (s *Session) take(e client.Event, events <-chan client.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range cap(events) {
		s.takeOne(e)
		select {
		case next, ok := <-events:
			if !ok {
				return // read again by follow
			}
			e = next
		default:
			return
		}
	}
	s.takeOne(e)
}

// takeOne takes an event. The caller holds s.mu.
func (s *Session) takeOne(e client.Event) {
	now := time.Now()
	switch e := e.(type) {
	case client.Connected:
		if s.talk.state.State == "" && e.State.State != "" { // its entries may not be stored yet
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

// look makes the status and the messages of what is known. It returns when to call it again;
// 0: at the next event.
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

// lookAtScreen looks whether the screen has changed, if anybody wants to know. The caller holds
// s.mu.
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
			return // not taken yet
		}
		if prompt.Takes(s.Type) && !s.ready {
			return // what it shows before it is recognised is half of its banner
		}
		u.text, u.plain = s.Redact.Text(s.page.text(), nil), !u.fixed
		s.talk.answer(u, nil, now)
	}
}

// greet makes message 0 of what the agent shows when it has started. If it was started by a
// message, in a shell, that message's reply is no longer what the screen shows. The caller holds
// s.mu.
func (s *Session) greet(now time.Time) {
	first := s.talk.turns[0]
	switch {
	case s.talk.state.State == "":
		s.greeted = false // the next one is another
		return
	case s.greeted, first.fixed:
		return
	}
	s.greeted = true
	last := s.talk.turns[len(s.talk.turns)-1] // what was read off the screen for it was the agent's
	last.text, last.plain = "", false
	if s.Banner != nil && len(s.talk.turns) == 1 {
		first.text = s.Redact.Text(s.Banner(s.page.term.Snapshot(), s.talk.state.Agent), nil)
	}
	s.talk.read(now)
}

// stable reports whether the session waits for a prompt. The caller holds s.mu.
func (s *Session) stable(now time.Time, next *due) bool {
	state := s.talk.state
	switch {
	case s.sending != nil || s.starting:
		return false
	case s.talk.agent && state.State == "" || state.State == "busy":
		return false
	case state.State == "":
		return s.still(now, next)
	case s.awaits(now, next), !s.talk.again.IsZero(): // or a prompt is still to be shown
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

// awaits reports whether the agent is still to react to what was typed. The caller holds s.mu.
func (s *Session) awaits(now time.Time, next *due) bool {
	if s.await.since.IsZero() {
		return false
	}
	late := s.await.since.Add(reactTime)
	if s.await.sure {
		late = s.await.since.Add(sureTime)
	}
	for _, e := range s.talk.entries {
		if s.talk.first[e.ID].Before(s.await.from) { // numbers change when entries come between
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

// still reports whether the screen of an unknown program shows something that has not changed for a
// while. The caller holds s.mu.
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

// end notes that the session is over.
func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.over = true
	s.talk.read(now.Add(settled))
	s.board.paint(s.covered(s.page.screen()))
	s.board.post(s.talk.messages, statusStable, true)
}

// notify makes follow look.
func (s *Session) notify() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// dirtied makes follow look at the screen.
func (s *Session) dirtied() {
	s.mu.Lock()
	s.dirty = true
	s.mu.Unlock()
	s.notify()
}
