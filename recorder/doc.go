// Package recorder runs a command in a PTY, tees it, and processes its output (live or replayed) into
// a terminal log.
//
// Run starts these goroutines; no other one waits for anything that is drawn below it:
//
//	user's terminal                                            PTY ─ command
//	 │ keys                                                     ▲  │ output
//	 ├──▶ inputPump ─────────────────────────────────────────────┘  │
//	 │                                                              ▼
//	 ◀───────────────────────────── outputPump ◀── poll, read ──────┘
//	                                    │ raw events, copied, in one order
//	                                    ▼
//	                                   tee ──────────▶ Host (viewers; package live)
//	              ┌─────────────────────┴───────────┐
//	              ▼                                 ▼
//	   Log: its queue (8 MiB)                 feed (256 KiB)
//	              ▼                                 ▼
//	   its writer ──▶ journal ── Replay ──▶ follower ──▶ Processor ──▶ Index
//
// A queue that is full never holds up the tee. What the Log has no room for is lost, and counted. What the
// feed has no room for is left out, and the follower reads it from the Log once the flood is over; what is far
// behind the command's end is left to whoever reads the session next. Beside them one goroutine waits for the
// child, and Run itself passes on signals, sizes and stops (supervise).
//
// The end comes from above: the child exits, the outputPump drains the PTY, the terminal is restored, the tee
// puts the Exit event, the follower ends or is stopped after Options.CatchUp, and the Log is closed.
package recorder
