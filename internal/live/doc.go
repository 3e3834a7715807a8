// Package live lets viewers watch a live session, and type if its user allows it.
//
// A Host receives each raw event from the recorder (recorder.Host) and serves viewers with the
// frames of package protocol. The session never waits for it. Without viewers it only counts bytes,
// and no goroutine wakes up. With viewers it keeps the newest output (stream), and a screen made
// from it (screen).
//
//	recorder ─events▶ stream ─▶ beat, each 10 ms while there is output ─▶ viewers
//	                    └▶ screen ─▶ snapshots
//
// Older output comes from the raw log.
package live
