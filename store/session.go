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
	Live        = "live"        // being recorded
	Ended       = "ended"       // its end was recorded
	Interrupted = "interrupted" // its recorder died before it recorded the end
)

// Info is a stored session.
type Info struct {
	session.Session

	Status      string        // Live, Ended or Interrupted
	Prompt      string        // beginning of the first prompt, or empty
	Messages    int           // number of entries that are messages
	Turns       int           // number of messages of the user
	RawBytes    int64         // output bytes in the raw log
	StoredBytes int64         // bytes that the raw log takes in the database
	Duration    time.Duration // time of the last event of the raw log
	Name        string        // set by the user; Title is then the same
	Tags        []string      // set by the user, sorted
	Note        string        // set by the user
	Owner       string        // in a team's database: the owner's name
	Space       string        // in a team's database: its members can read the session; if empty, only the owner can
	ForkedFrom  string        // in a team's database: the session that this is a continued copy of
	ContinuedBy []string      // ids of the sessions that continue its conversation, oldest first
	Beside      bool          // described by its journal only, as the database cannot be written or read now
	Sent        time.Time     // when the server of a team had all of its current state; zero if it lacks something
	Revision    int64         // increases when entries or the raw log are replaced
	Hidden      bool          // this user may not read its journals, so it may be live or longer
	Unread      bool          // its raw log may hold more entries: MarkRead was not called at its end

	Key     int64         // its primary key in SQLite, else 0
	ReadEnd time.Duration // the time up to which the raw log has been extracted
}

// Recorded reports whether there is a raw log. A session from an agent's own log has none. Neither
// has a team's session if its raw log was not sent.
func (i *Info) Recorded() bool { return i.Session.Recorded() && (i.Owner == "" || i.StoredBytes > 0) }

// NewID returns an id for a new session: a UUIDv7, so that ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// MaxTag is the maximum length of a tag, in characters.
const MaxTag = 64

// CheckTag returns an error unless tag is one word of at most MaxTag characters without commas and
// control characters.
func CheckTag(tag string) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ',' }
	if tag == "" || !utf8.ValidString(tag) || utf8.RuneCountInString(tag) > MaxTag || strings.ContainsFunc(tag, odd) {
		return fmt.Errorf("invalid tag %q: a tag is one word of at most %d characters, without commas", tag, MaxTag)
	}
	return nil
}
