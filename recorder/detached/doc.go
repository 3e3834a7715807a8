// Package detached starts sessions in the background. Three processes of this program take part:
//
//	a server        Starter.Start runs `ptyrec run --detach`, and returns the id that it prints
//	run --detach    Session.Launch starts the recorder, and returns the id that it reports
//	run --hosted    the recorder: Report tells its id; Owner is what it lives as long as
//
// The recorder is in a session of its own (setsid) and nobody's child, so it outlives the others.
// Only an owned session ends with the server: they hold the two ends of a pipe.
package detached
