package store

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Overview is a session as the command line and the API write it in JSON: its description, and what
// the database knows of it besides. Duration is in seconds; the other fields are those of Info.
type Overview struct {
	session.Session
	Status      string     `json:"status"`
	Joinable    bool       `json:"joinable,omitempty"`   // command line: it runs, and attach, send and the like reach it
	Attachable  *bool      `json:"attachable,omitempty"` // API: the same; it is always set there
	State       any        `json:"state,omitempty"`      // API: the protocol.State of a live session
	Prompt      string     `json:"prompt,omitempty"`
	Name        string     `json:"name,omitempty"`
	Messages    int        `json:"messages"`
	Turns       int        `json:"turns"`
	RawBytes    int64      `json:"raw_bytes"`
	StoredBytes int64      `json:"stored_bytes"`
	Duration    float64    `json:"duration"`
	Tags        []string   `json:"tags,omitempty"`
	Note        string     `json:"note,omitempty"`
	Owner       string     `json:"owner,omitempty"`       // of a team's session
	Space       string     `json:"space,omitempty"`       // likewise
	ForkedFrom  string     `json:"forked_from,omitempty"` // likewise
	ContinuedBy []string   `json:"continued_by,omitempty"`
	SentAt      *time.Time `json:"sent_at,omitempty"` // missing: a team's server has not got all of it
	Usage       any        `json:"usage,omitempty"`   // the tokens that were used, as internal/usage sums them up; missing if nothing is known
}

// Overview returns the session as JSON has it: empty arrays instead of null, and without what only
// its user's machine knows, that is Joinable, Attachable and State.
func (i *Info) Overview() Overview {
	s := i.Session
	if s.Agents == nil {
		s.Agents = []session.Agent{}
	}
	if s.Command == nil {
		s.Command = []string{}
	}
	var sent *time.Time
	if !i.Sent.IsZero() {
		sent = &i.Sent
	}
	return Overview{
		Session: s, Status: i.Status, Prompt: i.Prompt, Name: i.Name, Messages: i.Messages, Turns: i.Turns,
		RawBytes: i.RawBytes, StoredBytes: i.StoredBytes, Duration: i.Duration.Seconds(), Tags: i.Tags, Note: i.Note, Owner: i.Owner, Space: i.Space, ForkedFrom: i.ForkedFrom, ContinuedBy: i.ContinuedBy, SentAt: sent,
	}
}
