// Package client watches and controls live sessions: those of this user on this machine, through
// their sockets, those of a `ptyrec serve`, over HTTP, and those of a management server, over its
// WebSocket.
//
// Dial returns a Client; its Attach returns a Stream. A Stream is an io.ReadWriteCloser of the
// session's output and keys; its Next returns everything that the session sends, in order. A Stream
// that loses its connection reconnects by itself and continues with the byte after the last one it
// returned: nothing is repeated, and nothing is missing except what a protocol.Gap names. Keys are
// never sent twice.
//
// DialCommands returns Commands, which runs commands on a server over the command socket, and
// DialProcesses returns Processes, which runs them over its process API.
package client
