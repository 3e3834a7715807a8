package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// ErrRuns reports that a session is still being recorded, and will be sent when it has ended.
var ErrRuns = errors.New("it is being recorded; it is sent when it has ended")

const (
	// beatTime is the interval at which live sessions are reported to the server, which waits
	// longer before it considers one over.
	beatTime = 30 * time.Second
	// refusedTime is how long a session is not sent after the server has refused it.
	refusedTime = time.Minute
)

// sentLive is what was sent of a live session.
type sentLive struct {
	look     string    // state of its description
	revision int64     // revision of its entries
	told     time.Time // time when it was last reported as live
	later    time.Time // it was refused, and is not sent until then
}

// settled reports whether an entry can be sent while its session is live. One that still grows may
// end within a secret, which is recognised only when it is complete.
func settled(e *session.Entry) bool {
	return e.Status != session.StatusStreaming && (e.Tool == nil || e.Tool.Status != session.ToolRunning)
}

// keep leaves entries that change again as they are on the server.
func (c *content) keep(had map[string][8]byte) {
	for id := range c.open {
		if sum, ok := had[id]; ok {
			var whole [32]byte
			copy(whole[:], sum[:])
			c.sums[id] = whole
		}
	}
}

// News returns the live sessions of which SendLive has something to send. There are none unless the
// rules allow it. A command that a program runs is sent only when it has ended.
func (s *Syncer) News(ctx context.Context) (infos []*store.Info, err error) {
	if !s.Rules.Live {
		return nil, nil
	}
	live, err := s.Store.Sessions(ctx, store.Filter{Live: true})
	for _, info := range live {
		if info.Process != "" || info.Private || !s.Rules.Sends(info) {
			continue
		}
		if last := s.running[info.ID]; last == nil || last.due(s.liveLook(info), info.Revision) {
			infos = append(infos, info)
		}
	}
	return infos, err
}

// due reports whether something of a session in this state must be sent.
func (l *sentLive) due(look string, revision int64) bool {
	now := time.Now()
	return now.After(l.later) && (l.look != look || l.revision != revision || now.Sub(l.told) >= beatTime)
}

// liveLook returns the state of a session without its entries.
func (s *Syncer) liveLook(info *store.Info) string {
	text, _ := json.Marshal([]any{info.Session, info.Name, info.Note, info.Tags, s.Rules.spaceOf(info)}) // plain values
	return sumOf(text)
}

// SendLive sends what is new in the conversation of a live session. Send sends the rest when it has
// ended.
func (s *Syncer) SendLive(ctx context.Context, info *store.Info) error {
	if s.running == nil {
		s.running = map[string]*sentLive{}
	}
	last, now := s.running[info.ID], &sentLive{look: s.liveLook(info), revision: info.Revision}
	if last != nil && last.look == now.look && time.Since(last.told) < beatTime {
		now.told = last.told
	}
	delete(s.running, info.ID) // after an error it is unknown what was sent
	err := s.sendLive(ctx, info, now)
	if err == nil {
		s.running[info.ID] = now
	} else if _, passing := Passing(err); !passing && !isConflict(err) && ctx.Err() == nil &&
		!errors.Is(err, session.ErrBusy) {
		s.running[info.ID] = &sentLive{later: time.Now().Add(refusedTime)}
	}
	return err
}

// sendLive reports a session as live, unless it was reported recently, and sends its new entries.
func (s *Syncer) sendLive(ctx context.Context, info *store.Info, now *sentLive) error {
	l, err := s.masked(ctx)
	if err != nil {
		return err
	}
	p, err := s.push(ctx, info)
	if err != nil {
		return err
	}
	c, err := read(ctx, l, info, s.Home, "")
	if err != nil {
		return err
	}
	if been := s.Rules.stray(c.visits, s.Home); been != "" {
		if p.Remote != "" { // the server has part of a session that must not be sent
			err = s.Withdraw(ctx, info.ID)
		}
		return errors.Join(fmt.Errorf("%w: it was in %s", ErrOutside, been), err)
	}
	have := team.State{Version: p.Entries}
	if now.told.IsZero() {
		if have, err = s.open(ctx, c, &p); err != nil {
			return errors.Join(err, s.Store.SavePush(context.WithoutCancel(ctx), info.ID, p))
		}
		now.told = time.Now()
	}
	if err := s.sendNew(ctx, c, &p, have.Version); err != nil {
		return err
	}
	if err := s.Store.SavePushedEntries(ctx, info.ID, c.sums); err != nil {
		return err
	}
	p.Digest = c.digest
	return s.Store.SavePush(ctx, info.ID, p)
}
