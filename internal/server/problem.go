package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// problemError is an error in the form in which clients receive it.
type problemError struct {
	status int // HTTP status
	told   protocol.Error
}

func (p *problemError) Error() string { return p.told.Message }

func problem(status int, code, format string, args ...any) error {
	return &problemError{status, protocol.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func badRequest(format string, args ...any) error {
	return problem(http.StatusBadRequest, protocol.CodeBadRequest, format, args...)
}

// statuses are the HTTP statuses for the codes with which sessions refuse requests.
var statuses = map[string]int{
	protocol.CodeNoControl: http.StatusForbidden, protocol.CodeNotAllowed: http.StatusForbidden,
	protocol.CodeBadRequest: http.StatusBadRequest,
	protocol.CodeTooMany:    http.StatusServiceUnavailable, protocol.CodeEnded: http.StatusConflict,
	protocol.CodeAsking: http.StatusConflict, protocol.CodeUnavailable: http.StatusConflict,
}

// problemOf converts err to the error that clients receive.
func problemOf(err error) *problemError {
	var p *problemError
	var refused *protocol.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		if status := statuses[refused.Code]; status != 0 {
			return &problemError{status, *refused}
		}
		return &problemError{http.StatusInternalServerError, protocol.Error{Code: "internal", Message: refused.Message}}
	case errors.As(err, &tooLarge):
		return &problemError{http.StatusRequestEntityTooLarge,
			protocol.Error{Code: "too_large", Message: "the request is too large"}}
	case errors.Is(err, session.ErrNotFound):
		return &problemError{http.StatusNotFound, protocol.Error{Code: "not_found", Message: "no such session"}}
	case errors.Is(err, session.ErrNoRecording):
		return &problemError{http.StatusConflict,
			protocol.Error{Code: "no_recording", Message: session.ErrNoRecording.Error()}}
	case errors.Is(err, session.ErrForbidden):
		return &problemError{http.StatusForbidden,
			protocol.Error{Code: "forbidden", Message: "you are not allowed to do that"}}
	case errors.Is(err, session.ErrAmbiguous):
		return &problemError{http.StatusConflict, protocol.Error{Code: "ambiguous", Message: session.ErrAmbiguous.Error()}}
	case errors.Is(err, session.ErrSlow):
		return &problemError{http.StatusServiceUnavailable,
			protocol.Error{Code: protocol.CodeUnavailable,
				Message: "the search took too long: add words, a time, an agent or a folder"}}
	case errors.Is(err, client.ErrDisconnected), errors.Is(err, context.DeadlineExceeded), errors.Is(err, session.ErrBusy):
		return &problemError{http.StatusServiceUnavailable,
			protocol.Error{Code: protocol.CodeUnavailable, Message: "it is not responding; try again"}}
	}
	return &problemError{http.StatusInternalServerError,
		protocol.Error{Code: "internal", Message: "internal error; see the server's log"}}
}

// handler handles a request. If it returns an error before it has written anything, the error is
// sent to the client.
type handler func(w http.ResponseWriter, r *http.Request) error

func (s *Server) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// refuse sends an error to the client and logs it.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil || s.stopped.Err() != nil {
		return // the client is gone
	}
	var answered errAnswered
	if errors.As(err, &answered) {
		s.log.InfoContext(r.Context(), "refused", "method", r.Method, "path", pathForLog(r), "from", r.RemoteAddr, "error",
			err)
		return
	}
	p := problemOf(err)
	level := s.log.InfoContext
	if p.status >= http.StatusInternalServerError {
		level = s.log.ErrorContext
	}
	level(r.Context(), "refused", "method", r.Method, "path", pathForLog(r), "from", r.RemoteAddr, "status", p.status,
		"error", err)
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Del("Content-Disposition")
	if protocol := s.protocolOf(r); protocol != nil {
		protocol.Refuse(w, r, p.status, p.told.Code, p.told.Message)
		return
	}
	_ = writeAs(w, "application/problem+json", p.status, struct { // an error means that the client is gone
		protocol.Error
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{p.told, http.StatusText(p.status), p.status, p.told.Message})
}

// writeJSON responds with v as JSON.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	return writeAs(w, "application/json", status, v)
}

// writeAs responds with v as JSON of the given media type.
func writeAs(w http.ResponseWriter, media string, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(append(printable.JSON(nil, body), '\n'))
	return nil
}

// nothing responds for unknown paths, and lists the allowed methods if only the method is wrong.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) error {
	_, here := s.mux.Handler(r)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(other); pattern != here && pattern != "" {
			w.Header().Add("Allow", method)
		}
	}
	if len(w.Header().Values("Allow")) > 0 {
		return problem(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not allowed here", r.Method)
	}
	if s.rest != nil && strings.HasPrefix(r.URL.Path, restOfAPI) {
		s.rest.ServeHTTP(w, r)
		return nil
	}
	return problem(http.StatusNotFound, "not_found", "no such page")
}
