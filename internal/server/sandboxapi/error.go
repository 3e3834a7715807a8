package sandboxapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// Error codes of the SDK, which has an exception for most of them.
const (
	codeUnknown        = "UNKNOWN_ERROR"
	codeInternal       = "INTERNAL_ERROR"
	codeInvalid        = "VALIDATION_FAILED"
	codePermission     = "PERMISSION_DENIED"
	codeInvalidCommand = "INVALID_COMMAND"
	codeExecution      = "COMMAND_EXECUTION_ERROR"
	codeStreamStart    = "STREAM_START_ERROR"
	codeProcess        = "PROCESS_ERROR"
	codeProcessExists  = "PROCESS_EXISTS"
	codeNoProcess      = "PROCESS_NOT_FOUND"
	codeSessionExists  = "SESSION_ALREADY_EXISTS"
	codeInvalidPort    = "INVALID_PORT"
)

// apiError is an error in the form of the SDK.
type apiError struct {
	Code       string         `json:"code"`
	Message    string         `json:"message"`
	Context    map[string]any `json:"context"`
	HTTPStatus int            `json:"httpStatus"`
	Timestamp  string         `json:"timestamp"`
	Suggestion string         `json:"suggestion,omitempty"`
	Old        string         `json:"error"` // used instead of Message by releases before 0.4

	cause error
}

func (e *apiError) Error() string { return e.Message }

func (e *apiError) Unwrap() error { return e.cause }

func failure(status int, code, format string, args ...any) *apiError {
	message := fmt.Sprintf(format, args...)
	return &apiError{Code: code, Message: message, Old: message, Context: map[string]any{}, HTTPStatus: status,
		Timestamp: timestamp(time.Now())}
}

// with adds a field to the context, which some of the SDK's exceptions use.
func (e *apiError) with(name string, value any) *apiError {
	e.Context[name] = value
	return e
}

func noProcess(id string) error {
	e := failure(http.StatusNotFound, codeNoProcess, "Process %s not found", id).with("processId", id)
	e.Old = "Process not found: " + id // those releases look for these words
	e.Suggestion = "Verify the process ID is correct and the process has not already exited"
	return e
}

// errorOf converts err to the form of the SDK. code is used for an unknown error.
func errorOf(err error, code string) *apiError {
	var e *apiError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, process.ErrTooMany):
		return failure(http.StatusTooManyRequests, code, "%v", err)
	case errors.Is(err, process.ErrBadID):
		return failure(http.StatusBadRequest, codeInvalid, "%v", err)
	}
	return failure(http.StatusInternalServerError, code, "%v", err)
}

// handler handles a request. If it returns an error, the error is sent to the client.
type handler func(w http.ResponseWriter, r *http.Request) error

func (a *API) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		e := errorOf(err, codeInternal)
		a.Log.InfoContext(r.Context(), "refused", "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr, "status",
			e.HTTPStatus, "error", err)
		if e.HTTPStatus == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1") // in seconds
		}
		_ = write(w, e.HTTPStatus, e) // an error means that the client is gone
	})
}

// Refuse implements server.Handlers.
func (a *API) Refuse(w http.ResponseWriter, _ *http.Request, status int, _, message string) {
	code := codeUnknown
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		code = codePermission
	}
	_ = write(w, status, failure(status, code, "%s", message)) // an error means that the client is gone
}

// respond responds with fields, and with those of every successful response.
func respond(w http.ResponseWriter, fields map[string]any) error {
	return write(w, http.StatusOK, success(fields))
}

// success adds to fields those of every successful response, unless they are set.
func success(fields map[string]any) map[string]any {
	all := map[string]any{"success": true, "timestamp": timestamp(time.Now())}
	maps.Copy(all, fields)
	return all
}

func write(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client is gone
	return nil
}

// timestamp formats a time as JavaScript's toISOString does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
