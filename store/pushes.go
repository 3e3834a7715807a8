package store

import (
	"time"
)

// Push is what a machine knows of a session that it sends to the server of a team. It is written
// before something is sent and after it was accepted, so that a sender that was killed, or whose
// answer was lost, can go on.
type Push struct {
	Server   string    `json:"server,omitempty"`   // its URL
	Remote   string    `json:"remote,omitempty"`   // the session's id there
	Machine  string    `json:"machine,omitempty"`  // the name under which it is sent
	Version  int64     `json:"version,omitempty"`  // of the description
	Entries  int64     `json:"entries,omitempty"`  // version of the entries that the server has
	Next     int64     `json:"next,omitempty"`     // version of those that it is about to have
	Segments []string  `json:"segments,omitempty"` // SHA-256 of the segments that the server has, or is about to have
	Digest   string    `json:"digest,omitempty"`   // of the entries that the server has
	Events   int64     `json:"events,omitempty"`   // of the raw log that the server has
	Seen     string    `json:"seen,omitempty"`     // what the session looked like when all of it had been sent
	Sent     time.Time `json:"sent,omitzero"`      // when that was
	Compared time.Time `json:"compared,omitzero"`  // when the server was asked whether it still has it
	Waits    time.Time `json:"waits,omitzero"`     // since when it waits; zero: it does not
	Failed   string    `json:"failed,omitempty"`   // why
	Never    bool      `json:"never,omitempty"`    // it is never sent
	Deleted  bool      `json:"deleted,omitempty"`  // the server does not take it any more
}
