// Package mcp serves sessions to agents by the Model Context Protocol
// (https://modelcontextprotocol.io): tools to find, read, watch and wait for sessions and, if the
// user allows it, to type into them.
//
// Recordings are untrusted. A result marks them as data, quotes them, and contains neither secrets
// nor invisible characters.
package mcp
