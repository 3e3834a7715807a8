// Package ptytest simulates a user at a terminal for tests, who types and reads what is shown. It
// works on Linux.
package ptytest
