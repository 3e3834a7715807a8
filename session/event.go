package session

import "time"

// EventKind is the kind of a raw event.
type EventKind uint8

const (
	Output EventKind = iota // bytes that the command wrote to its terminal
	Input                   // bytes that the user typed; recorded only on request
	Resize                  // new size of the window
	Exit                    // end of the command
	Marker                  // label, as asciicast's "m"
	Pipe                    // bytes that the command wrote to a pipe
)

// Streams of Pipe events.
const (
	Stdout = 1
	Stderr = 2
)

// Event is one raw event of a recording.
type Event struct {
	At         time.Duration // time since the start of the recording
	Kind       EventKind
	Data       []byte // Output, Input, Pipe: bytes; Marker: label; Exit: why the command was ended, if it was
	Cols, Rows int    // Resize: size in cells
	Status     int    // Exit: exit status, 128+n after signal n
	Stream     int    // Pipe: Stdout or Stderr
	Text       int64  // Pipe: offset of Data in the text of its stream, in bytes (docs/format.md)
}

// Printed returns the number of bytes that the command wrote in e, to its terminal or a pipe.
func (e Event) Printed() int64 {
	if e.Kind == Output || e.Kind == Pipe {
		return int64(len(e.Data))
	}
	return 0
}
