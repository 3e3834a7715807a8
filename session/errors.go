package session

import "errors"

// Sentinel errors for errors.Is. Packages wrap them with the file, line or session concerned.
var (
	ErrNotFound     = errors.New("not found")
	ErrAmbiguous    = errors.New("more than one session matches")
	ErrExists       = errors.New("already there")
	ErrNewer        = errors.New("written by a newer version")
	ErrNotRecording = errors.New("not a recording")
	ErrNoRecording  = errors.New("it has no recording: it is from an agent's own log")
	ErrNotDatabase  = errors.New("not a ptyrec database")
	ErrCorrupt      = errors.New("damaged")
	ErrNotWritable  = errors.New("cannot be written")
	ErrFull         = errors.New("the disk is full")
	ErrBusy         = errors.New("locked by another program")
	ErrSlow         = errors.New("it takes too long")
	ErrRemoved      = errors.New("removed while in use")
	ErrNowhere      = errors.New("a link that leads nowhere")
	ErrForbidden    = errors.New("not allowed")
	ErrAway         = errors.New("the server cannot be reached")
)
