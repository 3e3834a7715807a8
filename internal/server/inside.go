package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// insideKey is the context key of a connection for a func() bool that reports whether the client
// runs inside a recorded session.
type insideKey struct{}

// connContext makes all requests of a connection share one search for the client, which takes long.
func (s *Server) connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, insideKey{}, sync.OnceValue(func() bool {
		return s.findInside(c.RemoteAddr().String(), c.LocalAddr().String())
	}))
}

// inside reports whether the client runs inside a recorded session. Sessions themselves refuse such
// programs (protocol.Link); the server refuses them what would let them act outside of the session.
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

// findInside looks up the client of a connection by the connection's two addresses.
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

// errInsideChange refuses a program inside a session to change records: they may be the record of
// what it did.
var errInsideChange = problem(http.StatusForbidden, "not_allowed",
	"a program inside a recorded session may not change what is recorded")

// errInside refuses a program inside a session to start terminals, in which it could do what it may
// not do inside.
var errInside = problem(http.StatusForbidden, "not_allowed",
	"a program inside a recorded session may not start another one here")
