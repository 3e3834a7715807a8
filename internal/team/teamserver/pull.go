package teamserver

import (
	"encoding/binary"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/store"
)

// Limits of one response.
const (
	maxSegments = 8 << 20 // in bytes; no further segment is added beyond this size
	maxUsageOf  = 100     // number of sessions
)

// Pull is the API for what ptyrec reads on other machines in addition to the API of every server:
// raw logs with times, and usage. Its access is server.ShowSessions.
type Pull struct{ *Push }

// NewPull returns the API for what other machines read.
func NewPull(p *Push) *Pull { return &Pull{p} }

// Routes implements server.Handlers.
func (p *Pull) Routes() map[string]http.Handler {
	return map[string]http.Handler{"GET /api/sessions/{id}/segments": p.handle(p.segments),
		"GET /api/usage": p.handle(p.usage)}
}

func (p *Pull) handle(h func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			p.fail(w, r, err)
		}
	})
}

// number parses a parameter that is at least 0; the default is 0.
func number(q url.Values, name string) (n int64, err error) {
	if text := q.Get(name); text != "" {
		if n, err = strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
			return 0, bad("%s must be at least 0", name)
		}
	}
	return n, nil
}

// segments responds with segments of the raw log, each preceded by its length in 4 bytes.
func (p *Pull) segments(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	event, err := number(q, "event")
	if err != nil {
		return err
	}
	at, err := number(q, "at")
	if err != nil {
		return err
	}
	offset, err := number(q, "offset")
	if err != nil {
		return err
	}
	info, err := p.store.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	body := []byte{}
	for len(body) < maxSegments {
		seg, ok, err := p.store.NextSegment(r.Context(), info.ID, event, store.From{At: time.Duration(at), Offset: offset})
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		body = binary.BigEndian.AppendUint32(body, uint32(len(seg.Data))) //nolint:gosec // at most 4 MiB
		body = append(body, seg.Data...)
		event = seg.EndEvent
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body) // an error means that the client is gone
	return nil
}

// usage responds with the usage of some sessions.
func (p *Pull) usage(w http.ResponseWriter, r *http.Request) error {
	ids := r.URL.Query()["session"]
	if len(ids) > maxUsageOf {
		return bad("more than %d sessions", maxUsageOf)
	}
	for _, id := range ids {
		if !isEntryID(id) {
			return bad("invalid id")
		}
	}
	used, err := p.store.UsageOf(r.Context(), append([]string{}, ids...))
	if err != nil {
		return err
	}
	list := make([]team.Used, len(used))
	for i, u := range used {
		list[i] = team.Used{Session: u.Session, Cwd: u.Cwd, Usage: u.Usage}
	}
	writeJSON(w, http.StatusOK, team.Usage{Usage: list})
	return nil
}
