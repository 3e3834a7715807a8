package server

import (
	"context"
	"net/http"
	"time"
)

// healthPath is for load balancers. It needs no token.
const healthPath = "/api/health"

// healthTime is the time limit for the database.
const healthTime = 5 * time.Second

// health responds with 200 if the server reaches its database, otherwise 503.
func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	if err := s.Health(ctx); err != nil {
		s.log.WarnContext(r.Context(), "the server is not healthy", "error", err)
		return problem(http.StatusServiceUnavailable, "unavailable", "the database does not answer")
	}
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}
