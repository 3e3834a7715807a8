// Package remotelog turns the frames of a session on another machine into a raw log. Log hands the
// events out, Recorder records them as a session of this machine's database.
package remotelog
