// Package live shows a session that runs to others, and lets them type where its user allows it.
//
// A Host receives each raw event from the recorder (recorder.Host) and serves viewers over the
// frames of package protocol. The session never waits for it. Without viewers it only counts bytes,
// and no goroutine wakes up. With viewers it keeps the newest output (stream) and, from it, a
// screen of its own (screen).
//
//	recorder ─events▶ stream ─▶ beat, each 10 ms while there is output ─▶ viewers
//	                    └▶ screen ─▶ snapshots
//
// What is older than the stream comes from the raw log.
package live
