// Package redirect says which redirects the HTTP clients of this program follow: never to another
// host, which would get the token of the one that was asked, and what is sent to it. Go's own
// client keeps back only some headers there.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// most is how many redirects are followed in a row.
const most = 5

// ErrElsewhere says that an answer leads to another host.
var ErrElsewhere = errors.New("a redirect to another host is not followed")

// SameHost returns a client like c that follows redirects to the host and port that it asked only,
// and from http to https on it. Other redirects are ErrElsewhere. For c, nil is http.DefaultClient.
func SameHost(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	strict := *c
	strict.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if from := via[len(via)-1].URL; !stays(from, r.URL) {
			return fmt.Errorf("%w: use %s://%s instead if you trust it", ErrElsewhere, r.URL.Scheme, r.URL.Host)
		}
		if len(via) > most {
			return errors.New("too many redirects")
		}
		if c.CheckRedirect != nil {
			return c.CheckRedirect(r, via)
		}
		return nil
	}
	return &strict
}

// Never is http.Client.CheckRedirect of clients that take a redirect for the answer.
func Never(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// stays reports whether a redirect stays on the host.
func stays(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443" {
		return true
	}
	return from.Scheme == to.Scheme && port(from) == port(to)
}

// port returns the port of a URL, which may be the scheme's own.
func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
