package teamserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Limits of what machines send.
const (
	maxDescription = 256 << 10 // of a session's description, in bytes
	maxBody        = 4 << 20   // of a segment, or of the entries in a request, in bytes
	maxEntries     = 20_000    // in a request
	maxID          = 200       // length of an entry's id, in bytes
	maxText        = 256       // length of the names of machines and spaces, in bytes
	// Bodies are held in memory, so their number is limited. Further requests wait.
	maxReading = 64 // number of bodies of segments and entries that are read at the same time
	maxStoring = 16 // number of those that are stored at the same time
	// patience is how long a request waits.
	patience = 10 * time.Second
	// chunk bytes of a body must arrive in chunkTime. A slower client is disconnected.
	chunk     = 256 << 10 // in bytes
	chunkTime = 30 * time.Second
)

// Push is the API for what machines send. Its access is server.ShowSessions.
type Push struct {
	store     *postgres.Store
	log       *slog.Logger
	reading   chan struct{}
	storing   chan struct{}
	chunkTime time.Duration
	masks     masks
}

// NewPush returns the API for sending sessions to a database.
func NewPush(s *postgres.Store, log *slog.Logger) *Push {
	return &Push{store: s, log: log, reading: make(chan struct{}, maxReading), storing: make(chan struct{}, maxStoring),
		chunkTime: chunkTime}
}

// Routes implements server.Handlers.
func (p *Push) Routes() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request) error{
		"PUT /api/push/{id}": p.begin, "DELETE /api/push/{id}": p.withdraw, "PUT /api/push/{id}/raw": p.raw,
		"DELETE /api/push/{id}/raw":   p.replaceRaw,
		"POST /api/push/{id}/entries": p.entries, "POST /api/push/{id}/end": p.end,
		"GET /api/push/policy": p.policy, "POST /api/push/check": p.check,
	} {
		routes[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				p.fail(w, r, err)
			}
		})
	}
	return routes
}

// Refuse implements server.Handlers.
func (p *Push) Refuse(w http.ResponseWriter, _ *http.Request, status int, code, message string) {
	writeJSON(w, status, team.Refusal{Code: code, Message: message})
}

// errBad reports an invalid request.
var errBad = errors.New("bad request")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errBad, fmt.Sprintf(format, args...))
}

// errBusy reports that too many requests are being stored.
var errBusy = errors.New("the server is busy")

// fail responds with an error, and logs invalid requests.
func (p *Push) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, code, message := http.StatusInternalServerError, "internal", "internal error; see the server's log"
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		status, code, message = http.StatusRequestEntityTooLarge, "too_large", "the request is too large"
	case errors.Is(err, errBad):
		status, code, message = http.StatusBadRequest, "bad_request", err.Error()
	case errors.Is(err, session.ErrNotFound):
		status, code, message = http.StatusNotFound, "not_found", "no such session"
	case errors.Is(err, session.ErrForbidden):
		status, code, message = http.StatusForbidden, "forbidden", "you are not allowed to send that"
	case errors.Is(err, session.ErrFull):
		status, code, message = http.StatusInsufficientStorage, "full", "the server's disk is full"
	case errors.Is(err, errBusy), errors.Is(err, session.ErrBusy):
		w.Header().Set("Retry-After", "2")
		status, code, message = http.StatusServiceUnavailable, "unavailable", "the server is busy; try again"
	}
	p.log.WarnContext(r.Context(), "a request was refused", "session", r.PathValue("id"), "status", status, "user",
		postgres.ViewerOf(r.Context()).Name, "error", err)
	p.Refuse(w, r, status, code, message)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client is gone
}

// idOf returns the id in the path.
func idOf(r *http.Request) (string, error) {
	id := r.PathValue("id")
	u, err := uuid.Parse(id)
	if err != nil || u.String() != id {
		return "", bad("the id of a session must be a UUID in lower case")
	}
	return id, nil
}

// read reads a body of at most most bytes.
func (p *Push) read(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body := http.MaxBytesReader(w, r.Body, most)
	deadline := http.NewResponseController(w)
	var all bytes.Buffer
	// No more than the first chunk: the rest may never arrive.
	all.Grow(int(min(max(r.ContentLength, 0), chunk)) + bytes.MinRead)
	for {
		_ = deadline.SetReadDeadline(time.Now().Add(p.chunkTime)) // if it fails, the limit of the whole request applies
		n, err := io.CopyN(&all, body, chunk)
		var large *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return all.Bytes(), nil
		case errors.As(err, &large):
			return nil, err
		case err != nil:
			return nil, bad("the request ended after %d bytes", int64(all.Len()))
		case n == 0:
			return all.Bytes(), nil
		}
	}
}

// readLarge is read for a large body. It reserves a place for storing it; leave must be called
// afterwards.
func (p *Push) readLarge(w http.ResponseWriter, r *http.Request) (body []byte, leave func(), err error) {
	late, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	read, err := turn(late, p.reading)
	if err != nil {
		return nil, nil, err
	}
	if body, err = p.read(w, r, maxBody); err != nil {
		read()
		return nil, nil, err
	}
	late, cancel = context.WithTimeout(r.Context(), patience)
	defer cancel()
	store, err := turn(late, p.storing)
	if err != nil {
		read()
		return nil, nil, err
	}
	return body, func() { store(); read() }, nil
}

// turn waits for a place in turns until ctx is cancelled. leave must be called afterwards.
func turn(ctx context.Context, turns chan struct{}) (leave func(), err error) {
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// stateOf converts the state of a session for machines.
func stateOf(s postgres.State) team.State {
	return team.State{
		ID: s.ID, Events: s.Events, SHA256: hex.EncodeToString(s.SHA256), Version: s.EntriesVersion, Deleted: s.Deleted,
		Equal: s.Equal,
	}
}

// contentOf validates a machine's content of a session. c may be nil.
func contentOf(c *team.Content) (*postgres.Content, error) {
	if c == nil {
		return nil, nil
	}
	digest, err := digestOf(c.Digest)
	if err != nil {
		return nil, err
	}
	segments, err := digestOf(c.Segments)
	return &postgres.Content{Events: c.Events, Entries: c.Entries, Digest: digest, Segments: segments}, err
}

func digestOf(text string) (sum [sha256.Size]byte, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha256.Size {
		return sum, bad("a digest must be a SHA-256 in hexadecimal")
	}
	return [sha256.Size]byte(b), nil
}

// begin creates a session or updates its description.
func (p *Push) begin(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	body, err := p.read(w, r, maxDescription)
	if err != nil {
		return err
	}
	var o team.Begin
	if err := json.Unmarshal(body, &o); err != nil {
		return bad("%v", err)
	}
	if err := checkBegin(o, id); err != nil {
		return err
	}
	content, err := contentOf(o.Content)
	if err != nil {
		return err
	}
	mask, err := p.redaction(r.Context())
	if err != nil {
		return err
	}
	push := postgres.Push{
		Session: o.Session, Name: o.Name, Note: o.Note, Tags: o.Tags, Space: o.Space, Machine: o.Machine,
		Version: o.Version, Usage: o.Usage, Live: o.Live, Content: content,
	}
	maskSession(mask, &push)
	state, err := p.store.Begin(r.Context(), push)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, stateOf(state))
	return nil
}

// checkBegin returns an error if the description of the session id is not valid.
func checkBegin(o team.Begin, id string) error {
	switch {
	case o.Session.ID != id:
		return bad("the session has another id")
	case o.Version < 0 || o.Machine == "" || len(o.Machine) > maxText || len(o.Space) > maxText:
		return bad("machine names the sender, space the space, version counts from 0")
	case o.Session.Cols < 0 || o.Session.Rows < 0 || o.Session.Cols > 1<<16 || o.Session.Rows > 1<<16:
		return bad("invalid size of the window")
	}
	for _, tag := range o.Tags {
		if err := store.CheckTag(tag); err != nil {
			return bad("%v", err)
		}
	}
	return nil
}

// raw receives a segment of the raw log.
func (p *Push) raw(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	first, err := strconv.ParseInt(r.URL.Query().Get("event"), 10, 64)
	if err != nil || first < 0 {
		return bad("event is the number of the segment's first event")
	}
	body, leave, err := p.readLarge(w, r)
	if err != nil {
		return err
	}
	defer leave()
	seg, err := store.ParseSegment(body)
	switch {
	case err != nil:
		return bad("not a segment: %v", err)
	case seg.FirstEvent != first:
		return bad("the segment begins with event %d", seg.FirstEvent)
	}
	state, err := p.store.AppendSegment(r.Context(), id, seg)
	switch {
	case errors.Is(err, postgres.ErrConflict):
		writeJSON(w, http.StatusConflict, stateOf(state))
	case err != nil:
		return err
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// replaceRaw starts a new raw log.
func (p *Push) replaceRaw(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err == nil {
		err = p.store.ReplaceRaw(r.Context(), id, r.URL.Query().Get("now") == "true")
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func isEntryID(id string) bool {
	for _, r := range id {
		if r < ' ' || r == utf8.RuneError {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// entries receives entries.
func (p *Push) entries(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	body, leave, err := p.readLarge(w, r)
	if err != nil {
		return err
	}
	defer leave()
	b, err := DecodeBatch(body)
	if err != nil {
		return err
	}
	mask, err := p.redaction(r.Context())
	if err == nil {
		maskEntries(mask, b.Entries)
		err = p.store.SaveEntries(r.Context(), id, b)
	}
	return p.accepted(w, r, err)
}

// accepted responds to data that continues what the server has. err is ErrConflict if it does not.
func (p *Push) accepted(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case errors.Is(err, postgres.ErrConflict):
		p.Refuse(w, r, http.StatusConflict, "conflict",
			"the server has other entries: fetch its state, and send everything again")
	case err != nil:
		return err
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// end compares what the database has with what the sender has.
func (p *Push) end(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	body, err := p.read(w, r, maxDescription)
	if err != nil {
		return err
	}
	var o team.End
	if err := json.Unmarshal(body, &o); err != nil {
		return bad("%v", err)
	}
	digest, err := digestOf(o.Digest)
	if err != nil {
		return err
	}
	err = p.store.End(r.Context(), id, postgres.Whole{EndedAt: o.EndedAt, ExitCode: o.ExitCode, Events: o.Events,
		Entries: o.Entries, Digest: digest})
	return p.accepted(w, r, err)
}

// withdraw withdraws a session.
func (p *Push) withdraw(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err == nil {
		err = p.store.Withdraw(r.Context(), id)
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}
