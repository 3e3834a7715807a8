// Package client watches and controls live sessions: those of this user on this machine, through their sockets, and those of a
// `ptyrec serve`, over HTTP.
//
// Dial gives a Client; its Attach gives a Stream, which is an io.ReadWriteCloser of the session's output and keys, or, by Next,
// everything that the session tells, in order. A Stream that loses its connection comes back by itself and goes on with the byte after
// the last one that it gave out: nothing twice, nothing left out but what a protocol.Gap names. Keys are never sent twice.
//
// DialCommands returns Commands, which runs commands on a server over the command socket, and
// DialProcesses returns Processes, which runs them over its process API.
package client
