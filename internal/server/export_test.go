package server

import "time"

// SetHeaderTimeout says how long a client may take for a request's head.
func SetHeaderTimeout(s *Server, d time.Duration) { s.headerTimeout = d }

// SetMaxConnections says how many connections there may be at a time.
func SetMaxConnections(s *Server, n int64) { s.most = n }

// SetWatchTime says how often the database is asked for changes.
func SetWatchTime(s *Server, d time.Duration) { s.watch.every = d }

// SetBacklog says how much output waits for clients of a bridge session, in bytes.
func SetBacklog(s *Server, n int64) { s.bridges.backlog = n }

// Cut is where data may be cut last.
func Cut(data []byte) int { return new(cutter).safe(data) }

// Tail is the newest output as the bridge keeps it.
type Tail struct{ t tail }

// Add returns what is passed on.
func (t *Tail) Add(data []byte) []byte { return t.t.add(data) }

// Newest returns what a viewer gets who joins.
func (t *Tail) Newest() []byte { return t.t.newest() }

// Torn reports whether what was passed on ends within a sequence.
func (t *Tail) Torn() bool { return t.t.torn }
