// Package agentapi serves a session in the way of coder/agentapi: its status, messages and events,
// and requests to type into it.
//
// A Session follows one session by a client.Stream. talk converts its entries to agentapi's
// messages and status; page reads the replies of an unknown program from the screen. API handles
// the HTTP requests for one Session.
package agentapi
