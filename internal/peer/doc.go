// Package peer finds out in which recorded sessions the client of a TCP connection runs, so that a
// server can treat programs in a session differently from people.
package peer
