package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// insideKey is the key of a connection's context under which a func() bool reports whether the
// client runs inside a recorded session.
type insideKey struct{}

// connContext lets all requests of a connection share one search for the client, which takes long.
func (s *Server) connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, insideKey{}, sync.OnceValue(func() bool {
		return s.findInside(c.RemoteAddr().String(), c.LocalAddr().String())
	}))
}

// inside reports whether the client runs inside a recorded session. Sessions refuse programs inside
// them on their own (protocol.Link). Here such programs are refused what would lead them out of the
// session.
func (s *Server) inside(r *http.Request) bool {
	if found, ok := r.Context().Value(insideKey{}).(func() bool); ok {
		return found()
	}
	here, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if here == nil {
		return s.Inside != nil
	}
	return s.findInside(r.RemoteAddr, here.String())
}

// findInside looks for the client of a connection, of which it knows both addresses.
func (s *Server) findInside(there, here string) bool {
	if s.Inside == nil {
		return false
	}
	client, err := netip.ParseAddrPort(there)
	if err != nil {
		return true
	}
	server, err := netip.ParseAddrPort(here)
	if err != nil {
		return true
	}
	return s.Inside(client, server)
}

// errInsideChange refuses a change of what is recorded to programs inside sessions: it may be the
// record of what they did.
var errInsideChange = problem(http.StatusForbidden, "not_allowed", "a program inside a recorded session may not change what is recorded")

// errInside refuses new terminals to programs inside sessions, where they could do what they may
// not do inside.
var errInside = problem(http.StatusForbidden, "not_allowed", "a program inside a recorded session may not start another one here")
