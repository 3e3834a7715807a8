package agentimport

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// name is an agent's own id of a conversation. It need not be unique: a log may be copied, and
// agents have used ids again.
type name struct{ agent, id string }

// stored is a session of a log that the database has.
type stored struct {
	id      string
	path    string // of the log
	started time.Time
}

// nameOf returns the agent's id of the conversation, or what stands for it.
func nameOf(c *conversation) name {
	return name{c.log.Agent, cmp.Or(c.facts.ID, filepath.Base(c.log.Path))}
}

// logID returns what tells the log from all others of the agent: the agent's id of the conversation
// or, if another log that is still there has the same, that with the path.
func (im *Importer) logID(c *conversation) string {
	n := nameOf(c)
	if path, taken := im.holders[n]; taken && path != c.log.Path && im.present[path] {
		return n.id + "\n" + c.log.Path
	}
	im.holders[n] = c.log.Path
	return n.id
}

// ownSession returns the session that an earlier import made of the log, or nil. If the log was
// moved, its path is another one, and its conversation begins at the same time.
func (im *Importer) ownSession(c *conversation, started time.Time) *stored {
	n := nameOf(c)
	all := im.stored[n]
	for i := range all {
		if all[i].path == c.log.Path {
			return &all[i]
		}
	}
	for i := range all {
		if !im.present[all[i].path] && all[i].started.Equal(started) {
			all[i].path = c.log.Path // no other log has it
			return &all[i]
		}
	}
	return nil
}

// note adds a session of a log to those that the database has.
func (im *Importer) note(sess *session.Session) {
	n := name{sess.Source.Agent, sess.Source.ID}
	im.stored[n] = append(im.stored[n], stored{sess.ID, sess.Source.Path, sess.StartedAt})
	r := im.relativesOf(sess)
	r.stored = append(r.stored, sess.ID)
}
