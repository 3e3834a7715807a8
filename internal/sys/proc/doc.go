// Package proc has what processes do to those that they start: signals that end them, the mark of
// what a recorded session has started, and the end of orphans.
//
// It imports only small packages of the standard library, because recorder/leader does.
package proc
