// Package peer finds out in which recorded sessions a process, or the client of a TCP connection,
// runs, so that programs in a session can be treated differently from people.
package peer
