package session

import "bytes"

// The raw log of a session can be read as numbered frames (docs/format.md, "Frames"). The numbers
// depend only on the events. Markers with these names have numbers, too.
const (
	EventRole     = "frame:role"     // data: client, role; a client joined or changed its role; takes two numbers
	EventLeave    = "frame:leave"    // data: client; takes one number
	EventKeyframe = "frame:keyframe" // image of the screen; takes one number
)

// EventLost marks a gap in the frames of a session recorded from another machine. data: from, to.
// It takes no number.
const EventLost = "frame:lost"

// FrameBytes is the maximum number of bytes of output in a frame. A longer Output event is split.
const FrameBytes = 16 << 10

// FrameMark returns the label of a marker for event, one of the names above.
func FrameMark(event string, data map[string]any) []byte { return ControlMark(event, data) }

// FrameMarkNumbers returns how many frame numbers a marker with this label takes, or 0.
func FrameMarkNumbers(label []byte) int64 {
	for event, n := range map[string]int64{EventRole: 2, EventLeave: 1, EventKeyframe: 1} {
		if bytes.HasPrefix(label, []byte(`{"ptyrec":"`+event+`"`)) {
			return n
		}
	}
	return 0
}

// FramePlace is a position between two events of a raw log, as counts of what precedes it.
type FramePlace struct {
	Event   int64 // events
	Frame   int64 // frame numbers
	Outputs int64 // frames of output
	Offset  int64 // bytes of output
}

// Frame is a numbered part of the raw log.
type Frame struct {
	Number  int64
	Outputs int64 // frames of output up to and including this one
	Offset  int64 // bytes of output before it
	Event         // Output of at most FrameBytes, Resize, Exit, or one of the markers above
}

// Cut calls give for each frame of e, the event at p, and advances p past it. give may be nil.
// After an error of give, Cut returns it and does not call give again, but still advances p. The
// frames share e's data.
func (p *FramePlace) Cut(e Event, give func(Frame) error) (err error) {
	p.Event++
	next := func(e Event, numbers int64) {
		if e.Kind == Output {
			p.Outputs++
		}
		if give != nil && err == nil {
			err = give(Frame{Number: p.Frame, Outputs: p.Outputs, Offset: p.Offset, Event: e})
		}
		p.Frame += numbers
	}
	switch e.Kind {
	case Output:
		for data := e.Data; len(data) > 0; {
			e.Data = data[:min(len(data), FrameBytes)]
			data = data[len(e.Data):]
			next(e, 1)
			p.Offset += int64(len(e.Data))
		}
	case Resize, Exit:
		next(e, 1)
	case Marker:
		if n := FrameMarkNumbers(e.Data); n > 0 {
			next(e, n)
		}
	case Input:
	}
	return err
}
