// Package web holds the page that the server shows: sessions, their conversations, and their
// terminals. Its sources are in src; `make web` builds dist from them. dist is committed, so that
// building the program needs no npm.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the page's files, all in one folder. index.html is the page of / and of /s/ID, a
// session; it loads /app.js, /app.css and /favicon.svg, a session also /xterm.js, and nothing from
// another server. It runs under the policy
//
//	default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';
//	img-src 'self' data:; connect-src 'self'
//
// ('unsafe-inline' for styles, because xterm.js draws cells with style attributes and has its
// metrics in a style element).
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is embedded above
	}
	return files
}
