package team

import "net/http"

// Transport has fn send the requests to a server; next sends one.
func (s *Server) Transport(fn func(r *http.Request, next http.RoundTripper) (*http.Response, error)) {
	s.http.Transport = transport(fn)
}

type transport func(r *http.Request, next http.RoundTripper) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t(r, http.DefaultTransport)
}
