package teamserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// policy responds with what machines must remove before they send, and with the maximum size of a
// request.
func (p *Push) policy(w http.ResponseWriter, r *http.Request) error {
	patterns, err := p.store.Patterns(r.Context())
	if err != nil {
		return err
	}
	told := team.Policy{
		Patterns: make([]team.Pattern, len(patterns)), MaxBytes: maxBody, MaxEntries: maxEntries,
		MaxDescription: maxDescription,
		Version:        buildinfo.Version(),
	}
	for i, pattern := range patterns {
		told.Patterns[i] = team.Pattern(pattern)
	}
	writeJSON(w, http.StatusOK, told)
	return nil
}

// masks caches the redaction of received data: for well-known secrets and the patterns of the
// policy.
type masks struct {
	mu   sync.Mutex // guards the fields below
	of   string     // the patterns for which last was made
	last archive.Redaction
}

// redaction returns the server's own redaction, for secrets that a sender has not removed.
func (p *Push) redaction(ctx context.Context) (archive.Redaction, error) {
	patterns, err := p.store.Patterns(ctx)
	if err != nil {
		return archive.Redaction{}, err
	}
	of := fmt.Sprint(patterns)
	p.masks.mu.Lock()
	defer p.masks.mu.Unlock()
	if p.masks.last.Redactor == nil || p.masks.of != of {
		find, err := redact.New(redact.Options{Patterns: patterns})
		if err != nil {
			return archive.Redaction{}, err
		}
		p.masks.of, p.masks.last = of, archive.Redaction{Redactor: find}
	}
	return p.masks.last, nil
}

// maskEntries removes the secrets from entries. Their digests stay those of what was sent.
func maskEntries(mask archive.Redaction, entries []postgres.Sent) {
	for i := range entries {
		entries[i].Entry = mask.Entry(entries[i].Entry, nil)
	}
}

// maskSession removes the secrets from a session's description.
func maskSession(mask archive.Redaction, o *postgres.Push) {
	t := session.Transcript{Session: o.Session}
	mask.Transcript(&t, nil)
	o.Session = t.Session
	o.Name, o.Note, o.Tags = mask.Title(o.Name, nil), mask.Title(o.Note, nil), mask.Tags(o.Tags)
}

// maxCopies is the maximum number of sessions that one call can compare.
const maxCopies = 1000

// check compares what a sender expects the server to have with what it has.
func (p *Push) check(w http.ResponseWriter, r *http.Request) error {
	body, err := p.read(w, r, maxDescription)
	if err != nil {
		return err
	}
	var o team.Check
	if err := json.Unmarshal(body, &o); err != nil {
		return bad("%v", err)
	}
	if len(o.Sessions) > maxCopies {
		return bad("more than %d sessions", maxCopies)
	}
	copies := make([]postgres.Copy, len(o.Sessions))
	for i, c := range o.Sessions {
		digest, err := hex.DecodeString(c.Digest)
		if err != nil || len(digest) != sha256.Size {
			return bad("digest must be a SHA-256 in hexadecimal")
		}
		copies[i] = postgres.Copy{ID: c.ID, Events: c.Events, Digest: [sha256.Size]byte(digest)}
	}
	differ, deleted, err := p.store.Check(r.Context(), copies)
	if err == nil {
		writeJSON(w, http.StatusOK, team.Checked{Differ: append([]string{}, differ...),
			Deleted: append([]string{}, deleted...)})
	}
	return err
}
