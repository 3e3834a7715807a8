// Package team has the messages between the server of a team and the machines that send it their
// sessions: JSON over HTTP. A machine first makes a session known (PUT /api/push/ID, a Begin), and
// learns how much of it the server has (a State). Then it sends the segments of the raw log that
// are missing, the entries that are new or changed (POST /api/push/ID/entries, Batches), and has
// the server compare what it has with what was sent (POST /api/push/ID/end, an End).
//
// Digests are SHA-256 in hexadecimal. Both sides ignore fields that they do not know.
package team

import (
	"encoding/json"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Begin makes a session known, or changes what is known of it.
type Begin struct {
	Content *Content        `json:"content,omitempty"` // what the machine has; nil: the session runs
	Live    bool            `json:"live,omitempty"`    // the session runs
	Machine string          `json:"machine"`           // names the sender, for this session only
	Name    string          `json:"name"`              // the user's
	Note    string          `json:"note"`              // the user's
	Session session.Session `json:"session"`
	Space   string          `json:"space"` // whose members read it; empty: only the owner
	Tags    []string        `json:"tags"`
	Usage   []session.Usage `json:"usage"`
	Version int64           `json:"version"` // grows with each Begin of the machine
}

// Content is what a machine has of a session.
type Content struct {
	Digest   string `json:"digest"`   // of the entries
	Entries  int64  `json:"entries"`  // how many
	Events   int64  `json:"events"`   // of the raw log
	Segments string `json:"segments"` // the digest of the segments' digests
}

// State is how much of a session the server has. It answers Begin, and a segment that does not
// continue what the server has.
type State struct {
	Deleted bool   `json:"deleted"` // the team has deleted the session: it is not taken again
	Version int64  `json:"entries_version"`
	Equal   bool   `json:"equal"`  // another machine has sent the same: there is nothing to send
	Events  int64  `json:"events"` // of the raw log
	ID      string `json:"id"`     // the session's id on the server
	SHA256  string `json:"sha256"` // the digest of the last segment; empty: there is none
}

// Batch is a set of changes to a session's entries.
type Batch struct {
	Version int64             `json:"version"`        // of the entries, when the server has this Batch
	After   int64             `json:"after"`          // the version that the server has
	Entries []json.RawMessage `json:"entries"`        // each a session.Entry; its digest is that of these bytes
	Gone    []string          `json:"gone,omitempty"` // ids of entries that were taken back
	All     bool              `json:"all"`            // the entries that the server has are replaced
}

// End says what a machine has of a session that is over.
type End struct {
	Digest   string     `json:"digest"` // of the entries
	EndedAt  *time.Time `json:"ended_at"`
	Entries  int64      `json:"entries"` // how many
	Events   int64      `json:"events"`  // of the raw log
	ExitCode *int       `json:"exit_code"`
}

// Check asks which sessions the server has otherwise than the machine believes (POST
// /api/push/check).
type Check struct {
	Sessions []Copy `json:"sessions"`
}

// Copy is what a machine believes that the server has of a session.
type Copy struct {
	ID     string `json:"id"` // on the server
	Events int64  `json:"events"`
	Digest string `json:"digest"` // of the entries
}

// Checked answers Check.
type Checked struct {
	Deleted []string `json:"deleted"` // ids of sessions that the team has deleted
	Differ  []string `json:"differ"`  // ids of sessions to send again
}

// Policy says what machines take out before they send, and the limits of what they send (GET
// /api/push/policy).
type Policy struct {
	MaxBytes       int       `json:"max_bytes"`       // of a segment, and of a Batch
	MaxDescription int       `json:"max_description"` // bytes of Begin, Check and End
	MaxEntries     int       `json:"max_entries"`     // of a Batch
	Patterns       []Pattern `json:"patterns"`
	Version        string    `json:"version"` // of the server's ptyrec
}

// Pattern is a secret to take out.
type Pattern struct {
	Name   string `json:"name"`
	Regexp string `json:"regexp"` // in RE2 syntax; its first group, if it has one that matched, is the secret
}

// Share asks for a link to a session (POST /api/sessions/ID/links).
type Share struct {
	Anyone  bool  `json:"anyone"`  // works without a token, too
	Seconds int64 `json:"seconds"` // how long it is valid
}

// Link answers Share.
type Link struct {
	Anyone  bool      `json:"anyone"`
	Expires time.Time `json:"expires_at"`
	Path    string    `json:"path"` // on the server
}

// Revoked answers a request that makes all links to a session void (DELETE
// /api/sessions/ID/links).
type Revoked struct {
	Revoked int `json:"revoked"` // how many there were
}

// Login asks to let a machine in (POST /api/logins).
type Login struct {
	Hash string `json:"hash"` // the SHA-256 of the machine's token
	Name string `json:"name"` // the machine's
}

// Usage is what sessions used of models (GET /api/usage).
type Usage struct {
	Usage []Used `json:"usage"`
}

// Used is what a session used.
type Used struct {
	Session string `json:"session"` // the session's id
	Cwd     string `json:"cwd"`
	session.Usage
}

// Refusal answers a request that the server does not fulfil.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"` // for people
}
