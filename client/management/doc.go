// Package management follows the terminals of a management server. It converts a session of such a
// server to the frames of package protocol, for package client.
//
// A Follower keeps the number of the next frame. Each of its connections joins the session there,
// and passes on only new frames.
//
//	client.Stream ⇄ protocol frames ⇄ link ⇄ messages of protocol/management ⇄ server
package management
