// Package server serves the sessions of a database, live and past, over HTTP: by a JSON API (see
// openapi.yaml), server-sent events, and WebSockets.
package server
