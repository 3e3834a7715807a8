package server

import (
	"context"
	"net/http"
	"time"
)

// healthPath is where a load balancer asks whether the server works. It needs no token.
const healthPath = "/api/health"

// healthTime is how long the database may take to answer.
const healthTime = 5 * time.Second

// health answers 200 if the server reaches its database, otherwise 503.
func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	if err := s.Health(ctx); err != nil {
		s.log.WarnContext(r.Context(), "the server is not healthy", "error", err)
		return problem(http.StatusServiceUnavailable, "unavailable", "the database does not answer")
	}
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}
