// Package cli is the command line's side of a terminal: the pager, progress, tables, and names of
// sessions.
package cli
