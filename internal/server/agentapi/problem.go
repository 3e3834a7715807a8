package agentapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
)

// problem is an error in the form of agentapi (RFC 9457, with errors).
type problem struct {
	Schema string   `json:"$schema"`
	Title  string   `json:"title"`
	Status int      `json:"status"`
	Detail string   `json:"detail"`
	Errors []detail `json:"errors,omitempty"`
}

// detail is an error in a problem.
type detail struct {
	Message  string `json:"message,omitempty"`
	Location string `json:"location,omitempty"`
	Value    any    `json:"value,omitempty"`
}

func (p *problem) Error() string { return p.Detail }

func failed(status int, text string, errors ...detail) error {
	return &problem{Title: http.StatusText(status), Status: status, Detail: text, Errors: errors}
}

// invalid returns the error for a request that does not match the schema.
func invalid(status int, errors ...detail) error {
	return failed(status, "validation failed", errors...)
}

// unexpected is the detail of an error that the request did not cause.
const unexpected = "unexpected error occurred"

// problemOf converts an error to the problem to send to the client.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	p = &problem{Title: http.StatusText(http.StatusInternalServerError), Status: http.StatusInternalServerError,
		Detail: unexpected}
	p.Errors = []detail{{Message: err.Error()}}
	return p
}

// handler handles a request. If it returns an error before it has written anything, the error is
// sent to the client.
type handler func(w http.ResponseWriter, r *http.Request) error

func (a *API) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			a.fail(w, r, err)
		}
	})
}

// fail sends an error to the client.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := *problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		a.Log.Info("refused", "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr, "error", err)
	}
	p.Schema = a.schemaURL(r, "ErrorModel")
	a.write(w, "application/problem+json", p.Status, "ErrorModel", p)
}

// answer responds with an object. name is the name of its schema.
func (a *API) answer(w http.ResponseWriter, name string, v any) error {
	a.write(w, "application/json", http.StatusOK, name, v)
	return nil
}

func (a *API) write(w http.ResponseWriter, media string, status int, schema string, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // can always be encoded
	w.Header().Set("Content-Type", media)
	w.Header().Set("Link", "<"+a.Prefix+"/schemas/"+schema+`.json>; rel="describedBy"`)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error means that the client is gone
}

// schemaURL returns the URL of a schema.
func (a *API) schemaURL(r *http.Request, name string) string {
	scheme := "http://"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https://"
	}
	return scheme + r.Host + a.Prefix + "/schemas/" + name + ".json"
}
