package server

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
)

// info responds with what this server is and allows.
func (s *Server) info(w http.ResponseWriter, r *http.Request) error {
	answer := map[string]any{
		"name": "ptyrec", "version": s.Version, "write": rightOf(r) == mayWrite, "read_only": s.ReadOnly,
		"allow_run": s.AllowRun && s.Start != nil, "bridge": s.hasBridge(),
	}
	if s.Users != nil {
		answer["user"] = s.Users.Name(r.Context())
	}
	return writeJSON(w, http.StatusOK, answer)
}

// items returns sessions in the form of the API.
func (s *Server) items(ctx context.Context, infos []*store.Info) ([]store.Overview, error) {
	ids, err := s.Live.IDs()
	if err != nil {
		s.log.WarnContext(ctx, "no live sessions", "error", err)
	}
	var used map[string]any
	if s.Usage != nil {
		used = s.Usage(ctx, infos)
	}
	list := make([]store.Overview, len(infos))
	for i, info := range infos {
		if list[i], err = s.item(ctx, info, ids); err != nil {
			return nil, err
		}
		list[i].Usage = used[info.ID]
	}
	return list, nil
}

func (s *Server) item(ctx context.Context, info *store.Info, sockets []string) (store.Overview, error) {
	it, attachable := info.Overview(), false
	it.Attachable = &attachable
	if info.Status != store.Live {
		return it, nil
	}
	if info.Owner != "" { // a team's session: its entries are followed, from which its agent's state is known
		attachable = true
		return it, nil
	}
	_, attachable = slices.BinarySearch(sockets, info.ID)
	attachable = attachable || info.Process != "" // followed by its raw log
	state, err := s.states.of(ctx, s.Store, info.ID)
	it.State = &state
	return it, err
}

// find returns the session in the request's path.
func (s *Server) find(r *http.Request) (*store.Info, error) {
	return s.Store.Find(r.Context(), r.PathValue("id"))
}

// findLive returns the session in the request's path. It returns an error if the session is over.
func (s *Server) findLive(r *http.Request) (*store.Info, error) {
	info, err := s.find(r)
	if err == nil && info.Status != store.Live {
		err = problem(http.StatusConflict, "not_live", "the session is over")
	}
	return info, err
}

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	f := q.filter()
	f.After = q.cursor()
	limit := q.limit()
	if q.err != nil {
		return q.err
	}
	f.Limit = limit + 1 // one more, to see whether there are more
	infos, err := s.Store.Sessions(r.Context(), f)
	if err != nil {
		return err
	}
	answer := map[string]any{}
	if len(infos) > limit {
		infos = infos[:limit]
		if answer["next"], err = cursorOf(infos[limit-1]); err != nil {
			return err
		}
	}
	if answer["total"], err = s.Store.Count(r.Context(), f); err != nil {
		return err
	}
	if answer["sessions"], err = s.items(r.Context(), infos); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

// getFacets responds with the number of sessions by agent, folder and tag.
func (s *Server) getFacets(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	f := q.filter()
	if q.err != nil {
		return q.err
	}
	facets, err := s.Store.Facets(r.Context(), f)
	if err != nil {
		return err
	}
	answer := map[string]any{"total": facets.Sessions, "agents": facets.Agents, "folders": facets.Folders,
		"tags": facets.Tags}
	if facets.Sessions > 0 {
		answer["first"], answer["last"] = facets.First, facets.Last
	}
	return writeJSON(w, http.StatusOK, answer)
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request) error {
	info, err := s.find(r)
	if err != nil {
		return err
	}
	return s.writeSession(w, r, http.StatusOK, info)
}

func (s *Server) writeSession(w http.ResponseWriter, r *http.Request, status int, info *store.Info) error {
	list, err := s.items(r.Context(), []*store.Info{info})
	if err != nil {
		return err
	}
	return writeJSON(w, status, list[0])
}

// labelSession changes the name, the note and the tags of a session.
func (s *Server) labelSession(w http.ResponseWriter, r *http.Request) error {
	var labels struct {
		Name       *string  `json:"name"`
		Note       *string  `json:"note"`
		AddTags    []string `json:"add_tags"`
		RemoveTags []string `json:"remove_tags"`
	}
	if err := decode(w, r, &labels); err != nil {
		return err
	}
	if s.inside(r) {
		return errInsideChange
	}
	for _, tag := range labels.AddTags {
		if err := store.CheckTag(tag); err != nil {
			return badRequest("%v", err)
		}
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	if labels.Name != nil {
		err = s.Store.Rename(r.Context(), info.ID, *labels.Name)
	}
	if labels.Note != nil {
		err = errors.Join(err, s.Store.SetNote(r.Context(), info.ID, *labels.Note))
	}
	if len(labels.AddTags)+len(labels.RemoveTags) > 0 {
		_, tagErr := s.Store.Tag(r.Context(), info.ID, labels.AddTags, labels.RemoveTags)
		err = errors.Join(err, tagErr)
	}
	if err == nil {
		info, err = s.Store.Find(r.Context(), info.ID)
	}
	if err != nil {
		return err
	}
	list, err := s.items(r.Context(), []*store.Info{info})
	if err != nil {
		return err
	}
	if s.Users == nil { // with users, not everyone may know of it
		s.watch.labeled(&list[0])
	}
	return writeJSON(w, http.StatusOK, list[0])
}

// deleteSession deletes a session that has ended. It requires the full id, because "last" may be
// another session than the client has seen.
func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	info, err := s.find(r)
	switch {
	case err != nil:
		return err
	case info.ID != r.PathValue("id"):
		return badRequest("to delete a session, use its whole id")
	case info.Status == store.Live:
		return problem(http.StatusConflict, "live", "the session is being recorded; end it first")
	case s.inside(r):
		return errInsideChange
	}
	if err := s.Store.DeleteSession(r.Context(), info.ID); err != nil {
		return err
	}
	if s.Users == nil {
		s.watch.deleted(info.ID)
	}
	if files, ok := s.Store.(scrubber); ok {
		if err := files.Scrub(r.Context()); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// scrubber is a Store that keeps deleted data in its files until Scrub removes it.
type scrubber interface {
	Scrub(ctx context.Context) error
}

// startSession runs a command that the client names.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request) error {
	if !s.AllowRun || s.Start == nil {
		return problem(http.StatusForbidden, "forbidden", "this server starts no commands; run `ptyrec sandbox`")
	}
	if s.inside(r) {
		return errInside
	}
	o := struct {
		Command []string `json:"command"`
		Cwd     string   `json:"cwd"`
		Cols    int      `json:"cols"`
		Rows    int      `json:"rows"`
	}{Cols: 80, Rows: 24}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if len(o.Command) == 0 || o.Command[0] == "" || !isSize(o.Cols, o.Rows) {
		return badRequest("a command is required, and a size from 1x1 to %dx%d", protocol.MaxCols, protocol.MaxRows)
	}
	id, err := s.Start(r.Context(), StartOptions{Command: o.Command, Cwd: o.Cwd, Cols: o.Cols, Rows: o.Rows})
	if err != nil {
		return badRequest("the command did not start: %v", err)
	}
	info, err := s.Store.Find(r.Context(), id)
	if err != nil {
		return err
	}
	return s.writeSession(w, r, http.StatusCreated, info)
}

func isSize(cols, rows int) bool {
	return cols >= 1 && rows >= 1 && cols <= protocol.MaxCols && rows <= protocol.MaxRows
}
