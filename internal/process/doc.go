// Package process runs commands for programs and records each as a session.
//
// A [Manager] lives in the server. Each command runs in a detached host, a process of its own, that
// outlives the server: it holds the command's pipes or PTY, writes the raw log (package journal),
// keeps the newest output in memory, and ends the command when its time is over. The Manager
// reaches it over a unix socket, and reads from the raw log what the host no longer holds.
//
//	Manager ──socket──▶ host ──pipes or PTY──▶ command
//	   │                  │
//	   └──── store ◀── journal
//
// A command is known by its sandbox and its id, and its session's id follows from these. An id that
// has a record runs only once, even if several servers are asked at the same time.
package process
