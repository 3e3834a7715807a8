package agentapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
)

// Uploads stores files that clients send.
type Uploads interface {
	// Save stores a file with that base name, and returns its absolute path. Files with the same
	// name but different contents get different paths.
	Save(name string, data []byte) (path string, err error)
}

// API handles the requests for one session. Its fields must not change after its first use.
type API struct {
	Session *Session
	Prefix  string                       // prefix of the paths that clients use, without a trailing slash; empty: none
	Chat    string                       // base path of the chat page, as clients use it; empty: Prefix + "/chat"
	Uploads Uploads                      // nil: files are rejected
	Sender  func(r *http.Request) Sender // returns the Sender for the client of a request; nil: the session's
	Version string                       // the program's version
	Log     *slog.Logger
}

// route is a path of the API, below the prefix.
type route struct {
	methods map[string]handler
}

// routes are the paths of the API.
func (a *API) routes() map[string]route {
	get := func(h handler) route { return route{map[string]handler{http.MethodGet: h}} }
	post := func(h handler) route { return route{map[string]handler{http.MethodPost: h}} }
	return map[string]route{
		"/":                 get(a.home),
		"/status":           get(a.status),
		"/messages":         get(a.messages),
		"/message":          post(a.message),
		"/upload":           post(a.upload),
		"/events":           get(a.events),
		"/internal/screen":  get(a.screen),
		"/openapi.json":     get(a.document(openapi31)),
		"/openapi.yaml":     get(a.document(openapi31YAML)),
		"/openapi-3.0.json": get(a.document(openapi30)),
		"/openapi-3.0.yaml": get(a.document(openapi30YAML)),
		"/docs":             get(a.docs),
		"/chat":             get(a.chat),
		"/chat/":            get(a.chat),
		"/chat/embed":       get(a.chat),
		"/chat/embed/":      get(a.chat),
	}
}

// Handler returns the handler of all paths below the prefix. It expects paths without the prefix.
func (a *API) Handler() http.Handler {
	if a.Log == nil {
		a.Log = slog.Default()
	}
	routes := a.routes()
	return a.handle(func(w http.ResponseWriter, r *http.Request) error {
		path := cmp.Or(r.URL.Path, "/")
		if name, ok := strings.CutPrefix(path, "/schemas/"); ok {
			routes := route{map[string]handler{http.MethodGet: a.schema(name)}}
			return routes.serve(w, r)
		}
		found, ok := routes[path]
		if !ok {
			return failed(http.StatusNotFound, "no such path")
		}
		return found.serve(w, r)
	})
}

// serve handles a request if its method is allowed.
func (o route) serve(w http.ResponseWriter, r *http.Request) error {
	h, ok := o.methods[r.Method]
	if !ok {
		var allowed []string
		for method := range o.methods {
			allowed = append(allowed, method)
		}
		slices.Sort(allowed)
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return failed(http.StatusMethodNotAllowed, "the method must be "+strings.Join(allowed, " or "))
	}
	return h(w, r)
}

// home redirects to the chat page.
func (a *API) home(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, a.chatBase()+"/embed", http.StatusTemporaryRedirect)
	return nil
}

// chatBase returns the base path of the chat page.
func (a *API) chatBase() string {
	if a.Chat != "" {
		return strings.TrimSuffix(a.Chat, "/")
	}
	return a.Prefix + "/chat"
}

func (a *API) status(w http.ResponseWriter, r *http.Request) error {
	status, _ := a.Session.board.now()
	return a.answer(w, "StatusResponseBody", struct {
		Schema    string `json:"$schema"`
		Status    string `json:"status"`
		AgentType string `json:"agent_type"`
		Transport string `json:"transport"`
	}{a.schemaURL(r, "StatusResponseBody"), status, a.Session.Type, "pty"})
}

func (a *API) messages(w http.ResponseWriter, r *http.Request) error {
	_, messages := a.Session.board.now()
	return a.answer(w, "MessagesResponseBody", struct {
		Schema   string    `json:"$schema"`
		Messages []Message `json:"messages"`
	}{a.schemaURL(r, "MessagesResponseBody"), append([]Message{}, messages...)})
}
