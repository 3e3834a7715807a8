package client

import (
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Event is a value that Next returns: Connected, Lost, Output, protocol.Snapshot, protocol.Gap,
// protocol.Size, protocol.Entries, protocol.State, protocol.Shell, protocol.Control,
// protocol.Screen, protocol.Numbered, protocol.Notice or, as the last one, protocol.Exit. Frames
// that this version does not know are skipped.
type Event any

// Connected is the first event, and the first one after Lost events. The entries that AttachOptions
// request are sent again after it.
type Connected struct {
	protocol.Hello
}

// Lost means that the connection is lost. The stream reconnects by itself.
type Lost struct {
	Err   error
	Try   int           // number of the next try, from 1
	Delay time.Duration // time until that try
}

// Output is output of the command.
type Output struct {
	Seq  int64 // offset of the first byte in the output
	Data []byte
}

// RawEvent returns the raw log event in a numbered frame: output, a resize, the end, or, for lost
// frames, a session.EventLost marker. ok is false for other kinds.
func RawEvent(n protocol.Numbered) (e session.Event, ok bool) {
	e = session.Event{At: n.At}
	switch n.Kind {
	case protocol.NumberedOutput:
		e.Kind, e.Data = session.Output, n.Data
	case protocol.NumberedResize:
		e.Kind = session.Resize
		e.Cols, e.Rows = n.Size()
	case protocol.NumberedExit:
		e.Kind, e.Status = session.Exit, n.Status()
		return e, e.Status >= 0
	case protocol.NumberedLost:
		e.Kind = session.Marker
		e.Data = session.ControlMark(session.EventLost, map[string]any{"from": n.Number, "to": n.End() - 1})
	case protocol.NumberedMark, protocol.NumberedNext:
		return e, false
	}
	return e, true
}

// decode returns the event in a frame, or nil for unknown types. It does not handle answers and
// output.
func decode(f protocol.Frame) (Event, error) {
	switch f.Type {
	case protocol.TypeResize:
		return decoded[protocol.Size](f)
	case protocol.TypeEntries:
		return decoded[protocol.Entries](f)
	case protocol.TypeState:
		return decoded[protocol.State](f)
	case protocol.TypeShell:
		return decoded[protocol.Shell](f)
	case protocol.TypeControl:
		return decoded[protocol.Control](f)
	case protocol.TypeScreen:
		return decoded[protocol.Screen](f)
	case protocol.TypeNotice:
		return decoded[protocol.Notice](f)
	case protocol.TypeExit:
		return decoded[protocol.Exit](f)
	}
	return nil, nil
}

func decoded[T any](f protocol.Frame) (Event, error) {
	var v T
	err := f.Decode(&v)
	return v, err
}
