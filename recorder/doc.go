// Package recorder runs a command in a PTY, tees it, and processes its output (live or replayed) into
// a terminal log.
package recorder
