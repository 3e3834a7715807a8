package team

import (
	"context"
	"crypto/rand"
	"encoding/json"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/store"
)

// attempts is the maximum number of attempts for a session if the server's state differs from the
// expected one, because it was restored from a backup, or a clone of this machine sends the session
// at the same time.
const attempts = 5

// send sends what the server lacks.
func (s *Syncer) send(ctx context.Context, c *content, p *store.Push) (err error) {
	for range attempts {
		if err = s.sendOnce(ctx, c, p); !isConflict(err) {
			return err
		}
		p.Digest = "" // send all entries
	}
	return err
}

// sendOnce sends what the server lacked at the start.
func (s *Syncer) sendOnce(ctx context.Context, c *content, p *store.Push) error {
	have, err := s.open(ctx, c, p)
	if err != nil || have.Equal {
		return err
	}
	if err := s.sendRaw(ctx, c, p, have); err != nil {
		return err
	}
	if err := s.sendNew(ctx, c, p, have.Version); err != nil {
		return err
	}
	if err = s.end(ctx, c, p); err == nil {
		err = s.Store.SavePushedEntries(ctx, c.info.ID, c.sums)
	}
	if err == nil {
		p.Segments = nil
		for _, seg := range c.raw.list {
			p.Segments = append(p.Segments, seg.hash())
		}
	}
	return err
}

// open registers the session on the server, and returns how much of it the server has. If it has
// everything, nothing needs to be sent.
func (s *Syncer) open(ctx context.Context, c *content, p *store.Push) (have team.State, err error) {
	p.Version++
	if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
		return have, err
	}
	if have, err = s.begin(ctx, c, p); err != nil {
		return have, err
	}
	if !have.Equal && !ours(have, p, c.raw) { // a clone of this machine sends a session with the same id
		p.Machine, p.Segments, p.Entries, p.Next, p.Digest = rand.Text(), nil, 0, 0, ""
		if have, err = s.begin(ctx, c, p); err != nil {
			return have, err
		}
	}
	p.Remote = have.ID
	if have.Deleted {
		p.Deleted, p.Sent = true, time.Time{}
		return have, ErrNever
	}
	p.Entries = max(p.Entries, have.Version)
	return have, nil
}

// sendNew sends the entries that the server lacks. have is the version of its entries.
func (s *Syncer) sendNew(ctx context.Context, c *content, p *store.Push, have int64) (err error) {
	if p.Digest == c.digest && p.Entries == have {
		return nil
	}
	had := map[string][8]byte{}
	if p.Digest != "" && p.Entries == have {
		if had, err = s.Store.PushedEntries(ctx, c.info.ID); err != nil {
			return err
		}
	}
	return s.sendEntries(ctx, c, p, have, had)
}

// ours reports whether everything on the server was sent by this machine.
func ours(have team.State, p *store.Push, raw *pieces) bool {
	return (have.Version <= p.Entries || have.Version == p.Next) &&
		(have.Events == 0 || slices.Contains(p.Segments, have.SHA256) || raw.next(have) > 0)
}

func path(p *store.Push, id, rest string) string {
	if p.Remote != "" {
		id = p.Remote
	}
	return "/api/push/" + url.PathEscape(id) + rest
}

const jsonType = "application/json"

// begin registers the session on the server.
func (s *Syncer) begin(ctx context.Context, c *content, p *store.Push) (have team.State, err error) {
	o := team.Begin{
		Session: c.session, Name: c.name, Note: c.note, Tags: c.tags, Space: s.Rules.spaceOf(c.info), Machine: p.Machine,
		Version: p.Version,
		Usage:   c.usage, Live: c.live,
	}
	if !c.live {
		o.Content = &team.Content{Events: c.raw.events(), Entries: int64(len(c.entries)), Digest: c.digest,
			Segments: c.raw.digest()}
	}
	body, err := json.Marshal(o)
	if err == nil {
		err = s.Server.call(ctx, http.MethodPut, "/api/push/"+url.PathEscape(c.info.ID), jsonType, body, &have)
	}
	return have, err
}

// sendRaw sends the segments that the server lacks. If the server has a different raw log, because
// secrets were removed from the session, it is replaced.
func (s *Syncer) sendRaw(ctx context.Context, c *content, p *store.Push, have team.State) error {
	next := c.raw.next(have)
	if next == 0 && have.Events > 0 {
		if err := s.Server.call(ctx, http.MethodDelete, path(p, c.info.ID, "/raw"), "", nil, nil); err != nil {
			return err
		}
	}
	for _, seg := range c.raw.list[next:] {
		data, err := c.raw.data(seg)
		if err != nil {
			return err
		}
		p.Segments = append(p.Segments, seg.hash())
		if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
			return err
		}
		err = s.Server.call(ctx, http.MethodPut, path(p, c.info.ID, "/raw?event="+strconv.FormatInt(seg.firstEvent, 10)),
			"application/octet-stream", data, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// Limits of the entries in one call.
const (
	maxBatch = 3 << 20 // in bytes
	maxCount = 10_000
)

// versionStep is the maximum step of the entries' version. The step is random, so that two clones
// of a machine that send the same session notice each other.
const versionStep = 1 << 20

// sendEntries sends the entries that the server lacks, judged by the truncated digests. If these
// are unknown, it sends all entries.
func (s *Syncer) sendEntries(ctx context.Context, c *content, p *store.Push, version int64,
	had map[string][8]byte) error {
	b := team.Batch{All: len(had) == 0}
	c.keep(had)
	var rest []json.RawMessage
	rest, b.Gone = c.lacking(had)
	if len(b.Gone) > maxCount { // the same limit as for entries
		b.All, b.Gone, rest = true, nil, c.entries
	}
	for first := b.All || len(b.Gone) > 0; first || len(rest) > 0; first = false {
		n, size := 0, 0
		for n < len(rest) && n < maxCount && (n == 0 || size+len(rest[n]) < maxBatch) {
			size += len(rest[n])
			n++
		}
		p.Next, p.Digest = p.Entries+1+mathrand.Int64N(versionStep), ""
		if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
			return err
		}
		b.Version, b.After, b.Entries = p.Next, version, append([]json.RawMessage{}, rest[:n]...)
		body, err := json.Marshal(b)
		if err != nil {
			return err
		}
		if err := s.Server.call(ctx, http.MethodPost, path(p, c.info.ID, "/entries"), jsonType, body, nil); err != nil {
			return err
		}
		p.Entries, version = p.Next, p.Next
		b.All, b.Gone, rest = false, nil, rest[n:]
	}
	return nil
}

// lacking returns the entries that a server lacks which has those with these truncated digests, and
// the ids of those that it has too many.
func (c *content) lacking(had map[string][8]byte) (rest []json.RawMessage, gone []string) {
	rest = make([]json.RawMessage, 0, len(c.entries))
	for i, id := range c.ids {
		sum := c.sums[id]
		if got, ok := had[id]; !ok || got != [8]byte(sum[:]) {
			rest = append(rest, c.entries[i])
		}
	}
	for id := range had {
		if _, ok := c.sums[id]; !ok {
			gone = append(gone, id)
		}
	}
	return rest, gone
}

// end completes the push: the server compares what it has received with c.
func (s *Syncer) end(ctx context.Context, c *content, p *store.Push) error {
	body, err := json.Marshal(team.End{
		EndedAt: c.session.EndedAt, ExitCode: c.session.ExitCode, Events: c.raw.events(), Entries: int64(len(c.entries)),
		Digest: c.digest,
	})
	if err == nil {
		err = s.Server.call(ctx, http.MethodPost, path(p, c.info.ID, "/end"), jsonType, body, nil)
	}
	if err == nil {
		p.Digest, p.Events = c.digest, c.raw.events()
	}
	return err
}
