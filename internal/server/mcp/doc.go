// Package mcp serves sessions to agents by the Model Context Protocol
// (https://modelcontextprotocol.io): tools to find, read, watch and wait for sessions, and, where
// the user allows it, to type into them.
//
// What was recorded is untrusted. A result says that it is data, quotes it, and contains neither
// secrets nor characters that a reader does not see.
package mcp
