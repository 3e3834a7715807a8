package server

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// page gives the web page's files. The page of / is that of each session, too.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return problem(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not for this", r.Method)
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || isSessionPage(name) {
		name = "index.html"
	}
	if s.Page == nil || !fs.ValidPath(name) {
		return problem(http.StatusNotFound, "not_found", "there is nothing here")
	}
	if info, err := fs.Stat(s.Page, name); err != nil || !info.Mode().IsRegular() {
		return problem(http.StatusNotFound, "not_found", "there is nothing here")
	}
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, s.Page, name)
	return nil
}

// isSessionPage tells that a path is s/ID.
func isSessionPage(name string) bool {
	id, ok := strings.CutPrefix(name, "s/")
	return ok && id != "" && !strings.Contains(id, "/")
}
