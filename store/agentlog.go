package store

import (
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// KnownLog describes an agent's log that was imported before.
type KnownLog struct {
	ID      string // as in AgentLog
	State   string // of its files when they were read
	Session string // id of the session that holds the conversation
}

// AgentLog is a conversation read from an agent's log, to be added to the database.
type AgentLog struct {
	Agent       string
	ID          string // unique among the agent's logs, and the same after the log was moved
	Path, State string
	Was         string // the ID under which this path was imported before, if it was another
	// Session describes the conversation. Its id is the same on each import. It is nil if other
	// sessions hold all of the conversation.
	Session *session.Session
	Active  time.Duration // duration without pauses
	Entries iter.Seq2[*session.Entry, error]
	// Of is the usage by id of the recorded session that holds the conversation; "" is Session.
	Of map[string][]session.Usage
	// Recorded is the id of another session that holds the conversation: a recorded one, or one
	// from a log that contains a copy. It must be set if Session is nil.
	Recorded string
	// Parts are the paths of logs that belong to this conversation, but that an older version of
	// the program imported as conversations of their own.
	Parts []string
}

// Said is a message of the user or of an agent.
type Said struct {
	At   time.Time
	Role string
	Text string // the beginning of the message
}

// Visit is a folder that an entry mentions.
type Visit struct {
	Folder string
	Shown  bool // the agent showed it on the screen, maybe shortened; false: a shell command was started there
}
