package management

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/session"
)

// mark is the content of a marker.
type mark struct {
	Event string `json:"ptyrec"`
	Data  struct {
		Client  string `json:"client"`
		Role    string `json:"role"`
		Nonce   string `json:"nonce"`
		Private bool   `json:"private"`
	} `json:"data"`
}

// takeMark executes a marker of this server. h.mu must be held.
func (h *hub) takeMark(e *entry, label []byte) {
	var m mark
	if json.Unmarshal(label, &m) != nil {
		return
	}
	if m.Event == session.EventKeyframe {
		for _, ch := range h.asked {
			close(ch)
		}
		h.pictured, h.asking, h.asked = h.outputs, false, nil
		e.event, e.private, e.data = m.Event, m.Data.Private, h.term.Repaint()
		if c := newCleaner(h.p.Redact); c != nil {
			e.data = append(c.add(e.data), c.rest()...)
		}
		return
	}
	then := h.pending[m.Data.Nonce]
	if then == nil {
		return // it belongs to an earlier or another server
	}
	delete(h.pending, m.Data.Nonce)
	e.event, e.client, e.role = m.Event, m.Data.Client, m.Data.Role
	if m.Event == session.EventLeave {
		delete(h.members, e.client)
	} else {
		h.members[e.client] = e.role
	}
	e.controllers, e.observers = h.membersByRole()
	if len(h.marks) >= 4096 {
		clear(h.marks)
	}
	h.marks[e.number] = e
	then(e)
}

// membersByRole returns the clients, sorted. h.mu must be held.
func (h *hub) membersByRole() (controllers, observers []string) {
	controllers, observers = []string{}, []string{}
	for id, role := range h.members {
		if role == controller {
			controllers = append(controllers, id)
		} else {
			observers = append(observers, id)
		}
	}
	slices.Sort(controllers)
	slices.Sort(observers)
	return controllers, observers
}

// put writes a marker to the session's log. then is called when it comes back as a frame, with h.mu
// held.
func (h *hub) put(event, client, role string, then func(*entry)) error {
	nonce := uuid.NewString()
	h.mu.Lock()
	h.pending[nonce] = then
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	err := h.stream.Mark(ctx, event, map[string]any{"client": client, "role": role, "nonce": nonce})
	if err != nil {
		h.mu.Lock()
		delete(h.pending, nonce)
		h.mu.Unlock()
	}
	return err
}
