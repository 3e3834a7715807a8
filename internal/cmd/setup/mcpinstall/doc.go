// Package mcpinstall makes ptyrec's MCP server known to coding agents, by the agents' own commands
// or in their configuration files.
package mcpinstall
