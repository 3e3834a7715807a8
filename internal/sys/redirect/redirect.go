// Package redirect defines which redirects this program's HTTP clients follow: never one to another
// host, which would receive the token and the request's body. Go's own client removes only some
// headers.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// most is the maximum number of consecutive redirects.
const most = 5

// ErrElsewhere reports a redirect to another host.
var ErrElsewhere = errors.New("a redirect to another host is not followed")

// SameHost returns a client like c that follows redirects only to the same host and port, and from
// http to https on that host. Others fail with ErrElsewhere. If c is nil, it stands for
// http.DefaultClient.
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

// Never is an http.Client.CheckRedirect that returns a redirect as the response.
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

// port returns the port of a URL, or the scheme's default port.
func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
