package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	farBehind = 256 << 10              // bytes: a viewer that is further behind gets the screen instead
	guess     = 128 << 10              // bytes of output from which a screen is made if all output would take too long
	patience  = 50 * time.Millisecond  // limit for the log to deliver them
	tryAgain  = 200 * time.Millisecond // time from a guess to the next attempt
	maxTries  = 50                     // number of these attempts
)

// screen is the session's terminal for its viewers. It may be used concurrently.
type screen struct {
	host  *Host
	mu    sync.Mutex // guards the fields below
	term  *vterm.Term
	at    place
	exact bool // not a guess
	tried time.Time
	tries int                // attempts in a row
	last  *protocol.Snapshot // newest snapshot
	taken time.Time
}

// alone makes the screen the session's only terminal, from now on.
func (s *screen) alone(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow(ctx)
	_ = s.term.TakeReplies() // the other terminal has sent these
}

// answers processes the output and returns the terminal's replies to queries in it.
func (s *screen) answers() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow(s.host.ctx)
	return s.term.TakeReplies()
}

// drop releases the screen when there are no viewers.
func (s *screen) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.host.alone.Load() {
		s.term, s.last = nil, nil
	}
}

// snapshot returns the current screen.
func (s *screen) snapshot(ctx context.Context) protocol.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.host.floods() && time.Since(s.taken) < snapshotTime {
		return *s.last // it would be out of date at once
	}
	s.follow(ctx)
	if s.last == nil || s.last.Seq != s.at.seq {
		s.taken = time.Now()
		snap := s.term.Snapshot()
		s.last = &protocol.Snapshot{Seq: s.at.seq, Cols: snap.Cols, Rows: snap.Rows, Data: s.term.Repaint()}
	}
	return *s.last
}

// read calls look with the terminal, as it is at seq.
func (s *screen) read(ctx context.Context, look func(t *vterm.Term, seq int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow(ctx)
	look(s.term, s.at.seq)
}

// beat processes the output if the screen would otherwise fall behind. It reports whether viewers
// need a new screen because theirs is a guess.
func (s *screen) beat(ctx context.Context) (renew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.term == nil {
		return false
	}
	waiting := s.host.stream.waiting(s.at.seq)
	if s.exact {
		if waiting > keepBytes/4 {
			s.follow(ctx)
		}
		return false
	}
	if waiting > farBehind || time.Since(s.tried) < tryAgain {
		return false
	}
	s.seed(ctx)
	if s.exact {
		s.tries = 0
	}
	return s.exact
}

// follow writes the session's output since the last call to the terminal.
func (s *screen) follow(ctx context.Context) {
	if s.term == nil {
		s.seed(ctx)
	}
	for {
		p := s.host.stream.next(&s.at, farBehind)
		switch {
		case p.behind || p.left > keepBytes*3/4:
			s.exact = false
			if p.behind {
				s.at.seq = p.start
			}
			s.at.seq = max(s.at.seq, s.at.seq+p.left-guess)
		case p.size != nil:
			s.term.Resize(p.size.Cols, p.size.Rows)
			s.last = nil
		case len(p.data) == 0:
			return
		default:
			for _, data := range p.data {
				s.write(data)
			}
		}
	}
}

// seed creates the terminal: a copy of the extraction's, updated with the stream. If that would
// take too long, it makes a guess from the newest output.
func (s *screen) seed(ctx context.Context) {
	s.tries++
	s.tried, s.last = time.Now(), nil
	kept, size := s.host.stream.oldest()
	s.exact = s.host.opt.Screen(s.copyOf)
	if !s.exact {
		s.term = vterm.New(vterm.Options{Cols: size.Cols, Rows: size.Rows, Scrollback: -1, Replies: true})
		s.at = place{}
	}
	s.exact = s.exact || kept <= guess
	if s.at.seq < kept-keepBytes || !s.exact {
		s.at.seq, s.exact = max(s.at.seq, kept-guess), false
	}
	if s.at.seq < kept {
		limit, stop := context.WithTimeout(ctx, patience)
		defer stop()
		s.host.settle(limit)
		s.fromPast(limit, kept)
	}
	if s.at.seq == kept {
		s.term.Resize(size.Cols, size.Rows)
	}
	s.at = s.host.stream.at(s.at.seq)
	if s.tries > maxTries {
		s.exact = true // no further attempts
	}
	if !s.exact { // a quiet session does not wake the pump
		time.AfterFunc(tryAgain, func() { notify(s.host.stream.wake) })
	}
}

// write writes output of the session to the terminal.
func (s *screen) write(data []byte) {
	if s.host.opt.Session.Piped() {
		data = session.TerminalLines(data)
	}
	_, _ = s.term.Write(data) // never fails
}

func (s *screen) copyOf(t *vterm.Term, seq int64) {
	snap := t.Snapshot()
	s.term = vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows, Scrollback: -1, Replies: true})
	_, _ = s.term.Write(t.Repaint())
	s.at = place{seq: seq}
}

// fromPast writes output from the raw log to the terminal, up to byte to.
func (s *screen) fromPast(ctx context.Context, to int64) {
	err := s.host.past(ctx, s.at.seq, func(seq int64, e session.Event) error {
		if e.Kind == session.Resize {
			s.term.Resize(e.Cols, e.Rows)
			return nil
		}
		if seq != s.at.seq {
			s.exact = false
		}
		data := e.Data[:max(0, min(int64(len(e.Data)), to-seq))]
		s.write(data)
		if s.at.seq = seq + int64(len(data)); s.at.seq >= to {
			return errEnough
		}
		return nil
	})
	if s.at.seq < to || err != nil && !errors.Is(err, errEnough) {
		s.at.seq, s.exact = to, false
	}
}

// sure reports whether the screen is exact, or not needed.
func (s *screen) sure() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term == nil || s.exact
}
