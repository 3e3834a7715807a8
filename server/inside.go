package server

import (
	"net"
	"net/http"
	"net/netip"
)

// inside reports whether the client runs inside a recorded session. Sessions refuse programs inside
// them on their own (protocol.Link). Here such programs are refused what would lead them out of the
// session.
func (s *Server) inside(r *http.Request) bool {
	if s.Inside == nil {
		return false
	}
	here, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	client, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || here == nil {
		return true
	}
	server, err := netip.ParseAddrPort(here.String())
	if err != nil {
		return true
	}
	ids, known := s.Inside(client, server)
	return !known || len(ids) > 0
}

// errInside refuses new terminals to programs inside sessions, where they could do what they may
// not do inside.
var errInside = problem(http.StatusForbidden, "not_allowed", "a program inside a recorded session may not start another one here")
