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
	Pipe                    // bytes that the child wrote to a pipe; Stream and Text say where they belong
)

// Streams of Pipe events.
const (
	Stdout = 1
	Stderr = 2
)

// Event is one raw event of a recording: what happened, and when.
type Event struct {
	At         time.Duration // since the start of the recording
	Kind       EventKind
	Data       []byte // Output, Input, Marker, Pipe; Exit: why the child ended, if not by itself
	Cols, Rows int    // Resize, in cells
	Status     int    // Exit
	Stream     int    // Pipe: Stdout or Stderr
	Text       int64  // Pipe: where Data begins in the text of its stream, in bytes (docs/format.md)
}

// Printed returns how many bytes the child wrote in the event.
func (e Event) Printed() int64 {
	if e.Kind == Output || e.Kind == Pipe {
		return int64(len(e.Data))
	}
	return 0
}
