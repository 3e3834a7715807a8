package session

import "time"

// EventKind is one of the raw events of a recording.
type EventKind uint8

const (
	Output EventKind = iota // bytes that the child wrote
	Input                   // bytes that the user typed (recorded only on request)
	Resize                  // the window's new size
	Exit                    // the child is gone; Status holds its exit status
	Marker                  // a label (asciicast "m"); Data holds it
)

// Event is one raw event of a recording: what happened, and when.
type Event struct {
	At         time.Duration // since the start of the recording
	Kind       EventKind
	Data       []byte // Output, Input, Marker
	Cols, Rows int    // Resize, in cells
	Status     int    // Exit
}
