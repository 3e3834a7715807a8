package agentimport

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// name is an agent's own id of a conversation. It may not be unique: a log may be copied, and
// agents have reused ids.
type name struct{ agent, id string }

// moved identifies a conversation independently of its path.
type moved struct {
	name
	started int64 // nanoseconds since 1970
}

// nameOf returns the agent's id of the conversation, or else the name of its log.
func nameOf(c *conversation) name {
	return name{c.log.Agent, cmp.Or(c.facts.ID, filepath.Base(c.log.Path))}
}

// logID returns the unique id of a log: the agent's id of the conversation, with the path added if
// another existing log has the same id.
func (im *Importer) logID(c *conversation) string {
	n := nameOf(c)
	if path, taken := im.holders[n]; taken && path != c.log.Path && im.present[path] {
		return n.id + "\n" + c.log.Path
	}
	im.holders[n] = c.log.Path
	return n.id
}

// ownSession returns the id of the session that an earlier import created for the log, or "". If
// the log was moved, it has another path, but its conversation has the same start.
func (im *Importer) ownSession(c *conversation, started time.Time) string {
	n := nameOf(c)
	if id := im.ofPath[n][c.log.Path]; id != "" {
		return id
	}
	m := moved{n, nanos(started)}
	gone := im.gone[m]
	if len(gone) == 0 {
		return ""
	}
	im.gone[m] = gone[1:] // no other log may use it
	return gone[0]
}

// note registers the session of a log as present in the database.
func (im *Importer) note(sess *session.Session) {
	n := name{sess.Source.Agent, sess.Source.ID}
	if im.present[sess.Source.Path] {
		if im.ofPath[n] == nil {
			im.ofPath[n] = map[string]string{}
		}
		im.ofPath[n][sess.Source.Path] = sess.ID
	} else {
		m := moved{n, nanos(sess.StartedAt)}
		im.gone[m] = append(im.gone[m], sess.ID)
	}
	r := im.relativesOf(sess)
	r.stored = append(r.stored, sess.ID)
}
