package agentapi

import (
	_ "embed" // the pages
	"net/http"
)

//go:embed chat.html
var chatPage []byte

//go:embed docs.html
var docsPage []byte

// chat responds with the chat page. It finds the API by its own address.
func (a *API) chat(w http.ResponseWriter, _ *http.Request) error { return page200(w, chatPage) }

// docs responds with a page that shows the API's document.
func (a *API) docs(w http.ResponseWriter, _ *http.Request) error { return page200(w, docsPage) }

func page200(w http.ResponseWriter, text []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src *; img-src data:; base-uri 'none'; form-action 'none'")
	_, _ = w.Write(text) // a client that is gone needs none
	return nil
}
