package store

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/session"
)

// Session states.
const (
	Live        = "live"        // somebody records it
	Ended       = "ended"       // its end was seen
	Interrupted = "interrupted" // its recorder is gone and left no end
)

// Info is a session as the store knows it.
type Info struct {
	session.Session

	Status      string        // Live, Ended or Interrupted
	Prompt      string        // the start of the first prompt; may be empty
	Messages    int           // entries that are messages
	Turns       int           // messages of the user
	RawBytes    int64         // output bytes in the raw log
	StoredBytes int64         // bytes that the raw log takes
	Duration    time.Duration // time of the last event of the raw log
	Name        string        // the user's; then Title is the same
	Tags        []string      // the user's, sorted
	Note        string        // the user's
	Owner       string        // in a team's database: whose it is
	Space       string        // likewise: whose members read it; empty: only the owner
	ForkedFrom  string        // likewise: the id that another machine's session has, of which this one is a copy that went on
	ContinuedBy []string      // ids of the sessions that continue its conversation, the oldest first
	Beside      bool          // it is not in the database, which takes nothing now: its journal is all there is
	Sent        time.Time     // when the server of a team had all of it as it was then; zero: it has not got all of it
	Revision    int64         // grows when entries or the raw log are replaced
	Hidden      bool          // this user may not read a journal of it: it may be live, and there may be more of it
	Unread      bool          // the entries may not be all that the raw log holds: MarkRead was not called for its end

	Key     int64         // its row in SQLite, else 0
	ReadEnd time.Duration // the time up to which the raw log has been extracted
}

// Recorded reports whether there is a recording: a session from an agent's own log has none, nor
// has one of a team whose raw log was not sent.
func (i *Info) Recorded() bool { return i.Session.Recorded() && (i.Owner == "" || i.StoredBytes > 0) }

// NewID returns an id for a new session: a UUIDv7, so that ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// MaxTag is the length of the longest tag, in characters.
const MaxTag = 64

// CheckTag returns an error unless tag is one word of at most 64 characters without commas and
// control characters.
func CheckTag(tag string) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ',' }
	if tag == "" || !utf8.ValidString(tag) || utf8.RuneCountInString(tag) > MaxTag || strings.ContainsFunc(tag, odd) {
		return fmt.Errorf("invalid tag %q: a tag is one word of at most %d characters, without commas", tag, MaxTag)
	}
	return nil
}
