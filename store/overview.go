package store

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Overview is the JSON that the command line and the API write for a session: its description and
// what the database knows about it. Duration is in seconds; the other fields are as in Info.
type Overview struct {
	session.Session
	Status      string     `json:"status"`
	Joinable    bool       `json:"joinable,omitempty"`   // command line only: it is live, and attach and send can reach it
	Attachable  *bool      `json:"attachable,omitempty"` // API only, where it is always set: likewise
	State       any        `json:"state,omitempty"`      // API only: the protocol.State of a live session
	Prompt      string     `json:"prompt,omitempty"`
	Name        string     `json:"name,omitempty"`
	Messages    int        `json:"messages"`
	Turns       int        `json:"turns"`
	RawBytes    int64      `json:"raw_bytes"`
	StoredBytes int64      `json:"stored_bytes"`
	Duration    float64    `json:"duration"`
	Tags        []string   `json:"tags,omitempty"`
	Note        string     `json:"note,omitempty"`
	Owner       string     `json:"owner,omitempty"`       // only of a team's session
	Space       string     `json:"space,omitempty"`       // likewise
	ForkedFrom  string     `json:"forked_from,omitempty"` // likewise
	ContinuedBy []string   `json:"continued_by,omitempty"`
	SentAt      *time.Time `json:"sent_at,omitempty"` // missing unless a team's server has received all of it
	Usage       any        `json:"usage,omitempty"`   // tokens, as summed up by internal/usage; missing if unknown
}

// Overview returns the session for JSON: with empty arrays instead of null, and without Joinable,
// Attachable and State, which only the user's machine knows.
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
		RawBytes: i.RawBytes, StoredBytes: i.StoredBytes, Duration: i.Duration.Seconds(), Tags: i.Tags, Note: i.Note,
		Owner: i.Owner, Space: i.Space, ForkedFrom: i.ForkedFrom, ContinuedBy: i.ContinuedBy, SentAt: sent,
	}
}
