// Package process runs commands for programs and records each as a session.
//
// A [Manager] lives in the server. Each command runs in a detached host, a separate process that
// outlives the server. The host holds the command's pipes or PTY, writes the raw log (package
// journal), keeps the newest output in memory, and ends the command when its time limit has passed.
// The Manager communicates with it over a unix socket, and reads from the raw log what the host no
// longer has in memory.
//
//	Manager ──socket──▶ host ──pipes or PTY──▶ command
//	   │                  │
//	   └──── store ◀── journal
//
// A command is identified by its sandbox and its id, from which its session's id is derived. An id
// that has a record runs only once, even if several servers are asked at the same time.
package process
