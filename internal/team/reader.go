package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Reader reads sessions from a server, as far as the user may. It implements store.Reader. It
// validates responses as far as the program depends on them; texts may contain anything. Its
// methods may be called concurrently.
type Reader struct {
	server *Server
	home   string // the home folder that ~ stands for

	mu   sync.Mutex // guards seen
	seen []string   // ids of the sessions that were returned
}

// NewReader returns a Reader for a server. home is the folder that machines replace by ~.
func NewReader(server *Server, home string) *Reader { return &Reader{server: server, home: home} }

// Limits of a server's responses.
const (
	maxRead     = 256 << 20 // bytes of a response
	maxSessions = 1_000_000 // in a list
	pageOfList  = 1000      // sessions in a request
	pageOfTalk  = 200       // entries in a request
	maxSide     = 1000      // width and height of a window, in cells
	usageOf     = 100       // sessions in a request for usage
)

// errAnswer reports an invalid response of the server.
var errAnswer = errors.New("the server's answer cannot be read")

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errAnswer, fmt.Sprintf(format, args...))
}

// get requests a path below /api/ and returns the response. The error wraps session.ErrNotFound or
// session.ErrAmbiguous if the server reports that.
func (r *Reader) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	answer, err := r.server.send(ctx, http.MethodGet, "/api/"+path+"?"+query.Encode(), "", nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxRead+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxRead:
		return nil, wrong("it has more than %d MiB", maxRead>>20)
	case answer.StatusCode == http.StatusOK:
		return body, nil
	}
	var told team.Refusal
	_ = json.Unmarshal(body, &told) // a proxy's response has none
	refused := &statusError{Status: answer.StatusCode, Message: told.Message}
	switch {
	case answer.StatusCode == http.StatusNotFound && told.Code == "not_found":
		return nil, fmt.Errorf("%w (%w)", session.ErrNotFound, refused)
	case answer.StatusCode == http.StatusConflict && told.Code == "ambiguous":
		return nil, fmt.Errorf("%w (%w)", session.ErrAmbiguous, refused)
	case answer.StatusCode == http.StatusConflict && told.Code == "no_recording":
		return nil, fmt.Errorf("%w (%w)", session.ErrNoRecording, refused)
	}
	return nil, refused
}

// read is get for JSON.
func (r *Reader) read(ctx context.Context, path string, query url.Values, to any) error {
	body, err := r.get(ctx, path, query)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, to); err != nil {
		return wrong("%v", err)
	}
	return nil
}

// filter returns a filter as query parameters.
func (r *Reader) filter(f store.Filter) url.Values {
	f.Cwd = tilde(f.Cwd, r.home)
	return f.Values()
}

// Sessions returns the sessions that the filter selects, newest first. On a server, none is unread
// or hidden as a program's command.
func (r *Reader) Sessions(ctx context.Context, f store.Filter) (infos []*store.Info, err error) {
	if f.Unread {
		return nil, nil
	}
	q := r.filter(f)
	for {
		most := pageOfList
		if f.Limit > 0 {
			most = min(most, f.Limit-len(infos))
		}
		q.Set("limit", strconv.Itoa(most))
		var page struct {
			Sessions []store.Overview `json:"sessions"`
			Next     string           `json:"next"`
		}
		if err := r.read(ctx, "sessions", q, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Sessions {
			info, err := r.info(o)
			if err != nil {
				return nil, err
			}
			infos = append(infos, info)
		}
		switch {
		case page.Next == "" || f.Limit > 0 && len(infos) >= f.Limit:
			return infos, nil
		case len(page.Sessions) == 0 || len(infos) > maxSessions:
			return nil, wrong("a list without an end")
		}
		q.Set("cursor", page.Next)
	}
}

// info converts a session of the server. It never belongs to this machine.
func (r *Reader) info(o store.Overview) (*store.Info, error) {
	if !isID(o.ID) {
		return nil, wrong("a session has no valid id")
	}
	if o.Cols < 0 || o.Rows < 0 || o.Cols > maxSide || o.Rows > maxSide {
		return nil, wrong("session %s has a window of %d x %d", o.ID, o.Cols, o.Rows)
	}
	info := &store.Info{
		Session: o.Session, Status: store.Interrupted, Prompt: o.Prompt, Messages: o.Messages, Turns: o.Turns,
		RawBytes: max(0, o.RawBytes), StoredBytes: max(0, o.StoredBytes),
		Name: o.Name, Tags: o.Tags, Note: o.Note, Owner: o.Owner, Space: o.Space, ForkedFrom: o.ForkedFrom,
		ContinuedBy: o.ContinuedBy,
	}
	if info.Owner == "" {
		info.Owner = "?" // an owner marks it as a session of another machine
	}
	if s := o.Duration; s > 0 && s < math.MaxInt64/float64(time.Second) {
		info.Duration = time.Duration(s * float64(time.Second))
	}
	switch o.Status {
	case store.Live:
		info.Status, info.Process = store.Live, "" // it cannot be followed from here
	case store.Ended:
		info.Status = store.Ended
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, info.ID)
	return info, nil
}

// maxID is the maximum length of a session's id, in bytes.
const maxID = 64

func isID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// sharedEnd is the maximum length of an end that several ids of a server may share, in characters.
const sharedEnd = 7

// IDs returns the ids of the sessions that were returned. The server may have others, so IDs adds
// an artificial id with the same end for each. So shortened ids are long enough.
func (r *Reader) IDs(context.Context) (ids []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.seen {
		ids = append(ids, id, "~"+id[max(0, len(id)-sharedEnd):])
	}
	return ids, nil
}

// Sandboxes returns none: on a server, the commands of programs are ordinary sessions.
func (r *Reader) Sandboxes(context.Context, store.Filter) ([]store.SandboxInfo, error) {
	return nil, nil
}

// Find returns the session that ref names: an id, a beginning or end that no other id has, or
// "last". The error wraps session.ErrNotFound or session.ErrAmbiguous.
func (r *Reader) Find(ctx context.Context, ref string) (*store.Info, error) {
	if ref != "last" && !isID(ref) {
		return nil, fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
	}
	var o store.Overview
	if err := r.read(ctx, "sessions/"+url.PathEscape(ref), nil, &o); err != nil {
		return nil, fmt.Errorf("session %q: %w", ref, err)
	}
	return r.info(o)
}

// hit is a hit in the form of the API.
type hit struct {
	Session store.Overview `json:"session"`
	Entry   *session.Entry `json:"entry"`
	Snippet string         `json:"snippet"`
	Marks   [][2]int       `json:"marks"`
}

// SearchAll returns the sessions and messages that the server finds.
func (r *Reader) SearchAll(ctx context.Context, query store.Query) (labels []*store.LabelHit, hits []*store.Hit,
	err error) {
	q := r.filter(query.Filter)
	q.Set("q", query.Text)
	q["role"] = query.Roles
	if query.Filter.ID != "" {
		q.Set("session", query.Filter.ID)
	}
	if query.Filter.Limit > 0 {
		q.Set("limit", strconv.Itoa(min(query.Filter.Limit, pageOfList)))
	}
	var found struct {
		Hits []hit `json:"hits"`
	}
	if err := r.read(ctx, "search", q, &found); err != nil {
		return nil, nil, err
	}
	for _, h := range found.Hits {
		info, err := r.info(h.Session)
		if err != nil {
			return nil, nil, err
		}
		snippet := store.Snippet{Text: h.Snippet, Marks: marksIn(h.Snippet, h.Marks)}
		if h.Entry == nil {
			labels = append(labels, &store.LabelHit{Session: info, Snippet: snippet})
		} else {
			hits = append(hits, &store.Hit{Session: info, Entry: h.Entry, Snippet: snippet})
		}
	}
	if n := query.Filter.Limit; n > 0 && len(labels)+len(hits) > n {
		return nil, nil, wrong("more hits than were asked for")
	}
	return labels, hits, nil
}

// marksIn returns the valid marks at the start of marks: within the text, in order, not
// overlapping.
func marksIn(text string, marks [][2]int) [][2]int {
	at := 0
	for i, m := range marks {
		if m[0] < at || m[1] < m[0] || m[1] > len(text) {
			return marks[:i]
		}
		at = m[1]
	}
	return marks
}

// Page returns a span of the entries of a session, in order.
func (r *Reader) Page(ctx context.Context, id string, span store.Span) (page store.Page, err error) {
	if span.Limit == 0 {
		all, err := r.EntriesAfter(ctx, id, 0)
		return store.PageOf(all, span), err
	}
	q := url.Values{}
	for name, n := range map[string]int{"since": span.Since, "before": span.Before, "around": span.Around,
		"limit": min(span.Limit, pageOfList)} {
		if n > 0 {
			q.Set(name, strconv.Itoa(n))
		}
	}
	var answer struct {
		Entries []*session.Entry `json:"entries"`
		Start   int              `json:"start"`
		Total   int              `json:"total"`
	}
	if err := r.read(ctx, "sessions/"+url.PathEscape(id)+"/entries", q, &answer); err != nil {
		return page, fmt.Errorf("session %s: %w", id, err)
	}
	last := span.Since
	for _, e := range answer.Entries {
		if e == nil || e.Seq < last {
			return page, wrong("the entries of session %s are not in order", id)
		}
		last = e.Seq
	}
	return store.Page{Entries: answer.Entries, Start: answer.Start, Total: answer.Total}, nil
}

// EntriesAfter returns the entries of a session whose numbers are greater than seq, in order.
func (r *Reader) EntriesAfter(ctx context.Context, id string, seq int) (entries []*session.Entry, err error) {
	for e, err := range r.after(ctx, id, seq) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Each iterates over the entries of a session in order, without loading all of them. It ends after
// an error.
func (r *Reader) Each(ctx context.Context, id string) iter.Seq2[*session.Entry, error] {
	return r.after(ctx, id, 0)
}

func (r *Reader) after(ctx context.Context, id string, seq int) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for {
			page, err := r.Page(ctx, id, store.Span{Since: seq, Limit: pageOfTalk})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
			n := len(page.Entries)
			if n == 0 || page.Start+n >= page.Total {
				return
			}
			if next := page.Entries[n-1].Seq; next > seq {
				seq = next
			} else {
				yield(nil, wrong("the entries of session %s do not end", id))
				return
			}
		}
	}
}

// Usage returns the usage of the sessions that the filter selects, ignoring its Limit and After.
func (r *Reader) Usage(ctx context.Context, f store.Filter) ([]store.Used, error) {
	f.Limit, f.After = 0, store.Position{}
	infos, err := r.Sessions(ctx, f)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	return r.UsageOf(ctx, ids)
}

// UsageOf returns the usage of the sessions with these ids, as Usage does.
func (r *Reader) UsageOf(ctx context.Context, ids []string) (used []store.Used, err error) {
	for len(ids) > 0 {
		n := min(len(ids), usageOf)
		var answer team.Usage
		if err := r.read(ctx, "usage", url.Values{"session": ids[:n]}, &answer); err != nil {
			return nil, err
		}
		for _, u := range answer.Usage {
			used = append(used, store.Used{Session: u.Session, Cwd: u.Cwd, Usage: u.Usage})
		}
		ids = ids[n:]
	}
	return used, nil
}
