// Package tui draws on the user's terminal: a recording that is played (Play) and a live session
// (Watcher). Both feed a virtual screen and draw what it shows, so that no byte of a recording
// drives the user's terminal.
package tui
