package agentapi

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

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
