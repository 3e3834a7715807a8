// Package peer finds out whether a process, or whoever is at the other end of a connection, was
// started in a recorded session: what runs there may be an agent, which must not do what only
// people may. Of decides it for a process; all other functions ask Of.
package peer
