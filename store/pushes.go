package store

import (
	"time"
)

// Push is the state of sending a session to a team's server. It is saved before something is sent
// and after the server has accepted it, so that sending can resume after it was killed or an answer
// was lost.
type Push struct {
	Server   string    `json:"server,omitempty"`   // its URL
	Remote   string    `json:"remote,omitempty"`   // the session's id on the server
	Machine  string    `json:"machine,omitempty"`  // this machine's name on the server
	Version  int64     `json:"version,omitempty"`  // of the description
	Entries  int64     `json:"entries,omitempty"`  // version of the entries on the server
	Next     int64     `json:"next,omitempty"`     // version of the entries that are being sent
	Segments []string  `json:"segments,omitempty"` // SHA-256 of the segments that were sent or are being sent
	Digest   string    `json:"digest,omitempty"`   // digest of the entries on the server
	Events   int64     `json:"events,omitempty"`   // number of raw events on the server
	Seen     string    `json:"seen,omitempty"`     // state of the session when all of it had been sent
	Sent     time.Time `json:"sent,omitzero"`      // time when all of it had been sent
	Compared time.Time `json:"compared,omitzero"`  // time when the server was last asked whether it still has the session
	Waits    time.Time `json:"waits,omitzero"`     // since when it waits to be sent; zero if it does not wait
	Failed   string    `json:"failed,omitempty"`   // the error because of which it waits
	Never    bool      `json:"never,omitempty"`    // excluded from sending
	Deleted  bool      `json:"deleted,omitempty"`  // refused by the server since it was deleted there
}
