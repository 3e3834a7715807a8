package agentimport

import (
	"context"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/session"
)

// beginning is where and when a conversation began. An agent that copies a conversation to a new
// log, when it resumes it, copies the beginning, too.
type beginning struct {
	agent, cwd string
	at         int64 // nanoseconds since 1970
}

func beginningOf(sess *session.Session) beginning {
	return beginning{sess.Source.Agent, sess.Cwd, nanos(sess.StartedAt)}
}

// relatives are the sessions of logs with the same beginning. Their entries are read only if there
// are at least two.
type relatives struct {
	stored []string // ids of sessions that were already in the database
	read   []relative
	said   map[uint64]string // ids of the sessions that contain an entry first, by the entry's sum
}

// relative is a session whose log was read in this import.
type relative struct {
	id   string
	sums []uint64
}

// relativesOf returns the relatives of a session.
func (im *Importer) relativesOf(sess *session.Session) *relatives {
	b := beginningOf(sess)
	if im.relatives[b] == nil {
		im.relatives[b] = &relatives{said: map[uint64]string{}}
	}
	return im.relatives[b]
}

// findCopies marks the entries that another session contains, with the same key, words and time.
func (im *Importer) findCopies(ctx context.Context, c *conversation, sess *session.Session) error {
	r := im.relativesOf(sess)
	if len(r.stored)+len(r.read)+len(r.said) == 0 {
		return nil
	}
	for _, id := range r.stored {
		for e, err := range im.Store.Each(ctx, id) {
			if err != nil {
				return err
			}
			im.looked++
			r.add(id, agentlog.Sum(e))
		}
	}
	for _, other := range r.read {
		for _, sum := range other.sums {
			im.looked++
			r.add(other.id, sum)
		}
	}
	r.stored, r.read = nil, nil
	for i := range c.order {
		p := &c.order[i]
		if id, known := r.said[p.sum]; known && id != sess.ID {
			p.copied, c.copiedFrom = true, id
		}
	}
	return nil
}

// keep stores what a session contains, for the logs that are read after it.
func (im *Importer) keep(c *conversation, sess *session.Session) {
	r := im.relativesOf(sess)
	var sums []uint64
	for _, p := range c.order {
		if c.has(p) {
			sums = append(sums, p.sum)
		}
	}
	r.read = append(r.read, relative{sess.ID, sums})
}

func (r *relatives) add(id string, sum uint64) {
	if _, known := r.said[sum]; !known {
		r.said[sum] = id
	}
}
