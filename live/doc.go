// Package live shows a session that runs to others, and lets them type where its user allows it.
//
// A Host stands beside the recorder: it gets each raw event (recorder.Host) and serves viewers over the frames of package
// protocol. The session never waits for it. While nobody is attached it keeps nothing but a count of bytes, and no goroutine
// wakes up; while somebody is, the newest output is kept (stream) and a screen of the host's own follows it (screen).
//
//	recorder ─events▶ stream ─▶ beat, each 10 ms while there is output ─▶ viewers
//	                    └▶ screen ─▶ snapshots
//
// What is older than the stream comes from the raw log.
package live
