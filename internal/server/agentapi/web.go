package agentapi

import (
	_ "embed" // the pages
	"net/http"
)

//go:embed chat.html
var chatPage []byte

//go:embed docs.html
var docsPage []byte

// chat responds with the chat page. The page derives the address of the API from its own.
func (a *API) chat(w http.ResponseWriter, _ *http.Request) error { return a.page(w, chatPage) }

// docs responds with a page that shows the API's document.
func (a *API) docs(w http.ResponseWriter, _ *http.Request) error { return a.page(w, docsPage) }

// page responds with a page. Its security policy lets it connect only to this server.
func (a *API) page(w http.ResponseWriter, text []byte) error {
	servers := "*"
	if a.Prefix != "" {
		servers = "'self'"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "+servers+
			"; img-src data:; base-uri 'none'; form-action 'none'")
	_, _ = w.Write(text) // an error means that the client is gone
	return nil
}
