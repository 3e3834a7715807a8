// Package server shows the sessions of a database, live and past, over HTTP: a JSON API
// (openapi.yaml describes it), events, and WebSockets.
package server
