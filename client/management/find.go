package management

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
)

// find finds or starts the session.
func (l *link) find() (err error) {
	f := l.f
	if f.agent == "" {
		agents, err := l.socket.agents(l.ctx, l.keep)
		if err != nil {
			return err
		}
		if f.agent, err = only(agents); err != nil {
			return err
		}
	}
	if f.own {
		if err := l.startSession(); err != nil {
			return err
		}
	}
	s, err := l.look()
	if err != nil {
		return err
	}
	if s == nil && !f.own && f.start != nil && (f.ref == wire.MainSession || f.start.Command != "") {
		f.own = true
		if err := l.startSession(); err != nil {
			return err
		}
		if s, err = l.look(); err != nil {
			return err
		}
	}
	if s == nil {
		return l.missing()
	}
	l.use(s)
	return nil
}

func (l *link) missing() error {
	f := l.f
	if f.id != "" {
		return final{fmt.Errorf("live %w: session %s has ended while there was no connection", session.ErrNotFound, f.name)}
	}
	return final{&NoSession{f.agent, f.ref, l.names}}
}

// startSession starts the session, or attaches to it if it exists.
func (l *link) startSession() error {
	f := l.f
	r, want := wire.Request{Type: "start_shell", AgentID: &f.agent}, wire.TypeShellStarted
	if f.start != nil {
		cols, rows := uint32(max(f.start.Cols, wire.MinCols)), uint32(max(f.start.Rows, wire.MinRows))
		r.Cols, r.Rows = &cols, &rows
		f.cols, f.rows = int(cols), int(rows)
	}
	if f.ref != wire.MainSession && f.start != nil {
		kind := "interactive"
		r.Type, want = "create_session", wire.TypeCreated
		r.SessionName, r.SessionType, r.Command = &f.ref, &kind, &f.start.Command
	}
	m, err := l.socket.ask(l.ctx, r, want, l.keep)
	if err == nil && m.Type == wire.TypeShellStarted {
		f.command = m.CommandID
	}
	return err
}

// look returns the session from the server's list, or nil if it is not in it.
func (l *link) look() (*wire.Session, error) {
	f := l.f
	all, err := l.socket.sessions(l.ctx, f.agent, l.keep)
	if err != nil {
		return nil, err
	}
	var started *wire.Session
	l.names = nil
	for _, s := range all[:min(len(all), 20)] {
		l.names = append(l.names, s.SessionName)
	}
	for i, s := range all {
		if s.SessionID == f.id {
			return &all[i], nil
		}
		if f.own && f.command != "" && s.CommandID == f.command {
			started = &all[i]
		}
	}
	if started != nil {
		return started, nil
	}
	tests := []func(s wire.Session) bool{
		func(s wire.Session) bool { return s.SessionName == f.ref },
		func(s wire.Session) bool { return s.SessionID == f.ref || s.CommandID == f.ref },
		func(s wire.Session) bool { return session.Matches(s.SessionID, f.ref) },
	}
	for _, is := range tests {
		var found *wire.Session
		for i, s := range all {
			if is(s) {
				if found != nil {
					return nil, final{fmt.Errorf("%w: %s", session.ErrAmbiguous, f.ref)}
				}
				found = &all[i]
			}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// use makes s the session to follow. It starts from the beginning if that is another session than
// before.
func (l *link) use(s *wire.Session) {
	f := l.f
	if f.id != "" && f.id != s.SessionID {
		f.restart()
		l.notes = append(l.notes, "session "+f.name+" has ended; this is another one of that name")
	}
	f.replayable = s.Liveness.ReplayNewestSeq != nil
	if f.shown && f.id == s.SessionID {
		return
	}
	f.id, f.command, f.name = s.SessionID, s.CommandID, s.SessionName
	if isSize(s.Cols, s.Rows) {
		f.cols, f.rows = s.Cols, s.Rows
	}
	f.began = StartedAt(s.SessionID)
}

// StartedAt returns the start time that a session's id contains, or the beginning of 1970 if it
// contains none.
func StartedAt(sessionID string) time.Time {
	if id, err := uuid.Parse(sessionID); err == nil && id.Version() == 7 {
		sec, nsec := id.Time().UnixTime()
		return time.Unix(sec, nsec).UTC()
	}
	return time.Unix(0, 0).UTC()
}
