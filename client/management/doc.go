// Package management follows the terminals of a management server: it shows a session of such a
// server to package client in the frames of package protocol.
//
// A Follower keeps what it takes to go on: the number of the next frame. Each connection that it
// makes joins the session from there, and passes on what it did not pass on before.
//
//	client.Stream ⇄ protocol frames ⇄ link ⇄ messages of protocol/management ⇄ server
package management
