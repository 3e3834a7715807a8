// Package tui draws on the user's terminal: a recording (Play) and a live session (Watcher). Both
// feed a virtual terminal and draw its screen, so that no byte of a recording controls the user's
// terminal.
package tui
