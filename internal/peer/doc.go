// Package peer finds the recorded sessions that the other end of a TCP connection runs inside.
package peer
