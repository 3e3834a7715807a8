// Package recorder runs a command in a PTY, tees its output, and has package transcript make a
// terminal log of it.
//
// Run starts these goroutines. Each of them never waits for one that is drawn below it:
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
//	   Log: its queue (8 MiB)              indexQueue (256 KiB)
//	              ▼                                 ▼
//	   its writer ──▶ journal ── Replay ──▶ indexer ──▶ Processor ──▶ Index
//
// A full queue never holds up the tee. What does not fit into the Log's queue is lost and counted.
// What does not fit into the indexQueue is skipped, and the indexer reads it from the Log once the
// flood is over; if that takes too long after the command's end, the rest is left to the next
// program that reads the session. What the user types is recorded as far as the screen has shown
// it, which package echo finds out from the indexer's screen. Another goroutine waits for the
// child, and Run itself forwards signals, window sizes and stops (supervise).
//
// The session ends from the top: the child exits, the outputPump drains the PTY, the terminal is
// restored, the tee adds the Exit event, the indexer ends or is stopped after Options.CatchUp, and
// the Log is closed.
package recorder
