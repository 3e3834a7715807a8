// Package origin marks processes as started in a recorded session. The mark goes over to all that
// they start, whatever becomes of the session, of their parents and of their environment.
//
// It imports only small packages of the standard library, because recorder/leader does.
package origin
