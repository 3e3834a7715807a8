package client

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/session"
)

// managed is a management server, or, for one stream, a session of it.
type managed struct {
	server   *management.Server
	follower *management.Follower // nil: each connection is one of its own
}

// Start says how to start a session of a management server.
type Start = management.Start

// ManyAgents reports that the URL of a management server does not say which of its machines is
// meant.
type ManyAgents = management.ManyAgents

// NoSession reports that a machine of a management server has no such session.
type NoSession = management.NoSession

func (m managed) sessions(ctx context.Context) ([]Session, error) {
	list, err := m.server.List(ctx)
	if err != nil {
		return nil, err
	}
	found := []Session{}
	for _, e := range list {
		s := session.Session{
			ID: e.SessionID, Title: e.SessionName + " on " + e.Agent, StartedAt: management.StartedAt(e.SessionID),
			Cols: e.Cols, Rows: e.Rows, Agents: []session.Agent{},
		}
		if e.Command != "" {
			s.Command = []string{e.Command}
		}
		found = append(found, Session{Session: s})
	}
	slices.SortStableFunc(found, func(a, b Session) int { return cmp.Compare(b.ID, a.ID) })
	return found, nil
}

func (m managed) connect(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
	f := m.follower
	if f == nil {
		f = m.server.Follow(ref, nil)
	}
	return f.Connect(ctx)
}

func (m managed) follow(ref string, o AttachOptions) place {
	return managed{m.server, m.server.Follow(ref, o.Start)}
}
