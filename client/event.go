package client

import (
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Event is what Next returns, one of: Connected, Lost, Output, protocol.Snapshot, protocol.Gap,
// protocol.Size, protocol.Entries, protocol.State, protocol.Shell, protocol.Control,
// protocol.Screen, protocol.Numbered, protocol.Notice and, as the last one, protocol.Exit. Events
// that only newer versions know are left out.
type Event any

// Connected says that the session is there, at first and after each Lost. Then the entries that
// were asked for come again.
type Connected struct {
	protocol.Hello
}

// Lost says that the connection is gone; the stream connects again by itself.
type Lost struct {
	Err   error
	Try   int           // from 1, since it was last connected
	Delay time.Duration // until it tries
}

// Output is what the child wrote.
type Output struct {
	Seq  int64 // of the first byte
	Data []byte
}

// RawEvent returns the event of a raw log that a numbered frame carries: output, a resize, the
// end, or a marker (session.EventLost) where frames are lost. ok is false for other kinds.
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

// decode makes an event of a frame that is neither an answer nor about bytes; nil for those that we
// do not know.
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
