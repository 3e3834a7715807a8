package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Paths of links: the page that a link opens, and the API that the page uses. The link's code
// follows, which gives access to the session.
const (
	linkPage = "/l/"
	linkPath = "/api/links/"
)

// linkRoutes are the routes that a link gives access to: those of one session.
func (s *Server) linkRoutes() map[string]handler {
	routes := map[string]handler{}
	for rest, h := range map[string]handler{"": s.getSession, "/entries": s.listEntries, "/screen": s.getScreen,
		"/raw": s.getRaw, "/export": s.exportSession,
		"/events": s.watchSession, "/live": s.live} {
		routes["GET "+linkPath+"{link}"+rest] = s.byLink(h)
	}
	return routes
}

// byLink returns a handler that accepts a link instead of a session.
func (s *Server) byLink(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("X-Robots-Tag", "noindex")
		if s.Users == nil {
			return session.ErrNotFound
		}
		ctx, id, err := s.Users.OpenLink(r, r.PathValue("link"))
		if errors.Is(err, session.ErrForbidden) {
			return errNoToken
		}
		if err != nil {
			return err
		}
		r = r.WithContext(ctx)
		r.SetPathValue("id", id)
		return h(w, r)
	}
}

// isLink reports whether a request names a link instead of a session. Such a request needs no other
// right.
func isLink(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, linkPath) && !isWriting(r)
}

// pathForLog returns the path of a request without the code of a link or a login.
func pathForLog(r *http.Request) string {
	for _, prefix := range []string{linkPath, linkPage, "/api/logins/", "/m/"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
			_, rest, _ := strings.Cut(rest, "/")
			return prefix + "…/" + rest
		}
	}
	return r.URL.Path
}
