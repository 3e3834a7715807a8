// Package listing writes lists of sessions, and of what a search has found in them, for people and
// for programs.
package listing
