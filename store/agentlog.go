package store

import (
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// KnownLog is an agent's log that was read.
type KnownLog struct {
	ID      string // as in AgentLog
	State   string // of its files, then
	Session string // id of the session that has what was said
}

// AgentLog is what an agent logged of a conversation, on its way into the database.
type AgentLog struct {
	Agent       string
	ID          string // tells the log from all others of the agent, also when it was moved
	Path, State string
	Was         string // what ID was when the log with this path was read before, if it was another
	// Session describes the conversation. nil: other sessions have all of it. It has an id that is
	// the same each time.
	Session *session.Session
	Active  time.Duration // without pauses
	Entries iter.Seq2[*session.Entry, error]
	// Of has what was used, by the ids of the recorded sessions that have the conversation; "" is
	// Session.
	Of map[string][]session.Usage
	// Recorded is the id of another session that has the conversation: one that was recorded, or
	// that of a log with a copy. It is needed without Session.
	Recorded string
	// Parts are the paths of logs that an older program has read as conversations of their own, and
	// that are parts of this one.
	Parts []string
}

// Said is a message of the user or of an agent.
type Said struct {
	At   time.Time
	Role string
	Text string // its beginning
}

// Visit is a folder that an entry names.
type Visit struct {
	Folder string
	Shown  bool // by an agent on the screen, maybe shortened; else a shell command was started there
}
