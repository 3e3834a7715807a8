package agentapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	heartbeat = 15 * time.Second // interval of comments that show that the connection is alive
	patience  = 10 * time.Second // time limit of a write to a client
	// maxEvent is the maximum length of an event, in bytes: agentapi's SDK accepts no longer ones.
	maxEvent = 128 << 10
)

// cutNote is appended to a text that was cut to fit in an event.
const cutNote = "\n\n[cut here: GET /messages has the whole message]"

// stream writes server-sent events to one client.
type stream struct {
	w io.Writer
	c *http.ResponseController
}

// begin starts a response of events.
func begin(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-store, must-revalidate")
	h.Set("Pragma", "no-cache")
	h.Set("Expires", "0")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Proxy-Buffering", "no")
	h.Set("Connection", "keep-alive")
	s := &stream{w, http.NewResponseController(w)}
	_ = s.c.SetReadDeadline(time.Time{}) // nothing more is read
	w.WriteHeader(http.StatusOK)
	return s
}

func (s *stream) put(text string) error {
	_ = s.c.SetWriteDeadline(time.Now().Add(patience)) // if it cannot be set, the server's deadline applies
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}

// event writes an event. body converts the text to the event's data. A text that is too long is
// cut.
func (s *stream) event(name, text string, body func(text string) any) error {
	data, err := json.Marshal(body(text))
	if err != nil {
		return err
	}
	frame := len("event: \ndata: \n\n") + len(name)
	for size := len(text); len(data)+frame > maxEvent; { // in JSON, a byte may take six
		size = min(size-1, size*(maxEvent-frame-len(cutNote)*2)/len(data))
		if data, err = json.Marshal(body(head(text, size) + cutNote)); err != nil {
			return err
		}
	}
	return s.put("event: " + name + "\ndata: " + string(data) + "\n\n")
}

// head returns at most size bytes from the start of a text, without cutting a character.
func head(text string, size int) string {
	size = max(0, min(size, len(text)))
	for size > 0 && size < len(text) && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// events sends a client all messages, the status and the errors, and then each change.
func (a *API) events(w http.ResponseWriter, r *http.Request) error {
	s := begin(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	news := a.Session.board.all()
	for {
		if a.tell(s, news) != nil {
			return nil // the client is gone
		}
		if news.over {
			news.changed = nil // keep the stream open, so that the client does not reconnect again and again
		}
		select {
		case <-news.changed:
		case <-beat.C:
			if s.put(":\n\n") != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
		news = a.Session.board.since(news.version)
	}
}

// tell writes the news as events.
func (a *API) tell(s *stream, n news) error {
	for _, m := range n.messages {
		err := s.event("message_update", m.Content, func(text string) any {
			return struct {
				ID      int       `json:"id"`
				Role    string    `json:"role"`
				Message string    `json:"message"`
				Time    time.Time `json:"time"`
			}{m.ID, m.Role, text, m.Time}
		})
		if err != nil {
			return err
		}
	}
	for _, c := range n.notes {
		var err error
		if c.status != "" {
			err = s.event("status_change", "", func(string) any {
				return struct {
					Status    string `json:"status"`
					AgentType string `json:"agent_type"`
				}{c.status, a.Session.Type}
			})
		} else {
			err = s.event("agent_error", c.failure.Message, func(text string) any {
				f := c.failure
				f.Message = text
				return f
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// screen sends a client the screen whenever it changes.
func (a *API) screen(w http.ResponseWriter, r *http.Request) error {
	b := a.Session.board
	defer b.watch()()
	b.paint(a.Session.Screen())
	a.Session.dirtied()
	s := begin(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	seen, first := 0, true
	for {
		text, version, differs, changed, over := b.shown(seen)
		if differs || first {
			err := s.event("screen", text, func(text string) any {
				return struct {
					Screen string `json:"screen"`
				}{strings.TrimSuffix(text, cutNote)}
			})
			if err != nil {
				return nil // the client is gone
			}
		}
		first, seen = false, version
		if over {
			changed = nil
		}
		select {
		case <-changed:
		case <-beat.C:
			if s.put(":\n\n") != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}
