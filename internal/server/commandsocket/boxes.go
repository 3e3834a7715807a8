package commandsocket

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// box is a sandbox in the form for clients. It is always ready.
type box struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	Dataplane string `json:"dataplane_url"`
	Created   string `json:"created_at"`
	Updated   string `json:"updated_at"`
	IdleTTL   int    `json:"idle_ttl_seconds"`          // 0: does not stop automatically
	DeleteTTL int    `json:"delete_after_stop_seconds"` // 0: is not deleted automatically
}

const ready = "ready"

// show returns a sandbox for the client of r. The URL of the dataplane uses the host name in the
// request.
func show(r *http.Request, s process.Sandbox) box {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	created := s.CreatedAt.UTC().Format(time.RFC3339Nano)
	return box{
		ID: s.ID, Name: s.Name, Status: ready, Created: created, Updated: created,
		Dataplane: scheme + "://" + r.Host + "/langsmith/boxes/" + url.PathEscape(s.Name),
	}
}

func (p *Protocol) createBox(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Name string `json:"name"`
	}
	if err := decode(w, r, &q); err != nil {
		return err
	}
	s, err := p.commands.CreateSandbox(r.Context(), q.Name)
	if err != nil {
		return err
	}
	respond(w, http.StatusCreated, show(r, s))
	return nil
}

func (p *Protocol) listBoxes(w http.ResponseWriter, r *http.Request) error {
	all, err := p.commands.Sandboxes(r.Context())
	if err != nil {
		return err
	}
	boxes := []box{}
	for _, s := range all {
		boxes = append(boxes, show(r, s))
	}
	respond(w, http.StatusOK, map[string]any{"sandboxes": boxes})
	return nil
}

// find returns the sandbox in a request's path, a name or id.
func (p *Protocol) find(ctx context.Context, r *http.Request) (process.Sandbox, error) {
	name := r.PathValue("box")
	s, err := p.commands.Sandbox(ctx, name)
	if err == nil {
		return s, nil
	}
	all, listErr := p.commands.Sandboxes(ctx)
	if i := slices.IndexFunc(all, func(s process.Sandbox) bool { return s.ID == name }); i >= 0 {
		return all[i], nil
	}
	return s, cmp.Or(listErr, err)
}

func (p *Protocol) getBox(w http.ResponseWriter, r *http.Request) error {
	s, err := p.find(r.Context(), r)
	if err != nil {
		return err
	}
	respond(w, http.StatusOK, show(r, s))
	return nil
}

func (p *Protocol) getStatus(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.find(r.Context(), r); err != nil {
		return err
	}
	respond(w, http.StatusOK, map[string]string{"status": ready})
	return nil
}

// startBox does nothing: a box is always ready.
func (p *Protocol) startBox(w http.ResponseWriter, r *http.Request) error {
	return p.getBox(w, r)
}

// stopBox ends the running commands of a sandbox. The sandbox stays ready.
func (p *Protocol) stopBox(w http.ResponseWriter, r *http.Request) error {
	s, err := p.find(r.Context(), r)
	if err != nil {
		return err
	}
	if _, err := p.commands.KillAll(r.Context(), s.Name, process.Kill, 0); err != nil {
		return err
	}
	respond(w, http.StatusOK, show(r, s))
	return nil
}

func (p *Protocol) deleteBox(w http.ResponseWriter, r *http.Request) error {
	s, err := p.find(r.Context(), r)
	if err != nil {
		return err
	}
	if err := p.commands.DeleteSandbox(r.Context(), s.Name); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
