// Package agentapi serves a session as coder/agentapi serves one: its status, its messages and its
// events, and a way to type into it.
//
// A Session follows one session by a client.Stream. Talk turns its entries into agentapi's messages
// and status; what an unrecognised program says is read off the screen (page). API answers the HTTP
// requests for one Session.
package agentapi
